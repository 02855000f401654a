//! `image-alternatives`: images say in words what they show.

use crate::audit::gap::{self, has_gap};
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::audit::signals::number;
use crate::page::content::Image;
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};
use crate::text::escape;
use crate::text::excerpt::excerpt;

pub(super) const SIGNAL: Signal = Signal {
    id: "image-alternatives",
    code: "ML01",
    pillar: Pillar::Media,
    weights: Weights {
        product: 20,
        collection: 40,
        article: 20,
        landing: 10,
        documentation: 20,
        forum: 10,
        listing: 20,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::All,
    outcomes: &[DESCRIBED, PARTLY_DESCRIBED, UNDESCRIBED, NO_IMAGES],
    sources: &[
        Spec { name: "HTML: alt", url: "https://html.spec.whatwg.org/multipage/images.html#alt" },
        Spec {
            name: "Google: images",
            url: "https://developers.google.com/search/docs/appearance/google-images",
        },
    ],
    evaluate,
};

const DESCRIBED: Outcome = Outcome::pass("described");
const PARTLY_DESCRIBED: Outcome = Outcome::warn("partly-described");
const UNDESCRIBED: Outcome = Outcome::fail("undescribed");
const NO_IMAGES: Outcome = Outcome::not_applicable("no-images");

/// Images that are quoted, and repaired in the fix.
const MAX_LISTED: usize = 10;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    // An empty `alt` says that an image is decoration, as HTML wants it.
    let is_decoration = |image: &&Image| image.alt.as_deref() == Some("");
    let images: Vec<&Image> =
        page.content.images.iter().filter(|image| !is_decoration(image)).collect();
    let empty = page.content.images.len() - images.len();
    if images.is_empty() {
        return ScoredFinding::unscored(Finding::new(NO_IMAGES.with("empty", empty)));
    }
    let is_described = |image: &&&Image| image.alt.as_deref().is_some_and(|alt| !has_gap(alt));
    let described = images.iter().filter(is_described).count();
    let credit = worth(images.len(), described);
    let outcome = credit.pick([DESCRIBED, PARTLY_DESCRIBED, UNDESCRIBED]);
    let decisive = outcome
        .with("count", images.len())
        .with("missing", images.len() - described)
        .with("empty", empty);
    let poor: Vec<&Image> = images.iter().filter(|image| !is_described(image)).copied().collect();
    let poor = poor.get(..poor.len().min(MAX_LISTED)).unwrap_or_default();
    let evidence = poor.iter().map(|image| evidence(page, image));
    let finding = Finding::new(decisive).with_evidence(evidence.collect::<Vec<_>>());
    let fix = (outcome != DESCRIBED && !poor.is_empty())
        .then(|| fix(page, poor).with_credit(worth(images.len(), described + poor.len())));
    ScoredFinding::new(credit, finding).with_fix_if_any(fix)
}

/// The credit of so many images, of which some have a text.
fn worth(count: usize, described: usize) -> Credit {
    Credit::ramp(number(described) / number(count), 0.3, 0.95)
}

fn evidence(page: &AuditedPage<'_>, image: &Image) -> Evidence {
    page.evidence(&format!("<img src=\"{}\">", image.src), image.line, image.node)
}

/// The images with their captions; without one, a person has to say what they show.
fn fix(page: &AuditedPage<'_>, images: &[&Image]) -> SnippetFix {
    let mut inputs = Vec::new();
    let snippet: Vec<String> = images
        .iter()
        .enumerate()
        .map(|(index, image)| {
            let src = escape::html(&excerpt(&image.src));
            let alt = if image.caption.is_empty() {
                let (text, input) = gap::numbered("ALT", index + 1, page.today());
                inputs.push(input);
                text
            } else {
                excerpt(&image.caption)
            };
            format!("<img src=\"{src}\" alt=\"{}\">", escape::html(&alt))
        })
        .collect();
    SnippetFix::new(Placement::InPlace, SnippetLanguage::Html, snippet.join("\n"))
        .with_inputs(inputs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn read(images: &str) -> ScoredFinding {
        let text = "Some words of text about these things. ".repeat(5);
        fixture(&format!("<!doctype html><main><h1>Kettle</h1><p>{text}</p>{images}</main>"))
            .read(&SIGNAL)
    }

    #[test]
    fn images_that_are_no_decoration_have_a_text() {
        let image = |alt: &str, count: usize| format!("<img src=/a.png {alt}>\n").repeat(count);
        for (images, outcome, credit) in [
            (String::new(), "no-images", None),
            (image("alt='A kettle'", 4), "described", Some(1000)),
            (image("alt=''", 4), "no-images", None),
            (image("alt=''", 4) + &image("", 1), "undescribed", Some(0)),
            (image("alt=''", 4) + &image("alt=kettle", 1), "described", Some(1000)),
            (image("", 4), "undescribed", Some(0)),
            (image("", 2) + &image("alt='A kettle'", 2), "partly-described", Some(308)),
            (image("role=presentation", 3), "no-images", None),
            (image("role=presentation", 3) + &image("alt=kettle", 1), "described", Some(1000)),
        ] {
            let scored = read(&images);
            let seen = scored.finding.detections()[0].outcome.id;
            assert_eq!((seen, scored.credit.map(Credit::per_mille)), (outcome, credit), "{images}");
        }
    }

    #[test]
    fn the_fix_takes_words_from_the_caption_alone() {
        let scored = read(
            "<img src='/a.png?x=1&amp;y=\"2\"'><figure><img src=/b.png><figcaption>Its <b>lid</b></figcaption></figure>",
        );
        let fix = scored.fix.unwrap();
        assert_eq!(
            fix.snippet,
            "<img src=\"/a.png?x=1&amp;y=&quot;2&quot;\" alt=\"[ALT_1]\">\n<img src=\"/b.png\" alt=\"Its lid\">"
        );
        assert_eq!(fix.placeholders(), ["[ALT_1]"]);
        assert_eq!(scored.finding.evidence().len(), 2);
        assert_eq!(read(&"<img src=/a.png>".repeat(50)).finding.evidence().len(), MAX_LISTED);
    }
}
