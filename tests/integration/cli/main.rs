//! The command line, as its users start it: the real binary on recorded sites.

mod commands;
mod exit_codes;
mod failures;
mod lists;
mod output;
mod program;
mod robots;
