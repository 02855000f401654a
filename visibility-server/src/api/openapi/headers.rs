//! Response headers in the OpenAPI descriptions.

use std::collections::BTreeSet;

use serde_json::Value;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::openapi::{OpenApi, Ref, RefOr, Response, Type};

use super::description;

/// Where headers are in a description.
const PLACE: &str = "#/components/headers/";

/// A header of an answer: its name, what it says, and an example.
pub(super) struct ResponseHeader {
    /// What it is called among the headers of the description.
    key: &'static str,
    name: &'static str,
    description: &'static str,
    example: &'static str,
}

/// On every answer.
pub(super) const REQUEST_ID: ResponseHeader = ResponseHeader {
    key: "X-Request-Id",
    name: "X-Request-Id",
    description: "Identifies the request in the log of the service: the value you sent if it has \
        8 to 64 characters of `A-Za-z0-9_-`, otherwise a new one.",
    example: "req_01a1fe64525873f4ae13fbe21ae32fdc",
};
/// What the limits are.
pub(super) const RATE_LIMIT_POLICY: ResponseHeader = ResponseHeader {
    key: "RateLimit-Policy",
    name: "RateLimit-Policy",
    description: "The limits of this key: `q` requests in `w` seconds. Limits that are switched \
        off are left out.",
    example: "\"minute\";q=30;w=60, \"daily\";q=500;w=86400",
};
/// What is left of them.
pub(super) const RATE_LIMIT: ResponseHeader = ResponseHeader {
    key: "RateLimit",
    name: "RateLimit",
    description: "What remains: `r` requests, and `t` seconds until more are available.",
    example: "\"minute\";r=29;t=60, \"daily\";r=499;t=86400",
};
/// When to ask again.
pub(super) const RETRY_AFTER: ResponseHeader = ResponseHeader {
    key: "Retry-After",
    name: "Retry-After",
    description: "Seconds to wait before the next attempt.",
    example: "42",
};
/// The challenge of a 401, and of a 403 for want of a scope.
pub(super) const WWW_AUTHENTICATE: ResponseHeader = ResponseHeader {
    key: "WWW-Authenticate",
    name: "WWW-Authenticate",
    description: "The kind of credential required and, for a token that is not accepted or does \
        not allow this, the reason.",
    example: "Bearer",
};
/// The validator of a body.
pub(super) const ETAG: ResponseHeader = ResponseHeader {
    key: "ETag",
    name: "ETag",
    description: "The validator of this body; send it as `If-None-Match`.",
    example: "\"9f86d081884c7d659a2feaa0c55ad015\"",
};
/// `Cache-Control: no-store`.
pub(super) const UNCACHED: ResponseHeader = ResponseHeader {
    key: "Cache-Control",
    name: "Cache-Control",
    description: "The response must not be cached.",
    example: "no-store",
};
/// That anybody may keep it for a while.
pub(super) const CACHED: ResponseHeader = ResponseHeader {
    key: "Cache-Control-Public",
    name: "Cache-Control",
    description: "Any cache may store the response for five minutes.",
    example: "public, max-age=300",
};
/// That it is the answer to one client.
pub(super) const CACHED_HERE: ResponseHeader = ResponseHeader {
    key: "Cache-Control-Scan",
    name: "Cache-Control",
    description: "The service stores the result; the response must not be cached.",
    example: "private, no-store",
};
/// That its client may keep it, and ask whether it is still right.
pub(super) const REVALIDATED: ResponseHeader = ResponseHeader {
    key: "Cache-Control-Result",
    name: "Cache-Control",
    description: "The client may cache the response if it revalidates with `If-None-Match` before \
        each use.",
    example: "private, no-cache",
};
/// How old a kept result is.
pub(super) const AGE: ResponseHeader = ResponseHeader {
    key: "Age",
    name: "Age",
    description: "Seconds since the scan began. Absent when this request ran the scan.",
    example: "3600",
};
/// Where programs find what is made for them.
pub(super) const LINK: ResponseHeader = ResponseHeader {
    key: "Link",
    name: "Link",
    description: "Links to the API description (`service-desc`), its page (`service-doc`), the \
        API catalog (`api-catalog`) and other resources for programs.",
    example: "</api/v1/openapi.json>; rel=\"service-desc\"; type=\"application/json\"",
};
/// Where the next part of a list is.
pub(super) const NEXT: ResponseHeader = ResponseHeader {
    key: "Link-Next",
    name: "Link",
    description: "Where the next part of the list is (`next`), relative to the address of this one. Absent with the last \
        part.",
    example: "<?limit=100&after=12.openai-gptbot>; rel=\"next\"",
};
/// That an answer was given before.
pub(super) const IDEMPOTENT_REPLAY: ResponseHeader = ResponseHeader {
    key: "Idempotent-Replay",
    name: "Idempotent-Replay",
    description: "`true` if the batch was known and this is its original response again; \
        otherwise absent.",
    example: "true",
};
/// Marks the route for log counts as an extension of the contract.
pub(super) const STATS_EXTENSION: ResponseHeader = ResponseHeader {
    key: "X-Service-Extension",
    name: "X-Service-Extension",
    description: "Name of the extension of the contract that this route belongs to.",
    example: "logs-stats",
};
/// Marks the route for stored results as an extension of the contract.
pub(super) const RESULT_EXTENSION: ResponseHeader = ResponseHeader {
    key: "X-Service-Extension-Result",
    name: "X-Service-Extension",
    description: "Name of the extension of the contract that this route belongs to.",
    example: "agent-readiness-result",
};

/// Marks the route for the history of a domain as an extension of the contract.
pub(super) const HISTORY_EXTENSION: ResponseHeader = ResponseHeader {
    key: "X-Service-Extension-History",
    name: "X-Service-Extension",
    description: "Name of the extension of the contract that this route belongs to.",
    example: "agent-readiness-history",
};

/// Marks the routes of questions about traffic as extensions of the contract.
pub(super) const TRAFFIC_EXTENSION: ResponseHeader = ResponseHeader {
    key: "X-Service-Extension-Traffic",
    name: "X-Service-Extension",
    description: "Name of the extension of the contract that this route belongs to.",
    example: "traffic",
};

/// Marks the routes for audits as extensions of the contract.
pub(super) const AUDIT_EXTENSION: ResponseHeader = ResponseHeader {
    key: "X-Service-Extension-Audit",
    name: "X-Service-Extension",
    description: "Name of the extension of the contract that this route belongs to.",
    example: "audit-result",
};
/// Where a new audit is found.
pub(super) const LOCATION: ResponseHeader = ResponseHeader {
    key: "Location",
    name: "Location",
    description: "URL of the result by its id.",
    example: "/api/public/audit/aud_4tLqDsd0bWm2rKx9ZfYc1H",
};
/// How old a result of an audit is.
pub(super) const AUDIT_AGE: ResponseHeader = ResponseHeader {
    key: "Age-Audit",
    name: "Age",
    description: "Seconds since the audit began. Absent when this request ran the audit.",
    example: "300",
};
/// That search engines leave a page out.
pub(super) const NOINDEX: ResponseHeader = ResponseHeader {
    key: "X-Robots-Tag",
    name: "X-Robots-Tag",
    description: "Asks search engines not to index the result.",
    example: "noindex",
};
/// What the limits of an address are.
pub(super) const ADDRESS_POLICY: ResponseHeader = ResponseHeader {
    key: "RateLimit-Policy-Address",
    name: "RateLimit-Policy",
    description: "The limits of your address: `q` requests in `w` seconds. Limits that are \
        switched off are left out.",
    example: "\"minute\";q=30;w=60, \"daily\";q=500;w=86400",
};

const ALL: [ResponseHeader; 23] = [
    REQUEST_ID,
    RATE_LIMIT_POLICY,
    RATE_LIMIT,
    RETRY_AFTER,
    WWW_AUTHENTICATE,
    ETAG,
    UNCACHED,
    CACHED,
    CACHED_HERE,
    REVALIDATED,
    AGE,
    LINK,
    IDEMPOTENT_REPLAY,
    STATS_EXTENSION,
    RESULT_EXTENSION,
    HISTORY_EXTENSION,
    TRAFFIC_EXTENSION,
    NEXT,
    AUDIT_EXTENSION,
    LOCATION,
    AUDIT_AGE,
    NOINDEX,
    ADDRESS_POLICY,
];

impl ResponseHeader {
    /// The header.
    fn header(&self) -> Header {
        let (kind, example) = match self.example.parse::<u64>() {
            Ok(number) => (Type::Integer, Value::from(number)),
            Err(_) => (Type::String, Value::from(self.example)),
        };
        let schema = ObjectBuilder::new().schema_type(kind).examples([example]);
        HeaderBuilder::new()
            .schema(Some(Schema::from(schema)))
            .description(Some(self.description))
            .build()
    }

    /// Adds the header to an answer.
    pub(super) fn add_to(&self, response: &mut Response) {
        let reference = Ref::new(format!("{PLACE}{}", self.key));
        response.headers.insert(self.name.to_owned(), RefOr::Ref(reference));
    }
}

/// Adds the headers that answers refer to.
pub(super) fn define(openapi: &mut OpenApi) {
    let used: BTreeSet<String> = description::operations(openapi)
        .into_iter()
        .flat_map(|(_, _, operation)| operation.responses.responses.values())
        .filter_map(
            |response| if let RefOr::T(response) = response { Some(response) } else { None },
        )
        .flat_map(|response| response.headers.values())
        .filter_map(|header| if let RefOr::Ref(to) = header { Some(to) } else { None })
        .filter_map(|to| to.ref_location.strip_prefix(PLACE).map(str::to_owned))
        .collect();
    let components = openapi.components.get_or_insert_default();
    for field in ALL.iter().filter(|field| used.contains(field.key)) {
        components.headers.insert(field.key.to_owned(), field.header().into());
    }
}
