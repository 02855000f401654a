//! Dates of publication and of the last change.

use chrono::Days;

use super::{Compared, VisibleValue, right};
use crate::audit::facts::location::MarkupLocation;
use crate::audit::facts::main_entity::MainEntity;
use crate::audit::markup::{Day, dates, iso_day};
use crate::audit::page::AuditedPage;
use crate::audit::prose::date::{self, Label};
use crate::page::content::{Block, BlockKind, TimeContext};
use crate::page::json_ld::text_of;

/// Words of a block that can show a date of the page.
const MAX_LABEL_WORDS: usize = 20;
/// Blocks that are looked at.
const MAX_BLOCKS: usize = 5_000;

/// A date that the page shows.
struct VisibleDate<'a> {
    day: Day,
    text: &'a str,
    block: Option<&'a Block>,
    /// What the page says about the date: that of publication or of the last change.
    labels: Vec<Label>,
}

/// Compares the dates of the markup with those that the page shows with a label, if it shows any.
pub(super) fn compare<'a>(page: &'a AuditedPage<'_>, main: &MainEntity) -> Vec<Compared<'a>> {
    let seen = seen(page);
    [("datePublished", Label::Published), ("dateModified", Label::Modified)]
        .into_iter()
        .filter_map(|field| one(page, main, &seen, field))
        .collect()
}

fn one<'a>(
    page: &'a AuditedPage<'_>,
    main: &MainEntity,
    seen: &[VisibleDate<'a>],
    (property, label): (&'static str, Label),
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
    let shown = if seen.iter().any(|seen| is_near(seen.day)) {
        VisibleValue::Same
    } else {
        let other = seen.iter().find(|seen| seen.labels.contains(&label))?;
        VisibleValue::Other {
            text: other.text.to_owned(),
            block: other.block,
            right: right(property, other.day.to_string()),
        }
    };
    Some(Compared {
        property,
        markup: text,
        spot: MarkupLocation::find(page, main, property, value),
        shown,
    })
}

/// Dates of `time` elements and of short blocks. Those of others have no label.
fn seen<'a>(page: &'a AuditedPage<'_>) -> Vec<VisibleDate<'a>> {
    let mut found = Vec::new();
    for block in page.content.blocks.iter().take(MAX_BLOCKS) {
        let has_digit = block.text.bytes().any(|byte| byte.is_ascii_digit());
        if !has_digit || block.words() > MAX_LABEL_WORDS {
            continue;
        }
        let is_own = block.kind != BlockKind::Quote;
        let labeled: Vec<(Day, Label)> = date::find_labeled_dates(&block.text, page.language)
            .filter(|_| is_own)
            .map(|(date, label)| (date.day, label))
            .collect();
        found.extend(dates(&block.text).into_iter().map(|day| {
            let labels = labeled.iter().filter(|(own, _)| *own == day).map(|(_, label)| *label);
            VisibleDate { day, text: &block.text, block: Some(block), labels: labels.collect() }
        }));
    }
    for time in &page.content.times {
        let hinted =
            [(Label::Published, ["publish", "pubdate"]), (Label::Modified, ["updated", "modif"])];
        let is_own = time.is_main && time.place == TimeContext::Flow;
        let labels: Vec<Label> = hinted
            .iter()
            .filter(|(_, hints)| is_own && hints.iter().any(|hint| time.hints.contains(hint)))
            .map(|(label, _)| *label)
            .collect();
        let written = time.datetime.as_deref().and_then(iso_day);
        let days = written.into_iter().chain(dates(&time.text));
        found.extend(days.map(|day| VisibleDate {
            day,
            text: &time.text,
            block: None,
            labels: labels.clone(),
        }));
    }
    found
}
