//! `freshness`: a date that says when the page was last true.

mod version;

use chrono::{NaiveDate, NaiveTime, TimeDelta};

use crate::audit::facts::author;
use crate::audit::facts::draft;
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::prose::date::Label;
use crate::audit::prose::{byline, date};
use crate::audit::score::OTHER_LANGUAGE;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::audit::signals::sources::WHAT_GETS_CITED;
use crate::page::content::{BlockKind, Time, TimeContext};
use crate::page::json_ld::text_of;
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};
use crate::text::escape;
use crate::text::locale::Values;

pub(super) const SIGNAL: Signal = Signal {
    id: "freshness",
    code: "EV06",
    pillar: Pillar::Evidence,
    weights: Weights {
        product: 40,
        collection: 20,
        article: 50,
        landing: 30,
        documentation: 40,
        forum: 80,
        listing: 60,
    },
    grade: Grade::B,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[
        FRESH,
        AGING,
        OLD,
        THREAD,
        VERSION,
        HEADER_ONLY,
        NONE,
        UNDATED_THREAD,
        CONFLICT,
        OLD_CONFLICT,
        FUTURE,
        UNDATED_PRODUCT,
    ],
    sources: &[
        WHAT_GETS_CITED,
        Spec {
            name: "Google: byline dates",
            url: "https://developers.google.com/search/docs/appearance/publication-dates",
        },
        Spec { name: "schema.org: dateModified", url: "https://schema.org/dateModified" },
    ],
    evaluate,
};

const FRESH: Outcome = Outcome::pass("fresh");
const AGING: Outcome = Outcome::warn("aging");
const OLD: Outcome = Outcome::warn("old");
/// A thread is as recent as its posts: no owner can change it.
const THREAD: Outcome = Outcome::warn("thread");
const VERSION: Outcome = Outcome::warn("version");
const HEADER_ONLY: Outcome = Outcome::warn("header-only");
const NONE: Outcome = Outcome::fail("none");
const UNDATED_THREAD: Outcome = Outcome::fail("undated-thread");
/// Shops rarely date the page of a thing: its price and its reviews say how recent it is.
const UNDATED_PRODUCT: Outcome = Outcome::not_applicable("undated-product");
const CONFLICT: Outcome = Outcome::warn("conflict");
const OLD_CONFLICT: Outcome = Outcome::fail("old-conflict");
const FUTURE: Outcome = Outcome::warn("future");

/// Languages whose months are known: in others, a page without a date may have one.
const DATED_LANGUAGES: KnownLanguages = KnownLanguages::Listed(&[
    "da", "de", "en", "es", "fr", "it", "ja", "ko", "nb", "nl", "nn", "no", "pl", "pt", "ru", "sv",
    "tr", "zh",
]);

/// Days up to which a date is worth so much.
const AGES: [(i64, f64); 3] = [(180, 1.0), (365, 0.8), (730, 0.5)];
/// What the version is worth that documentation without a date is about.
const VERSION_SHARE: f64 = 0.5;
/// What an older date, and the header field alone, are worth.
const LEAST: f64 = 0.3;
/// Days that markup and visible text may lie apart.
const MAX_APART: i64 = 30;
/// Dates that are shown.
const MAX_SHOWN: usize = 6;
/// Lines of the visible text that are looked at, and those around the heading that may have its date.
const MAX_LINES: usize = 20_000;
const LINES_ABOVE: usize = 5;
const LINES_BELOW: usize = 20;
const LINES_JUST_BELOW: usize = 6;
/// Blocks between the heading and a `<time>` without a label, and words of its block.
const MAX_BLOCKS_APART: usize = 10;
const MAX_BYLINE_WORDS: usize = 15;
/// Blocks in which the heading is looked for.
const MAX_BLOCKS: usize = 5_000;
/// Bytes of a block in which the label of a `<time>` is looked for.
const MAX_LABEL_BYTES: usize = 600;
/// `<time>` elements with such an attribute that may be those of one page.
const MAX_HINTED: usize = 2;
/// What a conflict leaves.
const CONFLICT_SHARE: f64 = 0.5;

/// Types whose dates are not those of the page.
const OTHERS: [&str; 10] = [
    "Answer",
    "AudioObject",
    "Comment",
    "Event",
    "ImageObject",
    "JobPosting",
    "Offer",
    "Question",
    "Review",
    "VideoObject",
];

/// Where a date is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum DateSource {
    Markup,
    /// In the text, with a label such as `Updated`.
    Labeled,
    /// In the text, without one.
    Visible,
}

/// A date of the page.
struct Dated {
    day: NaiveDate,
    source: DateSource,
    /// What it is said to be the date of.
    label: Option<Label>,
    place: Evidence,
}

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let (future, dates): (Vec<Dated>, Vec<Dated>) =
        all(page).into_iter().partition(|dated| is_future(page, dated.day));
    let future = future.first().map(|dated| FUTURE.with("date", dated.day));
    let Some(newest) = dates.iter().map(|dated| dated.day).max() else {
        return without_dates(page, future);
    };
    let days = (page.snapshot.taken_at.date_naive() - newest).num_days().max(0);
    let worth =
        AGES.into_iter().find(|(limit, _)| days <= *limit).map_or(LEAST, |(_, worth)| worth);
    let conflict = conflict(page, &dates);
    let is_thread = conflict.is_none() && page.profiles().is(Profile::Forum);
    let credit =
        Credit::from_share(if conflict.is_some() { worth * CONFLICT_SHARE } else { worth });
    let decisive = match conflict {
        Some((markup, visible)) => {
            let outcome = credit.pick([CONFLICT, CONFLICT, OLD_CONFLICT]);
            outcome.with("markup", markup).with("visible", visible)
        }
        None if worth >= 1.0 => FRESH.detected(),
        None if is_thread => THREAD.detected(),
        None if worth > LEAST => AGING.detected(),
        None => OLD.detected(),
    };
    let decisive = decisive.with("date", newest).with("days", days);
    let fix = fix(page, dates.iter().find(|dated| dated.day == newest));
    let mut shown = dates;
    shown.sort_by_key(|dated| std::cmp::Reverse(dated.day));
    shown.dedup_by(|one, other| one.place.excerpt == other.place.excerpt);
    // The newest ones, that beside the heading, and the oldest one.
    if shown.len() > MAX_SHOWN {
        let oldest = shown.pop();
        let visible = shown
            .iter()
            .position(|dated| dated.source == DateSource::Visible)
            .filter(|at| *at >= MAX_SHOWN - 2)
            .map(|at| shown.remove(at));
        shown.truncate(MAX_SHOWN - 2);
        shown.extend(visible.into_iter().chain(oldest));
    }
    let evidence = shown.into_iter().map(|dated| dated.place);
    let finding = Finding::new(decisive).with_detection_if_any(future).with_evidence(evidence);
    let scored = ScoredFinding::new(credit, finding);
    if credit >= Credit::PASS || is_thread { scored } else { scored.with_fix(fix) }
}

/// What the header field says, when the page says nothing.
fn without_dates(
    page: &AuditedPage<'_>,
    future: Option<crate::rubric::finding::Detection>,
) -> ScoredFinding {
    if let Some((version, place)) = version::of(page) {
        let finding = Finding::new(VERSION.with("version", version)).with_evidence([place]);
        let finding = finding.with_detection_if_any(future);
        return ScoredFinding::new(Credit::from_share(VERSION_SHARE), finding)
            .with_fix(fix(page, None));
    }
    if !DATED_LANGUAGES.include(page) {
        return ScoredFinding::unscored(Finding::new(OTHER_LANGUAGE.detected()));
    }
    let value = page.response.headers.first("last-modified").unwrap_or_default();
    let day = date::parse_machine_date(value, page.language).filter(|day| !is_future(page, *day));
    if page.profiles().is(Profile::Product) && future.is_none() {
        return ScoredFinding::unscored(Finding::new(UNDATED_PRODUCT.detected()));
    }
    let is_thread = page.profiles().is(Profile::Forum);
    let (credit, decisive) = match day {
        Some(day) => (Credit::from_share(LEAST), HEADER_ONLY.with("date", day)),
        None if is_thread => (Credit::NONE, UNDATED_THREAD.detected()),
        None => (Credit::NONE, NONE.detected()),
    };
    let header = day.map(|_| page.header("last-modified", value));
    let finding = Finding::new(decisive).with_detection_if_any(future).with_evidence(header);
    let scored = ScoredFinding::new(credit, finding);
    // The dates of a thread are those of its posts, which no line below the heading replaces.
    if is_thread { scored } else { scored.with_fix(fix(page, None)) }
}

/// Whether a day has begun nowhere on earth.
fn is_future(page: &AuditedPage<'_>, day: NaiveDate) -> bool {
    let first_begin = day.and_time(NaiveTime::MIN).and_utc() - TimeDelta::hours(14);
    first_begin > page.snapshot.taken_at
}

fn all(page: &AuditedPage<'_>) -> Vec<Dated> {
    let mut dates = from_markup(page);
    dates.extend(from_times(page));
    dates.extend(from_text(page));
    dates.extend(beside_heading(page).filter(|dated| !is_future(page, dated.day)));
    dates
}

/// `dateModified` and `datePublished` of what the page is, and their twins in `meta` elements.
fn from_markup(page: &AuditedPage<'_>) -> Vec<Dated> {
    let read = |text: &str| date::parse_machine_date(text, page.language);
    let own = page.markup.entities.iter().filter(|entity| !entity.is_a(&OTHERS));
    let entities = own.flat_map(|entity| {
        let keys = ["dateModified", "datePublished"].into_iter();
        keys.filter_map(|key| {
            let text = text_of(entity.object.get(key)?, 4)?;
            let quote = format!("{key}: {text}");
            let place = page.evidence(&quote, entity.line, entity.node);
            let label = Some(label_of_key(key));
            Some(Dated { day: read(&text)?, source: DateSource::Markup, label, place })
        })
    });
    let keys = ["article:modified_time", "og:updated_time", "article:published_time"].into_iter();
    let metas = keys.flat_map(|key| page.page().metas(key)).filter_map(|meta| {
        let quote = format!("{}: {}", meta.key, meta.content);
        let place = page.evidence(&quote, meta.line, meta.node);
        let label = Some(label_of_key(&meta.key));
        Some(Dated { day: read(&meta.content)?, source: DateSource::Markup, label, place })
    });
    entities.chain(metas).collect()
}

fn label_of_key(key: &str) -> Label {
    let is_change = ["modif", "updat"].iter().any(|part| key.to_ascii_lowercase().contains(part));
    if is_change { Label::Modified } else { Label::Published }
}

/// `<time>` elements that say what they are or are near the heading, and are not those of a review, a
/// comment or a quote.
fn from_times<'a>(page: &'a AuditedPage<'_>) -> impl Iterator<Item = Dated> + 'a {
    let blocks = page.content.blocks.iter();
    let heading =
        blocks.take(MAX_BLOCKS).position(|block| block.kind == BlockKind::Heading(1)).unwrap_or(0);
    let hinted = page.content.times.iter().filter(|time| is_hinted(time)).count();
    page.content.times.iter().filter_map(move |time| {
        // Of many, each is that of another page.
        let is_teaser = hinted > MAX_HINTED && is_hinted(time);
        let label = label(page, time).filter(|_| !is_teaser);
        let is_labeled = label.is_some();
        let block = page.content.blocks.get(time.block).filter(|_| time.is_main);
        let is_near = time.place == TimeContext::Flow
            && time.block.abs_diff(heading) <= MAX_BLOCKS_APART
            && block.is_none_or(|block| block.words() <= MAX_BYLINE_WORDS);
        if time.place == TimeContext::Foreign || !(is_labeled || time.is_main && is_near) {
            return None;
        }
        let text = time.datetime.as_deref().filter(|text| !text.is_empty()).unwrap_or(&time.text);
        let source = match (time.text.is_empty(), is_labeled) {
            (true, _) => DateSource::Markup,
            (false, true) => DateSource::Labeled,
            (false, false) => DateSource::Visible,
        };
        let place = page.evidence(text, time.line, time.node);
        Some(Dated { day: date::parse_machine_date(text, page.language)?, source, label, place })
    })
}

/// Whether the attributes of a `<time>` say so, outside of a list.
fn is_hinted(time: &Time) -> bool {
    let hints = ["modified", "updated", "published", "pubdate"];
    hints.iter().any(|hint| time.hints.contains(hint)) && time.place == TimeContext::Flow
}

/// What the attributes of a `<time>`, or the text before it, say that it is the date of.
/// In a list only the text can: attributes may be those of other pages.
fn label(page: &AuditedPage<'_>, time: &Time) -> Option<Label> {
    if is_hinted(time) {
        return Some(label_of_key(&time.hints));
    }
    let block = page.content.blocks.get(time.block).filter(|_| time.is_main)?;
    let before = block.text.find(&time.text).and_then(|at| block.text.get(..at));
    before.filter(|_| block.text.len() <= MAX_LABEL_BYTES).and_then(date::label_before)
}

/// Dates with a label such as `Updated`; those outside of the main content if it has none.
fn from_text(page: &AuditedPage<'_>) -> Vec<Dated> {
    let own = page.content.blocks.iter().filter(|block| block.kind != BlockKind::Quote);
    let blocks = own.flat_map(|block| {
        date::find_labeled_dates(&block.text, page.language).map(|(date, label)| Dated {
            day: date.day,
            source: DateSource::Labeled,
            label: Some(label),
            place: page.block(block),
        })
    });
    let found: Vec<Dated> = blocks.take(MAX_SHOWN).collect();
    if !found.is_empty() {
        return found;
    }
    let lines = page.page().visible_text.lines().flat_map(|line| {
        date::find_labeled_dates(line, page.language).map(move |(date, label)| Dated {
            day: date.day,
            source: DateSource::Labeled,
            label: Some(label),
            place: Evidence::from_response(page.response).quote(line),
        })
    });
    lines.take(MAX_SHOWN).collect()
}

/// The date of a line beside the heading that has nothing but a date, its label and the name of an author.
/// On pages that are of other kinds than these for certain, it may be that of something else.
fn beside_heading(page: &AuditedPage<'_>) -> Option<Dated> {
    let is_written =
        |profile| matches!(profile, Profile::Article | Profile::Documentation | Profile::Forum);
    if page.profiles().in_common(is_written) == Some(false) {
        return None;
    }
    let lines: Vec<&str> = page.page().visible_text.lines().take(MAX_LINES).collect();
    let at = author::heading_line(page, &lines).unwrap_or(0);
    let near = lines.iter().skip(at.saturating_sub(LINES_ABOVE)).take(LINES_ABOVE + LINES_BELOW);
    let is_article = page.profiles().is(Profile::Article);
    let just_below = || lines.iter().skip(at + 1).take(LINES_JUST_BELOW).filter(|_| is_article);
    let mut near = near.into_iter();
    let line = near
        .find(|line| byline::is_dateline(line, page.language))
        .or_else(|| just_below().find(|line| byline::is_signed_date(line, page.language)))?;
    let day = date::find_dates(line, page.language).find(date::DateMatch::has_day)?.day;
    let block = page.content.blocks.iter().find(|block| block.text == **line);
    let place =
        block.map_or_else(|| author::line_evidence(page, line, line), |block| page.block(block));
    Some(Dated { day, source: DateSource::Visible, label: None, place })
}

/// The newest date of the markup and the newest visible one of the same label, if that is near to none of the
/// markup. Posts of a thread have dates of their own.
fn conflict(page: &AuditedPage<'_>, dates: &[Dated]) -> Option<(NaiveDate, NaiveDate)> {
    if page.profiles().is(Profile::Forum) {
        return None;
    }
    let of = |source| dates.iter().filter(move |dated| dated.source == source);
    [Label::Modified, Label::Published].into_iter().find_map(|label| {
        let newest = |source| {
            of(source).filter(|dated| dated.label == Some(label)).map(|dated| dated.day).max()
        };
        let (markup, visible) = (newest(DateSource::Markup)?, newest(DateSource::Labeled)?);
        let is_near = |dated: &Dated| (dated.day - visible).num_days().abs() <= MAX_APART;
        (!of(DateSource::Markup).any(is_near)).then_some((markup, visible))
    })
}

/// The day of the last change: where readers see it, and in the markup that has another one. The day of
/// the page if that is not old, else a placeholder: only who changed the text knows it.
fn fix(page: &AuditedPage<'_>, newest: Option<&Dated>) -> SnippetFix {
    let is_old =
        |day: NaiveDate| (page.snapshot.taken_at.date_naive() - day).num_days() > AGES[0].0;
    let known = newest.map(|dated| dated.day).filter(|day| !is_old(*day));
    let mut inputs = Vec::new();
    let day = page.or_gap(known.map(|day| day.to_string()), "DATE", &mut inputs);
    let path = ["signals", SIGNAL.id, "template"];
    let label = draft::sentence(page, &path, &Values::new());
    let label = label.map(|label| format!("{} ", escape::html(&label))).unwrap_or_default();
    let snippet = format!("<p>{label}<time datetime=\"{day}\">{day}</time></p>");
    let mut fix = SnippetFix::new(Placement::Main, SnippetLanguage::Html, snippet);
    let has = |key: &str| page.markup.entities.iter().any(|entity| entity.object.contains_key(key));
    if has("dateModified") || has("datePublished") {
        let line = format!("\"dateModified\": \"{day}\"");
        fix = fix.and(SnippetFix::new(Placement::InPlace, SnippetLanguage::Json, line));
    }
    let times = ["article:modified_time", "article:published_time"];
    if times.into_iter().any(|key| page.page().metas(key).next().is_some()) {
        let [key, _] = times;
        let meta = format!("<meta property=\"{key}\" content=\"{day}\">");
        let old = page.page().metas(key).next();
        let old = old.and_then(|old| page.element(old.line, "meta", key));
        fix = fix.and(SnippetFix::in_head(meta, old));
    }
    fix.with_inputs(inputs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn markup(modified: &str) -> String {
        format!(
            r#"<script type="application/ld+json">{{"@type":"Article","dateModified":"{modified}"}}</script>"#
        )
    }

    #[test]
    fn a_thread_is_renewed_by_its_posts_alone() {
        let html = "<main><h1>Kettles</h1><p>Posted: <time datetime=2025-01-01>1 January 2025</time></p></main>";
        let read = |profile| {
            let scored = fixture(html).with_profile(profile).read(&SIGNAL);
            (scored.finding.detections()[0].outcome.id, scored.fix.is_some())
        };
        assert_eq!(read(Profile::Article), ("aging", true));
        assert_eq!(read(Profile::Forum), ("thread", false));
    }

    #[test]
    fn without_a_date_a_product_is_not_judged_and_a_thread_gets_no_line_to_paste() {
        let read = |profile| {
            let scored = fixture("<main><h1>Kettles</h1><p>Text</p></main>");
            let scored = scored.with_profile(profile).read(&SIGNAL);
            (scored.finding.detections()[0].outcome.id, scored.credit, scored.fix.is_some())
        };
        assert_eq!(read(Profile::Product), ("undated-product", None, false));
        assert_eq!(read(Profile::Forum), ("undated-thread", Some(Credit::NONE), false));
        assert_eq!(read(Profile::Article), ("none", Some(Credit::NONE), true));
    }

    #[test]
    fn the_newest_date_says_how_fresh_the_page_is() {
        for (html, credit, outcome) in [
            (markup("2026-11-01T10:00:00+03:00"), 1000, "fresh"),
            (markup("2026-11-21"), 1000, "fresh"),
            (markup("2026-01-01"), 800, "aging"),
            (markup("2025-06-01"), 500, "aging"),
            (markup("2020-06-01"), 300, "old"),
            (markup("2027-06-01"), 0, "none"),
            (markup("soon"), 0, "none"),
            ("<meta property=article:modified_time content=2026-11-01>".into(), 1000, "fresh"),
            (
                markup("x").replace("\"x\"", "{\"@type\":\"Date\",\"@value\":\"2026-11-01\"}"),
                1000,
                "fresh",
            ),
            (markup("x").replace("\"x\"", "[\"2026-11-01\"]"), 1000, "fresh"),
            (
                "<main><p>By A. <time datetime=2026-11-01>1 Nov</time></p></main>".into(),
                1000,
                "fresh",
            ),
            ("<main><p>Last updated: November 1, 2026</p></main>".into(), 1000, "fresh"),
            ("<main><p>Son güncelleme: 1 Kasım 2026</p></main>".into(), 1000, "fresh"),
            ("<main><p>Text</p></main><footer>Updated 1 Nov 2026</footer>".into(), 1000, "fresh"),
            ("<main><p>It happened on 1 November 2026</p></main>".into(), 0, "none"),
            ("<main><p>Text</p></main><footer>© 2026 Acme</footer>".into(), 0, "none"),
            (
                format!("{}<main><p>Updated: 2026-01-01</p></main>", markup("2026-11-01")),
                500,
                "conflict",
            ),
            (
                format!("{}<main><p>Updated: 2026-10-10</p></main>", markup("2026-11-01")),
                1000,
                "fresh",
            ),
            (
                format!("{}<main><p>Updated: 2020-01-01</p></main>", markup("2021-01-01")),
                150,
                "old-conflict",
            ),
            (
                format!("{}<main><p>Updated: 2024-12-01</p></main>", markup("2025-03-01")),
                250,
                "old-conflict",
            ),
            (String::new(), 0, "none"),
        ] {
            let scored = fixture(&html).read(&SIGNAL);
            let outcome_found = scored.finding.detections()[0].outcome.id;
            assert_eq!(
                (scored.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{html}"
            );
        }
    }

    #[test]
    fn a_date_beside_the_heading_is_that_of_the_page() {
        let read = |html: &str, kind| {
            let scored = fixture(html).with_profile(kind).read(&SIGNAL);
            (scored.credit.unwrap().per_mille(), scored.finding.evidence().first().cloned())
        };
        for line in [
            "November 1, 2026",
            "By Ada Lovelace - Nov 1, 2026",
            "1 Nov 2026 | 3 min read",
            "1 Nov 2026 | Orig",
            "Ada Lovelace1 November 2026",
        ] {
            let html = format!("<h1>Kettles</h1><div>{line}</div><p>They boil.");
            let (credit, place) = read(&html, Profile::Article);
            assert_eq!(credit, 1000, "{line}");
            assert!(place.is_some_and(|place| place.line.is_some()), "{line}");
            assert_eq!(read(&html, Profile::Listing).0, 0, "{line}");
        }
        let labelled = "<h1>Kettles</h1><div>Published Nov 1, 2026 Category</div><p>They boil.";
        assert_eq!(read(labelled, Profile::Listing).0, 1000);
        for line in ["Joined: 1 November 2026", "The fair is on November 1, 2026", "Nov 1, 2028"] {
            let html = format!("<h1>Kettles</h1><div>{line}</div><p>They boil.");
            assert_eq!(read(&html, Profile::Article).0, 0, "{line}");
        }
    }

    #[test]
    fn the_header_field_alone_is_a_weak_sign() {
        let read = |value: &str| {
            let scored = fixture("<p>x</p>").header("last-modified", value).read(&SIGNAL);
            (scored.credit.unwrap().per_mille(), scored.finding.detections()[0].outcome.id)
        };
        assert_eq!(read("Fri, 20 Nov 2026 10:00:00 GMT"), (300, "header-only"));
        assert_eq!(read("Fri, 20 Nov 2028 10:00:00 GMT"), (0, "none"));
        assert_eq!(read("nonsense"), (0, "none"));
    }

    #[test]
    fn documentation_may_say_its_version_instead() {
        let read = |html: &str, profile| {
            let scored = fixture(html).with_profile(profile).read(&SIGNAL);
            (scored.credit.unwrap().per_mille(), scored.finding.detections()[0].outcome.id)
        };
        let html =
            "<title>Fields - Kettle 5.1 documentation</title><main><h1>Fields</h1><p>x</p></main>";
        assert_eq!(read(html, Profile::Documentation), (500, "version"));
        assert_eq!(read(html, Profile::Article), (0, "none"));
        assert_eq!(read(&html.replace("5.1", "51"), Profile::Documentation), (0, "none"));
        let dated = format!("{}{html}", markup("2026-11-01"));
        assert_eq!(read(&dated, Profile::Documentation), (1000, "fresh"));
    }

    #[test]
    fn a_date_of_something_else_is_none() {
        let html = r#"<script type="application/ld+json">{"@type":"Product","name":"K2","review":
            {"@type":"Review","datePublished":"2026-11-01"}}</script>"#;
        let scored = fixture(html).with_profile(Profile::Article).read(&SIGNAL);
        assert_eq!(scored.credit, Some(Credit::NONE));
    }

    #[test]
    fn dates_of_others_are_neither_fresh_nor_in_conflict() {
        let updated = "<meta property=og:updated_time content=2026-11-10>";
        let review =
            "<main><h1>K2</h1><ol><li>Fine <time datetime=2024-01-05>5 January 2024</time></ol>";
        let shown =
            "<main><h1>K2</h1><p>It was shown on <time datetime=2019-05-01>May 1, 2019</time>";
        let study = "<main><h1>K2</h1><p>A study published on March 3, 2021 found that it is so";
        for (html, credit) in [
            (format!("{updated}{review}"), 1000),
            (format!("{updated}{shown}"), 1000),
            (format!("{updated}{study}"), 1000),
            (review.replace("2024", "2026").replace("01-05", "11-05"), 0),
            (review.replace("<ol>", "<div class=review>").replace("2024", "2026"), 0),
            (format!("{updated}<main><h1>K2</h1><p>Updated <time>1 May 2024</time>"), 500),
            (format!("<main><h1>K2</h1>{}<p><time>1 Nov 2026</time>", "<p>x</p>".repeat(30)), 0),
            (
                format!(
                    "<main>{}<p>Updated <time datetime=2026-11-01>today</time>",
                    "<p>x</p>".repeat(30)
                ),
                1000,
            ),
        ] {
            let scored = fixture(&html).read(&SIGNAL);
            assert_eq!(scored.credit.unwrap().per_mille(), credit, "{html}");
        }
    }

    #[test]
    fn a_date_to_come_is_named_and_not_counted() {
        let scored =
            fixture(&format!("{}{}", markup("2030-01-01"), markup("2026-11-01"))).read(&SIGNAL);
        assert_eq!(scored.credit, Some(Credit::FULL));
        assert_eq!(scored.finding.detections()[1].outcome.id, "future");
    }

    #[test]
    fn a_known_day_is_drafted_and_no_other() {
        let html = format!("{}<main><p>Updated: 2026-01-01</p></main>", markup("2026-11-01"));
        let fix = fixture(&html).read(&SIGNAL).fix.unwrap();
        assert!(
            fix.snippet.contains("<time datetime=\"2026-11-01\">") && fix.placeholders().is_empty()
        );
        let fix = fixture("<p>x</p>").read(&SIGNAL).fix.unwrap();
        assert!(fix.snippet.contains("<time datetime=\"[DATE]\">[DATE]</time>"));
        assert_eq!(fix.placeholders(), ["[DATE]"]);
    }
}
