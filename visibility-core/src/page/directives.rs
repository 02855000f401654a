//! Directives of a page to crawlers: `<meta name=robots>` and `X-Robots-Tag`.

mod misread;

pub use self::misread::{Misread, misread};

use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

use chrono::{DateTime, Utc};

use crate::agents::{Agent, Registry};
use crate::fetch::Headers;
use crate::page::{MetaAttribute, NodeId, Page};
use crate::text::excerpt::excerpt;
use crate::text::machine_date;

/// One directive.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Directive {
    /// The product token that it is for, in lower case; `None` for every crawler.
    pub agent: Option<String>,
    /// Name in lower case: `noindex`, `max-snippet` ...
    pub name: String,
    /// Value of `max-snippet`, `unavailable_after` and the like, as written.
    pub value: Option<String>,
    /// Where it is.
    pub source: DirectiveSource,
    /// The content of the element, or the value of the field, as an excerpt.
    pub raw: String,
}

/// Where a directive is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DirectiveSource {
    /// A `<meta>` element.
    Meta {
        /// Line, counted from 1.
        line: usize,
        /// The element in the tree of the page.
        node: NodeId,
    },
    /// A header field.
    Header,
}

impl Directive {
    /// Whether it concerns an agent: it is for every crawler, or for a token of this one.
    pub fn concerns(&self, agent: &Agent) -> bool {
        let Some(token) = &self.agent else { return true };
        let mut own = std::iter::once(&agent.robots_token).chain(&agent.robots_token_aliases);
        own.any(|known| known.eq_ignore_ascii_case(token))
    }

    /// Whether it takes something away: `index`, `max-snippet:-1` and the like do not.
    pub fn is_restrictive(&self) -> bool {
        match self.name.as_str() {
            "max-snippet" | "max-video-preview" => self.value.as_deref() != Some("-1"),
            "max-image-preview" => {
                self.value.as_deref().is_some_and(|value| value.eq_ignore_ascii_case("none"))
            }
            name => RESTRICTIVE.contains(&name),
        }
    }

    /// When the page is to leave the index, for `unavailable_after`.
    pub fn ends(&self) -> Option<DateTime<Utc>> {
        let value = self.value.as_deref().filter(|_| self.name == DATE)?;
        machine_date::instant(value)
    }

    /// Whether it keeps the page out of an index.
    pub fn forbids_indexing(&self) -> bool {
        matches!(self.name.as_str(), "noindex" | "none")
    }
}

impl fmt::Display for Directive {
    /// Writes `max-snippet:0 (meta robots, line 7)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(value) = &self.value {
            write!(f, ":{value}")?;
        }
        match (self.source, &self.agent) {
            (DirectiveSource::Meta { line, .. }, agent) => {
                write!(f, " (meta {}, line {line})", agent.as_deref().unwrap_or("robots"))
            }
            (DirectiveSource::Header, Some(agent)) => write!(f, " (X-Robots-Tag: {agent})"),
            (DirectiveSource::Header, None) => f.write_str(" (X-Robots-Tag)"),
        }
    }
}

const RESTRICTIVE: [&str; 12] = [
    "noindex",
    "none",
    "nofollow",
    "nosnippet",
    "noarchive",
    "nocache",
    "noimageindex",
    "notranslate",
    "unavailable_after",
    "noai",
    "noimageai",
    "noml",
];

/// The directive whose value is a date, which may have commas.
const DATE: &str = "unavailable_after";

/// Directives that have a value behind a colon.
const WITH_VALUE: [&str; 4] =
    ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"];

/// Directives that are read of one page, and of one set of fields.
const MAX_DIRECTIVES: usize = 200;

/// The directives of a page and of the header that it came with.
pub fn all(page: &Page, headers: &Headers) -> Vec<Directive> {
    let mut directives = from_page(page);
    directives.extend(from_headers(headers));
    directives
}

/// The directives of the `<meta>` elements that are named `robots` or after a crawler; the first
/// 200.
pub fn from_page(page: &Page) -> Vec<Directive> {
    let mut directives = Vec::new();
    for meta in page.metas.iter().filter(|meta| meta.attribute == MetaAttribute::Name) {
        let agent = match meta.key.as_str() {
            "robots" => None,
            key if crawler_names().contains(key) => Some(key.to_owned()),
            _ => continue,
        };
        let raw = excerpt(&meta.content);
        for (name, value) in list(&meta.content, MAX_DIRECTIVES - directives.len()) {
            let (agent, raw) = (agent.clone(), raw.clone());
            let source = DirectiveSource::Meta { line: meta.line, node: meta.node };
            directives.push(Directive { agent, name, value, source, raw });
        }
    }
    directives
}

/// The directives of `X-Robots-Tag`. A value may begin with a product token and a colon; what
/// follows is for that crawler, until another token. The first 200.
pub fn from_headers(headers: &Headers) -> Vec<Directive> {
    let mut directives = Vec::new();
    for field in headers.all("x-robots-tag") {
        let mut agent = None;
        let raw = excerpt(field);
        for (name, value) in list(field, MAX_DIRECTIVES - directives.len()) {
            let (name, value) = match value {
                Some(value) if !WITH_VALUE.contains(&name.as_str()) => {
                    agent = (name != "*").then_some(name);
                    match list(&value, 1).into_iter().next() {
                        Some(first) => first,
                        None => continue,
                    }
                }
                value => (name, value),
            };
            let (agent, raw) = (agent.clone(), raw.clone());
            directives.push(Directive { agent, name, value, source: DirectiveSource::Header, raw });
        }
    }
    directives
}

/// The first members of a list, at most `max`: names in lower case, and what follows a colon.
/// A date goes on behind its commas.
fn list(text: &str, max: usize) -> Vec<(String, Option<String>)> {
    let mut members: Vec<(String, Option<String>)> = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        if let Some((name, Some(value))) = members.last_mut() {
            let is_date = |text: &str| {
                text.get(..DATE.len()).is_some_and(|start| start.eq_ignore_ascii_case(DATE))
            };
            if (is_date(name) || is_date(value)) && part.starts_with(|c: char| c.is_ascii_digit()) {
                value.push_str(", ");
                value.push_str(part);
                continue;
            }
        }
        if members.len() >= max {
            break;
        }
        let (name, value) = match part.split_once(':') {
            Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
            None => (part, None),
        };
        members.push((name.to_ascii_lowercase(), value));
    }
    members
}

/// Names of crawlers in lower case, as `<meta name>` may have them.
fn crawler_names() -> &'static BTreeSet<String> {
    static NAMES: OnceLock<BTreeSet<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let tokens = Registry::embedded()
            .agents
            .iter()
            .flat_map(|agent| {
                std::iter::once(&agent.robots_token)
                    .chain(&agent.robots_token_aliases)
                    .chain(&agent.robots_fallback)
                    .chain(&agent.user_agent_tokens)
            })
            .map(|token| token.to_ascii_lowercase());
        tokens.chain(["msnbot", "slurp", "otherbot"].map(str::to_owned)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Meta;

    fn header(values: &[&str]) -> Vec<String> {
        let headers: Headers = values.iter().map(|value| ("X-Robots-Tag", *value)).collect();
        from_headers(&headers).iter().map(ToString::to_string).collect()
    }

    fn meta(metas: &[(&str, &str)]) -> Vec<String> {
        let metas = metas.iter().zip(7..).map(|((key, content), line)| Meta {
            key: (*key).to_owned(),
            content: (*content).to_owned(),
            line,
            ..Meta::default()
        });
        let page = Page { metas: metas.collect(), ..Page::default() };
        from_page(&page).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn fields_name_directives_and_crawlers() {
        for (values, expected) in [
            (vec!["noindex"], vec!["noindex (X-Robots-Tag)"]),
            (
                vec!["NoIndex , nofollow", "max-snippet:0"],
                vec![
                    "noindex (X-Robots-Tag)",
                    "nofollow (X-Robots-Tag)",
                    "max-snippet:0 (X-Robots-Tag)",
                ],
            ),
            (
                vec!["Googlebot: noindex, max-snippet: 5, otherbot: nosnippet", "noarchive"],
                vec![
                    "noindex (X-Robots-Tag: googlebot)",
                    "max-snippet:5 (X-Robots-Tag: googlebot)",
                    "nosnippet (X-Robots-Tag: otherbot)",
                    "noarchive (X-Robots-Tag)",
                ],
            ),
            (
                vec!["unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT, noindex"],
                vec![
                    "unavailable_after:Wed, 25 Jun 2025 15:00:00 GMT (X-Robots-Tag)",
                    "noindex (X-Robots-Tag)",
                ],
            ),
            (
                vec!["bingbot: unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT"],
                vec!["unavailable_after:Wed, 25 Jun 2025 15:00:00 GMT (X-Robots-Tag: bingbot)"],
            ),
            (vec!["gptbot: max-snippet: 0"], vec!["max-snippet:0 (X-Robots-Tag: gptbot)"]),
            (vec!["*: noindex"], vec!["noindex (X-Robots-Tag)"]),
            (vec!["googlebot:", "", ","], vec![]),
        ] {
            assert_eq!(header(&values), expected, "{values:?}");
        }
    }

    #[test]
    fn elements_are_merged_and_other_names_are_left_alone() {
        assert_eq!(
            meta(&[
                ("robots", "index, NOARCHIVE"),
                ("googlebot", "noindex,nosnippet"),
                ("description", "noindex"),
                ("robots", "none"),
                ("gptbot", "noindex"),
            ]),
            [
                "index (meta robots, line 7)",
                "noarchive (meta robots, line 7)",
                "noindex (meta googlebot, line 8)",
                "nosnippet (meta googlebot, line 8)",
                "none (meta robots, line 10)",
                "noindex (meta gptbot, line 11)",
            ]
        );
    }

    #[test]
    fn a_long_list_is_cut_and_quoted_in_short() {
        let content = format!("noindex{}", ",a".repeat(30_000));
        let meta = |line| Meta {
            key: "robots".to_owned(),
            content: content.clone(),
            line,
            ..Meta::default()
        };
        let page = Page { metas: vec![meta(1), meta(2)], ..Page::default() };
        let headers: Headers =
            [("x-robots-tag", content.as_str()), ("x-robots-tag", "b")].into_iter().collect();
        for directives in [from_page(&page), from_headers(&headers)] {
            assert_eq!(directives.len(), 200);
            assert_eq!(directives.first().map(|d| d.name.as_str()), Some("noindex"));
            assert!(directives.iter().all(|d| d.raw.chars().count() == 200));
        }
    }

    #[test]
    fn a_directive_concerns_everybody_or_the_named_one() {
        let registry = Registry::embedded();
        let [google, bing] = ["googlebot", "bingbot"].map(|name| registry.find(name).unwrap());
        let headers: Headers =
            [("x-robots-tag", "noindex"), ("x-robots-tag", "googlebot: nosnippet")]
                .into_iter()
                .collect();
        let directives = from_headers(&headers);
        let concerned = |agent| directives.iter().filter(|d| d.concerns(agent)).count();
        assert_eq!((concerned(google), concerned(bing)), (2, 1));
    }

    #[test]
    fn only_what_takes_something_away_is_restrictive() {
        let headers: Headers = [(
            "x-robots-tag",
            "index, follow, all, max-snippet:-1, max-image-preview:large, max-snippet:0, none, \
             max-image-preview:none, noai",
        )]
        .into_iter()
        .collect();
        let restrictive: Vec<String> = from_headers(&headers)
            .iter()
            .filter(|directive| directive.is_restrictive())
            .map(|directive| directive.name.clone())
            .collect();
        assert_eq!(restrictive, ["max-snippet", "none", "max-image-preview", "noai"]);
    }
}
