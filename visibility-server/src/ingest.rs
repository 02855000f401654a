//! Log ingestion: bodies are spooled, validated, written as columns, compacted and counted.

pub(crate) mod adopt;
pub mod batch;
pub(crate) mod batch_locks;
#[cfg(feature = "clickhouse")]
pub mod clickhouse;
pub mod columns;
pub mod compaction;
pub mod delta;
mod heartbeat;
pub mod live_files;
pub mod maintenance;
mod origin;
pub mod recount;
pub(crate) mod rounds;
pub mod scrub;
pub(crate) mod sound;
pub(crate) mod spool;
pub mod stats;
