//! One line for each of several domains.

use visibility_core::report::words::{Words, sign};
use visibility_core::scan::result::ScanResult;

use crate::console::report;
use crate::console::style::{BAD, of_tier, of_verdict, paint};
use crate::console::text::{cut, pad};

/// Columns of a domain; longer ones push the rest aside.
const DOMAIN: usize = 24;

/// A result in one line: score, domain, tier and what costs most.
pub(crate) fn result(result: &ScanResult, width: usize) -> String {
    let words = Words::for_result(result);
    let score = result.score.map_or_else(|| "–".to_owned(), |score| score.to_string());
    let style = of_tier(result.tier.as_deref());
    let tier = match (&result.tier_label, &result.tier) {
        (Some(label), _) => cut(label, 16),
        (None, Some(tier)) => words.tier(tier),
        (None, None) => String::new(),
    };
    let worst = report::worst(result);
    let worst = worst.first().map_or_else(String::new, |check| {
        let summary = format!("{}: {}", check.title, check.summary);
        let room = width.saturating_sub(6 + DOMAIN + 18).max(20);
        format!("{} {}", paint(of_verdict(check.status), sign(check.status)), cut(&summary, room))
    });
    let line = format!(
        "{} {} {} {worst}",
        paint(style.bold(), &format!("{score:>3}")),
        pad(&cut(&result.domain, 253), DOMAIN),
        paint(style, &pad(&tier, 13)),
    );
    format!("{}\n", line.trim_end())
}

/// A domain without a result, and why.
pub(crate) fn failure(domain: &str, message: &str) -> String {
    format!("{} {} {}\n", paint(BAD, "  ✗"), pad(&cut(domain, 253), DOMAIN), cut(message, 400))
}
