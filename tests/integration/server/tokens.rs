//! `tokens`.

use serde_json::Value;
use visibility_core::accounts::token::{Token, TokenKind};

use crate::server::program::{Place, contents, days_left, with_tenant};
use crate::server::store::{send, with_batch};

#[test]
fn a_token_has_its_form_and_its_time() {
    let place = with_tenant();
    let made = place.json(&["tokens", "create", "acme"]);
    let members: Vec<&String> = made.as_object().unwrap().keys().collect();
    assert_eq!(members, ["expires_at", "id", "tenant", "token"]);
    let token: Token = made["token"].as_str().unwrap().parse().unwrap();
    assert_eq!(token.kind(), TokenKind::Ingestion);
    assert_eq!(days_left(&made["expires_at"]), 97);
}

#[test]
fn a_token_is_shown_once_and_never_kept() {
    let place = with_tenant();
    let made = place.json(&["tokens", "create", "acme"]);
    let token = made["token"].as_str().unwrap();
    let listed = place.run(&["tokens", "list", "--format", "json"]).stdout;
    assert!(!listed.contains(token));
    let hint = token.parse::<Token>().unwrap().digest().hint();
    assert!(listed.contains(&hint), "{listed}");
    let mut files = Vec::new();
    contents(&place.data(), &mut files);
    let secret = token.trim_start_matches("svc_pk_live_").as_bytes();
    let digest = token.parse::<Token>().unwrap().digest();
    let has = |needle: &[u8]| {
        files.iter().any(|file| file.windows(needle.len()).any(|window| window == needle))
    };
    assert!(has(digest.as_bytes()), "the digest is kept");
    assert!(!has(secret), "the token is not");
}

#[test]
fn for_people_the_token_alone_is_the_result() {
    let place = with_tenant();
    let run = place.run(&["tokens", "create", "acme"]);
    assert!(run.stdout.trim_end().parse::<Token>().is_ok(), "{}", run.stdout);
    assert!(run.stderr.contains("It is not shown again"), "{}", run.stderr);
    assert!(!run.stderr.contains(run.stdout.trim_end()));
}

#[test]
fn rotation_keeps_the_old_token_for_the_overlap() {
    let place = with_tenant();
    let old = place.json(&["tokens", "create", "acme"]);
    let new = place.json(&["tokens", "rotate", "acme"]);
    assert_ne!(old["token"], new["token"]);
    assert_eq!(new["replaces"]["id"], old["id"]);
    assert_eq!(days_left(&new["replaces"]["expires_at"]), 7);
    assert_eq!(days_left(&new["expires_at"]), 97);
    let listed = place.json(&["tokens", "list", "acme"]);
    let states: Vec<&Value> = listed.as_array().unwrap().iter().map(|t| &t["state"]).collect();
    assert_eq!(states, ["active", "active"]);
}

#[test]
fn overlap_and_lifetime_can_be_chosen() {
    let place = with_tenant();
    let old = place.json(&["tokens", "create", "acme", "--expires-in", "30"]);
    assert_eq!(days_left(&old["expires_at"]), 30);
    let new = place.json(&["tokens", "rotate", "acme", "--overlap", "14d", "--expires-in", "48h"]);
    assert_eq!(days_left(&new["replaces"]["expires_at"]), 14);
    assert_eq!(days_left(&new["expires_at"]), 2);
}

#[test]
fn a_third_token_is_refused_until_one_is_gone() {
    let place = with_tenant();
    let first = place.json(&["tokens", "create", "acme"]);
    place.json(&["tokens", "create", "acme"]);
    let id = first["id"].as_str().unwrap();
    for command in ["create", "rotate"] {
        let run = place.run(&["tokens", command, "acme"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert!(run.stderr.contains("already has 2 active tokens, which is the limit"));
        assert!(run.stderr.contains(&format!("tokens revoke {id}`")), "{}", run.stderr);
    }
    assert_eq!(place.json(&["tokens", "revoke", id])["state"], "revoked");
    place.json(&["tokens", "create", "acme"]);
    assert_eq!(place.json(&["tokens", "list"]).as_array().unwrap().len(), 3);
}

#[test]
fn an_expired_token_takes_no_place() {
    let place = with_tenant();
    let expired = place.json(&["tokens", "create", "acme", "--expires-in", "0s"]);
    for _ in 0..2 {
        place.json(&["tokens", "create", "acme"]);
    }
    let listed = place.json(&["tokens", "list", "acme"]);
    assert_eq!((&listed[0]["id"], &listed[0]["state"]), (&expired["id"], &"expired".into()));
    let nothing = place.run(&["tokens", "rotate", "acme", "--expires-in", "never"]);
    assert_eq!(nothing.code, Some(2));
}

#[test]
fn many_commands_at_once_make_two_tokens() {
    let place = with_tenant();
    let children: Vec<_> = (0..6)
        .map(|_| {
            place.command(&["tokens", "create", "acme"]).stdout(std::process::Stdio::null()).spawn()
        })
        .collect();
    let codes = children.into_iter().map(|child| child.unwrap().wait().unwrap().code());
    let made = codes.filter(|code| *code == Some(0)).count();
    assert_eq!(made, 2);
    assert_eq!(place.json(&["tokens", "list"]).as_array().unwrap().len(), 2);
}

#[test]
fn revoked_tokens_and_disabled_tenants_are_refused_at_once() {
    let place = Place::new();
    let service = with_batch(&place, &["/a"]);
    let token = place.json(&["tokens", "create", "acme"]);
    let text = token["token"].as_str().unwrap();
    let status = |answer: String| answer.get(9..12).map(str::to_owned);
    assert_eq!(status(send(&service, text, &["/b"])).as_deref(), Some("202"));
    place.json(&["tenants", "disable", "acme"]);
    assert_eq!(status(send(&service, text, &["/c"])).as_deref(), Some("401"));
    place.json(&["tenants", "enable", "acme"]);
    assert_eq!(status(send(&service, text, &["/d"])).as_deref(), Some("202"));
    place.json(&["tokens", "revoke", token["id"].as_str().unwrap()]);
    assert_eq!(status(send(&service, text, &["/e"])).as_deref(), Some("401"));
    assert_eq!(place.json(&["logs", "stats", "acme"])["records"], 3);
}
