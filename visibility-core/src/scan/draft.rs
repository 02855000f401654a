//! Pieces of what fixes offer to paste, filled from the site's own facts.

use std::collections::BTreeSet;

use url::Url;

use crate::finding::excerpt;
use crate::scan::snapshot::SiteSnapshot;

/// Pages that a draft lists.
const MAX_PAGES: usize = 10;

/// Characters of visible text that stand in for a missing description.
const DESCRIPTION_CHARS: usize = 150;

/// Octets of a line that is a sentence rather than an entry of a menu.
const SENTENCE_BYTES: usize = 60;

/// Path segments of pages that are for one visitor and say nothing about the site.
const PERSONAL_SEGMENTS: [&str; 24] = [
    "account",
    "basket",
    "cart",
    "checkout",
    "giris",
    "giris-yap",
    "hesabim",
    "log-in",
    "login",
    "logout",
    "my-account",
    "odeme",
    "sepet",
    "sepetim",
    "shopping-cart",
    "sign-in",
    "sign-up",
    "signin",
    "signup",
    "uye-girisi",
    "uye-ol",
    "uyelik",
    "wishlist",
    "wp-login",
];

/// What the site calls itself: `og:site_name`, else its title, else its first heading, else its
/// domain.
pub(crate) fn site_name(site: &SiteSnapshot) -> String {
    let named = site.page().and_then(|page| {
        let og = page.metas("og:site_name").map(|meta| meta.content.as_str());
        let title = page.title.iter().map(|title| title.value.as_str());
        let headings = page.headings.iter().map(|heading| heading.text.as_str());
        og.chain(title).chain(headings).find(|text| !text.is_empty())
    });
    excerpt(named.unwrap_or(site.domain().as_str()))
}

/// What the site says about itself: its description, else `og:description`.
pub(crate) fn description(site: &SiteSnapshot) -> Option<String> {
    let page = site.page()?;
    let own = page.description.iter().map(|description| description.value.as_str());
    let og = page.metas("og:description").map(|meta| meta.content.as_str());
    own.chain(og).find(|text| !text.is_empty()).map(excerpt)
}

/// [`description`], else the first visible sentence, cut at the end of a word.
pub(crate) fn description_or_text(site: &SiteSnapshot) -> String {
    description(site).unwrap_or_else(|| {
        let text = site.page().map(|page| page.visible_text.as_str()).unwrap_or_default();
        let text = text.lines().find(|line| line.len() >= SENTENCE_BYTES).unwrap_or(text);
        let mut start = String::new();
        for word in text.split_whitespace() {
            if start.chars().count() + word.chars().count() >= DESCRIPTION_CHARS {
                break;
            }
            start.push_str(if start.is_empty() { "" } else { " " });
            start.push_str(word);
        }
        excerpt(&start)
    })
}

/// The home page and pages of the site that it links to, each once, with what the link says.
/// Carts, logins and accounts are left out.
pub(crate) fn own_pages(site: &SiteSnapshot) -> Vec<(String, Url)> {
    let mut pages = vec![(site_name(site), site.origin().clone())];
    let mut seen = BTreeSet::from([site.origin().path().to_owned()]);
    let (Some(home), Some(page)) = (site.home(), site.page()) else { return pages };
    for (anchor, mut url) in page.resolved_anchors(&home.url) {
        let is_own = url.origin() == site.origin().origin();
        if !is_own || url.query().is_some() || is_personal(&url) {
            continue;
        }
        url.set_fragment(None);
        let title = excerpt(&anchor.text);
        if title.is_empty() || !seen.insert(url.path().to_owned()) {
            continue;
        }
        pages.push((title, url));
        if pages.len() == MAX_PAGES {
            break;
        }
    }
    pages
}

/// Whether a page is for one visitor, by a whole segment of its path.
fn is_personal(url: &Url) -> bool {
    url.path().split('/').any(|segment| {
        let name = segment.split('.').next().unwrap_or_default();
        PERSONAL_SEGMENTS.iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// Text made safe between tags and in quoted attributes of HTML and XML.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(ch),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_for_one_visitor_are_known_by_a_whole_segment() {
        let cases = [
            ("https://example.com/cart", true),
            ("https://example.com/tr/Sepet/", true),
            ("https://example.com/giris.php", true),
            ("https://example.com/account/orders", true),
            ("https://example.com/", false),
            ("https://example.com/cartography", false),
            ("https://example.com/blog/the-login-page", false),
        ];
        for (url, expected) in cases {
            assert_eq!(is_personal(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }

    #[test]
    fn markup_of_strangers_does_not_survive() {
        assert_eq!(escaped(r#"<a href="x">'&'"#), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;");
    }
}
