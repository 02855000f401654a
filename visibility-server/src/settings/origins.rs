//! Hosts and origins from which the MCP server may be used.
//!
//! A page of a stranger can make a browser send requests to this machine or this network, under a name
//! of its own that leads there. Such a name is not a host of ours, and such a page no origin.

use std::net::IpAddr;
use std::str::FromStr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri};

use crate::settings::Settings;

/// Names of the machine itself. No stranger can have a page below them.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The hosts and origins that are allowed.
#[derive(Clone, Debug)]
pub(crate) struct AllowList {
    hosts: Vec<AllowedHost>,
    origins: Vec<WebOrigin>,
}

impl AllowList {
    /// What the settings allow, beside what is our own.
    pub(crate) fn new(settings: &Settings) -> Self {
        let own: Option<Uri> = settings.public_url().parse().ok();
        let own_host = own.as_ref().and_then(Uri::host).map(AllowedHost::any);
        let listen = AllowedHost::any(&settings.listen.ip().to_string());
        let set = settings.mcp.allowed_hosts.iter().filter_map(|host| host.parse().ok());
        let loopback = LOOPBACK.into_iter().map(AllowedHost::any);
        let origin = own.as_ref().and_then(WebOrigin::from_uri);
        let origins = settings.mcp.allowed_origins.iter().filter_map(|text| text.parse().ok());
        Self {
            hosts: loopback.chain([listen]).chain(own_host).chain(set).collect(),
            origins: origin.into_iter().chain(origins).collect(),
        }
    }

    /// Whether a request names a host of ours.
    pub(crate) fn has_host(&self, headers: &HeaderMap) -> bool {
        let named = headers.get(HOST).and_then(|host| AllowedHost::from_bytes(host.as_bytes()));
        named.is_some_and(|named| self.hosts.iter().any(|host| host.matches(&named)))
    }

    /// The origin of a request, as it was sent: `Ok(None)` if no page sent it.
    ///
    /// # Errors
    ///
    /// When it is not allowed.
    pub(crate) fn origin<'a>(&self, headers: &'a HeaderMap) -> Result<Option<&'a [u8]>, ()> {
        let mut sent = headers.get_all(ORIGIN).iter();
        let Some(first) = sent.next() else { return Ok(None) };
        let origin = first.to_str().ok().and_then(|text| text.parse::<WebOrigin>().ok());
        let is_allowed = origin.is_some_and(|origin| self.origins.contains(&origin));
        if is_allowed && sent.next().is_none() { Ok(Some(first.as_bytes())) } else { Err(()) }
    }
}

/// A host by which the service is reached.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct AllowedHost {
    /// In lower case, an address of IPv6 without brackets.
    name: String,
    /// The only port, or any.
    port: Option<u16>,
}

/// A text that is not a host.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a host is a name or an address, with or without a port")]
pub(crate) struct HostError;

impl AllowedHost {
    /// A host with any port.
    fn any(name: &str) -> Self {
        Self { name: bare(name), port: None }
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        str::from_utf8(bytes).ok()?.parse().ok()
    }

    fn matches(&self, named: &Self) -> bool {
        self.name == named.name && self.port.is_none_or(|port| named.port == Some(port))
    }
}

impl FromStr for AllowedHost {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self::any(&address.to_string()));
        }
        let authority: Authority = text.parse().map_err(|_other| HostError)?;
        let has_user = authority.as_str().contains('@');
        let rest = authority.as_str().strip_prefix(authority.host()).ok_or(HostError)?;
        let port = match rest.strip_prefix(':') {
            None if rest.is_empty() => None,
            Some(port) => Some(port.parse().map_err(|_other| HostError)?),
            None => return Err(HostError),
        };
        if has_user || authority.host().is_empty() {
            return Err(HostError);
        }
        Ok(Self { name: bare(authority.host()), port })
    }
}

/// A host in one form.
fn bare(host: &str) -> String {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let name = bare.to_ascii_lowercase();
    name.parse::<IpAddr>().map_or(name, |address| address.to_string())
}

/// The origin of a page: RFC 6454 section 4.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct WebOrigin {
    is_https: bool,
    host: String,
    port: u16,
}

/// A text that is not an origin.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("an origin is `http` or `https`, a host and perhaps a port")]
pub(crate) struct OriginError;

impl WebOrigin {
    /// The origin of an address.
    fn from_uri(uri: &Uri) -> Option<Self> {
        let is_https = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let AllowedHost { name, port } = uri.authority()?.as_str().parse().ok()?;
        Some(Self { is_https, host: name, port: port.unwrap_or(if is_https { 443 } else { 80 }) })
    }
}

impl FromStr for WebOrigin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let (scheme, authority) = text.split_once("://").ok_or(OriginError)?;
        // An origin has no path, not even a slash.
        if authority.contains(['/', '?', '#', '@']) {
            return Err(OriginError);
        }
        let uri = format!("{}://{authority}/", scheme.to_ascii_lowercase());
        uri.parse().ok().as_ref().and_then(Self::from_uri).ok_or(OriginError)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn allowed(change: impl FnOnce(&mut Settings)) -> AllowList {
        let mut settings = Settings {
            base_url: Some("https://Visibility.example.com/below".to_owned()),
            listen: "10.0.0.5:8080".parse().unwrap(),
            ..Settings::default()
        };
        change(&mut settings);
        AllowList::new(&settings)
    }

    fn headers(name: &'static str, values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    #[test]
    fn our_own_names_are_hosts_and_those_of_strangers_are_none() {
        let usual = allowed(|_| {});
        let has = |allowed: &AllowList, host: &str| allowed.has_host(&headers("host", &[host]));
        for host in [
            "visibility.example.com",
            "VISIBILITY.EXAMPLE.COM:8443",
            "localhost",
            "localhost:1",
            "127.0.0.1:8080",
            "[::1]:8080",
            "[0:0:0:0:0:0:0:1]",
            "10.0.0.5:8080",
        ] {
            assert!(has(&usual, host), "{host}");
        }
        for host in [
            "evil.example.com",
            "visibility.example.com.evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.2",
            "user@localhost",
            "localhost:99999",
            "localhost:",
            "",
            "a b",
            "localhost/x",
            "\u{e9}",
        ] {
            assert!(!has(&usual, host), "{host}");
        }
        assert!(!usual.has_host(&HeaderMap::new()));
        let more = allowed(|settings| {
            settings.mcp.allowed_hosts = vec!["mcp.internal:9000".to_owned(), "::2".to_owned()];
        });
        assert!(has(&more, "mcp.internal:9000") && has(&more, "[::2]:1"));
        assert!(!has(&more, "mcp.internal") && !has(&more, "mcp.internal:9001"));
        assert!(has(&more, "visibility.example.com"), "our own stays");
    }

    #[test]
    fn our_own_origin_is_allowed_and_those_that_are_set() {
        let more = allowed(|settings| {
            settings.mcp.allowed_origins = vec!["http://App.example.com:3000".to_owned()];
        });
        let is_allowed = |values: &[&str]| {
            let sent = headers("origin", values);
            more.origin(&sent).map(|origin| origin.map(<[u8]>::to_vec))
        };
        assert_eq!(more.origin(&HeaderMap::new()), Ok(None));
        for origin in [
            "https://visibility.example.com",
            "https://visibility.example.com:443",
            "http://app.example.com:3000",
        ] {
            assert_eq!(is_allowed(&[origin]), Ok(Some(origin.as_bytes().to_vec())), "{origin}");
        }
        for origins in [
            &["http://visibility.example.com"][..],
            &["https://visibility.example.com:8443"],
            &["https://visibility.example.com/"],
            &["https://visibility.example.com.evil.example"],
            &["https://a@visibility.example.com"],
            &["http://app.example.com"],
            &["http://localhost"],
            &["null"],
            &[""],
            &["*"],
            &["https://"],
            &["file://visibility.example.com"],
            &["https://visibility.example.com", "https://visibility.example.com"],
            &["https://visibility.example.com https://evil.example"],
        ] {
            assert_eq!(is_allowed(origins), Err(()), "{origins:?}");
        }
    }
}
