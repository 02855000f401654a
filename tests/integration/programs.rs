//! Tests of the command line, as its users start it.

mod cli;
