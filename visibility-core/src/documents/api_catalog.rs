//! API catalogs, [RFC 9727](https://www.rfc-editor.org/rfc/rfc9727), as link sets,
//! [RFC 9264](https://www.rfc-editor.org/rfc/rfc9264), section 4.2.

use serde_json::Value;

use crate::documents::json::{self, Object, read_object};
use crate::documents::{DocumentError, DocumentErrors, MAX_PARTS};
use crate::text::note::Note;

/// The content of an API catalog.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ApiCatalog {
    /// The link contexts: what the links are about.
    pub anchors: Vec<String>,
    /// Targets of `service-desc`: descriptions for machines.
    pub descriptions: Vec<CatalogLink>,
    /// Targets of `service-doc`: documentation for people.
    pub documentation: Vec<CatalogLink>,
    /// Targets of `status`.
    pub status: Vec<CatalogLink>,
    /// Targets of `item`: the APIs themselves, or other catalogs.
    pub items: Vec<CatalogLink>,
    /// Problems that do not make the catalog invalid.
    pub warnings: Vec<DocumentError>,
}

/// A target of a catalog.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct CatalogLink {
    /// `href`, absolute or relative to the catalog.
    pub href: String,
    /// `type` in lower case.
    pub media_type: Option<String>,
}

impl ApiCatalog {
    /// Reads a catalog.
    ///
    /// # Errors
    ///
    /// Why it is not valid.
    pub fn parse(body: &[u8]) -> Result<Self, Vec<DocumentError>> {
        let root = read_object(body)?;
        let mut errors = DocumentErrors::default();
        let mut catalog = Self::default();
        let contexts = errors.require_items(&root, "", "linkset");
        for (path, context) in errors.objects(contexts, "linkset") {
            if context.contains_key("anchor") {
                catalog.anchors.push(errors.require_text(context, &path, "anchor"));
            }
            let mut add = |rel, list: &mut Vec<CatalogLink>| {
                if list.len() < MAX_PARTS {
                    list.extend(targets(context, &path, rel, &mut errors));
                }
            };
            add("service-desc", &mut catalog.descriptions);
            add("service-doc", &mut catalog.documentation);
            add("status", &mut catalog.status);
            add("item", &mut catalog.items);
        }
        if catalog.anchors.is_empty() && catalog.items.is_empty() && errors.0.is_empty() {
            errors.add("no-apis", Note::new("catalog-without-apis"));
        }
        if catalog.descriptions.is_empty() {
            let warning =
                DocumentError::new("no-descriptions", Note::new("catalog-without-descriptions"));
            catalog.warnings.push(warning);
        }
        errors.or(catalog)
    }
}

/// Targets of a relation: a list of objects with `href` (RFC 9264, section 4.2.3).
fn targets(
    context: &Object,
    path: &str,
    rel: &str,
    errors: &mut DocumentErrors,
) -> Vec<CatalogLink> {
    if context.get(rel).is_none_or(Value::is_null) {
        return Vec::new();
    }
    let items = errors.require_list(context, path, rel);
    let mut targets = Vec::new();
    for (path, target) in errors.objects(items, &format!("{path}{rel}")) {
        targets.push(CatalogLink {
            href: errors.require_text(target, &path, "href"),
            media_type: json::text(target, "type").map(str::to_ascii_lowercase),
        });
    }
    targets
}

#[cfg(test)]
pub(super) const VALID: &str = r#"{"linkset": [{"anchor": "https://api.a.example/v1",
    "service-desc": [{"href": "https://a.example/openapi.json", "type": "Application/JSON"}],
    "service-doc": [{"href": "/docs"}], "status": [{"href": "/status"}], "other": 7},
    {"anchor": "https://a.example/.well-known/api-catalog", "item": [{"href": "https://api.a.example/v1"}]}]}"#;

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9727, section 4 and appendix A.
    #[test]
    fn a_catalog_is_read() {
        let catalog = ApiCatalog::parse(VALID.as_bytes()).unwrap();
        assert_eq!(catalog.anchors.len(), 2);
        assert_eq!(catalog.descriptions[0].href, "https://a.example/openapi.json");
        assert_eq!(catalog.descriptions[0].media_type.as_deref(), Some("application/json"));
        assert_eq!((catalog.documentation.len(), catalog.status.len()), (1, 1));
        assert_eq!((catalog.items.len(), catalog.warnings.len()), (1, 0));
    }

    #[test]
    fn each_fault_is_named() {
        let cases = [
            (VALID.replace("\"linkset\"", "\"links\""), "missing-field"),
            (VALID.replace("[{\"href\": \"/docs\"}]", "{\"href\": \"/docs\"}"), "wrong-type"),
            (VALID.replace("[{\"href\": \"/docs\"}]", "[\"/docs\"]"), "wrong-type"),
            (VALID.replace("{\"href\": \"/docs\"}", "{\"url\": \"/docs\"}"), "missing-field"),
            (r#"{"linkset": []}"#.to_owned(), "empty-list"),
            (r#"{"linkset": [{"service-doc": [{"href": "/"}]}]}"#.to_owned(), "no-apis"),
        ];
        for (text, id) in cases {
            let errors = ApiCatalog::parse(text.as_bytes()).unwrap_err();
            assert_eq!(errors.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{text}");
        }
    }

    #[test]
    fn a_catalog_without_descriptions_has_a_warning() {
        let catalog = ApiCatalog::parse(br#"{"linkset": [{"anchor": "https://a.example/"}]}"#);
        assert_eq!(catalog.unwrap().warnings[0].id, "no-descriptions");
    }
}
