//! `visibility agents ranges`, over loopback and from files.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use url::Url;
use visibility_core::agents::ranges::AgentRanges;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::{Reply, Site};

use crate::cli::program::{Folder, Run, json_of, run};

/// A list as operators publish them.
fn list(networks: &[&str]) -> Reply {
    let prefixes: Vec<Value> = networks
        .iter()
        .map(|network| {
            let key = if network.contains(':') { "ipv6Prefix" } else { "ipv4Prefix" };
            serde_json::json!({ key: network })
        })
        .collect();
    let list = serde_json::json!({"creationTime": "2025-01-31T10:00:00.5", "prefixes": prefixes});
    Reply::json(list.to_string())
}

/// All sites that publish lists, with other replies of some.
fn hosts(others: &[(&str, Reply)]) -> Vec<Site> {
    let mut sites: BTreeMap<String, Site> = BTreeMap::new();
    for source in AgentRanges::sources() {
        let url = Url::parse(source).unwrap();
        let host = url.host_str().unwrap().to_owned();
        let reply = others.iter().find(|(other, _)| *other == source);
        let reply = reply.map_or_else(|| list(&["192.0.2.0/24"]), |(_, reply)| reply.clone());
        let site = sites.remove(&host).unwrap_or_else(|| Site::new(&host));
        sites.insert(host, site.with(url.path(), reply));
    }
    sites.into_values().collect()
}

/// Fetches from a server for all of them.
async fn fetch(folder: &Folder, others: &[(&str, Reply)], arguments: &[&str]) -> Run {
    let sites = hosts(others);
    let server = FixtureServer::start(Hosts::new(sites)).await;
    let ca = folder.file("ca.pem", server.authority().pem());
    let mut all: Vec<String> =
        ["agents", "ranges", "fetch", "--ca-cert", &ca].map(str::to_owned).to_vec();
    for source in AgentRanges::sources() {
        let host = Url::parse(source).unwrap().host_str().unwrap().to_owned();
        let rule = format!("{host}:443:127.0.0.1:{}", server.https().port());
        all.extend(["--connect-to".to_owned(), rule]);
    }
    all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    run(&all.iter().map(String::as_str).collect::<Vec<_>>())
}

fn read(path: &str) -> AgentRanges {
    AgentRanges::from_json(&fs::read(path).unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_fetched_and_each_failure_is_named() {
    let folder = Folder::new();
    let output = folder.path("ranges.json");
    let fetched = fetch(&folder, &[], &["-o", &output]).await;
    assert_eq!((fetched.code, fetched.stdout.as_str()), (Some(0), ""), "{}", fetched.stderr);
    let before = read(&output);
    assert_eq!(before.lists.len(), AgentRanges::sources().len());
    assert!(before.lists.iter().all(|list| list.published_at.is_some()));

    let long = Reply::json(format!("[{}\"192.0.2.0/24\"]", " ".repeat(10 * 1024 * 1024)));
    let others = [
        ("https://openai.com/gptbot.json", list(&["198.51.100.0/24", "2001:db8:1::/48"])),
        ("https://openai.com/searchbot.json", Reply::html("<!doctype html><p>Just a moment")),
        ("https://openai.com/chatgpt-user.json", Reply::error(503)),
        ("https://claude.com/crawling/bots.json", list(&[])),
        ("https://index.commoncrawl.org/ccbot.json", long),
        (
            "https://www.bing.com/toolbox/bingbot.json",
            Reply::redirect(302, "http://127.0.0.1:9/list.json"),
        ),
        ("https://mistral.ai/mistralai-index-ips.json", list(&["0.0.0.0/0"])),
    ];
    let again = fetch(&folder, &others, &["-o", &output]).await;
    assert_eq!(again.code, Some(5), "{}", again.stderr);
    for (source, reason) in [
        ("openai.com/searchbot.json", "it is a page of HTML and no list"),
        ("openai.com/chatgpt-user.json", "status 503"),
        ("claude.com/crawling/bots.json", "there is no network in it"),
        ("index.commoncrawl.org/ccbot.json", "more than 2097152 bytes"),
        ("mistral.ai/mistralai-index-ips.json", "larger than the network of any operator"),
        ("www.bing.com/toolbox/bingbot.json", ""),
    ] {
        let line = again.stderr.lines().find(|line| line.contains(source)).unwrap();
        assert!(line.contains(reason) && line.contains("stays"), "{line}");
    }
    let after = read(&output);
    assert_eq!(after.lists.len(), before.lists.len());
    for (old, new) in before.lists.iter().zip(&after.lists) {
        let has_failed = others[1..].iter().any(|(source, _)| *source == old.source);
        assert_eq!(old.fetched_at == new.fetched_at, has_failed, "{}", old.source);
    }

    // Without a file the lists that were read are all there is.
    let printed = fetch(&folder, &others, &[]).await;
    assert_eq!(printed.code, Some(5));
    let printed = AgentRanges::from_json(printed.stdout.as_bytes()).unwrap();
    assert_eq!(printed.lists.len(), before.lists.len() - 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_stays_when_no_list_could_be_fetched() {
    let folder = Folder::new();
    let output = folder.file("ranges.json", "");
    let broken: Vec<(&str, Reply)> =
        AgentRanges::sources().into_iter().map(|source| (source, Reply::error(404))).collect();
    let fetched = fetch(&folder, &broken, &["-o", &output]).await;
    assert_eq!(fetched.code, Some(3), "{}", fetched.stderr);
    assert!(fetched.stderr.contains("no list could be fetched"), "{}", fetched.stderr);
    assert_eq!(fs::read_to_string(&output).unwrap(), "");
    // A file of something else is not written over.
    let other = folder.file("notes.txt", "remember the milk");
    let refused = fetch(&folder, &[], &["-o", &other]).await;
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(&other).unwrap(), "remember the milk");
}

#[test]
fn lists_are_read_from_files_and_shown_with_their_age() {
    let folder = Folder::new();
    let gptbot = folder.file("gptbot.json", r#"{"prefixes":[{"ipv4Prefix":"198.51.100.0/24"}]}"#);
    let saved = folder.file("saved", "192.0.2.0/24\n2001:db8::/32\n");
    let output = folder.path("ranges.json");
    let claude = format!("ClaudeBot={saved}");
    let made = run(&["agents", "ranges", "fetch", "--from", &gptbot, "-o", &output]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let made = run(&["agents", "ranges", "fetch", "--from", &claude, "-o", &output]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    // The file of another machine.
    let copied = folder.path("copied.json");
    let made = run(&["agents", "ranges", "fetch", "--from", &output, "-o", &copied]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    assert_eq!(read(&output), read(&copied));

    let shown = json_of(&["agents", "ranges", "show", &copied]);
    assert_eq!(shown.as_array().unwrap().len(), 2, "{shown}");
    assert_eq!(shown[0]["source"], "https://claude.com/crawling/bots.json");
    assert_eq!((&shown[0]["networks"], &shown[0]["age_days"]), (&2.into(), &0.into()));
    assert_eq!((&shown[1]["agents"][0], &shown[1]["is_current"]), (&"GPTBot".into(), &true.into()));

    let text = fs::read_to_string(&copied).unwrap();
    let mut lists: Value = serde_json::from_str(&text).unwrap();
    for list in lists["lists"].as_array_mut().unwrap() {
        list["fetched_at"] = "2025-11-20T00:00:00Z".into();
    }
    let old = folder.file("old.json", lists.to_string());
    for (lang, word) in [("en", "not used any more"), ("tr", "artık kullanılmıyor")] {
        let table = run(&["agents", "ranges", "show", &old, "--lang", lang]);
        assert!(table.stdout.contains("GPTBot") && table.stdout.contains(word), "{}", table.stdout);
    }

    for (arguments, code, expected) in [
        (&["--from", &saved][..], 2, "--from GPTBot="),
        (&["--from", "Bytespider=x"], 2, "cannot read `x`"),
        (&["--from", &format!("Bytespider={saved}")], 2, "publishes no list"),
        (&["--from", &folder.file("bots.json", "<html>")], 2, "a page of HTML"),
        (&["--from", &folder.path("none.json")], 2, "none.json"),
    ] {
        let all = [&["agents", "ranges", "fetch"], arguments].concat();
        let refused = run(&all);
        assert_eq!(refused.code, Some(code), "{arguments:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{arguments:?}: {}", refused.stderr);
    }
    let refused = run(&["agents", "ranges", "show", &gptbot]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("agents ranges fetch"), "{}", refused.stderr);
}
