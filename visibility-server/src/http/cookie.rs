//! Cookies as fields of requests and responses.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};

use crate::settings::Settings;

/// The value of a cookie that a browser sends. Two cookies of one name are an attack and count as none.
pub(crate) fn read<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let fields = headers.get_all(COOKIE).iter().filter_map(|field| field.to_str().ok());
    let mut values = fields
        .flat_map(|field| field.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter_map(|(own, value)| (own == name).then_some(value));
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    Some(value)
}

/// The field that sets a cookie for this host, which no script reads. It is kept until the browser is closed, or for
/// `max_age` seconds.
pub(crate) fn field(
    settings: &Settings,
    name: &str,
    value: &str,
    max_age: Option<u32>,
) -> Option<HeaderValue> {
    let secure = if is_tls(settings) { "; Secure" } else { "" };
    let end = max_age.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    let field = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{end}");
    HeaderValue::try_from(field).ok()
}

/// Whether browsers come by TLS.
pub(crate) fn is_tls(settings: &Settings) -> bool {
    settings.public_url().starts_with("https://")
}
