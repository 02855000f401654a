//! The domain that a scan is about.

mod error;
mod host;
mod problem;
mod suffix;

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};
use url::{Position, Url};

pub use self::error::DomainError;
#[cfg(feature = "http")]
pub(crate) use self::host::is_off_the_internet;
use self::host::parse_host;
use crate::fetch::page_url::is_loopback;

/// A bare host that can be scanned: lower case, IDNA-encoded, below a delegated top-level domain.
///
/// Subdomains are kept: another authority has another robots.txt. What a name resolves to is not
/// looked at here; that is the fetcher's work.
#[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Domain(String);

impl Domain {
    /// The host, ASCII.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `https://host/`.
    #[expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a domain is a host")]
    pub fn https_root(&self) -> Url {
        Url::parse(&format!("https://{}/", self.0)).expect("a domain is a host")
    }

    /// `http://host/`.
    #[expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a domain is a host")]
    pub fn http_root(&self) -> Url {
        Url::parse(&format!("http://{}/", self.0)).expect("a domain is a host")
    }

    /// The authority of a development server on this machine, such as `localhost:3000`. `None` for any
    /// other address, and for one with user info.
    ///
    /// Only a URL leads here: a text is never parsed to a local authority.
    pub fn from_local_origin(origin: &Url) -> Option<Self> {
        let has_user_info = !origin.username().is_empty() || origin.password().is_some();
        let is_web = matches!(origin.scheme(), "http" | "https");
        let authority = &origin[Position::BeforeHost..Position::AfterPort];
        (is_web && !has_user_info && is_loopback(origin)).then(|| Self(authority.to_owned()))
    }

    /// The registrable domain (eTLD+1) by the public suffix list; the host itself if it is a
    /// private-section suffix.
    pub fn registrable(&self) -> &str {
        suffix::registrable(&self.0)
    }

    /// The other spelling of a site's main host: the host without its `www.`, or a registrable
    /// domain with it. `None` for any other subdomain, and where that would not be a domain.
    pub fn other_host(&self) -> Option<Self> {
        let other = match self.0.strip_prefix("www.") {
            Some(apex) => apex.to_owned(),
            None if self.registrable() == self.0 => format!("www.{}", self.0),
            None => return None,
        };
        parse_host(&other).ok()
    }
}

/// Whether two addresses are of one host or of one registrable domain: a site may only name
/// addresses of its own to visit.
pub fn is_same_site(one: &Url, other: &Url) -> bool {
    let hosts = one.host_str().unwrap_or_default();
    let others = other.host_str().unwrap_or_default();
    let domain = |host: &str| host.parse::<Domain>().ok();
    hosts == others
        || domain(hosts)
            .zip(domain(others))
            .is_some_and(|(one, other)| one.registrable() == other.registrable())
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Domain> for String {
    fn from(domain: Domain) -> Self {
        domain.0
    }
}

impl TryFrom<String> for Domain {
    type Error = DomainError;

    fn try_from(text: String) -> Result<Self, DomainError> {
        text.parse()
    }
}

/// Reads the domain of a recorded scan, which may be that of a development server.
pub(crate) fn recorded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Domain, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().or_else(|error: DomainError| {
        let local = Url::parse(&format!("http://{text}/"))
            .ok()
            .and_then(|origin| Domain::from_local_origin(&origin));
        local
            .filter(|domain| domain.as_str() == text)
            .ok_or_else(|| serde::de::Error::custom(error))
    })
}

impl FromStr for Domain {
    type Err = DomainError;

    fn from_str(text: &str) -> Result<Self, DomainError> {
        if text.len() > MAX_INPUT_BYTES {
            return Err(DomainError::TooLong);
        }
        let text = trim(text);
        if text.is_empty() {
            return Err(DomainError::Empty);
        }
        if is_ipv6(text) {
            return Err(DomainError::IpLiteral);
        }
        match more_than_a_host(text) {
            Some(error) => Err(error),
            None => parse_host(text),
        }
    }
}

/// Bytes of input that are looked at. A name has at most 253, and each can take a few in UTF-8.
const MAX_INPUT_BYTES: usize = 1024;
fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\r', '\n'])
}

fn is_ipv6(text: &str) -> bool {
    let address = text.split('%').next().unwrap_or_default();
    text.starts_with('[') || address.parse::<Ipv6Addr>().is_ok()
}

/// The part beside the host, if there is one.
fn more_than_a_host(text: &str) -> Option<DomainError> {
    let suggestion = || cleaned(text).map(Box::new);
    if let Some((scheme, _)) = text.split_once("://") {
        let scheme = scheme.chars().take(20).collect();
        return Some(DomainError::Scheme { scheme, suggestion: suggestion() });
    }
    if text.contains(['/', '\\', '?', '#']) {
        return Some(DomainError::Path { suggestion: suggestion() });
    }
    if text.contains('@') {
        return Some(DomainError::UserInfo { suggestion: suggestion() });
    }
    if text.contains(':') {
        return Some(DomainError::Port { suggestion: suggestion() });
    }
    text.chars()
        .find(|&c| is_forbidden(c))
        .map(|character| DomainError::Character { character, suggestion: suggestion() })
}

/// The forbidden host code points of the URL standard, but for those that mark a part of a URL.
fn is_forbidden(c: char) -> bool {
    c.is_ascii_control() || " %\"<>[]^`{|}*".contains(c)
}

/// The host that was probably meant when an address was pasted.
fn cleaned(text: &str) -> Option<Domain> {
    let text = text.trim_matches(['"', '\'', '`', '<', '>', '(', ')', ',', ' ']);
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest).trim_start_matches('/');
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host =
        authority.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    parse_host(trim(host.strip_prefix("*.").unwrap_or(host))).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_site_is_a_host_or_a_registrable_domain() {
        for (one, other, expected) in [
            ("https://example.com/", "https://www.example.com/a", true),
            ("https://example.com/", "http://shop.example.com/a", true),
            ("https://example.com/", "https://example.org/a", false),
            ("https://a.github.io/", "https://b.github.io/", false),
            ("http://127.0.0.1:8000/", "http://127.0.0.1/", true),
            ("http://127.0.0.1/", "http://127.0.0.2/", false),
        ] {
            let url = |text: &str| Url::parse(text).unwrap();
            assert_eq!(is_same_site(&url(one), &url(other)), expected, "{one} {other}");
        }
    }

    fn refusal(text: &str) -> DomainError {
        match text.parse::<Domain>() {
            Ok(domain) => panic!("{text:?} was accepted as {domain}"),
            Err(error) => error,
        }
    }

    fn domain(text: &str) -> Domain {
        text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    #[test]
    fn every_vector_gets_its_answer() {
        let file: Value =
            serde_json::from_str(include_str!("../../testdata/domain_vectors.json")).unwrap();
        let mut seen = 0;
        for vector in file["vectors"].as_array().unwrap() {
            // A value of another JSON type is refused when the JSON is read.
            let Some(input) = vector["input"].as_str() else { continue };
            seen += 1;
            let found = input.parse::<Domain>();
            if vector["expect"] == "accept" {
                let found = found.unwrap_or_else(|error| panic!("{input:?}: {error}"));
                assert_eq!(found.as_str(), vector["normalized"], "{input:?}");
                if let Some(registrable) = vector["registrable"].as_str() {
                    assert_eq!(found.registrable(), registrable, "{input:?}");
                }
            } else {
                let error = found.expect_err(input);
                if let Some(code) = vector["code"].as_str() {
                    assert_eq!(error.code(), code, "{input:?}: {error}");
                }
            }
        }
        assert!(seen >= 79, "{seen}");
    }

    #[test]
    fn the_other_host_is_the_apex_or_its_www() {
        let other = |text: &str| domain(text).other_host().map(String::from);
        assert_eq!(other("example.com").as_deref(), Some("www.example.com"));
        assert_eq!(other("www.example.com.tr").as_deref(), Some("example.com.tr"));
        assert_eq!(other("github.io").as_deref(), Some("www.github.io"));
        assert_eq!(other("shop.example.com"), None);
        assert_eq!(other("www.co.uk"), None, "the rest is a public suffix");
        let label = "a".repeat(63);
        let long = format!("{label}.{label}.{label}.{}.com", "a".repeat(57));
        assert_eq!(other(&long), None);
    }

    #[test]
    fn only_the_url_of_this_machine_is_local() {
        for (text, authority) in [
            ("http://localhost:3000/a?b", Some("localhost:3000")),
            ("https://app.localhost/", Some("app.localhost")),
            ("http://127.0.0.1:8080", Some("127.0.0.1:8080")),
            ("http://[::1]:8080/", Some("[::1]:8080")),
            ("http://192.168.0.1:8080/", None),
            ("http://example.com:3000/", None),
            ("http://user@localhost:3000/", None),
            ("ftp://localhost/", None),
        ] {
            let local = Domain::from_local_origin(&Url::parse(text).unwrap());
            assert_eq!(local.as_ref().map(Domain::as_str), authority, "{text}");
            assert!(local.is_none_or(|local| local.other_host().is_none()), "{text}");
        }
        assert!("localhost:3000".parse::<Domain>().is_err());
    }

    #[test]
    fn a_pasted_address_comes_back_as_a_suggestion() {
        for (text, suggestion) in [
            ("https://Example.com/shop", Some("example.com")),
            ("https://user:pw@www.example.com:8443/a?b#c", Some("www.example.com")),
            ("//example.com", Some("example.com")),
            ("example.com/", Some("example.com")),
            ("example.com:443", Some("example.com")),
            ("info@example.com", Some("example.com")),
            ("<https://example.com>", Some("example.com")),
            ("\"example.com\"", Some("example.com")),
            ("*.example.com", Some("example.com")),
            ("https://şirket.com.tr/ürün", Some("xn--irket-idb.com.tr")),
            ("https://127.0.0.1/", None),
            ("http://[::1]/", None),
            ("https://localhost:3000", None),
            ("https://", None),
            ("exam ple.com", None),
            ("file:///etc/passwd", None),
        ] {
            assert_eq!(refusal(text).suggestion().as_deref(), suggestion, "{text:?}");
        }
    }

    #[test]
    fn every_sentence_exists_in_both_languages_with_its_placeholders() {
        let errors = [
            "",
            "https://a.com",
            "a.com/",
            "a.com:1",
            "a@a.com",
            "a_b.com",
            "127.1",
            "server",
            "a.local",
            "a.docker",
            "com.tr",
            "a..com",
            "-a.com",
            "xn--a.com",
        ];
        let mut errors: Vec<DomainError> = errors.into_iter().map(refusal).collect();
        errors.push(refusal(&format!("{}.com", "a".repeat(64))));
        errors.push(refusal(&"a".repeat(2000)));
        for catalog in
            [include_str!("../../locales/en.json"), include_str!("../../locales/tr.json")]
        {
            let catalog: Value = serde_json::from_str(catalog).unwrap();
            let sentences = catalog["domain_errors"].as_object().unwrap();
            assert_eq!(sentences.len(), errors.len());
            for error in &errors {
                let entry = &sentences[error.id()];
                let both = format!(
                    "{} {}",
                    entry["text"].as_str().unwrap(),
                    entry["hint"].as_str().unwrap()
                );
                for (name, _) in error.values() {
                    assert!(both.contains(&format!("{{{name}}}")), "{both}");
                }
                assert_eq!(both.matches('{').count(), error.values().len(), "{both}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_accepted_is_lower_case_ascii_and_parses_to_itself(
            text in prop_oneof![
                any::<String>(),
                "[a-zA-Z0-9.ışİéß。．xn-]{1,30}\\.(com|com\\.tr|jp|рф)\\.?",
                "(xn--)?[a-z0-9-]{1,20}\\.[a-z]{2,4}",
            ],
        ) {
            match text.parse::<Domain>() {
                Ok(found) => {
                    prop_assert!(found.as_str().is_ascii());
                    prop_assert_eq!(found.as_str(), found.as_str().to_ascii_lowercase());
                    prop_assert_eq!(found.as_str().parse::<Domain>(), Ok(found.clone()));
                    prop_assert_eq!(found.https_root().to_string(), format!("https://{found}/"));
                    prop_assert!(found.as_str().ends_with(found.registrable()));
                    drop(found.other_host());
                }
                Err(error) => if let Some(suggestion) = error.suggestion() {
                    prop_assert!(suggestion.parse::<Domain>().is_ok());
                },
            }
        }
    }
}
