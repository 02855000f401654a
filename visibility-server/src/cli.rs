//! The operator's command line: arguments, commands, console, exit codes.

pub(crate) mod args;
pub(crate) mod commands;
pub(crate) mod console;
pub(crate) mod demo;
pub(crate) mod error;
pub(crate) mod exit_code;
pub(crate) mod program;
