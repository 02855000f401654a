//! The discovery document of the [Agentic Commerce Protocol](https://www.agenticcommerce.dev),
//! `/.well-known/acp.json`.

use crate::documents::json::{self, read_object};
use crate::documents::{DocumentError, DocumentErrors};
use crate::text::note::Note;

/// What a discovery document says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct AcpDiscovery {
    /// `protocol.version`, a date.
    pub version: String,
    /// `protocol.supported_versions`.
    pub supported_versions: Vec<String>,
    /// `api_base_url`.
    pub api_base_url: String,
    /// `transports`, such as `rest` and `mcp`.
    pub transports: Vec<String>,
    /// `capabilities.services`, such as `checkout`.
    pub services: Vec<String>,
}

impl AcpDiscovery {
    /// Reads a discovery document.
    ///
    /// # Errors
    ///
    /// Why it is not valid.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Vec<DocumentError>> {
        let root = read_object(body)?;
        let mut errors = DocumentErrors::default();
        let mut document = Self {
            api_base_url: errors.require_url(&root, "", "api_base_url"),
            transports: json::texts(&root, "transports"),
            ..Self::default()
        };
        if let Some(protocol) = errors.require_object(&root, "", "protocol") {
            let name = errors.require_text(protocol, "protocol.", "name");
            if !name.is_empty() && name != "acp" {
                errors.add(
                    "invalid-value",
                    Note::new("field-value-expected")
                        .with("field", "protocol.name")
                        .with("value", &name)
                        .with("expected", "acp"),
                );
            }
            document.version = errors.require_text(protocol, "protocol.", "version");
            errors.require_items(protocol, "protocol.", "supported_versions");
            document.supported_versions = json::texts(protocol, "supported_versions");
        }
        errors.require_items(&root, "", "transports");
        if !document.transports.is_empty() && !document.transports.iter().any(|t| t == "rest") {
            errors.add(
                "invalid-value",
                Note::new("field-without-value").with("field", "transports").with("value", "rest"),
            );
        }
        if let Some(capabilities) = errors.require_object(&root, "", "capabilities") {
            errors.require_items(capabilities, "capabilities.", "services");
            document.services = json::texts(capabilities, "services");
        }
        errors.or(document)
    }
}

#[cfg(test)]
pub(super) const VALID: &str = r#"{"protocol": {"name": "acp", "version": "2026-04-17",
    "supported_versions": ["2026-01-30", "2026-04-17"]}, "api_base_url": "https://shop.example/acp",
    "transports": ["rest", "mcp"], "capabilities": {"services": ["checkout", "orders"]}}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_discovery_document_is_read() {
        let document = AcpDiscovery::parse(VALID.as_bytes()).unwrap();
        assert_eq!(document.version, "2026-04-17");
        assert_eq!(document.supported_versions, ["2026-01-30", "2026-04-17"]);
        assert_eq!(document.api_base_url, "https://shop.example/acp");
        assert_eq!((document.transports.len(), document.services.len()), (2, 2));
    }

    #[test]
    fn each_fault_is_named() {
        let cases = [
            ("\"acp\"", "\"apc\"", "invalid-value"),
            ("https://shop.example/acp", "/acp", "invalid-url"),
            ("[\"rest\", \"mcp\"]", "[\"mcp\"]", "invalid-value"),
            ("[\"rest\", \"mcp\"]", "\"rest\"", "wrong-type"),
            ("[\"checkout\", \"orders\"]", "[]", "empty-list"),
            ("supported_versions", "versions", "missing-field"),
        ];
        for (from, to, id) in cases {
            let errors = AcpDiscovery::parse(VALID.replace(from, to).as_bytes()).unwrap_err();
            assert_eq!(errors.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{to}");
        }
    }
}
