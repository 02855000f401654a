//! Metadata of authorization servers, [RFC 8414](https://www.rfc-editor.org/rfc/rfc8414), and of
//! [OpenID providers](https://openid.net/specs/openid-connect-discovery-1_0.html).

use url::Url;

use crate::documents::json::{self, read_object};
use crate::documents::{DocumentError, DocumentErrors};
use crate::text::note::Note;

/// Paths of the two kinds of metadata.
const WELL_KNOWN: [&str; 2] =
    ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

/// What the metadata says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct AuthorizationServer {
    /// `issuer`.
    pub issuer: String,
    /// `authorization_endpoint`; empty if no grant type needs it.
    pub authorization_endpoint: String,
    /// `token_endpoint`.
    pub token_endpoint: String,
    /// `registration_endpoint`: clients can register themselves.
    pub registration_endpoint: Option<String>,
    /// `response_types_supported`.
    pub response_types: Vec<String>,
    /// `code_challenge_methods_supported`, such as `S256`.
    pub challenge_methods: Vec<String>,
    /// Whether there is an `agent_auth` block, as auth.md describes it.
    pub has_agent_auth: bool,
}

impl AuthorizationServer {
    /// Reads metadata.
    ///
    /// # Errors
    ///
    /// Why it is not valid.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Vec<DocumentError>> {
        let root = read_object(body)?;
        let mut errors = DocumentErrors::default();
        let issuer = errors.require_url(&root, "", "issuer");
        if Url::parse(&issuer).is_ok_and(|url| url.query().is_some() || url.fragment().is_some()) {
            errors.add("invalid-url", Note::new("field-with-query").with("field", "issuer"));
        }
        let grants = json::texts(&root, "grant_types_supported");
        let needs_authorization = grants.is_empty()
            || grants.iter().any(|g| matches!(g.as_str(), "authorization_code" | "implicit"));
        let authorization_endpoint = if needs_authorization {
            errors.require_url(&root, "", "authorization_endpoint")
        } else {
            json::owned(&root, "authorization_endpoint")
        };
        let token_endpoint = errors.require_url(&root, "", "token_endpoint");
        errors.require_list(&root, "", "response_types_supported");
        errors.or(Self {
            issuer,
            authorization_endpoint,
            token_endpoint,
            registration_endpoint: json::text(&root, "registration_endpoint").map(str::to_owned),
            response_types: json::texts(&root, "response_types_supported"),
            challenge_methods: json::texts(&root, "code_challenge_methods_supported"),
            has_agent_auth: json::object(&root, "agent_auth").is_some(),
        })
    }

    /// Whether PKCE with SHA-256 is announced.
    pub(crate) fn supports_s256(&self) -> bool {
        self.challenge_methods.iter().any(|method| method == "S256")
    }

    /// Whether the issuer is the one that this address of metadata belongs to (RFC 8414, section
    /// 3.3). The path of the issuer may be before or after the well-known part.
    pub(crate) fn is_issuer_of(&self, metadata: &Url) -> bool {
        let Ok(mut issuer) = Url::parse(&self.issuer) else { return false };
        let path = issuer.path().trim_end_matches('/').to_owned();
        issuer.set_path(&path);
        WELL_KNOWN.iter().any(|known| {
            metadata.path().split_once(known).is_some_and(|(before, after)| {
                let mut expected = metadata.clone();
                expected.set_query(None);
                expected.set_fragment(None);
                expected.set_path(format!("{before}{after}").trim_end_matches('/'));
                expected == issuer
            })
        })
    }
}

#[cfg(test)]
pub(super) const VALID: &str = r#"{"issuer": "https://as.example/t", "authorization_endpoint": "https://as.example/a",
    "token_endpoint": "https://as.example/token", "registration_endpoint": "https://as.example/r",
    "response_types_supported": ["code"], "code_challenge_methods_supported": ["plain", "S256"], "agent_auth": {}}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read() {
        let server = AuthorizationServer::parse(VALID.as_bytes()).unwrap();
        assert!(server.supports_s256() && server.has_agent_auth);
        assert_eq!(server.response_types, ["code"]);
        assert_eq!(server.registration_endpoint.as_deref(), Some("https://as.example/r"));
        let plain = VALID.replace("\"S256\"", "\"s256\"");
        assert!(!AuthorizationServer::parse(plain.as_bytes()).unwrap().supports_s256());
    }

    /// RFC 8414, section 2.
    #[test]
    fn each_fault_is_named() {
        let cases = [
            ("https://as.example/t", "as.example", "invalid-url"),
            ("https://as.example/t", "https://as.example/?a", "invalid-url"),
            ("\"issuer\"", "\"iss\"", "missing-field"),
            ("\"authorization_endpoint\"", "\"x\"", "missing-field"),
            ("\"token_endpoint\"", "\"x\"", "missing-field"),
            ("response_types_supported", "x", "missing-field"),
            ("[\"code\"]", "\"code\"", "wrong-type"),
        ];
        for (from, to, id) in cases {
            let text = VALID.replacen(from, to, 1);
            let errors = AuthorizationServer::parse(text.as_bytes()).unwrap_err();
            assert_eq!(errors.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{to}");
        }
    }

    #[test]
    fn machines_alone_need_no_authorization_endpoint() {
        let text = VALID.replace(
            "\"authorization_endpoint\": \"https://as.example/a\"",
            "\"grant_types_supported\": [\"client_credentials\"]",
        );
        assert!(AuthorizationServer::parse(text.as_bytes()).is_ok());
    }

    /// RFC 8414, sections 3.1 and 3.3; `OpenID` Connect Discovery 1.0, section 4.1.
    #[test]
    fn the_issuer_belongs_to_the_address_of_its_metadata() -> Result<(), url::ParseError> {
        let cases = [
            (
                "https://as.example",
                "https://as.example/.well-known/oauth-authorization-server",
                true,
            ),
            (
                "https://as.example/",
                "https://AS.example:443/.well-known/openid-configuration",
                true,
            ),
            (
                "https://as.example/t",
                "https://as.example/.well-known/oauth-authorization-server/t",
                true,
            ),
            ("https://as.example/t", "https://as.example/t/.well-known/openid-configuration", true),
            (
                "https://as.example/t",
                "https://as.example/.well-known/oauth-authorization-server",
                false,
            ),
            ("https://other.example", "https://as.example/.well-known/openid-configuration", false),
            ("https://as.example", "https://as.example/metadata", false),
            ("nonsense", "https://as.example/.well-known/openid-configuration", false),
        ];
        for (issuer, metadata, belongs) in cases {
            let server = AuthorizationServer { issuer: issuer.to_owned(), ..Default::default() };
            assert_eq!(server.is_issuer_of(&Url::parse(metadata)?), belongs, "{issuer} {metadata}");
        }
        Ok(())
    }
}
