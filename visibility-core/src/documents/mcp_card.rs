//! MCP server cards: the form of SEP-2127 and the older ones with `serverInfo`.

use serde_json::Value;

use crate::documents::json::{self, Object, is_web_url, read_object};
use crate::documents::{DocumentError, DocumentErrors, MAX_PARTS};
use crate::text::note::Note;

/// What a card says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct McpCard {
    /// Whether it has a form before SEP-2127.
    pub is_legacy: bool,
    /// `name`: reverse DNS, a slash and a name; any name in the legacy form.
    pub name: String,
    /// `version` of the server.
    pub version: String,
    /// What the server is for; empty in the legacy form.
    pub description: String,
    /// Where the server answers.
    pub remotes: Vec<McpRemote>,
    /// Whether the card says that the server wants to know who asks.
    pub requires_auth: bool,
    /// What could be better.
    pub warnings: Vec<DocumentError>,
}

/// An endpoint of a server.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct McpRemote {
    /// `type`, such as `streamable-http`.
    pub kind: String,
    /// Its address; relative to the card in the legacy form at times.
    pub url: String,
}

impl McpCard {
    /// Reads a card.
    ///
    /// # Errors
    ///
    /// Why it is not valid in either form.
    pub fn parse(body: &[u8]) -> Result<Self, Vec<DocumentError>> {
        let root = read_object(body)?;
        let has = |key| root.contains_key(key);
        if has("serverInfo") && !(has("name") && has("remotes")) {
            legacy(&root)
        } else {
            current(&root)
        }
    }
}

fn current(root: &Object) -> Result<McpCard, Vec<DocumentError>> {
    let mut errors = DocumentErrors::default();
    let mut warnings = DocumentErrors::default();
    errors.require_text(root, "", "$schema");
    let name = errors.require_text(root, "", "name");
    if !name.is_empty() && !is_reverse_dns(&name) {
        errors.add("name-form", Note::new("card-name-form").with("name", &name));
    }
    let version = errors.require_text(root, "", "version");
    let description = errors.require_text(root, "", "description");
    let mut remotes = Vec::new();
    if root.contains_key("remotes") {
        let items = errors.require_list(root, "", "remotes");
        for (path, remote) in errors.objects(items, "remotes") {
            let kind = errors.require_text(remote, &path, "type");
            let url = errors.require_text(remote, &path, "url");
            // A URL may have variables such as `{tenant}`.
            if !url.is_empty() && !is_web_url(&url.replace(['{', '}'], "")) {
                errors.add(
                    "invalid-url",
                    Note::new("field-not-url")
                        .with("field", format!("{path}url"))
                        .with("url", &url),
                );
            }
            remotes.push(McpRemote { kind, url });
        }
    }
    if remotes.is_empty() {
        warnings.add("no-remotes", Note::new("card-without-endpoint"));
    }
    if root.contains_key("tools") {
        warnings.add("lists-tools", Note::new("card-with-tools"));
    }
    let requires_auth = wants_auth(root)
        || json::items(root, "remotes").iter().filter_map(Value::as_object).any(wants_auth);
    let warnings = warnings.0;
    errors.or(McpCard {
        is_legacy: false,
        name,
        version,
        description,
        remotes,
        requires_auth,
        warnings,
    })
}

fn legacy(root: &Object) -> Result<McpCard, Vec<DocumentError>> {
    let mut errors = DocumentErrors::default();
    let (mut name, mut version) = (String::new(), String::new());
    if let Some(info) = errors.require_object(root, "", "serverInfo") {
        name = errors.require_text(info, "serverInfo.", "name");
        version = errors.require_text(info, "serverInfo.", "version");
    }
    let transports = ["transport", "endpoints"].into_iter().filter_map(|key| root.get(key));
    let lists = ["transports", "remotes"].into_iter().flat_map(|key| json::items(root, key));
    let places = transports.chain(lists).filter_map(Value::as_object).chain([root]);
    let remotes: Vec<McpRemote> = places.take(MAX_PARTS).filter_map(legacy_remote).collect();
    if remotes.is_empty() {
        errors.add("missing-field", Note::new("transport-without-endpoint"));
    }
    let requires_auth = wants_auth(root);
    errors.or(McpCard {
        is_legacy: true,
        name,
        version,
        description: String::new(),
        remotes,
        requires_auth,
        warnings: Vec::new(),
    })
}

fn legacy_remote(place: &Object) -> Option<McpRemote> {
    let url = ["endpoint", "url", "streamable-http", "http"]
        .into_iter()
        .find_map(|key| json::text(place, key))?;
    Some(McpRemote { kind: json::owned(place, "type"), url: url.to_owned() })
}

/// Whether an object says that a caller must be known.
fn wants_auth(object: &Object) -> bool {
    ["authentication", "authorization", "auth"].into_iter().any(|key| match object.get(key) {
        Some(Value::Object(auth)) => match auth.get("required").and_then(Value::as_bool) {
            Some(required) => required,
            None => !json::items(auth, "schemes").is_empty() || auth.contains_key("type"),
        },
        _ => false,
    })
}

fn is_reverse_dns(name: &str) -> bool {
    let is_part = |part: &str, extra: &str| {
        !part.is_empty() && part.chars().all(|ch| ch.is_ascii_alphanumeric() || extra.contains(ch))
    };
    name.split_once('/')
        .is_some_and(|(dns, rest)| is_part(dns, ".-") && is_part(rest, "._-") && dns.contains('.'))
}

#[cfg(test)]
pub(super) const VALID: &str = r#"{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    "name": "com.example/shop", "version": "1.0.0", "description": "Sells",
    "remotes": [{"type": "streamable-http", "url": "https://{tenant}.a.example/mcp"}]}"#;

#[cfg(test)]
pub(super) const VALID_LEGACY: &str = r#"{"serverInfo": {"name": "shop", "version": "1"},
    "transport": {"type": "streamable-http", "endpoint": "/mcp"}, "authentication": {"required": true}, "tools": []}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let card = McpCard::parse(VALID.as_bytes()).unwrap();
        assert!(!card.is_legacy && !card.requires_auth && card.warnings.is_empty());
        assert_eq!(
            (card.name.as_str(), card.remotes[0].kind.as_str()),
            ("com.example/shop", "streamable-http")
        );
        let old = McpCard::parse(VALID_LEGACY.as_bytes()).unwrap();
        assert!(old.is_legacy && old.requires_auth);
        assert_eq!((old.name.as_str(), old.remotes[0].url.as_str()), ("shop", "/mcp"));
    }

    #[test]
    fn endpoints_of_the_legacy_form_stand_in_many_places() {
        for place in [
            r#""url": "/mcp""#,
            r#""endpoint": "/mcp""#,
            r#""transports": [{"type": "http", "url": "/mcp"}]"#,
            r#""remotes": [{"type": "http", "url": "/mcp"}]"#,
            r#""endpoints": {"streamable-http": "/mcp"}"#,
        ] {
            let text = format!(r#"{{"serverInfo": {{"name": "a", "version": "1"}}, {place}}}"#);
            assert_eq!(McpCard::parse(text.as_bytes()).unwrap().remotes[0].url, "/mcp", "{place}");
        }
    }

    #[test]
    fn each_fault_is_named() {
        let cases = [
            (VALID, "com.example/shop", "shop", "name-form"),
            (VALID, "com.example/shop", "shop/shop", "name-form"),
            (VALID, "$schema", "schema", "missing-field"),
            (VALID, "description", "title", "missing-field"),
            (VALID, "https://{tenant}.a.example/mcp", "/mcp", "invalid-url"),
            (VALID, "\"type\"", "\"kind\"", "missing-field"),
            (VALID_LEGACY, "endpoint", "end", "missing-field"),
            (VALID_LEGACY, "\"name\"", "\"title\"", "missing-field"),
        ];
        for (text, from, to, id) in cases {
            let errors = McpCard::parse(text.replace(from, to).as_bytes()).unwrap_err();
            assert_eq!(errors.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{to}");
        }
    }

    #[test]
    fn what_can_be_used_is_a_warning() {
        let text = VALID.replace("\"remotes\"", "\"tools\": [], \"remote\"");
        let warnings = McpCard::parse(text.as_bytes()).unwrap().warnings;
        assert_eq!(
            warnings.iter().map(|p| p.id).collect::<Vec<_>>(),
            ["no-remotes", "lists-tools"]
        );
    }
}
