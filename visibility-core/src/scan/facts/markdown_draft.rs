//! The home page in Markdown, as a fix offers it: what the page itself says, with its headings, lists and links.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use crate::page::content::{Block, Content, ContentLink, InlineText};
use crate::page::{Document, NodeId, Page};
use crate::scan::facts::draft;
use crate::scan::snapshot::{SiteFact, SiteSnapshot};
use crate::text::excerpt::is_unprintable;

/// Bytes that a draft has.
const MAX_BYTES: usize = 64 * 1024;

/// Links of the navigation that are listed.
const MAX_LINKS: usize = 20;

/// Elements between a link and the block or the navigation that it is in.
const MAX_DEPTH: usize = 64;

/// The draft, written once for each home page.
struct Draft(String);

impl SiteFact for Draft {
    fn derive(site: &SiteSnapshot) -> Self {
        Self(write(site))
    }
}

/// The home page in Markdown: its name once, its description, where its navigation leads, and its content.
pub(crate) fn of_home(site: &SiteSnapshot) -> &str {
    &site.home_fact::<Draft>().0
}

fn write(site: &SiteSnapshot) -> String {
    let Some(home) = site.home() else { return String::new() };
    let document = Document::parse(&home.body, home.headers.first("content-type"));
    let (page, content) = (document.page(), document.content());
    let h1 = page.h1s().next().map(|heading| heading.text.trim()).filter(|text| !text.is_empty());
    let title = h1.map_or_else(|| draft::site_name(site), str::to_owned);
    let description = draft::description(site);
    let texts = LinkedText::new(&document, &content, page, &home.url);
    let mut text = format!("# {}\n", escaped(&title));
    if let Some(description) = &description {
        text.push_str(&format!("\n> {}\n", escaped(description)));
    }
    let navigation = navigation(&document, &home.url);
    if !navigation.is_empty() {
        text.push('\n');
        text.extend(navigation.iter().map(|(name, url)| format!("- [{}]({url})\n", escaped(name))));
    }
    let said: BTreeSet<&str> =
        [Some(title.as_str()), page.title.as_ref().map(|title| title.value.as_str())]
            .into_iter()
            .chain([description.as_deref()])
            .flatten()
            .map(str::trim)
            .collect();
    let is_new = |block: &Block| !said.contains(block.text.trim());
    let body = content.markdown_with(&texts, MAX_BYTES.saturating_sub(text.len()), is_new);
    if !body.is_empty() {
        text.push_str(&format!("\n{body}"));
    }
    text
}

/// What the links of the first level of the navigation say, and where they lead.
fn navigation(document: &Document, home: &Url) -> Vec<(String, Url)> {
    let page = document.page();
    let resolve = page.resolver(home);
    let mut first = None;
    let mut links: Vec<(String, Url)> = Vec::new();
    let mut seen = BTreeSet::new();
    for anchor in &page.anchors {
        let Some((navigation, depth)) = place_in_navigation(document, anchor.node) else {
            continue;
        };
        // The first one with links is the one of the site.
        if *first.get_or_insert(navigation) != navigation || depth > 1 {
            continue;
        }
        let Some(url) = resolve(&anchor.href).filter(|url| url.fragment().is_none()) else {
            continue;
        };
        let name = anchor.text.trim();
        let is_own = url.origin() == home.origin() && !draft::is_personal(&url);
        if is_own && !name.is_empty() && url != *home && seen.insert(url.clone()) {
            links.push((name.to_owned(), url));
        }
        if links.len() == MAX_LINKS {
            break;
        }
    }
    links
}

/// The navigation that an element is in, and the lists in it around the element.
fn place_in_navigation(document: &Document, node: NodeId) -> Option<(NodeId, usize)> {
    let mut lists = 0;
    let above = std::iter::successors(document.parent_of(node), |node| document.parent_of(*node));
    for node in above.take(MAX_DEPTH) {
        match document.element_name(node) {
            "ul" | "ol" | "menu" => lists += 1,
            "nav" => return Some((node, lists)),
            "footer" => return None,
            _ => {}
        }
    }
    None
}

/// Texts of blocks with their links.
struct LinkedText<'d> {
    /// The links of each block, in order, with their addresses.
    links: BTreeMap<NodeId, Vec<(&'d str, Url)>>,
}

impl<'d> LinkedText<'d> {
    fn new(document: &Document, content: &'d Content, page: &Page, home: &Url) -> Self {
        let blocks: BTreeSet<NodeId> = content.blocks.iter().map(|block| block.node).collect();
        let resolve = page.resolver(home);
        let mut links: BTreeMap<NodeId, Vec<(&str, Url)>> = BTreeMap::new();
        for link in &content.links {
            let Some(url) = address(link, home, &resolve) else { continue };
            let above = std::iter::successors(Some(link.node), |node| document.parent_of(*node));
            let block = above.take(MAX_DEPTH).find(|node| blocks.contains(node));
            if let Some(block) = block {
                links.entry(block).or_default().push((link.text.trim(), url));
            }
        }
        Self { links }
    }
}

/// Where a link leads to another page.
fn address(link: &ContentLink, home: &Url, resolve: &impl Fn(&str) -> Option<Url>) -> Option<Url> {
    let url = resolve(&link.href)?;
    let is_place_in_page = url.fragment().is_some() && url.path() == home.path();
    (!is_place_in_page && !link.text.trim().is_empty()).then_some(url)
}

impl InlineText for LinkedText<'_> {
    fn of(&self, block: &Block) -> String {
        let mut written = String::new();
        let mut rest = block.text.as_str();
        for (name, url) in self.links.get(&block.node).into_iter().flatten() {
            // A block that is split has its links in one of its parts.
            let Some((before, after)) = rest.split_once(name) else { continue };
            written.push_str(&escaped(before));
            written.push_str(&format!("[{}]({})", escaped(name), encoded(url)));
            rest = after;
        }
        written.push_str(&escaped(rest));
        written
    }
}

/// An address within parentheses.
fn encoded(url: &Url) -> String {
    url.as_str().replace('(', "%28").replace(')', "%29")
}

/// Text in which nothing is markup, on one line.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '|' => {
                escaped.push('\\');
                escaped.push(ch);
            }
            _ if is_unprintable(ch) || ch == '\n' => escaped.push(' '),
            _ => escaped.push(ch),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::{BodyEnd, Headers, Resource, Response};
    use crate::scan::request::ScanRequest;

    fn draft(html: &str) -> String {
        let domain = "tea.example.com".parse().expect("a domain");
        let request = ScanRequest::new(domain, "2026-11-20T12:00:00Z".parse().expect("a time"), "");
        let mut site = SiteSnapshot::for_request(&request);
        let url: Url = "https://tea.example.com/".parse().expect("an address");
        let response = Response {
            url: url.clone(),
            status: 200,
            version: "HTTP/1.1".to_owned(),
            headers: Headers::from_iter([("content-type", "text/html; charset=utf-8")]),
            body: bytes::Bytes::copy_from_slice(html.as_bytes()),
            body_end: BodyEnd::Complete,
            wire_bytes: 0,
            hops: Vec::new(),
            ttfb_ms: 1,
            total_ms: 1,
            retries: 0,
            tls: None,
        };
        site.record(request.probe(Resource::Home, url), Ok(response));
        write(&site)
    }

    #[test]
    fn a_draft_keeps_headings_lists_and_links_and_names_the_title_once() {
        let html = "<!doctype html><title>Tea house</title><meta name=description content=\"Green tea.\">\
            <header><a href=/>Tea house</a><nav><ul><li><a href=/shop>Shop</a>\
            <ul><li><a href=/shop/green>Green</a></ul><li><a href=/about>About [us]</a>\
            <li><a href=/cart>Cart</a><li><a href=#top>Top</a></ul></nav></header>\
            <main><h1>Tea house</h1><p>Green tea.</p><p>We grow <a href=/green>green tea</a> and \
            <a href=\"https://bread.example/a_(b)\">bread</a>, see <a href=#more>below</a>.</p>\
            <h2>Hours</h2><ul><li>Monday<li>*Friday* <a href=/late>late</a></ul>\
            <h3>Prices</h3><table><tr><th>Tea<th>Price<tr><td><a href=/green>Green</a><td>3</table></main>\
            <footer><nav><a href=/terms>Terms</a></nav></footer>";
        assert_eq!(
            draft(html),
            "# Tea house\n\n> Green tea.\n\n\
             - [Shop](https://tea.example.com/shop)\n- [About \\[us\\]](https://tea.example.com/about)\n\n\
             We grow [green tea](https://tea.example.com/green) and [bread](https://bread.example/a_%28b%29), see below.\n\n\
             ## Hours\n\n- Monday\n- \\*Friday\\* [late](https://tea.example.com/late)\n\n\
             ### Prices\n\n| Tea | Price |\n| --- | --- |\n| [Green](https://tea.example.com/green) | 3 |\n"
        );
    }

    #[test]
    fn a_page_without_a_heading_has_its_name() {
        let text = draft("<title>Tea &amp; co</title><p># One<p>Two");
        assert_eq!(text, "# Tea & co\n\n\\# One\n\nTwo\n");
    }
}
