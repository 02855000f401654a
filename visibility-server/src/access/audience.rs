//! The resource that tokens are for (RFC 8707): the whole service, under any of its addresses.

use visibility_core::accounts::scope::Scope;

use crate::http::urls::{self, McpEndpoint};
use crate::settings::Settings;

/// Paths of the MCP endpoint, the canonical one first. All are one handler.
pub(crate) const MCP_PATHS: [&str; 5] = [
    McpEndpoint::Mcp.path(),
    McpEndpoint::Http.path(),
    McpEndpoint::StreamableHttp.path(),
    McpEndpoint::Sse.path(),
    McpEndpoint::Root.path(),
];
/// Other paths by which the same audience is called: the service, and the place of its transports.
const OTHER_PATHS: [&str; 2] = ["", "/api/mcp/v1"];

/// The audience of all tokens, as it is kept with a grant.
pub(crate) fn canonical(settings: &Settings) -> String {
    urls::canonical(settings)
}

/// All spellings of our address that clients are given or derive from it.
pub(crate) fn spellings(settings: &Settings) -> Vec<String> {
    let base = settings.public_url();
    let paths = MCP_PATHS.into_iter().chain(OTHER_PATHS);
    paths.flat_map(|path| [format!("{base}{path}"), format!("{base}{path}/")]).collect()
}

/// Whether a client means this service: one of its addresses, with or without a slash at its end. Scheme
/// and host in any case, as in every URL.
pub(crate) fn is_ours(settings: &Settings, resource: &str) -> bool {
    let base = settings.public_url();
    let Some(asked) = normal(resource) else { return false };
    MCP_PATHS
        .into_iter()
        .chain(OTHER_PATHS)
        .any(|path| normal(&format!("{base}{path}")).is_some_and(|ours| ours == asked))
}

/// A URL without slashes at its end; `None` if it has what an address of ours has not.
fn normal(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    let is_plain = url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    is_plain.then(|| {
        let text = url.as_str();
        text.strip_suffix('/').unwrap_or(text).to_owned()
    })
}

/// Scopes as a parameter: RFC 6749 section 3.3.
pub(crate) fn scope_list<'a>(scopes: impl IntoIterator<Item = &'a Scope>) -> String {
    scopes.into_iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" ")
}

/// The scope by which clients ask for a refresh token; they get one in any case.
pub(crate) const OFFLINE_ACCESS: &str = "offline_access";

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(base: &str) -> Settings {
        Settings { base_url: Some(base.to_owned()), ..Settings::default() }
    }

    #[test]
    fn every_spelling_of_our_address_is_the_same_audience() {
        let own = settings("https://visibility.example.com");
        assert_eq!(canonical(&own), "https://visibility.example.com/api/mcp/v1/mcp");
        for path in MCP_PATHS.into_iter().chain(OTHER_PATHS) {
            for end in ["", "/"] {
                let resource = format!("https://visibility.example.com{path}{end}");
                assert!(is_ours(&own, &resource), "{resource}");
            }
        }
        assert!(is_ours(&own, "HTTPS://Visibility.Example.com:443/mcp"));
        let below = settings("https://app.example.com/visibility/");
        assert!(is_ours(&below, "https://app.example.com/visibility"));
        assert!(is_ours(&below, "https://app.example.com/visibility/mcp"));
        assert!(!is_ours(&below, "https://app.example.com"));
    }

    #[test]
    fn what_is_elsewhere_is_another_audience() {
        let own = settings("https://visibility.example.com");
        for resource in [
            "",
            "visibility.example.com",
            "http://visibility.example.com",
            "https://visibility.example.com:8443",
            "https://visibility.example.com.evil.example",
            "https://evil.example/mcp",
            "https://user@visibility.example.com",
            "https://visibility.example.com/api/mcp/v1/websocket",
            "https://visibility.example.com/api/mcp/v1/mcp//",
            "https://visibility.example.com/MCP",
            "https://visibility.example.com/mcp?a=b",
            "https://visibility.example.com/mcp#a",
            "https://visibility.example.com/api/v1",
        ] {
            assert!(!is_ours(&own, resource), "{resource}");
        }
    }
}
