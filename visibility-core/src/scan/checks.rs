//! The 21 checks, in the order of reports.

mod ai_crawler_rules;
mod bot_wall;
mod honest_404;
mod https_and_redirects;
mod index_directives;
mod llms_txt;
mod robots_txt;
mod usage_policy;

use crate::scan::check::Check;

/// All checks, in the order of the rubric.
pub const CHECKS: [&Check; 8] = [
    &https_and_redirects::CHECK,
    &bot_wall::CHECK,
    &honest_404::CHECK,
    &robots_txt::CHECK,
    &ai_crawler_rules::CHECK,
    &usage_policy::CHECK,
    &index_directives::CHECK,
    &llms_txt::CHECK,
];

/// A check by its id.
pub fn find(id: &str) -> Option<&'static Check> {
    CHECKS.iter().copied().find(|check| check.id == id)
}
