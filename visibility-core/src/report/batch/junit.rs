//! A judged batch as JUnit XML.
//!
//! A rule that was broken is a suite, a record that breaks it is a case. Beyond
//! [`MAX_EXAMPLES`](super::MAX_EXAMPLES) of one rule, a last case says how many more there are.

use quick_junit::{
    NonSuccessKind, Property, Report, SerializeError, TestCase, TestCaseStatus, TestSuite,
};

use super::{ReasonSummary, RejectionExample, Rejections, advice, meaning};
use crate::error::ErrorObject;
use crate::ingest::Reason;
use crate::report::junit::clean;
use crate::report::labels::Labels;
use crate::store::Counts;

/// Renders a batch that was judged; `name` is what it is called, such as its file.
///
/// # Errors
///
/// When the XML cannot be written, which no result is known to cause.
pub fn render(
    name: &str,
    counts: &Counts,
    rejections: &Rejections,
    labels: Labels,
) -> Result<String, SerializeError> {
    let mut report = Report::new("visibility");
    if counts.rejected == 0 {
        let mut suite = suite_of(name, counts);
        suite.add_test_case(TestCase::new(labels.label("all-accepted"), TestCaseStatus::success()));
        report.add_test_suite(suite);
    }
    for (reason, found) in rejections.iter() {
        let mut suite = suite_of(&format!("{name} / {}", reason.as_str()), counts);
        for example in &found.examples {
            suite.add_test_case(case(name, reason, example, labels));
        }
        if let Some(more) = more(name, reason, found, labels) {
            suite.add_test_case(more);
        }
        report.add_test_suite(suite);
    }
    report.to_string()
}

/// Renders a batch that is refused as a whole.
///
/// # Errors
///
/// As [`render`].
pub fn render_error(name: &str, error: &ErrorObject) -> Result<String, SerializeError> {
    let code = serde_json::to_value(error.code).ok();
    let code = code.as_ref().and_then(|code| code.as_str()).unwrap_or_default();
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(clean(&error.message)).set_type(code);
    if let Some(hint) = &error.hint {
        status.set_description(clean(hint));
    }
    let mut suite = TestSuite::new(clean(name));
    suite.add_test_case(TestCase::new("payload", status));
    let mut report = Report::new("visibility");
    report.add_test_suite(suite);
    report.to_string()
}

fn suite_of(name: &str, counts: &Counts) -> TestSuite {
    let mut suite = TestSuite::new(clean(name));
    let numbers = [
        ("received", counts.received),
        ("accepted", counts.accepted),
        ("rejected", counts.rejected),
    ];
    for (name, number) in numbers {
        suite.add_property(Property::new(name, number.to_string()));
    }
    suite
}

fn case(name: &str, reason: Reason, example: &RejectionExample, labels: Labels) -> TestCase {
    let line: &dyn ToString = &example.line;
    let id: &dyn ToString = &reason.as_str();
    let message = match &example.field {
        Some(field) => {
            labels.sentence("rejected-field", &[("line", line), ("reason", id), ("field", field)])
        }
        None => labels.sentence("rejected-record", &[("line", line), ("reason", id)]),
    };
    failure(name, reason, &labels.sentence("line", &[("line", line)]), &message, labels)
}

/// The rejections that are not shown one by one.
fn more(name: &str, reason: Reason, found: &ReasonSummary, labels: Labels) -> Option<TestCase> {
    let shown = u64::try_from(found.examples.len()).unwrap_or(u64::MAX);
    let count = found.records.saturating_sub(shown);
    let message = labels.sentence("rejected-more", &[("count", &count)]);
    (count > 0).then(|| failure(name, reason, &message, &message, labels))
}

fn failure(name: &str, reason: Reason, title: &str, message: &str, labels: Labels) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let description = format!("{}.\n{}", meaning(reason, labels), advice(reason, labels));
    status.set_message(clean(message)).set_type(reason.as_str()).set_description(description);
    let mut case = TestCase::new(clean(title), status);
    case.set_classname(clean(name));
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::Rejection;
    use crate::report::batch::MAX_EXAMPLES;
    use crate::text::locale::Lang;

    #[test]
    fn failures_are_capped_and_the_rest_is_counted() {
        let mut rejections = Rejections::default();
        for line in 1..=500 {
            let reason = Reason::FieldNotAllowed;
            rejections.add(&Rejection { line, reason, field: Some("a\u{1b}<b>\u{ffff}") });
        }
        let counts = Counts { received: 600, accepted: 100, rejected: 500 };
        let xml = render("x.ndjson", &counts, &rejections, Labels::new(Lang::En)).unwrap();
        assert_eq!(xml.matches("<failure").count(), MAX_EXAMPLES + 1);
        assert!(xml.contains("400 more records rejected for this reason"), "{xml}");
        assert!(xml.contains("line 1: field_not_allowed: a &lt;b&gt; "), "{xml}");
    }
}
