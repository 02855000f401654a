//! API descriptions: [OpenAPI](https://spec.openapis.org/oas/latest.html) 3 and Swagger 2, as JSON
//! or YAML.

use serde_json::Value;
use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy};

use crate::documents::json::{self, Object, read_value};
use crate::documents::{DocumentError, DocumentErrors, MAX_PARTS};
use crate::fetch::lossy;
use crate::text::note::Note;

/// Depth of a description; schemas within schemas go deeper than other documents.
const MAX_DEPTH: usize = 64;
/// Nodes of a YAML description, aliases resolved.
const MAX_YAML_NODES: usize = 200_000;
const METHODS: [&str; 9] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// What an API description says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct ApiDescription {
    /// `openapi` or `swagger`, such as `3.1.0`.
    pub version: String,
    /// `info.title`; empty if only the start of the document could be read.
    pub title: String,
    /// Operations of all paths and webhooks.
    pub operations: usize,
    /// Whether it is Swagger 2.
    pub is_swagger2: bool,
    /// Whether a security scheme is `oauth2`, `openIdConnect`, `http` or `basic`.
    pub protected: bool,
    /// Whether an operation has `x-payment-info` with offers, or with intent and method.
    pub payment: bool,
}

impl ApiDescription {
    /// Reads a description. `cut` says that the end of the document is missing: then what its start
    /// shows is enough, and operations are estimated.
    ///
    /// # Errors
    ///
    /// Why it is not valid.
    pub(crate) fn parse(body: &[u8], cut: bool) -> Result<Self, Vec<DocumentError>> {
        match read(body) {
            Ok(root) => Self::from_object(&root),
            Err(problem) if cut => Self::from_start(body).ok_or_else(|| vec![problem]),
            Err(problem) => Err(vec![problem]),
        }
    }

    fn from_object(root: &Object) -> Result<Self, Vec<DocumentError>> {
        let mut errors = DocumentErrors::default();
        let (version, is_swagger2) = match (version(root, "openapi"), version(root, "swagger")) {
            (Some(version), _) => (version, false),
            (None, Some(version)) => (version, true),
            (None, None) => {
                errors.add(
                    "no-version",
                    Note::new("fields-both-missing")
                        .with("field", "openapi")
                        .with("other", "swagger"),
                );
                return errors.or(Self::default());
            }
        };
        let wanted = if is_swagger2 { "2" } else { "3" };
        if version.split('.').next() != Some(wanted) {
            errors
                .add("unknown-version", Note::new("description-version").with("version", &version));
        }
        let info = errors.require_object(root, "", "info");
        let title = info.map(|info| errors.require_text(info, "info.", "title"));
        let operations = operations(root);
        if json::object(root, "paths").is_none_or(Object::is_empty)
            && json::object(root, "webhooks").is_none_or(Object::is_empty)
        {
            errors.add("no-paths", Note::new("description-without-paths"));
        }
        errors.or(Self {
            version,
            title: title.unwrap_or_default(),
            operations: operations.len(),
            is_swagger2,
            protected: is_protected(root),
            payment: operations.iter().any(|operation| has_payment(operation)),
        })
    }

    /// What the start of a document shows, if it is that of a description.
    fn from_start(body: &[u8]) -> Option<Self> {
        let text = lossy(body);
        let head: String = text.chars().take(4_096).collect();
        let openapi = version_in(&head, "openapi").filter(|version| version.starts_with("3."));
        let swagger = version_in(&head, "swagger").filter(|version| version.starts_with("2."));
        let is_swagger2 = openapi.is_none();
        Some(Self {
            version: openapi.or(swagger)?,
            title: String::new(),
            // Every operation has `responses`.
            operations: text.matches("responses").count(),
            is_swagger2,
            protected: ["oauth2", "openIdConnect"].iter().any(|kind| text.contains(kind)),
            payment: text.contains("x-payment-info"),
        })
    }
}

/// The value of `openapi` or `swagger` in the start of a document, JSON or YAML.
fn version_in(head: &str, key: &str) -> Option<String> {
    let (before, rest) = head.split_once(key)?;
    let is_key = before.trim_end().is_empty()
        || before.ends_with(['"', '\'', '\n'])
        || before.trim_end().ends_with(['{', ',']);
    let value = rest
        .trim_start_matches(['"', '\''])
        .trim_start()
        .strip_prefix(':')?
        .trim_start()
        .trim_start_matches(['"', '\'']);
    let end = value.find(|ch: char| !ch.is_ascii_digit() && ch != '.');
    let version = value.get(..end.unwrap_or(value.len()))?;
    (is_key && version.contains('.')).then(|| version.to_owned())
}

fn read(body: &[u8]) -> Result<Object, DocumentError> {
    let text = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    let value = match text.first() {
        Some(b'{' | b'[') => read_value(text, MAX_DEPTH)?,
        Some(b'<') | None => {
            return Err(DocumentError::new("not-json", Note::new("document-not-json-or-yaml")));
        }
        Some(_) => read_yaml(text)?,
    };
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(DocumentError::new("not-object", Note::new("document-not-object"))),
    }
}

/// Reads YAML within a budget, so that aliases cannot multiply it.
fn read_yaml(body: &[u8]) -> Result<Value, DocumentError> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            flow_nesting_limit: MAX_DEPTH,
            max_events: 2 * MAX_YAML_NODES,
            max_aliases: 2_000,
            max_anchors: 2_000,
            max_recorded_anchor_events: MAX_YAML_NODES,
            max_recorded_anchor_bytes: 4 * 1024 * 1024,
            max_depth: MAX_DEPTH,
            max_inclusion_depth: 0,
            max_documents: 1,
            max_nodes: MAX_YAML_NODES,
            max_total_scalar_bytes: 4 * 1024 * 1024,
            max_merge_keys: 1_000,
        },
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        merge_keys: MergeKeyPolicy::Merge,
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_YAML_NODES,
            max_replay_stack_depth: MAX_DEPTH,
        },
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(&lossy(body), options)
        .map_err(|error| DocumentError::new("not-yaml", not_yaml(&error)))
}

/// Where a document stops being YAML, if that is one place.
fn not_yaml(error: &serde_saphyr::Error) -> Note {
    match error.location() {
        Some(at) => {
            Note::new("document-not-yaml-at").with("line", at.line()).with("column", at.column())
        }
        None => Note::new("document-not-yaml"),
    }
}

/// A version as text; YAML without quotes makes `2.0` a number.
fn version(root: &Object, key: &str) -> Option<String> {
    match root.get(key)? {
        Value::String(version) => Some(version.trim().to_owned()),
        Value::Number(version) => Some(version.to_string()),
        _ => None,
    }
}

fn operations(root: &Object) -> Vec<&Object> {
    let items = ["paths", "webhooks"]
        .into_iter()
        .filter_map(|key| json::object(root, key))
        .flat_map(Object::values)
        .filter_map(Value::as_object);
    items.flat_map(|item| METHODS.iter().filter_map(|method| json::object(item, method))).collect()
}

fn is_protected(root: &Object) -> bool {
    let components = json::object(root, "components");
    let schemes = components.and_then(|components| json::object(components, "securitySchemes"));
    let old = json::object(root, "securityDefinitions");
    let mut schemes = [schemes, old].into_iter().flatten().flat_map(Object::values).take(MAX_PARTS);
    schemes.any(|scheme| {
        let kind = scheme.get("type").and_then(Value::as_str);
        matches!(kind, Some("oauth2" | "openIdConnect" | "http" | "basic"))
    })
}

fn has_payment(operation: &Object) -> bool {
    json::object(operation, "x-payment-info").is_some_and(|payment| {
        let has = |key| json::text(payment, key).is_some();
        !json::items(payment, "offers").is_empty() || (has("intent") && has("method"))
    })
}

#[cfg(test)]
pub(super) const VALID: &str = r##"{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
    "paths": {"/chairs": {"get": {"responses": {}}, "post": {"responses": {}, "x-payment-info":
    {"intent": "charge", "method": "x402", "amount": "1"}}, "parameters": []}, "/x": {"$ref": "#/x"}},
    "components": {"securitySchemes": {"o": {"type": "oauth2"}}}}"##;

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ApiDescription, Vec<DocumentError>> {
        ApiDescription::parse(text.as_bytes(), false)
    }

    #[test]
    fn a_description_is_read_as_json_and_as_yaml() {
        let expected = ApiDescription {
            version: "3.1.0".to_owned(),
            title: "Shop".to_owned(),
            operations: 2,
            is_swagger2: false,
            protected: true,
            payment: true,
        };
        assert_eq!(parse(VALID), Ok(expected.clone()));
        let yaml = "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths:\n  /chairs:\n    get: &op {responses: {}}\n    \
            post:\n      <<: *op\n      x-payment-info: {offers: [{amount: 1}]}\ncomponents:\n  securitySchemes: {o: {type: http}}\n";
        assert_eq!(parse(yaml), Ok(expected));
    }

    #[test]
    fn swagger_is_distinguished_from_openapi() {
        for text in [
            r#"{"swagger": "2.0", "info": {"title": "a"}, "paths": {"/": {"get": {}}}}"#,
            "swagger: 2.0\ninfo:\n  title: a\npaths:\n  /:\n    get: {}\n",
        ] {
            let description = parse(text).unwrap();
            assert!(description.is_swagger2 && !description.protected && !description.payment);
            assert_eq!((description.version.as_str(), description.operations), ("2.0", 1));
        }
    }

    #[test]
    fn each_fault_is_named() {
        let cases = [
            (VALID.replace("openapi", "open"), "no-version"),
            (VALID.replace("3.1.0", "4.0.0"), "unknown-version"),
            (VALID.replace("title", "name"), "missing-field"),
            (VALID.replace("paths", "routes"), "no-paths"),
            ("<html>".to_owned(), "not-json"),
            (String::new(), "not-json"),
            ("[1]".to_owned(), "not-object"),
            ("just words".to_owned(), "not-object"),
            ("a: b: c\n d".to_owned(), "not-yaml"),
        ];
        for (text, id) in cases {
            let errors = parse(&text).unwrap_err();
            assert_eq!(errors.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{text}");
        }
    }

    #[test]
    fn hostile_yaml_is_refused() {
        let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for i in 1..12 {
            let refs = vec![format!("*a{}", i - 1); 10].join(",");
            bomb = format!("{bomb}a{i}: &a{i} [{refs}]\n");
        }
        let cases = [
            bomb,
            "[".repeat(100_000),
            format!("a: {}", "[".repeat(100_000)),
            "- ".repeat(100_000),
            "? ".repeat(100_000),
            format!("a: [{}]", "1,".repeat(300_000)),
            (0..2_000).fold(String::new(), |all, i| all + &" ".repeat(i) + "a:\n"),
        ];
        for text in cases {
            let errors = parse(&text).unwrap_err();
            let start: String = text.chars().take(40).collect();
            assert!(matches!(errors[0].id, "not-yaml" | "too-deep"), "{start}");
        }
    }

    #[test]
    fn the_start_of_a_cut_description_is_enough() {
        for text in [
            "{\"openapi\": \"3.0.1\", \"paths\": {\"/\": {\"get\": {\"responses\"",
            "# x\nopenapi: '3.0.1'\npaths:\n  /:\n    get:\n      responses:\n        '200': \"a",
        ] {
            let description = ApiDescription::parse(text.as_bytes(), true).unwrap();
            assert_eq!((description.version.as_str(), description.operations), ("3.0.1", 1));
            assert!(parse(text).is_err());
        }
        assert!(ApiDescription::parse(b"{\"a\": \"openapi\": 3", true).is_err());
    }
}
