//! Scans of fixture sites, without a network.

mod checks;
mod observations;
mod plan;
mod profile;
