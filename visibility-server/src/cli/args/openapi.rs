//! The arguments of `openapi`.

use clap::Args;

/// Which description.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct OpenapiArgs {
    /// That of log ingestion instead
    #[arg(long)]
    pub(crate) ingestion: bool,
}
