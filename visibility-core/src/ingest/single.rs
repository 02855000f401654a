//! Judges one record alone.

use crate::agents::{Agent, Registry};
use crate::ingest::{BatchError, BatchReader, LogRecord, Reason, RecordSink, Rejection, Rules};
use crate::store::StoreError;

/// What a record is worth.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RecordVerdict {
    /// It keeps all rules, and this agent has asked.
    Accepted(Box<Agent>),
    /// It breaks a rule.
    Rejected {
        /// The first rule that it breaks.
        reason: Reason,
        /// The field that breaks it.
        field: Option<String>,
    },
}

/// Judges one record, as a line of a batch is judged.
///
/// # Errors
///
/// When it is not one JSON object.
pub fn validate_record(json: &str, rules: &Rules) -> Result<RecordVerdict, BatchError> {
    let mut sink = LastVerdict(None);
    let rules = Rules { max_records: 1, ..rules.clone() };
    let mut reader = BatchReader::new(&rules, Registry::embedded(), &mut sink);
    reader.feed(json.as_bytes())?;
    reader.finish()?;
    sink.0.ok_or(BatchError::Empty)
}

struct LastVerdict(Option<RecordVerdict>);

impl RecordSink for LastVerdict {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        self.0 = Some(RecordVerdict::Accepted(Box::new(record.agent.clone())));
        Ok(())
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError> {
        let field = rejection.field.map(str::to_owned);
        self.0 = Some(RecordVerdict::Rejected { reason: rejection.reason, field });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    const RECORD: &str = r#"{"timestamp":"2026-11-20T10:00:00Z","user_agent":"GPTBot/1.2","request_method":"GET","request_path":"/","status_code":200,"response_bytes":1,"referrer":"","host":"a.example","client_ip_hash":"9f86d081884c7d659a2feaa0c55ad015"}"#;

    fn judge(json: &str) -> Result<RecordVerdict, BatchError> {
        let now = DateTime::from_timestamp(1_795_600_000, 0).unwrap();
        validate_record(json, &Rules::at(now))
    }

    #[test]
    fn a_record_is_accepted_with_its_agent() {
        let verdict = judge(RECORD).unwrap();
        assert!(matches!(verdict, RecordVerdict::Accepted(agent) if agent.name == "GPTBot"));
    }

    #[test]
    fn a_rejection_says_why() {
        let rejected = |reason, field: Option<&str>| RecordVerdict::Rejected {
            reason,
            field: field.map(str::to_owned),
        };
        for (from, to, verdict) in [
            ("GPTBot/1.2", "curl/8", rejected(Reason::UserAgentNotInAllowlist, None)),
            ("\"host\"", "\"ip\"", rejected(Reason::FieldNotAllowed, Some("ip"))),
            ("2026-11", "2025-11", rejected(Reason::TimestampTooOld, Some("timestamp"))),
        ] {
            assert_eq!(judge(&RECORD.replace(from, to)).unwrap(), verdict, "{to}");
        }
    }

    #[test]
    fn what_is_not_one_record_is_an_error() {
        assert!(matches!(judge("{"), Err(BatchError::Malformed { line: 1, .. })));
        assert!(matches!(judge(" "), Err(BatchError::Empty)));
        let two = format!("{RECORD}\n{RECORD}");
        assert!(matches!(judge(&two), Err(BatchError::TooManyRecords { limit: 1 })));
    }
}
