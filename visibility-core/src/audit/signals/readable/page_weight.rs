//! `page-weight`: engines that cut pages off still reach the content.

use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::audit::signals::number;
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::{Effort, Spec};
use crate::text::note::Note;

pub(super) const SIGNAL: Signal = Signal {
    id: "page-weight",
    code: "RD05",
    pillar: Pillar::Readable,
    weights: Weights {
        product: 20,
        collection: 20,
        article: 20,
        landing: 20,
        documentation: 25,
        forum: 30,
        listing: 25,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::All,
    outcomes: &[LIGHT, HEAVY, TOO_HEAVY, MARKDOWN, NO_MARKDOWN],
    sources: &[Spec {
        name: "Google: limits of Googlebot",
        url: "https://developers.google.com/search/docs/crawling-indexing/googlebot",
    }],
    evaluate,
};

const LIGHT: Outcome = Outcome::pass("light");
const HEAVY: Outcome = Outcome::warn("heavy");
const TOO_HEAVY: Outcome = Outcome::fail("too-heavy");
const MARKDOWN: Outcome = Outcome::pass("markdown");
const NO_MARKDOWN: Outcome = Outcome::warn("no-markdown");

/// KiB of HTML that cost nothing, and from which on nothing is earned.
const LIGHT_KIB: f64 = 300.0;
const HEAVY_KIB: f64 = 2_000.0;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let bytes = page.page().html_bytes;
    let credit = Credit::ramp(number(bytes) / 1024.0, LIGHT_KIB, HEAVY_KIB).complement();
    let cost = page.tokens;
    let decisive = credit
        .pick([LIGHT, HEAVY, TOO_HEAVY])
        .with("kib", bytes.div_ceil(1024))
        .with("tokens", cost.html)
        .with("main_tokens", cost.main)
        .with("before_tokens", cost.before_main);
    let heavy = page.content.heavy.iter().map(|blob| {
        page.evidence(&blob.name, blob.line, blob.node)
            .note(Note::new("bytes").with("bytes", blob.bytes))
    });
    let whole =
        Evidence::from_response(page.response).note(Note::new("html-bytes").with("bytes", bytes));
    let mut finding = Finding::new(decisive);
    let mut version = None;
    if page.profiles().is(Profile::Documentation) {
        version = markdown_version(page);
        let missing = (version.is_none() && credit < Credit::PASS).then(|| NO_MARKDOWN.detected());
        let offered = version.is_some().then(|| MARKDOWN.detected());
        finding = finding.with_detection_if_any(offered.or(missing));
    }
    let evidence = std::iter::once(whole).chain(heavy).chain(version);
    ScoredFinding::new(credit, finding.with_evidence(evidence))
}

/// Where the page names a Markdown version of itself: a `<link rel=alternate>`, or a link to its own address with
/// `.md` at the end.
fn markdown_version(page: &AuditedPage<'_>) -> Option<Evidence> {
    let is_markdown =
        |kind: &str| kind.split(';').next().is_some_and(|kind| kind.trim() == "text/markdown");
    let mut alternates = page.page().links("alternate");
    let link = alternates.find(|link| link.media_type.as_deref().is_some_and(is_markdown));
    if let Some(link) = link {
        let quote =
            format!("<link rel=\"alternate\" type=\"text/markdown\" href=\"{}\">", link.href);
        return Some(page.evidence(&quote, link.line, link.node));
    }
    let location = page.snapshot.location()?;
    let own = location.path().trim_end_matches('/');
    let own = [own, own.trim_end_matches(".html")].map(|path| format!("{path}.md"));
    let resolve = page.page().resolver(&page.response.url);
    let named = page.page().anchors.iter().filter(|anchor| anchor.href.contains(".md"));
    let mut named = named.filter(|anchor| {
        resolve(&anchor.href).is_some_and(|url| {
            url.host_str() == location.host_str() && own.iter().any(|own| url.path() == own)
        })
    });
    named.next().map(|anchor| page.evidence(&anchor.href, anchor.line, anchor.node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;
    use crate::text::locale::{Catalog, Lang};

    fn read(kib: usize) -> ScoredFinding {
        let head = "<!doctype html><style>";
        let tail = "</style><main><p>Some text to read here.</p></main>";
        let filler = "a".repeat(1024 * kib - head.len() - tail.len());
        fixture(&format!("{head}{filler}{tail}")).read(&SIGNAL)
    }

    #[test]
    fn kibibytes_decide() {
        for (kib, outcome, credit) in [
            (1, "light", 1000),
            (300, "light", 1000),
            (1150, "heavy", 500),
            (1700, "too-heavy", 176),
            (2000, "too-heavy", 0),
        ] {
            let scored = read(kib);
            let seen = scored.finding.detections()[0].outcome.id;
            assert_eq!((seen, scored.credit.unwrap().per_mille()), (outcome, credit), "{kib}");
        }
    }

    #[test]
    fn documentation_names_its_markdown_version() {
        let filler = format!("<style>{}</style>", "a".repeat(900 * 1024));
        let read = |html: &str, profile| {
            let scored = fixture(html).with_profile(profile).read(&SIGNAL);
            scored.finding.detections().get(1).map(|seen| seen.outcome.id)
        };
        let link = "<link rel=alternate type=text/markdown href=/x.md><main><p>Text.</p></main>";
        let own = "<main><p>Text.</p><a href='/page.md'>Markdown</a></main>";
        let other = "<main><p>Text.</p><a href='/q.md'>Markdown</a></main>";
        assert_eq!(read(link, Profile::Documentation), Some("markdown"));
        assert_eq!(read(own, Profile::Documentation), Some("markdown"));
        assert_eq!(read(other, Profile::Documentation), None);
        assert_eq!(read(&format!("{filler}{other}"), Profile::Documentation), Some("no-markdown"));
        assert_eq!(read(&format!("{filler}{other}"), Profile::Article), None);
    }

    #[test]
    fn the_heaviest_parts_are_named() {
        let scored = read(400);
        let notes: Vec<_> =
            scored.finding.evidence().iter().map(|one| one.note.clone().unwrap()).collect();
        let notes: Vec<String> =
            notes.iter().map(|note| note.sentence(Catalog::for_lang(Lang::En))).collect();
        assert_eq!(notes[0], "409600 bytes of HTML");
        assert!(notes[1].ends_with(" bytes"), "{notes:?}");
        assert_eq!(scored.finding.evidence()[1].excerpt.as_deref(), Some("style"));
    }
}
