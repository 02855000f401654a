//! Facts about a page that are worth knowing and never scored: it is not proven that they change what answer
//! engines cite.

mod policy;

use std::fmt;

use crate::audit::page::AuditedPage;
use crate::fetch::link_header;
use crate::rubric::finding::Evidence;
use crate::text::excerpt::excerpt;
use crate::text::locale::Values;

/// Something that was seen and is never scored.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Information {
    /// Noun phrase in kebab-case; its sentence is in `locales/` under `information`.
    pub id: &'static str,
    /// Values for the placeholders of the sentence.
    pub values: Values,
    /// Where it was seen.
    pub evidence: Vec<Evidence>,
}

impl Information {
    fn new(id: &'static str, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        let evidence = evidence.into_iter().take(MAX_EVIDENCE).collect();
        Self { id, values: Values::new(), evidence }
    }

    fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.values.insert(name, excerpt(&value.to_string()));
        self
    }
}

/// Places that are quoted for one thing.
const MAX_EVIDENCE: usize = 5;
/// Questions from which on headings look like a list of them.
const MIN_QUESTIONS: usize = 2;
/// Types of feeds.
const FEEDS: [&str; 4] = [
    "application/rss+xml",
    "application/atom+xml",
    "application/feed+json",
    "application/json+feed",
];

/// All that was seen on a page, in a fixed order.
pub(crate) fn all(page: &AuditedPage<'_>) -> Vec<Information> {
    let of_page = [
        unknown_content_coding(page),
        llms_txt(page),
        markdown(page),
        feed(page),
        faq_markup(page),
        questions(page),
        speakable(page),
        web_mcp(page),
    ];
    of_page.into_iter().flatten().chain(policy::all(page)).collect()
}

/// A `Content-Encoding` that is not a content coding.
fn unknown_content_coding(page: &AuditedPage<'_>) -> Option<Information> {
    let coding = page.response.content_codings().unknown.into_iter().next()?;
    let evidence = page.header("Content-Encoding", &coding);
    Some(Information::new("content-encoding", [evidence]).with("value", coding))
}

/// A link to `llms.txt`, in an element, an anchor or a field.
fn llms_txt(page: &AuditedPage<'_>) -> Option<Information> {
    let facts = page.page();
    let is_it = |href: &str| {
        let path = href.split(['?', '#']).next().unwrap_or_default();
        ["llms.txt", "llms-full.txt"].iter().any(|name| {
            path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    };
    let links = facts.links.iter().map(|link| (link.href.as_str(), link.line, link.node));
    let anchors =
        facts.anchors.iter().map(|anchor| (anchor.href.as_str(), anchor.line, anchor.node));
    let found = links
        .chain(anchors)
        .find(|(href, ..)| is_it(href))
        .map(|(href, line, node)| (href.to_owned(), page.evidence(href, line, node)));
    let (href, evidence) = found.or_else(|| header_link(page, |link| is_it(&link.target)))?;
    Some(Information::new("llms-txt", [evidence]).with("url", href))
}

/// A version in Markdown that the page names.
fn markdown(page: &AuditedPage<'_>) -> Option<Information> {
    let is_markdown =
        |kind: Option<&str>| kind.is_some_and(|kind| kind.trim().starts_with("text/markdown"));
    let mut links = page.page().links("alternate");
    let found = links.find(|link| is_markdown(link.media_type.as_deref()));
    let found =
        found.map(|link| (link.href.clone(), page.evidence(&link.href, link.line, link.node)));
    let (href, evidence) = found.or_else(|| {
        header_link(page, |link| {
            link.rels.iter().any(|rel| rel == "alternate")
                && is_markdown(link.media_type.as_deref())
        })
    })?;
    Some(Information::new("markdown-alternate", [evidence]).with("url", href))
}

/// The target of the first link in the header of the answer that is wanted.
fn header_link(
    page: &AuditedPage<'_>,
    is_wanted: impl Fn(&link_header::Link) -> bool,
) -> Option<(String, Evidence)> {
    let fields = page.response.headers.all("link").iter().map(String::as_str);
    let link = link_header::parse(fields).into_iter().find(is_wanted)?;
    let evidence = page.header("Link", &format!("<{}>", link.target));
    Some((link.target, evidence))
}

fn feed(page: &AuditedPage<'_>) -> Option<Information> {
    let mut links = page.page().links("alternate");
    let link = links.find(|link| {
        link.media_type
            .as_deref()
            .is_some_and(|kind| FEEDS.iter().any(|feed| kind.trim().starts_with(feed)))
    })?;
    let evidence = page.evidence(&link.href, link.line, link.node);
    Some(Information::new("feed", [evidence]).with("url", &link.href))
}

fn faq_markup(page: &AuditedPage<'_>) -> Option<Information> {
    let entity = page.markup.with_types(&["FAQPage", "QAPage"]).next()?;
    let kind = entity.types.join(", ");
    let evidence = page.evidence(&kind, entity.line, entity.node);
    Some(Information::new("faq-markup", [evidence]).with("type", kind))
}

fn questions(page: &AuditedPage<'_>) -> Option<Information> {
    let headings: Vec<_> =
        page.page().headings.iter().filter(|heading| heading.text.ends_with('?')).collect();
    if headings.len() < MIN_QUESTIONS {
        return None;
    }
    let evidence = headings
        .iter()
        .take(MAX_EVIDENCE)
        .map(|heading| page.evidence(&heading.text, heading.line, heading.node));
    Some(Information::new("question-headings", evidence).with("count", headings.len()))
}

fn speakable(page: &AuditedPage<'_>) -> Option<Information> {
    let mut entities = page.markup.entities.iter();
    let entity = entities.find(|entity| {
        entity.object.contains_key("speakable") || entity.is_a(&["SpeakableSpecification"])
    })?;
    Some(Information::new("speakable", [page.evidence("speakable", entity.line, entity.node)]))
}

/// Tools for agents in the page itself: forms that name one, or scripts that offer some.
fn web_mcp(page: &AuditedPage<'_>) -> Option<Information> {
    let at = || Evidence::for_url(page.response.url.as_str());
    let forms = page.page().forms.iter().filter_map(|form| {
        Some((form.line, form.tool_name.as_deref().filter(|name| !name.is_empty())?))
    });
    let forms: Vec<Evidence> =
        forms.take(MAX_EVIDENCE).map(|(line, name)| at().quote(name).line(line)).collect();
    let scripts = page.page().scripts.iter().filter(|script| script.code.contains("modelContext"));
    let scripts: Vec<Evidence> =
        scripts.take(1).map(|script| at().quote("modelContext").line(script.line)).collect();
    let evidence: Vec<Evidence> = forms.into_iter().chain(scripts).collect();
    (!evidence.is_empty()).then(|| Information::new("webmcp", evidence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;
    use crate::audit::snapshot::PageSnapshot;
    use crate::text::locale::{Catalog, Lang};

    fn ids(page: &PageSnapshot) -> Vec<&'static str> {
        let found = all(&page.audited());
        for (seen, lang) in found.iter().flat_map(|seen| Lang::ALL.map(|lang| (seen, lang))) {
            let path = ["information", seen.id];
            let sentence =
                Catalog::for_lang(lang).template(&path).unwrap_or_else(|| panic!("{}", seen.id));
            for name in sentence.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
                assert!(seen.values.contains_key(name), "{path:?}: {name}");
            }
            assert!(!seen.evidence.is_empty(), "{}", seen.id);
        }
        found.into_iter().map(|seen| seen.id).collect()
    }

    #[test]
    fn what_a_page_names_is_listed() {
        let json_ld = |json: &str| format!("<script type=application/ld+json>{json}</script>");
        for (html, expected) in [
            ("<p>Text".to_owned(), vec![]),
            ("<link rel=help href=/llms.txt>".to_owned(), vec!["llms-txt"]),
            (
                "<a href='https://example.com/docs/llms-full.txt?x'>x</a>".to_owned(),
                vec!["llms-txt"],
            ),
            ("<a href=/allms.txt>x</a>".to_owned(), vec![]),
            (
                "<link rel=alternate type='text/markdown' href=/a.md>".to_owned(),
                vec!["markdown-alternate"],
            ),
            ("<link rel=alternate type=application/rss+xml href=/feed>".to_owned(), vec!["feed"]),
            ("<link rel=alternate hreflang=tr href=/tr>".to_owned(), vec![]),
            (json_ld("{\"@type\":[\"WebPage\",\"FAQPage\"]}"), vec!["faq-markup"]),
            (
                json_ld("{\"@type\":\"WebPage\",\"speakable\":{\"cssSelector\":[\"h1\"]}}"),
                vec!["speakable"],
            ),
            ("<h2>What is it?</h2><h2>Kaç para?</h2>".to_owned(), vec!["question-headings"]),
            ("<h2>What is it?</h2><h2>Price</h2>".to_owned(), vec![]),
            ("<form toolname=book tooldescription=x></form>".to_owned(), vec!["webmcp"]),
            ("<script>navigator.modelContext.registerTool({})</script>".to_owned(), vec!["webmcp"]),
        ] {
            let found = ids(&fixture(&format!("<!doctype html>{html}")));
            assert_eq!(found, expected, "{html}");
        }
    }

    #[test]
    fn links_in_the_header_count() {
        let page = |field: &str| ids(&fixture("<p>Text").header("link", field));
        assert_eq!(page("</llms.txt>; rel=describedby"), ["llms-txt"]);
        assert_eq!(page("</a.md>; rel=alternate; type=\"text/markdown\""), ["markdown-alternate"]);
        assert!(page("</a.md>; rel=next; type=\"text/markdown\"").is_empty());
    }

    #[test]
    fn what_robots_txt_says_beyond_access_is_listed() {
        for (robots, expected) in [
            ("", vec!["training-bots-allowed"]),
            ("User-agent: GPTBot\nDisallow: /\n", vec!["training-bots-blocked"]),
            (
                "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n",
                vec!["training-bots-allowed", "content-signal"],
            ),
            (
                "User-agent: VisibilityBot\nDisallow: /page\n",
                vec!["training-bots-allowed", "own-token-forbidden"],
            ),
        ] {
            assert_eq!(ids(&fixture("<p>Text").robots_txt(robots)), expected, "{robots}");
        }
        assert!(ids(&fixture("<p>Text").file()).is_empty());
        let header = fixture("<p>Text").header("content-signal", "ai-train=no");
        assert_eq!(ids(&header), ["content-signal"]);
    }
}
