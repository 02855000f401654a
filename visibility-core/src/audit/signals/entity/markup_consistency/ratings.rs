//! Ratings: their value, and how many there are.

use serde_json::{Map, Value};

use super::{Compared, VisibleValue, right};
use crate::audit::availability::folded;
use crate::audit::facts::location::MarkupLocation;
use crate::audit::facts::main_entity::MainEntity;
use crate::audit::markup::members;
use crate::audit::money::{UNIT, decimal, next_number};
use crate::audit::page::AuditedPage;
use crate::page::content::{Block, CovertSource};
use crate::page::json_ld::text_of;

/// Characters of a line that can be about a rating.
const MAX_LINE_CHARS: usize = 200;
/// Lines that are looked at.
const MAX_LINES: usize = 500;
/// Bytes beside a number that say what it is.
const MAX_NEAR_BYTES: usize = 40;
/// Numbers of a line that are looked at.
const MAX_NUMBERS: usize = 10;

/// Words of lines about ratings, folded.
const WORDS: [&str; 18] = [
    "rating",
    "rated",
    "review",
    "star",
    "out of",
    "vote",
    "puan",
    "degerlendirme",
    "yorum",
    "yildiz",
    "uzerinden",
    "oy",
    "musteri",
    "bewertung",
    "avis",
    "★",
    "⭐",
    "/5",
];
/// Words that follow a count, folded.
const COUNTED: [&str; 13] = [
    "review",
    "rating",
    "vote",
    "degerlendirme",
    "yorum",
    "oy",
    "bewertung",
    "avis",
    "owner",
    "customer",
    "buyer",
    "musteri",
    "kullanici",
];

/// The value and the count of the rating beside what the page shows.
pub(super) fn compare<'a>(page: &'a AuditedPage<'_>, main: &MainEntity) -> Vec<Compared<'a>> {
    let rating = main.object.get("aggregateRating").map(members).and_then(<[Value]>::first);
    let Some(rating) = rating.and_then(|value| page.markup.resolve(value)) else {
        return Vec::new();
    };
    let lines = lines(page);
    let value = property(rating, &["ratingValue"]).map(|found| value(page, main, &lines, found));
    let count = property(rating, &["reviewCount", "ratingCount"])
        .map(|found| count(page, main, &lines, found));
    value.into_iter().chain(count).collect()
}

/// A number of the rating.
#[derive(Clone, Copy)]
struct Number<'a> {
    property: &'static str,
    value: &'a Value,
    amount: i64,
}

fn property<'a>(rating: &'a Map<String, Value>, keys: &[&'static str]) -> Option<Number<'a>> {
    keys.iter().find_map(|key| {
        let value = rating.get(*key)?;
        let amount = decimal(&text_of(value, 4)?, 3)?;
        Some(Number { property: key, value, amount })
    })
}

/// A line about ratings.
struct Line<'a> {
    text: &'a str,
    block: Option<&'a Block>,
}

/// Lines that speak of ratings, those with a place first; labels of pictures too.
fn lines<'a>(page: &'a AuditedPage<'_>) -> Vec<Line<'a>> {
    let blocks =
        page.content.blocks.iter().map(|block| Line { text: &block.text, block: Some(block) });
    let visible = page.page().visible_text.lines().map(|text| Line { text, block: None });
    let labels =
        page.content.covert.iter().filter(|covert| covert.place == CovertSource::Attribute);
    let labels = labels.map(|covert| Line { text: &covert.text, block: None });
    let all = blocks.chain(visible).chain(labels).filter(|line| {
        line.text.len() <= MAX_LINE_CHARS * 4
            && line.text.bytes().any(|byte| byte.is_ascii_digit())
            && {
                let text = folded(line.text);
                WORDS.iter().any(|word| text.contains(word)) || text.split_whitespace().count() <= 3
            }
    });
    all.take(MAX_LINES).collect()
}

/// A number that a page shows, with what comes before and behind it on its line.
#[derive(Clone, Copy)]
struct NumberMatch<'a> {
    amount: i64,
    before: &'a str,
    behind: &'a str,
}

impl NumberMatch<'_> {
    /// Whether it says how many points there can be: `out of 5`, `/5`, `5 üzerinden`.
    fn is_scale(&self) -> bool {
        let before = folded(tail(self.before));
        let before = before.trim_end();
        before.ends_with('/') || before.ends_with("out of") || begins(self.behind, &["uzerinden"])
    }

    /// Whether it says how many points there are: `4.6 out of 5`, `4,6/5`, `5 üzerinden 4,6`, `4.6 ★`.
    fn is_rating(&self) -> bool {
        let is_whole = self.amount % UNIT == 0;
        let stars = !is_whole && begins(self.behind, &["★", "⭐", "star", "yildiz"]);
        let before = folded(tail(self.before));
        !self.is_scale()
            && self.amount <= 10 * UNIT
            && (stars
                || begins(self.behind, &["out of"])
                || is_over_scale(self.behind)
                || before.trim_end().ends_with("uzerinden"))
    }
}

/// Whether a slash and the number of points that there can be follow; not the rest of a date.
fn is_over_scale(behind: &str) -> bool {
    let scale = behind.trim_start().strip_prefix('/').map(str::trim_start).unwrap_or_default();
    let number = next_number(scale, 0).filter(|number| number.start == 0);
    number.is_some_and(|number| {
        let rest = scale.get(number.end..).unwrap_or_default();
        matches!(scale.get(number), Some("5" | "10")) && !rest.starts_with(['/', '-'])
    })
}

/// What all of several places state; `None` if they state different things, as those of several things
/// do.
fn agreed<'t, 'a>(
    mut stated: impl Iterator<Item = (i64, &'t Line<'a>)>,
) -> Option<(i64, &'t Line<'a>)>
where
    'a: 't,
{
    let first = stated.next()?;
    stated.all(|(amount, _)| amount == first.0).then_some(first)
}

/// The last characters before a number.
fn tail(text: &str) -> &str {
    text.get(text.floor_char_boundary(text.len().saturating_sub(MAX_NEAR_BYTES))..)
        .unwrap_or_default()
}

/// Whether a text begins with one of these, folded.
fn begins(text: &str, starts: &[&str]) -> bool {
    let near = text.get(..text.floor_char_boundary(MAX_NEAR_BYTES)).unwrap_or_default();
    let near = folded(near);
    starts.iter().any(|start| near.trim_start().starts_with(start))
}

/// Numbers of a line, in ten-thousandths.
fn numbers(text: &str) -> Vec<NumberMatch<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while found.len() < MAX_NUMBERS
        && let Some(number) = next_number(text, at)
    {
        at = number.end;
        let before = text.get(..number.start).unwrap_or_default();
        let behind = text.get(number.end..).unwrap_or_default();
        // A rating such as `4.625` is not a group of thousands, a count such as `1.234` is.
        let written = text.get(number).unwrap_or_default();
        let readings = [decimal(written, 2), decimal(written, 3)].into_iter().flatten();
        found.extend(readings.map(|amount| NumberMatch { amount, before, behind }));
    }
    found
}

fn value<'a>(
    page: &'a AuditedPage<'_>,
    main: &MainEntity,
    lines: &[Line<'a>],
    own: Number<'_>,
) -> Compared<'a> {
    // `4.63` may be shown as `4.6`.
    let is_own = |shown: i64| {
        shown == own.amount || (shown % UNIT != 0 && (own.amount - shown).abs() < UNIT / 20)
    };
    let shown = if lines.iter().any(|line| {
        numbers(line.text).iter().any(|number| is_own(number.amount) && !number.is_scale())
    }) {
        VisibleValue::Same
    } else {
        stated_rating(lines).map_or(VisibleValue::Nothing, |(amount, line)| VisibleValue::Other {
            text: line.text.to_owned(),
            block: line.block,
            right: right(own.property, tenths(amount)),
        })
    };
    compared(page, main, own, shown)
}

/// The rating that the lines agree on.
fn stated_rating<'l, 'a>(lines: &'l [Line<'a>]) -> Option<(i64, &'l Line<'a>)> {
    agreed(lines.iter().filter_map(|line| {
        let rating = numbers(line.text).into_iter().find(NumberMatch::is_rating)?;
        Some((rating.amount, line))
    }))
}

fn count<'a>(
    page: &'a AuditedPage<'_>,
    main: &MainEntity,
    lines: &[Line<'a>],
    own: Number<'_>,
) -> Compared<'a> {
    let shown = if lines.iter().any(|line| {
        numbers(line.text).iter().any(|number| {
            // `1.2K` is a rounded thousand.
            let is_rounded =
                number.behind.starts_with(['K', 'k']) || begins(number.behind, &["bin "]);
            let distance = number.amount.saturating_mul(1_000).abs_diff(own.amount);
            number.amount == own.amount
                || (is_rounded && distance.saturating_mul(20) <= own.amount.unsigned_abs())
        })
    }) {
        VisibleValue::Same
    } else {
        stated_count(lines).map_or(VisibleValue::Nothing, |(amount, line)| VisibleValue::Other {
            text: line.text.to_owned(),
            block: line.block,
            right: right(own.property, amount / UNIT),
        })
    };
    compared(page, main, own, shown)
}

/// The number of ratings that the lines agree on.
fn stated_count<'l, 'a>(lines: &'l [Line<'a>]) -> Option<(i64, &'l Line<'a>)> {
    agreed(lines.iter().filter_map(|line| {
        let count = numbers(line.text).into_iter().find(|number| {
            let near = number.behind.get(..number.behind.floor_char_boundary(MAX_NEAR_BYTES));
            let near = folded(near.unwrap_or_default());
            let mut words = near
                .split(|ch: char| !ch.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .take(2);
            let is_whole = number.amount % UNIT == 0;
            is_whole && words.any(|word| COUNTED.iter().any(|known| word.starts_with(known)))
        })?;
        Some((count.amount, line))
    }))
}

fn compared<'a>(
    page: &AuditedPage<'_>,
    main: &MainEntity,
    own: Number<'_>,
    shown: VisibleValue<'a>,
) -> Compared<'a> {
    let markup = text_of(own.value, 4).unwrap_or_default();
    Compared {
        property: own.property,
        markup,
        spot: MarkupLocation::find(page, main, own.property, own.value),
        shown,
    }
}

/// A rating as markup has it.
fn tenths(amount: i64) -> String {
    let digits = format!("{}.{:04}", amount / UNIT, amount % UNIT);
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}
