//! A badge as SVG: the score and the tier in one line, for a README.

use maud::{Markup, html};

use crate::report::labels::Labels;
use crate::scan::result::ScanResult;
use crate::text::escape;
use crate::text::markup::shown;

const HEIGHT: u32 = 20;
/// Space on each side of a text.
const PADDING: u32 = 6;
const LABEL_COLOR: &str = "#3d444d";
const MAX_CHARS: usize = 60;

/// Renders a result in its own language.
pub fn render(result: &ScanResult) -> String {
    let labels = Labels::for_result(result);
    let value = match (result.score, &result.tier) {
        (Some(score), Some(tier)) => {
            let label = result.tier_label.clone().unwrap_or_else(|| labels.tier(tier));
            format!("{score} {label}")
        }
        _ => labels.label("no-score"),
    };
    svg(&labels.label("badge"), &value, color(result.tier.as_deref()))
}

/// Dark enough for white text: at least 4.5 to 1.
fn color(tier: Option<&str>) -> &'static str {
    match tier {
        Some("native") => "#0a6640",
        Some("ready") => "#1a7f37",
        Some("readable") => "#1f6feb",
        Some("discoverable") => "#9a6700",
        Some("invisible") => "#cf222e",
        _ => "#59636e",
    }
}

/// A badge with these texts, which need not be escaped.
pub(super) fn svg(label: &str, value: &str, color: &str) -> String {
    let (label, value) = (short(label), short(value));
    let (label_width, value_width) = (width(&label), width(&value));
    let left = label_width + 2 * PADDING;
    let total = left + value_width + 2 * PADDING;
    let right = total - left;
    let (label_middle, value_middle) = (left / 2, left + right / 2);
    let name = format!("{label}: {value}");
    let badge = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(total) height=(HEIGHT) role="img" aria-label=(shown(&name)) {
            title { (shown(&name)) }
            clipPath id="r" { rect width=(total) height=(HEIGHT) rx="3" {} }
            g clip-path="url(#r)" {
                rect width=(left) height=(HEIGHT) fill=(LABEL_COLOR) {}
                rect x=(left) width=(right) height=(HEIGHT) fill=(color) {}
            }
            g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" {
                (fitted(&label, label_middle, label_width))
                (fitted(&value, value_middle, value_width))
            }
        }
    };
    badge.into_string()
}

/// A text that has its width in every font.
fn fitted(text: &str, middle: u32, width: u32) -> Markup {
    html! {
        text x=(middle) y="14" textLength=(width) lengthAdjust="spacingAndGlyphs" { (shown(text)) }
    }
}

fn short(text: &str) -> String {
    escape::printable(text).trim().chars().take(MAX_CHARS).collect()
}

/// Width of a text in Verdana at 11 pixels, rounded up. `textLength` makes every font keep to it.
fn width(text: &str) -> u32 {
    let tenths: u32 = text.chars().map(tenths).sum();
    tenths.div_ceil(10)
}

fn tenths(ch: char) -> u32 {
    match ch {
        'i' | 'j' | 'l' | 'ı' => 30,
        ' ' | 'I' | '.' | ',' | ':' | 'f' | 't' | '(' | ')' | '-' | '/' => 43,
        'r' | 's' | 'c' | 'z' | 'J' => 55,
        'm' | 'w' | 'M' | 'W' | '%' => 100,
        'A'..='Z' | 'Ö' | 'Ü' | 'Ğ' | 'Ş' | 'Ç' | 'İ' => 80,
        _ if ch.is_ascii() || ch.is_alphabetic() && ch < '\u{2000}' => 68,
        _ => 110,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_badge_is_stable() {
        insta::assert_snapshot!(render(&sample::hostile()));
    }

    #[test]
    fn a_longer_text_makes_a_wider_badge() {
        assert!(width("Agent-native") > width("Ready"));
        assert!(width("WWW") > width("iii"));
    }

    #[test]
    fn strangers_text_stays_text_and_short() {
        let mut result = sample::hostile();
        result.tier_label = Some(format!("</text><script>&\u{202e}{}", "x".repeat(500)));
        let svg = render(&result);
        assert!(svg.contains("&lt;/text&gt;&lt;script&gt;&amp; x"), "{svg}");
        assert!(!svg.contains("<script>"));
        assert!(svg.len() < 1_800, "{}", svg.len());
    }
}
