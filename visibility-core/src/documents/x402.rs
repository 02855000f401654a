//! [x402](https://www.x402.org): the manifest `/.well-known/x402`, and what a 402 asks for.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::Value;

use crate::documents::json::{self, Object, read_object};
use crate::documents::{DocumentError, DocumentErrors, MAX_PARTS};
use crate::text::note::Note;

/// Bytes that are read of a `PAYMENT-REQUIRED` header.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// What a manifest or a 402 says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct X402Manifest {
    /// `x402Version` or `version`.
    pub version: u64,
    /// Addresses of what can be paid for, as far as they are given.
    pub resources: Vec<String>,
    /// Networks on which can be paid, such as `eip155:8453`, each once.
    pub networks: Vec<String>,
}

impl X402Manifest {
    /// Reads a manifest: a version, and resources, items or ways to pay.
    ///
    /// # Errors
    ///
    /// Why it is not valid.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Vec<DocumentError>> {
        Self::from_object(&read_object(body)?, &["resources", "items", "accepts"])
    }

    /// Reads the `PAYMENT-REQUIRED` header of a 402 (version 2): JSON in Base64, with `accepts`.
    ///
    /// # Errors
    ///
    /// Why it is not valid.
    pub(crate) fn from_header(value: &str) -> Result<Self, Vec<DocumentError>> {
        let value = value.trim();
        let decoded = [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD]
            .iter()
            .find_map(|engine| engine.decode(value).ok())
            .filter(|_| value.len() <= MAX_HEADER_BYTES);
        match decoded {
            Some(json) => Self::from_object(&read_object(&json)?, &["accepts"]),
            None => Err(vec![DocumentError::new("not-base64", Note::new("header-not-base64"))]),
        }
    }

    fn from_object(root: &Object, lists: &[&str]) -> Result<Self, Vec<DocumentError>> {
        let mut errors = DocumentErrors::default();
        let version = ["x402Version", "version"].iter().find_map(|key| root.get(*key)?.as_u64());
        if version.is_none() {
            errors.add(
                "missing-field",
                Note::new("field-missing-number").with("field", "x402Version"),
            );
        }
        let mut manifest = Self { version: version.unwrap_or_default(), ..Self::default() };
        let mut has_offers = false;
        for list in lists {
            for item in json::items(root, list).iter().take(MAX_PARTS) {
                has_offers |= manifest.add(item, &format!("{list}[]."), &mut errors);
            }
        }
        if !has_offers {
            let lists = lists.iter().map(|list| format!("`{list}`")).collect::<Vec<_>>();
            let note = Note::new("lists-empty").with("lists", lists.join(", "));
            errors.add("missing-field", note);
        }
        errors.or(manifest)
    }

    /// Adds a resource or a way to pay; whether it is one.
    fn add(&mut self, item: &Value, path: &str, errors: &mut DocumentErrors) -> bool {
        let object = match item {
            Value::String(url) => {
                self.resources.push(url.clone());
                return true;
            }
            Value::Object(object) => object,
            _ => {
                errors.add("wrong-type", Note::new("field-not-text-or-object").with("field", path));
                return false;
            }
        };
        if object.contains_key("scheme") {
            errors.require_text(object, path, "scheme");
            let network = errors.require_text(object, path, "network");
            errors.require_text(object, path, "payTo");
            if !self.networks.contains(&network) {
                self.networks.push(network);
            }
            return true;
        }
        let url = ["url", "resource", "path"].iter().find_map(|key| json::text(object, key));
        self.resources.extend(url.map(str::to_owned));
        let ways = json::items(object, "accepts").iter().filter_map(Value::as_object);
        for network in ways.take(MAX_PARTS).filter_map(|way| json::text(way, "network")) {
            if self.networks.len() < MAX_PARTS && !self.networks.iter().any(|n| n == network) {
                self.networks.push(network.to_owned());
            }
        }
        url.is_some()
    }
}

#[cfg(test)]
pub(super) const VALID: &str = r#"{"x402Version": 2, "resources": ["https://a.example/weather",
    {"url": "https://a.example/b", "accepts": [{"scheme": "exact", "network": "eip155:8453"}]}],
    "accepts": [{"scheme": "exact", "network": "eip155:8453", "amount": "1000", "payTo": "0x0"}]}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read() {
        let manifest = X402Manifest::parse(VALID.as_bytes()).unwrap();
        assert_eq!(manifest.version, 2);
        assert_eq!(manifest.resources, ["https://a.example/weather", "https://a.example/b"]);
        assert_eq!(manifest.networks, ["eip155:8453"]);
    }

    #[test]
    fn a_header_is_decoded() {
        let manifest = X402Manifest::from_header(&STANDARD.encode(VALID)).unwrap();
        assert_eq!((manifest.version, manifest.networks.len()), (2, 1));
        assert!(X402Manifest::from_header(&URL_SAFE_NO_PAD.encode(VALID)).is_ok());
        assert_eq!(X402Manifest::from_header("{").unwrap_err()[0].id, "not-base64");
        let huge = "A".repeat(2 * MAX_HEADER_BYTES);
        assert_eq!(X402Manifest::from_header(&huge).unwrap_err()[0].id, "not-base64");
    }

    #[test]
    fn each_fault_is_named() {
        let cases = [
            (VALID.replace("x402Version", "x"), "missing-field"),
            (r#"{"version": 1, "resources": []}"#.to_owned(), "missing-field"),
            (
                r#"{"version": 1, "accepts": [{"scheme": "exact", "network": "a"}]}"#.to_owned(),
                "missing-field",
            ),
            (r#"{"version": 1, "items": ["a", 7]}"#.to_owned(), "wrong-type"),
        ];
        for (text, id) in cases {
            let errors = X402Manifest::parse(text.as_bytes()).unwrap_err();
            assert_eq!(errors.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{text}");
        }
    }
}
