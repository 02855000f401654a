//! Stacked bars over time.

use maud::{Markup, html};

use crate::report::chart::{axis, position};
use crate::text::locale::Lang;
use crate::text::markup::shown;
use crate::text::number::grouped;

/// Bars of one chart.
#[derive(Clone, Debug)]
pub struct BarChart<'a> {
    /// What the chart shows.
    pub title: &'a str,
    /// What can be seen in it, in a sentence.
    pub description: &'a str,
    /// What the bars are made of, the lowest part first.
    pub series: &'a [Series<'a>],
    /// The bars, the oldest first.
    pub bars: &'a [Bar<'a>],
    /// What happened in between.
    pub marks: &'a [Mark<'a>],
    /// What the series beyond the eighth are together.
    pub rest: &'a str,
    /// The language of its numbers.
    pub lang: Lang,
}

/// A part that every bar has.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// A class of the style sheet, such as `s-search`.
    pub class: &'a str,
    /// Its name.
    pub label: &'a str,
}

/// A bar.
#[derive(Clone, Debug)]
pub struct Bar<'a> {
    /// What is below it, such as a day.
    pub label: &'a str,
    /// A value for each series.
    pub values: Vec<u64>,
}

/// An event before a bar.
#[derive(Clone, Copy, Debug)]
pub struct Mark<'a> {
    /// The index of the bar.
    pub bar: usize,
    /// What happened.
    pub label: &'a str,
}

/// Series that are drawn apart; what is left is one more.
const MAX_SERIES: usize = 8;
/// Bars that are drawn apart; of more, neighbors become one.
const MAX_BARS: usize = 500;
/// Labels below the bars.
const MAX_LABELS: usize = 6;

const LEFT: u32 = 46;
const WIDTH: u32 = 1034;
const TOP: u32 = 10;
const HEIGHT: u32 = 240;
const BOTTOM: u32 = TOP + HEIGHT;

/// Draws the bars, with what they are made of below them.
pub fn bars(chart: &BarChart<'_>) -> Markup {
    let columns = columns(chart.bars);
    let highest = columns.iter().map(Column::sum).max().unwrap_or_default();
    let lines = axis::lines(highest);
    let top = lines.last().copied().unwrap_or(1);
    html! {
        div.plot tabindex="0" role="group" aria-label=(shown(chart.title)) {
            svg viewBox={ "0 0 " (LEFT + WIDTH) " 280" } role="img" {
                title { (shown(chart.title)) }
                desc { (shown(chart.description)) }
                @for line in &lines {
                    @let y = BOTTOM - height(*line, top);
                    line class="grid" x1=(LEFT) x2=(LEFT + WIDTH) y1=(y) y2=(y) {}
                    text class="end" x=(LEFT - 10) y=(y + 4) { (axis::short(*line)) }
                }
                @for (index, column) in columns.iter().enumerate() {
                    (bar(column, index, columns.len(), chart, top))
                }
                (marks(chart))
            }
        }
        ul.legend {
            @for (index, series) in chart.series.iter().take(MAX_SERIES).enumerate() {
                (legend(series.class, series.label, &number(total(&columns, index), chart)))
            }
            @if chart.series.len() > MAX_SERIES {
                (legend(REST, chart.rest, &number(total(&columns, MAX_SERIES), chart)))
            }
        }
    }
}

/// The class of what is left after the eighth series.
const REST: &str = "s-rest";

/// Bars that are drawn as one.
struct Column<'a> {
    first: &'a str,
    last: &'a str,
    /// The values of the series that are drawn apart, and the sum of the others.
    values: [u128; MAX_SERIES + 1],
}

impl Column<'_> {
    fn sum(&self) -> u128 {
        self.values.iter().sum()
    }

    fn label(&self) -> String {
        if self.first == self.last {
            self.first.to_owned()
        } else {
            format!("{} – {}", self.first, self.last)
        }
    }
}

fn columns<'a>(bars: &'a [Bar<'a>]) -> Vec<Column<'a>> {
    let together = bars.len().div_ceil(MAX_BARS).max(1);
    let chunks = bars.chunks(together).filter_map(|chunk| {
        let mut values = [0; MAX_SERIES + 1];
        for (index, value) in chunk.iter().flat_map(|bar| bar.values.iter().enumerate()) {
            if let Some(sum) = values.get_mut(index.min(MAX_SERIES)) {
                *sum += u128::from(*value);
            }
        }
        Some(Column { first: chunk.first()?.label, last: chunk.last()?.label, values })
    });
    chunks.collect()
}

fn total(columns: &[Column<'_>], series: usize) -> u128 {
    columns.iter().filter_map(|column| column.values.get(series)).sum()
}

/// A number with marks between thousands, in the language of the chart.
fn number(number: u128, chart: &BarChart<'_>) -> String {
    grouped(u64::try_from(number).unwrap_or(u64::MAX), chart.lang)
}

fn legend(class: &str, label: &str, total: &str) -> Markup {
    html! {
        li { span class={ "dot " (class) } {} (shown(label)) " " b { (total) } }
    }
}

/// One bar in its parts, with its numbers under the pointer.
fn bar(column: &Column<'_>, index: usize, count: usize, chart: &BarChart<'_>, top: u128) -> Markup {
    let from = LEFT + position(index, count, WIDTH);
    let space = LEFT + position(index + 1, count, WIDTH) - from;
    let gap = space / 5;
    let (x, width) = (from + gap / 2, (space - gap).max(1));
    let classes = chart.series.iter().take(MAX_SERIES).map(|series| series.class);
    let classes = classes.chain((chart.series.len() > MAX_SERIES).then_some(REST));
    let mut sum = 0;
    let mut parts = Vec::new();
    for (class, value) in classes.zip(column.values) {
        // Both ends are rounded, so that no gap is between two parts.
        let below = height(sum, top);
        sum += value;
        let above = height(sum, top);
        if above > below {
            parts.push((class, BOTTOM - above, above - below));
        }
    }
    let is_labelled = index.is_multiple_of(count.div_ceil(MAX_LABELS).max(1));
    html! {
        g.bar {
            title { (shown(column.label())) ": " (number(column.sum(), chart)) }
            @for (class, y, height) in parts {
                rect class=(class) x=(x) y=(y) width=(width) height=(height) {}
            }
        }
        @if is_labelled {
            text x=(x) y=(BOTTOM + 22) { (shown(column.first)) }
        }
    }
}

fn marks(chart: &BarChart<'_>) -> Markup {
    html! {
        @for mark in chart.marks.iter().filter(|mark| mark.bar < chart.bars.len()) {
            @let x = LEFT + position(mark.bar, chart.bars.len(), WIDTH);
            line class="mark" x1=(x) x2=(x) y1=(TOP) y2=(BOTTOM) {}
            text class="note" x=(x + 6) y=(TOP + 10) { (shown(mark.label)) }
        }
    }
}

/// The height of a value, where the highest line of the axis is at the top.
fn height(value: u128, top: u128) -> u32 {
    let height = value.min(top) * u128::from(HEIGHT) / top.max(1);
    u32::try_from(height).unwrap_or(HEIGHT)
}
