//! The answers of questions about the agents that came.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use utoipa::IntoResponses;
use utoipa::openapi::schema::ObjectBuilder;
use utoipa::openapi::{ContentBuilder, RefOr, Response, Schema, Type};
use visibility_core::error::ErrorCode;

use super::responses::{not_modified, success};
use super::{errors, headers};

/// Answers that come in parts. Gaps of `LogSources`, too, but no tenant has a hundred of them.
const LISTS: [&str; 3] = ["Agents", "Hosts", "Errors"];

type Responses = BTreeMap<String, RefOr<Response>>;

/// The answers of `GET /api/v1/logs/summary`.
pub(crate) struct SummaryResponses;
/// The answers of `GET /api/v1/logs/series`.
pub(crate) struct SeriesResponses;
/// The answers of `GET /api/v1/logs/agents`.
pub(crate) struct AgentsResponses;
/// The answers of `GET /api/v1/logs/hosts`.
pub(crate) struct HostsResponses;
/// The answers of `GET /api/v1/logs/errors`.
pub(crate) struct ErrorsResponses;
/// The answers of `GET /api/v1/logs/sources`.
pub(crate) struct SourcesResponses;

impl IntoResponses for SummaryResponses {
    fn responses() -> Responses {
        let period = |from: &str, to: &str, whole: bool, requests: u64| {
            let not_whole = if whole { json!([]) } else { json!(["not_over"]) };
            json!({
                "from": from, "to": to, "whole": whole, "not_whole": not_whole, "requests": requests,
                "asked_by_person": 210, "agents": 9, "pages": 1480, "refused": 12, "missing": 31, "failed": 0,
                "bytes": 51_230_400
            })
        };
        let example = json!({
            "tenant": "acme",
            "period": period("2026-11-01", "2026-11-30", false, 1904),
            "before": period("2026-10-02", "2026-10-31", true, 1711),
            "uncounted": []
        });
        let csv = "period,from,to,whole,requests,asked_by_person,agents,pages,refused,missing,failed,bytes\r\n";
        answers("Summary", "The numbers of both periods.", example, csv)
    }
}

impl IntoResponses for SeriesResponses {
    fn responses() -> Responses {
        let example = json!({
            "tenant": "acme", "from": "2026-11-29", "to": "2026-11-30", "by": "day", "group": "purpose",
            "days": ["2026-11-29", "2026-11-30"],
            "groups": [{ "key": "search", "name": "search", "requests": 41, "values": [23, 18] }],
            "uncounted": []
        });
        let csv = "day,key,name,requests\r\n2026-11-29,search,search,23\r\n";
        answers("Series", "The requests of each group.", example, csv)
    }
}

impl IntoResponses for AgentsResponses {
    fn responses() -> Responses {
        let example = json!({
            "tenant": "acme", "from": "2026-11-01", "to": "2026-11-30",
            "agents": [{
                "id": "openai-gptbot", "name": "GPTBot", "vendor": "OpenAI", "purpose": "training", "state": "steady",
                "requests": 812, "refused": 4, "missing": 11, "failed": 0, "bytes": 9_120_332,
                "first_seen": "2026-06-03T04:11:09Z", "last_seen": "2026-11-30T21:40:12Z", "usual_gap_hours": 2,
                "note": null
            }],
            "next": null, "uncounted": []
        });
        let csv = "id,name,vendor,purpose,state,requests,refused,missing,failed,bytes,first_seen,last_seen,\
            usual_gap_hours,note\r\n";
        answers("Agents", "The agents, the busiest first.", example, csv)
    }
}

impl IntoResponses for HostsResponses {
    fn responses() -> Responses {
        let period = |from: &str, to: &str| json!({ "from": from, "to": to, "whole": true, "not_whole": [] });
        let sums = |requests: u64, refused: u64| json!({ "requests": requests, "refused": refused, "missing": 11, "failed": 0 });
        let example = json!({
            "tenant": "acme", "period": period("2026-11-28", "2026-11-29"), "before": period("2026-11-26", "2026-11-27"),
            "hosts": [{
                "host": "www.example.com", "period": sums(812, 44), "before": sums(830, 0), "worse": 63,
                "values": [420, 392]
            }],
            "next": null, "uncounted": []
        });
        let csv = "host,requests,refused,missing,failed,before_requests,before_refused,before_missing,before_failed,worse\r\n\
            www.example.com,812,44,11,0,830,0,11,0,63\r\n";
        answers("Hosts", "The hosts, the one that got worst first.", example, csv)
    }
}

impl IntoResponses for ErrorsResponses {
    fn responses() -> Responses {
        let example = json!({
            "tenant": "acme", "from": "2026-11-01", "to": "2026-11-30", "requests": 11,
            "errors": [{
                "agent": "openai-gptbot", "name": "GPTBot", "status": 404, "class": "missing", "requests": 11,
                "first_day": "2026-11-03", "last_day": "2026-11-28"
            }],
            "next": null, "uncounted": []
        });
        let csv = "agent,name,status,class,requests,first_day,last_day\r\n\
            openai-gptbot,GPTBot,404,missing,11,2026-11-03,2026-11-28\r\n";
        answers("Errors", "The errors, the most frequent first.", example, csv)
    }
}

impl IntoResponses for SourcesResponses {
    fn responses() -> Responses {
        let example = json!({
            "tenant": "acme", "from": "2026-11-01", "to": "2026-11-30", "first_batch": "2026-11-01T09:12:44Z",
            "last_batch": "2026-11-30T22:00:04Z",
            "batches": 702, "accepted": 1904, "rejected": 3, "usual_gap_seconds": 3600,
            "gaps": [{ "from": "2026-11-12T03:00:02Z", "to": "2026-11-12T21:00:05Z", "seconds": 64_803 }],
            "next": null,
            "rejections": [{ "reason": "timestamp_too_old", "lines": 3 }],
            "uncounted": []
        });
        let csv = "row,from,to,seconds,reason,batches,accepted,rejected\r\n";
        answers("LogSources", "The batches of the days.", example, csv)
    }
}

fn answers(schema: &str, description: &str, example: Value, csv: &str) -> Responses {
    let fields = [headers::ETAG, headers::REVALIDATED, headers::TRAFFIC_EXTENSION];
    let mut responses = errors::responses(&[
        ErrorCode::Unauthorized,
        ErrorCode::InsufficientScope,
        ErrorCode::Forbidden,
        ErrorCode::RateLimited,
    ]);
    let mut answer = success(schema, description, example, &fields);
    let text = ContentBuilder::new()
        .schema(Some(Schema::from(ObjectBuilder::new().schema_type(Type::String))))
        .example(Some(Value::from(csv)))
        .build();
    if LISTS.contains(&schema) {
        headers::NEXT.add_to(&mut answer);
    }
    answer.content.insert("text/csv".to_owned(), RefOr::T(text));
    responses.insert("200".to_owned(), answer.into());
    responses.insert("304".to_owned(), not_modified(&fields).into());
    responses
}
