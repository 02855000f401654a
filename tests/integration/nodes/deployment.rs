//! The files of `deploy/`: their settings start servers that work together, with the parts that they name.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use visibility_tests::clickhouse::{self, ClickHouseServer};
use visibility_tests::program::program;
use visibility_tests::wait::until_blocking;

use crate::server::program::{Place, Service, exchange, get};
use crate::server::store::send;

fn deploy(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy").join(file);
    fs::read_to_string(path).expect("a file of deploy/")
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).expect("YAML")
}

/// The variables of a service, with those of the image.
fn environment(service: &Value) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    let image = deploy("Dockerfile").replace("\\\n", " ");
    let of_image = image.lines().find_map(|line| line.strip_prefix("ENV ")).unwrap();
    for pair in of_image.split_whitespace() {
        let (name, value) = pair.split_once('=').unwrap();
        variables.insert(name.to_owned(), value.to_owned());
    }
    for (name, value) in service["environment"].as_object().unwrap() {
        let value = value.as_str().unwrap();
        let value = value.replace("${VISIBILITY_DOMAIN:?the domain of the service}", "localhost");
        variables.insert(name.clone(), value);
    }
    variables
}

/// The parts of the cluster in the test: their addresses, and what is secret.
struct Parts<'a> {
    folder: &'a Path,
    database: String,
    store: String,
    clickhouse: &'a ClickHouseServer,
}

impl Parts<'_> {
    /// Gives a variable of a node the value that it has with these parts.
    fn put(&self, node: &str, name: &str, value: &str) -> String {
        match name {
            "VISIBILITY_LISTEN" => "127.0.0.1:0".to_owned(),
            "VISIBILITY_DATA_DIR" => self.folder.join(node).display().to_string(),
            "VISIBILITY_DATABASE__URL" => {
                assert_eq!(value, "postgresql://visibility@postgres/visibility?sslmode=disable");
                self.database.clone()
            }
            "VISIBILITY_OBJECTS__ENDPOINT" => {
                assert_eq!(value, "http://s3:8014");
                self.store.clone()
            }
            "VISIBILITY_CLICKHOUSE__URL" => {
                assert_eq!(value, "http://clickhouse:8123");
                format!("http://{}", self.clickhouse.address())
            }
            _ => match value.strip_prefix("/run/secrets/") {
                Some(secret) => self.folder.join(secret).display().to_string(),
                None => value.to_owned(),
            },
        }
    }

    fn write_secrets(&self) {
        let key = std::env::var("AWS_ACCESS_KEY_ID").unwrap();
        let secret = std::env::var("AWS_SECRET_ACCESS_KEY").unwrap();
        let credentials =
            format!("[default]\naws_access_key_id = {key}\naws_secret_access_key = {secret}\n");
        for (name, text) in [
            ("database-password", "not asked for"),
            ("clickhouse-password", clickhouse::PASSWORD),
            ("s3-credentials", &credentials),
        ] {
            let path = self.folder.join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(path, Permissions::from_mode(0o400)).unwrap();
        }
    }
}

fn command(variables: &BTreeMap<String, String>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program("visibility-server"));
    command.args(arguments).env_clear().envs(variables);
    command
}

fn json(variables: &BTreeMap<String, String>, arguments: &[&str]) -> Value {
    let output = command(variables, arguments).args(["--format", "json"]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.stdout.is_empty(), "{arguments:?}: {error}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
#[ignore = "needs PostgreSQL, an S3-compatible store and ClickHouse: tests/run deploy"]
fn the_cluster_works_with_the_parts_that_it_names() {
    let cluster = yaml(&deploy("cluster.compose.yaml"));
    let services = cluster["services"].as_object().unwrap();
    let parts: Vec<&str> = services.keys().map(String::as_str).collect();
    let expected = ["balancer", "clickhouse", "node-1", "node-2", "postgres", "s3"];
    assert!(expected.iter().all(|part| parts.contains(part)) && parts.len() == 6, "{parts:?}");
    let folder = TempDir::new().unwrap();
    let clickhouse = ClickHouseServer::start("visibility");
    let parts = Parts {
        folder: folder.path(),
        database: visibility_tests::database::url(folder.path()).expect("a PostgreSQL server"),
        store: std::env::var("VISIBILITY_TEST_S3").expect("an S3-compatible store"),
        clickhouse: &clickhouse,
    };
    parts.write_secrets();
    let nodes = ["node-1", "node-2"].map(|node| {
        let variables = environment(&services[node]);
        let put = |(name, value): (&String, &String)| (name.clone(), parts.put(node, name, value));
        let variables: BTreeMap<String, String> = variables.iter().map(put).collect();
        let service = Service::start(command(&variables, &["serve"]));
        let mut asked = variables.clone();
        asked.insert("VISIBILITY_LISTEN".to_owned(), service.address());
        until_blocking("the node is ready", || {
            command(&asked, &["health"]).output().unwrap().status.success()
        });
        (variables, service)
    });
    let [(variables, first), (_, second)] = &nodes;
    json(variables, &["tenants", "create", "acme"]);
    let token = json(variables, &["tokens", "create", "acme"]);
    let token = token["token"].as_str().unwrap();
    for (service, paths) in [(first, ["/a", "/b"]), (second, ["/c", "/d"])] {
        let answer = send(service, token, &paths);
        assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
    }
    for service in [first, second] {
        let request = format!(
            "GET /v1/logs/stats HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\nX-Service-Tenant: acme\r\n\r\n"
        );
        let answer = exchange(&service.address(), &request);
        assert!(answer.contains("\"records\":4"), "{answer}");
    }
    until_blocking("ClickHouse has the records", || {
        !clickhouse.rows("SELECT name FROM system.tables WHERE database = 'visibility'").is_empty()
            && clickhouse.count() == 4
    });
    let check = json(variables, &["check"]);
    assert_eq!(check["ok"], true, "{check:#}");
}

#[test]
fn one_server_starts_with_the_settings_of_its_file() {
    let single = yaml(&deploy("compose.yaml"));
    let mut variables = environment(&single["services"]["visibility"]);
    let place = Place::new();
    variables.insert("VISIBILITY_DATA_DIR".to_owned(), place.data().display().to_string());
    variables.insert("VISIBILITY_LISTEN".to_owned(), "127.0.0.1:0".to_owned());
    let service = Service::start(command(&variables, &["serve"]));
    assert!(get(&service.address(), "/readyz").starts_with("HTTP/1.1 200"));
}

#[test]
fn nodes_have_the_time_to_finish_their_requests() {
    let shutdown = visibility_server::settings::Settings::default().timeouts.shutdown;
    let of_compose = |file: &str, node: &str| {
        let services = yaml(&deploy(file));
        let period = services["services"][node]["stop_grace_period"].as_str().unwrap().to_owned();
        period.trim_end_matches('s').parse::<u64>().unwrap()
    };
    assert!(of_compose("compose.yaml", "visibility") > shutdown);
    assert!(of_compose("cluster.compose.yaml", "node-1") > shutdown);
    assert!(of_compose("cluster.compose.yaml", "node-2") > shutdown);
    let pod = yaml(&deploy("kubernetes/deployment.yaml"))["spec"]["template"]["spec"].clone();
    let pause = pod["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"].as_u64().unwrap();
    let period = pod["terminationGracePeriodSeconds"].as_u64().unwrap();
    assert!(period > pause + shutdown);
}

#[test]
fn the_settings_for_kubernetes_are_settings() {
    let text = deploy("kubernetes/settings.yaml");
    let settings = yaml(text.split("\n---\n").next().unwrap());
    let settings = settings["data"]["server.toml"].as_str().unwrap();
    // With the lines that are there to be taken in.
    let all = settings.lines().map(|line| match line.strip_prefix("# ") {
        Some(line) if line.starts_with('[') || line.contains(" = ") => line,
        _ => line,
    });
    let all = all.collect::<Vec<_>>().join("\n");
    assert!(all.contains("\n[clickhouse]\n"));
    let place = Place::new();
    for text in [settings, &all] {
        let file = place.file("server.toml", text);
        let pod = yaml(&deploy("kubernetes/deployment.yaml"))["spec"]["template"]["spec"].clone();
        let arguments = pod["containers"][0]["args"].as_array().unwrap();
        assert_eq!(arguments[..2], ["serve", "--config"]);
        let run = place.run(&["config", "show", "--config", &file, "--listen", "0.0.0.0:8080"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
}
