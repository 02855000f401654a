//! Where the visible text of a page is not the page: dialogs in front of it, banners of consent, and buttons.

use html5ever::{LocalName, local_name};

use crate::page::Dialog;
use crate::page::element::Element;
use crate::page::tree::NodeId;
use crate::page::walk::PageWalk;

const MAX_DIALOGS: usize = 100;
const MAX_BUTTONS: usize = 1_000;

/// How the ids and classes begin by which the products that ask for consent mark their banners, in lower case.
const CONSENT_PRODUCTS: [&str; 33] = [
    "axeptio",
    "borlabscookie",
    "borlabs-cookie",
    "cc-window",
    "cky-",
    "cmpbox",
    "cmplz-",
    "consent_blackbar",
    "cookie-law-info",
    "cookiefirst",
    "cookiehub",
    "cookiescript",
    "cookieyes",
    "cybotcookiebot",
    "didomi",
    "fc-consent",
    "hs-eu-cookie",
    "iubenda-cs",
    "klaro",
    "moove_gdpr",
    "onetrust",
    "optanon",
    "osano-cm",
    "ppms_cm",
    "qc-cmp",
    "shopify-pc__banner",
    "sp_message_container",
    "tarteaucitron",
    "termly-",
    "trustarc",
    "truste",
    "uc-banner",
    "usercentrics",
];

/// Words of the ids and classes of banners that sites have made themselves: one of each row.
const BANNER_WORDS: [&[&str]; 2] = [
    &["cookie", "cookies", "consent", "gdpr", "kvkk", "rgpd", "dsgvo"],
    &[
        "banner",
        "bar",
        "box",
        "container",
        "dialog",
        "layer",
        "message",
        "modal",
        "notice",
        "overlay",
        "popup",
        "wrapper",
    ],
];

/// Where the walk is, as far as dialogs and buttons go.
#[derive(Debug, Default)]
pub(super) struct DialogWalk {
    /// The outermost dialog, where its text begins, and whether a known product made it.
    dialog: Option<(NodeId, usize, bool)>,
    /// A button, and where its text begins.
    button: Option<(NodeId, usize)>,
}

impl PageWalk<'_> {
    /// Notes that the walk enters an element.
    pub(super) fn enter_dialog(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        let begin = self.text.len();
        let at = &mut self.dialogs;
        if at.button.is_none() && is_button(element, name) {
            at.button = Some((id, begin));
        }
        if at.dialog.is_some() || is_page(name) {
            return;
        }
        let is_consent = is_of_consent_product(element);
        if is_consent || is_dialog(element, name) {
            at.dialog = Some((id, begin, is_consent));
        }
    }

    /// Notes that the walk leaves an element.
    pub(super) fn leave_dialog(&mut self, id: NodeId) {
        let end = self.text.len();
        let at = &mut self.dialogs;
        let button = at.button.take_if(|(node, _)| *node == id);
        if let Some((_, start)) = button
            && start < end
            && self.page.buttons.len() < MAX_BUTTONS
        {
            self.page.buttons.push(start..end);
        }
        let dialog = at.dialog.take_if(|(node, ..)| *node == id);
        if let Some((_, start, is_consent)) = dialog
            && start < end
            && self.page.dialogs.len() < MAX_DIALOGS
        {
            self.page.dialogs.push(Dialog { text: start..end, is_consent });
        }
    }
}

/// Whether an element holds the whole page, whatever its class says about it.
fn is_page(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("html") | local_name!("body") | local_name!("main") | local_name!("article")
    )
}

fn is_button(element: &Element, name: &LocalName) -> bool {
    *name == local_name!("button")
        || element.attribute("role").is_some_and(|role| role.trim() == "button")
}

fn names(element: &Element) -> impl Iterator<Item = &str> {
    ["id", "class"].into_iter().filter_map(|name| element.attribute(name))
}

fn is_of_consent_product(element: &Element) -> bool {
    names(element).flat_map(str::split_whitespace).any(|name| {
        let name = name.to_ascii_lowercase();
        CONSENT_PRODUCTS.iter().any(|product| name.starts_with(product))
    })
}

fn is_dialog(element: &Element, name: &LocalName) -> bool {
    let is = |attribute: &str, values: &[&str]| {
        element.attribute(attribute).is_some_and(|value| values.contains(&value.trim()))
    };
    *name == local_name!("dialog")
        || is("role", &["dialog", "alertdialog"])
        || is("aria-modal", &["true"])
        || names(element).any(is_banner_name)
}

fn is_banner_name(names: &str) -> bool {
    names.split_whitespace().any(|name| {
        let words = name.split(['-', '_']).map(str::to_ascii_lowercase).collect::<Vec<_>>();
        BANNER_WORDS.iter().all(|row| words.iter().any(|word| row.contains(&word.as_str())))
    })
}

#[cfg(test)]
mod tests {
    use crate::page::Page;

    #[test]
    fn dialogs_and_banners_of_consent_are_found() {
        let cases: [(&str, &[(&str, bool)]); 9] = [
            ("a<dialog open>b</dialog>c", &[("b", false)]),
            ("a<dialog>b</dialog>c", &[]),
            ("<div role=dialog>a<div role=dialog>b</div></div>c", &[("a\nb", false)]),
            ("<div aria-modal=true>a</div>", &[("a", false)]),
            ("<div id=CybotCookiebotDialog>a</div>b", &[("a", true)]),
            ("<div class='x onetrust-pc-dark-filter'>a</div>b", &[("a", true)]),
            ("<div class=cookie-banner>a</div><div class='cookie box'>b</div>", &[("a", false)]),
            ("<body class=cookie-notice-shown>a", &[]),
            ("<div class=cookies>a</div>", &[]),
        ];
        for (html, expected) in cases {
            let page = Page::parse(html.as_bytes(), None);
            let found = page.dialogs.iter().map(|dialog| {
                let text = page.visible_text.get(dialog.text.clone()).unwrap_or_default();
                (text.trim(), dialog.is_consent)
            });
            assert_eq!(found.collect::<Vec<_>>(), expected, "{html}");
        }
    }

    #[test]
    fn buttons_are_where_their_text_is() {
        let html =
            "<p>a</p><button>b <i>c</i></button> <a role=button href=/>d</a><button></button>";
        let page = Page::parse(html.as_bytes(), None);
        let found = page.buttons.iter().filter_map(|at| page.visible_text.get(at.clone()));
        assert_eq!(found.map(str::trim).collect::<Vec<_>>(), ["b c", "d"]);
    }
}
