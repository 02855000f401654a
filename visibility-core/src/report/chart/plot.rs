//! What bars and lines over time have in common: columns, an axis, marks, and a legend.

use maud::{Markup, html};

use crate::report::chart::{axis, position};
use crate::text::locale::Lang;
use crate::text::markup::shown;
use crate::text::number::grouped;

/// A chart over time.
#[derive(Clone, Debug)]
pub struct Plot<'a> {
    /// What the chart shows.
    pub title: &'a str,
    /// What can be seen in it, in a sentence.
    pub description: &'a str,
    /// What has a value in each column: of bars, the lowest part is the first.
    pub series: &'a [Series<'a>],
    /// The columns, the oldest first.
    pub columns: &'a [PlotColumn<'a>],
    /// What happened in between.
    pub marks: &'a [Mark<'a>],
    /// What the series beyond the eighth are together.
    pub rest: &'a str,
    /// What is said of a column without data.
    pub no_data: &'a str,
    /// The language of its numbers.
    pub lang: Lang,
}

/// What has a value in each column.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// A class of the style sheet, such as `s-search`.
    pub class: &'a str,
    /// Its name.
    pub label: &'a str,
}

/// A span of time.
#[derive(Clone, Debug)]
pub struct PlotColumn<'a> {
    /// What is below it, such as a day.
    pub label: &'a str,
    /// A value for each series; `None` where there is no data, which is not the same as 0.
    pub values: Option<Vec<u64>>,
}

/// An event before a column.
#[derive(Clone, Copy, Debug)]
pub struct Mark<'a> {
    /// The index of the column.
    pub column: usize,
    /// What happened.
    pub label: &'a str,
}

/// Series that are drawn apart; what is left is one more.
pub(super) const MAX_SERIES: usize = 8;
/// Columns that are drawn apart; of more, neighbors become one.
const MAX_COLUMNS: usize = 500;
/// Labels below the columns.
const MAX_LABELS: usize = 6;
/// The class of what is left after the eighth series.
const REST: &str = "s-rest";

/// A bar of few is no wider.
const MAX_BAR_WIDTH: u32 = 96;

const LEFT: u32 = 46;
const WIDTH: u32 = 1034;
pub(super) const TOP: u32 = 10;
pub(super) const HEIGHT: u32 = 240;
pub(super) const BOTTOM: u32 = TOP + HEIGHT;

/// A value for each series that is drawn, and the sum of the others.
pub(super) type PlotValues = [u128; MAX_SERIES + 1];

/// Columns that are drawn as one.
pub(super) struct DrawnColumn<'a> {
    first: &'a str,
    last: &'a str,
    pub(super) values: Option<PlotValues>,
    /// Where a bar begins, and its width.
    pub(super) x: u32,
    pub(super) width: u32,
}

impl DrawnColumn<'_> {
    pub(super) fn label(&self) -> String {
        if self.first == self.last {
            self.first.to_owned()
        } else {
            format!("{} – {}", self.first, self.last)
        }
    }

    pub(super) fn middle(&self) -> u32 {
        self.x + self.width / 2
    }
}

/// A plot that is ready to be drawn in.
pub(super) struct Frame<'a> {
    plot: &'a Plot<'a>,
    pub(super) columns: Vec<DrawnColumn<'a>>,
    lines: Vec<u128>,
    /// Whether columns without data are shaded, and series have a legend with their sums.
    has_gaps: bool,
}

impl<'a> Frame<'a> {
    /// A frame whose axis reaches to the highest value, as the chart has it.
    pub(super) fn new(plot: &'a Plot<'a>, value: impl Fn(&PlotValues) -> u128) -> Self {
        let columns = columns(plot.columns);
        let highest = columns.iter().filter_map(|column| column.values.as_ref().map(&value)).max();
        Self { plot, columns, lines: axis::lines(highest.unwrap_or_default()), has_gaps: true }
    }

    /// For values that stay until the next one and are not added up.
    pub(super) fn without_gaps(mut self) -> Self {
        self.has_gaps = false;
        self
    }

    /// The series that are drawn, with the rest as one.
    pub(super) fn series(&self) -> Vec<Series<'a>> {
        let mut series: Vec<_> = self.plot.series.iter().take(MAX_SERIES).copied().collect();
        if self.plot.series.len() > MAX_SERIES {
            series.push(Series { class: REST, label: self.plot.rest });
        }
        series
    }

    /// How far above the bottom a value is.
    pub(super) fn height(&self, value: u128) -> u32 {
        let top = self.lines.last().copied().unwrap_or_default().max(1);
        let height = value.min(top) * u128::from(HEIGHT) / top;
        u32::try_from(height).unwrap_or(HEIGHT)
    }

    /// A number with marks between thousands.
    pub(super) fn number(&self, number: u128) -> String {
        grouped(u64::try_from(number).unwrap_or(u64::MAX), self.plot.lang)
    }

    /// The chart around what is drawn, with what that is made of below it.
    pub(super) fn render(&self, drawn: &Markup) -> Markup {
        let plot = self.plot;
        html! {
            div.plot tabindex="0" role="group" aria-label=(shown(plot.title)) {
                svg viewBox={ "0 0 " (LEFT + WIDTH) " 280" } role="img" {
                    title { (shown(plot.title)) }
                    desc { (shown(plot.description)) }
                    (self.axis())
                    @if self.has_gaps { (self.gaps()) }
                    (drawn)
                    (self.labels())
                    (self.marks())
                }
            }
            @if self.has_gaps { (self.legend()) }
        }
    }

    fn legend(&self) -> Markup {
        html! {
            ul.legend {
                @for (index, series) in self.series().iter().enumerate() {
                    li {
                        span class={ "dot " (series.class) } {}
                        (shown(series.label)) " " b { (self.number(self.total(index))) }
                    }
                }
            }
        }
    }

    fn total(&self, series: usize) -> u128 {
        let values = self.columns.iter().filter_map(|column| column.values.as_ref());
        values.filter_map(|values| values.get(series)).sum()
    }

    fn axis(&self) -> Markup {
        html! {
            @for line in &self.lines {
                @let y = BOTTOM - self.height(*line);
                line class="grid" x1=(LEFT) x2=(LEFT + WIDTH) y1=(y) y2=(y) {}
                text class="end" x=(LEFT - 10) y=(y + 4) { (axis::short(*line, self.plot.lang)) }
            }
        }
    }

    /// Columns without data are shaded from the top to the bottom.
    fn gaps(&self) -> Markup {
        html! {
            @for column in self.columns.iter().filter(|column| column.values.is_none()) {
                g {
                    title { (shown(column.label())) ": " (shown(self.plot.no_data)) }
                    rect class="gap" x=(column.x) y=(TOP) width=(column.width) height=(HEIGHT) {}
                }
            }
        }
    }

    fn labels(&self) -> Markup {
        let step = self.columns.len().div_ceil(MAX_LABELS).max(1);
        html! {
            @for column in self.columns.iter().step_by(step) {
                text x=(column.x) y=(BOTTOM + 22) { (shown(column.first)) }
            }
        }
    }

    fn marks(&self) -> Markup {
        let count = self.plot.columns.len();
        html! {
            @for mark in self.plot.marks.iter().filter(|mark| mark.column < count) {
                @let x = LEFT + position(mark.column, count, WIDTH);
                line class="mark" x1=(x) x2=(x) y1=(TOP) y2=(BOTTOM) {}
                text class="note" x=(x + 6) y=(TOP + 10) { (shown(mark.label)) }
            }
        }
    }
}

fn columns<'a>(columns: &'a [PlotColumn<'a>]) -> Vec<DrawnColumn<'a>> {
    let together = columns.len().div_ceil(MAX_COLUMNS).max(1);
    let chunks: Vec<_> = columns.chunks(together).collect();
    let count = chunks.len();
    let drawn = chunks.into_iter().enumerate().filter_map(|(index, chunk)| {
        let from = LEFT + position(index, count, WIDTH);
        let space = LEFT + position(index + 1, count, WIDTH) - from;
        let gap = (space / 5).max(space.saturating_sub(MAX_BAR_WIDTH));
        Some(DrawnColumn {
            first: chunk.first()?.label,
            last: chunk.last()?.label,
            values: sum(chunk),
            x: from + gap / 2,
            width: (space - gap).max(1),
        })
    });
    drawn.collect()
}

/// The sums of columns; `None` if there is no data of any of them.
fn sum(columns: &[PlotColumn<'_>]) -> Option<PlotValues> {
    let mut sums = None;
    for values in columns.iter().filter_map(|column| column.values.as_ref()) {
        let sums = sums.get_or_insert([0; MAX_SERIES + 1]);
        for (index, value) in values.iter().enumerate() {
            if let Some(sum) = sums.get_mut(index.min(MAX_SERIES)) {
                *sum += u128::from(*value);
            }
        }
    }
    sums
}
