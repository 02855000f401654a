//! Submitted forms: their fields, and the proof that they came from our own pages.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::Request;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use url::form_urlencoded;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::store::StoreError;

use super::cookies::{Cookie, CookieSecret};
use crate::http::json_body;
use crate::http::response::ApiError;
use crate::settings::Settings;
use crate::stores::state::StateStore;

/// How browsers name where a request comes from.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Fields that are looked at; more are refused.
const MAX_FIELDS: usize = 32;
/// Bytes of a form signature, written as twice as many digits.
const SIGN_BYTES: usize = 24;

/// The fields of a form, each of which appears once.
#[derive(Debug)]
pub(crate) struct FormData(BTreeMap<String, String>);

impl FormData {
    /// Reads the form that is the body of a request, of at most 16 KiB.
    ///
    /// # Errors
    ///
    /// 415, 413, 408 and 400, in this order.
    pub(crate) async fn from_request(
        settings: &Settings,
        request: Request,
    ) -> Result<Self, ApiError> {
        let (head, body) = request.into_parts();
        let is_coded = head.headers.contains_key(CONTENT_ENCODING);
        let media_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        if is_coded || !media_type.is_some_and(is_form) {
            return Err(Problem::new(ErrorCode::UnsupportedMediaType, "not-a-form").into());
        }
        let patience = Duration::from_secs(settings.timeouts.api_body);
        let bytes = json_body::read_small(body, patience).await?;
        Self::parse(&bytes).ok_or_else(broken)
    }

    /// The fields; nothing if one appears twice, or there are too many.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(bytes) {
            let is_new = fields.insert(name.into_owned(), value.into_owned()).is_none();
            if !is_new || fields.len() > MAX_FIELDS {
                return None;
            }
        }
        Some(Self(fields))
    }

    /// The value of a field; empty if it is not there.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Takes the value of a field out; empty if it is not there.
    pub(crate) fn take(&mut self, name: &str) -> String {
        self.0.remove(name).unwrap_or_default()
    }
}

/// The error of a form whose fields are not those of any page of ours.
pub(crate) fn broken() -> ApiError {
    Problem::new(ErrorCode::InvalidRequest, "form-broken").into()
}

/// RFC 9110 section 8.3: in any case, with any parameters.
fn is_form(value: &str) -> bool {
    let name = value.split(';').next().unwrap_or_default().trim();
    name.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// What forms are signed with, so that they belong to the cookie of the browser that has asked for them.
pub(crate) struct FormKey([u8; 32]);

impl FormKey {
    /// The key of a database, which is made if it has none.
    ///
    /// # Errors
    ///
    /// When the database fails, or the operating system gives no random numbers.
    pub(crate) fn load_or_create(state_store: &StateStore) -> Result<Self, StoreError> {
        state_store.secret("forms").map(Self)
    }

    /// The signature in the forms of a browser with this cookie.
    pub(crate) fn sign(&self, cookie: Cookie, secret: &CookieSecret) -> String {
        let kind = match cookie {
            Cookie::Session => b's',
            Cookie::Visitor => b'v',
        };
        // All parts have one length, so that the bytes are those of one key and one cookie alone.
        let digest = Sha256::new()
            .chain_update(self.0)
            .chain_update([kind])
            .chain_update(secret.as_hex())
            .finalize();
        digest.iter().take(SIGN_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }

    /// What lets a visitor see the result of a domain whose scan they have asked for.
    pub(crate) fn sign_domain(&self, secret: &CookieSecret, domain: &str) -> String {
        // All parts before the last have one length, and no cookie has this letter.
        let digest = Sha256::new()
            .chain_update(self.0)
            .chain_update([b'd'])
            .chain_update(secret.as_hex())
            .chain_update(domain)
            .finalize();
        digest.iter().take(SIGN_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether a text is that sign.
    pub(crate) fn is_sign_of_domain(
        &self,
        sign: &str,
        secret: &CookieSecret,
        domain: &str,
    ) -> bool {
        self.sign_domain(secret, domain).as_bytes().ct_eq(sign.as_bytes()).into()
    }

    /// Whether a form has the sign of the cookie.
    pub(crate) fn is_signed(&self, form: &FormData, cookie: Cookie, secret: &CookieSecret) -> bool {
        self.sign(cookie, secret).as_bytes().ct_eq(form.get("csrf").as_bytes()).into()
    }
}

impl std::fmt::Debug for FormKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("FormKey").finish_non_exhaustive()
    }
}

/// Whether a browser says that a form stood on a page of another origin. What says nothing is judged by
/// the sign in the form alone.
///
/// `Origin: null` says nothing: our pages have `Referrer-Policy: no-referrer`, and with it browsers write
/// that for our own forms too.
pub(crate) fn is_cross_origin(settings: &Settings, headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let is_foreign_site =
        text(SEC_FETCH_SITE).is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let is_foreign_origin = text(ORIGIN).is_some_and(|origin| {
        let own = settings.public_url();
        let scheme = own.split(':').next().unwrap_or_default();
        let asked = format!("{scheme}://{}", text(HOST).unwrap_or_default());
        origin != "null" && origin != asked && !is_origin_of(origin, &own)
    });
    is_foreign_site || is_foreign_origin
}

fn is_origin_of(origin: &str, address: &str) -> bool {
    let parsed = |text: &str| url::Url::parse(text).map(|url| url.origin());
    matches!((parsed(origin), parsed(address)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_field_may_appear_only_once() {
        let form = FormData::parse(b"name=ada%40example.com&password=a+b%26c&x").unwrap();
        assert_eq!(form.get("name"), "ada@example.com");
        assert_eq!(form.get("password"), "a b&c");
        assert_eq!((form.get("x"), form.get("y")), ("", ""));
        for body in ["a=1&a=2", "a=1&a=1", "csrf=1&name=2&csrf="] {
            assert!(FormData::parse(body.as_bytes()).is_none(), "{body}");
        }
        let many = |count: usize| -> String { (0..count).map(|n| format!("{n}=&")).collect() };
        assert!(FormData::parse(many(MAX_FIELDS).as_bytes()).is_some());
        assert!(FormData::parse(many(MAX_FIELDS + 1).as_bytes()).is_none());
    }

    #[test]
    fn a_form_is_called_one() {
        for (value, expected) in [
            ("application/x-www-form-urlencoded", true),
            ("Application/X-WWW-Form-Urlencoded; charset=UTF-8", true),
            ("multipart/form-data; boundary=x", false),
            ("text/plain", false),
            ("application/json", false),
            ("", false),
        ] {
            assert_eq!(is_form(value), expected, "{value}");
        }
    }

    #[test]
    fn a_sign_is_that_of_one_key_one_kind_and_one_secret() {
        let [one, other] = [(); 2].map(|()| CookieSecret::new().unwrap());
        let key = FormKey([1; 32]);
        let form = |sign: String| FormData::parse(format!("csrf={sign}").as_bytes()).unwrap();
        let own = form(key.sign(Cookie::Session, &one));
        assert!(key.is_signed(&own, Cookie::Session, &one));
        assert!(!key.is_signed(&own, Cookie::Session, &other));
        assert!(!key.is_signed(&own, Cookie::Visitor, &one));
        assert!(!FormKey([2; 32]).is_signed(&own, Cookie::Session, &one));
        let cut = key.sign(Cookie::Session, &one).split_off(1);
        assert!(!key.is_signed(&form(cut), Cookie::Session, &one));
        assert!(!key.is_signed(&FormData::parse(b"").unwrap(), Cookie::Session, &one));
    }

    #[test]
    fn what_a_browser_says_of_another_origin_counts() {
        let settings =
            Settings { base_url: Some("https://a.example/x".to_owned()), ..Settings::default() };
        for (fields, expected) in [
            (&[][..], false),
            (&[("origin", "https://a.example")], false),
            (&[("origin", "https://a.example:443")], false),
            (&[("origin", "null")], false),
            (&[("origin", "https://b.example:8443"), ("host", "b.example:8443")], false),
            (&[("origin", "http://a.example"), ("host", "a.example")], true),
            (&[("sec-fetch-site", "same-origin"), ("origin", "null")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("origin", "https://b.example")], true),
            (&[("origin", "http://a.example")], true),
            (&[("origin", "https://a.example:8443")], true),
            (&[("origin", "https://a.example.b.example")], true),
            (&[("origin", "")], true),
            (&[("origin", "null"), ("sec-fetch-site", "cross-site")], true),
            (&[("origin", "https://a.example"), ("sec-fetch-site", "same-site")], true),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in fields {
                headers.insert(*name, HeaderValue::from_static(value));
            }
            assert_eq!(is_cross_origin(&settings, &headers), expected, "{fields:?}");
        }
    }
}
