//! Metadata of protected resources, [RFC 9728](https://www.rfc-editor.org/rfc/rfc9728).

use url::Url;

use crate::documents::json::{self, is_web_url, read_object};
use crate::documents::{DocumentError, DocumentErrors};
use crate::text::note::Note;

/// What the metadata says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ProtectedResource {
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
    pub fn parse(body: &[u8]) -> Result<Self, Vec<DocumentError>> {
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

    /// Whether the resource is at this address or above it, as section 3.3 and MCP want it.
    pub fn covers(&self, address: &Url) -> bool {
        let Ok(resource) = Url::parse(&self.resource) else { return false };
        let above = resource.path().trim_end_matches('/');
        resource.origin() == address.origin()
            && address
                .path()
                .strip_prefix(above)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
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

    #[test]
    fn a_resource_covers_what_is_below_it() -> Result<(), url::ParseError> {
        let cases = [
            ("https://a.example", "https://a.example/mcp", true),
            ("https://a.example/mcp", "https://a.example/mcp", true),
            ("https://a.example/mcp/", "https://a.example/mcp/x", true),
            ("https://a.example/mcp", "https://a.example/mcp2", false),
            ("https://a.example/mcp", "https://a.example/", false),
            ("http://a.example/", "https://a.example/", false),
        ];
        for (resource, address, covers) in cases {
            let metadata =
                ProtectedResource { resource: resource.to_owned(), ..Default::default() };
            assert_eq!(metadata.covers(&Url::parse(address)?), covers, "{resource} {address}");
        }
        Ok(())
    }
}
