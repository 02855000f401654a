//! Runs one check alone: does robots.txt let the agents in?
//!
//! `cargo run -p visibility-examples --bin one-check`
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

use visibility_core::agents::Registry;
use visibility_core::robots::RobotsTxt;

const ROBOTS: &[u8] =
    b"User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n";

fn main() -> Result<(), Box<dyn Error>> {
    let robots = RobotsTxt::parse(ROBOTS);
    for agent in Registry::embedded().matrix() {
        let decision = robots.decide(&agent.robots_tokens(), "https://example.com/pricing");
        let verdict = if decision.allowed { "allowed" } else { "blocked" };
        let line = decision.rule.map(|rule| format!(" by line {}: {}", rule.line, rule.text()));
        println!("{:<20} {verdict}{}", agent.name, line.unwrap_or_default());
    }
    Ok(())
}
