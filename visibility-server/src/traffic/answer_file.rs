//! An answer as the body of a response: JSON or CSV, with a validator that is found without the answer.

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use chrono::{DateTime, Utc};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::{Question, answer};
use crate::http::validators;
use crate::ingest::stats::StatsError;
use crate::stores::Stores;

/// In which form an answer is wanted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum AnswerFileFormat {
    Json,
    Csv,
}

/// An answer before it has all of its headers.
#[derive(Debug)]
pub(crate) struct AnswerFile {
    etag: HeaderValue,
    format: AnswerFileFormat,
    /// None if the client has it already.
    body: Option<Bytes>,
    /// Where the next part of a list begins.
    pub(crate) next: Option<String>,
    /// The name of the file, without its ending.
    name: String,
}

impl AnswerFile {
    /// The answer to a question, in a request with these headers.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn of(
        stores: &Stores,
        question: &Question,
        format: AnswerFileFormat,
        (headers, now): (&HeaderMap, DateTime<Utc>),
    ) -> Result<Self, StatsError> {
        let etag = etag(stores, question, format, now)?;
        let (from, to) = question.days();
        let name = format!("{}-{from}-{to}-{}", question.tenant(), question.kind().name());
        if validators::matches_etag(headers, &etag) {
            return Ok(Self { etag, format, body: None, next: None, name });
        }
        let answer = answer(stores, question, now)?;
        let body = match format {
            AnswerFileFormat::Json => answer.json()?,
            AnswerFileFormat::Csv => answer.csv()?,
        };
        let next = answer.next().map(str::to_owned);
        Ok(Self { etag, format, body: Some(body.into()), next, name })
    }

    /// The response, without a rule for caches.
    pub(crate) fn response(self) -> Response {
        let Self { etag, format, body, name, .. } = self;
        let is_known = body.is_none();
        let mut response = Response::new(Body::from(body.unwrap_or_default()));
        let headers = response.headers_mut();
        headers.insert(ETAG, etag);
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        let media_type = match format {
            AnswerFileFormat::Json => "application/json",
            AnswerFileFormat::Csv => "text/csv; charset=utf-8; header=present",
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        if format == AnswerFileFormat::Csv {
            let name = format!("attachment; filename=\"{name}.csv\"");
            headers
                .extend(HeaderValue::try_from(name).ok().map(|name| (CONTENT_DISPOSITION, name)));
        }
        response
    }
}

/// While the counts of the tenant are the same, the hour, and this program, so is the answer.
fn etag(
    stores: &Stores,
    question: &Question,
    format: AnswerFileFormat,
    now: DateTime<Utc>,
) -> Result<HeaderValue, StoreError> {
    let state = state_tag(stores, question.tenant(), now)?;
    Ok(validators::etag(format!("{question:?} {format:?} {state}").as_bytes()))
}

/// What all answers about a tenant depend on, beside the questions.
///
/// # Errors
///
/// When the database cannot be read.
pub(crate) fn state_tag(
    stores: &Stores,
    tenant: &TenantSlug,
    now: DateTime<Utc>,
) -> Result<String, StoreError> {
    let counts = stores.state_store().counts_version(tenant)?;
    let hour = now.timestamp().div_euclid(3600);
    Ok(format!("{counts:?} {hour} {}", env!("CARGO_PKG_VERSION")))
}
