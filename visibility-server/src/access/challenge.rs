//! `WWW-Authenticate` of the MCP routes: where a client finds out how to get a token (RFC 9728 section 5.1),
//! and what is wrong with the one it has (RFC 6750 section 3).

use axum::http::HeaderValue;
use visibility_core::accounts::scope::Scope;

use crate::settings::Settings;

/// Where the metadata of a protected resource are, before the path of the resource.
pub(crate) const RESOURCE_METADATA: &str = "/.well-known/oauth-protected-resource";

/// What is wrong with a token.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum ChallengeError {
    /// It is unknown or has expired.
    InvalidToken,
    /// It lacks some of these scopes, which are all that is needed.
    InsufficientScope(Vec<Scope>),
}

/// The challenge for a resource below the address of the service, such as `/api/mcp/v1/mcp`; without a
/// failure nothing was presented.
///
/// It is made of the settings and of names of ours alone.
pub(crate) fn challenge(
    settings: &Settings,
    resource_path: &str,
    failure: Option<ChallengeError>,
) -> HeaderValue {
    let metadata = format!("{}{RESOURCE_METADATA}{resource_path}", settings.public_url());
    let (scopes, error) = match failure {
        None => (Scope::FOR_PROGRAMS.to_vec(), ""),
        Some(ChallengeError::InvalidToken) => {
            (Scope::FOR_PROGRAMS.to_vec(), ", error=\"invalid_token\"")
        }
        Some(ChallengeError::InsufficientScope(needed)) => {
            (needed, ", error=\"insufficient_scope\"")
        }
    };
    let text = format!(
        "Bearer resource_metadata=\"{metadata}\", scope=\"{}\"{error}",
        crate::access::audience::scope_list(&scopes)
    );
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("Bearer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_says_where_to_look_and_what_is_wrong() {
        let settings = Settings {
            base_url: Some("https://visibility.example.com/".to_owned()),
            ..Settings::default()
        };
        let header = |failure| {
            let value = challenge(&settings, "/api/mcp/v1/mcp", failure);
            value.to_str().unwrap().to_owned()
        };
        let start = "Bearer resource_metadata=\"https://visibility.example.com/.well-known/\
                     oauth-protected-resource/api/mcp/v1/mcp\", scope=\"";
        for (failure, end) in [
            (None, "scan:read audit:read logs:read\""),
            (
                Some(ChallengeError::InvalidToken),
                "scan:read audit:read logs:read\", error=\"invalid_token\"",
            ),
            (
                Some(ChallengeError::InsufficientScope(vec![Scope::LogsRead])),
                "logs:read\", error=\"insufficient_scope\"",
            ),
        ] {
            assert_eq!(header(failure), format!("{start}{end}"));
        }
    }
}
