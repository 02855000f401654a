//! Why a tool gives no result, told so that a model can act on it.

use std::time::Duration;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::locale::Lang;

/// Member of `_meta` that holds the error object for programs.
const ERROR: &str = "visibility/error";

/// Why a tool gives no result. Boxed, as most results are no refusal.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal(Box<Refused>);

#[derive(Clone, Debug, PartialEq)]
struct Refused {
    problem: Problem,
    retry_after: Option<Duration>,
}

impl Refusal {
    /// Says when to ask again.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    /// What went wrong.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// An argument that cannot be used.
    pub(crate) fn argument(name: &str, reason: &str) -> Self {
        Problem::new(ErrorCode::InvalidRequest, "mcp-argument")
            .value("name", name)
            .value("reason", reason)
            .into()
    }

    /// The refusal as the result of a tool: `CODE: message. Hint.`
    pub(crate) fn result(&self, lang: Lang) -> CallToolResult {
        let object = self.0.problem.object(lang);
        let mut text = format!("{}: {}", object.code.as_str(), object.message);
        if let Some(hint) = &object.hint {
            text.push(' ');
            text.push_str(hint);
        }
        let mut error = serde_json::to_value(&object).unwrap_or_default();
        if let (Some(wait), Some(members)) = (self.0.retry_after, error.as_object_mut()) {
            let seconds = wait.as_secs().max(1);
            text.push_str(&format!(" retry_after_s: {seconds}."));
            members.insert("retry_after_s".to_owned(), seconds.into());
        }
        let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
        let mut meta = MetaObject::new();
        meta.insert(ERROR.to_owned(), error);
        result.meta = Some(meta);
        result
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self(Box::new(Refused { problem, retry_after: None }))
    }
}
