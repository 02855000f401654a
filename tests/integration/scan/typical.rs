//! Typical sites get the score and tier that the rubric promises.

use std::fmt::Write;

use visibility_core::finding::Verdict;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_tests::typical::{self, Typical};

fn report(typical: &Typical) -> ScanReport {
    let site = typical.site.scan().unwrap_or_else(|error| panic!("{}: {error}", typical.name));
    ScanReport::of(&site, &Selection::all())
}

/// One line for each check that does not pass: what to look at when a score differs.
fn not_passed(report: &ScanReport) -> String {
    let mut lines = String::new();
    for judged in report.judged() {
        let verdict = judged.finding.verdict();
        if verdict != Verdict::Pass {
            let outcomes: Vec<&str> =
                judged.finding.signals().iter().map(|signal| signal.outcome.id).collect();
            let check = judged.check;
            writeln!(lines, "    {:>2} {} {verdict:?} {outcomes:?}", check.weight, check.id)
                .expect("a string takes everything");
        }
    }
    lines
}

#[test]
#[expect(clippy::print_stdout, reason = "the table of scores, for whoever asks with --nocapture")]
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
