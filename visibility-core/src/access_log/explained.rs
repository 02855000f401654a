//! A line beside the record that was made of it, for people.

use std::net::IpAddr;

use chrono::DateTime;

use super::client::Client;
use super::entry::LogEntry;
use crate::agents::Agent;
use crate::ingest::LogRecord;
use crate::ingest::denylist::Denylist;
use crate::ingest::redaction::Redaction;
use crate::text::escape::printable;

/// What is in the place of a parameter that was taken out.
const REMOVED: &str = "[removed]";

/// A line that became a record. What the record must not have is in neither.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainedRecord {
    /// The number of the line, from 1, in all files together.
    pub line: u64,
    /// The line, in one form for all formats: the address is cut, and `[removed]` is in the place of each
    /// denied parameter.
    pub before: String,
    /// The record, as JSON.
    pub after: String,
    /// Who has asked.
    pub agent: Agent,
}

/// A record that was accepted, as long as its line is not forgotten.
#[derive(Debug)]
pub(super) struct AcceptedRecord {
    json: String,
    referrer: String,
    agent: Agent,
}

impl AcceptedRecord {
    pub(super) fn new(record: &LogRecord<'_>) -> Self {
        let mut json = Vec::new();
        record.write_json(&mut json);
        Self {
            json: String::from_utf8_lossy(json.trim_ascii_end()).into_owned(),
            referrer: record.referrer.to_owned(),
            agent: record.agent.clone(),
        }
    }

    /// The line beside its record.
    pub(super) fn explain(
        self,
        line: u64,
        entry: &LogEntry<'_>,
        client: &Client<'_>,
        denylist: &mut Denylist,
    ) -> ExplainedRecord {
        let marked = denylist.mark(entry.target.as_deref().unwrap_or_default(), REMOVED);
        let mut scratch = String::new();
        let target =
            Redaction::default().redact(marked.as_deref().unwrap_or(REMOVED), &mut scratch);
        let time = DateTime::from_timestamp_millis(entry.time_millis).unwrap_or_default();
        let before = format!(
            r#"{}{} [{}] "{} {target}" {} {} "{}" "{}""#,
            entry.host.as_deref().map(|host| format!("{host} ")).unwrap_or_default(),
            masked(client),
            time.format("%d/%b/%Y:%H:%M:%S +0000"),
            entry.method.as_deref().unwrap_or_default(),
            entry.status.unwrap_or_default(),
            entry.response_bytes.unwrap_or_default(),
            if self.referrer.is_empty() { "-" } else { &self.referrer },
            entry.user_agent.as_deref().unwrap_or_default(),
        );
        ExplainedRecord {
            line,
            before: printable(&before).into_owned(),
            after: self.json,
            agent: self.agent,
        }
    }
}

/// An address without its last part.
fn masked(client: &Client<'_>) -> String {
    match client {
        Client::Address(IpAddr::V4(address)) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.x")
        }
        Client::Address(IpAddr::V6(address)) => {
            let [a, b, ..] = address.segments();
            format!("{a:x}:{b:x}::x")
        }
        Client::Name(_) => "(name)".to_owned(),
        Client::Unknown => "-".to_owned(),
    }
}
