//! The arguments of `visibility mcp`.

use clap::Args;

use super::NetworkArgs;

const AFTER_HELP: &str = "\
An MCP client starts this command and talks to it over pipes; it needs no server and no account. \
Results are cached until it exits: scans for 24 hours, audits for ten minutes, at most 100 of each. \
Standard output carries only protocol messages. `visibility-server` serves the same tools over HTTP, \
and one more for bot traffic.

Exit codes:
  0    standard input ended
  2    usage error: bad argument or unreadable file
  70   internal error
  130  interrupted

Examples:
  claude mcp add visibility -- visibility mcp
  visibility mcp --connect-to shop.example.com:443:127.0.0.1:8443 --ca-cert ca.pem";

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP, mut_arg("timeout", |argument| {
    argument.help("Time limit for all requests of one domain or page")
}))]
pub(crate) struct McpArgs {
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
