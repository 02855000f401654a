//! Reports as JUnit XML, for the test panels of CI systems.
//!
//! A category is a suite, a check is a case. A failed check is a failure; what is not applicable or
//! unknown is skipped; a warning passes with its text as output, unless warnings shall fail.

use quick_junit::{
    NonSuccessKind, Property, Report, SerializeError, TestCase, TestCaseStatus, TestSuite,
};

use crate::report::labels::{Labels, points};
use crate::rubric::finding::Verdict;
use crate::scan::result::{CheckResult, EvidenceResult, ScanResult};
use crate::text::escape::printable_lines;

/// The mildest verdict that is a failure.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum FailOn {
    /// Warnings and failures.
    Warn,
    /// Failures only.
    #[default]
    Fail,
}

impl FailOn {
    /// Whether a verdict is a failure.
    pub fn includes(self, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Fail => true,
            Verdict::Warn => self == Self::Warn,
            Verdict::Pass | Verdict::NotApplicable | Verdict::Unknown => false,
        }
    }
}

/// A domain, an address or a file that has no result, and why.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FailedTarget {
    /// What was asked for, as given.
    pub name: String,
    /// A stable name of the error.
    pub code: String,
    /// A sentence that says what failed.
    pub message: String,
}

/// Renders results, each in its own language; domains without a result become errors.
///
/// # Errors
///
/// When the XML cannot be written, which no result is known to cause.
pub fn render(
    results: &[Result<&ScanResult, &FailedTarget>],
    fail_on: FailOn,
) -> Result<String, SerializeError> {
    let mut report = Report::new("visibility");
    for result in results {
        match result {
            Ok(result) => {
                report.add_test_suites(suites(result, fail_on));
            }
            Err(missing) => {
                report.add_test_suite(error_suite(missing, "scan"));
            }
        }
    }
    report.to_string()
}

fn suites(result: &ScanResult, fail_on: FailOn) -> Vec<TestSuite> {
    let labels = Labels::for_result(result);
    let mut suites = Vec::new();
    for category in &result.categories {
        let mut suite = TestSuite::new(clean(&format!("{} / {}", result.domain, category.title)));
        let members = result.checks.iter().filter(|check| check.category == category.id);
        suite.add_test_cases(members.map(|check| case(result, check, fail_on, labels)));
        if suite.test_cases.is_empty() {
            continue;
        }
        if let Some(score) = result.score {
            suite.add_property(Property::new("score", score.to_string()));
        }
        if let Some(tier) = &result.tier {
            suite.add_property(Property::new("tier", clean(tier)));
        }
        suite.add_property(Property::new("rubric_version", clean(&result.rubric_version)));
        suites.push(suite);
    }
    suites
}

fn case(result: &ScanResult, check: &CheckResult, fail_on: FailOn, labels: Labels) -> TestCase {
    let judged = JunitCase {
        id: &check.id,
        class: &format!("{}.{}", result.domain, check.category.as_str()),
        verdict: check.status,
        summary: &check.summary,
        description: &description(check, labels),
    };
    judged.case(fail_on)
}

/// A check or a signal as a case.
pub(super) struct JunitCase<'a> {
    pub(super) id: &'a str,
    pub(super) class: &'a str,
    pub(super) verdict: Verdict,
    pub(super) summary: &'a str,
    pub(super) description: &'a str,
}

impl JunitCase<'_> {
    pub(super) fn case(&self, fail_on: FailOn) -> TestCase {
        let mut case = TestCase::new(clean(self.id), self.status(fail_on));
        case.set_classname(clean(self.class));
        if self.verdict == Verdict::Warn && !fail_on.includes(Verdict::Warn) {
            case.set_system_out(clean(&format!("{}\n{}", self.summary, self.description)));
        }
        case
    }

    fn status(&self, fail_on: FailOn) -> TestCaseStatus {
        match self.verdict {
            verdict if fail_on.includes(verdict) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status
                    .set_message(clean(self.summary))
                    .set_type(self.verdict.as_str())
                    .set_description(clean(self.description));
                status
            }
            Verdict::NotApplicable | Verdict::Unknown => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(clean(self.summary)).set_type(self.verdict.as_str());
                status
            }
            Verdict::Pass | Verdict::Warn | Verdict::Fail => TestCaseStatus::success(),
        }
    }
}

fn description(check: &CheckResult, labels: Labels) -> String {
    let mut lines = vec![format!(
        "{}: {} / {}",
        labels.label("points"),
        points(check.points),
        check.max_points
    )];
    lines.extend(check.signals.iter().map(|signal| {
        let verdict = labels.verdict(signal.status);
        format!("{verdict}: {}", signal.detail)
    }));
    lines.extend(check.evidence.iter().map(evidence_line));
    if let Some(fix) = &check.fix {
        lines.push(format!("{} {}", labels.label("fix"), fix.hint));
        lines.extend(fix.snippet.clone());
        lines.push(fix.docs_url.clone());
    }
    lines.join("\n")
}

fn evidence_line(evidence: &EvidenceResult) -> String {
    let mut parts = vec![format!("{} {}", evidence.method, evidence.url)];
    parts.extend(evidence.status.map(|status| status.to_string()));
    parts.extend(evidence.note.clone());
    parts.extend(evidence.excerpt.as_ref().map(|text| format!("\"{text}\"")));
    parts.join(" | ")
}

pub(super) fn error_suite(missing: &FailedTarget, case: &str) -> TestSuite {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(clean(&missing.message)).set_type(clean(&missing.code));
    let mut suite = TestSuite::new(clean(&missing.name));
    suite.add_test_case(TestCase::new(case, status));
    suite
}

/// Text fit for XML 1.0, which has no way to write most control characters and two others.
pub(super) fn clean(text: &str) -> String {
    printable_lines(text).replace(['\u{fffe}', '\u{ffff}'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_report_is_stable() {
        let result = sample::hostile();
        let missing = FailedTarget {
            name: "gone.example".to_owned(),
            code: "SCAN_UNREACHABLE".to_owned(),
            message: "no <answer> & no \"name\"".to_owned(),
        };
        insta::assert_snapshot!(render(&[Ok(&result), Err(&missing)], FailOn::Fail).unwrap());
    }

    #[test]
    fn a_warning_fails_only_when_asked() {
        let result = sample::hostile();
        let failures =
            |fail_on| render(&[Ok(&result)], fail_on).unwrap().matches("<failure").count();
        assert_eq!((failures(FailOn::Fail), failures(FailOn::Warn)), (1, 2));
    }

    #[test]
    fn a_hostile_report_is_well_formed() {
        let result = sample::hostile();
        let xml = render(&[Ok(&result)], FailOn::Fail).unwrap();
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
        assert!(!xml.contains('\u{ffff}'));
    }
}
