//! A badge as SVG: the score and the band in one line, for a README.

use crate::audit::result::AuditResult;
use crate::report::audit::band;
use crate::report::badge::svg;
use crate::report::labels::Labels;

/// Renders a result in its own language. Without a page to judge, the badge says why.
pub fn render(result: &AuditResult) -> String {
    let labels = Labels::for_lang(&result.lang);
    let label = band(result, labels);
    let value = if result.status.has_page() {
        format!("{} {label}", result.gpt_visibility_score)
    } else {
        label
    };
    svg(&labels.audit("badge"), &value, color(result.band.as_deref()))
}

/// The color of a band, dark enough for white text: a contrast of at least 4.5 to 1.
fn color(band: Option<&str>) -> &'static str {
    match band {
        Some("excellent") => "#0a6640",
        Some("good") => "#1a7f37",
        Some("fair") => "#1f6feb",
        Some("weak") => "#9a6700",
        Some("poor") => "#cf222e",
        _ => "#59636e",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::audit::sample;

    #[test]
    fn a_badge_is_stable() {
        insta::assert_snapshot!(render(&sample::hostile()));
    }

    #[test]
    fn without_a_page_the_badge_says_why_and_shows_no_score() {
        let svg = render(&sample::refused());
        assert!(svg.contains("AI visibility: Engellendi"), "{svg}");
        assert!(!svg.contains('0') || !svg.contains(">0 "), "{svg}");
    }

    #[test]
    fn strangers_text_stays_text_and_short() {
        let mut result = sample::hostile();
        result.band_label = Some(format!("</text><script>&\u{202e}{}", "x".repeat(500)));
        let svg = render(&result);
        assert!(svg.contains("&lt;/text&gt;&lt;script&gt;&amp; x"), "{svg}");
        assert!(svg.len() < 1_800, "{}", svg.len());
    }

    #[test]
    fn white_text_stands_out_from_every_color() {
        for band in
            [Some("excellent"), Some("good"), Some("fair"), Some("weak"), Some("poor"), None]
        {
            let ratio = 1.05 / (luminance(color(band)) + 0.05);
            assert!(ratio >= 4.5, "{band:?}: {ratio}");
        }
    }

    /// Relative luminance of `#rrggbb`, <https://www.w3.org/TR/WCAG22/#dfn-relative-luminance>.
    fn luminance(color: &str) -> f64 {
        let number = u32::from_str_radix(color.trim_start_matches('#'), 16).unwrap();
        let [_, red, green, blue] = number.to_be_bytes().map(|byte| {
            let value = f64::from(byte) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}
