//! From the access log of a web server to records for ingestion.
//!
//! ```text
//! bytes -> lines -> layers of containers off -> entry -> agent? -> client behind proxies -> denied parameters out
//!       -> address as a keyed hash -> judged as the server would -> sink
//! ```
//!
//! Every line is read, and each is counted once: as a record, or with the reason why it is none ([`LineCounts`]). Nothing of
//! a line leaves but the nine fields of a record.
//!
//! ```
//! use chrono::DateTime;
//! use visibility_core::access_log::{
//!     Filter, FilterSettings, HashKey, HashPeriod, KeyMap, LineParser, LineSkipReason, detect,
//! };
//! use visibility_core::ingest::{LogRecord, RecordSink, Rejection, Rules};
//! use visibility_core::store::StoreError;
//!
//! struct Paths(Vec<String>);
//!
//! impl RecordSink for Paths {
//!     fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
//!         self.0.push(format!("{} {}", record.agent.name, record.request_path));
//!         Ok(())
//!     }
//!
//!     fn reject(&mut self, _: &Rejection<'_>) -> Result<(), StoreError> {
//!         Ok(())
//!     }
//! }
//!
//! let log = br#"203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] "GET /pricing?token=x HTTP/1.1" 200 5 "-" "GPTBot/1.3"
//! 203.0.113.9 - - [20/Nov/2026:23:20:37 +0000] "GET / HTTP/1.1" 200 5 "-" "Mozilla/5.0"
//! "#;
//! let now = DateTime::parse_from_rfc3339("2026-11-21T00:00:00Z").unwrap().to_utc();
//! let format = detect(log, true, &KeyMap::default()).unwrap().format;
//! let settings = FilterSettings {
//!     key: HashKey::new(b"a secret of the source").unwrap(),
//!     period: HashPeriod::NinetyDays,
//!     joins_ipv6_networks: false,
//!     default_host: Some("www.example.com".to_owned()),
//!     proxies: Vec::new(),
//!     identities: None,
//!     drops_impostors: false,
//!     not_before: DateTime::UNIX_EPOCH,
//!     rules: Rules::at(now),
//! };
//! let parser = LineParser::new(format, KeyMap::default());
//! let mut filter = Filter::new(parser, settings, Paths(Vec::new()));
//! filter.feed(log).unwrap();
//! filter.end_file().unwrap();
//! assert_eq!(filter.sink_mut().0, ["GPTBot /pricing"]);
//! assert_eq!(filter.counts().skipped(LineSkipReason::NotAnAgent), 1);
//! ```

mod alb;
mod client;
mod combined;
mod counts;
mod entry;
mod escape;
mod explained;
mod filter;
mod format;
mod identity;
mod ip_hash;
mod json;
mod lines;
pub mod summary;
mod time;
mod w3c;
mod wrapper;

pub use self::counts::{LineCounts, LineSkipReason};
pub use self::entry::{LogEntry, NoEntry};
pub use self::explained::ExplainedRecord;
pub use self::filter::{Filter, FilterSettings, LogSink};
pub use self::format::{
    AccessLogFormat, BytesKind, DetectError, DetectedFormat, LineParser, LoggedFields,
    SAMPLE_LINES, detect,
};
pub use self::ip_hash::{HashKey, HashPeriod, MIN_KEY_BYTES, ShortKey};
pub use self::json::{KeyMap, LogField};

#[cfg(test)]
mod tests;
