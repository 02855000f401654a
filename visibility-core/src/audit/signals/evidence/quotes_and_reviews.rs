//! `quotes-and-reviews`: what others say, in their words and in numbers.

use serde_json::Value;

use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::prose::review;
use crate::audit::score::OTHER_LANGUAGE;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::audit::signals::sources::{C_SEO_BENCH, GEO};
use crate::page::content::{Block, BlockKind};
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::{Effort, Spec};

pub(super) const SIGNAL: Signal = Signal {
    id: "quotes-and-reviews",
    code: "EV05",
    pillar: Pillar::Evidence,
    weights: Weights {
        product: 20,
        collection: 10,
        article: 20,
        landing: 50,
        documentation: 0,
        forum: 0,
        listing: 0,
    },
    grade: Grade::C,
    effort: Effort::M,
    languages: KnownLanguages::All,
    outcomes: &[BOTH, QUOTED, REVIEWED, SOME, NONE, NO_QUOTE, NO_REVIEW],
    sources: &[
        GEO,
        C_SEO_BENCH,
        Spec {
            name: "Google: review snippets",
            url: "https://developers.google.com/search/docs/appearance/structured-data/review-snippet",
        },
    ],
    evaluate,
};

const BOTH: Outcome = Outcome::pass("both");
const QUOTED: Outcome = Outcome::pass("quoted");
const REVIEWED: Outcome = Outcome::pass("reviewed");
const SOME: Outcome = Outcome::warn("some");
const NONE: Outcome = Outcome::fail("none");
const NO_QUOTE: Outcome = Outcome::warn("no-quote");
const NO_REVIEW: Outcome = Outcome::warn("no-review");

/// What a quotation is worth where a rating is wanted, and the other way round.
const HALF: Credit = Credit::from_per_mille(500);

/// Characters of the text of a review that are looked for on the page.
const REVIEW_CHARS: usize = 40;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let quote = quote(page);
    let review = review(page);
    // Articles are more credible with quotes of people, products with reviews of buyers.
    let (of_review, of_quote) = match page.profiles().certain() {
        Some(Profile::Article) => (HALF, Credit::FULL),
        Some(Profile::Product | Profile::Collection) => (Credit::FULL, HALF),
        _ => (Credit::FULL, Credit::FULL),
    };
    let part = |is_there: bool, worth| if is_there { worth } else { Credit::NONE };
    let credit = part(review.is_some(), of_review).max(part(quote.is_some(), of_quote));
    let pass = match (&quote, &review) {
        (Some(_), Some(_)) => BOTH,
        (Some(_), None) => QUOTED,
        _ => REVIEWED,
    };
    let is_short = credit < Credit::PASS;
    // A quotation that verbs of speech introduce, or a count of reviews, may be there unread.
    if is_short && !KnownLanguages::Listed(review::SPEECH_LANGUAGES).include(page) {
        return ScoredFinding::unscored(Finding::new(OTHER_LANGUAGE.detected()));
    }
    let finding = Finding::new(credit.pick([pass, SOME, NONE]).detected())
        .with_detection_if_any((is_short && of_quote == Credit::FULL).then(|| NO_QUOTE.detected()))
        .with_detection_if_any(
            (is_short && of_review == Credit::FULL).then(|| NO_REVIEW.detected()),
        )
        .with_evidence(quote.into_iter().chain(review));
    ScoredFinding::new(credit, finding)
}

/// The first quotation: a block of its own, or one in the text with its speaker.
fn quote(page: &AuditedPage<'_>) -> Option<Evidence> {
    let blocks = &page.content.blocks;
    let is_long = |block: &Block| review::is_long_quotation(&block.text);
    let own = blocks.iter().find(|block| block.kind == BlockKind::Quote && is_long(block));
    own.map(|block| page.block(block))
        .or_else(|| {
            let mut found =
                blocks.iter().filter_map(|block| Some((review::quotation(&block.text)?, block)));
            found.next().map(|(text, block)| page.evidence(text, block.line, block.node))
        })
        .or_else(|| {
            let pairs = blocks.iter().zip(blocks.iter().skip(1));
            let is_quoted = |block: &Block| review::begins_quotation(&block.text) && is_long(block);
            let mut signed = pairs.filter(|(block, next)| {
                is_quoted(block)
                    && (review::is_signature(&next.text) || review::is_person(&next.text))
            });
            signed.next().map(|(block, _)| page.block(block))
        })
}

/// The first rating that readers see, or a review of the markup that they see too.
fn review(page: &AuditedPage<'_>) -> Option<Evidence> {
    let main =
        page.content.blocks.iter().find_map(|block| Some((review::rating(&block.text)?, block)));
    if let Some((text, block)) = main {
        return Some(page.evidence(text, block.line, block.node));
    }
    let visible = &page.page().visible_text;
    if let Some(text) = visible.lines().find_map(review::rating) {
        return Some(Evidence::from_response(page.response).quote(text));
    }
    let marked = page.markup.with_types(&["AggregateRating", "Review"]);
    marked.into_iter().find_map(|entity| {
        let is_shown = |key: &str| {
            let value = entity.object.get(key)?;
            let text = match value {
                Value::String(text) => text.trim().to_owned(),
                Value::Number(number) => number.to_string(),
                _ => return None,
            };
            is_visible_in(visible, &text).then_some(text)
        };
        let text = is_shown("ratingValue").or_else(|| is_shown("reviewBody"))?;
        Some(page.evidence(&text, entity.line, entity.node))
    })
}

/// Whether readers see a value: a text by its beginning, a number as a whole, unless it is one digit,
/// which is on every page.
fn is_visible_in(visible: &str, value: &str) -> bool {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
    if !is_number {
        let start: String = value.chars().take(REVIEW_CHARS).collect();
        return start.chars().count() == REVIEW_CHARS && visible.contains(&start);
    }
    let forms = [value.to_owned(), value.replace('.', ",")];
    let is_part = |ch: char| ch.is_alphanumeric() || matches!(ch, '.' | ',');
    value.len() > 1
        && forms.iter().any(|form| visible.split(|ch| !is_part(ch)).any(|word| word == form))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    const QUOTE: &str = "<blockquote>The kettle was ready before I had found my cup.</blockquote>";
    const SAID: &str =
        "<p>“Su ısıtıcısı ben fincanımı bulmadan hazırdı, inanamadım” dedi Ayşe Kaya.</p>";
    const SIGNED: &str =
        "<p>“The kettle was ready before I had found my cup.”</p><p>— Jane Doe</p>";
    const REVIEW: &str = "<p>4,7/5 (128 değerlendirme)</p>";

    #[test]
    fn quotations_and_reviews_are_found() {
        use Profile::{Article, Landing, Product};
        for (html, profile, credit, outcome) in [
            (format!("{QUOTE}{REVIEW}"), Product, 1000, "both"),
            (format!("{SAID}{REVIEW}"), Article, 1000, "both"),
            (REVIEW.to_owned(), Product, 1000, "reviewed"),
            (QUOTE.to_owned(), Product, 500, "some"),
            (SIGNED.to_owned(), Landing, 1000, "quoted"),
            (SIGNED.replace("— ", ""), Landing, 1000, "quoted"),
            (SIGNED.replace("— Jane Doe", "Read the whole story"), Landing, 0, "none"),
            (SAID.to_owned(), Article, 1000, "quoted"),
            (REVIEW.to_owned(), Article, 500, "some"),
            ("<p>Read our reviews and quotes.</p>".to_owned(), Product, 0, "none"),
            ("<p>Müşteri yorumları çok yakında burada.</p>".to_owned(), Landing, 0, "none"),
            (SIGNED.replace('“', "「").replace('”', "」"), Landing, 1000, "quoted"),
        ] {
            let html = format!("<main><h1>K2</h1>{html}</main>");
            let scored = fixture(&html).with_profile(profile).read(&SIGNAL);
            let outcome_found = scored.finding.detections()[0].outcome.id;
            assert_eq!(
                (scored.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{html}"
            );
        }
    }

    #[test]
    fn a_quotation_in_a_language_that_is_not_known_is_not_missed() {
        let greek = "Ο βραστήρας βράζει ένα λίτρο νερό σε τρία λεπτά και το κρατά ζεστό για μία ώρα. Το καπάκι \
            ανοίγει με το ένα χέρι, και η λαβή μένει δροσερή ακόμη και όταν το νερό είναι καυτό.";
        let read = |html: &str| {
            let page = fixture(html).with_profile(Profile::Article);
            let scored = evaluate(&page.audited());
            (scored.credit.map(Credit::per_mille), scored.finding.detections()[0].outcome.id)
        };
        assert_eq!(read(&format!("<main><h1>K2</h1><p>{greek}</p>")), (None, "other-language"));
        assert_eq!(
            read(&format!("<main><h1>K2</h1><p>{greek}</p>{QUOTE}")),
            (Some(1000), "quoted")
        );
    }

    #[test]
    fn a_rating_of_the_markup_counts_if_readers_see_it() {
        let page = |text: &str| {
            fixture(&format!(
                r#"<script type="application/ld+json">{{"@type":"Product","name":"K2","aggregateRating":
                {{"@type":"AggregateRating","ratingValue":"4.7","reviewCount":"12"}}}}</script><main><p>{text}</p></main>"#
            ))
            .with_profile(Profile::Product)
            .read(&SIGNAL)
            .credit
            .unwrap()
            .per_mille()
        };
        assert_eq!(page("Average 4,7 by customers"), 1000);
        assert_eq!(page("Average 14.72 by customers"), 0);
    }
}
