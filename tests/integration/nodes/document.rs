//! `docs/scaling.md` leads from an embedded service with data to two servers, and back: its settings and commands in
//! their order, with the places of this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use uuid::Uuid;
use visibility_tests::database::{self, OwnServer};
use visibility_tests::logs::{Bad, LogPlan, log};
use visibility_tests::program::program;
use visibility_tests::wait::until_blocking;

use crate::server::program::{Run, Service, exchange, get};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/scaling.md");

/// The document, for a folder and a database.
struct Document {
    folder: TempDir,
    text: String,
}

impl Document {
    fn read(server: &OwnServer) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path().display().to_string();
        // The user of the document exists on the server of the test, and may do everything.
        let url = server.url().replace("visibility@", "app@").replace("/postgres", "/app");
        let replacements = [
            ("/var/lib/visibility-data", format!("{here}/data")),
            ("/var/lib/visibility-node", format!("{here}/node-1")),
            ("/var/lib/visibility-alone", format!("{here}/alone")),
            ("/etc/visibility/", format!("{here}/")),
            ("/mnt/objects", format!("{here}/objects")),
            ("postgresql://visibility@db.example.com/visibility", url.clone()),
            ("--dbname=visibility", format!("--dbname={url}")),
            ("USER visibility", "USER app".to_owned()),
            ("DATABASE visibility OWNER visibility", "DATABASE app OWNER app".to_owned()),
        ];
        let mut text = fs::read_to_string(DOCUMENT).expect("the document");
        for (from, to) in replacements {
            assert!(text.contains(from), "the document has no {from}");
            text = text.replace(from, &to);
        }
        Self { folder, text }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The blocks of a language in a section.
    fn blocks(&self, section: &str, language: &str) -> String {
        let (_, section) = self.text.split_once(&format!("\n## {section}\n")).expect(section);
        let section = section.split("\n## ").next().unwrap_or_default();
        let begin = format!("```{language}\n");
        let blocks = section.split(&begin).skip(1).filter_map(|rest| rest.split("```").next());
        blocks.collect()
    }

    /// Runs the commands of a section, and gives the service if one of them starts it.
    fn run(&self, section: &str) -> Option<Service> {
        let mut service = None;
        for line in self.blocks(section, "console").lines() {
            let line = line.strip_prefix("$ ").expect("a command");
            if line.contains(" serve ") {
                service = Some(self.serve(line));
                continue;
            }
            let run = Run::from(self.shell(line).output().expect("sh runs"));
            assert_eq!(run.code, Some(0), "{line}: {}{}", run.stdout, run.stderr);
        }
        service
    }

    fn serve(&self, line: &str) -> Service {
        let mut command = self.shell(&format!("exec {line}"));
        command.env("VISIBILITY_LISTEN", "127.0.0.1:0");
        // The test sends more than one who reads a document.
        command.env("VISIBILITY_LIMITS__BURST", "0");
        Service::start(command)
    }

    fn shell(&self, line: &str) -> Command {
        let programs = program("visibility-server");
        let programs = programs.parent().expect("a folder").display().to_string();
        let path = std::env::var("PATH").expect("a path");
        let mut command = Command::new("sh");
        command.args(["-c", line]).env_clear().current_dir(self.path());
        command.env("PATH", format!("{programs}:{path}"));
        command
    }

    fn json(&self, line: &str) -> serde_json::Value {
        Run::from(self.shell(&format!("{line} --format json")).output().expect("sh runs")).json()
    }
}

/// Sends a batch with the log of a moment; the body of the answer.
fn send(service: &Service, token: &str, id: Uuid, log: &[u8]) -> String {
    let log = str::from_utf8(log).expect("JSON");
    let answer = exchange(
        &service.address(),
        &format!(
            "POST /v1/logs HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\
             authorization: Bearer {token}\r\ncontent-type: application/x-ndjson\r\n\
             x-service-tenant: acme\r\nx-service-schema: 1\r\nx-service-batch-id: {id}\r\n\
             content-length: {}\r\n\r\n{log}",
            log.len(),
        ),
    );
    assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
    answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
}

fn stop(service: Service) {
    service.signal("-TERM");
    let run = service.wait();
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn the_document_leads_to_two_servers_and_back() {
    let server = OwnServer::start();
    let document = Document::read(&server);
    let here = document.path().display().to_string();
    let plan = LogPlan { records: 50, seed: 1, now: chrono::Utc::now(), bad: Bad::None };
    let (log, _) = log(&plan);

    let embedded = format!("--data-dir {here}/data");
    document.json(&format!("visibility-server tenants create acme {embedded}"));
    let token = document.json(&format!("visibility-server tokens create acme {embedded}"));
    let token = token["token"].as_str().expect("a token");
    let service = document.serve(&format!("visibility-server serve {embedded}"));
    let ids = [(); 4].map(|()| Uuid::now_v7());
    let mut answers = vec![send(&service, token, ids[0], &log)];
    stop(service);

    for statement in document.blocks("Move", "sql").split_terminator(";\n") {
        database::run(server.url(), statement);
    }
    let settings = document.blocks("Move", "toml");
    fs::write(document.path().join("cluster.toml"), &settings).expect("a file");
    let password = document.path().join("database-password");
    fs::write(&password, "a long random text\n").expect("a file");
    fs::set_permissions(&password, PermissionsExt::from_mode(0o600)).expect("a mode");
    let first = document.run("Move").expect("it starts the service");

    let other = settings.replace("/node-1", "/node-2");
    assert_ne!(other, settings);
    fs::write(document.path().join("other.toml"), other).expect("a file");
    let second = document.serve(&format!("visibility-server serve --config {here}/other.toml"));
    for service in [&first, &second] {
        until_blocking("it is ready", || {
            get(&service.address(), "/readyz").starts_with("HTTP/1.1 200")
        });
    }
    answers.push(send(&first, token, ids[1], &log));
    answers.push(send(&second, token, ids[2], &log));
    stop(first);
    answers.push(send(&second, token, ids[3], &log));
    let again = |service: &Service| ids.map(|id| send(service, token, id, &log)).to_vec();
    assert_eq!(again(&second), answers);
    document.run("Backup and repair");
    stop(second);

    let alone = document.run("Move back").expect("it starts the service");
    assert_eq!(again(&alone), answers);
    stop(alone);
    let report = document.json(&format!("visibility-server check --data-dir {here}/alone"));
    assert_eq!(report["ok"], true, "{report:#}");
    assert_eq!(report["tenants"]["acme"]["ledger"], 200, "{report:#}");
}
