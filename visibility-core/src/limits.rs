//! Every number that bounds a scan, with its unit and source.

use std::time::Duration;

/// Requests of a scan of an ordinary site: what a progress is compared with.
pub const USUAL_REQUESTS: u32 = 30;

/// Redirects that are followed. RFC 9309 section 2.3.1.2 asks for at least five.
pub const MAX_REDIRECTS: usize = 5;
/// Probes of one scan, redirects not counted.
pub const MAX_PROBES: usize = 37;
/// Requests of one scan, redirects counted.
pub const MAX_REQUESTS: usize = 60;
/// Probes that depend on what was found.
pub const MAX_CONDITIONAL_PROBES: usize = 15;
/// Pages besides the home page that a scan reads.
pub const MAX_INNER_PAGES: u8 = 3;
/// Requests to one host at a time.
pub const MAX_PARALLEL_PER_HOST: usize = 6;
/// Probes with another agent's name at a time.
pub const MAX_PARALLEL_AGENT_PROBES: usize = 2;

/// Time to connect, TLS included.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
/// Time for one probe, redirects and body included.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for a whole scan.
pub const SCAN_TIMEOUT: Duration = Duration::from_secs(25);
/// Time for a whole audit.
pub const AUDIT_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for which a result of an audit may be served instead of a new one; our choice.
pub const AUDIT_FRESH_FOR: Duration = Duration::from_mins(10);
/// Time for which a result of a scan may be served: 24 hours of the contract.
pub const SCAN_FRESH_FOR: Duration = Duration::from_hours(24);
/// Time to look up one name.
pub const DNS_TIMEOUT: Duration = Duration::from_secs(3);
/// Addresses of one name that are tried.
pub const MAX_ADDRESSES: usize = 16;
/// Longest `Retry-After` that is waited for.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(2);
/// Time that is waited after a 429 without `Retry-After`; our choice.
pub const RETRY_AFTER_429: Duration = Duration::from_secs(1);
/// Time between two requests to a host that has answered 429: five in a second; our choice.
pub const PACE_AFTER_429: Duration = Duration::from_millis(200);

/// Bytes read of a home page.
pub const MAX_HOME_BYTES: usize = 2 * 1024 * 1024;
/// Bytes read of a page that is audited.
pub const MAX_PAGE_BYTES: usize = 5 * 1024 * 1024;
/// Bytes read of a sitemap.
pub const MAX_SITEMAP_BYTES: usize = 5 * 1024 * 1024;
/// Bytes of robots.txt that are parsed: RFC 9309 section 2.5 asks for at least 500 kibibytes.
pub const MAX_ROBOTS_BYTES: usize = 500 * 1024;
/// Bytes read of anything else.
pub const MAX_DOCUMENT_BYTES: usize = 512 * 1024;
/// Bytes on the wire that a coded body may take beyond the cap of what is decoded.
pub const MAX_CODING_OVERHEAD: usize = 64 * 1024;
/// Content codings on top of each other that are decoded.
pub const MAX_CONTENT_CODINGS: usize = 2;
/// Bytes kept of one header field's value.
pub const MAX_HEADER_VALUE_BYTES: usize = 8 * 1024;
/// Bytes of a reference or an address that a site names; longer ones are not followed.
pub const MAX_URL_BYTES: usize = 2048;
/// Characters kept of a `Location`.
pub const MAX_LOCATION_CHARS: usize = 2048;
/// Characters kept of a redirect's `Vary`.
pub const MAX_VARY_CHARS: usize = 200;
/// Bytes of a response head.
pub const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Fields of a response head. Browsers and curl bound its bytes alone, and so does [`MAX_HEAD_BYTES`];
/// this bounds what the parser sets aside.
pub const MAX_HEADER_FIELDS: usize = 1_000;

/// Parts of a page that its audit names which are not main content: the largest.
pub const MAX_DROPPED_PARTS: usize = 20;
/// Characters of strangers' text in evidence.
pub const MAX_EXCERPT_CHARS: usize = 200;
/// Depth of JSON that is read.
pub const MAX_JSON_DEPTH: usize = 32;

/// Bytes of an ingestion body on the wire: 50 MB of the contract, binary.
pub const MAX_BATCH_WIRE_BYTES: u64 = 50 * 1024 * 1024;
/// Bytes of an ingestion body after its content coding: 250 MB of the contract, binary.
pub const MAX_BATCH_RAW_BYTES: u64 = 250 * 1024 * 1024;
/// Records of one batch.
pub const MAX_BATCH_RECORDS: u64 = 500_000;
/// Bytes of `request_path`: 8 KB of the contract, binary.
pub const MAX_REQUEST_PATH_BYTES: usize = 8 * 1024;
/// Bytes of `referrer`; our choice, the same as for the path.
pub const MAX_REFERRER_BYTES: usize = 8 * 1024;
/// Bytes of `host`: the longest name of the DNS.
pub const MAX_HOST_BYTES: usize = 253;
/// Characters of `client_ip_hash`, least and most; our choice.
pub const IP_HASH_CHARS: std::ops::RangeInclusive<usize> = 16..=128;
/// Bytes of a field's name in a rejection.
pub const MAX_REJECTED_FIELD_BYTES: usize = 64;
/// Age of the oldest record that is taken, in days.
pub const MAX_RECORD_AGE_DAYS: i64 = 90;
/// How far a record may be ahead of the server's clock, in seconds; our choice.
pub const FUTURE_SKEW_SECONDS: i64 = 5;
/// Parameters of one query; our choice.
pub const MAX_QUERY_PARAMETERS: usize = 512;
/// Batches of one tenant in an hour.
pub const BATCHES_PER_HOUR: u32 = 60;
/// Requests of one tenant in [`BURST_WINDOW`].
pub const BURST: u32 = 10;
/// The window of [`BURST`].
pub const BURST_WINDOW: Duration = Duration::from_secs(10);
/// Days for which an ingestion token is meant to be used.
pub const TOKEN_ROTATION_DAYS: i64 = 90;
/// Days for which an old token works on beside its successor; our choice.
pub const TOKEN_OVERLAP_DAYS: i64 = 7;
/// Tokens of one tenant that are active at the same time.
pub const MAX_ACTIVE_TOKENS: usize = 2;
/// Days for which the answer to a batch is remembered: beyond the age at which its records are
/// refused anyway, and a week for clocks and retries.
pub const LEDGER_DAYS: i64 = 97;
/// Bytes of an answer that is kept beside its ledger row; a longer one is an object of its own.
pub const MAX_INLINE_RESPONSE_BYTES: usize = 16 * 1024;
/// Days for which counts by hour are stored: a quarter, and the days at both of its ends.
pub const HOUR_DAYS: u32 = 95;
/// Most days that are shown hour by hour.
pub const MAX_DAYS_BY_HOUR: i64 = 31;
/// Hosts of one tenant that rollups tell apart; the rest is `(other)`.
pub const MAX_ROLLUP_HOSTS: usize = 1000;
