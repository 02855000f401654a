//! `grants`.

use std::collections::BTreeSet;

use chrono::Utc;
use serde_json::json;
use uuid::Uuid;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_server::stores::Stores;
use visibility_server::stores::state::oauth_grants::{Consent, NewCode, NewGrant};
use visibility_tests::database;

use crate::server::program::{Place, with_tenant};

/// Lets a program do something in the name of a new user of a tenant; gives the id of the grant.
fn let_in(place: &Place, tenant: &str, user: &str, seed: u8) -> String {
    let made = place.run(&["users", "create", tenant, user]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let stores = Stores::open(database::location(&place.data())).unwrap();
    let state_store = stores.state_store();
    let users = state_store.users(Some(&tenant.parse().unwrap())).unwrap();
    let stored = users.into_iter().find(|stored| stored.user.name.as_str() == user).unwrap();
    let session = [seed; 32].into();
    assert!(state_store.create_session(&session, &stored, Utc::now()).unwrap());
    let grant = NewGrant {
        id: Uuid::now_v7().into(),
        user: stored.user.id,
        client_id: format!("client_{seed}"),
        client_name: format!("Program {seed}"),
        scopes: BTreeSet::from([Scope::ScanRead]),
        resource: "http://127.0.0.1:8080/api/mcp/v1/mcp".to_owned(),
        created_at: Utc::now(),
    };
    let code = NewCode {
        digest: Token::generate(TokenKind::Code, &[seed; RANDOM_BYTES]).digest(),
        redirect_uri: "http://localhost/callback".to_owned(),
        challenge: "challenge".to_owned(),
    };
    let consent = Consent { session, credentials_changed_at: stored.credentials_changed_at };
    assert!(state_store.begin_grant(&grant, &code, &consent).unwrap());
    grant.id.to_string()
}

#[test]
fn grants_are_listed_with_who_lets_what_do_what() {
    let place = with_tenant();
    assert!(place.run(&["grants", "list"]).stderr.contains("No program has access."));
    assert_eq!(place.json(&["grants", "list"]), json!([]));
    assert_eq!(place.run(&["tenants", "create", "other"]).code, Some(0));
    let first = let_in(&place, "acme", "ada", 1);
    let second = let_in(&place, "other", "eve", 2);
    let all = place.json(&["grants", "list"]);
    assert_eq!([&all[0]["id"], &all[1]["id"]], [&json!(first), &json!(second)]);
    let listed = place.json(&["grants", "list", "acme"]);
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let [user, program, client, state] =
        ["user", "program", "client_id", "state"].map(|name| listed[0][name].as_str().unwrap());
    assert_eq!((user, program, client, state), ("ada", "Program 1", "client_1", "active"));
    assert_eq!(
        (&listed[0]["tenant"], &listed[0]["scopes"]),
        (&json!("acme"), &json!(["scan:read"]))
    );
    let table = place.run(&["grants", "list"]).stdout;
    for text in ["ada", "eve", "Program 2", "scan:read", "active", first.as_str()] {
        assert!(table.contains(text), "{text}: {table}");
    }
    let unknown = place.run(&["grants", "list", "unknown"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
}

#[test]
fn a_grant_is_revoked_by_its_id_and_the_others_stay() {
    let place = with_tenant();
    let first = let_in(&place, "acme", "ada", 1);
    let second = let_in(&place, "acme", "bob", 2);
    let run = place.run(&["grants", "revoke", &first]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, "Revoked the access that user ada gave to Program 1.\n");
    let states = |id: &str| {
        let listed = place.json(&["grants", "list"]);
        let of = |grant: &&serde_json::Value| grant["id"] == id;
        listed.as_array().unwrap().iter().find(of).unwrap()["state"].clone()
    };
    assert_eq!((states(&first), states(&second)), (json!("ended"), json!("active")));
    let again = place.json(&["grants", "revoke", &first]);
    assert_eq!((&again["id"], &again["state"]), (&json!(first), &json!("ended")));
}

#[test]
fn a_grant_that_there_is_not_cannot_be_revoked() {
    let place = with_tenant();
    let unknown = place.run(&["grants", "revoke", &format!("grant_{:032x}", 7)]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("there is no grant"), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("grants list"), "{}", unknown.stderr);
    let wrong = place.run(&["grants", "revoke", "ada"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("32 hexadecimal digits"), "{}", wrong.stderr);
}
