//! One bar in parts.

use maud::{Markup, html};

use crate::report::chart::scaled;
use crate::text::markup::shown;

const WIDTH: u32 = 200;

/// Parts of a whole side by side, each with a class of the style sheet for its series, such as `s-search`. What the
/// parts leave of the whole stays empty. The name says what the bar shows.
pub fn split(parts: &[(&str, u64)], whole: u64, name: &str) -> Markup {
    let mut rects = Vec::with_capacity(parts.len());
    let mut sum = 0_u64;
    for (class, value) in parts {
        // Both ends are rounded, and not the length, so that no gap is between two parts.
        let from = scaled(sum, whole, WIDTH);
        sum = sum.saturating_add(*value);
        let to = scaled(sum, whole, WIDTH);
        if to > from {
            rects.push((*class, from, to - from));
        }
    }
    html! {
        svg class="split" viewBox={ "0 0 " (WIDTH) " 8" } preserveAspectRatio="none" role="img" {
            title { (shown(name)) }
            @for (class, x, width) in rects { rect class=(class) x=(x) width=(width) height="8" {} }
        }
    }
}
