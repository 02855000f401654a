//! The MCP server: tools, resources and prompts for AI agents.
//!
//! [`McpServer`] is a handler of `rmcp` that any transport can serve. What it needs done, a [`Host`](host::Host) does:
//! the service answers from its stores and within its limits, the command line scans by itself.
//!
//! ```text
//! server      the protocol: lists, calls, reads; one answer for each
//! tools/      one file for each tool: its arguments, what it returns, how that reads
//! untrusted   text of scanned sites, marked and made harmless
//! resources   what is read by address: results, checks, agents, documents
//! prompts     what a person picks: fix a site, report on bots, compare sites
//! completions what may be typed where
//! params      the errors where they cannot be read
//! host        what a program that serves this must be able to do
//! stdio       the transport of local programs: lines on pipes
//! ```

mod completions;
#[cfg(test)]
mod fixture;
pub mod host;
mod input;
mod params;
mod progress;
mod prompts;
mod reply;
mod resources;
mod schema;
mod server;
#[cfg(feature = "mcp-stdio")]
pub mod stdio;
mod tool;
mod tool_error;
mod tools;
pub mod traffic;
mod untrusted;

pub use self::resources::scope_of_resource;
pub use self::server::McpServer;
pub use self::tool_error::ToolError;
pub use self::tools::scope_of_tool;
