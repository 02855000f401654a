//! The forms in which operators publish their networks.

use std::net::IpAddr;

use chrono::{DateTime, NaiveDateTime, Utc};
use ipnet::IpNet;
use serde_json::Value;

/// Networks of one list. The largest of 2026 has 1,023; our choice is above that.
const MAX_PREFIXES: usize = 100_000;
/// The widest networks that one operator has, in bits. A list with `0.0.0.0/0` would make everyone real.
const MIN_BITS: (u8, u8) = (8, 16);

/// Why a list cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum RangeListError {
    /// It is a page for people.
    #[error("it is a page of HTML and no list")]
    Html,
    /// It has no network.
    #[error("there is no network in it")]
    Empty,
    /// A part of it is none.
    #[error("a part of it is no network: `{0}`")]
    NoNetwork(String),
    /// One of its networks is too large to belong to an operator.
    #[error("`{0}` is larger than the network of any operator")]
    TooWide(IpNet),
    /// It has too many networks.
    #[error("it has more than {MAX_PREFIXES} networks")]
    TooMany,
}

/// What a list says.
#[derive(Debug)]
pub(super) struct Published {
    pub(super) published_at: Option<DateTime<Utc>>,
    pub(super) prefixes: Vec<IpNet>,
}

pub(super) fn read(body: &[u8]) -> Result<Published, RangeListError> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii();
    if body.starts_with(b"<") {
        return Err(RangeListError::Html);
    }
    if !body.starts_with(b"{") && !body.starts_with(b"[") {
        return read_lines(&String::from_utf8_lossy(body));
    }
    let json = serde_json::from_slice(body)
        .map_err(|error| RangeListError::NoNetwork(format!("JSON that ends early: {error}")))?;
    read_json(&json)
}

fn read_lines(text: &str) -> Result<Published, RangeListError> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let networks: Result<Vec<_>, _> =
        lines.filter(|line| !line.is_empty()).map(network_or_error).collect();
    published(None, networks?)
}

/// The arrays of an object whose first element is a network, or the one that the list is. All that is in them has to be.
fn read_json(json: &Value) -> Result<Published, RangeListError> {
    let (date, arrays) = match json {
        Value::Array(array) => (None, vec![array]),
        Value::Object(members) => {
            let date = ["creationTime", "createDate", "syncToken", "updated"]
                .iter()
                .find_map(|key| time(members.get(*key)?.as_str()?));
            (date, members.values().filter_map(Value::as_array).collect())
        }
        _ => (None, Vec::new()),
    };
    let mut prefixes = Vec::new();
    for array in arrays {
        if array.first().is_none_or(|first| networks_of(first).is_empty()) {
            continue;
        }
        for element in array {
            let networks = networks_of(element);
            if networks.is_empty() {
                return Err(no_network(&element.to_string()));
            }
            prefixes.extend(networks);
        }
    }
    published(date, prefixes)
}

/// The networks of an element: a text, or an object such as `{"ipv4Prefix": "192.0.2.0/24"}`.
fn networks_of(element: &Value) -> Vec<IpNet> {
    match element {
        Value::String(text) => network(text).into_iter().collect(),
        Value::Object(members) => {
            members.values().filter_map(Value::as_str).filter_map(network).collect()
        }
        _ => Vec::new(),
    }
}

fn network(text: &str) -> Option<IpNet> {
    let text = text.trim();
    let network: IpNet =
        text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(Into::into))?;
    Some(network.trunc())
}

fn network_or_error(text: &str) -> Result<IpNet, RangeListError> {
    network(text).ok_or_else(|| no_network(text))
}

fn no_network(text: &str) -> RangeListError {
    RangeListError::NoNetwork(text.chars().filter(|ch| !ch.is_control()).take(60).collect())
}

fn published(
    published_at: Option<DateTime<Utc>>,
    prefixes: Vec<IpNet>,
) -> Result<Published, RangeListError> {
    check(&prefixes)?;
    Ok(Published { published_at, prefixes })
}

/// Whether networks may be those of one operator.
pub(super) fn check(prefixes: &[IpNet]) -> Result<(), RangeListError> {
    if prefixes.is_empty() {
        return Err(RangeListError::Empty);
    }
    if prefixes.len() > MAX_PREFIXES {
        return Err(RangeListError::TooMany);
    }
    let is_too_wide = |network: &&IpNet| match network {
        IpNet::V4(network) => network.prefix_len() < MIN_BITS.0,
        IpNet::V6(network) => network.prefix_len() < MIN_BITS.1,
    };
    match prefixes.iter().find(is_too_wide) {
        Some(network) => Err(RangeListError::TooWide(*network)),
        None => Ok(()),
    }
}

/// A time with or without a zone, which is UTC then.
fn time(text: &str) -> Option<DateTime<Utc>> {
    let zoned = DateTime::parse_from_rfc3339(text).map(|time| time.to_utc());
    zoned.ok().or_else(|| {
        let time = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f");
        time.ok().map(|time| time.and_utc())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_that_operators_use_are_read() {
        for (body, count, is_dated) in [
            (
                r#"{"creationTime":"2026-08-14T20:03:38.055838","prefixes":[{"ipv4Prefix":"192.0.2.0/28"},{"ipv6Prefix":"2001:db8::/48"}]}"#,
                2,
                true,
            ),
            (
                r#"{"creationTime":"2026-08-14T20:03:38Z","prefixes":[{"ip_prefix":"192.0.2.4/32","service":"X"}],"tags":["a"]}"#,
                1,
                true,
            ),
            (
                r#"{"prefixes":[{"ip_prefix":"192.0.2.4"}],"ipv6_prefixes":[{"ipv6_prefix":"2001:db8::/32"}]}"#,
                2,
                false,
            ),
            (r#"["192.0.2.0/24", "198.51.100.7"]"#, 2, false),
            ("192.0.2.0/24\r\n# Europe\n198.51.100.7 # one\n\n2001:db8::/32\n", 3, false),
            ("\u{feff}192.0.2.9/24", 1, false),
        ] {
            let found = read(body.as_bytes()).unwrap();
            assert_eq!(
                (found.prefixes.len(), found.published_at.is_some()),
                (count, is_dated),
                "{body}"
            );
        }
    }

    #[test]
    fn what_is_no_list_is_refused_with_the_reason() {
        for (body, expected) in [
            ("<!doctype html><p>192.0.2.0/24", "it is a page of HTML and no list"),
            ("", "there is no network in it"),
            (r#"{"prefixes":[]}"#, "there is no network in it"),
            (r#"{"error":"gone"}"#, "there is no network in it"),
            ("Not found", "a part of it is no network: `Not found`"),
            (
                r#"{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv4Prefix":"192.0.2.0/240"}]}"#,
                r#"a part of it is no network: `{"ipv4Prefix":"192.0.2.0/240"}`"#,
            ),
            ("0.0.0.0/0", "`0.0.0.0/0` is larger than the network of any operator"),
            ("::/0", "`::/0` is larger than the network of any operator"),
        ] {
            assert_eq!(read(body.as_bytes()).unwrap_err().to_string(), expected, "{body}");
        }
        let cut = read(br#"{"prefixes":[{"ipv4Prefix":"192."#).unwrap_err().to_string();
        assert!(cut.contains("JSON that ends early"), "{cut}");
        let many = "192.0.2.1\n".repeat(MAX_PREFIXES + 1);
        assert_eq!(read(many.as_bytes()).unwrap_err(), RangeListError::TooMany);
    }
}
