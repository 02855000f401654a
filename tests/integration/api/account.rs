//! Pages for people: signing in, and the settings of their tenant and account.

mod errors;
mod hostile;
mod keys;
mod own;
mod routes;
mod sign_in;
mod tokens;

use std::process::Command;

use chrono::Utc;
use visibility_core::accounts::scope::Scope;

use crate::api::browser::{ADA, Browser, PASSWORD, Page, make_user, make_user_of};
use crate::api::server::Server;

/// A tenant beside that of the keys.
const OTHER: &str = "other";
/// A user of it, who may do everything there.
const EVE: &str = "eve";
/// A user of the usual tenant without the scope to manage.
const BOB: &str = "bob";

/// A server with users of two tenants.
async fn server() -> Server {
    let server = Server::start().await;
    server.stores.state_store().create_tenant(&OTHER.parse().unwrap(), Utc::now()).unwrap();
    make_user(&server, ADA, &Scope::ALL);
    make_user(&server, BOB, &Scope::FOR_PROGRAMS);
    make_user_of(&server, OTHER, EVE, &Scope::ALL);
    server
}

/// A browser in which a user is signed in.
async fn signed_in<'a>(server: &'a Server, name: &str) -> Browser<'a> {
    let mut browser = Browser::new(server);
    let page = browser.sign_in("/sign-in", name, PASSWORD).await;
    assert_eq!(page.status, 303, "{}", page.body);
    browser
}

/// What a new key or token is, and the command to try it.
fn secret(page: &Page) -> (String, String) {
    assert_eq!(page.status, 200, "{}", page.body);
    let [secret, command] = &page.texts("pre")[..] else { panic!("{}", page.body) };
    (secret.clone(), command.clone())
}

/// Runs a command as a person does who pastes it into a terminal.
async fn run(command: String) -> String {
    let output = tokio::task::spawn_blocking(move || {
        Command::new("sh").arg("-c").arg(command).env("no_proxy", "*").output().unwrap()
    });
    let output = output.await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
