//! Reads untrusted JSON and its fields.

use serde_json::{Map, Value};
use url::Url;

use crate::documents::{DocumentError, DocumentErrors};
use crate::fetch::lossy;
use crate::limits::MAX_JSON_DEPTH;
use crate::text::note::Note;
use crate::text::syntax_error::JsonError;

/// Objects, lists and commas of a document, which bound the memory that it takes.
const MAX_WEIGHT: usize = 200_000;

/// An object of a document.
pub(super) type Object = Map<String, Value>;

/// Reads a document that is one object. If a key appears twice, the last one counts.
pub(super) fn read_object(body: &[u8]) -> Result<Object, Vec<DocumentError>> {
    match read_value(body, MAX_JSON_DEPTH).map_err(|problem| vec![problem])? {
        Value::Object(object) => Ok(object),
        _ => Err(vec![DocumentError::new("not-object", Note::new("document-not-object"))]),
    }
}

/// Reads JSON of at most this depth.
pub(super) fn read_value(body: &[u8], max_depth: usize) -> Result<Value, DocumentError> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let (depth, weight) = measure(body);
    if depth > max_depth {
        let note = Note::new("document-too-deep").with("limit", max_depth);
        return Err(DocumentError::new("too-deep", note));
    }
    if weight > MAX_WEIGHT {
        let note = Note::new("document-too-large").with("limit", MAX_WEIGHT);
        return Err(DocumentError::new("too-large", note));
    }
    serde_json::from_str(&lossy(body))
        .map_err(|error| DocumentError::new("not-json", not_json(&error)))
}

/// Where a document stops being JSON, and why.
fn not_json(error: &serde_json::Error) -> Note {
    let note =
        Note::new("document-not-json").with_note("reason", JsonError::from_parser(error).note());
    note.with("line", error.line()).with("column", error.column())
}

/// The depth of a text as JSON, and its number of objects, lists and commas.
fn measure(body: &[u8]) -> (usize, usize) {
    let (mut depth, mut deepest, mut weight) = (0_usize, 0, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                depth += 1;
                weight += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => weight += 1,
            _ => {}
        }
    }
    (deepest, weight)
}

/// A text field that is not empty.
pub(super) fn text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// The same as an owned text; empty if there is none.
pub(super) fn owned(object: &Object, key: &str) -> String {
    text(object, key).unwrap_or_default().to_owned()
}

/// The items of a list field; none if it is not a list.
pub(super) fn items<'a>(object: &'a Object, key: &str) -> &'a [Value] {
    object.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The texts in a list field.
pub(super) fn texts(object: &Object, key: &str) -> Vec<String> {
    let texts = items(object, key).iter().filter_map(Value::as_str);
    texts.take(super::MAX_PARTS).map(str::to_owned).collect()
}

/// An object field.
pub(super) fn object<'a>(object: &'a Object, key: &str) -> Option<&'a Object> {
    object.get(key)?.as_object()
}

/// Whether a text is an absolute `http(s)` URL.
pub(super) fn is_web_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

impl DocumentErrors {
    /// A text field that must be there; `path` is where the object is, such as `skills[1].`.
    pub(super) fn require_text(&mut self, object: &Object, path: &str, key: &str) -> String {
        match object.get(key) {
            None | Some(Value::Null) => self.missing(path, key),
            Some(Value::String(text)) if text.trim().is_empty() => {
                self.add(
                    "missing-field",
                    Note::new("field-empty").with("field", format!("{path}{key}")),
                );
            }
            Some(Value::String(text)) => return text.trim().to_owned(),
            Some(_) => self.add(
                "wrong-type",
                Note::new("field-not-string").with("field", format!("{path}{key}")),
            ),
        }
        String::new()
    }

    /// A text field that must be an absolute `http(s)` URL.
    pub(super) fn require_url(&mut self, object: &Object, path: &str, key: &str) -> String {
        let url = self.require_text(object, path, key);
        if !url.is_empty() && !is_web_url(&url) {
            self.add(
                "invalid-url",
                Note::new("field-not-url").with("field", format!("{path}{key}")).with("url", &url),
            );
        }
        url
    }

    /// A list field that must be there.
    pub(super) fn require_list<'a>(
        &mut self,
        object: &'a Object,
        path: &str,
        key: &str,
    ) -> &'a [Value] {
        match object.get(key) {
            None | Some(Value::Null) => self.missing(path, key),
            Some(Value::Array(items)) => return items,
            Some(_) => self.add(
                "wrong-type",
                Note::new("field-not-list").with("field", format!("{path}{key}")),
            ),
        }
        &[]
    }

    /// A list field that must be there and have an item.
    pub(super) fn require_items<'a>(
        &mut self,
        object: &'a Object,
        path: &str,
        key: &str,
    ) -> &'a [Value] {
        let items = self.require_list(object, path, key);
        if items.is_empty() && object.get(key).is_some_and(Value::is_array) {
            self.add("empty-list", Note::new("field-empty").with("field", format!("{path}{key}")));
        }
        items
    }

    /// An object field that must be there.
    pub(super) fn require_object<'a>(
        &mut self,
        object: &'a Object,
        path: &str,
        key: &str,
    ) -> Option<&'a Object> {
        match object.get(key) {
            None | Some(Value::Null) => self.missing(path, key),
            Some(Value::Object(inner)) => return Some(inner),
            Some(_) => self.add(
                "wrong-type",
                Note::new("field-not-object").with("field", format!("{path}{key}")),
            ),
        }
        None
    }

    /// The objects of a list; other items are problems.
    pub(super) fn objects<'a>(
        &mut self,
        items: &'a [Value],
        path: &str,
    ) -> Vec<(String, &'a Object)> {
        let mut objects = Vec::new();
        for (index, item) in items.iter().take(super::MAX_PARTS).enumerate() {
            match item.as_object() {
                Some(object) => objects.push((format!("{path}[{index}]."), object)),
                None => self.add(
                    "wrong-type",
                    Note::new("field-not-object").with("field", format!("{path}[{index}]")),
                ),
            }
        }
        objects
    }

    fn missing(&mut self, path: &str, key: &str) {
        self.add("missing-field", Note::new("field-missing").with("field", format!("{path}{key}")));
    }
}
