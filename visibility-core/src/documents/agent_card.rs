//! [A2A](https://a2a-protocol.org) agent cards, `/.well-known/agent-card.json`: 1.0 and 0.3.

use serde_json::Value;

use crate::documents::json::{self, Object, read_object};
use crate::documents::{DocumentError, DocumentErrors, MAX_PARTS};
use crate::text::note::Note;

/// What an agent card says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct AgentCard {
    /// Whether it has the form of protocol versions before 1.0: `url` in place of
    /// `supportedInterfaces`.
    pub is_legacy: bool,
    /// `name`.
    pub name: String,
    /// `version` of the agent.
    pub version: String,
    /// Where the agent answers, the preferred one first.
    pub interfaces: Vec<AgentInterface>,
    /// Names of the skills.
    pub skills: Vec<String>,
    /// Whether an extension is that of the Agent Payments Protocol (AP2).
    pub has_ap2: bool,
    /// What could be better.
    pub warnings: Vec<DocumentError>,
}

/// An interface of an agent.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct AgentInterface {
    /// `url`.
    pub url: String,
    /// `protocolBinding`, such as `JSONRPC`; `preferredTransport` in 0.3.
    pub binding: String,
    /// `protocolVersion`; empty in 0.3 if it is not given.
    pub version: String,
}

impl AgentCard {
    /// Reads an agent card.
    ///
    /// # Errors
    ///
    /// Why it is not valid.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Vec<DocumentError>> {
        let root = read_object(body)?;
        let mut errors = DocumentErrors::default();
        let mut warnings = DocumentErrors::default();
        let is_legacy = !root.contains_key("supportedInterfaces") && root.contains_key("url");
        let name = errors.require_text(&root, "", "name");
        errors.require_text(&root, "", "description");
        let version = errors.require_text(&root, "", "version");
        let interfaces = if is_legacy {
            vec![legacy_interface(&root, &mut errors)]
        } else {
            interfaces(&root, &mut errors)
        };
        let capabilities = errors.require_object(&root, "", "capabilities");
        errors.require_list(&root, "", "defaultInputModes");
        errors.require_list(&root, "", "defaultOutputModes");
        let skills = skills(&root, &mut errors);
        if skills.is_empty() {
            warnings.add("no-skills", Note::new("field-empty").with("field", "skills"));
        }
        let has_ap2 = capabilities.is_some_and(has_ap2);
        let warnings = warnings.0;
        errors.or(Self { is_legacy, name, version, interfaces, skills, has_ap2, warnings })
    }
}

fn interfaces(root: &Object, errors: &mut DocumentErrors) -> Vec<AgentInterface> {
    let items = errors.require_items(root, "", "supportedInterfaces");
    let objects = errors.objects(items, "supportedInterfaces");
    objects
        .into_iter()
        .map(|(path, interface)| AgentInterface {
            url: errors.require_url(interface, &path, "url"),
            binding: errors.require_text(interface, &path, "protocolBinding"),
            version: errors.require_text(interface, &path, "protocolVersion"),
        })
        .collect()
}

fn legacy_interface(root: &Object, errors: &mut DocumentErrors) -> AgentInterface {
    AgentInterface {
        url: errors.require_url(root, "", "url"),
        binding: json::owned(root, "preferredTransport"),
        version: json::owned(root, "protocolVersion"),
    }
}

fn skills(root: &Object, errors: &mut DocumentErrors) -> Vec<String> {
    let items = errors.require_list(root, "", "skills");
    let objects = errors.objects(items, "skills");
    objects
        .into_iter()
        .map(|(path, skill)| {
            errors.require_text(skill, &path, "id");
            errors.require_text(skill, &path, "description");
            errors.require_list(skill, &path, "tags");
            errors.require_text(skill, &path, "name")
        })
        .collect()
}

fn has_ap2(capabilities: &Object) -> bool {
    let extensions = json::items(capabilities, "extensions").iter().take(MAX_PARTS);
    extensions
        .filter_map(Value::as_object)
        .filter_map(|e| json::text(e, "uri"))
        .any(|uri| uri.to_ascii_lowercase().contains("google-agentic-commerce/ap2"))
}

#[cfg(test)]
pub(super) const VALID: &str = r#"{"name": "Shop", "description": "Sells", "version": "1.2.0",
    "supportedInterfaces": [{"url": "https://a.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
    "capabilities": {"extensions": [{"uri": "https://github.com/google-agentic-commerce/ap2/v1"}]},
    "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "buy", "name": "Buy", "description": "Buys", "tags": ["shop"]}]}"#;

#[cfg(test)]
pub(super) const VALID_0_3: &str = r#"{"name": "Shop", "description": "Sells", "version": "1",
    "url": "https://a.example/a2a", "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0", "capabilities": {},
    "defaultInputModes": [], "defaultOutputModes": [], "skills": []}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let card = AgentCard::parse(VALID.as_bytes()).unwrap();
        assert!(!card.is_legacy && card.has_ap2 && card.warnings.is_empty());
        assert_eq!(card.interfaces[0].version, "1.0");
        assert_eq!(card.skills, ["Buy"]);
        let old = AgentCard::parse(VALID_0_3.as_bytes()).unwrap();
        assert!(old.is_legacy && !old.has_ap2);
        assert_eq!(old.interfaces[0].url, "https://a.example/a2a");
        assert_eq!(old.warnings[0].id, "no-skills");
    }

    #[test]
    fn each_fault_is_named() {
        let cases = [
            ("https://a.example/a2a", "a2a", "invalid-url"),
            ("protocolBinding", "transport", "missing-field"),
            ("\"tags\": [\"shop\"]", "\"tags\": \"shop\"", "wrong-type"),
            ("supportedInterfaces", "interfaces", "missing-field"),
            ("capabilities", "abilities", "missing-field"),
            ("\"name\": \"Shop\"", "\"name\": \" \"", "missing-field"),
        ];
        for (from, to, id) in cases {
            let errors = AgentCard::parse(VALID.replace(from, to).as_bytes()).unwrap_err();
            assert_eq!(errors.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{to}");
        }
    }
}
