//! Pieces of what fixes offer to paste, filled from the site's own facts.

use std::collections::BTreeSet;

use url::Url;

use crate::documents::robots::RobotsState;
use crate::documents::sitemap::Sitemap;
use crate::fetch::{BodyEnd, Resource};
use crate::rubric::fix::{Edit, FileMode, Fix, Platform, ReplacedText};
use crate::scan::facts::platform;
use crate::scan::snapshot::{DocumentState, SiteSnapshot};
use crate::text::excerpt::excerpt;

/// Lines of robots.txt that a fix replaces one by one; with more it is the whole file.
const MAX_REPLACED_LINES: usize = 40;
/// Pages that a draft lists.
const MAX_PAGES: usize = 10;

/// Characters of visible text that replace a missing description.
const DESCRIPTION_CHARS: usize = 150;

/// Bytes of a line that is a sentence rather than an entry of a menu.
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
        excerpt(&beginning(text))
    })
}

/// The first sentences of a text that fit a description; the beginning of one that does not.
fn beginning(text: &str) -> String {
    let mut start = String::new();
    let mut end_of_sentence = 0;
    for word in text.split_whitespace() {
        if start.chars().count() + word.chars().count() >= DESCRIPTION_CHARS {
            match start.get(..end_of_sentence) {
                Some(sentences) if end_of_sentence > 0 => return sentences.to_owned(),
                _ => return start + "…",
            }
        }
        start.push_str(if start.is_empty() { "" } else { " " });
        start.push_str(word);
        if word.ends_with(['.', '!', '?', '。']) {
            end_of_sentence = start.len();
        }
    }
    start
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
        if title.is_empty() || !seen.insert(url.path().to_owned()) || is_gone(site, &url) {
            continue;
        }
        pages.push((title, url));
        if pages.len() == MAX_PAGES {
            break;
        }
    }
    pages
}

/// Whether this scan asked for a page, and it is not there.
fn is_gone(site: &SiteSnapshot, url: &Url) -> bool {
    let mut asked = site.exchanges().filter(|exchange| exchange.probe.url == *url);
    asked.any(|exchange| {
        exchange.result.as_ref().is_ok_and(|response| matches!(response.status, 404 | 410))
    })
}

/// Whether a page is for one visitor, by a whole segment of its path.
pub(crate) fn is_personal(url: &Url) -> bool {
    url.path().split('/').any(|segment| {
        let name = segment.split('.').next().unwrap_or_default();
        PERSONAL_SEGMENTS.iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// Lines of robots.txt: at the end of the file that there is, else in a new one that lets everyone in.
pub(crate) fn robots_lines(site: &SiteSnapshot, lines: &str) -> Edit {
    let robots = |mode, content: String| Edit::Robots { mode, content, replaces: None };
    match site.robots().state {
        RobotsState::Parsed | RobotsState::ParsedTruncated => {
            let known = served_robots(site);
            if let Some(served) = known.as_deref().filter(|_| is_robots_generated(site)) {
                return robots(FileMode::Create, with_line_end(served) + lines);
            }
            let ends_line = known.is_none_or(|served| served.ends_with(['\n', '\r']));
            let start = if ends_line { "" } else { "\n" };
            robots(FileMode::Append, format!("{start}{lines}"))
        }
        _ if lines.starts_with("User-agent:") => robots(FileMode::Create, lines.to_owned()),
        _ => robots(FileMode::Create, format!("User-agent: *\nAllow: /\n\n{lines}")),
    }
}

/// robots.txt without these lines, counted from 1, and with others at its end; `None` if the file
/// could not be read to its end.
pub(crate) fn robots_without(site: &SiteSnapshot, removed: &[usize], added: &str) -> Option<Edit> {
    robots_with(site, |lines| {
        let kept = lines.iter().enumerate().filter(|(index, _)| !removed.contains(&(index + 1)));
        kept.map(|(_, line)| (*line).to_owned()).chain(added.lines().map(str::to_owned)).collect()
    })
}

/// robots.txt with its lines rewritten; `None` if the file could not be read to its end.
///
/// A few lines are added at its end, or in the place of those that go; more are the whole file.
pub(crate) fn robots_with(
    site: &SiteSnapshot,
    rewrite: impl FnOnce(&[&str]) -> Vec<String>,
) -> Option<Edit> {
    let served = served_robots(site)?;
    let lines: Vec<&str> = served.lines().collect();
    let new = rewrite(&lines);
    let same = |pair: &(&str, &String)| pair.0 == pair.1.as_str();
    let start = lines.iter().copied().zip(&new).take_while(same).count();
    let most = lines.len().min(new.len()) - start;
    let backward = lines.iter().rev().copied().zip(new.iter().rev());
    let end = backward.take(most).take_while(same).count();
    let text =
        |lines: &[String]| -> String { lines.iter().flat_map(|line| [line, "\n"]).collect() };
    let added = new.get(start..new.len() - end).unwrap_or_default();
    let gone = lines.get(start..lines.len() - end).unwrap_or_default();
    if gone.is_empty() && end == 0 {
        return Some(robots_lines(site, &text(added)));
    }
    let is_short = gone.len() <= MAX_REPLACED_LINES;
    if !is_short || gone.is_empty() || served.contains('\r') || is_robots_generated(site) {
        return Some(Edit::Robots { mode: FileMode::Create, content: text(&new), replaces: None });
    }
    // With the end of its last line, so that nothing is left of lines that go.
    let text_of_lines = |lines: &[&str]| lines.join("\n") + "\n";
    let gone = text_of_lines(gone);
    let is_at_end = end == 0 && !served.ends_with('\n');
    let gone = if is_at_end { gone.trim_end_matches('\n').to_owned() } else { gone };
    let replaces = Some(ReplacedText { line: start + 1, content: gone });
    let content = text(added);
    Some(Edit::Robots { mode: FileMode::Replace, content, replaces })
}

/// robots.txt as it is served, where all of it was read.
fn served_robots(site: &SiteSnapshot) -> Option<String> {
    let response = site.response(&site.robots_resource())?;
    let is_whole =
        site.robots().state == RobotsState::Parsed && response.body_end == BodyEnd::Complete;
    is_whole.then(|| response.text().into_owned())
}

/// Whether robots.txt is probably made by a program, so that there is no file to which lines could be added.
/// A file of this name takes its place.
fn is_robots_generated(site: &SiteSnapshot) -> bool {
    matches!(platform::detect(site), Platform::WordPress | Platform::NextJs)
}

fn with_line_end(text: &str) -> String {
    let end = if text.is_empty() || text.ends_with(['\n', '\r']) { "" } else { "\n" };
    format!("{text}{end}")
}

/// The sitemap that a site lacks, and the line of robots.txt that names it.
///
/// The entries have no `lastmod`: when a page last changed is known to the site alone.
pub(crate) fn sitemap(site: &SiteSnapshot) -> Fix {
    let usual = format!("{}sitemap.xml", site.origin());
    let listed: Vec<(usize, Url)> = site
        .robots()
        .rules
        .sitemaps
        .iter()
        .filter_map(|record| Some((record.line, site.origin().join(record.value.trim()).ok()?)))
        .collect();
    let present = match site.document(&Resource::Sitemap) {
        DocumentState::Present(response) => {
            let cut = response.body_end != BodyEnd::Complete;
            let first = response.hops.first().map_or(&response.url, |hop| &hop.url);
            Sitemap::parse(&response.body, cut).is_ok().then(|| first.to_string())
        }
        _ => None,
    };
    let own = listed.iter().map(|(_, url)| url).find(|url| url.origin() == site.origin().origin());
    let url = present.clone().or_else(|| own.map(Url::to_string)).unwrap_or(usual);
    let mut fix = Fix::default();
    if present.is_none() {
        let path = Url::parse(&url).map(|url| url.path().to_owned()).unwrap_or_default();
        fix = fix.and(Edit::Document {
            path,
            media_type: "application/xml".to_owned(),
            content: sitemap_content(site),
        });
    }
    let line = format!("Sitemap: {url}\n");
    if listed.is_empty() {
        fix = fix.and(robots_lines(site, &line));
    } else if own.is_none() && present.is_none() {
        let lines: Vec<usize> = listed.iter().map(|(line, _)| *line).collect();
        fix.edits.extend(robots_without(site, &lines, &line));
    }
    fix
}

fn sitemap_content(site: &SiteSnapshot) -> String {
    let entries: String = own_pages(site)
        .into_iter()
        .map(|(_, url)| {
            let url = escaped(url.as_str());
            format!("  <url><loc>{url}</loc></url>\n")
        })
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{entries}</urlset>\n"
    )
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
    fn a_description_ends_with_a_sentence_or_says_that_it_goes_on() {
        let long = "We make durable measuring instruments. ".repeat(6);
        let text = beginning(&long);
        assert!(text.ends_with("instruments.") && text.chars().count() > 80, "{text}");
        let text = beginning(&"measuring ".repeat(40));
        assert!(text.ends_with("measuring…"), "{text}");
        assert_eq!(beginning("Short text"), "Short text");
    }

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
