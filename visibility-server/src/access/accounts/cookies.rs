//! The two cookies: who is signed in, and who has asked for the form to sign in.
//!
//! With TLS their names begin with `__Host-`: a browser takes such a cookie from this host alone, with TLS
//! and for all paths, so that no neighbour below the same domain can plant one (RFC 6265bis section
//! 4.1.3.2). `SameSite=Lax` and not `Strict`: a client opens `/authorize` from a page or a program of its
//! own, and with `Strict` the browser would leave the cookie out of that first request, so that people
//! who are signed in would have to sign in each time. What changes anything is a `POST`, which `Lax` leaves out too when
//! it comes from another site.

use axum::http::{HeaderMap, HeaderValue};
use visibility_core::accounts::token::TokenDigest;

use crate::http::cookie;
use crate::runtime::random;
use crate::settings::Settings;

/// Digits of a secret.
const DIGITS: usize = 64;

/// What a cookie is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Cookie {
    /// Who is signed in.
    Session,
    /// Identifies the browser that got the sign-in form, before anyone is signed in.
    Visitor,
}

/// What a browser shows: 256 random bits. It is not shown by `Debug`.
#[derive(Clone)]
pub(crate) struct CookieSecret(String);

impl CookieSecret {
    /// A new one.
    ///
    /// # Errors
    ///
    /// When the operating system gives no random numbers.
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        random::cookie().map(Self)
    }

    /// What is kept of it.
    pub(crate) fn digest(&self) -> TokenDigest {
        TokenDigest::new(&self.0)
    }

    /// Its digits, which are always as many.
    pub(crate) fn as_hex(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for CookieSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Secret").finish_non_exhaustive()
    }
}

impl Cookie {
    /// Its name, by whether browsers come by TLS.
    fn name(self, is_tls: bool) -> &'static str {
        match (self, is_tls) {
            (Self::Session, true) => "__Host-visibility_session",
            (Self::Session, false) => "visibility_session",
            (Self::Visitor, true) => "__Host-visibility_visitor",
            (Self::Visitor, false) => "visibility_visitor",
        }
    }

    /// The secret that a browser sends. Two cookies of one name are an attack and count as none.
    pub(crate) fn read(self, settings: &Settings, headers: &HeaderMap) -> Option<CookieSecret> {
        let value = cookie::read(headers, self.name(cookie::is_tls(settings)))?;
        let is_secret = value.len() == DIGITS
            && value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
        is_secret.then(|| CookieSecret(value.to_owned()))
    }

    /// The field that has a browser keep it until it is closed.
    pub(crate) fn set_header(
        self,
        settings: &Settings,
        secret: &CookieSecret,
    ) -> Option<HeaderValue> {
        self.field(settings, secret.as_hex(), None)
    }

    /// The field that has a browser forget it.
    pub(crate) fn clear_header(self, settings: &Settings) -> Option<HeaderValue> {
        self.field(settings, "", Some(0))
    }

    fn field(self, settings: &Settings, value: &str, max_age: Option<u32>) -> Option<HeaderValue> {
        let name = self.name(cookie::is_tls(settings));
        let mut field = cookie::field(settings, name, value, max_age)?;
        field.set_sensitive(true);
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header::COOKIE;

    use super::*;

    fn settings(base_url: &str) -> Settings {
        Settings { base_url: Some(base_url.to_owned()), ..Settings::default() }
    }

    fn shown(settings: &Settings, fields: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(COOKIE, HeaderValue::from_str(field).unwrap());
        }
        Cookie::Session.read(settings, &headers).map(|secret| secret.as_hex().to_owned())
    }

    #[test]
    fn with_tls_a_cookie_is_bound_to_host_and_tls() {
        let secret = CookieSecret("a".repeat(64));
        let field = |url, cookie: Cookie| cookie.set_header(&settings(url), &secret).unwrap();
        let digits = "a".repeat(64);
        assert_eq!(
            field("https://example.com", Cookie::Session),
            format!("__Host-visibility_session={digits}; Path=/; HttpOnly; SameSite=Lax; Secure")
        );
        assert_eq!(
            field("http://127.0.0.1:8080", Cookie::Visitor),
            format!("visibility_visitor={digits}; Path=/; HttpOnly; SameSite=Lax")
        );
        assert_eq!(
            Cookie::Session.clear_header(&settings("https://example.com/a")).unwrap(),
            "__Host-visibility_session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0"
        );
    }

    #[test]
    fn what_a_browser_shows_is_one_secret() {
        let local = settings("http://127.0.0.1:8080");
        let tls = settings("https://example.com");
        let digits = "0123456789abcdef".repeat(4);
        let own = format!("visibility_session={digits}");
        let cut = own.strip_suffix('f').unwrap();
        let host = format!("__Host-visibility_session={digits}");
        assert_eq!(shown(&local, &[&own]).as_ref(), Some(&digits));
        assert_eq!(shown(&local, &["a=b", &format!("c=d; {own};e=f")]).as_ref(), Some(&digits));
        assert_eq!(shown(&tls, &[&host]).as_ref(), Some(&digits));
        assert_eq!(shown(&tls, &[&own]), None, "one without the prefix may be planted");
        for fields in [
            &[][..],
            &["visibility_session="],
            &["visibility_session"],
            &[cut],
            &[&format!("{own}0")],
            &[&own.to_uppercase()],
            &[&format!("visibility_session={}", "g".repeat(64))],
            &[&own, &own],
            &[&format!("{own}; visibility_session=x")],
            &[&host],
        ] {
            assert_eq!(shown(&local, fields), None, "{fields:?}");
        }
    }

    #[test]
    fn a_secret_is_new_each_time_and_not_shown_by_debug() {
        let [one, other] = [(); 2].map(|()| CookieSecret::new().unwrap());
        assert_ne!(one.as_hex(), other.as_hex());
        assert_eq!(one.as_hex().len(), DIGITS);
        assert_eq!(format!("{one:?}"), "Secret { .. }");
    }
}
