//! `visibility mcp`.

mod host;
mod kept;

use std::io::{self, IsTerminal};
use std::sync::Arc;

use visibility_core::mcp::{McpServer, stdio};

use self::host::LocalHost;
use crate::args::McpArgs;
use crate::commands::network::{self, Threads};
use crate::console::Console;
use crate::exit_code::Exit;
use crate::failure::CommandFailure;

/// Runs the command.
pub(crate) fn run(arguments: &McpArgs, console: &Console) -> Result<Exit, CommandFailure> {
    let host = LocalHost::new(network::client(&arguments.network)?);
    if io::stdin().is_terminal() {
        console.note(&console.words().label("mcp-terminal"));
    }
    network::block_on(Threads::Many, async {
        let server = McpServer::new(Arc::new(host));
        let served = stdio::serve(server, tokio::io::stdin(), tokio::io::stdout());
        Box::pin(served)
            .await
            .map_err(|error| CommandFailure::internal("the MCP server stopped", error))
    })?;
    Ok(Exit::Ok)
}
