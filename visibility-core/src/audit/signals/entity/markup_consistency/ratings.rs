//! Ratings: their value, and how many there are.

use serde_json::{Map, Value};

use super::{Compared, Shown, right};
use crate::audit::availability::folded;
use crate::audit::markup::{MainEntity, Spot, members};
use crate::audit::money::{UNIT, decimal, next_number};
use crate::audit::page::AuditedPage;
use crate::json_ld::text_of;
use crate::page::content::{Block, CovertPlace};

/// Characters of a line that can be about a rating.
const MAX_LINE_CHARS: usize = 200;
/// Lines that are looked at.
const MAX_LINES: usize = 5_000;
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
const COUNTED: [&str; 8] =
    ["review", "rating", "vote", "degerlendirme", "yorum", "oy", "bewertung", "avis"];

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
    let labels = page.content.covert.iter().filter(|covert| covert.place == CovertPlace::Attribute);
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

/// Numbers of a line with what follows them, in ten-thousandths.
fn numbers(text: &str) -> Vec<(i64, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while found.len() < MAX_NUMBERS
        && let Some(number) = next_number(text, at)
    {
        at = number.end;
        // A rating such as `4.625` is no group of thousands, a count such as `1.234` is.
        let written = text.get(number.clone()).unwrap_or_default();
        let rest = text.get(number.end..).unwrap_or_default();
        found.extend(
            [decimal(written, 2), decimal(written, 3)]
                .into_iter()
                .flatten()
                .map(|amount| (amount, rest)),
        );
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
    let rounds = |shown: i64| {
        let step = if shown % UNIT == 0 { UNIT / 2 } else { UNIT / 20 };
        (own.amount - shown).abs() < step || own.amount == shown
    };
    let exact = lines.iter().flat_map(|line| numbers(line.text)).any(|(shown, _)| {
        shown <= 10 * UNIT && (shown == own.amount || (shown % UNIT != 0 && rounds(shown)))
    });
    let scales = |rest: &str| {
        let rest = folded(rest);
        let rest = rest.trim_start();
        rest.starts_with('/')
            || rest.starts_with("out of")
            || rest.starts_with('★')
            || rest.starts_with("star")
            || rest.starts_with("yildiz")
    };
    let stated = lines.iter().find_map(|line| {
        let (shown, _) = numbers(line.text)
            .into_iter()
            .find(|(amount, rest)| *amount <= 10 * UNIT && scales(rest))?;
        Some((shown, line))
    });
    let shown = match stated {
        _ if exact => Shown::Same,
        Some((shown, _)) if rounds(shown) => Shown::Same,
        Some((shown, line)) => Shown::Other {
            text: line.text.to_owned(),
            block: line.block,
            right: right(own.property, tenths(shown)),
        },
        None => Shown::Nothing,
    };
    compared(page, main, own, shown)
}

fn count<'a>(
    page: &'a AuditedPage<'_>,
    main: &MainEntity,
    lines: &[Line<'a>],
    own: Number<'_>,
) -> Compared<'a> {
    let is_own = |shown: i64, rest: &str| {
        // `1.2K` is a rounded thousand.
        let unit = if rest.starts_with(['K', 'k']) || folded(rest).trim_start().starts_with("bin") {
            1_000
        } else {
            1
        };
        shown == own.amount
            || (unit > 1
                && shown.saturating_mul(unit).abs_diff(own.amount).saturating_mul(20)
                    <= own.amount.unsigned_abs())
    };
    let exact =
        lines.iter().flat_map(|line| numbers(line.text)).any(|(shown, rest)| is_own(shown, rest));
    let counts = |rest: &str| {
        let rest = folded(rest);
        let words = rest.split(|ch: char| !ch.is_alphanumeric()).filter(|word| !word.is_empty());
        words.take(2).any(|word| COUNTED.iter().any(|known| word.starts_with(known)))
    };
    let stated = lines.iter().find_map(|line| {
        let (shown, _) = numbers(line.text)
            .into_iter()
            .find(|(amount, rest)| amount % UNIT == 0 && counts(rest))?;
        Some((shown, line))
    });
    let shown = match stated {
        _ if exact => Shown::Same,
        Some((shown, line)) => Shown::Other {
            text: line.text.to_owned(),
            block: line.block,
            right: right(own.property, shown / UNIT),
        },
        None => Shown::Nothing,
    };
    compared(page, main, own, shown)
}

fn compared<'a>(
    page: &AuditedPage<'_>,
    main: &MainEntity,
    own: Number<'_>,
    shown: Shown<'a>,
) -> Compared<'a> {
    let markup = text_of(own.value, 4).unwrap_or_default();
    Compared {
        property: own.property,
        markup,
        spot: Spot::of(page, main, own.property, own.value),
        shown,
    }
}

/// A rating as markup has it.
fn tenths(amount: i64) -> String {
    let digits = format!("{}.{:04}", amount / UNIT, amount % UNIT);
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}
