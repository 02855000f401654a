//! AI catalogs of [Agentic Resource Discovery](https://github.com/ards-project/ard-spec) v0.9,
//! `/.well-known/ai-catalog.json`.

use serde_json::Value;

use crate::documents::json::{self, Object, read_object};
use crate::documents::{DocumentError, DocumentErrors};
use crate::text::note::Note;

/// What a catalog says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct AiCatalog {
    /// `specVersion`.
    pub spec_version: String,
    /// The entries.
    pub entries: Vec<AiCatalogEntry>,
    /// What is not as the specification wants it but can be used.
    pub warnings: Vec<DocumentError>,
}

/// An entry of a catalog.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct AiCatalogEntry {
    /// `identifier`, such as `urn:air:example.com:server:weather`.
    pub identifier: String,
    /// `type`, a media type, in lower case.
    pub media_type: String,
    /// `url`, absolute or relative to the catalog; absent if the entry carries its `data`.
    pub url: Option<String>,
}

impl AiCatalog {
    /// Reads a catalog.
    ///
    /// # Errors
    ///
    /// Why it is not valid.
    pub fn parse(body: &[u8]) -> Result<Self, Vec<DocumentError>> {
        let root = read_object(body)?;
        let mut errors = DocumentErrors::default();
        let mut warnings = DocumentErrors::default();
        let spec_version = errors.require_text(&root, "", "specVersion");
        if !spec_version.is_empty() && spec_version != "1.0" {
            warnings.add(
                "spec-version",
                Note::new("field-value-expected")
                    .with("field", "specVersion")
                    .with("value", &spec_version)
                    .with("expected", "1.0"),
            );
        }
        if root.contains_key("collections") {
            errors.add("collections", Note::new("field-not-allowed").with("field", "collections"));
        }
        let items = errors.require_items(&root, "", "entries");
        let mut entries = Vec::new();
        for (path, entry) in errors.objects(items, "entries") {
            entries.push(read_entry(entry, &path, &mut errors, &mut warnings));
        }
        errors.or(Self { spec_version, entries, warnings: warnings.0 })
    }

    /// The first entry of this media type that has a URL.
    pub fn entry_of_type(&self, media_type: &str) -> Option<&AiCatalogEntry> {
        self.entries.iter().find(|e| e.url.is_some() && e.media_type == media_type)
    }
}

fn read_entry(
    entry: &Object,
    path: &str,
    errors: &mut DocumentErrors,
    warnings: &mut DocumentErrors,
) -> AiCatalogEntry {
    let identifier = errors.require_text(entry, path, "identifier");
    let parts = identifier.strip_prefix("urn:air:").map(|rest| rest.split(':'));
    let is_urn =
        parts.is_some_and(|mut p| p.clone().count() >= 2 && p.all(|part| !part.is_empty()));
    if !identifier.is_empty() && !is_urn {
        warnings.add(
            "identifier-form",
            Note::new("identifier-not-urn")
                .with("field", format!("{path}identifier"))
                .with("identifier", &identifier),
        );
    }
    let media_type = errors.require_text(entry, path, "type").to_ascii_lowercase();
    if json::text(entry, "displayName").is_none() {
        warnings.add(
            "display-name",
            Note::new("field-missing").with("field", format!("{path}displayName")),
        );
    }
    let queries = json::items(entry, "representativeQueries").len();
    if !(2..=5).contains(&queries) {
        warnings.add(
            "representative-queries",
            Note::new("examples-count")
                .with("field", format!("{path}representativeQueries"))
                .with("count", queries),
        );
    }
    let has_data = entry.get("data").is_some_and(|data| *data != Value::Null);
    let has_url = entry.get("url").is_some_and(|url| *url != Value::Null);
    let url = match (has_url, has_data) {
        (true, true) => {
            errors.add(
                "url-and-data",
                Note::new("fields-exclusive")
                    .with("field", format!("{path}url"))
                    .with("other", format!("{path}data")),
            );
            None
        }
        (true, false) => Some(errors.require_text(entry, path, "url")),
        (false, true) => None,
        (false, false) => {
            errors.add(
                "missing-field",
                Note::new("fields-both-missing")
                    .with("field", format!("{path}url"))
                    .with("other", format!("{path}data")),
            );
            None
        }
    };
    AiCatalogEntry { identifier, media_type, url }
}

#[cfg(test)]
pub(super) const VALID: &str = r#"{"specVersion": "1.0", "host": {"displayName": "Shop"}, "entries": [
    {"identifier": "urn:air:a.example:server:shop", "displayName": "Shop", "type": "application/mcp-server-card+json",
     "url": "https://a.example/mcp/server-card", "representativeQueries": ["find a chair", "buy a chair"]}]}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalog_is_read() {
        let catalog = AiCatalog::parse(VALID.as_bytes()).unwrap();
        assert_eq!((catalog.spec_version.as_str(), catalog.warnings.len()), ("1.0", 0));
        let entry = catalog.entry_of_type("application/mcp-server-card+json").unwrap();
        assert_eq!(entry.url.as_deref(), Some("https://a.example/mcp/server-card"));
        assert_eq!(catalog.entry_of_type("application/a2a-agent-card+json"), None);
    }

    #[test]
    fn each_fault_is_named() {
        let cases = [
            ("\"host\"", "\"collections\"", "collections"),
            ("\"identifier\"", "\"id\"", "missing-field"),
            ("\"url\"", "\"data\": {}, \"url\"", "url-and-data"),
            ("\"url\"", "\"href\"", "missing-field"),
            ("\"type\"", "\"mediaType\"", "missing-field"),
            ("\"entries\"", "\"entry\"", "missing-field"),
        ];
        for (from, to, id) in cases {
            let errors = AiCatalog::parse(VALID.replace(from, to).as_bytes()).unwrap_err();
            assert_eq!(errors.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{to}");
        }
    }

    #[test]
    fn what_can_be_used_is_a_warning() {
        let cases = [
            ("\"1.0\"", "\"1.1\"", "spec-version"),
            ("urn:air:a", "urn:ai:a", "identifier-form"),
            ("\"Shop\", \"type\"", "\"\", \"type\"", "display-name"),
            (", \"buy a chair\"", "", "representative-queries"),
        ];
        for (from, to, id) in cases {
            let catalog = AiCatalog::parse(VALID.replace(from, to).as_bytes()).unwrap();
            assert_eq!(catalog.warnings.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{to}");
        }
    }
}
