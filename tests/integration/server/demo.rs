//! `serve --demo`: a service that needs nothing and leaves nothing.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::process::Command;

use url::form_urlencoded;
use visibility_tests::program::program;

use crate::server::program::{Place, Run, Service, exchange};

/// A demonstration in a temporary folder of its own.
struct Demo {
    place: Place,
    service: Service,
    /// Address and secret of the link.
    address: String,
    secret: String,
}

fn command(place: &Place, arguments: &[&str]) -> Command {
    let mut command = Command::new(program("visibility-server"));
    command.args(["serve", "--demo"]).args(arguments).env_clear().current_dir(place.path());
    command.env("TMPDIR", place.path());
    command
}

fn start_in(place: Place) -> Demo {
    let service = Service::start(command(&place, &["--listen", "127.0.0.1:0"]));
    assert!(service.ready.contains("Open this link"), "{}", service.ready);
    assert_eq!(service.line(), "\n");
    let link = service.line();
    let link = link.trim().strip_prefix("http://").unwrap();
    let (address, secret) = link.split_once("/demo?secret=").unwrap();
    let (address, secret) = (address.to_owned(), secret.to_owned());
    Demo { place, service, address, secret }
}

fn refused(arguments: &[&str], environment: &[(&str, &str)]) -> Run {
    let place = Place::new();
    let run: Run = command(&place, arguments)
        .envs(environment.iter().copied())
        .output()
        .expect("the binary runs")
        .into();
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("hint"), "{}", run.stderr);
    assert_eq!(left_in(&place), 0);
    run
}

/// Folders of demonstrations.
fn left_in(place: &Place) -> usize {
    let entries = fs::read_dir(place.path()).unwrap();
    entries
        .filter(|entry| {
            entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("visibility-demo-")
        })
        .count()
}

impl Demo {
    fn get_as(&self, host: &str, path: &str, cookie: &str) -> String {
        let cookie =
            if cookie.is_empty() { String::new() } else { format!("Cookie: {cookie}\r\n") };
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{cookie}Connection: close\r\n\r\n");
        exchange(&self.address, &request)
    }

    /// Sends the form of the home page.
    fn scan_as(&self, target: &str, sign: &str, cookie: &str) -> String {
        let Self { address, .. } = self;
        let fields = [("csrf", sign), ("target", target)];
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        exchange(
            address,
            &format!(
                "POST /scan HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\
                 Content-Type: application/x-www-form-urlencoded\r\n\
                 Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            ),
        )
    }

    /// Signs in by the link; the cookie.
    fn enter(&self) -> String {
        let answer = self.get_as(&self.address, &format!("/demo?secret={}", self.secret), "");
        assert!(answer.starts_with("HTTP/1.1 303 "), "{answer}");
        let (_, cookie) = answer.split_once("set-cookie: ").unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }
}

/// The addresses of links in a part of a page.
fn links(html: &str) -> BTreeSet<String> {
    let links = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let own = links.map(|link| {
        link.split_once("//")
            .map_or(link, |(_, rest)| rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/"))
    });
    own.filter(|link| link.starts_with('/')).map(|link| link.replace("&amp;", "&")).collect()
}

#[test]
fn the_link_signs_in_once_and_every_page_of_the_navigation_has_something_to_show() {
    let demo = start_in(Place::new());
    let link = format!("/demo?secret={}", demo.secret);
    for (host, path) in [("evil.example", link.as_str()), (&demo.address, "/demo?secret=x")] {
        let answer = demo.get_as(host, path, "");
        assert!(answer.starts_with("HTTP/1.1 403 "), "{host} {path}: {answer}");
    }
    let cookie = demo.enter();
    assert!(demo.get_as(&demo.address, &link, "").starts_with("HTTP/1.1 403 "), "it was used");

    let home = demo.get_as(&demo.address, "/", &cookie);
    let (_, header) = home.split_once("<nav").unwrap();
    let mut pages = links(header.split_once("</nav>").unwrap().0);
    assert!(pages.contains("/logs") && pages.contains("/settings"), "{pages:?}");
    pages.extend(
        ["/logs/agents/openai-gptbot", "/logs/errors", "/scan/parcelwise-classic.com/history"]
            .map(str::to_owned),
    );
    for page in pages {
        let shown = demo.get_as(&demo.address, &page, &cookie);
        assert!(shown.starts_with("HTTP/1.1 200 "), "{page}: {shown}");
        assert!(shown.contains("<h1"), "{page}");
        assert!(!shown.contains("class=\"empty\""), "{page} is empty");
    }
    let logs = demo.get_as(&demo.address, "/logs", &cookie);
    for agent in ["GPTBot", "Bytespider"] {
        assert!(logs.contains(agent), "{agent}");
    }
    let history = demo.get_as(&demo.address, "/scan/parcelwise-classic.com/history.json", &cookie);
    assert_eq!(
        history.matches("\"scanned_at\"").count().max(history.matches("\"day\"").count()),
        12
    );
}

#[test]
fn another_domain_gets_the_list_of_those_it_knows() {
    let demo = start_in(Place::new());
    let cookie = demo.enter();
    let page = demo.get_as(&demo.address, "/scan/example.com", &cookie);
    assert!(page.starts_with("HTTP/1.1 400 "), "{page}");
    assert!(page.contains("has no network") && page.contains("ferrite-docs.com"), "{page}");

    let home = demo.get_as(&demo.address, "/", &cookie);
    let (_, sign) = home.split_once("name=\"csrf\" value=\"").unwrap();
    let sign = sign.split('"').next().unwrap();
    for target in ["example.com", "https://example.com/page"] {
        let page = demo.scan_as(target, sign, &cookie);
        assert!(page.starts_with("HTTP/1.1 400 "), "{page}");
        assert!(page.contains("aria-invalid=\"true\""), "{target}: the field is marked");
        assert!(page.contains("has no network") && page.contains("ferrite-docs.com"), "{page}");
    }
    let known = demo.scan_as("ferrite-docs.com", sign, &cookie);
    assert!(known.starts_with("HTTP/1.1 303 "), "{known}");
}

#[test]
fn it_ends_well_and_leaves_nothing() {
    for name in ["-TERM", "-INT"] {
        let demo = start_in(Place::new());
        assert_eq!(left_in(&demo.place), 1);
        demo.service.signal(name);
        let run = demo.service.wait();
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        assert_eq!(left_in(&demo.place), 0, "{name}");
    }
}

#[test]
fn what_a_killed_one_leaves_goes_with_the_next() {
    let Demo { place, service, .. } = start_in(Place::new());
    service.signal("-KILL");
    drop(service.wait());
    assert_eq!(left_in(&place), 1);
    let next = start_in(place);
    assert_eq!(left_in(&next.place), 1, "its own");
}

#[test]
fn two_of_them_run_side_by_side() {
    let place = Place::new();
    let first = Service::start(command(&place, &[]));
    let second = Service::start(command(&place, &[]));
    let link = |service: &Service| {
        assert_eq!(service.line(), "\n");
        service.line()
    };
    assert_ne!(link(&first), link(&second));
}

#[test]
fn settings_of_a_server_are_refused_with_the_reason() {
    for (arguments, words) in [
        (["--data-dir", "x"], "`data_dir`"),
        (["--listen", "0.0.0.0:0"], "cannot listen on `0.0.0.0:0`"),
        (["--base-url", "https://a.example"], "`base_url`"),
        (["--set", "objects.url=file:///tmp/x"], "`objects.url`"),
        (["--ingest-listen", "127.0.0.1:0"], "`ingest_listen`"),
    ] {
        let run = refused(&arguments, &[]);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    let run = refused(&[], &[("VISIBILITY_DATA_DIR", "x")]);
    assert!(run.stderr.contains("by `VISIBILITY_DATA_DIR`"), "{}", run.stderr);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = refused(&["--listen", &address], &[]);
    assert!(run.stderr.contains("another process uses this port"), "{}", run.stderr);
    let run = refused(&[], &[("TMPDIR", "/proc")]);
    assert!(run.stderr.contains("cannot make a folder in `/proc`"), "{}", run.stderr);
}
