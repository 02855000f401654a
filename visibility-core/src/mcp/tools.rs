//! The tools, one file for each.

mod audit_page;
mod audited;
mod compare_domains;
mod explain_check;
mod get_agent_access;
mod get_audit;
mod get_check;
mod get_fix;
mod list_checks;
mod query_bot_traffic;
mod scan_domain;

use crate::accounts::scope::Scope;
use crate::text::locale::Lang;
use rmcp::model::{CallToolResult, JsonObject, Tool as Listed};

use crate::mcp::host::Host;
use crate::mcp::tool::{Call, Tool, listed};
use crate::mcp::tool_error::ToolError;

/// All tools, in the order in which they are listed.
macro_rules! tools {
    ($($tool:ty),* $(,)?) => {
        /// The tools that a host offers.
        pub(crate) fn offered(has_traffic: bool) -> Vec<Listed> {
            let mut tools = Vec::new();
            $(if has_traffic || !<$tool as Tool>::NEEDS_TRAFFIC {
                tools.push(listed::<$tool>());
            })*
            tools
        }

        /// What the asker must be allowed to do for a tool; `None` for one that anybody may use, and
        /// for one that there is not.
        pub fn scope_of_tool(name: &str) -> Option<Scope> {
            match name {
                $(<$tool as Tool>::NAME => <$tool as Tool>::SCOPE,)*
                _ => None,
            }
        }

        /// The result of a tool; `None` if no tool has this name.
        pub(crate) async fn call<H: Host>(
            name: &str,
            arguments: JsonObject,
            call: Call<'_, H>,
        ) -> Option<CallToolResult> {
            match name {
                $(<$tool as Tool>::NAME if call.host.has_traffic() || !<$tool as Tool>::NEEDS_TRAFFIC => {
                    // Apart, so that one call does not carry the room of all tools on its stack.
                    Some(Box::pin(run::<$tool, H>(arguments, call)).await)
                })*
                _ => None,
            }
        }
    };
}

tools![
    scan_domain::ScanDomain,
    get_check::GetCheck,
    explain_check::ExplainCheck,
    list_checks::ListChecks,
    get_agent_access::GetAgentAccess,
    get_fix::GetFix,
    compare_domains::CompareDomains,
    audit_page::AuditPage,
    get_audit::GetAudit,
    query_bot_traffic::QueryBotTraffic,
];

/// Reads the arguments, does the work, and tells the result or what went wrong.
async fn run<T: Tool, H: Host>(arguments: JsonObject, call: Call<'_, H>) -> CallToolResult {
    let asked = lang_of(&arguments);
    // Some clients send `null` for what they leave out.
    let given = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    let input: T::Input = match serde_json::from_value(serde_json::Value::Object(given)) {
        Ok(input) => input,
        Err(error) => return ToolError::arguments(T::NAME, &error).result(asked),
    };
    let lang = T::lang(&input);
    let replied = T::call(call, input).await.and_then(|reply| reply.result(lang));
    replied.unwrap_or_else(|refusal| refusal.result(lang))
}

/// The language that arguments ask for, also if something else is wrong with them.
fn lang_of(arguments: &JsonObject) -> Lang {
    let named = arguments.get("lang").and_then(|lang| lang.as_str());
    named.and_then(|lang| lang.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
