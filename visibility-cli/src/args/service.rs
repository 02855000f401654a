//! The server that a command asks, and the arguments of `visibility history`.

use std::path::PathBuf;

use clap::Args;
use url::Url;

use super::ListFormat;

const AFTER_HELP: &str = "\
Asks a server for the last scan of each day that it keeps of a domain, and what changed from one to the next. The API key, which \
needs the scope `scan:read`, comes from the variable VISIBILITY_KEY or from a file, never from the command line, where others \
can read it.

Exit codes:
  0    answered
  2    usage error, or the server refused the question, as it does if it has no scan of the domain
  3    the server was not reached, or cannot answer now
  70   internal error
  130  interrupted

Examples:
  export VISIBILITY_KEY=service_live_...
  visibility history example.com --server https://visibility.example.com
  visibility history example.com --server http://127.0.0.1:8080 --api-key-file key --format json -o history.json";

/// The server that is asked.
#[derive(Args, Debug)]
pub(crate) struct ServiceArgs {
    /// Address of the server
    #[arg(long, value_name = "URL")]
    pub(crate) server: Url,
    /// File with the API key, instead of the variable `VISIBILITY_KEY`
    #[arg(long, value_name = "FILE")]
    pub(crate) api_key_file: Option<PathBuf>,
    /// Also trust the certificates of this PEM file
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_cert: Vec<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct HistoryArgs {
    /// Domain, such as `example.com`
    pub(crate) domain: String,
    #[command(flatten)]
    pub(crate) service: ServiceArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: ListFormat,
    /// Write to this file instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
}
