//! The headers of answers.

use std::collections::BTreeSet;

use serde_json::Value;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::openapi::{OpenApi, Ref, RefOr, Response, Type};

use super::description;

/// Where headers stand in a description.
const PLACE: &str = "#/components/headers/";

/// A header of an answer: its name, what it says, and an example.
pub(super) struct Field {
    name: &'static str,
    description: &'static str,
    example: &'static str,
}

/// On every answer.
pub(super) const REQUEST_ID: Field = Field {
    name: "X-Request-Id",
    description: "The request in the log of the service: yours if you sent 8 to 64 of `A-Za-z0-9_-`, else a new one.",
    example: "req_01a1fe64525873f4ae13fbe21ae32fdc",
};
/// What the limits are.
pub(super) const RATE_LIMIT_POLICY: Field = Field {
    name: "RateLimit-Policy",
    description: "The limits of this key: `q` requests in `w` seconds. Lifted limits are left out.",
    example: "\"minute\";q=30;w=60, \"daily\";q=500;w=86400",
};
/// What is left of them.
pub(super) const RATE_LIMIT: Field = Field {
    name: "RateLimit",
    description: "What is left: `r` requests, and `t` seconds until there are more.",
    example: "\"minute\";r=29;t=60, \"daily\";r=499;t=86400",
};
/// When to ask again.
pub(super) const RETRY_AFTER: Field = Field {
    name: "Retry-After",
    description: "Seconds to wait before the next attempt.",
    example: "42",
};
/// The challenge of a 401.
pub(super) const WWW_AUTHENTICATE: Field = Field {
    name: "WWW-Authenticate",
    description: "What kind of credential is wanted.",
    example: "Bearer",
};
/// The validator of a body.
pub(super) const ETAG: Field = Field {
    name: "ETag",
    description: "The validator of this body; send it as `If-None-Match`.",
    example: "\"9f86d081884c7d659a2feaa0c55ad015\"",
};
/// For how long it may be kept.
pub(super) const CACHE_CONTROL: Field = Field {
    name: "Cache-Control",
    description: "For how long the answer may be kept, and by whom.",
    example: "no-store",
};
/// That an answer was given before.
pub(super) const IDEMPOTENT_REPLAY: Field = Field {
    name: "Idempotent-Replay",
    description: "`true` if the batch was known and this is its first answer again; else absent.",
    example: "true",
};
/// That the route is none of the contract.
pub(super) const EXTENSION: Field = Field {
    name: "X-Service-Extension",
    description: "The name of the extension that this route is.",
    example: "logs-stats",
};

const ALL: [Field; 9] = [
    REQUEST_ID,
    RATE_LIMIT_POLICY,
    RATE_LIMIT,
    RETRY_AFTER,
    WWW_AUTHENTICATE,
    ETAG,
    CACHE_CONTROL,
    IDEMPOTENT_REPLAY,
    EXTENSION,
];

impl Field {
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
        let reference = Ref::new(format!("{PLACE}{}", self.name));
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
        .flat_map(|response| response.headers.keys().cloned())
        .collect();
    let components = openapi.components.get_or_insert_default();
    for field in ALL.iter().filter(|field| used.contains(field.name)) {
        components.headers.insert(field.name.to_owned(), field.header().into());
    }
}
