//! Profiles of the [Universal Commerce Protocol](https://ucp.dev), `/.well-known/ucp`.

use serde_json::Value;

use crate::documents::json::{self, Object, is_web_url, read_object};
use crate::documents::{DocumentError, DocumentErrors, MAX_PARTS};
use crate::text::note::Note;

/// Transports of the protocol.
const TRANSPORTS: [&str; 4] = ["rest", "mcp", "a2a", "embedded"];

/// The first version whose schema requires `payment_handlers`. Versions are dates.
const VERSION_WITH_HANDLERS: &str = "2026-04-08";

/// What a profile says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct UcpProfile {
    /// `ucp.version`, a date.
    pub version: String,
    /// Services, one for each transport.
    pub services: Vec<UcpService>,
    /// Names of the capabilities, such as `dev.ucp.shopping.checkout`.
    pub capabilities: Vec<String>,
    /// Whether the profile has keys for the signatures of the shop.
    pub has_keys: bool,
    /// What the schema of its version requires and the profile does not have.
    pub warnings: Vec<DocumentError>,
}

/// A service over one transport.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct UcpService {
    /// Its name, such as `dev.ucp.shopping`.
    pub name: String,
    /// `rest`, `mcp`, `a2a` or `embedded`.
    pub transport: String,
    /// Where it answers; empty for `embedded` at times.
    pub endpoint: String,
}

impl UcpProfile {
    /// Reads a profile. Services are lists by name, or, before 2026-01-23, objects with one field
    /// for each transport; capabilities are an object by name, or a list.
    ///
    /// # Errors
    ///
    /// Why it is not valid.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Vec<DocumentError>> {
        let root = read_object(body)?;
        let mut errors = DocumentErrors::default();
        let mut profile = Self {
            has_keys: ["keys", "signing_keys"].iter().any(|k| !json::items(&root, k).is_empty()),
            ..Self::default()
        };
        if let Some(ucp) = errors.require_object(&root, "", "ucp") {
            profile.version = errors.require_text(ucp, "ucp.", "version");
            if !profile.version.is_empty() && !is_date(&profile.version) {
                errors.add(
                    "invalid-value",
                    Note::new("field-value")
                        .with("field", "ucp.version")
                        .with("value", &profile.version),
                );
            }
            profile.services = services(ucp, &mut errors);
            profile.capabilities = capabilities(ucp, &mut errors);
            profile.has_keys |= !json::items(ucp, "signing_keys").is_empty();
            profile.warnings = missing(ucp, &profile.version);
        }
        errors.or(profile)
    }
}

/// What `ucp.json#/$defs/business_schema` requires beyond version, services and capabilities: the
/// handlers of payments from the tag v2026-04-08 on, and a schema for each capability after it.
fn missing(ucp: &Object, version: &str) -> Vec<DocumentError> {
    let mut missing = DocumentErrors::default();
    if version >= VERSION_WITH_HANDLERS && json::object(ucp, "payment_handlers").is_none() {
        missing.add(
            "missing-field",
            Note::new("field-missing-object").with("field", "ucp.payment_handlers"),
        );
    }
    let by_name = json::object(ucp, "capabilities").filter(|_| version > VERSION_WITH_HANDLERS);
    let entries = by_name.into_iter().flatten().take(MAX_PARTS).flat_map(|(name, entries)| {
        let entries = entries.as_array().map(Vec::as_slice).unwrap_or_default();
        entries.iter().take(MAX_PARTS).map(move |entry| (name, entry))
    });
    let is_incomplete =
        |entry: &Value| entry.get("schema").is_none_or(|schema| !schema.is_string());
    for (name, _) in entries.filter(|(_, entry)| is_incomplete(entry)).take(MAX_PARTS) {
        missing.add(
            "missing-field",
            Note::new("field-missing").with("field", format!("ucp.capabilities.{name}.schema")),
        );
    }
    missing.0
}

fn services(ucp: &Object, errors: &mut DocumentErrors) -> Vec<UcpService> {
    let Some(by_name) = errors.require_object(ucp, "ucp.", "services") else { return Vec::new() };
    let mut services = Vec::new();
    for (name, value) in by_name.iter().take(MAX_PARTS) {
        let bindings = match value {
            Value::Array(bindings) => bindings.as_slice(),
            other => std::slice::from_ref(other),
        };
        let path = format!("ucp.services.{name}");
        for (path, binding) in errors.objects(bindings, &path) {
            let found = bindings_of(binding, name);
            if found.is_empty() {
                errors.add(
                    "missing-field",
                    Note::new("field-missing").with("field", format!("{path}transport")),
                );
            }
            services.extend(found);
        }
        if services.len() > MAX_PARTS {
            break;
        }
    }
    for service in &services {
        if service.transport != "embedded" && !is_web_url(&service.endpoint) {
            errors.add(
                "invalid-url",
                Note::new("service-endpoint-not-url").with("service", &service.name),
            );
        }
    }
    if services.is_empty() && errors.0.is_empty() {
        errors.add("empty-list", Note::new("field-empty").with("field", "ucp.services"));
    }
    services
}

fn bindings_of(binding: &Object, name: &str) -> Vec<UcpService> {
    let service = |transport: &str, endpoint| UcpService {
        name: name.to_owned(),
        transport: transport.to_owned(),
        endpoint,
    };
    if let Some(transport) = json::text(binding, "transport") {
        return vec![service(transport, json::owned(binding, "endpoint"))];
    }
    TRANSPORTS
        .iter()
        .filter_map(|transport| {
            let inner = json::object(binding, transport)?;
            Some(service(transport, json::owned(inner, "endpoint")))
        })
        .collect()
}

fn capabilities(ucp: &Object, errors: &mut DocumentErrors) -> Vec<String> {
    match ucp.get("capabilities") {
        Some(Value::Object(by_name)) => by_name.keys().take(MAX_PARTS).cloned().collect(),
        Some(Value::Array(list)) => {
            let objects = errors.objects(list, "ucp.capabilities");
            objects.iter().map(|(path, c)| errors.require_text(c, path, "name")).collect()
        }
        _ => {
            errors.require_object(ucp, "ucp.", "capabilities");
            Vec::new()
        }
    }
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
pub(super) const VALID: &str = r#"{"ucp": {"version": "2026-04-08", "services": {"dev.ucp.shopping": [
    {"version": "2026-04-08", "transport": "rest", "endpoint": "https://a.example/ucp/v1"}, {"transport": "embedded"}]},
    "capabilities": {"dev.ucp.shopping.checkout": [{"version": "2026-04-08"}]}, "payment_handlers": {}}, "signing_keys": [{"kid": "a"}]}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read() {
        let profile = UcpProfile::parse(VALID.as_bytes()).unwrap();
        assert_eq!(profile.version, "2026-04-08");
        assert_eq!(profile.capabilities, ["dev.ucp.shopping.checkout"]);
        assert_eq!((profile.services.len(), profile.has_keys), (2, true));
        assert_eq!(profile.services[0].endpoint, "https://a.example/ucp/v1");
    }

    #[test]
    fn what_the_schema_of_a_version_requires_is_a_warning() {
        let warnings = |text: &str| -> Vec<(&str, String)> {
            let profile = UcpProfile::parse(text.as_bytes()).unwrap();
            let field = |note: Note| (note.id, note.values["field"].clone());
            profile.warnings.into_iter().map(|problem| field(problem.note)).collect()
        };
        let without = VALID.replace(", \"payment_handlers\": {}", "");
        assert_eq!(warnings(VALID), []);
        assert_eq!(
            warnings(&without),
            [("field-missing-object", "ucp.payment_handlers".to_owned())]
        );
        assert_eq!(warnings(&without.replace("2026-04-08", "2026-01-23")), []);
        let newest = VALID.replace("2026-04-08", "2026-08-25");
        assert_eq!(
            warnings(&newest),
            [("field-missing", "ucp.capabilities.dev.ucp.shopping.checkout.schema".to_owned())]
        );
        let schema =
            r#"{"schema": "https://ucp.dev/schemas/checkout.json", "version": "2026-08-25"}"#;
        assert_eq!(warnings(&newest.replace(r#"{"version": "2026-08-25"}"#, schema)), []);
    }

    #[test]
    fn the_older_form_is_read() {
        let old = r#"{"ucp": {"version": "2026-01-11", "services": {"dev.ucp.shopping": {"version": "2026-01-11",
            "rest": {"endpoint": "https://a.example/r"}, "mcp": {"endpoint": "https://a.example/m"}}},
            "capabilities": [{"name": "dev.ucp.shopping.checkout"}]}}"#;
        let profile = UcpProfile::parse(old.as_bytes()).unwrap();
        let transports: Vec<&str> = profile.services.iter().map(|s| s.transport.as_str()).collect();
        assert_eq!(transports, ["rest", "mcp"]);
        assert_eq!(profile.capabilities, ["dev.ucp.shopping.checkout"]);
    }

    #[test]
    fn each_fault_is_named() {
        let cases = [
            (VALID.replace("\"ucp\"", "\"acp\""), "missing-field"),
            (
                VALID.replace("\"2026-04-08\", \"services\"", "\"1.0\", \"services\""),
                "invalid-value",
            ),
            (VALID.replace("https://a.example/ucp/v1", "/ucp"), "invalid-url"),
            (VALID.replace("\"transport\": \"rest\"", "\"via\": \"rest\""), "missing-field"),
            (VALID.replace("capabilities", "abilities"), "missing-field"),
            (
                r#"{"ucp": {"version": "2026-04-08", "services": {}, "capabilities": {}}}"#
                    .to_owned(),
                "empty-list",
            ),
            (r#"{"ucp": "1.0"}"#.to_owned(), "wrong-type"),
        ];
        for (text, id) in cases {
            let errors = UcpProfile::parse(text.as_bytes()).unwrap_err();
            assert_eq!(errors.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{text}");
        }
    }
}
