//! Where in the source a property is.

use serde_json::Value;

use crate::audit::facts::main_entity::EntitySource;
use crate::audit::facts::main_entity::MainEntity;
use crate::audit::markup::Syntax;
use crate::audit::page::AuditedPage;
use crate::page::NodeId;
use crate::rubric::finding::Evidence;

/// Places of a name that are looked at.
const MAX_TRIES: usize = 200;
/// Bytes of a quote.
const MAX_QUOTE_BYTES: usize = 240;

/// A place in the source.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct MarkupLocation {
    /// The text there.
    pub(crate) quote: String,
    /// Line, counted from 1.
    pub(crate) line: usize,
    pub(crate) node: NodeId,
}

impl MarkupLocation {
    /// Where a property of an entity has this value; the start of its block if that cannot be determined.
    pub(crate) fn find(
        page: &AuditedPage<'_>,
        main: &MainEntity,
        key: &str,
        value: &Value,
    ) -> Self {
        let written = main.sources.iter().find_map(|source| Self::within(page, source, key, value));
        written.unwrap_or_else(|| {
            let source = main.sources.first();
            Self {
                quote: format!("\"{key}\": {value}"),
                line: source.map_or(1, |source| source.line),
                node: source.map(|source| source.node).unwrap_or_default(),
            }
        })
    }

    fn within(
        page: &AuditedPage<'_>,
        source: &EntitySource,
        key: &str,
        value: &Value,
    ) -> Option<Self> {
        if source.syntax != Syntax::JsonLd {
            return None;
        }
        let text = page.document.raw_text(source.node);
        let (start, end) = find(text, key, value)?;
        let newlines = text.get(..start)?.bytes().filter(|byte| *byte == b'\n').count();
        let end = text.floor_char_boundary(end.min(start + MAX_QUOTE_BYTES));
        let quote = text.get(start..end)?.to_owned();
        Some(Self { quote, line: source.line + newlines, node: source.node })
    }

    /// The place as evidence.
    pub(crate) fn evidence(&self, page: &AuditedPage<'_>) -> Evidence {
        page.evidence(&self.quote, self.line, self.node)
    }
}

/// Bytes of `"key": value`; for what is not text and no number, of the name alone.
fn find(text: &str, key: &str, value: &Value) -> Option<(usize, usize)> {
    let name = format!("\"{key}\"");
    let mut first = None;
    for (start, _) in text.match_indices(&name).take(MAX_TRIES) {
        let behind = start + name.len();
        let rest = text.get(behind..)?;
        let Some(written) = rest.trim_start().strip_prefix(':').map(str::trim_start) else {
            continue;
        };
        let at = text.len() - written.len();
        first = first.or(Some((start, behind)));
        let is_scalar = value.is_string() || value.is_number();
        if let Some(len) = is_scalar.then(|| scalar_len(written)).flatten()
            && written.get(..len).and_then(|own| serde_json::from_str::<Value>(own).ok()).as_ref()
                == Some(value)
        {
            return Some((start, at + len));
        }
    }
    first
}

/// Bytes of the string or number at the start of a text.
fn scalar_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'"') {
        return text.find(|ch: char| !matches!(ch, '0'..='9' | '.' | '-' | '+' | 'e' | 'E'));
    }
    let mut is_escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(1).take(4_096) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_property_is_found_by_its_name_and_value() {
        let text = "{\"price\": 1,\n \"name\":\"price\", \"x\": {\"price\" : \"34\\u0039\"}, \"list\": [1]}";
        for (key, value, expected) in [
            ("price", json!("349"), Some("\"price\" : \"34\\u0039\"")),
            ("price", json!(1), Some("\"price\": 1")),
            ("price", json!(7), Some("\"price\"")),
            ("list", json!([1]), Some("\"list\"")),
            ("none", json!(1), None),
        ] {
            let found = find(text, key, &value).and_then(|(start, end)| text.get(start..end));
            assert_eq!(found, expected, "{key}");
        }
    }
}
