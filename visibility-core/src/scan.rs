//! The story of a scan: plan, fetch, judge, score, report.

pub mod access;
pub mod challenge;
pub mod check;
pub mod checks;
pub mod directives;
pub mod observation;
pub mod plan;
pub mod profile;
pub mod result;
pub mod score;
pub mod snapshot;
