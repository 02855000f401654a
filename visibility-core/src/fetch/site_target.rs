//! Parses the target of a scan: a domain, a pasted URL, or a site on this machine.

use url::Url;

use crate::fetch::domain::{Domain, DomainError};

/// A site to scan.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SiteTarget {
    /// The domain; for a site on this machine its authority.
    pub domain: Domain,
    /// The one origin to scan, for a site on this machine.
    pub origin: Option<Url>,
    /// What was pasted, if it was more than a host.
    pub pasted_url: Option<PastedUrl>,
}

/// A URL of which the host is scanned.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PastedUrl {
    /// The URL, with its scheme.
    pub url: String,
    /// Whether it is that of a page, which can be audited.
    pub is_page: bool,
}

impl SiteTarget {
    /// Reads a domain, a URL of `http` or `https`, or one without its scheme.
    ///
    /// A local site needs its scheme or its port: `localhost` alone is a name like any other.
    ///
    /// # Errors
    ///
    /// What is wrong with the host, or with the text if it has no scheme.
    pub fn parse(text: &str) -> Result<Self, DomainError> {
        let refused = match text.parse::<Domain>() {
            Ok(domain) => return Ok(Self { domain, origin: None, pasted_url: None }),
            Err(error) => error,
        };
        let text = text.trim();
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text),
        };
        if scheme.as_deref().is_some_and(|scheme| !matches!(scheme, "http" | "https")) {
            return Err(refused);
        }
        let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
        let Some((authority, path)) = rest.split_at_checked(end) else { return Err(refused) };
        if scheme.is_some() || has_port(authority) {
            let scheme = scheme.as_deref().unwrap_or("http");
            let origin = Url::parse(&format!("{scheme}://{authority}/")).ok();
            let local =
                origin.and_then(|origin| Some((Domain::from_local_origin(&origin)?, origin)));
            if let Some((domain, origin)) = local {
                let pasted = is_page(path).then(|| PastedUrl::parse(text, scheme));
                return Ok(Self { domain, origin: Some(origin), pasted_url: pasted });
            }
        }
        match authority.parse::<Domain>() {
            Ok(domain) => {
                let pasted = PastedUrl::parse(text, scheme.as_deref().unwrap_or("https"));
                Ok(Self { domain, origin: None, pasted_url: Some(pasted) })
            }
            // What is wrong with the host says more than that it is not alone.
            Err(error) if scheme.is_some() => Err(error),
            Err(_) => Err(refused),
        }
    }
}

impl PastedUrl {
    fn parse(text: &str, scheme: &str) -> Self {
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        let path = rest.find(['/', '\\', '?', '#']).and_then(|at| rest.get(at..));
        Self { url: format!("{scheme}://{rest}"), is_page: path.is_some_and(is_page) }
    }
}

/// Whether what follows the host is more than the home page.
fn is_page(path: &str) -> bool {
    !matches!(path, "" | "/")
}

/// Whether an authority ends in a port.
fn has_port(authority: &str) -> bool {
    let is_number = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    authority
        .rsplit_once(':')
        .is_some_and(|(host, port)| is_number(port) && (host.ends_with(']') || !host.contains(':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> SiteTarget {
        SiteTarget::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn a_pasted_url_names_its_host() {
        for (text, domain, url, is_page) in [
            ("https://example.com/shop", "example.com", "https://example.com/shop", true),
            ("HTTPS://Example.COM./", "example.com", "https://Example.COM./", false),
            ("http://example.com", "example.com", "http://example.com", false),
            ("example.com/", "example.com", "https://example.com/", false),
            ("example.com/a?b#c", "example.com", "https://example.com/a?b#c", true),
            ("https://example.com?q", "example.com", "https://example.com?q", true),
        ] {
            let SiteTarget { domain: found, origin, pasted_url: pasted } = target(text);
            assert_eq!(found.as_str(), domain, "{text}");
            assert_eq!(origin, None, "{text}");
            assert_eq!(pasted, Some(PastedUrl { url: url.to_owned(), is_page }), "{text}");
        }
        for text in ["example.com", "Example.COM.", " example.com\n"] {
            assert_eq!(target(text).domain.as_str(), "example.com", "{text}");
            assert_eq!(target(text).pasted_url, None, "{text}");
        }
    }

    #[test]
    fn a_site_on_this_machine_has_an_origin() {
        for (text, domain, origin) in [
            ("http://localhost:3000", "localhost:3000", "http://localhost:3000/"),
            ("localhost:3000", "localhost:3000", "http://localhost:3000/"),
            ("https://LOCALHOST:3000/a", "localhost:3000", "https://localhost:3000/"),
            ("http://127.0.0.1:8080/", "127.0.0.1:8080", "http://127.0.0.1:8080/"),
            ("http://[::1]:8080", "[::1]:8080", "http://[::1]:8080/"),
            ("[::1]:8080", "[::1]:8080", "http://[::1]:8080/"),
            ("http://localhost", "localhost", "http://localhost/"),
        ] {
            let found = target(text);
            assert_eq!(found.domain.as_str(), domain, "{text}");
            assert_eq!(found.origin.map(String::from).as_deref(), Some(origin), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_url_is_named() {
        for (text, code) in [
            ("https://user:pw@example.com/", "not_a_bare_host"),
            ("https://example.com:8443/", "not_a_bare_host"),
            ("http://user@localhost:3000/", "not_a_bare_host"),
            ("http://192.168.0.1/", "ip_literal"),
            ("http://127.0.0.1.example", "special_use"),
            ("ftp://example.com/", "not_a_bare_host"),
            ("127.0.0.1", "ip_literal"),
            ("::1", "ip_literal"),
        ] {
            let error = SiteTarget::parse(text).expect_err(text);
            assert_eq!(error.code(), code, "{text}: {error}");
        }
        let error = SiteTarget::parse("https://user:pw@example.com/").unwrap_err();
        assert!(matches!(error, DomainError::UserInfo { .. }), "{error}");
    }
}
