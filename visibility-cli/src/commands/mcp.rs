//! `visibility mcp`.

mod cache;
mod host;

use std::io::{self, IsTerminal};
use std::sync::Arc;

use visibility_core::mcp::{McpServer, stdio};

use self::host::LocalHost;
use crate::args::McpArgs;
use crate::console::Console;
use crate::error::CommandError;
use crate::exit_code::Exit;
use crate::run::network::{self, Threads};

/// Runs the command.
pub(crate) fn run(arguments: &McpArgs, console: &Console) -> Result<Exit, CommandError> {
    let host = LocalHost::new(network::client(&arguments.network)?);
    if io::stdin().is_terminal() {
        console.note(&console.labels().label("mcp-terminal"));
    }
    network::block_on(Threads::Many, async {
        let server = McpServer::new(Arc::new(host));
        let served = stdio::serve(server, tokio::io::stdin(), tokio::io::stdout());
        Box::pin(served)
            .await
            .map_err(|error| CommandError::internal("the MCP server stopped", error))
    })?;
    Ok(Exit::Ok)
}
