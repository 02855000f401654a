//! The 21 checks, in the order of reports.

mod agent_auth;
mod agent_interfaces;
mod agentic_commerce;
mod ai_catalog;
mod api_description;
mod llms_txt;
mod mcp_server;

use crate::scan::check::Check;

/// All checks, in the order of the rubric.
pub const CHECKS: [&Check; 7] = [
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
