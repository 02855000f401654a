//! Page audits: one page in, a score from 0 to 100 with reasons and fixes out.
//!
//! ```text
//! PageUrl  ->  visit  ->  Fetch  ->  PageSnapshot      (or PageSnapshot::from_file)
//!          ->  AuditedPage: content, markup, profile, facts
//!          ->  signals, caps, score      ->  AuditReport  ->  AuditResult (one language)
//! ```
//!
//! Everything after the fetch is a pure function of the snapshot.

mod address;
// What a signal looks at, and so in the type of `Signal::evaluate`.
#[doc(hidden)]
pub mod availability;
pub mod cap;
// What a signal looks at, and so in the type of `Signal::evaluate`.
#[doc(hidden)]
pub mod facts;
mod gap;
pub mod id;
pub(crate) mod information;
// What a signal looks at, and so in the type of `Signal::evaluate`.
#[doc(hidden)]
pub mod markup;
// What a signal looks at, and so in the type of `Signal::evaluate`.
#[doc(hidden)]
pub mod money;
mod own_blocks;
// What a signal looks at, and so in the type of `Signal::evaluate`.
#[doc(hidden)]
pub mod page;
pub(crate) mod percentile;
pub mod profile;
pub(crate) mod proposals;
// What a signal looks at, and so in the type of `Signal::evaluate`.
#[doc(hidden)]
pub mod prose;
pub mod report;
pub mod request;
pub mod result;
pub mod score;
pub mod signal;
pub mod signals;
mod simulation;
pub mod snapshot;
pub mod status;
pub mod token_cost;
pub mod visit;

pub use self::address::is_tracking;
pub use self::report::AuditReport;
pub use self::visit::{VisitError, visit};

use self::snapshot::PageSnapshot;

/// Audits a page. Pure: the same snapshot gives the same report.
pub fn audit(snapshot: &PageSnapshot) -> AuditReport {
    AuditReport::evaluate(snapshot)
}
