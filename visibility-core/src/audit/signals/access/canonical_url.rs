//! `canonical-url`: the page names one canonical URL, its own.

use std::collections::BTreeMap;

use url::Url;

use crate::audit::address;
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, Weights};
use crate::fetch::link_header;
use crate::fetch::page_url::is_loopback;
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::fix::{Placement, ReplacedText};
use crate::rubric::{Effort, Spec};
use crate::text::escape;

pub(super) const SIGNAL: Signal = Signal {
    id: "canonical-url",
    code: "AC04",
    pillar: Pillar::Access,
    weights: Weights {
        product: 20,
        collection: 20,
        article: 20,
        landing: 20,
        documentation: 25,
        forum: 50,
        listing: 25,
    },
    grade: Grade::A,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[OWN, UNCOMPARED, SEVERAL, RELATIVE, OTHER, FIRST_PAGE, NONE, IN_BODY],
    sources: &[
        Spec { name: "RFC 6596", url: "https://www.rfc-editor.org/rfc/rfc6596" },
        Spec {
            name: "Google: canonical URLs",
            url: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
        },
    ],
    evaluate,
};

const OWN: Outcome = Outcome::pass("own");
const UNCOMPARED: Outcome = Outcome::pass("uncompared");
const SEVERAL: Outcome = Outcome::warn("several");
const RELATIVE: Outcome = Outcome::warn("relative");
const OTHER: Outcome = Outcome::warn("other");
const FIRST_PAGE: Outcome = Outcome::warn("first-page");
const NONE: Outcome = Outcome::fail("none");
const IN_BODY: Outcome = Outcome::fail("in-body");

/// Canonical URLs that are compared.
const MAX_CANONICALS: usize = 50;
/// Places that are quoted.
const MAX_QUOTED: usize = 5;

/// A canonical URL as it is written, and where.
struct Canonical {
    href: String,
    /// What it leads to, if anything.
    target: Option<Url>,
    evidence: Evidence,
    /// The element, as it is written.
    element: Option<ReplacedText>,
}

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let location = page.snapshot.location();
    let named = canonicals(page);
    let Some(first) = named.first() else {
        let ignored = page.page().links("canonical").find(|link| link.is_in_body);
        let seen = ignored.map_or_else(
            || NONE.detected(),
            |link| IN_BODY.with("url", &link.href).with("line", link.line),
        );
        let quote = ignored.map(|link| {
            let quote = format!("<link rel=\"canonical\" href=\"{}\">", link.href);
            page.evidence(&quote, link.line, link.node)
        });
        let finding = Finding::new(seen).with_evidence(quote);
        return ScoredFinding::new(Credit::NONE, finding).with_fix(link(page, None));
    };
    let targets: BTreeMap<String, &Url> = named
        .iter()
        .filter_map(|one| one.target.as_ref().map(|url| (address::normalized(url), url)))
        .collect();
    let (share, seen) = if targets.len() > 1 {
        (0.5, SEVERAL.with("count", targets.len()))
    } else if !first
        .target
        .as_ref()
        .is_some_and(|url| location.is_none_or(|location| is_own(url, location)))
    {
        let is_first = |location| leads_to_first_page(first.target.as_ref()?, location);
        match location.and_then(is_first) {
            Some(number) => (0.3, FIRST_PAGE.with("number", number).with("url", &first.href)),
            None => (0.3, OTHER.with("url", &first.href)),
        }
    } else if !named.iter().all(|one| Url::parse(&one.href).is_ok_and(|url| url.has_host())) {
        (0.5, RELATIVE.with("url", &first.href))
    } else if location.is_none() {
        (1.0, UNCOMPARED.with("url", &first.href))
    } else {
        (1.0, OWN.with("url", &first.href))
    };
    let is_good = seen.outcome.verdict == OWN.verdict;
    let evidence = named.iter().take(MAX_QUOTED).map(|one| one.evidence.clone());
    let finding = Finding::new(seen).with_evidence(evidence);
    let fix = (!is_good).then(|| {
        // Of several, all but one have to go, and the evidence shows them.
        let alone = if named.len() == 1 { first.element.as_ref() } else { None };
        match alone {
            Some(element) => link(page, Some(element.clone())),
            None => SnippetFix { placement: Placement::InPlace, ..link(page, None) },
        }
    });
    ScoredFinding::new(Credit::from_share(share), finding).with_fix_if_any(fix)
}

/// A page on the machine itself is a preview of the page it names.
fn is_own(canonical: &Url, location: &Url) -> bool {
    if !is_loopback(location) {
        return address::is_same(canonical, location);
    }
    let mut moved = location.clone();
    // These fail for URLs without a host, which no page has.
    let _ = moved.set_scheme(canonical.scheme());
    let _ = moved.set_host(canonical.host_str());
    let _ = moved.set_port(canonical.port());
    address::is_same(canonical, &moved)
}

/// The number of a page of a thread or a list, if its canonical URL is that of the first page.
fn leads_to_first_page(canonical: &Url, location: &Url) -> Option<u32> {
    let number = page_number(location).filter(|number| *number > 1)?;
    let is_first = page_number(canonical).is_none_or(|number| number == 1);
    let begins_alike = location.host() == canonical.host()
        && location.path().starts_with(canonical.path().trim_end_matches('/'));
    (is_first && begins_alike).then_some(number)
}

/// The number of a page in its address: `?page=2`, `/page/2`, `/page-2`.
fn page_number(url: &Url) -> Option<u32> {
    const NAMES: [&str; 5] = ["p", "page", "paged", "pg", "sayfa"];
    let in_query = url.query_pairs().find(|(name, _)| NAMES.contains(&name.as_ref()));
    if let Some((_, value)) = in_query {
        return value.parse().ok();
    }
    let mut segments = url.path_segments()?.rev().filter(|segment| !segment.is_empty());
    let last = segments.next()?;
    let number = NAMES.iter().find_map(|name| last.strip_prefix(name)?.strip_prefix('-'));
    let is_named = segments.next().is_some_and(|name| NAMES.contains(&name));
    number.or(is_named.then_some(last))?.parse().ok()
}

/// Canonical URLs of `<link>` elements, then of `Link` fields.
fn canonicals(page: &AuditedPage<'_>) -> Vec<Canonical> {
    let resolve = page.page().resolver(&page.response.url);
    let elements = page.page().canonicals().map(|link| {
        let quote = format!("<link rel=\"canonical\" href=\"{}\">", link.href);
        let element = page.element(link.line, "link", "canonical");
        (link.href.clone(), page.evidence(&quote, link.line, link.node), element)
    });
    let fields = page.response.headers.all("link").iter().map(String::as_str);
    let links = link_header::parse(fields)
        .into_iter()
        .filter(|link| link.anchor.is_none() && link.rels.iter().any(|rel| rel == "canonical"));
    let fields = links.map(|link| {
        let quote = format!("<{}>; rel=\"canonical\"", link.target);
        (link.target, page.header("Link", &quote), None)
    });
    let named = elements.chain(fields).filter(|(href, ..)| !href.is_empty()).take(MAX_CANONICALS);
    let canonical = |(href, evidence, element): (String, _, _)| Canonical {
        target: resolve(&href),
        href,
        evidence,
        element,
    };
    named.map(canonical).collect()
}

fn link(page: &AuditedPage<'_>, replaces: Option<ReplacedText>) -> SnippetFix {
    let location = page.snapshot.location().map(address::permanent);
    let mut inputs = Vec::new();
    let href = escape::html(&page.or_gap(location.map(String::from), "URL", &mut inputs));
    let snippet = format!("<link rel=\"canonical\" href=\"{href}\">");
    SnippetFix::in_head(snippet, replaces).with_inputs(inputs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;
    use crate::audit::snapshot::PageSnapshot;

    fn page(hrefs: &[&str]) -> PageSnapshot {
        let links: String =
            hrefs.iter().map(|href| format!("<link rel=canonical href='{href}'>\n")).collect();
        fixture(&format!("<!doctype html><head>{links}</head><p>Text"))
    }

    fn read(page: &PageSnapshot) -> (&'static str, u32) {
        let scored = page.read(&SIGNAL);
        (scored.finding.detections()[0].outcome.id, scored.credit.unwrap().per_mille())
    }

    #[test]
    fn one_absolute_url_of_the_page_itself_is_right() {
        for (hrefs, expected) in [
            (&["https://example.com/page"][..], ("own", 1000)),
            (&["HTTPS://EXAMPLE.COM:443/page/#x"], ("own", 1000)),
            (&["https://example.com/page", "https://example.com/page/"], ("own", 1000)),
            (&[], ("none", 0)),
            (&[""], ("none", 0)),
            (&["/page"], ("relative", 500)),
            (&["//example.com/page"], ("relative", 500)),
            (&["/other"], ("other", 300)),
            (&["https://example.com/"], ("other", 300)),
            (&["https://other.example/page"], ("other", 300)),
            (&["http://example.com/page"], ("other", 300)),
            (&["mailto:a@example.com"], ("other", 300)),
            (&["https://example.com/page", "https://example.com/b"], ("several", 500)),
        ] {
            assert_eq!(read(&page(hrefs)), expected, "{hrefs:?}");
        }
    }

    #[test]
    fn a_later_page_of_a_thread_is_no_copy_of_the_first() {
        let url = |text: &str| Url::parse(text).unwrap();
        for (location, canonical, expected) in [
            ("https://a.example/t/rye?page=3", "https://a.example/t/rye", Some(3)),
            ("https://a.example/t/rye?page=3", "https://a.example/t/rye?page=1", Some(3)),
            ("https://a.example/t/rye/page-2", "https://a.example/t/rye/", Some(2)),
            ("https://a.example/t/rye/page/2/", "https://a.example/t/rye/", Some(2)),
            ("https://a.example/t/rye?page=3", "https://a.example/t/rye?page=3", None),
            ("https://a.example/t/rye?page=1", "https://a.example/t/rye", None),
            ("https://a.example/t/rye?page=3", "https://a.example/t/oats", None),
            ("https://a.example/t/2", "https://a.example/t", None),
            ("https://a.example/t/rye?page=x", "https://b.example/t/rye", None),
        ] {
            let found = leads_to_first_page(&url(canonical), &url(location));
            assert_eq!(found, expected, "{location} {canonical}");
        }
    }

    #[test]
    fn one_element_is_quoted_and_of_several_the_evidence_shows_all() {
        let replaces = |hrefs: &[&str]| page(hrefs).read(&SIGNAL).fix.unwrap().replaces;
        let quoted = replaces(&["/page"]).unwrap();
        assert_eq!(
            (quoted.line, quoted.content.as_str()),
            (1, "<link rel=canonical href='/page'>")
        );
        assert_eq!(replaces(&["https://example.com/page", "https://example.com/b"]), None);
        assert_eq!(replaces(&[]), None);
    }

    #[test]
    fn the_link_field_counts_as_an_element_does() {
        let with = |hrefs: &[&str], field: &str| read(&page(hrefs).header("link", field));
        assert_eq!(with(&[], "<https://example.com/page>; rel=canonical"), ("own", 1000));
        assert_eq!(with(&["/page"], "</b>; rel=\"canonical\""), ("several", 500));
        assert_eq!(with(&[], "</b>; rel=next"), ("none", 0));
    }

    #[test]
    fn a_preview_on_the_machine_itself_may_name_its_later_host() {
        let at = |href: &str| read(&page(&[href]).at("http://localhost:3000/page"));
        assert_eq!(at("https://example.com/page/"), ("own", 1000));
        assert_eq!(at("https://example.com/other"), ("other", 300));
    }

    #[test]
    fn a_file_without_an_address_cannot_be_compared() {
        assert_eq!(read(&page(&["https://example.com/x"]).file()), ("uncompared", 1000));
        assert_eq!(read(&page(&[]).file()), ("none", 0));
        let fix = page(&[]).file().read(&SIGNAL).fix.unwrap();
        assert_eq!(fix.snippet, "<link rel=\"canonical\" href=\"[URL]\">");
        assert_eq!(fix.placeholders(), ["[URL]"]);
    }

    #[test]
    fn the_fix_names_the_final_url() {
        let fix = page(&["/b"]).at("https://example.com/page?a=1&b='2'").read(&SIGNAL).fix.unwrap();
        assert_eq!(
            fix.snippet,
            "<link rel=\"canonical\" href=\"https://example.com/page?a=1&amp;b=%272%27\">"
        );
    }
}
