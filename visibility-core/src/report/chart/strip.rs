//! Days as boxes, a row for each of several things.

use maud::{Markup, html};

use crate::report::chart::{Tone, position};
use crate::text::markup::shown;

/// A row of a strip.
#[derive(Clone, Copy, Debug)]
pub struct StripRow<'a> {
    /// What the row is about.
    pub label: &'a str,
    /// How each day was, the oldest first; `None` where nothing was seen.
    pub days: &'a [Option<Tone>],
}

const LABEL_WIDTH: u32 = 120;
const DAYS_WIDTH: u32 = 480;
const ROW_HEIGHT: u32 = 30;
const BOX_HEIGHT: u32 = 20;

/// Rows of days that end on the same day. The name and the description say what the picture shows.
pub fn strip(rows: &[StripRow<'_>], name: &str, description: &str) -> Markup {
    let days = rows.iter().map(|row| row.days.len()).max().unwrap_or_default();
    if days == 0 {
        return html! {};
    }
    let height = ROW_HEIGHT * u32::try_from(rows.len()).unwrap_or(u32::MAX / ROW_HEIGHT);
    html! {
        svg class="days" viewBox={ "0 0 " (LABEL_WIDTH + DAYS_WIDTH) " " (height) } role="img" {
            title { (shown(name)) }
            desc { (shown(description)) }
            @for (y, row) in (0_u32..).step_by(30).zip(rows) {
                text x="0" y=(y + 19) { (shown(row.label)) }
                @for (x, width, tone) in boxes(row, days) {
                    rect class=(tone.class()) x=(x) y=(y + (ROW_HEIGHT - BOX_HEIGHT) / 2) width=(width) height=(BOX_HEIGHT) rx="3" {}
                }
            }
        }
    }
}

/// The boxes of a row: where each begins, how wide it is, and its tone.
fn boxes(row: &StripRow<'_>, days: usize) -> Vec<(u32, u32, Tone)> {
    let missing = days - row.days.len();
    let seen =
        row.days.iter().enumerate().filter_map(|(day, tone)| Some((day + missing, (*tone)?)));
    seen.map(|(day, tone)| {
        let from = position(day, days, DAYS_WIDTH);
        let to = position(day + 1, days, DAYS_WIDTH);
        // A gap between boxes, where there is room for one.
        let width = to.saturating_sub(from);
        let width = if width > 4 { width - 2 } else { width.max(1) };
        (LABEL_WIDTH + from, width, tone)
    })
    .collect()
}
