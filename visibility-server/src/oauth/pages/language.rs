//! The language of a page: the one that the user has chosen, else the one that the client or the browser asks for.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;
use url::form_urlencoded;
use visibility_core::text::locale::Lang;

/// Languages that are looked at.
const MAX_LANGUAGES: usize = 32;

/// The language that `lang` of a query names, or `ui_locales` (`OpenID` Connect Core section 3.1.2.1), or
/// `Accept-Language`; English without any.
pub(super) fn negotiate(query: &str, headers: &HeaderMap) -> Lang {
    let parameter = |wanted: &str| {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find_map(|(name, value)| (name == wanted).then_some(value))
    };
    let chosen = || parameter("lang")?.parse().ok();
    chosen()
        .or_else(|| parameter("ui_locales")?.split(' ').take(MAX_LANGUAGES).find_map(known))
        .or_else(|| accepted(headers.get(ACCEPT_LANGUAGE)?.to_str().ok()?))
        .unwrap_or_default()
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
    use axum::http::HeaderValue;

    use super::*;

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
