//! The order of refusals: a request with two errors is answered for the one that is checked first.

use crate::ingest::server::{OTHER_TENANT, Server, TENANT};
use visibility_tests::client::Message;

const ID: &str = "6f1d2c3b-4a59-4687-9b0c-1d2e3f405162";
const TOO_LONG: &str = "53000000";

async fn code(server: &Server, message: Message) -> (u16, String) {
    let reply = message.send(server.address).await;
    (reply.status, reply.code())
}

fn is(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_checked_in_the_documented_order() {
    let server = Server::with(|settings| {
        settings.limits.burst = 8;
        settings.limits.batches_per_hour = 2;
    })
    .await;
    let good = server.post_one();
    let bad_token = |message: Message| message.with("authorization", "Bearer svc_pk_live_wrong");
    let bad_id = |message: Message| message.with("x-service-batch-id", "not-a-uuid");
    let bad_schema = |message: Message| message.with("x-service-schema", "2");
    let too_long = |message: Message| message.with("content-length", TOO_LONG).body("");

    // 404 and 405 before 401.
    let lost = Message { path: "/v1/log".to_owned(), ..bad_token(good.clone()) };
    assert_eq!(code(&server, lost).await, is(404, "NOT_FOUND"));
    let deleted = Message { method: "DELETE".to_owned(), ..bad_token(good.clone()) };
    assert_eq!(code(&server, deleted).await, is(405, "METHOD_NOT_ALLOWED"));

    // 401 before the form of the id. None of these counts for the burst.
    for _ in 0..20 {
        let refused = code(&server, bad_id(bad_token(good.clone()))).await;
        assert_eq!(refused, is(401, "UNAUTHORIZED"));
    }

    // The length before other headers; neither counts for the hour, as no body is read.
    let refused = code(&server, too_long(bad_schema(good.clone()))).await;
    assert_eq!(refused, is(413, "PAYLOAD_TOO_LARGE"));
    let refused = code(&server, bad_schema(good.clone()).body("no JSON")).await;
    assert_eq!(refused, is(400, "INVALID_REQUEST"));

    // Two batches use the hour up.
    let first = good.clone().with("x-service-batch-id", ID).send(server.address).await;
    assert_eq!(first.status, 202);
    let test = good.clone().with("x-service-mode", "test").send(server.address).await;
    assert_eq!(test.status, 202);

    // The form of the id before the hour, a known id before the hour, the hour before the length.
    assert_eq!(code(&server, bad_id(good.clone())).await, is(400, "INVALID_REQUEST"));
    let replay =
        too_long(good.clone().with("x-service-batch-id", ID).with("expect", "100-continue"));
    let replay = replay.send(server.address).await;
    assert_eq!((replay.status, replay.bytes), (202, first.bytes));
    assert_eq!(code(&server, too_long(good.clone())).await, is(429, "RATE_LIMITED"));

    // Seven requests with a valid token have come. The burst goes before the form of the id.
    assert_eq!(code(&server, bad_id(good.clone())).await, is(400, "INVALID_REQUEST"));
    assert_eq!(code(&server, bad_id(good.clone())).await, is(429, "RATE_LIMITED"));
    assert_eq!(code(&server, bad_token(good.clone())).await, is(401, "UNAUTHORIZED"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_invalid_token_gets_the_same_response() {
    let server = Server::start().await;
    let good = server.post_one();
    let bearer = |token: &str| format!("Bearer {token}");
    let tokens = &server.tokens;
    let expected = good.clone().without("authorization").send(server.address).await;
    assert_eq!(expected.status, 401);
    let mut refused = vec![
        good.clone().without("x-service-tenant"),
        good.clone().with("x-service-tenant", "no-such-tenant"),
        good.clone().with("x-service-tenant", OTHER_TENANT),
        good.clone().with("x-service-tenant", "ACME"),
        good.clone().and("x-service-tenant", TENANT),
        good.clone().and("authorization", &bearer(&tokens.valid)),
        good.clone().with("authorization", &tokens.valid),
        good.clone().with("authorization", &format!("Basic {}", tokens.valid)),
        good.clone().with("authorization", "Bearer "),
        good.clone()
            .with("authorization", &bearer(&tokens.disabled_tenant))
            .with("x-service-tenant", "disabled"),
    ];
    for token in [&tokens.expired, &tokens.revoked, &tokens.unknown, &tokens.other_tenant] {
        refused.push(good.clone().with("authorization", &bearer(token)));
    }
    for message in refused {
        let reply = message.send(server.address).await;
        assert_eq!(reply.status, 401, "{message:?}");
        assert_eq!(reply.bytes, expected.bytes, "{message:?}");
    }
    assert_eq!(server.kept(), 0);
    for token in [&tokens.valid, &tokens.second] {
        let reply = good.clone().with("authorization", &bearer(token)).send(server.address).await;
        assert_eq!(reply.status, 202);
    }
}
