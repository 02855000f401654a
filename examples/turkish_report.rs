//! Replays a recorded scan and prints its report in Turkish.
//!
//! `visibility scan example.com --record folder`, then
//! `cargo run -p visibility-examples --bin turkish-report -- folder`
