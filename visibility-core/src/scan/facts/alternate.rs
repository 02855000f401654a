//! Markdown versions that a home page names.

use url::Url;

use crate::fetch::{Resource, Response};
use crate::page::Page;
use crate::scan::snapshot::{DocumentState, SiteSnapshot};
use crate::text::words;

/// Addresses that are read of either list.
const MAX_NAMED: usize = 20;

/// Where a server finds the home page in Markdown.
pub(crate) const HOME_FILE: &str = "/index.md";

/// That file, if it is there and has Markdown with text.
pub(crate) fn home_file(site: &SiteSnapshot) -> Option<&Response> {
    let DocumentState::Present(response) = site.document(&Resource::MarkdownFile) else {
        return None;
    };
    let text = response.text();
    let is_markdown = is_typed_markdown(response) || reads_like_markdown(&text);
    (is_markdown && has_text(&text)).then_some(response)
}

/// Targets of `rel=alternate` with the type of Markdown: of `Link` fields first, then of `<link>`.
pub(crate) fn advertised(site: &SiteSnapshot) -> Vec<Url> {
    let Some(home) = site.home() else { return Vec::new() };
    let header = site
        .home_links()
        .iter()
        .filter(|link| {
            link.rels.iter().any(|rel| rel == "alternate")
                && is_markdown(link.media_type.as_deref())
        })
        .map(|link| link.target.as_str());
    let elements = site.page().into_iter().flat_map(|page| {
        let resolve = page.resolver(&home.url);
        let typed = page.links("alternate").filter(|link| is_markdown(link.media_type.as_deref()));
        typed.filter_map(move |link| resolve(&link.href))
    });
    let header = header.filter_map(|target| home.url.join(target).ok()).filter(is_web);
    header.chain(elements).take(MAX_NAMED).collect()
}

/// Addresses of the site that end in `.md` and that the home page links to.
pub(crate) fn linked(site: &SiteSnapshot) -> Vec<Url> {
    let (Some(home), Some(page)) = (site.home(), site.page()) else { return Vec::new() };
    page.resolved_anchors(&home.url)
        .map(|(_, url)| url)
        .filter(|url| url.origin() == site.origin().origin() && has_markdown_suffix(url))
        .take(MAX_NAMED)
        .collect()
}

/// Whether a response says that it is Markdown.
pub(crate) fn is_typed_markdown(response: &Response) -> bool {
    is_markdown(Some(&response.media_type()))
}

/// Whether a text of no telling type is Markdown: a heading or a link, and no page of HTML.
pub(crate) fn reads_like_markdown(text: &str) -> bool {
    let marked = text.lines().any(|line| line.starts_with("# ") || line.starts_with("## "))
        || text.contains("](");
    marked && !is_mostly_tags(text)
}

/// Whether most lines of a text begin with a tag: HTML without its `<html>`.
///
/// Single elements are part of Markdown, so that one tag proves nothing.
pub(crate) fn is_mostly_tags(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (tags, all) = lines
        .fold((0, 0), |(tags, all), line| (tags + usize::from(begins_with_tag(line)), all + 1));
    tags * 2 > all
}

/// Words of a Markdown version that says something.
const MIN_WORDS: usize = 30;

/// Whether Markdown says something: 30 words in lines that are more than headings, links, pictures and front matter, and no
/// notice to enable JavaScript.
pub(in crate::scan) fn has_text(markdown: &str) -> bool {
    let body = markdown.trim_start();
    let front = body.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
    let body = front.map_or(body, |(_, after)| after);
    let (mut words, mut lines, mut last) = (0, 0, "");
    for line in body.lines().map(str::trim) {
        if line.starts_with('#') || begins_with_tag(line) || !has_words_beside_links(line) {
            continue;
        }
        words += words::count(line);
        lines += 1;
        last = line;
        // One line may be a notice.
        if words >= MIN_WORDS && lines > 1 {
            return true;
        }
    }
    let page = Page { visible_text: last.to_owned(), ..Page::default() };
    words >= MIN_WORDS && lines == 1 && page.requires_js_notice().is_none()
}

/// Whether a line says something besides its links and pictures.
fn has_words_beside_links(line: &str) -> bool {
    let has_word = |text: &str| words::count(text) > 0;
    if line.contains('[') { has_word(&without_links(line)) } else { has_word(line) }
}

/// A line without its links and pictures.
fn without_links(line: &str) -> String {
    let mut rest = line;
    let mut text = String::new();
    while let Some((before, link)) = rest.split_once('[') {
        text.push_str(before.trim_end_matches('!'));
        let Some((_, after)) = link.split_once("](").and_then(|(_, target)| target.split_once(')'))
        else {
            text.push_str(link);
            return text;
        };
        rest = after;
    }
    text + rest
}

/// `<` and a letter, `/` or `!`; `<https://example.com>` is a link of Markdown.
fn begins_with_tag(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('<') else { return false };
    let tag = rest.starts_with(|ch: char| ch.is_ascii_alphabetic() || ch == '/' || ch == '!');
    tag && !rest.starts_with("http:") && !rest.starts_with("https:")
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

fn is_markdown(media_type: Option<&str>) -> bool {
    matches!(media_type, Some("text/markdown" | "text/x-markdown"))
}

fn has_markdown_suffix(url: &Url) -> bool {
    let extension = url.path().rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|e| e.eq_ignore_ascii_case("md") || e.eq_ignore_ascii_case("markdown"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_elements_do_not_make_markdown_html() {
        let cases = [
            ("# Title\n\n<p align=\"center\">\nText\nMore text\n", false),
            ("<https://example.com>\n<https://example.org>\n", false),
            ("<div>\n<p>Text</p>\n</div>\n", true),
            ("<div><p>All in one line</p></div>", true),
            ("", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_mostly_tags(text), expected, "{text}");
        }
    }

    #[test]
    fn headings_and_links_alone_are_no_text() {
        let words = "We make instruments. ".repeat(MIN_WORDS / 3);
        for (markdown, expected) in [
            ("# App\n", false),
            ("---\ntitle: App\n---\n\n# App\n\n- [Home](/)\n![a](/a.png)\n", false),
            ("# App\n\nYou need to enable JavaScript to run this app.\n", false),
            ("# App\n\nText.\n", false),
            (&format!("# App\n\n{words}.\n"), true),
            (&format!("# App\n\nSee [the guide](/guide) first. {words}\n"), true),
            (&format!("An [open bracket {words}"), true),
        ] {
            assert_eq!(has_text(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn plain_words_are_not_markdown() {
        assert!(reads_like_markdown("# Title\n\nText\n"));
        assert!(reads_like_markdown("See [here](/a).\n"));
        assert!(!reads_like_markdown("Not found\n"));
    }
}
