//! Addresses of pages, compared as search engines compare them.

use url::Url;

/// A URL in the form in which it is compared: scheme, host, port, path without a slash at its end, and
/// query; the fragment and user info are left out, and percent-encodings are those of
/// [RFC 3986, section 6.2.2](https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2). What only tells where a visitor came
/// from is no part of it.
pub(crate) fn normalized(url: &Url) -> String {
    let mut normal = url.origin().ascii_serialization();
    normal.push_str(&normal_encoding(url.path()));
    normal.truncate(normal.trim_end_matches('/').len());
    let query = url.query().map(own_query).unwrap_or_default();
    if !query.is_empty() {
        normal.push('?');
        normal.push_str(&normal_encoding(&query));
    }
    normal
}

/// Whether a parameter only tells where a visitor came from: advertisements and newsletters add it to a link.
pub fn is_tracking(parameter: &str) -> bool {
    const NAMES: [&str; 14] = [
        "dclid",
        "fbclid",
        "gbraid",
        "gclid",
        "gclsrc",
        "igshid",
        "li_fat_id",
        "mc_cid",
        "mc_eid",
        "msclkid",
        "srsltid",
        "ttclid",
        "twclid",
        "wbraid",
    ];
    let name = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.starts_with("utm_") || NAMES.contains(&name.as_str())
}

/// Whether the file of an image is a drawing, or is named as a logo, an icon or the portrait of an account: no picture of what a page is about.
pub(crate) fn is_emblem(src: &str) -> bool {
    const NAMES: [&str; 7] = ["avatar", "favicon", "icon", "logo", "logos", "spacer", "svg"];
    let path = src.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let mut words = file.split(|ch: char| !ch.is_ascii_alphabetic());
    words.any(|word| NAMES.contains(&word))
}

/// A query without the parameters of [`is_tracking`].
fn own_query(query: &str) -> String {
    let own: Vec<&str> = query.split('&').filter(|parameter| !is_tracking(parameter)).collect();
    own.join("&")
}

/// A URL without a fragment and without the parameters of [`is_tracking`].
pub(crate) fn permanent(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    if let Some(query) = url.query().map(own_query) {
        url.set_query(Some(&query).filter(|query| !query.is_empty()).map(String::as_str));
    }
    url
}

/// Whether two URLs are those of the same page.
pub(crate) fn is_same(one: &Url, other: &Url) -> bool {
    normalized(one) == normalized(other)
}

/// Where robots.txt of a page is.
pub(crate) fn robots_txt_url(page: &Url) -> Url {
    let mut url = page.clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    url.set_fragment(None);
    url
}

/// Hexadecimal digits in upper case, and nothing encoded that need not be.
fn normal_encoding(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut parts = text.split('%');
    normal.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let encoded = part
            .split_at_checked(2)
            .filter(|(digits, _)| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let byte = encoded.and_then(|(digits, _)| u8::from_str_radix(digits, 16).ok());
        match (encoded, byte.map(char::from)) {
            (Some((_, rest)), Some(ch)) if is_unreserved(ch) => {
                normal.push(ch);
                normal.push_str(rest);
            }
            (Some((digits, rest)), Some(_)) => {
                normal.push('%');
                normal.push_str(&digits.to_ascii_uppercase());
                normal.push_str(rest);
            }
            _ => {
                normal.push('%');
                normal.push_str(part);
            }
        }
    }
    normal
}

fn is_unreserved(ch: char) -> bool {
    ch.is_ascii_alphanumeric() || matches!(ch, '-' | '.' | '_' | '~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permanent_address_has_no_parameters_of_advertisements() {
        for (url, expected) in [
            ("https://example.com/a?srsltid=AfmB&x=1#b", "https://example.com/a?x=1"),
            ("https://example.com/a?UTM_source=x", "https://example.com/a"),
            ("https://example.com/a?", "https://example.com/a"),
            ("https://example.com/a?page=2", "https://example.com/a?page=2"),
        ] {
            assert_eq!(permanent(&Url::parse(url).unwrap()).as_str(), expected, "{url}");
        }
    }

    #[test]
    fn files_of_logos_are_known_by_their_names() {
        assert!(is_emblem("/img/Logo-white.png") && is_emblem("https://example.com/favicon.ico"));
        assert!(
            is_emblem("/newsletter_cta.svg")
                && is_emblem("/u/avatar_12.gif")
                && is_emblem("/a/icon-2.png?w=3")
        );
        assert!(!is_emblem("/logos/kettle.jpg") && !is_emblem("/silicon.jpg"));
    }

    #[test]
    fn spellings_of_one_address_are_the_same() {
        for (one, other, expected) in [
            ("https://Example.com:443/a", "HTTPS://example.com/a/#b", true),
            ("https://example.com", "https://example.com/", true),
            ("https://example.com/%7ea%c5%9f", "https://example.com/~aş", true),
            ("https://example.com/a?", "https://example.com/a", true),
            ("https://example.com/a?b=%2f", "https://example.com/a/?b=%2F", true),
            ("https://example.com/a%", "https://example.com/a%25", false),
            ("https://example.com/a%2Fb", "https://example.com/a/b", false),
            ("http://example.com/a", "https://example.com/a", false),
            ("https://example.com/a", "https://example.com/A", false),
            ("https://example.com/a", "https://www.example.com/a", false),
            ("https://example.com/a?x=1", "https://example.com/a?x=2", false),
            ("https://example.com/a?utm_source=x&srsltid=Y", "https://example.com/a", true),
            ("https://example.com/a?x=1&gclid=Y", "https://example.com/a?x=1", true),
            ("https://example.com/a?ref=1", "https://example.com/a", false),
            ("https://example.com:8443/a", "https://example.com/a", false),
        ] {
            let url = |text: &str| Url::parse(text).unwrap();
            assert_eq!(is_same(&url(one), &url(other)), expected, "{one} {other}");
        }
    }
}
