//! Schemas of bodies that are not generated from a type.
#![expect(dead_code, reason = "these types are described; others read and write the bodies")]

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::openapi::{Ref, RefOr, Type};
use utoipa::{PartialSchema, ToSchema};
use visibility_core::audit::profile::Profile;
use visibility_core::ingest::Reason;

/// A description of an API, as `OpenAPI` 3.1.
#[derive(ToSchema)]
pub(crate) struct Description {
    /// Version of the language of the description.
    openapi: String,
    /// Title, version and license.
    #[schema(value_type = Object)]
    info: BTreeMap<String, Value>,
    /// The operations, by path.
    #[schema(value_type = Object)]
    paths: BTreeMap<String, Value>,
}

/// A domain that is to be scanned.
#[derive(ToSchema)]
pub(crate) struct ScanRequest {
    /// A bare host whose domain can be registered, without scheme, port and path.
    #[schema(min_length = 1, max_length = 253, example = "example.com")]
    domain: String,
}

/// A page that is to be audited.
#[derive(ToSchema)]
pub(crate) struct AuditRequest {
    /// The address of one page, absolute and with `http` or `https`.
    #[schema(
        format = "uri",
        min_length = 1,
        max_length = 2048,
        example = "https://www.example.com/products/kettle"
    )]
    url: String,
    /// The kind of page, if it shall not be found out. An extension of the contract.
    #[schema(nullable = false)]
    profile: Option<Profile>,
}

/// The body of a batch: lines, which JSON Schema can describe only one by one.
pub(crate) struct LogBatch;

impl LogBatch {
    /// A batch of one record.
    pub(crate) fn example() -> &'static str {
        concat!(
            r#"{"timestamp":"2026-11-20T22:38:59.144Z","#,
            r#""user_agent":"Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)","#,
            r#""request_method":"GET","request_path":"/products/item-1","status_code":200,"#,
            r#""response_bytes":5123,"referrer":"","host":"www.example.com","#,
            r#""client_ip_hash":"sha256:9f86d081884c7d659a2feaa0c55ad015"}"#,
            "\n"
        )
    }
}

impl PartialSchema for LogBatch {
    fn schema() -> RefOr<Schema> {
        let mut object = ObjectBuilder::new().schema_type(Type::String).build();
        object.description = Some("Lines, each of which is a `LogRecord`.".to_owned());
        "application/x-ndjson".clone_into(&mut object.content_media_type);
        object.content_schema = Some(Box::new(Ref::from_schema_name("LogRecord").into()));
        Schema::Object(object).into()
    }
}

impl ToSchema for LogBatch {
    fn name() -> Cow<'static, str> {
        "LogBatch".into()
    }
}

/// One line of a batch: one request that an AI agent made to a site. All nine fields are required, and
/// there are no others.
#[derive(ToSchema)]
pub(crate) struct LogRecord {
    /// When the request came, in UTC. Not older than 90 days, and not in the future.
    #[schema(format = DateTime, example = "2026-11-20T22:38:59.144Z")]
    timestamp: String,
    /// As the agent sent it; that of a listed agent.
    #[schema(example = "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)")]
    user_agent: String,
    /// A token in upper case.
    #[schema(min_length = 1, max_length = 64, example = "GET")]
    request_method: String,
    /// Path and query as requested, at most 8,192 bytes, without parameters that may carry secrets.
    #[schema(pattern = "^/", max_length = 8192, example = "/products/item-1")]
    request_path: String,
    /// HTTP status of the answer.
    #[schema(minimum = 100, maximum = 599, example = 200)]
    status_code: u16,
    /// Bytes of the response.
    #[schema(minimum = 0, example = 5123)]
    response_bytes: i64,
    /// Where the request came from; may be empty.
    #[schema(max_length = 8192, example = "")]
    referrer: String,
    /// Host name or IP address of the site, with a port if need be.
    #[schema(min_length = 1, max_length = 259, example = "www.example.com")]
    host: String,
    /// A hash of the client's address, never the address.
    #[schema(
        pattern = "^[0-9A-Za-z:_+/=.-]{16,128}$",
        example = "sha256:9f86d081884c7d659a2feaa0c55ad015"
    )]
    client_ip_hash: String,
}

/// What became of a batch whose records were all accepted.
#[derive(ToSchema)]
pub(crate) struct BatchAccepted {
    /// The id of the batch: yours, or a new one.
    #[schema(format = "uuid")]
    batch_id: String,
    /// Records in the batch.
    received: u64,
    /// Records that are kept, or would be without `X-Service-Mode: test`.
    accepted: u64,
    /// Records that are not kept.
    rejected: u64,
}

/// What became of a batch with records that were rejected. The others are kept.
#[derive(ToSchema)]
pub(crate) struct BatchPartlyAccepted {
    /// The id of the batch: yours, or a new one.
    #[schema(format = "uuid")]
    batch_id: String,
    /// Records in the batch: accepted and rejected.
    received: u64,
    /// Records that are kept, or would be without `X-Service-Mode: test`.
    accepted: u64,
    /// Records that are not kept.
    rejected: u64,
    /// All of these, in the order of their lines.
    rejections: Vec<Rejection>,
}

/// A record that is not kept.
#[derive(ToSchema)]
pub(crate) struct Rejection {
    /// Its line in the body, from 1, blank lines counted.
    #[schema(minimum = 1)]
    line: u64,
    /// The first rule that it breaks.
    reason: Reason,
    /// The field that caused the rejection, at most 64 bytes of its name; only for some reasons.
    #[schema(nullable = false)]
    field: Option<String>,
}
