//! `visibility-server health`.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::settings::Settings;

/// How long each step may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of the first line of an answer that are read at most.
const MAX_LINE: u64 = 1024;

/// Asks the server of these settings whether it can accept batches, or only whether it is alive.
pub(super) fn run(
    settings: &Settings,
    is_only_alive: bool,
    console: Console,
) -> Result<Exit, CommandError> {
    let address = reachable(settings.listen);
    let (path, wanted) = if is_only_alive { ("/healthz", "alive") } else { ("/readyz", "ready") };
    let (exit, text) = match status(address, path) {
        Ok(200) => (Exit::Ok, format!("The server at {address} is {wanted}.\n")),
        Ok(status) => {
            (Exit::CheckFailed, format!("The server at {address} is not {wanted}: {status}.\n"))
        }
        Err(error) => (Exit::CheckFailed, format!("No server answers at {address}: {error}.\n")),
    };
    console.print(&text)?;
    Ok(exit)
}

/// Where this machine reaches a listener: one of all addresses is reached at its own.
fn reachable(mut listen: SocketAddr) -> SocketAddr {
    match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => listen.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => listen.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    listen
}

/// The status of an answer.
fn status(address: SocketAddr, path: &str) -> io::Result<u16> {
    let mut connection = TcpStream::connect_timeout(&address, PATIENCE)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes())?;
    let mut line = String::new();
    BufReader::new(connection.take(MAX_LINE)).read_line(&mut line)?;
    let status = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
    status
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "what answers is no such server"))
}
