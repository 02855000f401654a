//! A score as a ring, and a share as a bar.

use maud::{Markup, html};

use crate::report::chart::Tone;
use crate::text::markup::shown;

/// Length of the circle of a ring in units of its coordinates.
const AROUND: u32 = 390;

/// A score of 100 as a ring. What the plan would add follows in a lighter color, up to the score `with_plan`. The name
/// says both in words.
pub fn ring(score: u8, with_plan: Option<u8>, tone: Tone, name: &str) -> Markup {
    let score = score.min(100);
    let later = with_plan.map(|later| later.min(100)).filter(|later| *later > score);
    let arc = |until: u8| format!("{} 400", u32::from(until) * AROUND / 100);
    html! {
        svg class={ "ring " (tone.class()) } viewBox="0 0 148 148" role="img" {
            title { (shown(name)) }
            circle class="track" cx="74" cy="74" r="62" {}
            @if let Some(later) = later {
                circle class="arc later" cx="74" cy="74" r="62" stroke-dasharray=(arc(later)) transform="rotate(-90 74 74)" {}
            }
            @if score > 0 {
                circle class="arc" cx="74" cy="74" r="62" stroke-dasharray=(arc(score)) transform="rotate(-90 74 74)" {}
            }
            text x="74" y="85" aria-hidden="true" { (score) }
            text class="of" x="74" y="106" aria-hidden="true" { "/ 100" }
        }
    }
}

/// A share, from 0 to 1, as a bar beside its number, which screen readers have from the text.
pub fn meter(share: f64, tone: Tone) -> Markup {
    // What is no number is no share.
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
    let percent = (share * 100.0).round() as u8;
    html! {
        svg class={ "meter " (tone.class()) } viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            rect width="100" height="6" rx="3" {}
            @if percent > 0 { rect class="part" width=(percent) height="6" rx="3" {} }
        }
    }
}
