//! Typical sites get the score and tier that the rubric promises.

use std::fmt::Write;

use visibility_core::rubric::finding::Verdict;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::score::Tier;
use visibility_tests::site::Site;
use visibility_tests::typical::{self, Expected, State, Typical};

fn report(typical: &Typical) -> ScanReport {
    let site = typical.site.scan().unwrap_or_else(|error| panic!("{}: {error}", typical.name));
    ScanReport::evaluate(&site, &Selection::all())
}

/// One line for each check that does not pass: what to look at when a score differs.
fn not_passed(report: &ScanReport) -> String {
    let mut lines = String::new();
    for judged in report.evaluated_checks() {
        let verdict = judged.finding.verdict();
        if verdict != Verdict::Pass {
            let outcomes: Vec<&str> =
                judged.finding.detections().iter().map(|signal| signal.outcome.id).collect();
            let check = judged.check;
            writeln!(lines, "    {:>2} {} {verdict:?} {outcomes:?}", check.weight, check.id)
                .expect("a string takes everything");
        }
    }
    lines
}

#[test]
#[expect(clippy::print_stdout, reason = "the table of scores, shown with --nocapture")]
fn each_typical_site_has_the_score_and_tier_of_the_rubric() {
    let mut wrong = String::new();
    for typical in typical::all() {
        let report = report(&typical);
        let score = report.score().expect("a whole scan has a score");
        let (value, tier) = (score.value, score.tier);
        println!("{:<38} {value:>3} ({:>3} raw) {}", typical.name, score.raw, tier.as_str());
        if (value, tier) != (typical.score, typical.tier) {
            writeln!(
                wrong,
                "{}: {value} {} and not {} {}\n{}",
                typical.name,
                tier.as_str(),
                typical.score,
                typical.tier.as_str(),
                not_passed(&report)
            )
            .expect("a string takes everything");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn typical_sites_keep_their_order() {
    let scores: Vec<(&str, u8)> = typical::all()
        .iter()
        .map(|typical| (typical.name, report(typical).score().expect("a score").value))
        .collect();
    assert!(scores.is_sorted_by(|(_, better), (_, worse)| better >= worse), "{scores:?}");
}

fn judged(name: &str, site: &Site) -> ScanReport {
    let site = site.scan().unwrap_or_else(|error| panic!("{name}: {error}"));
    ScanReport::evaluate(&site, &Selection::all())
}

fn value(report: &ScanReport) -> u8 {
    report.score().expect("a whole scan has a score").value
}

#[test]
#[expect(clippy::print_stdout, reason = "the table of tiers, with --nocapture")]
fn each_site_is_in_the_tier_that_an_expert_would_give_it() {
    let mut wrong = String::new();
    for Expected { name, site, tiers, .. } in typical::expected() {
        let report = judged(name, &site);
        let score = report.score().expect("a whole scan has a score");
        let result = report.result(visibility_core::text::locale::Lang::En);
        let caps: Vec<&str> = score.caps.iter().map(|cap| cap.id).collect();
        let (value, tier) = (score.value, score.tier.as_str());
        println!("{name:<44} {value:>3} {tier:<12} {:<6} {caps:?}", result.confidence);
        if !tiers.contains(&score.tier) {
            let lines = not_passed(&report);
            writeln!(wrong, "{name}: {value} {tier} and not {tiers:?}\n{lines}")
                .expect("a string takes everything");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The rows of the second table of `docs/scoring.md`.
#[test]
fn the_table_of_tiers_is_what_is_measured() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/scoring.md");
    let text = std::fs::read_to_string(page).expect("the page");
    let missing: Vec<String> = typical::expected()
        .into_iter()
        .map(|one| {
            let report = judged(one.name, &one.site);
            let score = report.score().expect("a score");
            format!("| {} | {} | {} |", one.name, score.value, score.tier.as_str())
        })
        .filter(|row| !text.contains(row.as_str()))
        .collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn no_dead_or_closed_site_scores_as_one_that_can_be_read() {
    let sites = typical::expected();
    let scores = |state: State| -> Vec<(u8, &str)> {
        let sites = sites.iter().filter(|one| one.state == state);
        sites.map(|one| (value(&judged(one.name, &one.site)), one.name)).collect()
    };
    let readable: Vec<(u8, &str)> = scores(State::Open)
        .into_iter()
        .filter(|(score, _)| *score >= Tier::Readable.min_score())
        .collect();
    let (closed, dead) = (scores(State::Closed), scores(State::Dead));
    assert!(closed.iter().max() < readable.iter().min(), "{closed:?} {readable:?}");
    assert!(dead.iter().all(|(score, _)| *score <= 10), "{dead:?}");
}

#[test]
fn a_wall_against_agents_costs_points() {
    let (walled, open) = typical::with_and_without_wall();
    assert!(value(&judged("walled", &walled)) < value(&judged("open", &open)));
}
