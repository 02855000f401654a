//! The proxy of the environment, as curl reads it: which requests go through it, and which directly.

use std::ffi::OsString;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use url::{Host, Url};

use crate::fetch::http::error::authority;

/// Which requests go through a proxy.
///
/// Read once, so that the check of a request and its connection cannot disagree about its way.
#[derive(Clone)]
pub struct ProxyRules {
    http: Option<Url>,
    https: Option<Url>,
    exceptions: Vec<Exception>,
}

impl ProxyRules {
    /// Reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`. In lower case each goes first. An empty variable
    /// is like none. `HTTP_PROXY` in upper case is ignored beside `REQUEST_METHOD`: there it is a header field of a
    /// stranger's.
    ///
    /// # Errors
    ///
    /// When no variable names a proxy, or one has a value that cannot be used.
    pub fn from_variables(
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ProxyRulesError> {
        let value = |name: &str| -> Option<(String, OsString)> {
            let upper = name.to_ascii_uppercase();
            let is_cgi = name == "http_proxy" && variable("REQUEST_METHOD").is_some();
            let names = [name.to_owned(), upper].into_iter().take(if is_cgi { 1 } else { 2 });
            let mut values = names.filter_map(|name| Some((variable(&name)?, name)));
            let (value, name) = values.find(|(value, _)| !value.is_empty())?;
            Some((name, value))
        };
        let proxy = |name: &str| value(name).map(|(name, value)| server(name, value)).transpose();
        let all = proxy("all_proxy")?;
        let (http, https) = (proxy("http_proxy")?, proxy("https_proxy")?);
        let (http, https) = (http.or_else(|| all.clone()), https.or(all));
        if http.is_none() && https.is_none() {
            return Err(ProxyRulesError::NotSet);
        }
        let exceptions = value("no_proxy").map(|(_, list)| exceptions(&list.to_string_lossy()));
        Ok(Self { http, https, exceptions: exceptions.unwrap_or_default() })
    }

    /// The proxy for requests of this scheme that are not excepted.
    pub(super) fn for_scheme(&self, scheme: &str) -> Option<&Url> {
        if scheme == "https" { self.https.as_ref() } else { self.http.as_ref() }
    }

    /// The proxy that a request for this URL goes through; `None` if it goes directly.
    pub(super) fn for_url(&self, url: &Url) -> Option<&Url> {
        let is_excepted = self.exceptions.iter().any(|exception| exception.has(url));
        self.for_scheme(url.scheme()).filter(|_| !is_excepted)
    }
}

/// Without user names and passwords.
impl fmt::Debug for ProxyRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProxyRules")
            .field("http", &self.http.as_ref().map(authority))
            .field("https", &self.https.as_ref().map(authority))
            .field("exceptions", &self.exceptions)
            .finish()
    }
}

/// The address of a proxy. A value without a scheme is meant as `http`.
fn server(variable: String, value: OsString) -> Result<Url, ProxyRulesError> {
    let unusable = |variable| ProxyRulesError::Unusable { variable };
    let Ok(value) = value.into_string() else { return Err(unusable(variable)) };
    let value = value.trim();
    let has_scheme = value.contains("://");
    let text = if has_scheme { value.to_owned() } else { format!("http://{value}") };
    match Url::parse(&text) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            Err(ProxyRulesError::Scheme { variable, scheme: url.scheme().to_owned() })
        }
        Ok(url) if url.port_or_known_default() != Some(0) => Ok(url),
        _ => Err(unusable(variable)),
    }
}

/// An entry of `NO_PROXY`.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Exception {
    hosts: Hosts,
    /// Any port, if there is none.
    port: Option<u16>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Hosts {
    All,
    /// A name and all below it.
    Name(String),
    Network(IpNet),
}

/// The entries between commas and white space. What is neither a name nor a network matches nothing, as in curl.
fn exceptions(list: &str) -> Vec<Exception> {
    let entries = list.split(|c: char| c == ',' || c.is_whitespace());
    entries.filter_map(|entry| entry.parse().ok()).collect()
}

impl FromStr for Exception {
    type Err = ();

    fn from_str(entry: &str) -> Result<Self, ()> {
        if let Some(network) = network(entry) {
            return Ok(Self { hosts: Hosts::Network(network), port: None });
        }
        let (host, port) = match entry.rsplit_once(':') {
            Some((host, port)) => (host, Some(port.parse().map_err(|_no_number| ())?)),
            None => (entry, None),
        };
        if let Some(network) = network(host) {
            return Ok(Self { hosts: Hosts::Network(network), port });
        }
        if host == "*" {
            return Ok(Self { hosts: Hosts::All, port });
        }
        let name = host.strip_prefix('*').unwrap_or(host);
        let name = name.strip_prefix('.').unwrap_or(name);
        match Host::parse(name) {
            Ok(Host::Domain(name)) => {
                let name = name.trim_end_matches('.').to_owned();
                Ok(Self { hosts: Hosts::Name(name), port })
            }
            _ => Err(()),
        }
    }
}

/// A network, or an address as the network that has only it. IPv6 may be in brackets.
fn network(text: &str) -> Option<IpNet> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let text = inner.unwrap_or(text);
    text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}

impl Exception {
    fn has(&self, url: &Url) -> bool {
        if self.port.is_some() && self.port != url.port_or_known_default() {
            return false;
        }
        let contains = |address| match &self.hosts {
            Hosts::All => true,
            Hosts::Name(_) => false,
            Hosts::Network(network) => network.contains(&address),
        };
        match url.host() {
            Some(Host::Ipv4(address)) => contains(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => contains(IpAddr::V6(address)),
            Some(Host::Domain(host)) => match &self.hosts {
                Hosts::All => true,
                Hosts::Network(_) => false,
                Hosts::Name(name) => {
                    let above = host.trim_end_matches('.').strip_suffix(name.as_str());
                    above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
                }
            },
            None => false,
        }
    }
}

/// Why the variables of the environment give no proxy.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProxyRulesError {
    /// No variable names a proxy.
    #[error("none of `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY` is set")]
    NotSet,
    /// The value is not the address of a proxy. It is not repeated, as it may have a password.
    #[error("`{variable}` is not the address of a proxy")]
    Unusable {
        /// The name of the variable.
        variable: String,
    },
    /// The proxy speaks a protocol that we do not.
    #[error(
        "`{variable}` names a proxy of the kind `{scheme}`; only `http` and `https` are supported"
    )]
    Scheme {
        /// The name of the variable.
        variable: String,
        /// The scheme of the proxy's address.
        scheme: String,
    },
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn rules(variables: &[(&str, &str)]) -> Result<ProxyRules, ProxyRulesError> {
        let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
        ProxyRules::from_variables(|name| variables.get(name).map(OsString::from))
    }

    fn way(variables: &[(&str, &str)], url: &str) -> Option<String> {
        let rules = rules(variables).unwrap_or_else(|error| panic!("{variables:?}: {error}"));
        rules.for_url(&url.parse().unwrap()).map(Url::to_string)
    }

    #[test]
    fn each_scheme_has_its_variable_and_lower_case_goes_first() {
        let (http, https) = ("http://a.example/", "https://a.example/");
        let of = |proxy: &str| Some(format!("http://{proxy}:3128/"));
        for (variables, over_http, over_https) in [
            (vec![("HTTP_PROXY", "p:3128")], of("p"), None),
            (vec![("https_proxy", "p:3128")], None, of("p")),
            (vec![("HTTPS_PROXY", "p:3128"), ("https_proxy", "q:3128")], None, of("q")),
            (vec![("https_proxy", ""), ("HTTPS_PROXY", "p:3128")], None, of("p")),
            (vec![("ALL_PROXY", "http://p:3128")], of("p"), of("p")),
            (vec![("all_proxy", "p:3128"), ("HTTP_PROXY", "q:3128")], of("q"), of("p")),
            (
                vec![
                    ("HTTP_PROXY", "evil:3128"),
                    ("REQUEST_METHOD", "GET"),
                    ("HTTPS_PROXY", "p:3128"),
                ],
                None,
                of("p"),
            ),
        ] {
            assert_eq!(way(&variables, http), over_http, "{variables:?}");
            assert_eq!(way(&variables, https), over_https, "{variables:?}");
        }
    }

    #[test]
    fn without_a_usable_proxy_the_variable_is_named() {
        for (variables, error) in [
            (vec![], "none of `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY` is set"),
            (
                vec![("HTTP_PROXY", ""), ("NO_PROXY", "*")],
                "none of `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY` is set",
            ),
            (vec![("HTTP_PROXY", "ht!tp://::::")], "`HTTP_PROXY` is not the address of a proxy"),
            (
                vec![("HTTPS_PROXY", "p:3128"), ("http_proxy", "http://")],
                "`http_proxy` is not the address of a proxy",
            ),
            (vec![("HTTP_PROXY", "http://p:99999")], "`HTTP_PROXY` is not the address of a proxy"),
            (vec![("HTTP_PROXY", "p:0")], "`HTTP_PROXY` is not the address of a proxy"),
            (vec![("HTTP_PROXY", "a b")], "`HTTP_PROXY` is not the address of a proxy"),
            (
                vec![("ALL_PROXY", "socks5h://user:secret@p:1080")],
                "`ALL_PROXY` names a proxy of the kind `socks5h`; only `http` and `https` are supported",
            ),
        ] {
            let found = rules(&variables).unwrap_err().to_string();
            assert_eq!(found, error, "{variables:?}");
        }
    }

    #[test]
    fn exceptions_are_those_of_curl() {
        let direct = |list: &str, url: &str| {
            way(&[("ALL_PROXY", "p:3128"), ("NO_PROXY", list)], url).is_none()
        };
        for (list, url) in [
            ("*", "http://a.example/"),
            ("*", "http://192.0.2.1/"),
            ("example.com", "https://example.com/"),
            ("example.com", "https://www.example.com/"),
            ("EXAMPLE.com.", "https://www.example.com./"),
            (".example.com", "https://www.example.com/"),
            (".example.com", "https://example.com/"),
            ("*.example.com", "https://www.example.com/"),
            ("other.example, example.com", "https://example.com/"),
            ("other.example example.com", "https://example.com/"),
            ("example.com:443", "https://example.com/"),
            ("bücher.example", "https://xn--bcher-kva.example/"),
            ("10.0.0.0/8", "http://10.1.2.3/"),
            ("10.1.2.3", "http://10.1.2.3/"),
            ("10.1.2.3:80", "http://10.1.2.3/"),
            ("fd00::/8", "http://[fd00::1]/"),
            ("fd00::1", "http://[fd00::1]/"),
            ("[fd00::1]", "http://[fd00::1]/"),
            ("[fd00::1]:80", "http://[fd00::1]/"),
        ] {
            assert!(direct(list, url), "{list} {url}");
        }
        for (list, url) in [
            ("", "http://a.example/"),
            (",, ", "http://a.example/"),
            ("example.com", "https://notexample.com/"),
            ("www.example.com", "https://example.com/"),
            ("example.com:8080", "https://example.com/"),
            ("example.com:https", "https://example.com/"),
            ("com.", "https://example.org/"),
            ("192.168.*", "http://192.168.1.1/"),
            ("10.0.0.0/99", "http://10.1.2.3/"),
            ("10.0.0.0/8", "http://10.example/"),
            ("10.1.2.3:81", "http://10.1.2.3/"),
            ("fd00::1", "http://[fd00::2]/"),
        ] {
            assert!(!direct(list, url), "{list} {url}");
        }
    }

    #[test]
    fn what_is_logged_has_no_password() {
        let rules = rules(&[("HTTP_PROXY", "http://user:secret@p:3128")]).unwrap();
        let text = format!("{rules:?}");
        assert!(text.contains("p:3128") && !text.contains("secret"), "{text}");
    }
}
