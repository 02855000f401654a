//! Scans of fixture sites, without a network.

mod checks;
