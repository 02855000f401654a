//! Where the visible text of a page leads elsewhere, and says nothing itself: navigation and footers.

use std::ops::Range;

use html5ever::{LocalName, local_name};

use crate::page::element::Element;
use crate::page::tree::NodeId;
use crate::page::walk::PageWalk;

/// Class and id words of lists of links.
const MENU_WORDS: [&str; 9] = [
    "breadcrumb",
    "breadcrumbs",
    "footer",
    "header",
    "menu",
    "nav",
    "navbar",
    "navigation",
    "topbar",
];

/// Where the walk is, as far as navigation goes.
#[derive(Debug, Default)]
pub(super) struct NavigationWalk {
    /// The outermost `nav` or `footer`, and where its text begins.
    landmark: Option<(NodeId, usize)>,
    /// The outermost element that is a menu by its class, whose links alone are navigation: a restaurant
    /// calls the list of its dishes so, too.
    menu: Option<NodeId>,
    /// A link that is navigation, and where its text begins.
    link: Option<(NodeId, usize)>,
}

impl PageWalk<'_> {
    /// Notes that the walk enters an element.
    pub(super) fn enter_navigation(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        let begin = (id, self.text.len());
        let at = &mut self.navigation;
        if at.landmark.is_some() {
            if *name == local_name!("a") && at.link.is_none() {
                at.link = Some(begin);
            }
            return;
        }
        if is_landmark(element, name) {
            at.landmark = Some(begin);
            at.link = None;
        } else if *name == local_name!("a") {
            let href = element.attribute("href").map(str::trim_start);
            let leads = href.is_some_and(|href| at.menu.is_some() || href.starts_with('#'));
            if leads && at.link.is_none() {
                at.link = Some(begin);
            }
        } else if at.menu.is_none() && is_menu(element, name) {
            at.menu = Some(id);
        }
    }

    /// Notes that the walk leaves an element.
    pub(super) fn leave_navigation(&mut self, id: NodeId) {
        let end = self.text.len();
        let at = &mut self.navigation;
        let landmark = at.landmark.take_if(|(node, _)| *node == id);
        let link = at.link.take_if(|(node, _)| *node == id);
        at.menu.take_if(|node| *node == id);
        if let Some((_, start)) = link
            && at.landmark.is_some()
        {
            if start < end {
                self.page.navigation_links.push(start..end);
            }
            return;
        }
        if let Some((_, start)) = landmark.or(link)
            && start < end
        {
            self.page.navigation.push(Range { start, end });
        }
    }
}

fn is_landmark(element: &Element, name: &LocalName) -> bool {
    matches!(*name, local_name!("nav") | local_name!("footer"))
        || element
            .attribute("role")
            .is_some_and(|role| matches!(role.trim(), "navigation" | "contentinfo"))
}

fn is_menu(element: &Element, name: &LocalName) -> bool {
    match *name {
        local_name!("header") => true,
        local_name!("html")
        | local_name!("body")
        | local_name!("main")
        | local_name!("article") => false,
        _ => ["class", "id"].into_iter().filter_map(|name| element.attribute(name)).any(|names| {
            let mut words = names.split([' ', '\t', '\n', '-', '_']);
            words.any(|word| MENU_WORDS.iter().any(|menu| menu.eq_ignore_ascii_case(word)))
        }),
    }
}

#[cfg(test)]
mod tests {
    use crate::page::Page;

    #[test]
    fn navigation_is_landmarks_and_the_links_of_menus() {
        let cases: [(&str, &[&str]); 8] = [
            ("<p>a</p><nav><a href=/>b</a> c</nav><p>d</p>", &["b c"]),
            ("<footer>a<nav>b</nav></footer>", &["a\nb"]),
            ("<div role=navigation>a</div>b", &["a"]),
            ("<header><h1>a</h1><a href=/b>b</a> <a href=/c>c</a></header>", &["b", "c"]),
            ("<ul class='top Menu'><li><a href=/b>b</a><li>Soup 4</ul>", &["b"]),
            ("<body class=menu-open><a href=/b>b</a>", &[]),
            ("<a href='#main'>Skip</a><a href=/b>b</a>", &["Skip"]),
            ("<nav></nav><nav hidden>a</nav>", &[]),
        ];
        for (html, expected) in cases {
            let page = Page::parse(html.as_bytes(), None);
            let texts = page.navigation.iter().filter_map(|at| page.visible_text.get(at.clone()));
            assert_eq!(texts.map(str::trim).collect::<Vec<_>>(), expected, "{html}");
        }
    }

    #[test]
    fn frames_and_images_are_those_that_show() {
        let page = Page::parse(
            b"<body><iframe src=' /a '></iframe><iframe hidden src=/b></iframe><iframe width=0 src=/c>\
              </iframe><noscript><iframe src=/d></iframe><img src=x></noscript><div style='display:none'>\
              <iframe src=/e></iframe><img src=e></div><img src=f><img width=1 height=1 src=g>",
            None,
        );
        assert_eq!((page.frames, page.images), (vec!["/a".to_owned()], 1));
        let page = Page::parse(b"<frameset><frame src=/a><frame></frameset>", None);
        assert_eq!(page.frames, ["/a", ""]);
    }
}
