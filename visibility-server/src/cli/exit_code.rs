//! Exit codes.

use std::process::ExitCode;

/// The exit codes, all of them. `visibility-server --help` and `docs/server.md` list them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Exit {
    /// Everything was done.
    Ok,
    /// `check` found a difference, or `health` a server that is not ready.
    CheckFailed,
    /// The arguments or the settings cannot be used, or what is asked for is refused.
    Usage,
    /// A fault of the program, its database or its disk.
    Internal,
    /// Stopped before the requests that ran had ended.
    Interrupted,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::CheckFailed => 1,
            Self::Usage => 2,
            Self::Internal => 70,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}
