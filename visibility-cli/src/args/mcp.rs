//! The arguments of `visibility mcp`.

use clap::Args;

use super::NetworkArgs;

const AFTER_HELP: &str = "\
An MCP client starts this command and talks to it over pipes; there is no server and no account. \
Results are kept until it ends: scans for 24 hours, audits for ten minutes, at most 100 of each. \
Standard output has the messages of the protocol and nothing else. `visibility-server` serves the \
same tools over HTTP, and the traffic of bots beside them.

Exit codes:
  0    standard input ended
  2    usage: arguments or files that cannot be used
  70   internal fault
  130  interrupted

Examples:
  claude mcp add visibility -- visibility mcp
  visibility mcp --connect-to shop.example.com:443:127.0.0.1:8443 --ca-cert ca.pem";

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP, mut_arg("timeout", |argument| {
    argument.help("Time for one domain or one page, all its requests together")
}))]
pub(crate) struct McpArgs {
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
