//! Scans a domain over the network and prints its score and what to fix first.
//!
//! `cargo run -p visibility-examples --bin scan-domain -- example.com`
//!
//! A site of one's own on loopback: add `--connect-to ::127.0.0.1:8443` and `--ca-cert ca.pem`, as
//! for curl.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use chrono::Utc;
use visibility_core::fetch::http::{HttpClient, HttpSettings};
use visibility_core::scan;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::request::ScanRequest;
use visibility_core::text::locale::Lang;

const USER_AGENT: &str = "ExampleBot/1.0 (+https://example.com/bot)";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let domain = arguments
        .next()
        .ok_or("usage: scan-domain DOMAIN [--connect-to A:B:C:D] [--ca-cert FILE]")?;
    let mut settings =
        HttpSettings { scanned_by: USER_AGENT.to_owned(), ..HttpSettings::default() };
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{flag} wants a value"))?;
        match flag.as_str() {
            "--connect-to" => settings.connect_to.push(value.parse()?),
            "--ca-cert" => {
                settings.trust_pem(&std::fs::read(value)?)?;
            }
            _ => return Err(format!("unknown flag {flag}").into()),
        }
    }
    let fetch = HttpClient::new(settings)?.session();
    let request = ScanRequest::new(domain.parse()?, Utc::now(), USER_AGENT);
    let site = scan::scan(&fetch, &request).await?;
    let result = ScanReport::evaluate(&site, &Selection::all()).result(Lang::En);
    println!("{}: {:?} points, {:?}", result.domain, result.score, result.tier_label);
    for item in result.fix_plan.iter().take(5) {
        println!("+{} {}: {}", item.points, item.title, item.hint);
    }
    Ok(())
}
