//! The headers of a batch.

use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName};
use uuid::Uuid;
use visibility_core::ingest::ContentCoding;

use crate::http::parameter_error::ParameterError;
use crate::http::response::ApiError;
use crate::ingest::batch::Mode;

const X_SERVICE_BATCH_ID: HeaderName = HeaderName::from_static("x-service-batch-id");
const X_SERVICE_MODE: HeaderName = HeaderName::from_static("x-service-mode");
const X_SERVICE_SCHEMA: HeaderName = HeaderName::from_static("x-service-schema");
/// The version of the record schema.
const SCHEMA: &str = "1";
/// The media type of a batch.
const MEDIA_TYPE: &str = "application/x-ndjson";
/// Characters of a UUID with hyphens.
const UUID_CHARS: usize = 36;

/// The id that the sender gave the batch: a UUID with hyphens, in any case.
///
/// # Errors
///
/// When it has another form, or there are two.
pub(super) fn batch_id(headers: &HeaderMap) -> Result<Option<Uuid>, ApiError> {
    let Some(text) = single_value(headers, &X_SERVICE_BATCH_ID, "X-Service-Batch-Id")? else {
        return Ok(None);
    };
    // Without the length, the parser takes other forms of a UUID as well.
    let id = (text.len() == UUID_CHARS).then(|| Uuid::try_parse(text).ok()).flatten();
    id.map(Some).ok_or_else(|| ApiError::header("X-Service-Batch-Id", ParameterError::NotAUuid))
}

/// Whether the request says that it is a test and says it rightly.
pub(super) fn is_test(headers: &HeaderMap) -> bool {
    matches!(mode(headers), Ok(Mode::Test))
}

/// The length that the head says, if it says one; the HTTP library has checked its form.
pub(super) fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Checks the headers that are not checked before the ledger is asked.
///
/// # Errors
///
/// The first header that is missing, appears twice or has a value that is not allowed.
pub(super) fn coding_and_mode(headers: &HeaderMap) -> Result<(ContentCoding, Mode), ApiError> {
    match single_value(headers, &X_SERVICE_SCHEMA, "X-Service-Schema")? {
        Some(SCHEMA) => {}
        Some(_) => return Err(ApiError::header("X-Service-Schema", ParameterError::OtherSchema)),
        None => return Err(ApiError::header("X-Service-Schema", ParameterError::NoSchema)),
    }
    let is_ndjson = single_value(headers, &CONTENT_TYPE, "Content-Type")?.is_some_and(is_ndjson);
    if !is_ndjson {
        return Err(ApiError::header("Content-Type", ParameterError::NotNdjson));
    }
    let coding = single_value(headers, &CONTENT_ENCODING, "Content-Encoding")?.unwrap_or_default();
    let Ok(coding) = coding.parse() else {
        return Err(ApiError::header("Content-Encoding", ParameterError::OtherCoding));
    };
    Ok((coding, mode(headers)?))
}

fn mode(headers: &HeaderMap) -> Result<Mode, ApiError> {
    match single_value(headers, &X_SERVICE_MODE, "X-Service-Mode")? {
        None => Ok(Mode::Ingest),
        Some("test") => Ok(Mode::Test),
        Some(_) => Err(ApiError::header("X-Service-Mode", ParameterError::NotTest)),
    }
}

/// The value of a header that may appear once, as text.
fn single_value<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
    shown: &str,
) -> Result<Option<&'a str>, ApiError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(ApiError::header(shown, ParameterError::Twice));
    }
    let text =
        value.to_str().map_err(|_not_ascii| ApiError::header(shown, ParameterError::NotAscii))?;
    Ok(Some(text.trim_matches([' ', '\t'])))
}

/// The media type in any case, with any parameters but another `charset` than UTF-8: RFC 9110 section
/// 8.3.
fn is_ndjson(value: &str) -> bool {
    let mut parts = value.split(';').map(|part| part.trim_matches([' ', '\t']));
    let is_type = parts.next().is_some_and(|part| part.eq_ignore_ascii_case(MEDIA_TYPE));
    is_type
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.eq_ignore_ascii_case("charset") => {
                value.trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    const GOOD: [(&str, &str); 2] =
        [("x-service-schema", "1"), ("content-type", "application/x-ndjson")];

    fn with(name: &'static str, values: &[&str]) -> HeaderMap {
        let mut fields: Vec<_> = GOOD.iter().copied().filter(|(known, _)| *known != name).collect();
        fields.extend(values.iter().map(|value| (name, *value)));
        headers(&fields)
    }

    #[test]
    fn a_batch_id_is_a_uuid_with_hyphens_in_any_case() {
        let id = |values: &[&str]| batch_id(&with("x-service-batch-id", values)).ok();
        let uuid = "6f1d2c3b-4a59-4687-9b0c-1d2e3f405162";
        assert_eq!(id(&[]), Some(None));
        assert_eq!(id(&[uuid]), Some(Some(uuid.parse().unwrap())));
        assert_eq!(id(&[&uuid.to_uppercase()]), id(&[uuid]));
        for values in [
            &[""][..],
            &["6f1d2c3b4a5946879b0c1d2e3f405162"],
            &["{6f1d2c3b-4a59-4687-9b0c-1d2e3f405162}"],
            &["urn:uuid:6f1d2c3b-4a59-4687-9b0c-1d2e3f405162"],
            &["6f1d2c3b-4a59-4687-9b0c-1d2e3f40516g"],
            &["6f1d2c3b-4a59-4687-9b0c-1d2e3f40516"],
            &["1' OR '1'='1"],
            &[uuid, uuid],
        ] {
            assert_eq!(id(values), None, "{values:?}");
        }
    }

    #[test]
    fn other_headers_have_the_values_of_the_contract() {
        assert!(coding_and_mode(&headers(&GOOD)).is_ok());
        for (name, good, bad) in [
            (
                "x-service-schema",
                &[&["1"][..]][..],
                &[&[][..], &["0"], &["2"], &["01"], &["one"], &[""], &["1", "1"]][..],
            ),
            (
                "content-type",
                &[
                    &["APPLICATION/X-NDJSON"],
                    &["application/x-ndjson; charset=utf-8"],
                    &["application/x-ndjson;charset=\"UTF-8\""],
                    &["application/x-ndjson; profile=a"],
                ],
                &[
                    &[],
                    &[""],
                    &["application/json"],
                    &["application/x-ndjson; charset=iso-8859-1"],
                    &["application/x-ndjson", "application/x-ndjson"],
                ],
            ),
            (
                "content-encoding",
                &[&["gzip"], &["GZIP"], &["x-gzip"], &["identity"], &[""]],
                &[&["br"], &["gzip, gzip"], &["gzip", "gzip"], &["deflate"], &["zstd"]],
            ),
            ("x-service-mode", &[&["test"]], &[&["dry-run"], &[""], &["TEST"], &["test", "test"]]),
        ] {
            for values in good {
                assert!(coding_and_mode(&with(name, values)).is_ok(), "{name} {values:?}");
            }
            for values in bad {
                assert!(coding_and_mode(&with(name, values)).is_err(), "{name} {values:?}");
            }
        }
    }
}
