//! The whole service inside a larger application, below a path of its own.
//!
//! `cargo run -p visibility-examples --bin embed-router -- app-data 127.0.0.1:8080`
//!
//! The first line says where the service is and has a new key for it, as `call-the-api` takes them. The
//! application ends with its standard input. For sites of one's own machine, add `--connect-to` and
//! `--ca-cert` as for `scan-domain`.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use visibility_server::embedded::Embedded;
use visibility_server::settings::Settings;

/// What the rest of the application has of its own.
#[derive(Debug, Default)]
struct Shop {
    visitors: AtomicU64,
}

async fn home(State(shop): State<Arc<Shop>>) -> String {
    let visitor = shop.visitors.fetch_add(1, Ordering::Relaxed) + 1;
    format!("You are visitor {visitor}. The API is at /visibility/api/v1\n")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: embed-router FOLDER ADDRESS [--connect-to A:B:C:D] [--ca-cert FILE]";
    let data_dir = arguments.next().ok_or(usage)?.into();
    let listener = TcpListener::bind(arguments.next().ok_or(usage)?).await?;
    let base_url = format!("http://{}/visibility", listener.local_addr()?);
    let mut settings =
        Settings { base_url: Some(base_url.clone()), data_dir, ..Settings::default() };
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or(usage)?;
        match flag.as_str() {
            "--connect-to" => settings.fetch.connect_to.push(value),
            "--ca-cert" => settings.fetch.ca_cert = Some(value.into()),
            _ => return Err(usage.into()),
        }
    }

    let service = Embedded::open(settings)?;
    // A key cannot be read again: each start makes one with a name of its own.
    let name = format!("example-{}", std::process::id());
    let key = service.make_key(&"acme".parse()?, &name.parse()?)?;
    println!("{base_url} {}", key.reveal());

    let app = Router::new()
        .route("/", get(home))
        .with_state(Arc::new(Shop::default()))
        .nest("/visibility", service.router());
    let ended = async {
        let mut rest = Vec::new();
        tokio::io::stdin().read_to_end(&mut rest).await
    };
    tokio::select! {
        () = service.serve(listener, app) => {}
        read = ended => {
            read?;
        }
    }
    Ok(())
}
