//! What the tests share: fixture sites, real servers and proxies.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "helpers of tests: a broken fixture should stop the test"
)]

pub mod documents;
pub mod site;
