//! One log record: the stored fields of a request by a bot.

use crate::agents::Agent;

/// The nine fields of a record, in the order of the contract.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Field {
    /// When the request came.
    Timestamp,
    /// Who it said that it was.
    UserAgent,
    /// HTTP method.
    RequestMethod,
    /// Path and query.
    RequestPath,
    /// HTTP status of the answer.
    StatusCode,
    /// Bytes of the answer.
    ResponseBytes,
    /// Where the request came from; may be empty.
    Referrer,
    /// The site.
    Host,
    /// A hash of the client's address.
    ClientIpHash,
}

impl Field {
    /// All nine.
    pub const ALL: [Self; 9] = [
        Self::Timestamp,
        Self::UserAgent,
        Self::RequestMethod,
        Self::RequestPath,
        Self::StatusCode,
        Self::ResponseBytes,
        Self::Referrer,
        Self::Host,
        Self::ClientIpHash,
    ];

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timestamp => "timestamp",
            Self::UserAgent => "user_agent",
            Self::RequestMethod => "request_method",
            Self::RequestPath => "request_path",
            Self::StatusCode => "status_code",
            Self::ResponseBytes => "response_bytes",
            Self::Referrer => "referrer",
            Self::Host => "host",
            Self::ClientIpHash => "client_ip_hash",
        }
    }
}

/// A record that keeps all rules, borrowed from the line that it is on.
///
/// Values of the path and the referrer that look like secrets or addresses of people are redacted:
/// they are written nowhere.
#[derive(Clone, Copy, Debug)]
pub struct LogRecord<'a> {
    /// Microseconds since 1970, UTC.
    pub timestamp_micros: i64,
    /// The listed agent that the user agent claims to be. Nothing is verified.
    pub agent: &'a Agent,
    /// The agent's number in the registry.
    pub agent_index: u16,
    /// The user agent as sent.
    pub user_agent: &'a str,
    /// HTTP method, a token in upper case.
    pub request_method: &'a str,
    /// Path and query; starts with `/`.
    pub request_path: &'a str,
    /// 100 to 599.
    pub status_code: u16,
    /// Not negative.
    pub response_bytes: i64,
    /// May be empty.
    pub referrer: &'a str,
    /// A host name in lower case or an IP address, with a port if one was sent.
    pub host: &'a str,
    /// 16 to 128 characters; not an address.
    pub client_ip_hash: &'a str,
}
