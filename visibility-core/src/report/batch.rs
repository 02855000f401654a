//! Summarizes the rejections of a batch: counts by reason and field, and the first lines.

pub mod junit;

use std::collections::BTreeMap;

use crate::error::{ErrorCode, ErrorObject, Problem};
use crate::ingest::{BatchError, Reason, Rejection};
use crate::limits::MAX_BATCH_WIRE_BYTES;
use crate::report::labels::Labels;
use crate::text::locale::Values;

/// Rejections of one reason that are kept one by one; of the others, the number.
pub const MAX_EXAMPLES: usize = 100;
/// Fields of one reason that are distinguished: senders choose the names of fields that are not allowed.
pub const MAX_FIELDS: usize = 32;
/// Lines that are kept of one field.
pub const MAX_LINES: usize = 5;

/// Rejections, summed up. Its size is bounded, however many there are.
#[derive(Clone, Debug, Default)]
pub struct Rejections(BTreeMap<Reason, ReasonSummary>);

/// The rejections of one reason.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReasonSummary {
    /// Number of rejected records.
    pub records: u64,
    /// The first of them.
    pub examples: Vec<RejectionExample>,
    /// Those that name a field, by field.
    pub fields: BTreeMap<String, LineSample>,
    /// Those that name none, or one beyond [`MAX_FIELDS`].
    pub others: LineSample,
}

/// A rejection.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RejectionExample {
    /// Line in the body, from 1.
    pub line: u64,
    /// The field, if the rejection names one.
    pub field: Option<String>,
}

/// Lines, the first of them by number.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct LineSample {
    /// Number of records with this reason.
    pub count: u64,
    /// The first.
    pub first: Vec<u64>,
}

impl Rejections {
    /// Takes one more.
    pub fn add(&mut self, rejection: &Rejection<'_>) {
        let found = self.0.entry(rejection.reason).or_default();
        found.records += 1;
        if found.examples.len() < MAX_EXAMPLES {
            let field = rejection.field.map(str::to_owned);
            found.examples.push(RejectionExample { line: rejection.line, field });
        }
        found.lines(rejection.field).add(rejection.line);
    }

    /// The reasons that occurred, in the order in which the rules are looked at.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, &ReasonSummary)> {
        self.0.iter().map(|(reason, found)| (*reason, found))
    }

    /// The rejections of a reason, if there are any.
    pub fn for_reason(&self, reason: Reason) -> Option<&ReasonSummary> {
        self.0.get(&reason)
    }
}

impl ReasonSummary {
    /// The lines of a field; it is copied only when it is new.
    fn lines(&mut self, field: Option<&str>) -> &mut LineSample {
        let Some(name) = field else { return &mut self.others };
        if !self.fields.contains_key(name) {
            if self.fields.len() == MAX_FIELDS {
                return &mut self.others;
            }
            self.fields.insert(name.to_owned(), LineSample::default());
        }
        self.fields.get_mut(name).unwrap_or(&mut self.others)
    }
}

impl LineSample {
    fn add(&mut self, line: u64) {
        self.count += 1;
        if self.first.len() < MAX_LINES {
            self.first.push(line);
        }
    }
}

/// What a reason means.
pub fn meaning(reason: Reason, labels: Labels) -> String {
    labels.catalog().text(&["ingest", "reasons", reason.as_str(), "text"])
}

/// What to do about a reason.
pub fn advice(reason: Reason, labels: Labels) -> String {
    labels.catalog().text(&["ingest", "reasons", reason.as_str(), "fix"])
}

/// Why a batch is refused as a whole: what the endpoint says, in words of a language. `None` if it was
/// not the batch's fault: it could not be read, or its records could not be kept.
pub fn batch_error(error: &BatchError, labels: Labels) -> Option<ErrorObject> {
    let (id, values) = match error {
        BatchError::Malformed { line, column, expected } => {
            let values = [
                ("line", line.to_string()),
                ("column", column.to_string()),
                ("expected", expected.clone()),
            ];
            ("malformed", Values::from(values))
        }
        BatchError::Coding(problem) => {
            let problem = problem.note().sentence(labels.catalog());
            ("coding", Values::from([("problem", problem)]))
        }
        BatchError::Empty => ("empty", Values::new()),
        BatchError::TooManyBytes { limit } => ("too-many-bytes", limited(*limit)),
        BatchError::TooManyRecords { limit } => ("too-many-records", limited(*limit)),
        BatchError::Read(_) | BatchError::Sink(_) => return None,
    };
    Some(in_words(Problem::from(error).object(labels.catalog().lang()), id, &values, labels))
}

/// A batch that is too long before it is decoded.
pub fn too_many_wire_bytes(labels: Labels) -> ErrorObject {
    let object = ErrorObject::new(ErrorCode::PayloadTooLarge, String::new())
        .detail("limit", MAX_BATCH_WIRE_BYTES)
        .detail("unit", "octets");
    in_words(object, "too-many-wire-bytes", &limited(MAX_BATCH_WIRE_BYTES), labels)
}

fn limited(limit: u64) -> Values {
    Values::from([("limit", limit.to_string())])
}

fn in_words(mut object: ErrorObject, id: &str, values: &Values, labels: Labels) -> ErrorObject {
    let text = |part| labels.catalog().fill(&["ingest", "payload", id, part], values);
    object.message = text("text");
    object.hint(text("hint"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::locale::Lang;

    fn rejection(line: u64, field: Option<&str>) -> Rejection<'_> {
        Rejection { line, reason: Reason::FieldNotAllowed, field }
    }

    #[test]
    fn what_is_kept_of_rejections_is_bounded_and_what_is_counted_is_not() {
        let mut rejections = Rejections::default();
        for line in 1..=10_000 {
            rejections.add(&rejection(line, Some(&format!("field_{line}"))));
        }
        rejections.add(&rejection(10_001, Some("field_1")));
        let found = rejections.for_reason(Reason::FieldNotAllowed).unwrap();
        assert_eq!(found.records, 10_001);
        assert_eq!(found.examples.len(), MAX_EXAMPLES);
        assert_eq!(found.fields.len(), MAX_FIELDS);
        assert_eq!(found.fields["field_1"], LineSample { count: 2, first: vec![1, 10_001] });
        assert_eq!(found.others.count, 10_000 - MAX_FIELDS as u64);
        assert_eq!(found.others.first, [33, 34, 35, 36, 37]);
    }

    #[test]
    fn every_reason_has_a_meaning_and_an_advice_in_both_languages() {
        for lang in Lang::ALL {
            let labels = Labels::new(lang);
            for reason in Reason::ALL {
                for sentence in [meaning(reason, labels), advice(reason, labels)] {
                    assert!(sentence.contains(' '), "{lang} {reason:?}: {sentence}");
                }
            }
            let known = labels.catalog().keys(&["ingest", "reasons"]);
            assert_eq!(known.len(), Reason::ALL.len());
        }
    }

    #[test]
    fn a_reason_has_the_same_name_everywhere() {
        for reason in Reason::ALL {
            assert_eq!(serde_json::json!(reason), reason.as_str());
        }
    }

    #[test]
    fn a_refusal_names_the_place_and_never_a_value() {
        let error =
            BatchError::Malformed { line: 3, column: 7, expected: "a JSON object".to_owned() };
        let object = batch_error(&error, Labels::new(Lang::En)).unwrap();
        assert_eq!(object.code, ErrorCode::MalformedPayload);
        assert_eq!(object.message, "line 3, column 7: expected a JSON object");
        let details = serde_json::json!({"line": 3, "column": 7, "expected": "a JSON object"});
        assert_eq!(serde_json::Value::Object(object.details), details);
    }
}
