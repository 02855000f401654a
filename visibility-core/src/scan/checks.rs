//! The 21 checks, in the order of reports.

mod agent_auth;
mod agent_interfaces;
mod agentic_commerce;
mod ai_catalog;
mod ai_crawler_rules;
mod api_description;
mod bot_wall;
mod honest_404;
mod https_and_redirects;
mod index_directives;
mod llms_txt;
mod mcp_server;
mod robots_txt;
mod usage_policy;

use crate::scan::check::Check;

/// All checks, in the order of the rubric.
pub const CHECKS: [&Check; 14] = [
    &https_and_redirects::CHECK,
    &bot_wall::CHECK,
    &honest_404::CHECK,
    &robots_txt::CHECK,
    &ai_crawler_rules::CHECK,
    &usage_policy::CHECK,
    &index_directives::CHECK,
    &llms_txt::CHECK,
    &ai_catalog::CHECK,
    &api_description::CHECK,
    &mcp_server::CHECK,
    &agent_auth::CHECK,
    &agent_interfaces::CHECK,
    &agentic_commerce::CHECK,
];

/// A check by its id.
pub fn find(id: &str) -> Option<&'static Check> {
    CHECKS.iter().copied().find(|check| check.id == id)
}
