//! The service with the tools that the conformance suite of MCP calls, until standard input ends.
//!
//! `conformance-server` prints its address and an API key.

use std::error::Error;
use std::io::{Read, Write};

use tokio::net::TcpListener;
use visibility_server::embedded::Embedded;
use visibility_server::settings::Settings;
use visibility_tests::conformance::WithFixtures;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder =
        std::env::temp_dir().join(format!("visibility-conformance-{}", std::process::id()));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let base = format!("http://{}", listener.local_addr()?);
    let mut settings =
        Settings { base_url: Some(base.clone()), data_dir: folder.clone(), ..Settings::default() };
    settings.limits.mcp_per_minute = 0;
    let service = Embedded::with_mcp(settings, WithFixtures)?;
    let key = service.ensure_key(&"acme".parse()?, &"suite".parse()?)?;
    writeln!(std::io::stdout(), "{base} {}", key.reveal())?;
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    tokio::select! {
        () = service.serve(listener, service.router()) => {}
        ended = ended => { ended??; }
    }
    drop(service);
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
