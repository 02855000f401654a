//! Content negotiation: media types and content codings by their weights.
//!
//! RFC 9110 sections 12.4.2, 12.5.1 and 12.5.3.

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, ACCEPT_ENCODING, HeaderName};

/// Elements of a list that are read; real clients send fewer.
const MAX_ELEMENTS: usize = 64;
/// A weight of 1 in thousandths, as a weight has at most three decimals.
const FULL: u16 = 1000;

/// Whether Markdown is wanted rather than HTML.
///
/// As programs name it and browsers do not, Markdown wins a tie if it is named, and HTML any other.
pub(crate) fn prefers_markdown(headers: &HeaderMap) -> bool {
    let mut found = [Weight::default(), Weight::default()];
    for (element, weight) in elements(headers, &ACCEPT) {
        let element = element.to_ascii_lowercase();
        for (kind, best) in ["text/markdown", "text/html"].into_iter().zip(&mut found) {
            let rank = match element.as_str() {
                "*/*" => 1,
                "text/*" => 2,
                named if named == kind => 3,
                _ => continue,
            };
            best.update(rank, weight);
        }
    }
    let [markdown, html] = found;
    let is_named = markdown.rank == 3;
    markdown.value > html.value || (is_named && markdown.value > 0 && markdown.value == html.value)
}

/// Which of these media types is wanted most: of those that are wanted alike the one that is named most
/// closely, and then the first; also the first if none is wanted.
pub(crate) fn preferred<'a>(headers: &HeaderMap, offered: &[&'a str]) -> Option<&'a str> {
    // `max_by_key` returns the last maximum, and the first one should win: the list is reversed.
    offered.iter().rev().copied().max_by_key(|kind| weight_and_rank(headers, kind))
}

/// The weight of a media type and the rank of the element that gives it; zeros if it is not accepted.
fn weight_and_rank(headers: &HeaderMap, kind: &str) -> (u16, u8) {
    let mut best = Weight::default();
    for (element, weight) in elements(headers, &ACCEPT) {
        let element = element.to_ascii_lowercase();
        let family = element.strip_suffix("/*").filter(|family| *family != "*");
        let rank = match family {
            _ if element == "*/*" => 1,
            Some(family) if kind.split('/').next() == Some(family) => 2,
            None if element == kind => 3,
            _ => continue,
        };
        best.update(rank, weight);
    }
    if best.value > 0 { (best.value, best.rank) } else { (0, 0) }
}

/// Whether each of these media types is named, and with a weight.
pub(crate) fn names_all(headers: &HeaderMap, kinds: &[&str]) -> bool {
    kinds.iter().all(|kind| {
        elements(headers, &ACCEPT)
            .any(|(element, weight)| element.eq_ignore_ascii_case(kind) && weight > 0)
    })
}

/// Whether a body may come compressed with gzip.
pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let mut best = Weight::default();
    for (element, weight) in elements(headers, &ACCEPT_ENCODING) {
        match element.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => best.update(2, weight),
            "*" => best.update(1, weight),
            _ => {}
        }
    }
    best.value > 0
}

/// The weight of the most specific element that fits.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    rank: u8,
    value: u16,
}

impl Weight {
    /// Takes a weight if nothing more specific was seen; of equals, the greater.
    fn update(&mut self, rank: u8, value: u16) {
        if (rank, value) > (self.rank, self.value) {
            *self = Self { rank, value };
        }
    }
}

/// Elements of a list with their weights; parameters but `q` are left out.
fn elements<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = (&'a str, u16)> + use<'a> {
    fields(headers, name).flat_map(|field| field.split(',')).take(MAX_ELEMENTS).map(|element| {
        let mut parts = element.split(';').map(str::trim);
        let value = parts.next().unwrap_or_default();
        let mut weights = parts.filter_map(|parameter| {
            let (name, weight) = parameter.split_once('=')?;
            name.trim().eq_ignore_ascii_case("q").then(|| thousandths(weight.trim()))
        });
        (value, weights.next().unwrap_or(FULL))
    })
}

fn fields<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = &'a str> + use<'a> {
    headers.get_all(name).iter().filter_map(|field| field.to_str().ok())
}

/// A weight such as `0.8`. A malformed weight counts as 0.
fn thousandths(text: &str) -> u16 {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_short = decimals.len() <= 3 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let digits = format!("{decimals:0<3}");
    match (whole, digits.parse::<u16>()) {
        ("0", Ok(value)) if is_short => value,
        ("1", Ok(0)) if is_short => FULL,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn with(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn media_types_are_named_each_by_its_own_name() {
        for (accept, is_named) in [
            ("application/json, text/event-stream", true),
            ("text/event-stream;q=0.1,Application/JSON;charset=utf-8, */*", true),
            ("application/json, text/event-stream;q=0", false),
            ("application/json", false),
            ("*/*", false),
            ("application/*, text/*", false),
            ("", false),
        ] {
            let headers = with(ACCEPT, accept);
            let found = names_all(&headers, &["application/json", "text/event-stream"]);
            assert_eq!(found, is_named, "{accept}");
        }
    }

    #[test]
    fn markdown_is_sent_if_it_is_preferred() {
        for (accept, wanted) in [
            ("text/markdown", true),
            ("Text/Markdown;charset=utf-8", true),
            ("text/markdown, text/html;q=0.5, */*;q=0.1", true),
            ("text/markdown, text/html, */*", true),
            ("text/html;q=0.9, text/markdown;q=0.900", true),
            ("text/markdown;q=0.8, text/html", false),
            ("text/markdown;q=0", false),
            ("text/markdown;q=0.2, */*", false),
            ("text/*", false),
            ("*/*", false),
            ("text/html;q=0, text/*", true),
            ("text/*, text/html;q=0", true),
            ("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", false),
            ("application/json", false),
            ("text/markdown;q=nonsense", false),
            ("text/markdown;q=1.5, text/html;q=0.1", false),
            ("", false),
        ] {
            assert_eq!(prefers_markdown(&with(ACCEPT, accept)), wanted, "{accept}");
        }
        assert!(!prefers_markdown(&HeaderMap::new()));
    }

    #[test]
    fn of_media_types_the_one_that_is_wanted_most_is_found() {
        let offered = ["application/json", "text/html", "text/markdown"];
        for (accept, wanted) in [
            ("", "application/json"),
            ("*/*", "application/json"),
            ("image/png", "application/json"),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
            ("text/markdown, text/html, */*", "text/html"),
            ("text/markdown, */*;q=0.1", "text/markdown"),
            ("TEXT/*", "text/html"),
            ("text/html;q=0.5, text/*", "text/markdown"),
            ("application/json;q=0.2, text/html;q=0.1", "application/json"),
            ("application/json;q=0, */*", "text/html"),
            ("application/*, text/html", "text/html"),
            ("application/json, text/html", "application/json"),
        ] {
            let found = preferred(&with(ACCEPT, accept), &offered);
            assert_eq!(found, Some(wanted), "{accept}");
        }
        assert_eq!(preferred(&HeaderMap::new(), &offered), Some("application/json"));
    }

    #[test]
    fn fields_of_one_name_are_one_list() {
        let mut headers = with(ACCEPT, "text/html;q=0.3");
        headers.append(ACCEPT, HeaderValue::from_static("text/markdown;q=0.4"));
        assert!(prefers_markdown(&headers));
    }

    #[test]
    fn gzip_is_sent_if_it_is_accepted() {
        for (accept, taken) in [
            ("gzip", true),
            ("br, GZIP;q=0.1", true),
            ("x-gzip", true),
            ("gzip;Q=1", true),
            ("*", true),
            ("*;q=0", false),
            ("*, gzip;q=0", false),
            ("gzip;q=0, *", false),
            ("gzip;q=nonsense", false),
            ("gzipped", false),
            ("gzip;q=0.000", false),
            ("br", false),
            ("identity", false),
            ("", false),
        ] {
            assert_eq!(accepts_gzip(&with(ACCEPT_ENCODING, accept)), taken, "{accept}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }

    #[test]
    fn a_weight_has_at_most_three_decimals() {
        for (text, value) in [
            ("1", 1000),
            ("1.000", 1000),
            ("0", 0),
            ("0.", 0),
            ("0.5", 500),
            ("0.05", 50),
            ("0.123", 123),
            ("0.1234", 0),
            ("1.001", 0),
            ("2", 0),
            ("-1", 0),
            ("0.+1", 0),
            ("", 0),
        ] {
            assert_eq!(thousandths(text), value, "{text}");
        }
    }
}
