//! A record as it is stored in a file.

use visibility_core::ingest::LogRecord;

/// One row of a file of records. The agent is known by its id only: the registry that it was matched
/// with may be an older one.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct StoredRecord<'a> {
    /// Site.
    pub host: &'a str,
    /// Id of the agent.
    pub agent: &'a str,
    /// Microseconds since 1970, UTC.
    pub timestamp_micros: i64,
    /// The user agent as sent.
    pub user_agent: &'a str,
    /// HTTP method.
    pub request_method: &'a str,
    /// Path and query.
    pub request_path: &'a str,
    /// HTTP status.
    pub status_code: u16,
    /// Bytes of the answer.
    pub response_bytes: i64,
    /// May be empty.
    pub referrer: &'a str,
    /// A hash of the client's address.
    pub client_ip_hash: &'a str,
}

impl<'a> From<&LogRecord<'a>> for StoredRecord<'a> {
    fn from(record: &LogRecord<'a>) -> Self {
        Self {
            host: record.host,
            agent: &record.agent.id,
            timestamp_micros: record.timestamp_micros,
            user_agent: record.user_agent,
            request_method: record.request_method,
            request_path: record.request_path,
            status_code: record.status_code,
            response_bytes: record.response_bytes,
            referrer: record.referrer,
            client_ip_hash: record.client_ip_hash,
        }
    }
}

impl StoredRecord<'_> {
    /// The bytes of the answer as they are summed up.
    pub(super) fn counted_bytes(&self) -> u64 {
        self.response_bytes.max(0).unsigned_abs()
    }
}
