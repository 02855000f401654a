//! Why a tool gives no result, in words that a model can act on.

use std::time::Duration;

use crate::error::{ErrorCode, Problem};
use crate::text::escape::printable;
use crate::text::locale::{Catalog, Lang, Values};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::Value;

use crate::mcp::untrusted::Untrusted;

/// Member of `_meta` that holds the error object for programs.
const ERROR: &str = "visibility/error";

/// Why a tool gives no result. Boxed, as most results are not errors.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError(Box<ToolErrorParts>);

#[derive(Clone, Debug, PartialEq)]
struct ToolErrorParts {
    problem: Problem,
    retry_after: Option<Duration>,
}

impl ToolError {
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

    /// Arguments that do not fit the schema of a tool.
    pub(crate) fn arguments(tool: &str, error: &serde_json::Error) -> Self {
        // It repeats what was sent, of whatever length.
        let reason = Untrusted::quote(&error.to_string());
        Problem::new(ErrorCode::InvalidRequest, "mcp-arguments")
            .value("tool", tool)
            .value("reason", reason.as_str())
            .into()
    }

    /// Seconds after which to ask again, if that helps.
    pub(crate) fn retry_after_s(&self) -> Option<u64> {
        self.0.retry_after.map(|wait| wait.as_secs().max(1))
    }

    /// The refusal as a text for models, `CODE: message. Hint.`, and as an object for programs.
    pub(crate) fn render(&self, lang: Lang) -> (String, Value) {
        let mut object = self.0.problem.object(lang);
        if let Some(seconds) = self.retry_after_s() {
            // The hint of the problem may name header fields, which the caller of a tool does not see.
            let values = Values::from([("seconds", seconds.to_string())]);
            object.hint = Some(Catalog::for_lang(lang).fill(&["mcp", "labels", "wait"], &values));
        }
        let mut text = format!("{}: {}", object.code.as_str(), sentence(&object.message));
        if let Some(hint) = &object.hint {
            text.push(' ');
            text.push_str(&sentence(hint));
        }
        let mut error = serde_json::to_value(&object).unwrap_or_default();
        if let (Some(seconds), Some(members)) = (self.retry_after_s(), error.as_object_mut()) {
            text.push_str(&format!(" retry_after_s: {seconds}."));
            members.insert("retry_after_s".to_owned(), seconds.into());
        }
        (text, error)
    }

    /// The refusal as the result of a tool.
    pub(crate) fn result(&self, lang: Lang) -> CallToolResult {
        let (text, error) = self.render(lang);
        let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
        let mut meta = MetaObject::new();
        meta.insert(ERROR.to_owned(), error);
        result.meta = Some(meta);
        result
    }
}

impl From<Problem> for ToolError {
    fn from(problem: Problem) -> Self {
        Self(Box::new(ToolErrorParts { problem, retry_after: None }))
    }
}

/// One line that ends like a sentence. It may repeat an argument or a site, so nothing hides in it.
fn sentence(text: &str) -> String {
    let text = printable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let is_ended = text.ends_with(['.', '!', '?']);
    if is_ended { text } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_a_code_and_sentences_with_one_blank_between() {
        let busy = ToolError::from(Problem::new(ErrorCode::RateLimited, "scans-busy"));
        let busy = busy.retry_after(Duration::from_millis(20));
        let result = busy.result(Lang::En);
        assert_eq!(result.is_error, Some(true));
        let text = result.content.first().and_then(|block| block.as_text()).map(|t| &t.text);
        assert_eq!(
            text.map(String::as_str),
            Some(
                "RATE_LIMITED: Too many scans are running. Wait 1 s, then call again. retry_after_s: 1."
            )
        );
        let error = result.meta.as_ref().and_then(|meta| meta.get(ERROR)).cloned();
        let error = error.unwrap_or_default();
        assert_eq!((&error["code"], &error["retry_after_s"]), (&"RATE_LIMITED".into(), &1.into()));
    }

    #[test]
    fn who_has_to_wait_reads_of_no_header_field() {
        for id in ["scans-busy", "rate-minute", "audits-day", "audits-running", "mcp-minute"] {
            let busy = ToolError::from(Problem::new(ErrorCode::RateLimited, id));
            assert!(busy.render(Lang::En).0.contains("Retry-After"), "{id}");
            for lang in Lang::ALL {
                let (text, error) = busy.clone().retry_after(Duration::from_secs(70)).render(lang);
                assert!(!text.contains("Retry-After") && text.contains("70 s"), "{text}");
                assert!(
                    error["hint"].as_str().is_some_and(|hint| hint.contains("70 s")),
                    "{error}"
                );
            }
        }
    }

    #[test]
    fn what_was_sent_is_repeated_without_what_hides_and_not_at_length() {
        let hostile = format!("a\u{202e}\n\u{1b}[31m{}", "x".repeat(100_000));
        let error: serde_json::Error = serde::de::Error::custom(hostile);
        for lang in Lang::ALL {
            let text = ToolError::arguments("scan_domain", &error).render(lang).0;
            assert!(text.chars().count() < 700, "{}", text.len());
            assert!(!text.contains(['\u{202e}', '\n', '\u{1b}']) && !text.contains("  "), "{text}");
            assert!(text.starts_with("INVALID_REQUEST: ") && text.ends_with('.'), "{text}");
        }
    }
}
