//! Errors of commands, with hints for the user.

pub(crate) mod target_error;

use std::io;
use std::path::PathBuf;

use serde_json::{Value, json};
use visibility_core::report::labels::Labels;
use visibility_core::text::locale::Lang;

use crate::error::target_error::{TargetError, TargetErrorKind};
use crate::exit_code::Exit;

/// A command that came to no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// The arguments cannot be used together, or one of them cannot be used at all.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// A file could not be read.
    #[error("cannot read `{}`", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file could not be written.
    #[error("cannot write `{}`", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// Standard input could not be read.
    #[error("cannot read standard input")]
    Stdin(#[source] io::Error),
    /// Standard output could not be written.
    #[error("cannot write to standard output")]
    Stdout(#[source] io::Error),
    /// Standard output was closed by its reader, as `head` does: nothing is wrong.
    #[error("standard output was closed")]
    Closed,
    /// A site could not be reached.
    #[error("{message}")]
    Unreachable {
        /// What happened.
        message: String,
    },
    /// The one thing that the command is about has no result.
    #[error("{}", .0.message)]
    Target(Box<TargetError>),
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// A fault of the program.
    #[error("{message}")]
    Internal {
        /// What went wrong.
        message: String,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl CommandError {
    /// Arguments that cannot be used.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: None }
    }

    /// Arguments that cannot be used, and what to do.
    pub(crate) fn usage_with(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: Some(hint.into()) }
    }

    /// The same with another hint, if there is one.
    pub(crate) fn with_hint(self, better: Option<String>) -> Self {
        match self {
            Self::Usage { message, hint } => Self::Usage { message, hint: better.or(hint) },
            other => other,
        }
    }

    /// A fault of the program.
    pub(crate) fn internal(
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Internal { message: message.into(), source: source.into() }
    }

    /// Trouble with a form of reports.
    pub(crate) fn unwritable(
        form: &str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::internal(format!("cannot write the {form} report"), source)
    }

    /// Trouble with standard output.
    pub(crate) fn stdout(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Stdout(error),
        }
    }

    /// The language that it is written in, for a reader of this one. What concerns the command line or the
    /// program itself is English, as the help and the messages about single arguments are.
    pub(crate) fn lang(&self, reader: Lang) -> Lang {
        match self {
            Self::Usage { .. } | Self::Internal { .. } => Lang::En,
            _ => reader,
        }
    }

    /// What happened, in the language of the reader.
    pub(crate) fn message(&self, labels: Labels) -> String {
        match self {
            Self::Read { path, .. } => labels.sentence("file-unread", &[("path", &path.display())]),
            Self::Write { path, .. } => {
                labels.sentence("file-unwritten", &[("path", &path.display())])
            }
            Self::Stdin(_) => labels.label("stdin-unread"),
            Self::Stdout(_) => labels.label("stdout-unwritten"),
            Self::Usage { .. }
            | Self::Target(_)
            | Self::Closed
            | Self::Unreachable { .. }
            | Self::Interrupted
            | Self::Internal { .. } => self.to_string(),
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Usage { hint, .. } => hint.clone(),
            Self::Target(command_error) => command_error.hint.clone(),
            Self::Internal { .. } => Some(Labels::new(Lang::En).label("please-report")),
            _ => None,
        }
    }

    /// The failure for machines, in the form of those of single domains and pages. `None` where there is
    /// nothing to report: the reader went away, or a user stopped the command.
    pub(crate) fn error_object(&self, labels: Labels) -> Option<Value> {
        let code = match self {
            Self::Closed | Self::Stdout(_) | Self::Interrupted => return None,
            Self::Target(command_error) => return Some(command_error.error_object()),
            Self::Usage { .. } => "USAGE",
            Self::Read { .. } | Self::Stdin(_) => "FILE_UNREADABLE",
            Self::Write { .. } => "FILE_UNWRITABLE",
            Self::Unreachable { .. } => "UPSTREAM_SCAN_FAILED",
            Self::Internal { .. } => "INTERNAL_ERROR",
        };
        let mut message = self.message(labels);
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            message.push_str(&format!(": {error}"));
            cause = error.source();
        }
        Some(json!({ "code": code, "message": message, "hint": self.hint(), "details": {} }))
    }

    /// How the process ends.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } | Self::Read { .. } | Self::Write { .. } | Self::Stdin(_) => {
                Exit::Usage
            }
            Self::Target(command_error) if command_error.kind == TargetErrorKind::Unreachable => {
                Exit::Unreachable
            }
            Self::Target(_) => Exit::Usage,
            Self::Unreachable { .. } => Exit::Unreachable,
            Self::Interrupted => Exit::Interrupted,
            Self::Closed => Exit::Ok,
            Self::Stdout(_) | Self::Internal { .. } => Exit::Internal,
        }
    }
}
