//! The 21 checks, in the order of reports.

mod agent_auth;
mod agent_interfaces;
mod agentic_commerce;
mod ai_catalog;
mod ai_crawler_rules;
mod api_description;
mod bot_wall;
mod content_without_js;
mod honest_404;
mod https_and_redirects;
mod index_directives;
mod link_headers;
mod llms_txt;
mod markdown_negotiation;
mod mcp_server;
mod page_metadata;
mod response_budget;
mod robots_txt;
mod sitemap;
mod structured_data;
mod usage_policy;

pub(super) use self::response_budget::{GIVE_UP_TTFB_MS, MAX_TTFB_MS};
use crate::scan::check::Check;

/// All checks, in the order of the rubric.
pub const CHECKS: [&Check; 21] = [
    &https_and_redirects::CHECK,
    &bot_wall::CHECK,
    &honest_404::CHECK,
    &robots_txt::CHECK,
    &ai_crawler_rules::CHECK,
    &usage_policy::CHECK,
    &index_directives::CHECK,
    &content_without_js::CHECK,
    &response_budget::CHECK,
    &page_metadata::CHECK,
    &structured_data::CHECK,
    &markdown_negotiation::CHECK,
    &sitemap::CHECK,
    &llms_txt::CHECK,
    &link_headers::CHECK,
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
