//! The floor of an answer from memory: a bare axum handler that gives a body and does nothing else.
//!
//! `bare-api FILE` answers every `POST` with the file, prints its port, and ends with standard input.

use std::error::Error;
use std::io::{Read, Write};

use axum::Router;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: bare-api FILE")?;
    let body = Bytes::from(std::fs::read(file)?);
    let answer = post(async move || ([(CONTENT_TYPE, "application/json")], body.clone()));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?.port())?;
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    tokio::select! {
        served = axum::serve(listener, Router::new().fallback_service(answer)) => served?,
        ended = ended => { ended??; }
    }
    Ok(())
}
