//! Stacked bars over time.

use std::fmt::Write;

use maud::{Markup, html};

use crate::report::chart::plot::{BOTTOM, Frame, HEIGHT, Plot, PlotValues, TOP};
use crate::text::markup::shown;

/// Draws a bar for each column, with what the bars are made of below them.
pub fn bars(plot: &Plot<'_>) -> Markup {
    let frame = Frame::new(plot, sum);
    let parts = frame.series().into_iter().enumerate();
    let parts = parts.map(|(index, series)| (series.class, path(&frame, index)));
    frame.render(&html! {
        @for (class, path) in parts.filter(|(_, path)| !path.is_empty()) {
            path class={ "part " (class) } d=(path) {}
        }
        @for column in &frame.columns {
            // What is under the pointer has its sum; it is as high as the chart, since a bar may be low.
            @if let Some(values) = &column.values {
                rect class="bar" x=(column.x) y=(TOP) width=(column.width) height=(HEIGHT) {
                    title { (shown(column.label())) ": " (frame.number(sum(values))) }
                }
            }
        }
    })
}

fn sum(values: &PlotValues) -> u128 {
    values.iter().sum()
}

/// The parts of all bars that are of one series: one path for all is a quarter of as many rectangles.
fn path(frame: &Frame<'_>, series: usize) -> String {
    let mut path = String::new();
    for column in &frame.columns {
        let Some(values) = &column.values else { continue };
        let below: u128 = values.iter().take(series).sum();
        let value = values.get(series).copied().unwrap_or_default();
        // Both ends are rounded, so that no gap is between two parts.
        let (from, to) = (frame.height(below), frame.height(below + value));
        if to > from {
            let (x, y, width, height) = (column.x, BOTTOM - to, column.width, to - from);
            // A string takes everything.
            _ = write!(path, "M{x} {y}h{width}v{height}h-{width}z");
        }
    }
    path
}
