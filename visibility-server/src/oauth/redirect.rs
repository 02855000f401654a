//! Redirect URIs: which ones a client may register, and which one a request refers to.

use url::{Host, Url};

use crate::settings::redirect_scheme::is_allowed_scheme;

/// Bytes of a redirect URI.
const MAX_BYTES: usize = 2048;

/// Whether a client may have a redirect URI: `https`, `http` of this machine, or a scheme that the
/// operator has allowed.
///
/// What two parsers may read differently is refused: it is compared byte by byte, and shown by its host.
pub(crate) fn is_acceptable(text: &str, allowed_schemes: &[String]) -> bool {
    if text.len() > MAX_BYTES
        || !text.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'*' | b'#'))
    {
        return false;
    }
    let Ok(url) = Url::parse(text) else { return false };
    if !url.username().is_empty() || url.password().is_some() || authority(text).contains('@') {
        return false;
    }
    match url.scheme() {
        "https" => starts_with_host(text, "https://") && url.host().is_some(),
        "http" => Loopback::parse(text).is_some(),
        scheme => is_allowed_scheme(scheme) && allowed_schemes.iter().any(|own| own == scheme),
    }
}

/// Whether a request means a redirect URI that its client has: the same bytes, or on this machine the
/// same but for the port, which a program takes as it finds one free (RFC 8252 section 7.3).
pub(crate) fn matches(registered: &str, asked: &str) -> bool {
    if registered == asked {
        return true;
    }
    match (Loopback::parse(registered), Loopback::parse(asked)) {
        (Some(own), Some(asked)) => own == asked,
        _ => false,
    }
}

/// Whether a redirect URI leads to a program on the machine of the browser.
pub(crate) fn is_loopback(text: &str) -> bool {
    Loopback::parse(text).is_some()
}

/// Whether a redirect URI leads to a program on the machine of the browser: by a port of it, or by a scheme
/// that any program there can take. Hosts that follow such a scheme say nothing about who takes it.
pub(crate) fn is_local_program(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| url.scheme() != "https")
}

/// Host of a redirect URI, with its port if it has one, and with its scheme unless that is `https`; the
/// scheme alone if it has no host.
pub(crate) fn host(text: &str) -> String {
    let Ok(url) = Url::parse(text) else { return String::new() };
    let scheme = match url.scheme() {
        "https" => String::new(),
        other => format!("{other}://"),
    };
    match (url.host(), url.port()) {
        (Some(Host::Domain("")) | None, _) => format!("{}:", url.scheme()),
        (Some(host), Some(port)) => format!("{scheme}{host}:{port}"),
        (Some(host), None) => format!("{scheme}{host}"),
    }
}

/// A redirect URI with parameters behind those that it has.
pub(crate) fn with_parameters(redirect_uri: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    let joint = match redirect_uri.split_once('?') {
        None => "?",
        Some((_, own)) if own.is_empty() || own.ends_with('&') => "",
        Some(_) => "&",
    };
    format!("{redirect_uri}{joint}{}", query.finish())
}

/// A redirect URI of this machine, without its port.
#[derive(Debug, Eq, PartialEq)]
struct Loopback<'a> {
    host: &'a str,
    /// Path and query, byte by byte.
    rest: &'a str,
}

impl<'a> Loopback<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let after = text.strip_prefix("http://")?;
        let hosts = ["127.0.0.1", "[::1]", "localhost"];
        let host = hosts.into_iter().find(|host| after.starts_with(host))?;
        let after = after.strip_prefix(host)?;
        let rest = match after.strip_prefix(':') {
            None => after,
            Some(after) => {
                let end = after.bytes().take_while(u8::is_ascii_digit).count();
                let (port, rest) = after.split_at_checked(end)?;
                port.parse::<u16>().ok().filter(|port| *port > 0)?;
                rest
            }
        };
        let is_end = rest.is_empty() || rest.starts_with(['/', '?']);
        // A path that is empty is `/`, as clients write both.
        is_end.then_some(Self { host, rest: if rest.is_empty() { "/" } else { rest } })
    }
}

/// Whether a host follows the slashes: parsers skip more of them.
fn starts_with_host(text: &str, start: &str) -> bool {
    text.strip_prefix(start).is_some_and(|rest| !rest.starts_with(['/', '?', ':']))
}

/// The part between the slashes and the path.
fn authority(text: &str) -> &str {
    let after = text.split_once("//").map_or("", |(_, after)| after);
    after.split(['/', '?']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(text: &str) -> bool {
        is_acceptable(text, &["cursor".to_owned()])
    }

    #[test]
    fn the_addresses_of_real_clients_are_acceptable() {
        for text in [
            "https://claude.ai/api/mcp/auth_callback",
            "https://www.cursor.com/agents/mcp/oauth/callback",
            "https://vscode.dev/redirect",
            "https://example.com:8443/callback?a=b",
            "http://localhost:8787/callback",
            "http://localhost/callback",
            "http://127.0.0.1/",
            "http://127.0.0.1:33418",
            "http://[::1]:7777/oauth/callback",
            "cursor://anysphere.cursor-mcp/oauth/callback",
        ] {
            assert!(accepts(text), "{text}");
        }
    }

    #[test]
    fn what_is_unclear_or_runs_in_the_browser_is_not() {
        for text in [
            "",
            "/callback",
            "https:///callback",
            "https:example.com/callback",
            "https:/example.com/callback",
            "https://",
            "https://user@example.com/",
            "https://user:a@example.com/",
            "https://@example.com/",
            "https://example.com/#a",
            "https://*.example.com/",
            "https://example.com\\@evil.example/",
            "https://example.com/a b",
            "https://example.com/\n",
            "https://exämple.com/",
            "HTTPS://example.com/\u{0}",
            "http://example.com/callback",
            "http://localhost.evil.example/",
            "http://localhost@evil.example/",
            "http://localhost:80@evil.example/",
            "http://localhost:/",
            "http://localhost:0/",
            "http://localhost:65536/",
            "http://127.0.0.1.evil.example/",
            "http://127.0.0.2/",
            "http://0.0.0.0/",
            "http://[::ffff:127.0.0.1]/",
            "javascript:alert(1)",
            "JavaScript://example.com/%0aalert(1)",
            "data:text/html,a",
            "file:///etc/passwd",
            "vbscript:a",
            "blob:https://example.com/a",
            "vscode://vscode.github-authentication/did-authenticate",
            "urn:ietf:wg:oauth:2.0:oob",
            &format!("https://example.com/{}", "a".repeat(MAX_BYTES)),
        ] {
            assert!(!accepts(text), "{text}");
        }
        for scheme in ["javascript", "data", "file", "vbscript", "blob", "http", "https", "", "A"] {
            assert!(!is_allowed_scheme(scheme), "{scheme}");
            let text = format!("{scheme}://localhost.example/a");
            assert!(scheme == "https" || !is_acceptable(&text, &[scheme.to_owned()]), "{text}");
        }
    }

    #[test]
    fn a_request_means_what_is_registered_but_for_the_port_of_this_machine() {
        for (registered, asked, expected) in [
            ("https://a.example/cb", "https://a.example/cb", true),
            ("https://a.example/cb", "https://a.example/cb/", false),
            ("https://a.example/cb", "https://a.example/cb?a=b", false),
            ("https://a.example/cb", "https://a.example:443/cb", false),
            ("https://a.example/cb", "https://A.example/cb", false),
            ("https://a.example:1/cb", "https://a.example:2/cb", false),
            ("http://localhost/callback", "http://localhost:51234/callback", true),
            ("http://localhost:3000/callback", "http://localhost:51234/callback", true),
            ("http://localhost:3000/callback", "http://localhost/callback", true),
            ("http://127.0.0.1/", "http://127.0.0.1:33418", true),
            ("http://127.0.0.1/", "http://127.0.0.1:33418/", true),
            ("http://[::1]/a", "http://[::1]:1/a", true),
            ("http://localhost/callback", "http://127.0.0.1:1/callback", false),
            ("http://localhost/callback", "http://localhost:1/other", false),
            ("http://localhost/callback", "http://localhost:1/callback?a=b", false),
            ("http://localhost/callback", "http://localhost:1@evil.example/callback", false),
            ("http://localhost/callback", "https://localhost/callback", false),
        ] {
            assert_eq!(matches(registered, asked), expected, "{registered} {asked}");
        }
    }

    #[test]
    fn what_is_shown_is_where_the_browser_goes() {
        for (text, shown, is_local) in [
            ("https://claude.ai/cb", "claude.ai", false),
            ("https://example.com:8443/cb", "example.com:8443", false),
            ("http://localhost:8787/cb", "http://localhost:8787", true),
            ("http://[::1]/cb", "http://[::1]", true),
            ("cursor://anysphere.cursor-mcp/cb", "cursor://anysphere.cursor-mcp", true),
            ("cursor://claude.ai/cb", "cursor://claude.ai", true),
            ("cursor://claude.ai:443/cb", "cursor://claude.ai:443", true),
            ("cursor:cb", "cursor:", true),
        ] {
            let found = (host(text), is_local_program(text));
            assert_eq!(found, (shown.to_owned(), is_local), "{text}");
        }
        assert!(!is_loopback("cursor://localhost/cb"), "any program may handle it");
    }

    #[test]
    fn parameters_stand_behind_those_that_are_there() {
        for (uri, expected) in [
            ("https://a.example/cb", "https://a.example/cb?state=a%26b+%C3%A9%0D%0A"),
            ("https://a.example/cb?x=y", "https://a.example/cb?x=y&state=a%26b+%C3%A9%0D%0A"),
            ("https://a.example/cb?", "https://a.example/cb?state=a%26b+%C3%A9%0D%0A"),
        ] {
            assert_eq!(with_parameters(uri, &[("state", "a&b é\r\n")]), expected);
        }
    }
}
