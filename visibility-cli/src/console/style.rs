//! Terminal colors. A color never carries meaning without a word or a symbol.

use anstyle::{AnsiColor, Style};
use visibility_core::rubric::finding::Verdict;

pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default();
pub(crate) const HEADING: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const FAIR: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const UNKNOWN: Style = AnsiColor::Magenta.on_default();
pub(crate) const PLAIN: Style = Style::new();

/// A text in a style.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The style of a verdict.
pub(crate) fn for_verdict(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Pass => GOOD,
        Verdict::Warn => FAIR,
        Verdict::Fail => BAD,
        Verdict::NotApplicable => DIM,
        Verdict::Unknown => UNKNOWN,
    }
}

/// The style of a tier, by its name on the wire.
pub(crate) fn for_tier(tier: Option<&str>) -> Style {
    match tier {
        Some("native" | "ready") => GOOD,
        Some("readable") => HINT,
        Some("discoverable") => FAIR,
        Some("invisible") => BAD,
        _ => PLAIN,
    }
}

/// The style of a band of audits, by its name on the wire.
pub(crate) fn for_band(band: Option<&str>) -> Style {
    match band {
        Some("excellent" | "good") => GOOD,
        Some("fair") => HINT,
        Some("weak") => FAIR,
        _ => BAD,
    }
}
