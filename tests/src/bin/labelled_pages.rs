//! Audits real pages with labels and prints tables for `docs/`: kinds, scores by kind and how often each
//! signal fires; then what a fix invents, which must be nothing.
//!
//! `VISIBILITY_PAGES=FOLDER cargo run --release -p visibility-tests --bin labelled-pages`
//!
//! With `--fixes` it pastes what is offered into the pages whose ids end in 8 or 9, sixty of them, audits
//! them again, and prints what was promised and what was gained.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is what it is for")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use visibility_core::audit::result::AuditResult;
use visibility_tests::labelled::{self, LabelledPage};

fn main() -> ExitCode {
    let Some(folder) = std::env::var_os("VISIBILITY_PAGES") else {
        eprintln!("labelled-pages: set VISIBILITY_PAGES to a folder with html/ and truth/");
        return ExitCode::FAILURE;
    };
    let pages = match labelled::pages(Path::new(&folder)) {
        Ok(pages) => pages,
        Err(error) => {
            eprintln!("labelled-pages: {}: {error}", folder.display());
            return ExitCode::FAILURE;
        }
    };
    if std::env::args().any(|argument| argument == "--fixes") {
        paste_fixes(pages);
        return ExitCode::SUCCESS;
    }
    let audited: Vec<(LabelledPage, AuditResult)> = pages
        .into_iter()
        .map(|page| {
            let result = page.audit();
            (page, result)
        })
        .collect();
    kinds(&audited);
    scores(&audited);
    percentiles(&audited);
    signals(&audited);
    let mut proposals = 0;
    let mut inventions = 0;
    println!();
    for (page, result) in &audited {
        proposals += labelled::proposals(result).len();
        for invention in page.inventions(result) {
            inventions += 1;
            println!("{} {}: {invention}", page.id, page.url);
        }
    }
    println!("{proposals} proposals, {inventions} inventions");
    if inventions == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Pages whose fixes are pasted.
const PASTED_PAGES: usize = 60;

/// Pastes each fix into its page, and compares what it promises with what comes of it.
fn paste_fixes(mut pages: Vec<LabelledPage>) {
    pages.retain(|page| {
        page.id.ends_with(['8', '9']) && String::from_utf8(page.html.clone()).is_ok()
    });
    pages.truncate(PASTED_PAGES);
    let (mut tried, mut lower, mut promised, mut gained) = (0, 0, 0.0, 0.0);
    for page in &pages {
        let before = page.audit();
        for fix in &before.fixes {
            let Some(after) = page.with_fix(&before, fix) else { continue };
            let after = after.audit();
            tried += 1;
            promised += fix.raw_points;
            gained += raw(&after) - raw(&before);
            if after.gpt_visibility_score < before.gpt_visibility_score {
                lower += 1;
                println!(
                    "{} {}: {} gained {:.2}",
                    page.id,
                    fix.code,
                    fix.raw_points,
                    raw(&after) - raw(&before)
                );
            }
        }
    }
    println!(
        "{} pages, {tried} fixes: {promised:.1} points promised, {gained:.1} gained, {lower} lowered a score",
        pages.len()
    );
}

/// The score before gates, to more digits than the result has.
fn raw(result: &AuditResult) -> f64 {
    let earned: f64 = result.signals.iter().map(|signal| signal.points).sum();
    let possible: f64 = result.signals.iter().map(|signal| signal.max_points).sum();
    100.0 * earned / possible
}

/// The kind of the page as people and as the audit say it.
fn kinds(audited: &[(LabelledPage, AuditResult)]) {
    let mut table: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (page, result) in audited {
        let kind = result.profile.as_ref().map_or("none", |profile| profile.id.as_str());
        *table.entry(&page.kind).or_default().entry(kind).or_default() += 1;
    }
    println!("| labelled | pages | as |\n|---|---:|---|");
    for (label, kinds) in &table {
        let sum: usize = kinds.values().sum();
        let cells: Vec<String> = kinds.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
        println!("| {label} | {sum} | {} |", cells.join(", "));
    }
}

/// How scores are spread.
fn scores(audited: &[(LabelledPage, AuditResult)]) {
    let mut table: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for (page, result) in audited {
        for key in [page.kind.as_str(), "~ all"] {
            table.entry(key).or_default().push(result.gpt_visibility_score);
        }
    }
    println!(
        "\n| labelled | pages | 10 % | 25 % | median | 75 % | 90 % |\n|---|---:|---:|---:|---:|---:|---:|"
    );
    for (label, scores) in &mut table {
        scores.sort_unstable();
        let at = |percent: usize| {
            scores
                .get((scores.len() * percent / 100).min(scores.len().saturating_sub(1)))
                .copied()
                .unwrap_or_default()
        };
        let cells: Vec<String> = [10, 25, 50, 75, 90].map(|it| at(it).to_string()).into();
        println!(
            "| {} | {} | {} |",
            label.trim_start_matches("~ "),
            scores.len(),
            cells.join(" | ")
        );
    }
}

/// The points of `visibility-core/src/audit/percentile.rs`: by the kind that the audit found.
fn percentiles(audited: &[(LabelledPage, AuditResult)]) {
    let mut table: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for (_, result) in audited {
        if let Some(profile) = &result.profile {
            table.entry(profile.id.as_str()).or_default().push(result.gpt_visibility_score);
        }
    }
    println!("\nScores at percentiles 5, 10, 20 to 90, 95, by the kind that was found:");
    for (kind, scores) in &mut table {
        scores.sort_unstable();
        let at = |percent: usize| scores.get(scores.len() * percent / 100).copied();
        let points = [5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95].map(at);
        let points: Vec<String> = points.iter().flatten().map(u8::to_string).collect();
        println!("{kind}: ({}, [{}])", scores.len(), points.join(", "));
    }
}

/// How many pages each signal passes, warns and fails.
fn signals(audited: &[(LabelledPage, AuditResult)]) {
    let mut table: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for (_, result) in audited {
        for signal in &result.signals {
            let verdict = serde_json::to_value(signal.status).unwrap_or_default();
            let verdict = verdict.as_str().unwrap_or_default().to_owned();
            *table.entry(&signal.code).or_default().entry(verdict).or_default() += 1;
        }
    }
    println!(
        "\n| signal | pass | warn | fail | not applicable or unknown |\n|---|---:|---:|---:|---:|"
    );
    for (code, verdicts) in &table {
        let n = |verdict: &str| verdicts.get(verdict).copied().unwrap_or_default();
        let rest: usize = verdicts.values().sum::<usize>() - n("pass") - n("warn") - n("fail");
        println!("| {code} | {} | {} | {} | {rest} |", n("pass"), n("warn"), n("fail"));
    }
}
