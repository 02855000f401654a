//! What a tool returns: an object for programs, and a text for models.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use visibility_core::error::{ErrorCode, Problem};

use crate::refusal::Refusal;

/// Octets of JSON up to which it is the text as well: clients of old read nothing else.
const MAX_JSON_TEXT: usize = 2048;
/// Characters of a text. Whatever is longer ends with a mark, and the whole is a resource.
const MAX_TEXT_CHARS: usize = 20_000;

/// What a tool returns.
#[derive(Clone, Debug)]
pub(crate) struct Reply<T> {
    /// For programs.
    pub(crate) output: T,
    /// The same for models, as short Markdown.
    pub(crate) markdown: String,
    /// Where the whole of it is read.
    pub(crate) links: Vec<Link>,
}

/// The address of a resource.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) uri: String,
    pub(crate) name: String,
}

impl<T> Reply<T> {
    /// A reply without links.
    pub(crate) fn new(output: T, markdown: String) -> Self {
        Self { output, markdown, links: Vec::new() }
    }

    /// Adds the address of a resource.
    #[must_use]
    pub(crate) fn link(mut self, uri: String, name: String) -> Self {
        self.links.push(Link { uri, name });
        self
    }
}

impl<T: Serialize> Reply<T> {
    /// The reply as the result of a tool.
    ///
    /// # Errors
    ///
    /// When it cannot be written as JSON, which is our fault.
    pub(crate) fn result(self) -> Result<CallToolResult, Refusal> {
        let broken = |error: serde_json::Error| {
            tracing::error!(error = &error as &dyn std::error::Error, "a reply is no JSON");
            Refusal::from(Problem::new(ErrorCode::InternalError, "internal"))
        };
        let json = serde_json::to_string(&self.output).map_err(broken)?;
        let structured = serde_json::to_value(&self.output).map_err(broken)?;
        let text = if json.len() <= MAX_JSON_TEXT { json } else { cut(self.markdown) };
        let links = self.links.into_iter().map(|link| {
            ContentBlock::resource_link(rmcp::model::Resource::new(link.uri, link.name))
        });
        let mut result = CallToolResult::structured(structured);
        result.content = std::iter::once(ContentBlock::text(text)).chain(links).collect();
        Ok(result)
    }
}

/// A text that is not longer than it may be.
fn cut(text: String) -> String {
    match text.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => format!("{}\n… (truncated)", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
