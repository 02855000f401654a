//! Metadata of protected resources, [RFC 9728](https://www.rfc-editor.org/rfc/rfc9728).

use url::Url;

use crate::documents::json::{self, is_web_url, read_object};
use crate::documents::{DocumentError, DocumentErrors};
use crate::text::note::Note;

/// What the metadata says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct ProtectedResource {
    /// `resource`.
    pub resource: String,
    /// `authorization_servers`: issuers, at least one.
    pub authorization_servers: Vec<String>,
    /// `scopes_supported`.
    pub scopes: Vec<String>,
}

impl ProtectedResource {
    /// Reads metadata. The RFC makes `authorization_servers` optional, but a client that knows
    /// nothing else needs it, as MCP says.
    ///
    /// # Errors
    ///
    /// Why it is not valid.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Vec<DocumentError>> {
        let root = read_object(body)?;
        let mut errors = DocumentErrors::default();
        let resource = errors.require_url(&root, "", "resource");
        if Url::parse(&resource).is_ok_and(|url| url.fragment().is_some()) {
            errors.add("invalid-url", Note::new("field-with-fragment").with("field", "resource"));
        }
        errors.require_items(&root, "", "authorization_servers");
        let authorization_servers = json::texts(&root, "authorization_servers");
        for issuer in authorization_servers.iter().filter(|issuer| !is_web_url(issuer)) {
            errors.add(
                "invalid-url",
                Note::new("field-not-url")
                    .with("field", "authorization_servers")
                    .with("url", issuer),
            );
        }
        let scopes = json::texts(&root, "scopes_supported");
        errors.or(Self { resource, authorization_servers, scopes })
    }
}

#[cfg(test)]
pub(super) const VALID: &str = r#"{"resource": "https://a.example/mcp",
    "authorization_servers": ["https://as.example"], "scopes_supported": ["read"]}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read() {
        let resource = ProtectedResource::parse(VALID.as_bytes()).unwrap();
        assert_eq!(resource.authorization_servers, ["https://as.example"]);
        assert_eq!(resource.scopes, ["read"]);
    }

    /// RFC 9728, section 2.
    #[test]
    fn each_fault_is_named() {
        let cases = [
            ("https://a.example/mcp", "/mcp", "invalid-url"),
            ("https://a.example/mcp", "https://a.example/#x", "invalid-url"),
            ("\"resource\"", "\"res\"", "missing-field"),
            ("[\"https://as.example\"]", "[]", "empty-list"),
            ("https://as.example", "as", "invalid-url"),
            ("authorization_servers", "servers", "missing-field"),
        ];
        for (from, to, id) in cases {
            let errors = ProtectedResource::parse(VALID.replace(from, to).as_bytes()).unwrap_err();
            assert_eq!(errors.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{to}");
        }
    }
}
