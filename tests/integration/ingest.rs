//! `POST /v1/logs` over a real socket: the contract, the order of refusals, replays, and what strangers
//! can do to a connection.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod access_logs;
mod limits;
mod order;
mod replay;
mod server;
mod shutdown;
mod stats;
mod trouble;
mod turns;
mod vectors;
mod wire;
