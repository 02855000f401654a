//! [A2A](https://a2a-protocol.org) agent cards, `/.well-known/agent-card.json`: 1.0 and 0.3.

use serde_json::Value;

use crate::documents::json::{self, Object, read_object};
use crate::documents::{MAX_PARTS, Problem, Problems};
use crate::text::note::Note;

/// What an agent card says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct AgentCard {
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
    pub warnings: Vec<Problem>,
}

/// An interface of an agent.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct AgentInterface {
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
    pub fn parse(body: &[u8]) -> Result<Self, Vec<Problem>> {
        let root = read_object(body)?;
        let mut problems = Problems::default();
        let mut warnings = Problems::default();
        let is_legacy = !root.contains_key("supportedInterfaces") && root.contains_key("url");
        let name = problems.want_text(&root, "", "name");
        problems.want_text(&root, "", "description");
        let version = problems.want_text(&root, "", "version");
        let interfaces = if is_legacy {
            vec![legacy_interface(&root, &mut problems)]
        } else {
            interfaces(&root, &mut problems)
        };
        let capabilities = problems.want_object(&root, "", "capabilities");
        problems.want_list(&root, "", "defaultInputModes");
        problems.want_list(&root, "", "defaultOutputModes");
        let skills = skills(&root, &mut problems);
        if skills.is_empty() {
            warnings.add("no-skills", Note::new("field-empty").with("field", "skills"));
        }
        let has_ap2 = capabilities.is_some_and(has_ap2);
        let warnings = warnings.0;
        problems.or(Self { is_legacy, name, version, interfaces, skills, has_ap2, warnings })
    }
}

fn interfaces(root: &Object, problems: &mut Problems) -> Vec<AgentInterface> {
    let items = problems.want_items(root, "", "supportedInterfaces");
    let objects = problems.objects(items, "supportedInterfaces");
    let read = |(path, interface): (String, &Object)| AgentInterface {
        url: problems.want_url(interface, &path, "url"),
        binding: problems.want_text(interface, &path, "protocolBinding"),
        version: problems.want_text(interface, &path, "protocolVersion"),
    };
    objects.into_iter().map(read).collect()
}

fn legacy_interface(root: &Object, problems: &mut Problems) -> AgentInterface {
    AgentInterface {
        url: problems.want_url(root, "", "url"),
        binding: json::owned(root, "preferredTransport"),
        version: json::owned(root, "protocolVersion"),
    }
}

fn skills(root: &Object, problems: &mut Problems) -> Vec<String> {
    let items = problems.want_list(root, "", "skills");
    let objects = problems.objects(items, "skills");
    let read = |(path, skill): (String, &Object)| {
        problems.want_text(skill, &path, "id");
        problems.want_text(skill, &path, "description");
        problems.want_list(skill, &path, "tags");
        problems.want_text(skill, &path, "name")
    };
    objects.into_iter().map(read).collect()
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
            let problems = AgentCard::parse(VALID.replace(from, to).as_bytes()).unwrap_err();
            assert_eq!(problems.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{to}");
        }
    }
}
