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
use axum::extract::{Request, State};
use axum::http::header::COOKIE;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::get;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use visibility_server::embedded::{Embedded, Scope, SignedIn, TenantSlug};
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

/// The sign-in of the application. Who is signed in there needs no key of the service.
async fn sign_in(State(acme): State<TenantSlug>, mut request: Request, next: Next) -> Response {
    let cookies = request.headers().get(COOKIE).and_then(|cookies| cookies.to_str().ok());
    // An application looks the cookie up in its own sessions.
    if cookies == Some("session=ada") {
        request.extensions_mut().insert(SignedIn::new(acme, "ada", [Scope::ScanRead]));
    }
    next.run(request).await
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
    // A key cannot be read again: each start has a new one, and the one before works for another day.
    let acme: TenantSlug = "acme".parse()?;
    let key = service.ensure_key(&acme, &"example".parse()?)?;
    println!("{base_url} {}", key.reveal());

    let app = Router::new()
        .route("/", get(home))
        .with_state(Arc::new(Shop::default()))
        .nest("/visibility", service.router())
        .layer(from_fn_with_state(acme, sign_in));
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
    // Now the folder can be opened again.
    service.close().await?;
    Ok(())
}
