//! Every number that bounds a scan, with its unit and source.

use std::time::Duration;

/// Redirects that are followed. RFC 9309 section 2.3.1.2 asks for at least five.
pub const MAX_REDIRECTS: usize = 5;
/// Probes of one scan, redirects not counted.
pub const MAX_PROBES: usize = 31;
/// Requests of one scan, redirects counted.
pub const MAX_REQUESTS: usize = 60;
/// Probes that depend on what was found.
pub const MAX_CONDITIONAL_PROBES: usize = 9;
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
/// Time to look up one name.
pub const DNS_TIMEOUT: Duration = Duration::from_secs(3);
/// Addresses of one name that are tried.
pub const MAX_ADDRESSES: usize = 16;
/// Longest `Retry-After` that is waited for, once.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(2);

/// Octets read of a home page.
pub const MAX_HOME_BYTES: usize = 2 * 1024 * 1024;
/// Octets read of a sitemap.
pub const MAX_SITEMAP_BYTES: usize = 5 * 1024 * 1024;
/// Octets of robots.txt that are parsed: RFC 9309 section 2.5 asks for at least 500 kibibytes.
pub const MAX_ROBOTS_BYTES: usize = 500 * 1024;
/// Octets read of anything else.
pub const MAX_DOCUMENT_BYTES: usize = 512 * 1024;
/// Octets on the wire that a coded body may take beyond the cap of what is decoded.
pub const MAX_CODING_OVERHEAD: usize = 64 * 1024;
/// Octets kept of one header field's value.
pub const MAX_HEADER_VALUE_BYTES: usize = 8 * 1024;
/// Octets of a reference or an address that a site names; longer ones are not followed.
pub const MAX_URL_BYTES: usize = 2048;
/// Characters kept of a `Location`.
pub const MAX_LOCATION_CHARS: usize = 2048;
/// Octets of a response head.
pub const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Fields of a response head.
pub const MAX_HEADER_FIELDS: usize = 100;

/// Characters of strangers' text in evidence.
pub const MAX_EXCERPT_CHARS: usize = 200;
/// Depth of JSON that is read.
pub const MAX_JSON_DEPTH: usize = 32;
