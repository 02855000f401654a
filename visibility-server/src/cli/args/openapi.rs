//! The arguments of `openapi`.

use clap::Args;

/// Which description.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct OpenapiArgs {
    /// Print the description of log ingestion instead
    #[arg(long)]
    pub(crate) ingestion: bool,
}
