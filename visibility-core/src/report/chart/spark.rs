//! A small line of values over time.

use std::fmt::Write;
use std::ops::Range;

use maud::{Markup, html};

use crate::report::chart::position;
use crate::text::markup::shown;

const WIDTH: u32 = 240;
const HEIGHT: u32 = 56;
/// Space around the line, for its width and the point at its end.
const EDGE: u32 = 4;
/// Points of a line; of more values, neighbors become one.
const MAX_POINTS: usize = 40;
/// Parts of one that means of neighbors are counted in.
const PARTS: u128 = 256;

/// A line through values, the oldest first, from 0 to the highest of them: it breaks where there is no data. A point for
/// one value, nothing for none. The name says what the line shows.
pub fn spark(values: &[Option<u64>], name: &str) -> Markup {
    let points = points(values);
    let Some((x, y)) = points.iter().rev().find_map(|point| *point) else { return html! {} };
    html! {
        svg class="spark" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" {
            title { (shown(name)) }
            path class="line" d=(path(&points)) {}
            circle class="point" cx=(x) cy=(y) r="3" {}
        }
    }
}

/// Where the values are in the picture; `None` where there is no data.
fn points(values: &[Option<u64>]) -> Vec<Option<(u32, u32)>> {
    let means = means(values);
    let highest = means.iter().flatten().copied().max().unwrap_or_default().max(1);
    let (width, height) = (WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE);
    let last = means.len().saturating_sub(1);
    let points = means.iter().enumerate().map(|(index, mean)| {
        // One value is the last one.
        let x = if last == 0 { width } else { position(index, last, width) };
        let above = (*mean)? * u128::from(height) / highest;
        let above = u32::try_from(above).unwrap_or(height);
        Some((EDGE + x, EDGE + height - above))
    });
    points.collect()
}

/// The values, or the means of neighbors, in parts of one.
fn means(values: &[Option<u64>]) -> Vec<Option<u128>> {
    let count = values.len().min(MAX_POINTS);
    let border = |index: usize| index * values.len() / count.max(1);
    let ranges = (0..count).map(|index| border(index)..border(index + 1));
    let mean = |range: Range<usize>| {
        let known: Vec<u64> = values.get(range)?.iter().flatten().copied().collect();
        let sum: u128 = known.iter().map(|value| u128::from(*value)).sum();
        (sum * PARTS).checked_div(known.len() as u128)
    };
    ranges.map(mean).collect()
}

/// A line through the points, from each to the next, interrupted where there is none.
fn path(points: &[Option<(u32, u32)>]) -> String {
    let mut path = String::new();
    let mut before: Option<(u32, u32)> = None;
    for point in points {
        if let Some((x, y)) = *point {
            // A string takes everything.
            _ = match before {
                Some((old_x, old_y)) => {
                    let down = i64::from(y) - i64::from(old_y);
                    let blank = if down < 0 { "" } else { " " };
                    write!(path, "l{}{blank}{down}", x - old_x)
                }
                None => write!(path, "M{x} {y}"),
            };
        }
        before = *point;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_breaks_where_there_is_no_data() {
        let points = points(&[Some(1), Some(2), None, Some(0), Some(2)]);
        assert_eq!(path(&points), "M4 28l58-24M178 52l58-48");
    }

    #[test]
    fn no_value_of_many_is_left_out() {
        let mut values = vec![Some(0); 365];
        values[200] = Some(9);
        let lowest = points(&values).into_iter().flatten().map(|(_, y)| y).min();
        assert_eq!(lowest, Some(EDGE));
        assert_eq!(points(&values).len(), MAX_POINTS);
    }
}
