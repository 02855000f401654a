//! A clock that is wrong, and `clock accept`.

use chrono::{TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;

use crate::server::program::{Run, Service, get};
use crate::server::store::{Store, objects, orphan};

#[test]
fn by_a_clock_that_is_far_ahead_nothing_is_forgotten() {
    let store = Store::new();
    let service = store.serve();
    let ids = store.send_some(&service, 3);
    store.set_clock(TimeDelta::days(100));
    for _ in 0..3 {
        service.logged("the clock has jumped");
    }
    drop(service);
    // The clock may be ahead when the service starts, too.
    let service = store.serve();
    for _ in 0..3 {
        service.logged("the clock has jumped");
    }
    assert_eq!(store.records(), json!({"ledger": 3, "files": 3, "rollups": 3}));
    store.set_clock(TimeDelta::zero());
    service.logged("the clock is plausible again");
    for id in ids {
        assert_eq!(store.send(&service, id, "").status, 202, "it is known and not counted again");
    }
    store.send_some(&service, 1);
    assert_eq!(store.records(), json!({"ledger": 4, "files": 4, "rollups": 4}));
}

#[test]
fn while_the_clock_is_behind_new_batches_wait() {
    let store = Store::new();
    let service = store.serve();
    let known = store.send_some(&service, 1)[0];
    let answered = store.send(&service, known, "");
    for behind in [TimeDelta::hours(1), TimeDelta::days(1)] {
        store.set_clock(-behind);
        let refused = store.send(&service, Uuid::now_v7(), "");
        assert_eq!(refused.status, 503, "{refused:?}");
        assert!(refused.head.contains("retry-after: 60\r\n"), "{refused:?}");
        service.logged(
            "new batches are refused until it is set or you run `visibility-server clock accept`",
        );
        let ready = get(&service.address(), "/readyz");
        assert!(ready.starts_with("HTTP/1.1 503 ") && ready.contains(" seconds behind"), "{ready}");
        let replayed = store.send(&service, known, "");
        assert_eq!((replayed.status, &replayed.body), (202, &answered.body));
        let tested = store.send(&service, Uuid::now_v7(), "X-Service-Mode: test\r\n");
        assert_eq!(tested.status, 207, "the record is of the future: {tested:?}");
    }
    store.set_clock(TimeDelta::zero());
    store.send_some(&service, 1);
    drop(service);

    // After a start with such a clock it is the same, until the operator says that it is right.
    store.set_clock(-TimeDelta::hours(1));
    let service = store.serve();
    assert_eq!(store.send(&service, Uuid::now_v7(), "").status, 503);
    let accepted = store.operate(&["clock", "accept"]);
    assert!(accepted.contains("Confirmed the clock"), "{accepted}");
    let judged = store.send(&service, Uuid::now_v7(), "");
    assert_eq!(judged.body["rejected"], 1, "{judged:?}");
    assert_eq!(store.records(), json!({"ledger": 2, "files": 2, "rollups": 2}));
}

/// New batches get 503, known ones their answers, and the token is as good as before.
fn waits(store: &Store, service: &Service, known: Uuid) {
    let refused = store.send(service, Uuid::now_v7(), "");
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.head.contains("retry-after: 60\r\n"), "{refused:?}");
    assert_eq!(store.send(service, known, "").status, 202);
    let ready = get(&service.address(), "/readyz");
    assert!(ready.starts_with("HTTP/1.1 503 "), "{ready}");
    assert!(ready.contains("the clock is "), "{ready}");
}

#[test]
fn fresh_records_and_tokens_are_not_judged_by_a_clock_that_is_far_ahead() {
    let store = Store::new();
    let service = store.serve();
    let known = store.send_some(&service, 1)[0];
    store.set_clock(TimeDelta::days(100));
    waits(&store, &service, known);
    service.logged("the clock has jumped ahead; new batches are refused until");
    store.set_clock(TimeDelta::zero());
    store.send_some(&service, 1);
    drop(service);

    store.set_clock(TimeDelta::days(100));
    let service = store.serve();
    waits(&store, &service, known);
    // By a clock that is less far ahead, old records would still be too old.
    store.set_clock(TimeDelta::days(60));
    let old = Utc::now() - TimeDelta::days(40);
    let refused = store.send_record(&service, Uuid::now_v7(), "", old);
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.head.contains("retry-after: "), "{refused:?}");
    store.set_clock(TimeDelta::zero());
    assert_eq!(store.send_record(&service, Uuid::now_v7(), "", old).status, 202);
    assert!(get(&service.address(), "/readyz").starts_with("HTTP/1.1 200 "));
    assert_eq!(store.records(), json!({"ledger": 3, "files": 3, "rollups": 3}));
}

#[test]
fn a_clock_that_an_operator_confirms_judges_again() {
    let store = Store::new();
    let service = store.serve();
    store.set_clock(TimeDelta::days(91));
    assert_eq!(store.send(&service, Uuid::now_v7(), "").status, 503);
    store.operate(&["clock", "accept"]);
    let judged = store.send(&service, Uuid::now_v7(), "");
    assert_eq!((judged.status, &judged.body["rejected"]), (207, &json!(1)), "{judged:?}");
    assert!(get(&service.address(), "/readyz").starts_with("HTTP/1.1 200 "));
}

#[test]
fn batches_that_came_while_the_clock_was_ahead_do_not_stop_those_after_it_was_set_right() {
    let store = Store::new();
    let service = store.serve();
    store.send_some(&service, 1);
    store.set_clock(TimeDelta::days(2));
    service.logged("the clock has jumped");
    store.send_some(&service, 1);
    store.set_clock(TimeDelta::zero());
    store.send_some(&service, 1);
    drop(service);
    let service = store.serve();
    store.send_some(&service, 1);
    assert_eq!(store.records(), json!({"ledger": 4, "files": 4, "rollups": 4}));
}

#[test]
fn after_a_jump_of_the_clock_nothing_is_swept() {
    let store = Store::with_batches(1);
    orphan(&store, 1);
    store.set_clock(TimeDelta::days(100));
    let mut command = store.place.command(&["sweep", "--confirm"]);
    let run: Run = command.env("VISIBILITY_CLOCK_OFFSET", store.clock()).output().unwrap().into();
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("visibility-server clock accept"), "{}", run.stderr);
    assert_eq!(objects(&store.path("objects")).len(), 3);
    store.operate(&["clock", "accept"]);
    store.operate(&["sweep", "--confirm"]);
    assert_eq!(objects(&store.path("objects")).len(), 2);
}
