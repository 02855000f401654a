//! Exit codes.

use std::process::ExitCode;

/// The exit codes, all of them. `visibility scan --help` and `docs/cli.md` list them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Exit {
    /// Everything was done, and every gate passed.
    Ok,
    /// A gate failed, or a comparison found a regression.
    GateFailed,
    /// The arguments, or a file that they name, cannot be used.
    Usage,
    /// The site could not be reached.
    Unreachable,
    /// A gate was asked for, but too little could be seen to judge.
    LowConfidence,
    /// Some of several domains have no result, or some records of a batch are bad.
    SomeBad,
    /// A fault of the program.
    Internal,
    /// Stopped by Ctrl-C.
    Interrupted,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::GateFailed => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::LowConfidence => 4,
            Self::SomeBad => 5,
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
