//! The result of a tool: an object for programs and a text for models.

use crate::error::{ErrorCode, Problem};
use crate::fetch::domain::Domain;
use crate::report::labels::Labels;
use crate::text::locale::{Catalog, Lang, Values};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

use crate::mcp::tool_error::ToolError;

/// Bytes of JSON up to which it is the text as well: clients of old read nothing else.
const MAX_JSON_TEXT: usize = 2048;
/// Characters of the object. What does not fit is left out, the last rows first.
const MAX_JSON_CHARS: usize = 40_000;
/// Characters of a text. Whatever is longer ends with a mark, and the whole is a resource.
const MAX_TEXT_CHARS: usize = 20_000;

/// Writes an object as short Markdown.
type Writer<T> = Box<dyn FnOnce(&T) -> String + Send>;

/// What a tool returns.
pub(crate) struct Reply<T> {
    /// For programs.
    pub(crate) output: T,
    /// The same for models; written if the object is too long to be read.
    pub(crate) markdown: Writer<T>,
    /// Where the whole of it is read.
    pub(crate) links: Vec<ResourceLink>,
}

/// The address of a resource.
#[derive(Clone, Debug)]
pub(crate) struct ResourceLink {
    pub(crate) uri: String,
    pub(crate) name: String,
}

impl<T> Reply<T> {
    /// A reply without links.
    pub(crate) fn new(output: T, markdown: impl FnOnce(&T) -> String + Send + 'static) -> Self {
        Self { output, markdown: Box::new(markdown), links: Vec::new() }
    }

    /// Adds the address of a resource.
    #[must_use]
    pub(crate) fn link(mut self, uri: String, name: String) -> Self {
        self.links.push(ResourceLink { uri, name });
        self
    }

    /// Adds the address of the whole result of a scan.
    #[must_use]
    pub(crate) fn link_to_scan(self, domain: &Domain, labels: Labels) -> Self {
        let name = sentence(labels, "full-report", &[("domain", domain)]);
        self.link(format!("visibility://scan/{domain}"), name)
    }

    /// Adds the address of what there is to read about a check.
    #[must_use]
    pub(crate) fn link_to_check(self, check: &str, labels: Labels) -> Self {
        let name = sentence(labels, "check-page", &[("check", &check)]);
        self.link(format!("visibility://check/{check}"), name)
    }
}

impl<T: Serialize> Reply<T> {
    /// The reply as the result of a tool.
    ///
    /// # Errors
    ///
    /// When it cannot be written as JSON, which is our fault.
    pub(crate) fn result(self, lang: Lang) -> Result<CallToolResult, ToolError> {
        let broken = |error: serde_json::Error| {
            tracing::error!(error = &error as &dyn std::error::Error, "a reply is not JSON");
            ToolError::from(Problem::new(ErrorCode::InternalError, "internal"))
        };
        let json = serde_json::to_string(&self.output).map_err(broken)?;
        let mut structured = serde_json::to_value(&self.output).map_err(broken)?;
        shorten(&mut structured, json.chars().count());
        let is_short = json.len() <= MAX_JSON_TEXT;
        let text = if is_short { json } else { cut((self.markdown)(&self.output), lang) };
        let links = self.links.into_iter().map(|link| {
            ContentBlock::resource_link(rmcp::model::Resource::new(link.uri, link.name))
        });
        let mut result = CallToolResult::structured(structured);
        result.content = std::iter::once(ContentBlock::text(text)).chain(links).collect();
        Ok(result)
    }
}

/// Leaves rows of the longest list out until an object of so many characters is not longer than it may be.
fn shorten(object: &mut Value, mut chars: usize) {
    let length = |value: &Value| value.to_string().chars().count();
    let Some(members) = object.as_object_mut().filter(|_| chars > MAX_JSON_CHARS) else { return };
    let lists = members.values_mut().filter(|member| member.is_array());
    let longest = lists.max_by_key(|list| length(list)).and_then(Value::as_array_mut);
    if let Some(rows) = longest {
        while chars > MAX_JSON_CHARS
            && let Some(row) = rows.pop()
        {
            // A row follows a comma.
            chars = chars.saturating_sub(length(&row) + 1);
        }
    }
    members.insert("truncated".to_owned(), true.into());
}

/// A text that is not longer than it may be, with its mark if it was.
fn cut(text: String, lang: Lang) -> String {
    let mark = Catalog::for_lang(lang).text(&["mcp", "labels", "truncated"]);
    let longest = MAX_TEXT_CHARS - mark.chars().count() - 1;
    let Some((end, _)) = text.char_indices().nth(longest) else { return text };
    if text.chars().count() <= MAX_TEXT_CHARS {
        return text;
    }
    format!("{}\n{mark}", text.get(..end).unwrap_or_default())
}

/// The value of an enumeration on the wire.
pub(crate) fn wire(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(value)) => value,
        _ => String::new(),
    }
}

/// A label of the tools.
pub(crate) fn label(labels: Labels, id: &str) -> String {
    labels.catalog().text(&["mcp", "labels", id])
}

/// A sentence of the tools with its placeholders filled.
pub(crate) fn sentence(
    labels: Labels,
    id: &str,
    values: &[(&'static str, &dyn ToString)],
) -> String {
    let values: Values = values.iter().map(|(name, value)| (*name, value.to_string())).collect();
    labels.catalog().fill(&["mcp", "labels", id], &values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(output: &str, markdown: String) -> String {
        let result = Reply::new(vec![output.to_owned()], |_| markdown).result(Lang::En);
        let result = result.expect("a result");
        let text = result.content.first().and_then(|block| block.as_text());
        text.map(|text| text.text.clone()).unwrap_or_default()
    }

    #[test]
    fn a_short_answer_reads_as_json_and_a_long_one_as_markdown() {
        assert_eq!(text_of("a", "m".to_owned()), "[\"a\"]");
        assert_eq!(text_of(&"a".repeat(MAX_JSON_TEXT), "m".to_owned()), "m");
    }

    #[test]
    fn markdown_that_is_not_read_is_not_written() {
        let reply = Reply::new("short", |_| panic!("it is not read"));
        assert!(reply.result(Lang::En).is_ok());
    }

    #[test]
    fn an_object_that_is_too_long_loses_its_last_rows_and_says_so() {
        for (rows, is_cut) in [(300, false), (500, true), (100_000, true)] {
            let rows: Vec<String> = (0..rows).map(|row| format!("{row:098}")).collect();
            let object = serde_json::json!({ "few": ["a"], "rows": rows, "truncated": false });
            let reply = Reply::new(object, |_| String::new()).result(Lang::En);
            let object =
                reply.ok().and_then(|result| result.structured_content).expect("an object");
            assert!(object.to_string().len() <= MAX_JSON_CHARS, "{is_cut}");
            assert_eq!((&object["truncated"], &object["few"]), (&is_cut.into(), &["a"].into()));
            let left = object["rows"].as_array().expect("rows");
            assert!(left.len() >= 300.min(rows.len()), "{}", left.len());
            assert_eq!(left.first().and_then(Value::as_str), rows.first().map(String::as_str));
        }
    }

    #[test]
    fn a_text_has_20000_characters_at_most_and_says_when_it_was_cut() {
        let long = "a".repeat(MAX_JSON_TEXT);
        for (length, is_cut) in [(20_000, false), (20_001, true), (1_000_000, true)] {
            let text = text_of(&long, "ü".repeat(length));
            assert_eq!(text.chars().count(), 20_000);
            assert_eq!(text.ends_with("\n… (truncated)"), is_cut, "{length}");
        }
    }
}
