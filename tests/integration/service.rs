//! Tests of the service, of what it stores and of the fetcher: sockets on loopback and folders on a disk.

mod api;
mod crash;
mod durability;
mod fetch;
mod ingest;
mod live;
mod nodes;
mod server;
mod simulation;
mod stores;
mod traffic;
