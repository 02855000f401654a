//! What is certain when a connection is lost, at each moment of a transaction.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Instant;

use visibility_core::store::StoreErrorKind;

use super::*;
use crate::stores::database::params;

/// The database under test, with a schema of its own and a table in it.
struct Place {
    server: SocketAddr,
    name: String,
}

impl Place {
    fn new() -> Self {
        let database = std::env::var("VISIBILITY_TEST_DATABASE").unwrap();
        let server = database.split(['@', '/']).nth(3).unwrap().parse().unwrap();
        let name = format!("t{}", uuid::Uuid::new_v4().simple());
        let place = Self { server, name };
        let admin = Postgres::open(&database.parse().unwrap(), 2).unwrap();
        let connection = admin.connect().unwrap();
        connection.run(&format!("CREATE SCHEMA {}", place.name)).unwrap();
        place
    }

    fn open_at(&self, address: SocketAddr) -> Postgres {
        let url = format!(
            "postgresql://visibility@{address}/postgres?options=-csearch_path%3D{}",
            self.name
        );
        Postgres::open(&url.parse().unwrap(), 4).unwrap()
    }

    fn open(&self) -> Postgres {
        self.open_at(self.server)
    }
}

/// Adds one to a number, and says how often it was run.
fn add_one(postgres: &Postgres, runs: &AtomicU32) -> Result<(), SqlError> {
    postgres.write(Transaction::DEFAULT, &mut |statements| {
        runs.fetch_add(1, Ordering::SeqCst);
        let added = statements.execute(
            "INSERT INTO audit_usage (day, event, count) VALUES (1, ?1, 1)
             ON CONFLICT (day, event) DO UPDATE SET count = audit_usage.count + 1",
            params!["test"],
        );
        if added.is_ok() { Ending::Commit } else { Ending::Rollback }
    })
}

fn number(postgres: &Postgres) -> i64 {
    let mut number = 0;
    postgres
        .read(&mut |statements| {
            let found = statements.query_one(
                "SELECT CAST(coalesce(sum(count), 0) AS BIGINT) FROM audit_usage",
                &[],
                |row| row.get(0),
            );
            number = found.unwrap();
            Ending::Commit
        })
        .unwrap();
    number
}

/// When a proxy cuts a connection.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// When it sees these bytes, which the server never gets.
    Before(&'static [u8]),
    /// When the server has answered them, which the client never hears.
    After(&'static [u8]),
}

/// A way to the server that is cut once.
fn proxy(server: SocketAddr, cut: Cut, is_armed: Arc<AtomicU32>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for client in listener.incoming() {
            let (client, server) = (client.unwrap(), TcpStream::connect(server).unwrap());
            let is_armed = Arc::clone(&is_armed);
            thread::spawn(move || forward(client, server, cut, &is_armed));
        }
    });
    address
}

fn forward(mut client: TcpStream, mut server: TcpStream, cut: Cut, is_armed: &AtomicU32) {
    let (mut from_server, mut to_client) =
        (server.try_clone().unwrap(), client.try_clone().unwrap());
    let back = thread::spawn(move || {
        let _ = std::io::copy(&mut from_server, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Both);
    });
    let mut buffer = [0; 16_384];
    while let Ok(bytes) = client.read(&mut buffer) {
        let Some(bytes) = buffer.get(..bytes).filter(|bytes| !bytes.is_empty()) else { break };
        let (Cut::Before(mark) | Cut::After(mark)) = cut;
        let is_marked = bytes.windows(mark.len()).any(|window| window == mark);
        let cuts = is_marked
            && is_armed
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1))
                .is_ok();
        if cuts {
            // Nothing goes back from now on.
            let _ = client.shutdown(Shutdown::Both);
            if matches!(cut, Cut::After(_)) {
                let _ = server.write_all(bytes);
                thread::sleep(Duration::from_millis(100));
            }
            break;
        }
        if server.write_all(bytes).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
    let _ = back.join();
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn a_commit_whose_answer_is_lost_is_in_doubt_and_is_not_run_again() {
    for (cut, took_effect) in [(Cut::After(b"COMMIT"), 1), (Cut::Before(b"COMMIT"), 0)] {
        let place = Place::new();
        let direct = place.open();
        let is_armed = Arc::new(AtomicU32::new(0));
        let through = place.open_at(proxy(place.server, cut, Arc::clone(&is_armed)));
        is_armed.store(1, Ordering::SeqCst);
        let runs = AtomicU32::new(0);
        let error = add_one(&through, &runs).unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::Unknown, "{cut:?}: {error}");
        assert_eq!(runs.load(Ordering::SeqCst), 1, "{cut:?}");
        // The server may still be at it.
        let start = Instant::now();
        while number(&direct) != took_effect || start.elapsed() < Duration::from_millis(300) {
            assert!(start.elapsed() < Duration::from_secs(30), "{cut:?}: {}", number(&direct));
        }
        add_one(&through, &runs).unwrap();
        assert_eq!(number(&direct), took_effect + 1, "the next one works again");
    }
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn a_connection_that_is_lost_before_the_commit_is_replaced() {
    for cut in [Cut::Before(b"test"), Cut::After(b"test"), Cut::Before(b"BEGIN")] {
        let place = Place::new();
        let is_armed = Arc::new(AtomicU32::new(0));
        let through = place.open_at(proxy(place.server, cut, Arc::clone(&is_armed)));
        is_armed.store(1, Ordering::SeqCst);
        let runs = AtomicU32::new(0);
        add_one(&through, &runs).unwrap();
        assert_eq!(number(&place.open()), 1, "{cut:?}");
    }
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn transactions_that_meet_are_as_if_one_came_after_the_other() {
    let place = Place::new();
    let nodes = [place.open(), place.open()];
    let runs = AtomicU32::new(0);
    thread::scope(|scope| {
        for adder in 0..6 {
            let (postgres, runs) = (&nodes[adder % 2], &runs);
            scope.spawn(move || {
                for _ in 0..20 {
                    let mut tries = 0;
                    while let Err(error) = add_one(postgres, runs) {
                        tries += 1;
                        assert!(tries < 10 && error.kind == StoreErrorKind::Unchanged, "{error}");
                    }
                }
            });
        }
    });
    assert_eq!(number(&nodes[0]), 120);
    assert!(runs.load(Ordering::SeqCst) >= 120);
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn a_transaction_with_a_failed_statement_is_not_committed() {
    let place = Place::new();
    let postgres = place.open();
    let error = postgres
        .write(Transaction::DEFAULT, &mut |statements| {
            statements
                .execute("INSERT INTO tenant (slug, created_at) VALUES ('a', 1)", &[])
                .unwrap();
            statements.execute("SELECT 1 / 0", &[]).unwrap_err();
            Ending::Commit
        })
        .unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Unchanged);
    let mut tenants = 0;
    postgres
        .read(&mut |statements| {
            tenants =
                statements.query_one("SELECT count(*) FROM tenant", &[], |row| row.get(0)).unwrap();
            Ending::Commit
        })
        .unwrap();
    assert_eq!(tenants, 0);
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn a_nul_in_a_text_is_replaced() {
    let postgres = Place::new().open();
    let mut found = String::new();
    postgres
        .write(Transaction::DEFAULT, &mut |statements| {
            let sql = "INSERT INTO tenant (slug, created_at) VALUES (?1, 1)";
            statements.execute(sql, params!["a\0b"]).unwrap();
            let sql = "SELECT slug FROM tenant WHERE slug = ?1";
            found = statements.query_one(sql, params!["a\0b"], |row| row.get(0)).unwrap();
            Ending::Commit
        })
        .unwrap();
    assert_eq!(found, "a\u{fffd}b");
}
