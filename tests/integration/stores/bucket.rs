//! Objects in a bucket, at a real store: `tests/s3` starts it.

use std::fs::{self, Permissions};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::thread;

use tempfile::TempDir;
use tokio::sync::watch;
use visibility_core::store::Ledger as _;
use visibility_server::ingest::delta::DeltaLogs;
use visibility_server::settings::Settings;
use visibility_server::stores::Stores;
use visibility_server::stores::identity::IdentityError;
use visibility_server::stores::location::StoreLocation;
use visibility_tests::bucket;
use visibility_tests::closed_port::ClosedPort;
use visibility_tests::contract::{
    arrival, check_object_files, check_objects, publication, row, tenant,
};
use visibility_tests::delta::DeltaTable;
use visibility_tests::wait::until_blocking;

use crate::server::program::{Place, Run};

/// The stores of a data directory, with the objects of another one.
fn open(data_dir: &TempDir, objects: &TempDir) -> Result<Stores, IdentityError> {
    let mut settings = Settings { data_dir: data_dir.path().to_owned(), ..Settings::default() };
    bucket::set_shared(&mut settings, objects.path());
    let location = StoreLocation::of(&settings).expect("a place");
    Stores::open_exclusive(location)
        .map_err(|error| IdentityError::of(&error).cloned().expect("they do not belong together"))
}

#[test]
#[ignore = "needs an S3-compatible store: tests/run s3"]
fn objects_in_a_bucket_keep_the_contract() {
    let folder = TempDir::new().expect("a folder");
    let stores = open(&folder, &folder).expect("it opens");
    check_objects(stores.objects());
    check_object_files(stores.objects());
}

#[tokio::test(flavor = "current_thread")]
#[ignore = "needs an S3-compatible store: tests/run s3"]
async fn a_bucket_works_on_a_thread_that_drives_tasks() {
    let folder = TempDir::new().expect("a folder");
    check_objects(open(&folder, &folder).expect("it opens").objects());
}

#[test]
#[ignore = "needs an S3-compatible store: tests/run s3"]
fn a_place_in_a_bucket_belongs_to_one_database() {
    let [first, second, third] = [(); 3].map(|()| TempDir::new().expect("a folder"));
    let stores = open(&first, &first).expect("it opens");
    let other = open(&second, &first).expect_err("it is that of the first");
    assert!(matches!(other, IdentityError::NoDatabase { .. }), "{other}");
    drop(open(&second, &second).expect("it has one of its own"));
    let other = open(&second, &first).expect_err("it is that of the first");
    assert!(matches!(other, IdentityError::OtherStore { .. }), "{other}");
    // Two prefixes of a bucket know nothing of each other.
    let mut writer = stores.objects().create("tenant=a/new/1.parquet").expect("it starts");
    writer.write_all(b"record").expect("it writes");
    writer.finish().expect("it finishes");
    assert_eq!(open(&third, &third).expect("it opens").objects().list_all().expect("it lists"), []);
}

#[test]
#[ignore = "needs an S3-compatible store: tests/run s3"]
fn a_delta_log_is_written_to_a_bucket() {
    const LOG: &str = "tenant=acme/_delta_log";
    let folder = TempDir::new().expect("a folder");
    let stores = Arc::new(open(&folder, &folder).expect("it opens"));
    let logs = |interval| DeltaLogs::new(Arc::clone(&stores), interval, watch::channel(false).1);
    let mark = |name: &str| stores.objects().mark(&format!("{LOG}/{name}")).expect("it reads");
    let table = || {
        DeltaTable::of_versions(|name| {
            mark(name).map(|text| String::from_utf8(text).expect("text"))
        })
    };
    stores.state_store().create_tenant(&tenant("acme"), arrival()).expect("it is created");
    let mut writer = logs(300);
    let mut number = 0;
    let mut publish = |batches| {
        for _ in 0..batches {
            number += 1;
            let batch = publication("acme", number, vec![row("a.example", 2)]);
            stores.state_store().publish(&batch).expect("it publishes");
        }
    };
    for _ in 0..51 {
        publish(1);
        writer.round(arrival());
    }
    let written = table().expect("a log");
    assert_eq!((written.version, written.files.len()), (50, 51));
    assert!(mark(&format!("{:020}.checkpoint.parquet", 50)).is_some());
    assert!(mark("_last_checkpoint").is_some());

    stores.objects().remove_mark(&format!("{LOG}/{:020}.json", 50)).expect("it is removed");
    publish(1);
    writer.round(arrival());
    let again = table().expect("a log");
    assert_eq!((again.version, again.files.len()), (0, 52));
    assert_ne!(again.id, written.id);
    assert_eq!(mark("_last_checkpoint"), None);

    logs(0).round(arrival());
    assert_eq!(stores.objects().list_all_below(LOG).expect("it lists"), []);
}

#[test]
#[ignore = "needs an S3-compatible store: tests/run s3"]
fn more_objects_than_a_page_are_listed() {
    let folder = TempDir::new().expect("a folder");
    let stores = open(&folder, &folder).expect("it opens");
    let names: Vec<String> =
        (0..1_050).map(|number| format!("tenant=a/new/{number:05}.parquet")).collect();
    for name in &names {
        stores.objects().create(name).expect("it starts").finish().expect("it finishes");
    }
    let mut pages = Vec::new();
    let mut found = Vec::new();
    stores
        .objects()
        .list(&mut |page| {
            pages.push(page.len());
            found.extend(page.into_iter().map(|object| object.name));
            Ok(())
        })
        .expect("it lists");
    assert!(pages.len() == 2 && pages.iter().all(|objects| *objects <= 1_000), "{pages:?}");
    assert_eq!(found, names);
}

/// Needs the store that lists what is unfinished, and answers without a signature.
#[test]
#[ignore = "needs an S3-compatible store: tests/run s3"]
fn an_upload_that_is_given_up_is_aborted() {
    let folder = TempDir::new().expect("a folder");
    let stores = open(&folder, &folder).expect("it opens");
    let name = "tenant=a/new/unfinished.parquet";
    let mut writer = stores.objects().create(name).expect("it starts");
    writer.write_all(&vec![7; 11 * 1024 * 1024]).expect("it writes");
    assert!(unfinished().contains(name), "{}", unfinished());
    drop(writer);
    until_blocking("the upload is aborted", || !unfinished().contains(name));
}

/// What the store says about uploads that are not finished.
fn unfinished() -> String {
    let address = bucket::endpoint().expect("a store");
    let host = address.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).expect("it answers");
    let request =
        format!("GET /visibility?uploads HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it listens");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    answer.replace("%3D", "=").replace("%2F", "/")
}

/// A command on a bucket, with credentials from elsewhere than its environment.
fn check(place: &Place, variables: &[(&str, &str)]) -> Run {
    let mut command = place.command(&["check"]);
    command.env_remove("AWS_ACCESS_KEY_ID").env_remove("AWS_SECRET_ACCESS_KEY");
    command.envs(variables.iter().copied()).output().expect("the binary runs").into()
}

#[test]
#[ignore = "needs an S3-compatible store: tests/run s3"]
fn credentials_come_from_files_and_from_the_endpoint_of_a_container() {
    let place = Place::new();
    place.json(&["tenants", "create", "acme"]);
    let [key, secret] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]
        .map(|name| std::env::var(name).expect("credentials"));
    let text = format!("[default]\naws_access_key_id = {key}\naws_secret_access_key = {secret}\n");
    let file = place.file("credentials", &text);
    let of_settings = ("VISIBILITY_OBJECTS__CREDENTIALS_FILE", file.as_str());
    fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("a mode");
    let refused = check(&place, &[of_settings]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("other users can read it"), "{}", refused.stderr);
    fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("a mode");
    let container = container(&key, &secret);
    let token = place.file("token", "a-token");
    for variables in [
        vec![of_settings],
        vec![("AWS_SHARED_CREDENTIALS_FILE", file.as_str())],
        vec![
            ("AWS_CONTAINER_CREDENTIALS_FULL_URI", container.as_str()),
            ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", token.as_str()),
        ],
    ] {
        let checked = check(&place, &variables);
        assert_eq!(checked.code, Some(0), "{variables:?}: {}", checked.stderr);
    }

    let wrong = [("AWS_ACCESS_KEY_ID", key.as_str()), ("AWS_SECRET_ACCESS_KEY", "a-wrong-secret")];
    let refused = check(&place, &wrong);
    assert_eq!(refused.code, Some(70), "{}", refused.stderr);
    assert!(refused.stderr.contains("s3://visibility/"), "{}", refused.stderr);
    let shown = place.run(&["config", "show"]);
    let said = [refused.stdout, refused.stderr, shown.stdout, shown.stderr].concat();
    assert!(!said.contains(&secret) && !said.contains("a-wrong-secret"), "{said}");
}

/// The address of what a container asks for credentials.
fn container(key: &str, secret: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address: SocketAddr = listener.local_addr().expect("an address");
    let body = serde_json::json!({
        "AccessKeyId": key,
        "SecretAccessKey": secret,
        "Token": "",
        "Expiration": chrono::Utc::now() + chrono::TimeDelta::hours(1),
    });
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut request = [0; 4096];
            let read = stream.read(&mut request).expect("a request");
            let request =
                String::from_utf8_lossy(request.get(..read).unwrap_or_default()).into_owned();
            assert!(request.to_lowercase().contains("authorization: a-token"), "{request}");
            let body = body.to_string();
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
            stream.write_all(answer.as_bytes()).expect("it is sent");
        }
    });
    format!("http://{address}/credentials")
}

#[test]
#[ignore = "needs an S3-compatible store: tests/run s3"]
fn a_store_that_is_away_is_named() {
    let place = Place::new();
    place.json(&["tenants", "create", "acme"]);
    let port = ClosedPort::bind();
    let away = format!("http://{}", port.address());
    let mut command = place.command(&["check"]);
    command.env("VISIBILITY_OBJECTS__ENDPOINT", &away);
    let run: Run = command.output().expect("the binary runs").into();
    assert_eq!(run.code, Some(70), "{}", run.stderr);
    for part in [&away, "Connection refused"] {
        assert_eq!(run.stderr.matches(part).count(), 1, "{part}: {}", run.stderr);
    }
}
