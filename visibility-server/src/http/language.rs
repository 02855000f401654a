//! Chooses the language of a response.

use axum::http::header::ACCEPT_LANGUAGE;
use axum::http::{HeaderMap, HeaderValue, Uri};
use url::form_urlencoded;
use visibility_core::text::locale::Lang;

use super::cookie;
use crate::settings::Settings;

/// The cookie with the language that a reader has chosen.
const COOKIE: &str = "visibility_lang";
/// For how long a browser keeps it: a year.
const YEAR: u32 = 31_536_000;
/// Languages that are looked at.
const MAX_LANGUAGES: usize = 32;

/// The language that `lang` of a query names; English for anything that is not known, and without one.
pub(crate) fn from_query(uri: &Uri) -> Lang {
    let mut pairs = uri.query().unwrap_or_default().split('&');
    let named = pairs.find_map(|pair| pair.strip_prefix("lang="));
    named.and_then(|name| name.parse().ok()).unwrap_or_default()
}

/// The language of a page for people: the one that `lang` of the query names, or `ui_locales` (`OpenID` Connect Core
/// section 3.1.2.1), or that the reader chose before, or `Accept-Language`; English without any.
pub(crate) fn negotiate(query: &str, headers: &HeaderMap) -> Lang {
    chosen(query)
        .or_else(|| parameter(query, "ui_locales")?.split(' ').take(MAX_LANGUAGES).find_map(known))
        .or_else(|| remembered(headers))
        .or_else(|| accepted(headers.get(ACCEPT_LANGUAGE)?.to_str().ok()?))
        .unwrap_or_default()
}

/// The language that a link to the other language names.
pub(crate) fn chosen(query: &str) -> Option<Lang> {
    parameter(query, "lang")?.parse().ok()
}

/// The language that a browser remembers.
pub(crate) fn remembered(headers: &HeaderMap) -> Option<Lang> {
    cookie::read(headers, COOKIE)?.parse().ok()
}

/// The field that has a browser remember a language.
pub(crate) fn remember(settings: &Settings, lang: Lang) -> Option<HeaderValue> {
    cookie::field(settings, COOKIE, lang.as_str(), Some(YEAR))
}

fn parameter(query: &str, wanted: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find_map(|(name, value)| (name == wanted).then(|| value.into_owned()))
}

/// The language of a tag such as `tr-TR`: RFC 4647 section 3.4.
fn known(tag: &str) -> Option<Lang> {
    let primary = tag.trim().split('-').next().unwrap_or_default().to_ascii_lowercase();
    primary.parse().ok()
}

/// The language with the highest weight in `Accept-Language`, of several the first: RFC 9110 section
/// 12.5.4.
fn accepted(field: &str) -> Option<Lang> {
    let mut best: Option<(f32, Lang)> = None;
    for range in field.split(',').take(MAX_LANGUAGES) {
        let mut parts = range.split(';');
        let Some(lang) = known(parts.next().unwrap_or_default()) else { continue };
        let weight: f32 = parts
            .find_map(|part| part.trim().strip_prefix("q=")?.trim().parse().ok())
            .unwrap_or(1.0);
        if weight > 0.0 && best.is_none_or(|(least, _)| weight > least) {
            best = Some((weight, lang));
        }
    }
    best.map(|(_, lang)| lang)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turkish_is_asked_for_and_english_is_the_rest() {
        for (uri, lang) in [
            ("/api/v1", Lang::En),
            ("/api/v1?lang=tr", Lang::Tr),
            ("/api/v1?a=b&lang=tr", Lang::Tr),
            ("/api/v1?lang=en&lang=tr", Lang::En),
            ("/api/v1?lang=TR", Lang::En),
            ("/api/v1?lang=de", Lang::En),
            ("/api/v1?language=tr", Lang::En),
            ("/api/v1?lang=", Lang::En),
        ] {
            assert_eq!(from_query(&uri.parse().unwrap()), lang, "{uri}");
        }
    }

    #[test]
    fn what_a_browser_remembers_is_before_its_languages() {
        for (query, cookie, lang) in [
            ("", "visibility_lang=tr", Lang::Tr),
            ("", "a=b; visibility_lang=tr", Lang::Tr),
            ("", "visibility_lang=tr; visibility_lang=tr", Lang::En),
            ("", "visibility_lang=de", Lang::En),
            ("lang=en", "visibility_lang=tr", Lang::En),
            ("ui_locales=en", "visibility_lang=tr", Lang::En),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static("en"));
            headers.insert(axum::http::header::COOKIE, HeaderValue::from_static(cookie));
            assert_eq!(negotiate(query, &headers), lang, "{query} {cookie}");
        }
        let field = remember(&Settings::default(), Lang::Tr).unwrap();
        assert_eq!(field, "visibility_lang=tr; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000");
    }

    #[test]
    fn what_a_reader_chose_is_before_what_programs_say() {
        for (query, field, lang) in [
            ("", "", Lang::En),
            ("", "tr", Lang::Tr),
            ("", "tr-TR,tr;q=0.9,en;q=0.8", Lang::Tr),
            ("", "en;q=0.8, tr;q=0.9", Lang::Tr),
            ("", "de, fr;q=0.9, tr;q=0.1", Lang::Tr),
            ("", "tr;q=0", Lang::En),
            ("", "tr;q=x, en", Lang::Tr),
            ("", "*", Lang::En),
            ("ui_locales=de+tr-TR+en", "en", Lang::Tr),
            ("ui_locales=de", "tr", Lang::Tr),
            ("a=b&lang=en&ui_locales=tr", "tr", Lang::En),
            ("lang=tr", "en", Lang::Tr),
            ("lang=x", "tr", Lang::Tr),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(field));
            assert_eq!(negotiate(query, &headers), lang, "{query} {field}");
        }
    }
}
