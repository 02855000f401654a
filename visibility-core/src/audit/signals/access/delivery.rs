//! `delivery`: https, no detours, and a sitemap that lists the page.

use chrono::{DateTime, SecondsFormat, Utc};

use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::audit::snapshot::SitemapState;
use crate::fetch::page_url::is_loopback;
use crate::rubric::finding::{Detection as Seen, Evidence, Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};
use crate::text::escape;
use crate::text::excerpt::excerpt;
use crate::text::machine_date;
use crate::text::note::Note;

pub(super) const SIGNAL: Signal = Signal {
    id: "delivery",
    code: "AC05",
    pillar: Pillar::Access,
    weights: Weights {
        product: 20,
        collection: 20,
        article: 20,
        landing: 20,
        documentation: 25,
        forum: 40,
        listing: 25,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::All,
    outcomes: &[
        DIRECT,
        DETOURS,
        POOR,
        UNKNOWN,
        PLAIN_HTTP,
        REDIRECTS,
        UNLISTED,
        NO_LASTMOD,
        FUTURE_LASTMOD,
        SITEMAP_UNREAD,
        NO_SITEMAP,
        MOJIBAKE,
    ],
    sources: &[
        Spec { name: "Sitemaps", url: "https://www.sitemaps.org/protocol.html" },
        Spec {
            name: "Google: redirects",
            url: "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
        },
    ],
    evaluate,
};

const DIRECT: Outcome = Outcome::pass("direct");
const DETOURS: Outcome = Outcome::warn("detours");
const POOR: Outcome = Outcome::fail("poor");
const UNKNOWN: Outcome = Outcome::unknown("unknown");
const PLAIN_HTTP: Outcome = Outcome::fail("plain-http");
const REDIRECTS: Outcome = Outcome::warn("redirects");
const UNLISTED: Outcome = Outcome::warn("unlisted");
const NO_LASTMOD: Outcome = Outcome::warn("no-lastmod");
const FUTURE_LASTMOD: Outcome = Outcome::warn("future-lastmod");
const SITEMAP_UNREAD: Outcome = Outcome::unknown("sitemap-unread");
const NO_SITEMAP: Outcome = Outcome::not_applicable("no-sitemap");

const MOJIBAKE: Outcome = Outcome::warn("mojibake");

/// Tenths that https is worth.
const HTTPS: u32 = 4;
/// Tenths that few redirects are worth.
const FEW_REDIRECTS: u32 = 3;
/// Tenths that an entry of the sitemap is worth.
const LISTED: u32 = 3;
/// Redirects that cost nothing.
const FREE_REDIRECTS: usize = 1;

/// One part: whether it is earned, and what is to be said of it.
struct Part {
    weight: u32,
    /// `None` if the part does not count here.
    is_earned: Option<bool>,
    seen: Option<Seen>,
}

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let sitemap = sitemap(page);
    let needs_entry = sitemap.is_earned == Some(false);
    let parts = [https(page), redirects(page), sitemap];
    let counted = || parts.iter().filter(|part| part.is_earned.is_some());
    let possible: u32 = counted().map(|part| part.weight).sum();
    let earned: u32 =
        counted().filter(|part| part.is_earned == Some(true)).map(|part| part.weight).sum();
    let seen = || parts.iter().filter_map(|part| part.seen.clone()).chain(mojibake(page));
    if possible == 0 {
        let finding = seen().fold(Finding::new(UNKNOWN.detected()), Finding::with_detection);
        return ScoredFinding::unscored(finding);
    }
    let credit = Credit::from_share(f64::from(earned) / f64::from(possible));
    let decisive = credit.pick([DIRECT, DETOURS, POOR]).detected();
    let finding =
        seen().fold(Finding::new(decisive), Finding::with_detection).with_evidence(evidence(page));
    ScoredFinding::new(credit, finding).with_fix_if_any(if needs_entry {
        entry(page)
    } else {
        None
    })
}

/// UTF-8 that is declared to be something else. It costs nothing: readers that guess the character set read it well.
fn mojibake(page: &AuditedPage<'_>) -> Option<Seen> {
    let found = page.page().mojibake.as_ref()?;
    let seen = MOJIBAKE.with("charset", found.charset);
    Some(seen.with("shown", excerpt(&found.shown)).with("meant", excerpt(&found.meant)))
}

/// Does not count on the machine itself, nor of a file: nothing shows how that is served.
fn https(page: &AuditedPage<'_>) -> Part {
    let is_https = page
        .snapshot
        .location()
        .filter(|location| !is_loopback(location) && !page.snapshot.is_file())
        .map(|location| location.scheme() == "https");
    let seen = (is_https == Some(false)).then(|| PLAIN_HTTP.detected());
    Part { weight: HTTPS, is_earned: is_https, seen }
}

fn redirects(page: &AuditedPage<'_>) -> Part {
    let count = page.response.hops.len();
    let is_earned = (!page.snapshot.is_file()).then_some(count <= FREE_REDIRECTS);
    let seen = (is_earned == Some(false)).then(|| REDIRECTS.with("count", count));
    Part { weight: FEW_REDIRECTS, is_earned, seen }
}

fn sitemap(page: &AuditedPage<'_>) -> Part {
    let (is_earned, seen) = match &page.snapshot.sitemap {
        SitemapState::NotAsked => (None, None),
        SitemapState::Missing => (None, Some(NO_SITEMAP.detected())),
        SitemapState::Failed { url, .. } | SitemapState::Unread { url } => {
            (None, Some(SITEMAP_UNREAD.with("url", url)))
        }
        SitemapState::Unlisted { url } => (Some(false), Some(UNLISTED.with("url", url))),
        SitemapState::Listed { url, entry } => match entry.lastmod {
            Some(lastmod) if lastmod <= page.snapshot.taken_at => (Some(true), None),
            Some(lastmod) => {
                let day = lastmod.date_naive();
                (Some(false), Some(FUTURE_LASTMOD.with("url", url).with("date", day)))
            }
            None => (Some(false), Some(NO_LASTMOD.with("url", url))),
        },
    };
    Part { weight: LISTED, is_earned, seen }
}

/// The redirects, then the entry of the sitemap.
fn evidence(page: &AuditedPage<'_>) -> Vec<Evidence> {
    let hops = page.response.hops.iter().map(|hop| {
        Evidence::for_url(hop.url.as_str())
            .note(Note::new("redirect").with("status", hop.status))
            .quote(&format!("Location: {}", hop.location))
    });
    let entry = match &page.snapshot.sitemap {
        SitemapState::Listed { url, entry } => {
            let lastmod = entry.lastmod.map_or_else(|| "-".to_owned(), |date| date.to_rfc3339());
            let note = Note::verbatim(format!("lastmod {lastmod}"));
            Some(Evidence::for_url(url).quote(&entry.loc).note(note))
        }
        SitemapState::Unlisted { url } | SitemapState::Unread { url } => {
            Some(Evidence::for_url(url))
        }
        SitemapState::Failed { url, reason } => Some(Evidence::for_url(url).note(reason.clone())),
        SitemapState::Missing | SitemapState::NotAsked => None,
    };
    hops.chain(entry).collect()
}

/// The entry that the sitemap should have; a date that the page does not say is left out.
fn entry(page: &AuditedPage<'_>) -> Option<SnippetFix> {
    let location = escape::html(page.snapshot.location()?.as_str());
    let changed = changed(page).map(|date| date.to_rfc3339_opts(SecondsFormat::Secs, true));
    let mut inputs = Vec::new();
    let lastmod = page.or_gap(changed, "DATE", &mut inputs);
    let snippet = format!("<url>\n  <loc>{location}</loc>\n  <lastmod>{lastmod}</lastmod>\n</url>");
    Some(SnippetFix::new(Placement::Sitemap, SnippetLanguage::Xml, snippet).with_inputs(inputs))
}

/// When the page was changed last, as it says itself or its header does.
fn changed(page: &AuditedPage<'_>) -> Option<DateTime<Utc>> {
    let meta = page.page().metas("article:modified_time").next();
    let meta = meta.and_then(|meta| machine_date::instant(&meta.content));
    let header = || page.response.headers.first("last-modified");
    let date = meta.or_else(|| machine_date::instant(header()?))?;
    (date <= page.snapshot.taken_at).then_some(date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;
    use crate::audit::snapshot::PageSnapshot;

    const SITEMAP: &str = "https://example.com/sitemap.xml";

    fn page() -> PageSnapshot {
        fixture("<!doctype html><p>Text")
    }

    #[test]
    fn parts_that_cannot_be_known_do_not_count() {
        let url = || SITEMAP.to_owned();
        let unlisted = SitemapState::Unlisted { url: url() };
        let unread = SitemapState::Unread { url: url() };
        let plain = || page().at("http://example.com/page");
        for (page, outcome, credit) in [
            (page(), "direct", 1000),
            (page().listed(Some(3)), "direct", 1000),
            (page().listed(None), "detours", 700),
            (page().listed(Some(-3)), "detours", 700),
            (page().sitemap(unlisted.clone()), "detours", 700),
            (page().sitemap(unread), "direct", 1000),
            (page().after_redirects(1), "direct", 1000),
            (page().after_redirects(2), "detours", 571),
            (page().after_redirects(2).listed(Some(3)), "detours", 700),
            (plain(), "detours", 429),
            (plain().after_redirects(2), "poor", 0),
            (plain().at("http://localhost:8000/page"), "direct", 1000),
            (plain().at("http://127.0.0.1/page").sitemap(unlisted), "detours", 500),
        ] {
            let scored = page.read(&SIGNAL);
            let seen = scored.finding.detections()[0].outcome.id;
            assert_eq!((seen, scored.credit.unwrap().per_mille()), (outcome, credit));
        }
    }

    #[test]
    fn of_a_file_only_the_address_is_known() {
        let scored = page().file().read(&SIGNAL);
        assert_eq!(scored.credit, None);
        assert_eq!(scored.finding.detections()[0].outcome, UNKNOWN);
    }

    #[test]
    fn a_wrong_character_set_is_quoted_and_costs_nothing() {
        let html = "<p>Le Café à Besançon, c’est bon";
        let declared = |charset: &str| {
            fixture(html)
                .header("content-type", &format!("text/html; charset={charset}"))
                .listed(Some(3))
        };
        let scored = declared("iso-8859-1").read(&SIGNAL);
        let seen = scored.finding.detections();
        assert_eq!(seen.iter().map(|seen| seen.outcome).collect::<Vec<_>>(), [DIRECT, MOJIBAKE]);
        let values = format!("{:?}", seen[1]);
        assert!(values.contains("CafÃ©") && values.contains("Café"), "{values}");
        let right = declared("utf-8").read(&SIGNAL);
        assert_eq!(right.finding.detections().len(), 1);
        assert_eq!(scored.credit, right.credit);
        let article = format!("{html} <h2>Mojibake</h2>");
        let article = fixture(&article)
            .header("content-type", "text/html; charset=iso-8859-1")
            .listed(Some(3));
        assert_eq!(article.read(&SIGNAL).finding.detections().len(), 1, "it speaks of it");
    }

    #[test]
    fn the_fix_is_an_entry_with_the_date_that_the_page_says() {
        let unlisted = || SitemapState::Unlisted { url: SITEMAP.to_owned() };
        let dated =
            fixture("<meta property=article:modified_time content='2026-11-01T08:00:00+03:00'>");
        let fix = dated.at("https://example.com/a?b&c").sitemap(unlisted()).read(&SIGNAL).fix;
        assert_eq!(
            fix.unwrap().snippet,
            "<url>\n  <loc>https://example.com/a?b&amp;c</loc>\n  <lastmod>2026-11-01T05:00:00Z</lastmod>\n</url>"
        );
        let undated = page().sitemap(unlisted()).read(&SIGNAL).fix.unwrap();
        assert!(undated.snippet.contains("<lastmod>[DATE]</lastmod>"));
        assert_eq!(undated.placeholders(), ["[DATE]"]);
        let later = page().header("last-modified", "Fri, 01 Jan 2027 00:00:00 GMT");
        assert_eq!(later.sitemap(unlisted()).read(&SIGNAL).fix.unwrap().placeholders(), ["[DATE]"]);
    }
}
