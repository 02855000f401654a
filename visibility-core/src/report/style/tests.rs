//! The sheet has the rules that are needed, and no others.

use std::collections::BTreeSet;

use super::*;
use crate::agents::Purpose;
use crate::audit::result::AuditResult;
use crate::report::junit::FailedTarget;
use crate::report::logs::sample::Given;
use crate::report::{audit, html, logs, sample};
use crate::scan::facts::access::{Access, Effective};
use crate::scan::result::ScanResult;
use crate::text::locale::Lang;

/// Bytes of the sheet.
const MAX_BYTES: usize = 24 * 1024;
/// Bytes of the sheet as gzip.
const MAX_GZIP_BYTES: usize = 6 * 1024;

/// The classes that a sheet has rules for.
fn classes_of_rules(sheet: &str) -> BTreeSet<&str> {
    let selectors = sheet.lines().filter_map(|line| line.split_once('{')).map(|(before, _)| before);
    let selectors = selectors.filter(|selector| !selector.trim_start().starts_with('@'));
    let named = selectors.flat_map(|selector| selector.split('.').skip(1));
    named.filter_map(|rest| rest.split(|ch: char| !is_name(ch)).next()).collect()
}

fn is_name(ch: char) -> bool {
    ch.is_ascii_alphanumeric() || ch == '-'
}

/// The classes that elements have.
fn classes_of_elements(html: &str) -> BTreeSet<&str> {
    let lists = html.split(" class=\"").skip(1).filter_map(|rest| rest.split('"').next());
    lists.flat_map(str::split_whitespace).collect()
}

fn reports() -> Vec<String> {
    let (mut scan, audit) = (sample::with_files(), audit::sample::hostile());
    // What one site seldom has all of.
    scan.plan_score = Some(99);
    scan.agents[0].effective = Effective::BlockedByWall;
    scan.agents[1].purpose = Purpose::Other;
    let mut open = sample::with_files();
    for agent in &mut open.agents {
        (agent.effective, agent.access) = (Effective::Untested, Access::Allowed);
    }
    let missing = FailedTarget {
        name: "gone.example.com".to_owned(),
        code: "UNREACHABLE".to_owned(),
        message: "Nothing answers".to_owned(),
    };
    let scans: [Result<&ScanResult, &FailedTarget>; 2] = [Ok(&scan), Err(&missing)];
    let audits: [Result<&AuditResult, &FailedTarget>; 2] = [Ok(&audit), Err(&missing)];
    vec![
        html::render(&scan).into_string(),
        html::render(&sample::hostile()).into_string(),
        html::render(&open).into_string(),
        html::render_several(&scans, Lang::En).into_string(),
        audit::html::render(&audit).into_string(),
        audit::html::render(&audit::sample::refused()).into_string(),
        audit::html::render_several(&audits, Lang::Tr).into_string(),
    ]
}

#[test]
fn the_sheet_is_small() {
    let compressed = {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(WHOLE.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    assert!(WHOLE.len() <= MAX_BYTES, "{}", WHOLE.len());
    assert!(compressed.len() <= MAX_GZIP_BYTES, "{}", compressed.len());
}

#[test]
fn nothing_in_it_asks_for_a_file() {
    for asking in ["url(", "@import", "@font-face", "expression("] {
        assert!(!WHOLE.contains(asking), "{asking}");
    }
}

/// Reports on logs, with every section.
fn log_reports() -> Vec<String> {
    let some = logs::sample::whole("fox");
    let several = Given { hosts: &["www.example.com", "shop.example.com"], ..Given::default() };
    let several = logs::sample::report(&logs::sample::log(5, "fox"), &several);
    [some, several].map(|report| logs::html::render(&report, Lang::En).into_string()).to_vec()
}

#[test]
fn a_report_has_rules_for_all_its_classes_and_no_rules_for_others() {
    let of_logs_alone = include_str!("traffic.css");
    for (reports, sheet, own) in
        [(reports(), OF_REPORTS, OF_REPORTS), (log_reports(), OF_LOGS, of_logs_alone)]
    {
        let used: BTreeSet<&str> =
            reports.iter().flat_map(|report| classes_of_elements(report)).collect();
        let ruled = classes_of_rules(sheet);
        let own = classes_of_rules(own);
        let unused: Vec<_> = own.difference(&used).collect();
        assert!(unused.is_empty(), "rules that no report uses: {unused:?}");
        // What is neither good nor bad looks as everything does.
        let unruled = used.difference(&ruled).filter(|class| !["fair", "line"].contains(*class));
        let unruled: Vec<_> = unruled.collect();
        assert!(unruled.is_empty(), "classes without a rule: {unruled:?}");
    }
}
