//! The addresses of the MCP server.

use crate::settings::Settings;

/// An address at which the server is reached. All of them are the same.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum McpEndpoint {
    /// `/api/mcp/v1/mcp`, which is the canonical one.
    Mcp,
    /// `/api/mcp/v1/http`.
    Http,
    /// `/api/mcp/v1/streamable-http`.
    StreamableHttp,
    /// `/api/mcp/v1/sse`: the name of a transport of old, which is not served there.
    Sse,
    /// `/mcp`: the only path that some hosted clients come back to after they have got a token.
    Root,
}

impl McpEndpoint {
    /// All of them.
    pub(crate) const ALL: [Self; 5] =
        [Self::Mcp, Self::Http, Self::StreamableHttp, Self::Sse, Self::Root];

    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Mcp => "/api/mcp/v1/mcp",
            Self::Http => "/api/mcp/v1/http",
            Self::StreamableHttp => "/api/mcp/v1/streamable-http",
            Self::Sse => "/api/mcp/v1/sse",
            Self::Root => "/mcp",
        }
    }
}

/// The path before the name of a transport.
pub(crate) const PREFIX: &str = "/api/mcp/v1/";
/// Path of the server's card after each of its addresses; public.
pub(crate) const CARDS: [&str; 2] = ["/api/mcp/v1/mcp/server-card", "/mcp/server-card"];

/// The names of the transports.
pub(crate) fn names() -> Vec<&'static str> {
    McpEndpoint::ALL.into_iter().filter_map(|address| address.path().strip_prefix(PREFIX)).collect()
}

/// The canonical address as a whole.
pub(crate) fn canonical(settings: &Settings) -> String {
    format!("{}{}", settings.public_url(), McpEndpoint::Mcp.path())
}

/// Whether a path is one of the server's, or taken for one.
pub(crate) fn is_mcp(path: &str) -> bool {
    let is_below = path.starts_with(PREFIX) || path == "/mcp" || path == "/mcp/";
    (is_below || path == "/api/mcp/v1") && !CARDS.contains(&path)
}

/// Whether a path is one of ingestion.
pub(crate) fn is_ingestion(path: &str) -> bool {
    path.starts_with("/v1/")
}

/// Where people change the settings of their tenant and their account.
pub(crate) const SETTINGS_PATH: &str = "/settings";
/// What every person may see and change: their own programs, sessions, password and language.
pub(crate) const ACCOUNT_PATH: &str = "/settings/account";
/// Where people see which agents came.
pub(crate) const LOGS_PATH: &str = "/logs";
/// Where people sign in.
pub(crate) const SIGN_IN_PATH: &str = "/sign-in";
/// Where the link of a demonstration leads, which signs in.
pub(crate) const DEMO_PATH: &str = "/demo";
/// Where people sign out.
pub(crate) const SIGN_OUT_PATH: &str = "/sign-out";
/// Where a program asks for access and a person decides.
pub(crate) const AUTHORIZE_PATH: &str = "/authorize";

/// Whether a path is what programs ask of the authorization server. Its pages for people are none of it.
pub(crate) fn is_oauth_endpoint(path: &str) -> bool {
    matches!(path.strip_prefix("/oauth").unwrap_or(path), "/token" | "/register" | "/revoke")
}

/// Whether a path is for programs, whatever a request for it accepts.
pub(crate) fn is_for_programs(path: &str) -> bool {
    const PREFIXES: [&str; 4] = ["/api/", "/v1/", "/mcp/", "/.well-known/"];
    const PATHS: [&str; 5] = ["/api", "/v1", "/healthz", "/readyz", "/metrics"];
    is_mcp(path)
        || is_oauth_endpoint(path)
        || CARDS.contains(&path)
        || PREFIXES.iter().any(|prefix| path.starts_with(prefix))
        || PATHS.contains(&path)
}

/// Where the first description is served.
pub(crate) const API_PATH: &str = "/api/v1/openapi.json";

/// Where the description of ingestion is served.
pub(crate) const INGESTION_PATH: &str = "/v1/openapi.json";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::audience::MCP_PATHS;

    #[test]
    fn tokens_are_for_the_same_addresses() {
        assert_eq!(McpEndpoint::ALL.map(McpEndpoint::path), MCP_PATHS);
    }

    #[test]
    fn there_are_four_transports_and_they_are_not_open_to_all_origins() {
        assert_eq!(names(), ["mcp", "http", "streamable-http", "sse"]);
        for address in McpEndpoint::ALL {
            assert!(is_mcp(address.path()), "{address:?}");
        }
        for path in [
            "/api/mcp/v1/",
            "/api/mcp/v1",
            "/api/mcp/v1/mcp/",
            "/api/mcp/v1/x",
            "/mcp/",
            "/api/mcp/v1/http/server-card",
        ] {
            assert!(is_mcp(path), "{path}");
        }
        for path in [
            "/api/mcp",
            "/api/v1",
            "/mcps",
            "/x/mcp",
            "/mcp/server-card",
            "/api/mcp/v1/mcp/server-card",
        ] {
            assert!(!is_mcp(path), "{path}");
        }
    }
}
