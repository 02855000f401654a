//! A small line of values over time.

use std::fmt::Write;

use maud::{Markup, html};

use crate::report::chart::{position, scaled};
use crate::text::markup::shown;

const WIDTH: u32 = 240;
const HEIGHT: u32 = 56;
/// Space around the line, for its width and the point at its end.
const EDGE: u32 = 4;
/// Points of a line; of more values, those at even distances are drawn.
const MAX_POINTS: usize = 120;

/// A line through values, the oldest first, from 0 to the highest of them; a point for one value, nothing for none. The
/// name says what the line shows.
pub fn spark(values: &[u64], name: &str) -> Markup {
    let points = points(values);
    let Some((last_x, last_y)) = points.last().copied() else { return html! {} };
    let mut line = String::new();
    for (x, y) in &points {
        let blank = if line.is_empty() { "" } else { " " };
        // A string takes everything.
        _ = write!(line, "{blank}{x},{y}");
    }
    let first_x = points.first().map_or(last_x, |(x, _)| *x);
    let area = format!("{line} {last_x},{HEIGHT} {first_x},{HEIGHT}");
    html! {
        svg class="spark" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" {
            title { (shown(name)) }
            @if points.len() > 1 {
                polygon class="area" points=(area) {}
                polyline class="line" points=(line) {}
            }
            circle class="point" cx=(last_x) cy=(last_y) r="3" {}
        }
    }
}

/// Where the values are in the picture.
fn points(values: &[u64]) -> Vec<(u32, u32)> {
    let highest = values.iter().copied().max().unwrap_or_default();
    let (width, height) = (WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE);
    let point_at = |index: usize, count: usize, value: u64| {
        let x = EDGE + position(index, count.saturating_sub(1), width);
        (x, EDGE + height - scaled(value, highest, height))
    };
    if values.len() == 1 {
        return values.iter().map(|value| (WIDTH - EDGE, point_at(0, 1, *value).1)).collect();
    }
    let count = values.len().min(MAX_POINTS);
    let chosen = (0..count).filter_map(|index| {
        // The first and the last value are always among them.
        let of_all = index * (values.len() - 1) / (count - 1).max(1);
        Some(point_at(index, count, *values.get(of_all)?))
    });
    chosen.collect()
}
