//! Tests of codes and tokens with a controlled clock.

use std::sync::Barrier;
use std::thread;

use uuid::Uuid;
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_core::accounts::user::{User, UserId};

use super::super::oauth_clients::RegisteredClient;
use super::super::oauth_grants::{Consent, NewCode, NewGrant};
use super::super::testing::TestStore;
use super::*;
use crate::stores::password_hash::PasswordHash;

const CLIENT: &str = "client_1";
const REDIRECT: &str = "http://localhost:51234/callback";
const RESOURCE: &str = "https://visibility.example.com/api/mcp/v1/mcp";

/// A database with a tenant, a user, a client, and a grant with its code.
fn database() -> TestStore {
    filled(TestStore::new())
}

fn filled(state_store: TestStore) -> TestStore {
    state_store.create_tenant(&"acme".parse().unwrap(), at(0)).unwrap();
    let user = User {
        id: user(),
        tenant: "acme".parse().unwrap(),
        name: "ada".parse().unwrap(),
        scopes: BTreeSet::from(Scope::FOR_PROGRAMS),
        disabled_at: None,
    };
    state_store.create_user(&user, &PasswordHash::from_stored("a".to_owned()), at(0)).unwrap();
    let client = RegisteredClient {
        id: CLIENT.to_owned(),
        name: "Client".to_owned(),
        redirect_uris: vec![REDIRECT.to_owned()],
        created_at: at(0),
    };
    state_store.register_client(&client).unwrap();
    let stored = state_store.user(&user.id).unwrap().unwrap();
    assert!(state_store.create_session(&consent().session, &stored, at(0)).unwrap());
    begin_grant(&state_store, 1);
    state_store
}

fn user() -> UserId {
    Uuid::from_u128(7).into()
}

/// By what the user is known who is signed in.
fn consent() -> Consent {
    Consent { session: [9; 32].into(), credentials_changed_at: at(0) }
}

fn begin_grant(state_store: &StateStore, seed: u8) {
    assert!(begin_grant_by(state_store, seed, &consent()));
}

/// Whether there is a grant now.
fn begin_grant_by(state_store: &StateStore, seed: u8, consent: &Consent) -> bool {
    let grant = NewGrant {
        id: grant_id(seed),
        user: user(),
        client_id: CLIENT.to_owned(),
        client_name: "Client".to_owned(),
        scopes: BTreeSet::from([Scope::ScanRead, Scope::AuditRead]),
        resource: RESOURCE.to_owned(),
        created_at: at(0),
    };
    let code = NewCode {
        digest: digest(TokenKind::Code, seed),
        redirect_uri: REDIRECT.to_owned(),
        challenge: "challenge".to_owned(),
    };
    state_store.begin_grant(&grant, &code, consent).unwrap()
}

fn grant_id(seed: u8) -> GrantId {
    Uuid::from_u128(seed.into()).into()
}

/// So many seconds after the code was made.
fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::seconds(seconds)
}

fn minutes(count: i64) -> DateTime<Utc> {
    at(count * 60)
}

fn digest(kind: TokenKind, seed: u8) -> TokenDigest {
    Token::generate(kind, &[seed; RANDOM_BYTES]).digest()
}

fn tokens(seed: u8) -> NewTokens {
    let [access, refresh] = [TokenKind::Access, TokenKind::Refresh].map(|kind| digest(kind, seed));
    NewTokens { access, refresh }
}

fn redemption(seed: u8) -> Redemption<'static> {
    Redemption {
        code: digest(TokenKind::Code, 1),
        client_id: CLIENT,
        redirect_uri: Some(REDIRECT),
        resource: RESOURCE,
        tokens: tokens(seed),
    }
}

fn redeem_at(state_store: &StateStore, seed: u8, now: DateTime<Utc>) -> Issued {
    state_store.redeem_code(&redemption(seed), |challenge| challenge == "challenge", now).unwrap()
}

/// Uses the refresh token of one seed for tokens of another.
fn refresh_at(state_store: &StateStore, used: u8, made: u8, now: DateTime<Utc>) -> Issued {
    let rotation = Rotation {
        token: digest(TokenKind::Refresh, used),
        client_id: CLIENT,
        scopes: None,
        resource: RESOURCE,
        tokens: tokens(made),
    };
    state_store.rotate_refresh_token(&rotation, now).unwrap()
}

fn is_issued(issued: &Issued) -> bool {
    matches!(issued, Issued::Tokens { .. })
}

#[expect(clippy::needless_pass_by_value, reason = "it is made for this alone")]
fn why(issued: Issued) -> TokenIssueError {
    match issued {
        Issued::Refused(why) => why,
        Issued::Tokens { .. } => panic!("there are tokens"),
    }
}

fn works(state_store: &StateStore, seed: u8, now: DateTime<Utc>) -> bool {
    let token = state_store.access_token(&digest(TokenKind::Access, seed)).unwrap();
    token.is_some_and(|token| !token.is_revoked() && token.expires_at > now)
}

#[test]
fn a_code_becomes_tokens_of_what_was_granted() {
    let state_store = database();
    let scopes = BTreeSet::from([Scope::ScanRead, Scope::AuditRead]);
    let expected = Issued::Tokens { scopes: scopes.clone(), lifetime: ACCESS_LIFETIME };
    assert_eq!(redeem_at(&state_store, 2, at(59)), expected);
    let token = state_store.access_token(&tokens(2).access).unwrap().unwrap();
    assert_eq!((token.scopes.clone(), token.expires_at), (scopes, at(59) + ACCESS_LIFETIME));
    assert_eq!((token.grant.grant.user, token.grant.tenant.as_str()), (user(), "acme"));
    assert!(works(&state_store, 2, at(60)) && !works(&state_store, 2, at(59) + ACCESS_LIFETIME));
    assert!(state_store.access_token(&tokens(2).refresh).unwrap().is_none());
}

#[test]
fn a_code_that_is_used_twice_ends_its_grant() {
    let state_store = database();
    assert!(is_issued(&redeem_at(&state_store, 2, at(1))));
    assert_eq!(why(redeem_at(&state_store, 3, at(2))), TokenIssueError::Replayed(grant_id(1)));
    assert!(!works(&state_store, 2, at(2)) && !works(&state_store, 3, at(2)));
    assert_eq!(why(refresh_at(&state_store, 2, 4, at(3))), TokenIssueError::Ended);
    let state_store = database();
    assert!(is_issued(&redeem_at(&state_store, 2, at(1))));
    let late = why(redeem_at(&state_store, 3, minutes(50)));
    assert_eq!(late, TokenIssueError::Replayed(grant_id(1)), "however late");
}

#[test]
fn of_two_who_redeem_a_code_at_once_one_gets_tokens() {
    for _ in 0..8 {
        let state_store = database();
        let barrier = Barrier::new(4);
        let issued: Vec<Issued> = thread::scope(|scope| {
            let redeem = |seed| {
                let (state_store, barrier) = (&state_store, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    redeem_at(state_store, seed, at(1))
                })
            };
            let racing: Vec<_> = (2..6).map(redeem).collect();
            racing.into_iter().map(|racing| racing.join().unwrap()).collect()
        });
        assert_eq!(issued.iter().filter(|issued| is_issued(issued)).count(), 1, "{issued:?}");
        let replayed = Issued::Refused(TokenIssueError::Replayed(grant_id(1)));
        let count = issued.iter().filter(|issued| **issued == replayed).count();
        assert_eq!(count, 3, "{issued:?}");
    }
}

#[test]
fn a_code_is_for_one_client_one_address_one_verifier_and_a_minute() {
    let state_store = database();
    let refused = |redemption: &Redemption<'_>, is_met, now| {
        why(state_store.redeem_code(redemption, |_| is_met, now).unwrap())
    };
    let good = redemption(2);
    let unknown = Redemption { code: digest(TokenKind::Code, 9), ..good };
    assert_eq!(refused(&unknown, true, at(1)), TokenIssueError::Unknown);
    let other = Redemption { client_id: "client_2", ..good };
    assert_eq!(refused(&other, true, at(1)), TokenIssueError::OtherClient);
    for redirect_uri in ["http://localhost/callback", "http://localhost:51235/callback", ""] {
        let elsewhere = Redemption { redirect_uri: Some(redirect_uri), ..good };
        assert_eq!(refused(&elsewhere, true, at(1)), TokenIssueError::Redirect);
    }
    assert_eq!(refused(&good, false, at(1)), TokenIssueError::Verifier);
    let moved = Redemption { resource: "https://elsewhere.example/api/mcp/v1/mcp", ..good };
    assert_eq!(refused(&moved, true, at(1)), TokenIssueError::Resource);
    assert_eq!(refused(&good, true, at(60)), TokenIssueError::Expired);
    let without_address = Redemption { redirect_uri: None, ..good };
    assert!(is_issued(&state_store.redeem_code(&without_address, |_| true, at(59)).unwrap()));
}

#[test]
fn a_refresh_token_works_on_for_ten_minutes_beside_a_successor_that_is_used() {
    let state_store = database();
    redeem_at(&state_store, 2, at(0));
    assert!(is_issued(&refresh_at(&state_store, 2, 3, minutes(60))));
    assert!(is_issued(&refresh_at(&state_store, 3, 4, minutes(61))), "the successor is used");
    assert!(
        is_issued(&refresh_at(&state_store, 2, 5, at(70 * 60 - 1))),
        "a program that runs twice"
    );
    assert!(is_issued(&refresh_at(&state_store, 5, 6, minutes(70))), "its chain works on");
    let reuse = why(refresh_at(&state_store, 2, 7, minutes(70)));
    assert_eq!(reuse, TokenIssueError::Replayed(grant_id(1)));
    for seed in [3, 4, 5, 6] {
        assert!(!works(&state_store, seed, minutes(70)), "{seed}");
        assert_eq!(
            why(refresh_at(&state_store, seed, 8, minutes(71))),
            TokenIssueError::Ended,
            "{seed}"
        );
    }
}

#[test]
fn a_successor_that_is_never_used_leaves_half_an_hour() {
    let state_store = database();
    redeem_at(&state_store, 2, at(0));
    refresh_at(&state_store, 2, 3, minutes(60));
    assert!(is_issued(&refresh_at(&state_store, 2, 4, at(90 * 60 - 1))), "the answer was lost");
    let reuse = why(refresh_at(&state_store, 2, 5, minutes(90)));
    assert_eq!(reuse, TokenIssueError::Replayed(grant_id(1)));
}

#[test]
fn a_successor_that_is_used_late_ends_the_grace_then() {
    let state_store = database();
    redeem_at(&state_store, 2, at(0));
    refresh_at(&state_store, 2, 3, minutes(60));
    assert!(is_issued(&refresh_at(&state_store, 3, 4, minutes(80))));
    let reuse = why(refresh_at(&state_store, 2, 5, minutes(80)));
    assert_eq!(reuse, TokenIssueError::Replayed(grant_id(1)));
}

#[test]
fn a_refresh_token_works_for_thirty_days_and_a_grant_for_a_hundred_and_eighty() {
    let state_store = database();
    redeem_at(&state_store, 2, at(0));
    let day = |count| at(0) + TimeDelta::days(count);
    assert_eq!(why(refresh_at(&state_store, 2, 9, day(30))), TokenIssueError::Expired);
    let mut seed = 2;
    for count in (29..=174).step_by(29) {
        assert!(is_issued(&refresh_at(&state_store, seed, seed + 1, day(count))), "{count}");
        seed += 1;
    }
    let last = day(180) - TimeDelta::minutes(10);
    let Issued::Tokens { lifetime, .. } = refresh_at(&state_store, seed, seed + 1, last) else {
        panic!("the grant is not over")
    };
    assert_eq!(lifetime, TimeDelta::minutes(10), "the access token ends with the grant");
    assert_eq!(why(refresh_at(&state_store, seed + 1, 99, day(180))), TokenIssueError::Expired);
}

#[test]
fn a_refresh_token_is_for_its_client_and_for_no_more_than_was_granted() {
    let state_store = database();
    redeem_at(&state_store, 2, at(0));
    let good = Rotation {
        token: tokens(2).refresh,
        client_id: CLIENT,
        scopes: None,
        resource: RESOURCE,
        tokens: tokens(3),
    };
    let rotate =
        |rotation: &Rotation<'_>| state_store.rotate_refresh_token(rotation, at(1)).unwrap();
    let other = Rotation { client_id: "client_2", ..good };
    assert_eq!(why(rotate(&other)), TokenIssueError::OtherClient);
    let more = BTreeSet::from([Scope::ScanRead, Scope::LogsRead]);
    assert_eq!(why(rotate(&Rotation { scopes: Some(&more), ..good })), TokenIssueError::Scope);
    let moved = Rotation { resource: "https://elsewhere.example/api/mcp/v1/mcp", ..good };
    assert_eq!(why(rotate(&moved)), TokenIssueError::Resource);
    let less = BTreeSet::from([Scope::ScanRead]);
    let narrow = Rotation { scopes: Some(&less), ..good };
    let expected = Issued::Tokens { scopes: less.clone(), lifetime: ACCESS_LIFETIME };
    assert_eq!(rotate(&narrow), expected);
    let token = state_store.access_token(&tokens(3).access).unwrap().unwrap();
    assert_eq!(token.scopes, less);
    let Issued::Tokens { scopes, .. } = refresh_at(&state_store, 3, 4, at(2)) else { panic!() };
    assert_eq!(scopes.len(), 2, "the grant is not narrowed");
}

#[test]
fn a_disabled_user_and_a_new_password_end_what_was_granted() {
    let name = "ada".parse().unwrap();
    let disable = |state_store: &StateStore| drop(state_store.disable_user(&name, at(5)).unwrap());
    let password = PasswordHash::from_stored("b".to_owned());
    let change =
        |state_store: &StateStore| drop(state_store.set_password(&name, &password, at(5)).unwrap());
    let tenant = |state_store: &StateStore| {
        state_store.set_tenant_disabled(&"acme".parse().unwrap(), Some(at(5))).unwrap();
    };
    let ends: [&dyn Fn(&StateStore); 3] = [&disable, &change, &tenant];
    for (number, end) in ends.iter().enumerate() {
        let state_store = database();
        begin_grant(&state_store, 20);
        redeem_at(&state_store, 2, at(1));
        assert!(works(&state_store, 2, at(4)));
        end(&state_store);
        assert!(!works(&state_store, 2, at(5)), "{number}");
        assert_eq!(why(refresh_at(&state_store, 2, 3, at(6))), TokenIssueError::Ended, "{number}");
        let code = Redemption { code: digest(TokenKind::Code, 20), ..redemption(21) };
        let redeemed = state_store.redeem_code(&code, |_| true, at(6)).unwrap();
        assert_eq!(why(redeemed), TokenIssueError::Ended, "{number}");
    }
}

#[test]
fn nothing_is_granted_in_a_session_that_is_over() {
    let name = "ada".parse().unwrap();
    let password = PasswordHash::from_stored("b".to_owned());
    let sign_out = |state_store: &StateStore| state_store.end_session(&consent().session).unwrap();
    let disable = |state_store: &StateStore| drop(state_store.disable_user(&name, at(5)).unwrap());
    let enable = |state_store: &StateStore| {
        disable(state_store);
        state_store.enable_user(&name).unwrap();
    };
    let change =
        |state_store: &StateStore| drop(state_store.set_password(&name, &password, at(5)).unwrap());
    let tenant = |state_store: &StateStore| {
        state_store.set_tenant_disabled(&"acme".parse().unwrap(), Some(at(5))).unwrap();
    };
    let ends: [&dyn Fn(&StateStore); 5] = [&sign_out, &disable, &enable, &change, &tenant];
    for (number, end) in ends.iter().enumerate() {
        let state_store = database();
        end(&state_store);
        assert!(!begin_grant_by(&state_store, 20, &consent()), "{number}");
        let codes = "SELECT count(*) FROM oauth_code";
        let count = state_store.number(codes);
        assert_eq!(count, 1, "{number}");
    }
}

#[test]
fn a_password_that_was_changed_ends_a_consent_whose_session_is_still_there() {
    let state_store = database();
    let sql = "UPDATE person SET credentials_changed_at = credentials_changed_at + 1";
    state_store.execute(sql, &[]);
    assert!(!begin_grant_by(&state_store, 20, &consent()));
    let now = Consent { credentials_changed_at: at(0) + TimeDelta::microseconds(1), ..consent() };
    assert!(begin_grant_by(&state_store, 20, &now));
}

#[test]
fn a_client_gives_back_what_is_its_own() {
    let state_store = database();
    redeem_at(&state_store, 2, at(0));
    refresh_at(&state_store, 2, 3, at(1));
    let revoke = |digest: &TokenDigest, client: &str| {
        state_store.revoke_oauth_token(digest, client, at(2)).unwrap()
    };
    for digest in [tokens(2).access, tokens(3).refresh] {
        assert_eq!(revoke(&digest, "client_2"), None);
    }
    assert_eq!(revoke(&digest(TokenKind::Access, 99), CLIENT), None);
    assert!(works(&state_store, 2, at(2)) && works(&state_store, 3, at(2)));
    assert_eq!(revoke(&tokens(2).access, CLIENT), None);
    assert!(
        !works(&state_store, 2, at(2)) && works(&state_store, 3, at(2)),
        "an access token alone"
    );
    assert_eq!(revoke(&tokens(2).refresh, CLIENT), Some(grant_id(1)));
    assert!(!works(&state_store, 3, at(2)), "a refresh token with all of its grant");
    assert_eq!(why(refresh_at(&state_store, 3, 4, at(3))), TokenIssueError::Ended);
}

#[test]
fn no_number_of_rotations_makes_a_spent_refresh_token_forgotten() {
    let state_store = database();
    redeem_at(&state_store, 2, at(0));
    for seed in 3..=142 {
        // As fast as a thief may.
        let issued = refresh_at(&state_store, seed - 1, seed, at(i64::from(seed) * 29));
        assert!(is_issued(&issued), "{seed}");
    }
    assert!(works(&state_store, 142, minutes(69)));
    let reuse = why(refresh_at(&state_store, 2, 200, minutes(69)));
    assert_eq!(reuse, TokenIssueError::Replayed(grant_id(1)));
    assert!(!works(&state_store, 142, minutes(69)));
    assert_eq!(why(refresh_at(&state_store, 142, 201, minutes(69))), TokenIssueError::Ended);
}

#[test]
fn a_grant_refreshes_no_oftener_than_so() {
    let state_store = database();
    redeem_at(&state_store, 2, at(0));
    // The code has made the first.
    for seed in 3..=65 {
        assert!(
            is_issued(&refresh_at(&state_store, seed - 1, seed, at(i64::from(seed)))),
            "{seed}"
        );
    }
    let refused = why(refresh_at(&state_store, 65, 66, minutes(29)));
    assert_eq!(refused, TokenIssueError::TooOften(TimeDelta::minutes(1)));
    assert!(works(&state_store, 65, minutes(29)), "nothing is taken back");
    assert!(is_issued(&refresh_at(&state_store, 65, 66, minutes(30))));
    let refused = why(refresh_at(&state_store, 66, 67, minutes(30)));
    assert_eq!(refused, TokenIssueError::TooOften(TimeDelta::seconds(3)));
}

#[test]
fn a_grant_keeps_so_many_access_tokens_and_the_newest_stay() {
    let state_store = database();
    redeem_at(&state_store, 2, at(0));
    for seed in 3..=80 {
        let issued = refresh_at(&state_store, seed - 1, seed, minutes(i64::from(seed)));
        assert!(is_issued(&issued), "{seed}");
    }
    let sql = "SELECT count(*) FROM oauth_access_token";
    let count = state_store.number(sql);
    assert_eq!(count, MAX_ACCESS_TOKENS);
    assert!(works(&state_store, 80, minutes(80)));
}

#[test]
fn a_grant_that_has_made_too_many_refresh_tokens_ends() {
    let state_store = database();
    redeem_at(&state_store, 2, at(0));
    let sql =
        "INSERT INTO oauth_refresh_token (digest, grant_id, created_at, expires_at, replaced_at)
               SELECT ?1, grant_id, created_at, expires_at, created_at
               FROM oauth_refresh_token WHERE replaced_at IS NULL";
    for number in 2..MAX_REFRESH_TOKENS {
        state_store.execute(sql, params![number.to_be_bytes()]);
    }
    assert!(is_issued(&refresh_at(&state_store, 2, 3, minutes(60))), "one more is the last");
    let refused = why(refresh_at(&state_store, 3, 4, minutes(60)));
    assert_eq!(refused, TokenIssueError::TooMany(grant_id(1)));
    assert!(!works(&state_store, 3, minutes(60)));
    assert_eq!(why(refresh_at(&state_store, 3, 4, minutes(61))), TokenIssueError::Ended);
}

#[test]
fn what_is_over_is_removed_with_all_that_is_of_it() {
    let state_store = database();
    begin_grant(&state_store, 20);
    begin_grant(&state_store, 30);
    redeem_at(&state_store, 2, at(0));
    let code = Redemption { code: digest(TokenKind::Code, 30), ..redemption(31) };
    assert!(is_issued(&state_store.redeem_code(&code, |_| true, at(1)).unwrap()));
    state_store.revoke_grant(grant_id(30), at(2)).unwrap().unwrap();
    assert_eq!(state_store.remove_grants(at(0)).unwrap(), 0);
    assert_eq!(state_store.remove_grants(at(60)).unwrap(), 1, "the one that was revoked");
    assert_eq!(
        state_store.remove_grants(at(61)).unwrap(),
        1,
        "the one whose code was not redeemed"
    );
    assert!(works(&state_store, 2, at(61)));
    let count = |sql| state_store.number(sql);
    assert_eq!(count("SELECT count(*) FROM oauth_code"), 1);
    state_store.remove_grants(at(0) + ACCESS_LIFETIME + TimeDelta::seconds(1)).unwrap();
    assert_eq!(count("SELECT count(*) FROM oauth_access_token"), 0);
    assert_eq!(count("SELECT count(*) FROM oauth_refresh_token"), 1);
}

#[test]
fn only_digests_are_kept() {
    let state_store = filled(TestStore::in_files());
    redeem_at(&state_store, 2, at(0));
    let bytes = state_store.bytes();
    for kind in [TokenKind::Code, TokenKind::Access, TokenKind::Refresh] {
        let prefix = kind.prefix().as_bytes();
        assert!(!bytes.windows(prefix.len()).any(|window| window == prefix), "{kind:?}");
    }
}

#[test]
fn grants_are_listed_and_revoked_by_their_ids() {
    let state_store = database();
    redeem_at(&state_store, 2, at(0));
    let listed = state_store.grants(Some(&"acme".parse().unwrap()), at(1)).unwrap();
    assert_eq!(listed.len(), 1);
    let id = listed[0].grant.id;
    assert_eq!(id.to_string().parse(), Ok(id));
    assert!(state_store.grants(Some(&"globex".parse().unwrap()), at(1)).unwrap().is_empty());
    let revoked = state_store.revoke_grant(id, at(2)).unwrap().unwrap();
    assert_eq!(revoked.revoked_at, Some(at(2)));
    assert_eq!(state_store.revoke_grant(id, at(3)).unwrap().unwrap().revoked_at, Some(at(2)));
    assert!(!works(&state_store, 2, at(3)));
    assert!(state_store.revoke_grant(grant_id(99), at(3)).unwrap().is_none());
}
