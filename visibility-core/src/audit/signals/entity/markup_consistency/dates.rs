//! Dates of publication and of the last change.

use chrono::Days;

use super::{Compared, Shown, right};
use crate::audit::availability::folded;
use crate::audit::markup::{Day, MainEntity, Spot, dates, iso_day};
use crate::audit::page::AuditedPage;
use crate::json_ld::text_of;
use crate::page::content::Block;

/// Words of a block that can be a label with a date.
const MAX_LABEL_WORDS: usize = 20;
/// Blocks that are looked at.
const MAX_BLOCKS: usize = 5_000;

/// A date that the page shows.
struct Seen<'a> {
    day: Day,
    text: &'a str,
    block: Option<&'a Block>,
    /// What stands around it, folded.
    label: String,
}

/// The dates of the markup beside those that the page shows with a label, if it shows any.
pub(super) fn compare<'a>(page: &'a AuditedPage<'_>, main: &MainEntity) -> Vec<Compared<'a>> {
    let seen = seen(page);
    let fields: [(&'static str, &[&str]); 2] = [
        ("datePublished", &["publish", "posted", "yayin", "yayim"]),
        ("dateModified", &["updated", "modif", "guncel", "revised"]),
    ];
    fields
        .into_iter()
        .filter_map(|(property, labels)| one(page, main, &seen, (property, labels)))
        .collect()
}

fn one<'a>(
    page: &'a AuditedPage<'_>,
    main: &MainEntity,
    seen: &[Seen<'a>],
    (property, labels): (&'static str, &[&str]),
) -> Option<Compared<'a>> {
    let value = main.object.get(property)?;
    let text = text_of(value, 4)?;
    let own = iso_day(&text)?;
    let is_near = |day: Day| {
        // A time zone may move a date by a day.
        let (first, last) =
            (own.checked_sub_days(Days::new(1)), own.checked_add_days(Days::new(1)));
        first.is_none_or(|first| first <= day) && last.is_none_or(|last| day <= last)
    };
    let labeled = |seen: &&Seen<'_>| labels.iter().any(|label| seen.label.contains(label));
    let shown = if seen.iter().any(|seen| is_near(seen.day)) {
        Shown::Same
    } else {
        let other = seen.iter().find(labeled)?;
        Shown::Other {
            text: other.text.to_owned(),
            block: other.block,
            right: right(property, other.day.to_string()),
        }
    };
    Some(Compared { property, markup: text, spot: Spot::of(page, main, property, value), shown })
}

/// Dates of `time` elements and of short blocks.
fn seen<'a>(page: &'a AuditedPage<'_>) -> Vec<Seen<'a>> {
    let mut found = Vec::new();
    for block in page.content.blocks.iter().take(MAX_BLOCKS) {
        let has_digit = block.text.bytes().any(|byte| byte.is_ascii_digit());
        if has_digit && block.words() <= MAX_LABEL_WORDS {
            let label = folded(&block.text);
            let days = dates(&block.text).into_iter();
            found.extend(days.map(|day| Seen {
                day,
                text: &block.text,
                block: Some(block),
                label: label.clone(),
            }));
        }
    }
    for time in &page.content.times {
        let written = time.datetime.as_deref().and_then(iso_day);
        let days = written.into_iter().chain(dates(&time.text));
        found.extend(days.map(|day| Seen {
            day,
            text: &time.text,
            block: None,
            label: time.hints.clone(),
        }));
    }
    found
}
