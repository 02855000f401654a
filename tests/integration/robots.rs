//! Our verdicts against those of Google's parser (a port of its library), on random files.
//!
//! Where the two differ, the difference is one of decision 0003. That is proved and not assumed: a
//! file is rewritten as Google reads it, and then both must agree.

#![expect(
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a broken oracle should stop the test, and its counts are for people"
)]

mod fixes;
mod google;
mod oracle;
mod random;

use std::collections::BTreeMap;

use google::Leniency;
use oracle::{Oracle, Reply};
use random::Random;
use visibility_core::documents::robots::RobotsTxt;

/// A file, a product token and a URL.
type Case = [String; 3];

fn ours([robots, agent, url]: &Case) -> bool {
    RobotsTxt::parse(robots.as_bytes()).decide(&[agent], url).allowed
}

#[test]
fn plain_files_have_the_same_verdicts() {
    let mut oracle = Oracle::start();
    let mut random = Random::new(9309);
    let (mut compared, mut blocked) = (0, 0);
    for _ in 0..5_000 {
        let case = random.plain_case();
        if let Reply::Verdict(allowed) = oracle.ask(&case) {
            assert_eq!(ours(&case), allowed, "{case:#?}");
            compared += 1;
            blocked += usize::from(!allowed);
        }
    }
    println!("plain files: {compared} compared, {blocked} of them blocked");
    assert!(compared > 4_900 && blocked > 500);
}

#[test]
fn every_difference_is_a_documented_one() {
    let mut oracle = Oracle::start();
    let mut random = Random::new(2022);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = |name: String| *counts.entry(name).or_default() += 1;
    for _ in 0..10_000 {
        let case = random.wild_case();
        let allowed = match oracle.ask(&case) {
            Reply::Verdict(allowed) => allowed,
            Reply::Panicked => {
                count("oracle panicked".to_owned());
                continue;
            }
            Reply::Hung => {
                count("oracle hung".to_owned());
                continue;
            }
        };
        let read_alike = ours(&google::view(&case, &Leniency::ALL));
        assert_eq!(read_alike, allowed, "not explained: {case:#?}");
        if ours(&case) == allowed {
            count("same".to_owned());
            continue;
        }
        let explains = |leniency: &&Leniency| {
            ours(&google::view(&case, std::slice::from_ref(*leniency))) == allowed
        };
        match Leniency::ALL.iter().find(explains) {
            Some(leniency) => count(format!("differs: {leniency:?}")),
            None => count("differs: several together".to_owned()),
        }
    }
    println!("wild files: {counts:#?}");
    assert!(counts["same"] > 7_000);
    for leniency in Leniency::ALL {
        assert!(counts.contains_key(&format!("differs: {leniency:?}")), "{leniency:?}");
    }
}
