//! Recordings of scans, and their replay without a network.
