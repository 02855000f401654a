//! Reads the body of a request to the public API: a small JSON object of which a route needs a few members.
//!
//! Clients call JSON many things, and `curl -d` calls it a form: whatever may be JSON is read as such,
//! and other members than those that are wanted are not looked at.

pub(crate) mod media_type;
pub(crate) mod syntax_error;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::HeaderMap;
use http_body_util::BodyExt;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use tokio::time::timeout;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::text::note::Note;

use self::syntax_error::JsonSyntaxError;
use crate::http::response::ApiError;
use crate::settings::Settings;

/// Bytes of a body.
const MAX_BYTES: u64 = 16 * 1024;

/// The members that a route wants.
#[derive(Debug, PartialEq)]
pub(crate) struct JsonBody {
    found: BTreeMap<&'static str, Member>,
}

/// How a member appears in the body.
#[derive(Debug, PartialEq)]
enum Member {
    Once(Value),
    Repeatedly,
}

impl JsonBody {
    /// Reads the body of a request; `wanted` are the names of the members that the route uses.
    ///
    /// # Errors
    ///
    /// 413, 415, 408 and 400, in this order.
    pub(crate) async fn read(
        settings: &Settings,
        request: Request,
        wanted: &'static [&'static str],
    ) -> Result<Self, ApiError> {
        let (head, body) = request.into_parts();
        let patience = Duration::from_secs(settings.timeouts.api_body);
        let bytes = receive(&head.headers, body, patience).await?;
        Self::parse(&bytes, wanted)
    }

    /// The string that a member is.
    ///
    /// # Errors
    ///
    /// 400 if it is missing, appears twice or has another type.
    pub(crate) fn text(&self, name: &'static str) -> Result<&str, ApiError> {
        match self.found.get(name) {
            Some(Member::Once(Value::String(text))) => Ok(text),
            Some(Member::Once(_)) => {
                Err(field_error(name, "field-type", Note::new("reason-not-a-string")))
            }
            Some(Member::Repeatedly) => {
                Err(field_error(name, "field-twice", Note::new("reason-twice")))
            }
            None => Err(field_error(name, "field-missing", Note::new("reason-missing"))),
        }
    }

    /// The string that a member is, if it is there.
    ///
    /// # Errors
    ///
    /// 400 if it appears twice or has another type.
    pub(crate) fn optional_text(&self, name: &'static str) -> Result<Option<&str>, ApiError> {
        if self.found.contains_key(name) { self.text(name).map(Some) } else { Ok(None) }
    }

    fn parse(bytes: &[u8], wanted: &'static [&'static str]) -> Result<Self, ApiError> {
        let text = syntax_error::text(bytes).map_err(|fault| not_json(&fault))?;
        let mut json = serde_json::Deserializer::from_str(text);
        let found = MemberFilter(wanted).deserialize(&mut json);
        let found = found.and_then(|found| json.end().map(|()| found));
        Ok(Self { found: found.map_err(|error| not_json(&error.into()))? })
    }
}

/// Takes a body in that is called JSON.
async fn receive(headers: &HeaderMap, body: Body, patience: Duration) -> Result<Bytes, ApiError> {
    if body.size_hint().lower() > MAX_BYTES {
        return Err(too_large(MAX_BYTES));
    }
    media_type::check(headers)?;
    read_small(body, patience).await
}

/// Takes a small body in, whatever it is.
///
/// # Errors
///
/// 413, 408, or 400 if it breaks off.
pub(crate) async fn read_small(body: Body, patience: Duration) -> Result<Bytes, ApiError> {
    collect(body, patience, MAX_BYTES).await
}

/// The bytes of a body of at most so many, if they come soon enough.
///
/// # Errors
///
/// 413, 408, or 400 if it breaks off.
pub(crate) async fn collect(
    body: Body,
    patience: Duration,
    max_bytes: u64,
) -> Result<Bytes, ApiError> {
    if body.size_hint().lower() > max_bytes {
        return Err(too_large(max_bytes));
    }
    timeout(patience, read_up_to(body, max_bytes)).await.unwrap_or_else(|_elapsed| {
        let problem = Problem::new(ErrorCode::Timeout, "body-slow")
            .value("seconds", patience.as_secs())
            .detail("seconds", patience.as_secs());
        Err(ApiError::from(problem).close_connection())
    })
}

async fn read_up_to(mut body: Body, max_bytes: u64) -> Result<Bytes, ApiError> {
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            tracing::debug!(error = &error as &dyn std::error::Error, "a body was cut off");
            let problem = Problem::new(ErrorCode::InvalidRequest, "body-broken");
            ApiError::from(problem).close_connection()
        })?;
        // Trailers say nothing that is needed.
        let Ok(piece) = frame.into_data() else { continue };
        whole.extend_from_slice(&piece);
        if u64::try_from(whole.len()).unwrap_or(u64::MAX) > max_bytes {
            return Err(too_large(max_bytes));
        }
    }
    Ok(whole.into())
}

fn too_large(max_bytes: u64) -> ApiError {
    let problem = Problem::new(ErrorCode::PayloadTooLarge, "body-large")
        .value("limit", max_bytes)
        .detail("limit", max_bytes)
        .detail("unit", "octets");
    ApiError::from(problem).close_connection()
}

/// The error for a body that is not JSON.
pub(crate) fn not_json(error: &JsonSyntaxError) -> Problem {
    let id = if error.is_empty { "body-empty" } else { "body-syntax" };
    Problem::new(ErrorCode::InvalidRequest, id)
        .value("line", error.line)
        .value("column", error.column)
        .detail("line", error.line)
        .detail("column", error.column)
        .detail("expected", error.expected)
}

fn field_error(name: &'static str, id: &'static str, reason: Note) -> ApiError {
    Problem::new(ErrorCode::InvalidRequest, id).value("name", name).field(name, reason).into()
}

/// Reads an object and keeps the members with these names.
#[derive(Clone, Copy)]
struct MemberFilter(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for MemberFilter {
    type Value = BTreeMap<&'static str, Member>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for MemberFilter {
    type Value = BTreeMap<&'static str, Member>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = BTreeMap::new();
        while let Some(name) = members.next_key::<String>()? {
            // All of the body is read as closely: what is not JSON, or nests without end, is refused
            // at any position.
            let value: Value = members.next_value()?;
            if let Some(name) = self.0.iter().find(|wanted| **wanted == name) {
                found
                    .entry(*name)
                    .and_modify(|found| *found = Member::Repeatedly)
                    .or_insert(Member::Once(value));
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use visibility_core::error::ErrorObject;
    use visibility_core::text::locale::Lang;

    use super::*;

    fn parse(bytes: impl AsRef<[u8]>) -> Result<String, ErrorObject> {
        JsonBody::parse(bytes.as_ref(), &["domain"])
            .and_then(|body| body.text("domain").map(str::to_owned))
            .map_err(|error| error.problem().object(Lang::En))
    }

    #[test]
    fn a_member_is_found_among_any_others() {
        for body in [
            r#"{"domain":"a"}"#,
            " \r\n\t{ \"domain\" : \"a\" } \n",
            r#"{"x":[{"domain":"b"}],"domain":"a","y":null,"y":1e300,"Domain":"c"}"#,
            r#"{"d\u006fmain":"\u0061"}"#,
        ] {
            assert_eq!(parse(body).unwrap(), "a", "{body}");
        }
    }

    #[test]
    fn what_is_no_json_object_is_refused_with_its_place() {
        let deep = |count| format!(r#"{{"domain":"a","x":{}"#, "[".repeat(count));
        let closed = format!("{}{}}}", deep(2000), "]".repeat(2000));
        for (body, line, column, expected) in [
            (&b""[..], 1, 1, "a JSON object"),
            (b" ", 1, 1, "a JSON object"),
            (b"[\"a\"]", 1, 1, "a JSON object"),
            (b"[{\"domain\":\"a\"}]", 1, 1, "a JSON object"),
            (b"\"domain\"", 1, 8, "a JSON object"),
            (b"null", 1, 4, "a JSON object"),
            (b"domain=a", 1, 1, "a JSON value"),
            (b"\xef\xbb\xbf{\"domain\":\"a\"}", 1, 1, "no byte order mark"),
            (b"{\"domain\":\"\xff\"}", 1, 12, "text in UTF-8"),
            (b"{\n\"domain\":\"a\",\n\xc3\x28:1}", 3, 1, "text in UTF-8"),
            (b"{\"domain\":\"a\0b\"}", 1, 13, "no control characters"),
            (b"{\"domain\":\"a\"}x", 1, 15, "the end of the body"),
            (b"{\"domain\":\"a\"}{}", 1, 15, "the end of the body"),
            (b"{\"domain\":\"a\"}\0", 1, 15, "the end of the body"),
            (b"{\"domain\":\"a\",}", 1, 15, "no comma after the last member"),
            (b"{\"domain\":", 1, 10, "the rest of the body"),
            (b"{'domain':'a'}", 1, 2, "a name in double quotes"),
            (b"{\"domain\" \"a\"}", 1, 11, "`:`"),
            (b"{\"domain\":\"a\",\"x\":1e999}", 1, 23, "a smaller number"),
            (b"{\"domain\":\"a\",\"x\":01}", 1, 20, "a JSON number"),
            (b"{\"domain\":\"a\",\"x\":NaN}", 1, 19, "a JSON value"),
            (b"{\"domain\":\"\\ud800\"}", 1, 18, "a JSON escape"),
            (b"{\"domain\":\"\\x41\"}", 1, 13, "a JSON escape"),
            (deep(16_000).as_bytes(), 1, 145, "fewer levels of nesting"),
            (closed.as_bytes(), 1, 145, "fewer levels of nesting"),
        ] {
            let text = String::from_utf8_lossy(body);
            let object = parse(body).unwrap_err();
            assert_eq!(object.code, ErrorCode::InvalidRequest);
            let place = json!({ "line": line, "column": column, "expected": expected });
            assert_eq!(Value::Object(object.details), place, "{text}");
        }
    }

    #[test]
    fn an_empty_body_is_reported_as_empty() {
        let message = |body: &str| parse(body).unwrap_err().message;
        for body in ["", " ", "\r\n\t"] {
            assert_eq!(message(body), "The body is empty.", "{body:?}");
        }
        for body in ["null", "[]", "\""] {
            assert!(message(body).contains("the error is at line 1"), "{body}");
        }
    }

    #[test]
    fn a_required_member_appears_once_as_a_string() {
        for (body, reason) in [
            ("{}", "is missing"),
            (r#"{"Domain":"a"}"#, "is missing"),
            (r#"{"domain":null}"#, "is not a string"),
            (r#"{"domain":1}"#, "is not a string"),
            (r#"{"domain":["a"]}"#, "is not a string"),
            (r#"{"domain":{"domain":"a"}}"#, "is not a string"),
            (r#"{"domain":"a","domain":"a"}"#, "appears more than once"),
            (r#"{"domain":"a","x":1,"domain":null,"domain":"a"}"#, "appears more than once"),
        ] {
            let object = parse(body).unwrap_err();
            let fields = json!({ "fields": [{ "field": "domain", "reason": reason }] });
            assert_eq!(Value::Object(object.details), fields, "{body}");
            assert_eq!(object.message, format!("The field `domain` {reason}."));
        }
    }
}
