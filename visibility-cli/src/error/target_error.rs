//! The outcome for one target: a result, or an error with a hint.

use std::fmt;

use serde_json::{Map, Value, json};
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::report::junit::FailedTarget;
use visibility_core::report::labels::Labels;

use crate::error::CommandError;

/// A target and its outcome.
#[derive(Debug)]
pub(crate) struct TargetOutcome<R> {
    /// What it is called by the one who asked: a domain, a URL, a file.
    pub(crate) subject: String,
    /// Its path, if it is a file.
    pub(crate) file: Option<String>,
    pub(crate) outcome: Result<R, TargetError>,
}

impl<R> TargetOutcome<R> {
    /// Work that broke off through a fault of ours.
    pub(crate) fn broken(subject: String, error: &impl fmt::Display) -> Self {
        let target_error =
            TargetError::new(TargetErrorKind::Internal, "INTERNAL_ERROR", error.to_string());
        Self { subject, file: None, outcome: Err(target_error) }
    }
}

/// Why there is no result.
#[derive(Debug)]
pub(crate) struct TargetError {
    pub(crate) kind: TargetErrorKind,
    code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    details: Map<String, Value>,
}

/// What an exit code makes of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum TargetErrorKind {
    /// What was named cannot be judged: no domain, no URL, a file that cannot be read.
    BadInput,
    /// The site could not be reached.
    Unreachable,
    /// A fault of ours, or a file that could not be written.
    Internal,
}

impl TargetError {
    /// A failure without a hint.
    pub(crate) fn new(
        kind: TargetErrorKind,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self { kind, code, message: message.into(), hint: None, details: Map::new() }
    }

    /// Says what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds more for programs.
    pub(crate) fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// A problem that the core knows.
    pub(crate) fn from_problem(problem: &Problem, labels: Labels) -> Self {
        let object = problem.object(labels.lang());
        let kind = match object.code {
            ErrorCode::InvalidDomain
            | ErrorCode::DomainNotAllowed
            | ErrorCode::InvalidUrl
            | ErrorCode::UrlNotAllowed => TargetErrorKind::BadInput,
            ErrorCode::UpstreamScanFailed => TargetErrorKind::Unreachable,
            _ => TargetErrorKind::Internal,
        };
        Self {
            kind,
            code: object.code.as_str(),
            message: object.message,
            hint: object.hint,
            details: object.details,
        }
    }

    /// The failure of a command that is about one thing.
    pub(crate) fn into_command_error(self) -> CommandError {
        CommandError::Target(Box::new(self))
    }

    /// A stable name of the failure.
    #[cfg(test)]
    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    /// More about it, for programs.
    #[cfg(test)]
    pub(crate) fn details(&self) -> &Map<String, Value> {
        &self.details
    }

    /// The failure as machines read it.
    pub(crate) fn error_object(&self) -> Value {
        json!({
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "details": self.details,
        })
    }

    /// The failure for a test panel.
    pub(crate) fn missing(&self, subject: &str) -> FailedTarget {
        FailedTarget {
            name: subject.to_owned(),
            code: self.code.to_owned(),
            message: self.message.clone(),
        }
    }
}
