//! Audits as JUnit XML, for the test panels of CI systems.
//!
//! A page is a suite, a signal is a case, and so is a gate, whether it is closed or not. A failed
//! signal and a closed gate are failures; what is not applicable or unknown is skipped; a warning
//! passes with its text as output, unless warnings shall fail. A page that could not be judged is an
//! error.

use quick_junit::{
    NonSuccessKind, Property, Report, SerializeError, TestCase, TestCaseStatus, TestSuite,
};

use crate::audit::cap::AuditCap;
use crate::audit::result::{AuditEvidenceResult, AuditResult, AuditSignalResult};
use crate::report::audit;
use crate::report::junit::{FailOn, FailedTarget, JunitCase, clean, error_suite};
use crate::report::labels::{Labels, points};

/// Renders results, each in its own language; pages without a result become errors.
///
/// # Errors
///
/// When the XML cannot be written, which no result is known to cause.
pub fn render(
    results: &[Result<&AuditResult, &FailedTarget>],
    fail_on: FailOn,
) -> Result<String, SerializeError> {
    let mut report = Report::new("visibility");
    report.add_test_suites(results.iter().map(|result| match result {
        Ok(result) => suite(result, fail_on),
        Err(missing) => error_suite(missing, "audit"),
    }));
    report.to_string()
}

fn suite(result: &AuditResult, fail_on: FailOn) -> TestSuite {
    let labels = Labels::for_lang(&result.lang);
    let mut suite = TestSuite::new(clean(&result.url));
    let profile = result.profile.as_ref().map(|profile| profile.id.as_str().to_owned());
    let properties = [
        ("score", Some(result.gpt_visibility_score.to_string())),
        ("band", result.band.clone()),
        ("status", Some(result.status.as_str().to_owned())),
        ("profile", profile),
        ("rubric_version", Some(result.rubric_version.clone())),
    ];
    for (name, value) in properties {
        if let Some(value) = value {
            suite.add_property(Property::new(name, clean(&value)));
        }
    }
    suite.add_test_case(page(result, labels));
    if result.status.has_page() {
        suite.add_test_cases(AuditCap::ALL.into_iter().map(|cap| gate_case(result, cap, labels)));
    }
    suite.add_test_cases(result.signals.iter().map(|signal| case(result, signal, fail_on, labels)));
    suite
}

/// Whether there was a page to judge.
fn page(result: &AuditResult, labels: Labels) -> TestCase {
    let status = if result.status.has_page() {
        TestCaseStatus::success()
    } else {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        let meaning = labels.status_meaning(result.status);
        status
            .set_message(clean(&format!("{}. {}", audit::status(result, labels), result.summary)))
            .set_type(result.status.as_str())
            .set_description(clean(&meaning));
        status
    };
    let mut case = TestCase::new("page", status);
    case.set_classname(clean(&result.url));
    case
}

fn gate_case(result: &AuditResult, cap: AuditCap, labels: Labels) -> TestCase {
    let closed = result.gates.iter().find(|closed| closed.id == cap);
    let status = closed.map_or_else(TestCaseStatus::success, |closed| {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let signal = format!("{}: {}", labels.audit("signal"), closed.signal);
        status.set_message(clean(&closed.text)).set_type("gate").set_description(clean(&signal));
        status
    });
    let mut case = TestCase::new(cap.as_str(), status);
    case.set_classname(clean(&format!("{}.gates", result.url)));
    case
}

fn case(
    result: &AuditResult,
    signal: &AuditSignalResult,
    fail_on: FailOn,
    labels: Labels,
) -> TestCase {
    let judged = JunitCase {
        id: &signal.id,
        class: &format!("{}.{}", result.url, signal.pillar.as_str()),
        verdict: signal.status,
        summary: &signal.summary,
        description: &description(result, signal, labels),
    };
    judged.case(fail_on)
}

fn description(result: &AuditResult, signal: &AuditSignalResult, labels: Labels) -> String {
    let (earned, max) = (points(signal.points), points(signal.max_points));
    let mut lines = vec![format!("{}: {earned} / {max}", labels.label("points"))];
    lines.extend(signal.details.iter().map(|detail| {
        let verdict = labels.verdict(detail.status);
        format!("{verdict}: {}", detail.text)
    }));
    lines.extend(signal.evidence.iter().map(|evidence| evidence_line(evidence, labels)));
    if let Some(fix) = result.fixes.iter().find(|fix| fix.signal == signal.id) {
        lines.push(format!("{} {}", labels.label("fix"), fix.hint));
        lines.extend(fix.snippet.clone());
    }
    lines.extend(signal.sources.first().map(|source| source.url.clone()));
    lines.join("\n")
}

/// Where, and the text there.
fn evidence_line(evidence: &AuditEvidenceResult, labels: Labels) -> String {
    let mut parts = vec![evidence.url.clone()];
    parts.extend(evidence.line.map(|line| labels.sentence("line", &[("line", &line)])));
    parts.extend(evidence.css.clone());
    parts.extend(audit::remark(evidence).map(str::to_owned));
    parts.extend(evidence.quote.as_ref().map(|text| format!("\"{text}\"")));
    parts.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::audit::sample;
    use crate::rubric::finding::Verdict;

    #[test]
    fn a_report_is_stable() {
        let (page, refused) = (sample::hostile(), sample::refused());
        let missing = FailedTarget {
            name: "gone.html".to_owned(),
            code: "NO_FILE".to_owned(),
            message: "no <file> & no \"name\"".to_owned(),
        };
        let results = [Ok(&page), Ok(&refused), Err(&missing)];
        insta::assert_snapshot!(render(&results, FailOn::Fail).unwrap());
    }

    #[test]
    fn a_warning_fails_only_when_asked() {
        let result = sample::hostile();
        let warnings = result.signals.iter().filter(|one| one.status == Verdict::Warn).count();
        let failures =
            |fail_on| render(&[Ok(&result)], fail_on).unwrap().matches("<failure").count();
        assert!(warnings > 0);
        assert_eq!(failures(FailOn::Warn), failures(FailOn::Fail) + warnings);
    }

    #[test]
    fn a_hostile_report_is_well_formed() {
        let result = sample::hostile();
        let xml = render(&[Ok(&result)], FailOn::Warn).unwrap();
        let mut reader = quick_xml::Reader::from_str(&xml);
        loop {
            match reader.read_event().expect("well-formed") {
                quick_xml::events::Event::Eof => break,
                quick_xml::events::Event::Start(tag) => {
                    assert_ne!(tag.name().as_ref(), b"script");
                }
                _ => {}
            }
        }
        assert!(!xml.contains(['\u{ffff}', '\u{1b}', '\u{202e}', '\u{0}']), "{xml}");
    }
}
