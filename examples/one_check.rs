//! Runs one check alone, on answers that the program already has.
//!
//! `cargo run -p visibility-examples --bin one-check`
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use chrono::DateTime;
use visibility_core::fetch::Response;
use visibility_core::scan::checks;
use visibility_core::scan::plan::{self, Planned};
use visibility_core::scan::request::ScanRequest;
use visibility_core::scan::snapshot::SiteSnapshot;
use visibility_core::text::locale::{Catalog, Lang};

const ROBOTS: &str = "User-agent: *\nAllow: /\n\nUser-agent: OAI-SearchBot\nDisallow: /\n";

fn main() -> Result<(), Box<dyn Error>> {
    let taken_at = DateTime::from_timestamp(1_795_000_000, 0).unwrap_or_default();
    let request = ScanRequest::new("example.com".parse()?, taken_at, "ExampleBot/1.0");
    let mut site = SiteSnapshot::new(request.domain.clone(), taken_at);
    for planned in plan::first(&request) {
        if let Planned::Send(probe) = planned
            && probe.url.path() == "/robots.txt"
        {
            let response = text(&probe.url, ROBOTS);
            site.record(probe, Ok(response));
        }
    }

    let check = checks::find("ai-crawler-rules").ok_or("no such check")?;
    let finding = (check.evaluate)(&site);
    println!("{}: {}", check.id, finding.verdict().as_str());
    let catalog = Catalog::for_lang(Lang::En);
    for signal in finding.detections() {
        let path = ["checks", check.id, "outcomes", signal.outcome.id, "text"];
        println!("- {}", catalog.fill(&path, &signal.values));
    }
    Ok(())
}

fn text(url: &url::Url, body: &str) -> Response {
    Response::new(url.clone(), 200, body.to_owned()).with_header("content-type", "text/plain")
}
