//! The error object of the API: one format for every response but success.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

use crate::text::locale::{Catalog, Lang, Values};
use crate::text::note::Note;

/// What went wrong, in a word that programs may rely on. No status codes: those are the server's,
/// in one exhaustive `match`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// The request is not well formed: a header or a field.
    InvalidRequest,
    /// A text that is not a domain, or one under which no site can be.
    InvalidDomain,
    /// A domain that is not scanned: it leads to an address that is not public, or the operator has
    /// excluded it.
    DomainNotAllowed,
    /// A text that is not an address of a page.
    InvalidUrl,
    /// A page that is not audited: its host leads to an address that is not public, or the operator
    /// has excluded it.
    UrlNotAllowed,
    /// A line of a batch is not a JSON object, or its content coding is broken.
    MalformedPayload,
    /// A batch without a record.
    EmptyBatch,
    /// No token, or none that is valid here.
    Unauthorized,
    /// The token is valid, but not for this.
    InsufficientScope,
    /// The token is valid, but not from this address.
    Forbidden,
    /// A page of another origin than those that may ask.
    OriginNotAllowed,
    /// No such route or resource.
    NotFound,
    /// An MCP transport that is not served.
    UnknownTransport,
    /// The route exists, the method does not.
    MethodNotAllowed,
    /// The client takes no media type that the answer could have.
    NotAcceptable,
    /// The request took too long to arrive.
    Timeout,
    /// More bytes or records than the limits allow.
    PayloadTooLarge,
    /// A body of another media type than the route takes.
    UnsupportedMediaType,
    /// A head with too many or too long fields.
    HeadersTooLarge,
    /// Too many requests in a window of time.
    RateLimited,
    /// Too many scans in a day.
    DailyCapExceeded,
    /// Our fault.
    InternalError,
    /// The site that was to be scanned could not be reached.
    UpstreamScanFailed,
    /// Not now: overload, shutdown or a store that cannot be written.
    ServiceUnavailable,
}

impl ErrorCode {
    /// All codes, in the order of their statuses.
    pub const ALL: [Self; 24] = [
        Self::InvalidRequest,
        Self::InvalidDomain,
        Self::DomainNotAllowed,
        Self::InvalidUrl,
        Self::UrlNotAllowed,
        Self::MalformedPayload,
        Self::EmptyBatch,
        Self::Unauthorized,
        Self::InsufficientScope,
        Self::Forbidden,
        Self::OriginNotAllowed,
        Self::NotFound,
        Self::UnknownTransport,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::Timeout,
        Self::PayloadTooLarge,
        Self::UnsupportedMediaType,
        Self::RateLimited,
        Self::DailyCapExceeded,
        Self::HeadersTooLarge,
        Self::InternalError,
        Self::UpstreamScanFailed,
        Self::ServiceUnavailable,
    ];

    /// The code on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "INVALID_REQUEST",
            Self::InvalidDomain => "INVALID_DOMAIN",
            Self::DomainNotAllowed => "DOMAIN_NOT_ALLOWED",
            Self::InvalidUrl => "INVALID_URL",
            Self::UrlNotAllowed => "URL_NOT_ALLOWED",
            Self::MalformedPayload => "MALFORMED_PAYLOAD",
            Self::EmptyBatch => "EMPTY_BATCH",
            Self::Unauthorized => "UNAUTHORIZED",
            Self::InsufficientScope => "INSUFFICIENT_SCOPE",
            Self::Forbidden => "FORBIDDEN",
            Self::OriginNotAllowed => "ORIGIN_NOT_ALLOWED",
            Self::NotFound => "NOT_FOUND",
            Self::UnknownTransport => "UNKNOWN_TRANSPORT",
            Self::NotAcceptable => "NOT_ACCEPTABLE",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::Timeout => "TIMEOUT",
            Self::PayloadTooLarge => "PAYLOAD_TOO_LARGE",
            Self::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Self::HeadersTooLarge => "HEADERS_TOO_LARGE",
            Self::RateLimited => "RATE_LIMITED",
            Self::DailyCapExceeded => "DAILY_CAP_EXCEEDED",
            Self::InternalError => "INTERNAL_ERROR",
            Self::UpstreamScanFailed => "UPSTREAM_SCAN_FAILED",
            Self::ServiceUnavailable => "SERVICE_UNAVAILABLE",
        }
    }

    /// What it means, in one English sentence for descriptions of the API.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::InvalidRequest => "A header, a parameter, the body or a field is not valid.",
            Self::InvalidDomain => {
                "The text is not a domain, or a domain under which there can be no site."
            }
            Self::DomainNotAllowed => {
                "The domain leads to an address that is not public, or the operator \
                    has excluded it."
            }
            Self::InvalidUrl => "The text is not an absolute http or https URL of a page.",
            Self::UrlNotAllowed => {
                "The host of the page leads to an address that is not public, or the operator has excluded it."
            }
            Self::MalformedPayload => {
                "A line of the batch is not a JSON object, or the compressed body is broken."
            }
            Self::EmptyBatch => "The batch has no records.",
            Self::Unauthorized => "The request has no credential, or none that is valid here.",
            Self::InsufficientScope => "The credential is valid, but its scopes do not allow this.",
            Self::Forbidden => "The credential is valid, but may not be used from this address.",
            Self::OriginNotAllowed => {
                "The request comes from a web page of an origin that is not allowed."
            }
            Self::NotFound => "There is nothing at this address.",
            Self::UnknownTransport => "There is no MCP transport with this name.",
            Self::NotAcceptable => "`Accept` does not include the media types of the response.",
            Self::MethodNotAllowed => {
                "The address exists, but does not accept this method; `Allow` lists \
                    those it accepts."
            }
            Self::Timeout => "The request took too long to arrive.",
            Self::PayloadTooLarge => "The body has more bytes or records than the limits allow.",
            Self::UnsupportedMediaType => {
                "The body has a media type or a content coding that the address does not accept."
            }
            Self::HeadersTooLarge => "The header section of the request is too large.",
            Self::RateLimited => {
                "There were too many requests in a time window; `Retry-After` says when it ends."
            }
            Self::DailyCapExceeded => {
                "There were too many scans in a day; `Retry-After` says when the \
                    next one is possible."
            }
            Self::InternalError => "Something went wrong in the service.",
            Self::UpstreamScanFailed => {
                "The site could not be scanned; `details.stage` says how far the scan got."
            }
            Self::ServiceUnavailable => {
                "The service cannot do this now: it is overloaded, shutting down, or \
                    cannot write."
            }
        }
    }
}

/// What went wrong, in no language yet.
///
/// Its sentences are in `locales/`: `text`, and if there is something to do about it `hint`, below the
/// path of the problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    code: ErrorCode,
    path: [&'static str; 2],
    hint: Option<[&'static str; 2]>,
    values: Values,
    notes: BTreeMap<&'static str, Note>,
    details: Map<String, Value>,
    detail_notes: BTreeMap<&'static str, Note>,
    fields: Vec<(String, Note)>,
}

impl Problem {
    /// A problem whose sentences are below `errors` and `id`.
    pub fn new(code: ErrorCode, id: &'static str) -> Self {
        Self::at(code, ["errors", id])
    }

    /// A problem whose sentences are below a path.
    pub fn at(code: ErrorCode, path: [&'static str; 2]) -> Self {
        Self {
            code,
            path,
            hint: None,
            values: Values::new(),
            notes: BTreeMap::new(),
            details: Map::new(),
            detail_notes: BTreeMap::new(),
            fields: Vec::new(),
        }
    }

    /// The stable code of the error.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// Takes the hint of another path.
    #[must_use]
    pub fn with_hint_from(mut self, path: [&'static str; 2]) -> Self {
        self.hint = Some(path);
        self
    }

    /// Fills a placeholder of the sentences.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "numbers and texts are handed over alike")]
    pub fn value(mut self, name: &'static str, value: impl ToString) -> Self {
        self.values.insert(name, value.to_string());
        self
    }

    /// Fills a placeholder of the sentences with another sentence.
    #[must_use]
    pub fn value_note(mut self, name: &'static str, note: Note) -> Self {
        self.notes.insert(name, note);
        self
    }

    /// Adds a sentence to the details, in the language of the answer.
    #[must_use]
    pub fn detail_note(mut self, name: &'static str, note: Note) -> Self {
        self.detail_notes.insert(name, note);
        self
    }

    /// Adds a field that is wrong to `details.fields`, with the reason in the language of the answer.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, reason: Note) -> Self {
        self.fields.push((name.into(), reason));
        self
    }

    /// Adds a member that has no language to the details.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// The problem as it is sent, in one language.
    pub fn object(&self, lang: Lang) -> ErrorObject {
        let catalog = Catalog::for_lang(lang);
        let notes = self.notes.iter().map(|(&name, note)| (name, note.sentence(catalog)));
        let values: Values = self.values.clone().into_iter().chain(notes).collect();
        let sentence =
            |[section, id]: [&str; 2], part| catalog.fill_if_any(&[section, id, part], &values);
        let details = self
            .detail_notes
            .iter()
            .map(|(&name, note)| (name.to_owned(), note.sentence(catalog).into()));
        let fields = self.fields.iter().map(|(name, reason)| {
            serde_json::json!({ "field": name, "reason": reason.sentence(catalog) })
        });
        let fields = (!self.fields.is_empty())
            .then(|| ("fields".to_owned(), fields.collect::<Vec<_>>().into()));
        ErrorObject {
            code: self.code,
            message: sentence(self.path, "text").unwrap_or_else(|| self.path.join(".")),
            hint: sentence(self.hint.unwrap_or(self.path), "hint"),
            details: self.details.clone().into_iter().chain(details).chain(fields).collect(),
        }
    }
}

/// The body of every answer that is not a success.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Error))]
pub struct ErrorBody {
    /// The error.
    pub error: ErrorObject,
}

/// What went wrong and what to do about it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ErrorObject {
    /// Stable code.
    pub code: ErrorCode,
    /// One sentence for people.
    pub message: String,
    /// What the caller can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub hint: Option<String>,
    /// More for programs; its members depend on the code.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub details: Map<String, Value>,
}

impl ErrorObject {
    /// An error without a hint.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, details: Map::new() }
    }

    /// Says what the caller can do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a member to the details.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// The error as the body of an answer.
    pub fn into_body(self) -> ErrorBody {
        ErrorBody { error: self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_one_name_and_a_meaning() {
        for code in ErrorCode::ALL {
            assert_eq!(serde_json::json!(code), code.as_str());
            assert!(code.meaning().ends_with('.'), "{code:?}");
        }
    }
}
