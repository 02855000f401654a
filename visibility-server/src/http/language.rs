//! Chooses the language of a response.

use axum::http::Uri;
use visibility_core::text::locale::Lang;

/// The language that `lang` of a query names; English for anything that is not known, and without one.
pub(crate) fn from_query(uri: &Uri) -> Lang {
    let mut pairs = uri.query().unwrap_or_default().split('&');
    let named = pairs.find_map(|pair| pair.strip_prefix("lang="));
    named.and_then(|name| name.parse().ok()).unwrap_or_default()
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
}
