//! The responses of each operation: success with its headers and an example, and the errors.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use utoipa::IntoResponses;
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, Type};
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::text::locale::Lang;

use super::description::summary;
use super::errors;
use super::headers::{self, ResponseHeader};

/// A real result, without most of its checks and agents.
pub(super) const RESULT_EXAMPLE: &str = include_str!("result_example.json");

/// A real audit, without most of its signals.
pub(super) const AUDIT_EXAMPLE: &str = include_str!("audit_example.json");

type Responses = BTreeMap<String, RefOr<Response>>;

/// The answers of `GET /api/v1`.
pub(crate) struct IndexResponses;
/// The answers of `GET /api/v1/openapi.json`.
pub(crate) struct DescriptionResponses;
/// The answers of `GET /api/v1/health`.
pub(crate) struct HealthResponses;
/// The answers of `POST /api/v1/agent-readiness`.
pub(crate) struct ScanResponses;
/// The answers of `GET /api/v1/agent-readiness/{domain}`.
pub(crate) struct ResultResponses;
/// The answers of `GET /api/v1/agent-readiness/{domain}/history`.
pub(crate) struct HistoryResponses;
/// The answers of `POST /api/public/audit`.
pub(crate) struct AuditResponses;
/// The answers of `GET /api/public/audit/{id}`.
pub(crate) struct AuditResultResponses;
/// The answers of `POST /v1/logs`.
pub(crate) struct LogsResponses;
/// The answers of `GET /v1/logs/stats`.
pub(crate) struct StatsResponses;

impl IntoResponses for IndexResponses {
    fn responses() -> Responses {
        let example = json!({
            "name": "visibility",
            "description": summary("service", Lang::En),
            "documentation": "https://visibility.example.com/docs",
            "openapi": "https://visibility.example.com/api/v1/openapi.json",
            "mcp": "https://visibility.example.com/api/mcp/v1/mcp",
            "endpoints": [{
                "method": "GET",
                "path": "/api/v1/health",
                "description": summary("getHealth", Lang::En),
                "auth": "none"
            }]
        });
        let mut responses = errors::responses(&[]);
        let fields = [headers::ETAG, headers::CACHED, headers::LINK];
        let index = success("Index", "The list of endpoints.", example, &fields);
        responses.insert("200".to_owned(), index.into());
        responses.insert("304".to_owned(), not_modified(&fields).into());
        responses
    }
}

impl IntoResponses for DescriptionResponses {
    fn responses() -> Responses {
        let example = json!({
            "openapi": "3.1.0",
            "info": { "title": "visibility", "version": "1.0.0" },
            "paths": {}
        });
        let fields = [headers::ETAG, headers::CACHED];
        let mut responses = errors::responses(&[]);
        let description = success("Description", "This description.", example, &fields);
        responses.insert("200".to_owned(), description.into());
        responses.insert("304".to_owned(), not_modified(&fields).into());
        responses
    }
}

impl IntoResponses for HealthResponses {
    fn responses() -> Responses {
        let example =
            json!({ "status": "ok", "service": "visibility", "time": "2026-11-20T22:38:59Z" });
        let description = "The process responds. `status` says whether it can also do its work.";
        let mut responses = errors::responses(&[]);
        let health = success("Health", description, example, &[headers::UNCACHED]);
        responses.insert("200".to_owned(), health.into());
        responses
    }
}

impl IntoResponses for ScanResponses {
    fn responses() -> Responses {
        let description =
            "The result. `cached` is true for a stored result, which is at most 24 hours old.";
        let fields =
            [headers::RATE_LIMIT_POLICY, headers::RATE_LIMIT, headers::CACHED_HERE, headers::AGE];
        let mut responses = errors::responses(&[
            ErrorCode::InvalidDomain,
            ErrorCode::DomainNotAllowed,
            ErrorCode::Unauthorized,
            ErrorCode::InsufficientScope,
            ErrorCode::Forbidden,
            ErrorCode::Timeout,
            ErrorCode::PayloadTooLarge,
            ErrorCode::UnsupportedMediaType,
            ErrorCode::RateLimited,
            ErrorCode::DailyCapExceeded,
            ErrorCode::UpstreamScanFailed,
        ]);
        let result = success("ScanResult", description, result_example(), &fields);
        responses.insert("200".to_owned(), result.into());
        with_limits(responses)
    }
}

impl IntoResponses for ResultResponses {
    fn responses() -> Responses {
        let fields = [
            headers::ETAG,
            headers::RATE_LIMIT_POLICY,
            headers::RATE_LIMIT,
            headers::REVALIDATED,
            headers::AGE,
            headers::RESULT_EXTENSION,
        ];
        let mut responses = errors::responses(&[
            ErrorCode::InvalidDomain,
            ErrorCode::DomainNotAllowed,
            ErrorCode::Unauthorized,
            ErrorCode::InsufficientScope,
            ErrorCode::Forbidden,
            ErrorCode::NotFound,
            ErrorCode::RateLimited,
        ]);
        let result = success("ScanResult", "The stored result.", result_example(), &fields);
        responses.insert("200".to_owned(), result.into());
        responses.insert("304".to_owned(), not_modified(&fields).into());
        let none = Problem::new(ErrorCode::NotFound, "scan-none");
        responses.insert("404".to_owned(), errors::response_for(&none).into());
        with_limits(responses)
    }
}

impl IntoResponses for HistoryResponses {
    fn responses() -> Responses {
        let day = |day: &str, score: u8, compared_with: Value, changes: Value| {
            json!({
                "day": day, "scanned_at": format!("{day}T09:30:00Z"), "rubric_version": "2026.11.5", "score": score,
                "tier": "readable", "has_same_rules": !compared_with.is_null(), "compared_with": compared_with,
                "changes": changes
            })
        };
        let met =
            |access: &str, effective: &str| json!({ "access": access, "effective": effective });
        let changes = json!([
            { "kind": "check", "id": "sitemap", "from": "fail", "to": "pass" },
            {
                "kind": "agent", "id": "anthropic-claudebot",
                "from": met("allowed", "reachable"), "to": met("allowed", "blocked_by_wall")
            }
        ]);
        let example = json!({
            "domain": "example.com",
            "days": [day("2026-11-02", 68, Value::Null, json!([])), day("2026-11-29", 71, json!("2026-11-02"), changes)]
        });
        let fields = [
            headers::UNCACHED,
            headers::RATE_LIMIT_POLICY,
            headers::RATE_LIMIT,
            headers::HISTORY_EXTENSION,
        ];
        let mut responses = errors::responses(&[
            ErrorCode::InvalidDomain,
            ErrorCode::DomainNotAllowed,
            ErrorCode::Unauthorized,
            ErrorCode::InsufficientScope,
            ErrorCode::Forbidden,
            ErrorCode::NotFound,
            ErrorCode::RateLimited,
        ]);
        let history = success("ScanHistory", "The days, the oldest first.", example, &fields);
        responses.insert("200".to_owned(), history.into());
        responses
    }
}

impl IntoResponses for AuditResponses {
    fn responses() -> Responses {
        let fields = [
            headers::LOCATION,
            headers::ADDRESS_POLICY,
            headers::RATE_LIMIT,
            headers::CACHED_HERE,
            headers::AUDIT_AGE,
        ];
        let mut responses = errors::responses(&[
            ErrorCode::InvalidUrl,
            ErrorCode::UrlNotAllowed,
            ErrorCode::Timeout,
            ErrorCode::PayloadTooLarge,
            ErrorCode::UnsupportedMediaType,
            ErrorCode::RateLimited,
        ]);
        let description = "The result, even of a page that could not be read: see `status`.";
        let result = success("AuditResult", description, audit_example(), &fields);
        responses.insert("201".to_owned(), result.into());
        if let Some(RefOr::T(response)) = responses.get_mut("429") {
            headers::ADDRESS_POLICY.add_to(response);
            headers::RATE_LIMIT.add_to(response);
        }
        responses
    }
}

impl IntoResponses for AuditResultResponses {
    fn responses() -> Responses {
        let fields = [
            headers::ETAG,
            headers::REVALIDATED,
            headers::AUDIT_AGE,
            headers::NOINDEX,
            headers::AUDIT_EXTENSION,
        ];
        let mut responses =
            errors::responses(&[ErrorCode::NotFound, ErrorCode::ServiceUnavailable]);
        let mut result = success("AuditResult", "The result.", audit_example(), &fields);
        for (media_type, example) in [
            ("text/html", "<!doctype html>"),
            ("text/markdown", "# https://www.example.com/products/kettle"),
            ("image/svg+xml", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
        ] {
            let schema = Schema::from(ObjectBuilder::new().schema_type(Type::String));
            let content = ContentBuilder::new()
                .schema(Some(schema))
                .example(Some(Value::from(example)))
                .build();
            result.content.insert(media_type.to_owned(), RefOr::T(content));
        }
        responses.insert("200".to_owned(), result.into());
        responses.insert("304".to_owned(), not_modified(&fields).into());
        let none = Problem::new(ErrorCode::NotFound, "audit-none");
        responses.insert("404".to_owned(), errors::response_for(&none).into());
        responses
    }
}

impl IntoResponses for LogsResponses {
    fn responses() -> Responses {
        let id = "01a1fe64-5258-73f4-ae13-fbe21ae32fdc";
        let whole = json!({ "batch_id": id, "received": 1, "accepted": 1, "rejected": 0 });
        let part = json!({
            "batch_id": id, "received": 2, "accepted": 1, "rejected": 1,
            "rejections": [{ "line": 2, "reason": "field_not_allowed", "field": "cookie" }]
        });
        let fields = [headers::UNCACHED, headers::IDEMPOTENT_REPLAY];
        let mut responses = errors::responses(&[
            ErrorCode::MalformedPayload,
            ErrorCode::EmptyBatch,
            ErrorCode::Unauthorized,
            ErrorCode::Timeout,
            ErrorCode::PayloadTooLarge,
            ErrorCode::RateLimited,
        ]);
        let description = "All records were accepted and are on disk.";
        let accepted = success("BatchAccepted", description, whole, &fields);
        let description = "Some records were rejected and are listed; the others are on disk. Sending \
            the batch again changes nothing.";
        let partly = success("BatchPartlyAccepted", description, part, &fields);
        responses.insert("202".to_owned(), accepted.into());
        responses.insert("207".to_owned(), partly.into());
        responses
    }
}

impl IntoResponses for StatsResponses {
    fn responses() -> Responses {
        let count = |name: &str, value: Value| json!({ name: value, "records": 1, "bytes": 5123 });
        let example = json!({
            "tenant": "acme", "from": "2026-11-01", "to": "2026-11-30", "records": 1, "bytes": 5123,
            "days": [count("day", "2026-11-20".into())],
            "agents": [{
                "id": "openai-gptbot", "name": "GPTBot", "vendor": "OpenAI", "purpose": "training",
                "records": 1, "bytes": 5123
            }],
            "purposes": [count("purpose", "training".into())],
            "hosts": [count("host", "www.example.com".into())],
            "statuses": [count("status", 200.into())],
            "top_paths": null
        });
        let fields = [headers::UNCACHED, headers::STATS_EXTENSION];
        let mut responses = errors::responses(&[ErrorCode::Unauthorized, ErrorCode::RateLimited]);
        let stats = success("Stats", "The counts.", example, &fields);
        responses.insert("200".to_owned(), stats.into());
        responses
    }
}

pub(super) fn success(
    schema: &str,
    description: &str,
    example: Value,
    fields: &[ResponseHeader],
) -> Response {
    let mut response = Response::new(description);
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(schema)))
        .example(Some(example))
        .build();
    response.content.insert("application/json".to_owned(), RefOr::T(content));
    with_fields(response, fields)
}

pub(super) fn not_modified(fields: &[ResponseHeader]) -> Response {
    with_fields(Response::new("The body named in `If-None-Match` is still current."), fields)
}

/// Adds header fields, and the one that every answer has.
fn with_fields(mut response: Response, fields: &[ResponseHeader]) -> Response {
    headers::REQUEST_ID.add_to(&mut response);
    for field in fields {
        field.add_to(&mut response);
    }
    response
}

/// Says on 429 which limits there are.
fn with_limits(mut responses: Responses) -> Responses {
    if let Some(RefOr::T(response)) = responses.get_mut("429") {
        headers::RATE_LIMIT_POLICY.add_to(response);
        headers::RATE_LIMIT.add_to(response);
    }
    responses
}

fn audit_example() -> Value {
    serde_json::from_str(AUDIT_EXAMPLE).unwrap_or_default()
}

fn result_example() -> Value {
    serde_json::from_str(RESULT_EXAMPLE).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use visibility_core::audit::result::AuditResult;
    use visibility_core::scan::result::ScanResult;

    use super::*;

    #[test]
    fn the_example_is_a_result() {
        let result: ScanResult = serde_json::from_str(RESULT_EXAMPLE).unwrap();
        assert_eq!(serde_json::to_value(result).unwrap(), result_example());
    }

    #[test]
    fn the_example_of_an_audit_is_one() {
        let result: AuditResult = serde_json::from_str(AUDIT_EXAMPLE).unwrap();
        assert_eq!(serde_json::to_value(result).unwrap(), audit_example());
    }
}
