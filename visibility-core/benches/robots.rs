//! Time to parse a robots.txt of 500 KiB and to decide for the 27 agents and four paths.

#![expect(clippy::unwrap_used, reason = "writing to a string cannot fail")]

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use visibility_core::agents::Registry;
use visibility_core::documents::robots::RobotsTxt;
use visibility_core::limits::MAX_ROBOTS_BYTES;

const PATHS: [&str; 4] = ["/", "/products/17", "/blog/2026/11/a-post", "/search?q=x&page=2"];

/// Groups and rules as large shops have them.
fn realistic() -> String {
    let mut text = String::from("# robots.txt\nSitemap: https://example.com/sitemap.xml\n\n");
    let agents = ["GPTBot", "ClaudeBot", "CCBot", "Bytespider", "Googlebot", "bingbot", "*"];
    for agent in agents.iter().cycle() {
        writeln!(text, "User-agent: {agent}").unwrap();
        for number in 0..200 {
            writeln!(text, "Disallow: /shop/{number}/cart # not for bots").unwrap();
            writeln!(text, "Disallow: /*/{number}/filter?*color=").unwrap();
            writeln!(text, "Allow: /products/{number}/*.html$").unwrap();
        }
        text.push('\n');
        if text.len() > MAX_ROBOTS_BYTES {
            break;
        }
    }
    text
}

/// Many agents, and one group of patterns with many stars.
fn pathological() -> String {
    let mut text = String::new();
    for number in 0..2_000 {
        writeln!(text, "User-agent: bot{number}").unwrap();
    }
    text.push_str("User-agent: *\n");
    while text.len() < MAX_ROBOTS_BYTES {
        writeln!(text, "Disallow: /*a*a*a*a*b").unwrap();
    }
    text
}

fn decide(body: &[u8], paths: &[&str]) -> usize {
    let robots = RobotsTxt::parse(body);
    let agents: Vec<Vec<&str>> =
        Registry::embedded().matrix().iter().map(|agent| agent.robots_tokens()).collect();
    robots.decide_all(&agents, paths).iter().flatten().filter(|decision| decision.allowed).count()
}

fn benches(criterion: &mut Criterion) {
    let long = format!("/{}", "a".repeat(2_000));
    let long_paths = [long.as_str(), "/a", "/b", "/"];
    for (name, text, paths) in [
        ("realistic", realistic(), &PATHS),
        ("pathological, short paths", pathological(), &PATHS),
        ("pathological, a path of 2,000 bytes", pathological(), &long_paths),
    ] {
        let body = text.as_bytes();
        let mut group = criterion.benchmark_group(name);
        group.sample_size(20);
        group.bench_function("parse", |bench| bench.iter(|| RobotsTxt::parse(black_box(body))));
        group.bench_function("parse and decide for 27 agents and 4 paths", |bench| {
            bench.iter(|| decide(black_box(body), paths));
        });
        let robots = RobotsTxt::parse(body);
        group.bench_function("one decision", |bench| {
            bench.iter(|| robots.decide(&["GPTBot"], black_box(paths[0])));
        });
    }
}

criterion_group!(robots, benches);
criterion_main!(robots);
