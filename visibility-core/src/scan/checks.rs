//! The 21 checks, in the order of reports.

mod content_without_js;
mod link_headers;
mod llms_txt;
mod markdown_negotiation;
mod page_metadata;
mod response_budget;
mod sitemap;
mod structured_data;

use crate::scan::check::Check;

/// All checks, in the order of the rubric.
pub const CHECKS: [&Check; 8] = [
    &content_without_js::CHECK,
    &response_budget::CHECK,
    &page_metadata::CHECK,
    &structured_data::CHECK,
    &markdown_negotiation::CHECK,
    &sitemap::CHECK,
    &llms_txt::CHECK,
    &link_headers::CHECK,
];

/// A check by its id.
pub fn find(id: &str) -> Option<&'static Check> {
    CHECKS.iter().copied().find(|check| check.id == id)
}
