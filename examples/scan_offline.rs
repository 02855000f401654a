//! Scans a site without a network, through a `Fetch` of one's own.
//!
//! `cargo run -p visibility-examples --bin scan-offline`
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use chrono::DateTime;
use visibility_core::prelude::*;

/// A site with a home page and nothing else.
#[derive(Debug)]
struct OnePage(&'static str);

impl Fetch for OnePage {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult> {
        let (status, body) = match probe.url.path() {
            "/" => (200, self.0),
            _ => (404, "<!doctype html><h1>Not found</h1>"),
        };
        let response = Response::new(probe.url.clone(), status, body)
            .with_header("content-type", "text/html; charset=utf-8");
        Box::pin(std::future::ready(Ok(response)))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let site = OnePage(
        "<!doctype html><html lang=en><title>Hello</title><h1>Hello</h1><p>Little to read.",
    );
    let taken_at = DateTime::from_timestamp(1_795_000_000, 0).unwrap_or_default();
    let request = ScanRequest::new(
        "example.com".parse()?,
        taken_at,
        "ExampleBot/1.0 (+https://example.com/bot)",
    );
    let snapshot = scan(&site, &request).await?;
    let result = ScanReport::evaluate(&snapshot, &Selection::all()).result(Lang::En);
    println!("{}: {:?} points, {:?}", result.domain, result.score, result.tier_label);
    for item in result.fix_plan.iter().take(3) {
        println!("+{} {}: {}", item.points, item.title, item.hint);
    }
    Ok(())
}
