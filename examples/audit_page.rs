//! Audits a page that is at hand: no network, no clock.
//!
//! `cargo run -p visibility-examples --bin audit-page`
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use chrono::DateTime;
use visibility_core::prelude::*;

const PAGE: &str = "<!doctype html><html lang=en><title>Aurora down jacket</title>\
    <h1>Aurora down jacket</h1><p>The Aurora is a down jacket of 480 g for -25 °C. It costs 349.00 EUR and is in stock.\
    <p><button>Add to cart</button>";

fn main() -> Result<(), Box<dyn Error>> {
    let taken_at = DateTime::from_timestamp(1_795_000_000, 0).unwrap_or_default();
    let id = AuditId::from_content([PAGE.as_bytes()]);
    let url = "https://shop.example.com/jackets/aurora".parse()?;
    let snapshot = PageSnapshot::from_file(id, "aurora.html", Some(url), PAGE, taken_at);
    let result = audit(&snapshot).result(Lang::En);
    println!("{}: {} points, {}", result.url, result.gpt_visibility_score, result.status.as_str());
    for fix in result.fixes.iter().take(3) {
        println!("+{} {}: {}", fix.raw_points, fix.title, fix.hint);
    }
    Ok(())
}
