//! Parsers and validators of the documents that sites publish for agents.
//!
//! Each reader takes the bytes of a document and gives a summary of what it says, or the list of
//! reasons why it is not valid. Readers are pure, never panic, and keep at most a thousand parts of
//! a document. What a format only recommends is a warning in the summary.

pub(crate) mod acp;
pub(crate) mod agent_card;
// For the site of the service, which publishes such a document.
#[doc(hidden)]
pub mod agent_skills;
// For `tests/integration/api/site.rs`, which reads the documents of that site.
#[doc(hidden)]
pub mod ai_catalog;
// The same.
#[doc(hidden)]
pub mod api_catalog;
pub(crate) mod api_description;
pub(crate) mod authorization_server;
mod json;
pub(crate) mod llms_txt;
// The same.
#[doc(hidden)]
pub mod mcp_card;
pub(crate) mod protected_resource;
pub mod robots;
pub(crate) mod rsl;
pub mod sitemap;
pub(crate) mod ucp;
pub(crate) mod x402;

use serde_json::Value;

use crate::text::note::Note;
use crate::text::placeholder;

/// Parts of a document, such as the entries of a catalog, that are read.
const MAX_PARTS: usize = 1_000;
/// Problems of a document that are listed.
const MAX_PROBLEMS: usize = 20;

/// Something in a document that its format does not allow, or advises against.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DocumentError {
    /// What is wrong, in kebab-case: `not-json`, `missing-field`, `wrong-type`, `invalid-url` ...
    pub id: &'static str,
    /// Where and how, such as ``` `entries[3].type` is missing ```.
    pub note: Note,
}

impl DocumentError {
    fn new(id: &'static str, note: Note) -> Self {
        Self { id, note }
    }
}

/// The first placeholder of a fix that is still in a JSON document, as a name or as a value.
pub(crate) fn unfilled(body: &[u8]) -> Option<DocumentError> {
    memchr::memmem::find(body, b"\"[")?;
    let document: Value = serde_json::from_slice(body).ok()?;
    let mut open = vec![&document];
    while let Some(value) = open.pop() {
        let found = match value {
            Value::String(text) => placeholder::is_placeholder(text).then_some(text),
            Value::Array(items) => {
                open.extend(items);
                None
            }
            Value::Object(members) => {
                open.extend(members.values());
                members.keys().find(|name| placeholder::is_placeholder(name))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        };
        if let Some(text) = found {
            let note = Note::new("placeholder-unfilled").with("placeholder", text);
            return Some(DocumentError::new("placeholder", note));
        }
    }
    None
}

/// Problems in the order in which they were found.
#[derive(Debug, Default)]
struct DocumentErrors(Vec<DocumentError>);

impl DocumentErrors {
    fn add(&mut self, id: &'static str, note: Note) {
        if self.0.len() < MAX_PROBLEMS {
            self.0.push(DocumentError::new(id, note));
        }
    }

    /// The document, if there are no problems.
    fn or<T>(self, document: T) -> Result<T, Vec<DocumentError>> {
        if self.0.is_empty() { Ok(document) } else { Err(self.0) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::text::locale::{Catalog, Lang};

    type Reader = fn(&[u8]) -> Result<(), Vec<DocumentError>>;

    /// Every reader of JSON with a valid document of its kind.
    const READERS: [(&str, &str, Reader); 13] = [
        ("acp", acp::VALID, |body| acp::AcpDiscovery::parse(body).map(drop)),
        ("agent-card", agent_card::VALID, |body| agent_card::AgentCard::parse(body).map(drop)),
        ("agent-card-0.3", agent_card::VALID_0_3, |body| {
            agent_card::AgentCard::parse(body).map(drop)
        }),
        ("agent-skills", agent_skills::VALID, |body| {
            agent_skills::SkillIndex::parse(body).map(drop)
        }),
        ("ai-catalog", ai_catalog::VALID, |body| ai_catalog::AiCatalog::parse(body).map(drop)),
        ("api-catalog", api_catalog::VALID, |body| api_catalog::ApiCatalog::parse(body).map(drop)),
        ("api-description", api_description::VALID, |body| {
            api_description::ApiDescription::parse(body, false).map(drop)
        }),
        ("authorization-server", authorization_server::VALID, |body| {
            authorization_server::AuthorizationServer::parse(body).map(drop)
        }),
        ("mcp-card", mcp_card::VALID, |body| mcp_card::McpCard::parse(body).map(drop)),
        ("mcp-card-legacy", mcp_card::VALID_LEGACY, |body| {
            mcp_card::McpCard::parse(body).map(drop)
        }),
        ("protected-resource", protected_resource::VALID, |body| {
            protected_resource::ProtectedResource::parse(body).map(drop)
        }),
        ("ucp", ucp::VALID, |body| ucp::UcpProfile::parse(body).map(drop)),
        ("x402", x402::VALID, |body| x402::X402Manifest::parse(body).map(drop)),
    ];

    /// Paths to all values of a document.
    fn pointers(value: &Value) -> Vec<String> {
        let mut found = vec![String::new()];
        let mut open = vec![(String::new(), value)];
        while let Some((path, value)) = open.pop() {
            let inner: Vec<(String, &Value)> = match value {
                Value::Object(map) => {
                    map.iter().map(|(k, v)| (k.replace('~', "~0").replace('/', "~1"), v)).collect()
                }
                Value::Array(items) => {
                    items.iter().enumerate().map(|(i, v)| (i.to_string(), v)).collect()
                }
                _ => Vec::new(),
            };
            for (key, value) in inner {
                let path = format!("{path}/{key}");
                found.push(path.clone());
                open.push((path, value));
            }
        }
        found
    }

    #[test]
    fn valid_documents_are_valid() {
        for (name, valid, read) in READERS {
            assert_eq!(read(valid.as_bytes()), Ok(()), "{name}");
            assert_eq!(read(format!("\u{feff}{valid}").as_bytes()), Ok(()), "{name} with a mark");
        }
    }

    #[test]
    fn wrong_types_anywhere_make_no_reader_panic() {
        let long = Value::Array(vec![json!({}); 3_000]);
        for (name, valid, read) in READERS {
            let valid: Value = serde_json::from_str(valid).unwrap();
            for pointer in pointers(&valid) {
                for wrong in [
                    json!(null),
                    json!(true),
                    json!(-1.5),
                    json!("ü"),
                    json!([[]]),
                    json!({"a": []}),
                    long.clone(),
                ] {
                    let mut document = valid.clone();
                    *document.pointer_mut(&pointer).unwrap() = wrong;
                    if let Err(errors) = read(document.to_string().as_bytes()) {
                        assert!((1..=MAX_PROBLEMS).contains(&errors.len()), "{name}{pointer}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_problem_has_a_sentence_in_both_languages() {
        let [english, turkish] = Lang::ALL.map(Catalog::for_lang);
        for (name, valid, read) in READERS {
            let valid: Value = serde_json::from_str(valid).unwrap();
            for pointer in pointers(&valid) {
                for wrong in
                    [json!(null), json!(""), json!("\u{fc}"), json!([]), json!([7]), json!({})]
                {
                    let mut document = valid.clone();
                    *document.pointer_mut(&pointer).unwrap() = wrong;
                    for problem in read(document.to_string().as_bytes()).err().into_iter().flatten()
                    {
                        let sentences =
                            [english, turkish].map(|catalog| problem.note.sentence(catalog));
                        assert_ne!(sentences[0], sentences[1], "{name}{pointer}");
                        for sentence in sentences {
                            assert!(!sentence.contains(['{', '}']), "{name}{pointer}: {sentence}");
                            assert!(!sentence.starts_with("notes"), "{name}{pointer}: {sentence}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_json_object_is_refused() {
        let deep = "[".repeat(100_000);
        let nested = format!("{}{}", "{\"a\":".repeat(60), "1".to_owned() + &"}".repeat(60));
        let many = format!("[{}1]", "1,".repeat(600_000));
        let cases = [
            ("", "not-json"),
            ("<!doctype html>", "not-json"),
            ("{", "not-json"),
            ("[]", "not-object"),
            ("null", "not-object"),
            (deep.as_str(), "too-deep"),
            (nested.as_str(), "too-deep"),
            (many.as_str(), "too-large"),
        ];
        for (text, id) in cases {
            for (name, _, read) in READERS.iter().filter(|(name, ..)| *name != "api-description") {
                let errors = read(text.as_bytes()).unwrap_err();
                assert_eq!(errors[0].id, id, "{name}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_reader_panic(body in proptest::collection::vec(any::<u8>(), 0..100)) {
            for (_, _, read) in READERS {
                let _ = read(&body);
            }
            let _ = (rsl::RslLicense::parse(&body), x402::X402Manifest::from_header(&String::from_utf8_lossy(&body)));
        }
    }
}
