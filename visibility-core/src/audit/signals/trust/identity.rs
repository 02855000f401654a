//! `identity`: who is behind the page.

use std::collections::BTreeMap;

use crate::audit::facts::draft;
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::prose::policy::TrustPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::page::Anchor;
use crate::rubric::finding::{Finding, Outcome};
use crate::rubric::{Effort, Spec};

pub(in crate::audit::signals) const SIGNAL: Signal = Signal {
    id: "identity",
    code: "TR01",
    pillar: Pillar::Trust,
    weights: Weights {
        product: 20,
        collection: 20,
        article: 50,
        landing: 20,
        documentation: 10,
        forum: 20,
        listing: 30,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::Listed(&[
        "en", "tr", "de", "fr", "es", "it", "pt", "nl", "pl", "zh", "ja",
    ]),
    outcomes: &[
        KNOWN,
        PARTIAL,
        PARTIAL_UNLINKED,
        HARDLY,
        ANONYMOUS,
        NO_AUTHOR,
        NO_LINKS,
        FEW_LINKS,
        FEW_PAGES,
    ],
    sources: &[Spec {
        name: "Google: helpful content",
        url: "https://developers.google.com/search/docs/fundamentals/creating-helpful-content",
    }],
    evaluate,
};

const KNOWN: Outcome = Outcome::pass("known");
const PARTIAL: Outcome = Outcome::warn("partial");
const PARTIAL_UNLINKED: Outcome = Outcome::warn("partial-unlinked");
const HARDLY: Outcome = Outcome::fail("hardly");
const ANONYMOUS: Outcome = Outcome::fail("anonymous");
const NO_AUTHOR: Outcome = Outcome::warn("no-author");
const NO_LINKS: Outcome = Outcome::warn("no-links");
const FEW_LINKS: Outcome = Outcome::warn("few-links");
const FEW_PAGES: Outcome = Outcome::warn("few-pages");

/// Kinds of links that are enough: where things are sold, on other pages of a business, and where people look something up
/// or write to each other.
const WANTED_OF_SHOP: u32 = 4;
const WANTED_OF_BUSINESS: u32 = 3;
const WANTED_OF_REFERENCE: u32 = 2;
/// What a named author, and any link, are worth on an article.
const AUTHOR: f64 = 0.6;
const LINKS: f64 = 0.4;
/// Characters of a link that is named.
const MAX_LINK_CHARS: usize = 25;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let links = links(page);
    let shown = links.values().map(|anchor| page.evidence(&anchor.text, anchor.line, anchor.node));
    let names: Vec<String> = links
        .values()
        .map(|anchor| {
            let text = if anchor.text.is_empty() { &anchor.href } else { &anchor.text };
            draft::shortened(text, MAX_LINK_CHARS)
        })
        .collect();
    let values =
        |outcome: Outcome| outcome.with("count", links.len()).with("links", names.join(", "));
    let fitting = |credit: Credit| match (credit.pick([KNOWN, PARTIAL, ANONYMOUS]), links.len()) {
        (PARTIAL, 0) => PARTIAL_UNLINKED,
        (ANONYMOUS, 1..) => HARDLY,
        (outcome, _) => outcome,
    };
    if !page.profiles().is(Profile::Article) {
        let wanted = wanted(page);
        let count = u32::try_from(links.len()).unwrap_or(u32::MAX);
        let credit = Credit::ramp(f64::from(count), 0.0, f64::from(wanted));
        let missing = if is_shop(page) { FEW_LINKS } else { FEW_PAGES };
        let few = (credit < Credit::PASS).then(|| missing.with("wanted", wanted));
        let finding = Finding::new(values(fitting(credit))).with_detection_if_any(few);
        return ScoredFinding::new(credit, finding.with_evidence(shown));
    }
    let author = page.author().map(|author| author.evidence.clone());
    let part = |is_there: bool, worth: f64| if is_there { worth } else { 0.0 };
    let credit =
        Credit::from_share(part(author.is_some(), AUTHOR) + part(!links.is_empty(), LINKS));
    let finding = Finding::new(values(fitting(credit)))
        .with_detection_if_any(author.is_none().then(|| NO_AUTHOR.detected()))
        .with_detection_if_any(links.is_empty().then(|| NO_LINKS.detected()))
        .with_evidence(author)
        .with_evidence(shown);
    ScoredFinding::new(credit, finding)
}

/// The first link to each page of trust that the kind of page should have: what is sent and given back is a matter of shops.
fn links<'a>(page: &'a AuditedPage<'_>) -> BTreeMap<TrustPage, &'a Anchor> {
    let mut links = BTreeMap::new();
    for (policy, at) in page.policies() {
        let is_of_shop =
            matches!(policy, TrustPage::Returns | TrustPage::Shipping | TrustPage::Warranty);
        if let Some(anchor) = page.page().anchors.get(*at)
            && (!is_of_shop || is_shop(page))
        {
            links.entry(*policy).or_insert(anchor);
        }
    }
    links
}

fn is_shop(page: &AuditedPage<'_>) -> bool {
    let sells = |profile| matches!(profile, Profile::Product | Profile::Collection).then_some(());
    page.profiles().in_common(sells).flatten().is_some()
}

/// How many kinds of links are enough.
fn wanted(page: &AuditedPage<'_>) -> u32 {
    if is_shop(page) {
        return WANTED_OF_SHOP;
    }
    let is_reference = [Profile::Documentation, Profile::Forum]
        .into_iter()
        .any(|profile| page.profiles().may_be(profile));
    if is_reference { WANTED_OF_REFERENCE } else { WANTED_OF_BUSINESS }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn read(html: &str, profile: Profile) -> (u32, &'static str) {
        let scored = fixture(html).with_profile(profile).read(&SIGNAL);
        (scored.credit.unwrap().per_mille(), scored.finding.detections()[0].outcome.id)
    }

    #[test]
    fn links_of_four_kinds_are_enough() {
        use Profile::{Documentation, Forum, Landing, Product};
        let english =
            "<footer><a href=/c>Contact</a><a href=/c2>Contact us</a><a href=/a>About us</a>";
        let more = "<a href=/p>Privacy</a><a href=/r>Returns</a>";
        let turkish = "<a href=/i>İletişim</a><a href=/h>Hakkımızda</a><a href=/g>Gizlilik</a>";
        assert_eq!(read(&format!("{english}{more}"), Product), (1000, "known"));
        assert_eq!(read(turkish, Landing), (1000, "known"));
        assert_eq!(read(english, Product), (500, "partial"));
        assert_eq!(read("<a href=/c>Contact</a>", Product), (250, "hardly"));
        // What is sent and given back is a matter of shops, and elsewhere fewer pages are enough.
        assert_eq!(
            read("<a href=/r>Returns</a><a href=/k>Shipping</a>", Landing),
            (0, "anonymous")
        );
        assert_eq!(
            read("<a href=/c>Contact</a><a href=/p>Privacy</a>", Documentation),
            (1000, "known")
        );
        assert_eq!(read("<a href=/c>Contact</a>", Forum), (500, "partial"));
        assert_eq!(read("<a href=/c>Kettles</a>", Landing), (0, "anonymous"));
    }

    #[test]
    fn articles_have_an_author() {
        let link = "<a href=/c>Contact</a>";
        for (html, expected) in [
            (format!("<meta name=author content='Jane Doe'>{link}"), (1000, "known")),
            (format!("<main><p>By Jane Doe, 21 November 2026</p></main>{link}"), (1000, "known")),
            (format!("<main><p>Yazar: Ayşe Kaya</p></main>{link}"), (1000, "known")),
            ("<main><p>Written by Jane Doe</p></main>".to_owned(), (600, "partial-unlinked")),
            (
                r#"<script type="application/ld+json">{"@type":"Article","author":[{"@type":"Person","name":"Jane Doe"}]}</script>"#
                    .to_owned(),
                (600, "partial-unlinked"),
            ),
            (format!("<meta name=author content=admin>{link}"), (400, "partial")),
            (format!("<main><p>By the way, it is so</p></main>{link}"), (400, "partial")),
            ("<meta property=article:author content='https://example.com/jane'>".to_owned(), (0, "anonymous")),
        ] {
            assert_eq!(read(&html, Profile::Article), expected, "{html}");
        }
    }
}
