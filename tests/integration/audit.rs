//! Audits of whole pages: what the rubric promises, page by page.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops where something is not as it should be"
)]

mod features;
mod fixes;
mod gates;
mod hidden_demands;
mod hostile;
mod judged;
mod kinds;
mod languages;
mod promises;
mod proposals;
mod reading;
mod statuses;
mod traps;
mod walk;
