//! Lines over time.

use std::fmt::Write;

use maud::{Markup, html};

use crate::report::chart::plot::{BOTTOM, Frame, Plot, PlotValues, Series};
use crate::text::markup::shown;

/// Columns up to which every point of a line is drawn; of more, those that no line leads to.
const MAX_POINTS: usize = 31;

/// Draws a line for each series, which breaks where there is no data. Columns that are drawn as one have their sum.
pub fn lines(plot: &Plot<'_>) -> Markup {
    let frame = Frame::new(plot, highest);
    frame.render(&html! {
        @for (index, series) in frame.series().iter().enumerate() {
            (line(&frame, *series, &points(&frame, index)))
        }
    })
}

/// The highest score.
const MAX_SCORE: u128 = 100;

/// Draws the line of a score, over columns without one, but not to these columns.
pub fn scores(plot: &Plot<'_>, breaks: &[usize]) -> Markup {
    let frame = Frame::new(plot, |_| MAX_SCORE).without_gaps();
    let points = points(&frame, 0).into_iter().enumerate();
    // A break is a place without a point before that of its column.
    let points = points.flat_map(|(index, point)| {
        let is_break = breaks.contains(&index);
        is_break.then_some(None).into_iter().chain(point.map(Some))
    });
    let mut points: Vec<Option<Point>> = points.collect();
    for point in points.iter_mut().flatten() {
        point.is_joined = false;
    }
    let series = frame.series();
    frame.render(&html! {
        @for series in series.iter().take(1) { (line(&frame, *series, &points)) }
    })
}

fn highest(values: &PlotValues) -> u128 {
    values.iter().copied().max().unwrap_or_default()
}

/// A point of a line.
struct Point {
    x: u32,
    y: u32,
    name: String,
    /// Whether a line leads to it or from it.
    is_joined: bool,
}

fn line(frame: &Frame<'_>, series: Series<'_>, points: &[Option<Point>]) -> Markup {
    let has_points = frame.columns.len() <= MAX_POINTS;
    html! {
        path class={ "curve " (series.class) } d=(path(points)) {}
        @for point in points.iter().flatten().filter(|point| has_points || !point.is_joined) {
            circle class=(series.class) cx=(point.x) cy=(point.y) r="3" {
                title { (shown(series.label)) ", " (shown(point.name.as_str())) }
            }
        }
    }
}

/// The points of a series; `None` where there is no data.
fn points(frame: &Frame<'_>, series: usize) -> Vec<Option<Point>> {
    let has_data = |index: Option<usize>| {
        index.and_then(|index| frame.columns.get(index)).is_some_and(|found| found.values.is_some())
    };
    let points = frame.columns.iter().enumerate().map(|(index, column)| {
        let value = column.values.as_ref()?.get(series).copied()?;
        Some(Point {
            x: column.middle(),
            y: BOTTOM - frame.height(value),
            name: format!("{}: {}", column.label(), frame.number(value)),
            is_joined: has_data(index.checked_sub(1)) || has_data(index.checked_add(1)),
        })
    });
    points.collect()
}

/// A line through the points, interrupted where there is none.
fn path(points: &[Option<Point>]) -> String {
    let mut path = String::new();
    let mut is_drawing = false;
    for point in points {
        if let Some(Point { x, y, .. }) = point {
            let command = if is_drawing { 'L' } else { 'M' };
            // A string takes everything.
            _ = write!(path, "{command}{x} {y}");
        }
        is_drawing = point.is_some();
    }
    path
}
