//! The commands that reports suggest: each is run as it is printed, by a shell.

use std::path::Path;
use std::process::{Command, Stdio};

use visibility_tests::closed_port::ClosedPort;
use visibility_tests::pages;
use visibility_tests::program::program;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::{Reply, Site, good_home};

use crate::cli::program::{Folder, Run, finish, mixed, run};

const HOST: &str = "shop.example.com";

/// The commands in what a run printed: those on lines of their own, and those in backticks.
fn commands(run: &Run) -> Vec<String> {
    let text = format!("{}\n{}", run.stdout, run.stderr);
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let ends = line.split("  ").next().unwrap_or_default();
        let quoted = line.split('`').skip(1).step_by(2);
        let behind = line.split("run: ").skip(1);
        let all = std::iter::once(ends).chain(quoted).chain(behind);
        found.extend(all.filter(|part| part.starts_with("visibility ")).map(str::to_owned));
    }
    found.sort();
    found.dedup();
    found
}

/// Runs a printed command in a shell, with names for what it leaves open.
fn run_printed(printed: &str, folder: &Folder, number: usize) -> Run {
    let binary = program("visibility");
    let directory = binary.parent().and_then(Path::to_str).expect("a folder");
    let filled = printed
        .replace(" DIR", &format!(" '{}'", folder.path(&format!("fixes-{number}"))))
        .replace("-o FILE", &format!("-o '{}'", folder.path(&format!("{number}.json"))))
        .replace(" FILE", &format!(" '{}'", folder.path("page.html")));
    let child = Command::new("sh")
        .args(["-c", &filled])
        .env_clear()
        .env("PATH", format!("{directory}:/usr/bin:/bin"))
        .current_dir(folder.all())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    finish(child)
}

/// A site without TLS, as it runs on the machine of who builds it.
fn local(host: &str) -> Site {
    let home = good_home(host).replace("<h1>", "<h1 id=\"top\">");
    Site::new(host).with(&format!("http://{host}/"), Reply::html(home))
}

fn hosts() -> Hosts {
    let shop = mixed().with("/jackets/aurora", Reply::html(pages::product()));
    let broken = Site::new("broken.example.com").otherwise(Reply::error(503));
    Hosts::new([shop, broken]).generating(local)
}

/// Calls that lead to reports of all kinds, with what they need to get there.
struct Calls {
    network: Vec<String>,
    folder: Folder,
    local: String,
    closed: String,
}

impl Calls {
    fn all(&self) -> Vec<Vec<String>> {
        const ALLOWED: [&str; 4] = ["--allow-network", "127.0.0.0/8", "--allow-network", "::1/128"];
        const PUBLISHED: &str = "https://shop.example.com/a?b=c&d=it's";
        let network: Vec<&str> = self.network.iter().map(String::as_str).collect();
        let (page, odd) = (self.folder.path("page.html"), self.folder.path("it's a page.html"));
        let recording = self.folder.path(HOST);
        let (local, closed) = (&self.local, &self.closed);
        let local_url = format!("http://{local}");
        let url = format!("https://{HOST}/jackets/aurora");
        let with = |call: &[&str], more: &[&str]| -> Vec<String> {
            call.iter().chain(more).map(|argument| (*argument).to_owned()).collect()
        };
        vec![
            with(&["scan", "--demo"], &[]),
            with(&["scan", "--demo", "--format", "prompt", "--lang", "tr"], &[]),
            with(&["scan", "--replay", &recording], &[]),
            with(&["scan", HOST], &network),
            with(&["scan", HOST, "--format", "prompt", "--no-agent-probes"], &network),
            with(&["scan", HOST, "--lang", "tr", "--only", "robots-txt,sitemap"], &network),
            with(&["scan", local], &ALLOWED),
            with(&["scan", local, "--format", "prompt"], &ALLOWED),
            with(&["scan", &local_url], &[]),
            with(&["scan", local, "--profile", "commerce"], &[]),
            with(&["scan", closed], &ALLOWED),
            with(&["scan", "broken.example.com"], &network),
            with(&["audit", "--demo"], &[]),
            with(&["audit", &page, "--url", PUBLISHED], &[]),
            with(&["audit", &odd], &[]),
            with(&["audit", &odd, "--url", PUBLISHED, "--format", "prompt"], &[]),
            with(&["audit", &url], &network),
            with(&["audit", &url, "--format", "prompt", "--lang", "tr"], &network),
        ]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_report_suggests_runs_as_it_is_printed() {
    let server = FixtureServer::start(hosts()).await;
    let folder = Folder::new();
    folder.record(&mixed());
    folder.file("page.html", pages::product());
    folder.file("it's a page.html", pages::shell());
    let ca = folder.file("ca.pem", server.authority().pem());
    let (https, http) = (server.https().port(), server.http().port());
    let rules = [(HOST, 443, https), (HOST, 80, http), ("broken.example.com", 443, https)];
    let rule = |(host, from, to): (&str, u16, u16)| format!("{host}:{from}:127.0.0.1:{to}");
    let connect = rules.into_iter().flat_map(|one| ["--connect-to".to_owned(), rule(one)]);
    let refusing = ClosedPort::bind();
    let calls = Calls {
        network: connect.chain(["--ca-cert".to_owned(), ca]).collect(),
        folder,
        local: format!("127.0.0.1:{http}"),
        closed: format!("localhost:{}", refusing.address().port()),
    };
    let mut count = 0;
    for call in calls.all() {
        let call: Vec<&str> = call.iter().map(String::as_str).collect();
        let report = run(&call);
        let suggested = commands(&report);
        let has_result = report.code == Some(0);
        assert!(!has_result || !suggested.is_empty(), "{call:?}: {}", report.stdout);
        for printed in suggested {
            count += 1;
            let run = run_printed(&printed, &calls.folder, count);
            assert_eq!(run.code, Some(0), "{call:?} suggests {printed}: {}", run.stderr);
        }
    }
    assert!(count >= 30, "only {count} commands");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_says_what_to_do_about_it_and_not_about_something_else() {
    let server = FixtureServer::start(hosts()).await;
    let folder = Folder::new();
    let ca = folder.file("ca.pem", server.authority().pem());
    let to = format!("broken.example.com:443:127.0.0.1:{}", server.https().port());
    let failing = run(&["scan", "broken.example.com", "--connect-to", &to, "--ca-cert", &ca]);
    assert_eq!(failing.code, Some(3), "{}", failing.stderr);
    assert!(!failing.stderr.contains("spelling"), "{}", failing.stderr);
    let closed = ClosedPort::bind();
    let name = format!("localhost:{}", closed.address().port());
    let run = run(&["scan", &name, "--allow-network", "127.0.0.0/8", "--allow-network", "::1/128"]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    // The port of the server may have these digits, too.
    let rest = run.stderr.replace(&name, "");
    assert!(rest != run.stderr && !rest.contains("443"), "{}", run.stderr);
}
