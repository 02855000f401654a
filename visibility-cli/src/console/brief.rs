//! One line for each of several domains.

use visibility_core::report::words::{Words, sign};
use visibility_core::scan::result::ScanResult;

use crate::console::report;
use crate::console::style::{BAD, of_tier, of_verdict, paint};
use crate::console::text::{columns, cut, pad, wrap};

/// Columns of a domain; longer ones push the rest aside.
const DOMAIN: usize = 24;
/// Columns of a tier.
const TIER: usize = 13;
/// Fewer columns say nothing about a check.
const LEAST: usize = 16;
/// Before what stands under a row.
const INDENT: &str = "      ";

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
    let start =
        format!("{score:>3} {} {} ", pad(&cut(&result.domain, 253), DOMAIN), pad(&tier, TIER));
    let room = width.saturating_sub(columns(&start) + 2);
    let worst = report::worst(result);
    let worst = worst.first().filter(|_| room >= LEAST).map_or_else(String::new, |check| {
        let summary = format!("{}: {}", check.title, check.summary);
        format!("{} {}", paint(of_verdict(check.status), sign(check.status)), cut(&summary, room))
    });
    let line = format!(
        "{} {} {} {worst}",
        paint(style.bold(), &format!("{score:>3}")),
        pad(&cut(&result.domain, 253), DOMAIN),
        paint(style, &pad(&tier, TIER)),
    );
    format!("{}\n", line.trim_end())
}

/// A domain without a result, why, and what to do about it.
pub(crate) fn failure(domain: &str, message: &str, hint: Option<&str>, width: usize) -> String {
    let domain = pad(&cut(domain, 253), DOMAIN);
    let room = width.saturating_sub(columns(&domain) + 5).max(INDENT.len());
    let mut lines = wrap(message, room).into_iter();
    let first = lines.next().unwrap_or_default();
    let mut text = format!("{} {domain} {first}\n", paint(BAD, "  ✗"));
    let hint = hint.map(|hint| wrap(hint, width.saturating_sub(INDENT.len())));
    for line in lines.chain(hint.into_iter().flatten()) {
        text.push_str(&format!("{INDENT}{line}\n"));
    }
    text
}
