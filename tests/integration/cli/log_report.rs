//! `visibility logs report`, on logs whose truth is known.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use visibility_core::agents::{Agent, Registry};
use visibility_tests::random::Random;

use crate::cli::program::{Folder, Run, command, run};

const NOW: &str = "2026-11-28T00:00:00Z";
const HOST: &str = "www.example.com";
const PERSON: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";
const OTHER_BOT: &str = "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)";
const AGENTS: [&str; 6] = [
    "openai-gptbot",
    "openai-chatgpt-user",
    "openai-oai-searchbot",
    "anthropic-claudebot",
    "perplexity-perplexitybot",
    "bytedance-bytespider",
];
/// Targets with the kind of thing that is there, and whether it is a page that exists.
const TARGETS: [(&str, &str, bool); 12] = [
    ("/", "page", true),
    ("/pricing?plan=pro&token=s3cr3t", "page", true),
    ("/docs/install", "page", true),
    ("/docs/api/v1", "page", true),
    ("/blog/bread", "page", true),
    ("/docs/instal", "page", false),
    ("/gone", "page", false),
    ("/robots.txt", "robots", true),
    ("/sitemap.xml", "sitemap", true),
    ("/llms.txt", "llms", true),
    ("/docs/start.md", "markdown", true),
    ("/app.css", "asset", true),
];

fn agent(id: &str) -> &'static Agent {
    Registry::embedded().find(id).unwrap()
}

/// A request that was made.
#[derive(Clone, Debug)]
struct Made {
    time: DateTime<Utc>,
    address: String,
    agent: Option<&'static Agent>,
    user_agent: String,
    target: &'static str,
    kind: &'static str,
    status: u16,
    is_impostor: bool,
    referrer: &'static str,
    /// The assistant that a person came from.
    assistant: Option<&'static str>,
}

/// Referrers of people, with the assistants that they are of.
const REFERRERS: [(&str, Option<&str>); 6] = [
    ("https://chatgpt.com/", Some("chatgpt")),
    ("https://www.perplexity.ai/search?q=s3cr3t", Some("perplexity")),
    ("https://a.example/?q=s3cr3t", None),
    ("https://chatgpt.com.evil.example/", None),
    ("https://www.google.com/", None),
    ("-", None),
];

impl Made {
    fn path(&self) -> &'static str {
        self.target.split('?').next().unwrap()
    }

    fn line(&self) -> String {
        let time = self.time.format("%d/%b/%Y:%H:%M:%S +0000");
        let Self { address, target, status, user_agent, referrer, .. } = self;
        format!(
            "{address} - adalovelace [{time}] \"GET {target} HTTP/1.1\" {status} 512 \"{referrer}\" \"{user_agent}\"\n"
        )
    }

    /// Whether it is the first request of a visit from an assistant.
    fn is_visit(&self) -> bool {
        let is_person = self.user_agent == PERSON;
        self.assistant.is_some() && is_person && self.kind == "page" && is_served(self.status)
    }
}

/// Requests of 13 days, in the order of their times.
fn requests(count: i32) -> Vec<Made> {
    let mut random = Random::new(68);
    let start = DateTime::parse_from_rfc3339("2026-11-10T00:00:00Z").unwrap().to_utc();
    let one = |number: i32| {
        let (target, kind, exists) = *random.pick(&TARGETS);
        let agent = (random.below(100) < 30).then(|| agent(random.pick::<&str>(&AGENTS)));
        let is_impostor =
            agent.is_some_and(|agent| agent.id == "openai-gptbot") && random.below(4) == 0;
        let user_agent = match agent {
            Some(agent) => agent.example_user_agent.clone().unwrap(),
            None if random.below(10) == 0 => OTHER_BOT.to_owned(),
            None => PERSON.to_owned(),
        };
        let status = match agent {
            Some(agent) if agent.id == "bytedance-bytespider" => 403,
            Some(_) if random.below(50) == 0 => 503,
            _ if !exists => *random.pick(&[404, 410]),
            _ => *random.pick(&[200, 200, 200, 304, 301]),
        };
        let (referrer, assistant) = *random.pick(&REFERRERS);
        let network = if is_impostor { "198.51.100" } else { "203.0.113" };
        Made {
            time: start + TimeDelta::seconds(i64::from(number) * 13 * 86_400 / i64::from(count)),
            address: format!("{network}.{}", 1 + random.below(20)),
            agent,
            user_agent,
            target,
            kind,
            status,
            is_impostor,
            referrer,
            assistant,
        }
    };
    (0..count).map(one).collect()
}

fn ranges(folder: &Folder) -> String {
    let list = json!({
        "source": "https://openai.com/gptbot.json",
        "fetched_at": "2026-11-27T00:00:00Z",
        "published_at": null,
        "prefixes": ["203.0.113.0/24"],
    });
    folder.file("ranges.json", json!({"schema_version": 1, "lists": [list]}).to_string())
}

fn report(arguments: &[&str]) -> Run {
    run(&[&["logs", "report", "--now", NOW], arguments].concat())
}

fn json_report(arguments: &[&str]) -> Value {
    let run = report(&[arguments, &["--format", "json"]].concat());
    assert!(matches!(run.code, Some(0 | 5)), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn is_served(status: u16) -> bool {
    matches!(status, 200 | 304)
}

/// Requests of agents that are no impostors'.
fn of_agents(requests: &[Made]) -> impl Iterator<Item = (&'static Agent, &Made)> {
    requests.iter().filter(|made| !made.is_impostor).filter_map(|made| Some((made.agent?, made)))
}

/// How many requests there are for each key.
fn tally<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    for key in keys {
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// Different pages that some agents got.
fn pages(requests: &[Made], is_wanted: impl Fn(&Agent) -> bool) -> usize {
    let got = of_agents(requests)
        .filter(|(agent, made)| is_wanted(agent) && made.kind == "page" && is_served(made.status));
    got.map(|(_, made)| made.path()).collect::<BTreeSet<_>>().len()
}

fn assert_agents(site: &Value, requests: &[Made]) {
    let mut seen = 0;
    for purpose in site["purposes"].as_array().unwrap() {
        let name = purpose["purpose"].as_str().unwrap();
        let of_purpose = |agent: &Agent| serde_json::to_value(agent.purpose).unwrap() == name;
        let all = of_agents(requests).filter(|(agent, _)| of_purpose(agent)).count();
        assert_eq!(purpose["requests"], all, "{name}");
        assert_eq!(purpose["pages"], pages(requests, of_purpose), "{name}");
        for row in purpose["agents"].as_array().unwrap() {
            seen += 1;
            let id = row["id"].as_str().unwrap();
            let own: Vec<&Made> = of_agents(requests)
                .filter(|(agent, _)| agent.id == id)
                .map(|(_, made)| made)
                .collect();
            let count = |is_counted: &dyn Fn(u16) -> bool| {
                own.iter().filter(|made| is_counted(made.status)).count()
            };
            assert_eq!(row["requests"], own.len(), "{id}");
            assert_eq!(row["pages"], pages(requests, |agent| agent.id == id), "{id}");
            assert_eq!(row["refused"], count(&|status| status == 403), "{id}");
            assert_eq!(row["missing"], count(&|status| matches!(status, 404 | 410)), "{id}");
            assert_eq!(row["failed"], count(&|status| status == 503), "{id}");
            let is_listed = id == "openai-gptbot";
            assert_eq!(row["verified"], if is_listed { own.len() } else { 0 }, "{id}");
            let last = own.last().unwrap().time;
            assert_eq!(row["last_seen"], last.format("%Y-%m-%dT%H:%M:%SZ").to_string(), "{id}");
            let statuses = tally(own.iter().map(|made| made.status.to_string()));
            assert_eq!(row["statuses"], json!(statuses), "{id}");
        }
    }
    assert_eq!(seen, AGENTS.len());
}

fn assert_days(site: &Value, requests: &[Made]) {
    let days = tally(requests.iter().map(|made| made.time.date_naive()));
    let rows = site["days"].as_array().unwrap();
    assert_eq!(rows.len(), days.len());
    for (row, (day, all)) in rows.iter().zip(days) {
        assert_eq!((&row["day"], &row["requests"]), (&json!(day), &json!(all)));
        let own = || of_agents(requests).filter(|(_, made)| made.time.date_naive() == day);
        assert_eq!(row["agents"], json!(tally(own().map(|(agent, _)| agent.id.clone()))), "{day}");
        assert_eq!(row["purposes"], json!(tally(own().map(|(agent, _)| agent.purpose))), "{day}");
    }
}

fn assert_visits(site: &Value, requests: &[Made]) {
    let visits = || requests.iter().filter(|made| made.is_visit());
    assert_eq!(site["visits"], visits().count());
    let assistants = tally(visits().map(|made| made.assistant.unwrap()));
    let rows = site["assistants"].as_array().unwrap();
    assert_eq!(rows.len(), assistants.len());
    for row in rows {
        let id = row["id"].as_str().unwrap();
        assert_eq!((&row["visits"], &row["by_referrer"]), (&json!(assistants[id]), &row["visits"]));
    }
    let pages = tally(visits().map(Made::path));
    let rows = site["landing_pages"].as_array().unwrap();
    assert_eq!(rows.len(), pages.len());
    for row in rows {
        let path = row["path"].as_str().unwrap();
        assert_eq!(row["visits"], pages[path]);
        let from = visits().filter(|made| made.path() == path);
        assert_eq!(row["assistants"], json!(tally(from.map(|made| made.assistant.unwrap()))));
    }
    for row in site["days"].as_array().unwrap() {
        let own = visits().filter(|made| json!(made.time.date_naive()) == row["day"]);
        assert_eq!(row["visits"], own.count());
    }
}

fn assert_paths(site: &Value, requests: &[Made]) {
    let by_path = tally(of_agents(requests).map(|(_, made)| made.path()));
    for list in ["pages", "files"] {
        for row in site[list].as_array().unwrap() {
            let path = row["path"].as_str().unwrap();
            assert_eq!(row["requests"], by_path[path], "{path}");
            let own = || of_agents(requests).filter(|(_, made)| made.path() == path);
            let served = own().filter(|(_, made)| is_served(made.status)).count();
            assert_eq!(row["served"], served, "{path}");
            assert_eq!(row["purposes"], json!(tally(own().map(|(agent, _)| agent.purpose))));
        }
    }
    let names = |list: &str| -> Vec<&str> {
        site[list].as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap()).collect()
    };
    assert_eq!((names("pages").len(), names("files").len()), (5, 5));
    let kinds = tally(of_agents(requests).map(|(_, made)| made.kind.to_owned()));
    for row in site["kinds"].as_array().unwrap() {
        assert_eq!(row["requests"], kinds[row["kind"].as_str().unwrap()]);
    }
    let missing = of_agents(requests).filter(|(_, made)| matches!(made.status, 404 | 410));
    let missing = tally(missing.map(|(_, made)| made.path()));
    for row in site["missing"].as_array().unwrap() {
        assert_eq!(row["requests"], missing[row["path"].as_str().unwrap()], "{row}");
        let nearest = (row["path"] == "/docs/instal").then_some("/docs/install");
        assert_eq!(row["nearest"], json!(nearest), "{row}");
    }
    assert_eq!(site["missing"].as_array().unwrap().len(), 2);
    let docs = of_agents(requests).filter(|(_, made)| made.kind == "page");
    let docs = docs.filter(|(_, made)| made.path().starts_with("/docs/")).count();
    let folders = site["folders"].as_array().unwrap();
    let folder = folders.iter().find(|row| row["folder"] == "/docs/").unwrap();
    assert_eq!((&folder["requests"], &folder["pages"]), (&json!(docs), &json!(2)));
}

fn assert_others(site: &Value, requests: &[Made]) {
    let errors =
        of_agents(requests).filter(|(_, made)| matches!(made.status, 403 | 404 | 410 | 503));
    let errors = tally(errors.map(|(agent, made)| (agent.id.clone(), made.status)));
    let rows = site["errors"].as_array().unwrap();
    assert_eq!(rows.len(), errors.len());
    for row in rows {
        let status = u16::try_from(row["status"].as_u64().unwrap()).unwrap();
        assert_eq!(row["requests"], errors[&(row["agent"].as_str().unwrap().to_owned(), status)]);
    }
    let impostors: Vec<&Made> = requests.iter().filter(|made| made.is_impostor).collect();
    assert_eq!(site["impostor_requests"], impostors.len());
    let row = &site["impostors"][0];
    let addresses: BTreeSet<_> = impostors.iter().map(|made| &made.address).collect();
    assert_eq!(
        (&row["agent"], &row["requests"]),
        (&json!("openai-gptbot"), &json!(impostors.len()))
    );
    assert_eq!(row["addresses"], addresses.len());
    let asked: BTreeMap<String, u64> =
        serde_json::from_value::<Vec<(String, u64)>>(row["paths"].clone())
            .unwrap()
            .into_iter()
            .collect();
    assert_eq!(asked, tally(impostors.iter().map(|made| made.path().to_owned())));
    let bots = requests.iter().filter(|made| made.user_agent == OTHER_BOT).count();
    assert_eq!(site["unlisted_bots"][0]["name"], "AhrefsBot/7.0");
    assert_eq!(site["unlisted_bots"][0]["requests"], bots);
    let nothing = json!({
        "paths": 0,
        "hosts": 0,
        "days": 0,
        "unlisted_bots": 0,
        "landing_pages": 0,
        "disallowed": 0,
    });
    assert_eq!(site["folded"], nothing);
}

#[test]
fn every_figure_is_true() {
    let folder = Folder::new();
    let requests = requests(10_000);
    let lines: Vec<String> = requests.iter().map(Made::line).collect();
    let log = folder.file("access.log", lines.concat() + "trouble\n");
    let ranges = ranges(&folder);
    let options = ["--host", HOST, "--ranges", &ranges];
    let whole = json_report(&[&[log.as_str()], &options[..]].concat());
    assert_eq!((&whole["schema_version"], &whole["lines"]["lines"]), (&1.into(), &10_001.into()));
    let site = &whole["sites"][0];
    assert_eq!((&site["host"], &site["requests"]), (&HOST.into(), &10_000.into()));
    assert_eq!(site["agent_requests"], of_agents(&requests).count());
    assert_agents(site, &requests);
    assert_days(site, &requests);
    assert_visits(site, &requests);
    assert_paths(site, &requests);
    assert_others(site, &requests);

    // In ten files, the newest first.
    let parts: Vec<String> = lines
        .chunks(1_000)
        .enumerate()
        .map(|(number, part)| folder.file(&format!("access.log.{number}"), part.concat()))
        .rev()
        .collect();
    let mut arguments: Vec<&str> = parts.iter().map(String::as_str).collect();
    arguments.extend(options);
    let rotated = json_report(&arguments);
    assert_eq!(rotated["sites"], whole["sites"]);

    // For people, with the same figures.
    let text = report(&[&[log.as_str()], &options[..]].concat());
    assert_eq!(text.code, Some(5));
    let shown = |number: &Value| {
        visibility_core::text::number::grouped(
            number.as_u64().unwrap(),
            visibility_core::text::locale::Lang::En,
        )
    };
    let first = format!("  10,000 requests, {} by AI agents", shown(&site["agent_requests"]));
    assert!(text.stdout.lines().nth(1).unwrap().starts_with(&first), "{}", text.stdout);
    for purpose in site["purposes"].as_array().unwrap() {
        for row in purpose["agents"].as_array().unwrap() {
            let name = row["name"].as_str().unwrap();
            let line =
                text.stdout.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
            let cells: Vec<&str> = line.split_whitespace().collect();
            let figures = ["requests", "pages", "refused", "missing", "failed"]
                .map(|key| if row[key] == 0 { "–".to_owned() } else { shown(&row[key]) });
            assert_eq!(cells[1..6], figures, "{line}");
        }
    }
    assert!(text.stdout.contains("1 line could not be read"), "{}", text.stdout);
    assert!(text.stdout.lines().all(|line| line.chars().count() <= 80), "{}", text.stdout);
    let since =
        json_report(&[&[log.as_str(), "--since", "2026-11-20T00:00:00Z"], &options[..]].concat());
    let later = requests.iter().filter(|made| made.time.to_rfc3339().as_str() >= "2026-11-20");
    assert_eq!(since["sites"][0]["requests"], later.count());
}

#[test]
fn no_address_secret_or_user_is_in_any_form() {
    let folder = Folder::new();
    let lines: String = requests(2_000).iter().map(Made::line).collect();
    let log = folder.file("access.log", lines);
    let robots = folder.file("robots.txt", "User-agent: *\nDisallow: /*?plan\nDisallow: /docs/\n");
    let sitemap = folder.file("urls.txt", "https://www.example.com/pricing\n");
    let compared = ["--robots", &robots, "--sitemap", &sitemap];
    for arguments in [
        &[][..],
        &["--format", "json"],
        &["--format", "markdown"],
        &["--format", "html", "--since", "2026-11-01T00:00:00Z"],
        &["--lang", "tr", "--host", HOST],
    ] {
        let arguments = [arguments, &compared].concat();
        let made = report(&[&[log.as_str()], &arguments[..]].concat());
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        for secret in [
            "203.0.113.",
            "198.51.100.",
            "s3cr3t",
            "adalovelace",
            "plan=p",
            "a.example",
            "perplexity.ai/search",
        ] {
            let all = [made.stdout.as_str(), &made.stderr].concat();
            assert!(!all.contains(secret), "{secret} in {all}");
        }
        assert!(!made.stdout.contains("interface."), "{}", made.stdout);
    }
}

#[test]
fn hostile_texts_do_nothing() {
    let folder = Folder::new();
    let long = "a".repeat(8 * 1024);
    let odd = "\u{1b}[2J\u{202e}\u{7}</script><b>|*_`";
    let gptbot = agent("openai-gptbot").example_user_agent.as_deref().unwrap();
    let line = |target: &str, user_agent: &str| {
        format!(
            "203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] \"GET {target} HTTP/1.1\" 200 5 \"{odd}\" \"{user_agent}\"\n"
        )
    };
    let mut log: String = [
        line(&format!("/{odd}"), gptbot),
        line(&format!("/{long}"), gptbot),
        line("/x", &format!("{odd}bot/1.0")),
        line("/x", &format!("{long}bot/1.0")),
        line(&format!("/{odd}"), PERSON),
    ]
    .concat();
    log.push_str(&line("/", gptbot).repeat(40));
    let path = folder.file("access.log", log);
    for arguments in
        [&[][..], &["--format", "json"], &["--format", "html", "--lang", "tr"], &["--lang", "tr"]]
    {
        let made = report(&[&[path.as_str()], arguments].concat());
        assert!(matches!(made.code, Some(0 | 5)), "{}", made.stderr);
        let is_harmless = |ch: char| ch == '\n' || !(ch.is_control() || ch == '\u{202e}');
        assert!(made.stdout.chars().all(is_harmless), "{:?}", made.stdout);
        if arguments.contains(&"html") {
            // Those of the log are texts.
            assert!(!made.stdout.contains("<b>|") && !made.stdout.contains("</script"));
        } else if !arguments.contains(&"json") {
            assert!(made.stdout.lines().all(|line| line.chars().count() <= 80), "{}", made.stdout);
        }
    }
}

#[test]
fn a_log_of_several_sites_has_a_table_of_them_and_a_report_for_each() {
    let folder = Folder::new();
    let gptbot = agent("openai-gptbot").example_user_agent.as_deref().unwrap();
    let line = |host: &str, path: &str, user_agent: &str| {
        format!(
            "{host}:443 203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] \"GET {path} HTTP/1.1\" 200 5 \"-\" \"{user_agent}\"\n"
        )
    };
    let log = [
        line("www.example.com", "/a", gptbot).repeat(20),
        line("WWW.example.com", "/b", PERSON).repeat(10),
        line("shop.example.com", "/a", gptbot).repeat(5),
        line("192.0.2.1", "/a", PERSON),
        line("_", "/a", PERSON),
    ];
    let path = folder.file("access.log", log.concat());
    let all = json_report(&[&path]);
    assert_eq!(
        (&all["sites"][0]["host"], &all["sites"][0]["requests"]),
        (&Value::Null, &37.into())
    );
    let first = json!({"host": "www.example.com", "requests": 30, "agent_requests": 20});
    assert_eq!(all["sites"][0]["hosts"][0], first);
    let text = report(&[&path]).stdout;
    assert!(text.contains("shop.example.com/a") && text.contains("--host"), "{text}");
    let two = json_report(&[&path, "--host", "www.example.com", "--host", "shop.example.com"]);
    let requests: Vec<_> =
        two["sites"].as_array().unwrap().iter().map(|site| site["requests"].as_u64()).collect();
    assert_eq!((requests, &two["other_requests"]), (vec![Some(30), Some(5)], &2.into()));
    // The name without `www`: the report says which sites there are.
    let none = report(&[&path, "--host", "example.com"]);
    assert_eq!(none.code, Some(0));
    assert!(none.stdout.contains("no request for it"), "{}", none.stdout);
    assert!(none.stdout.contains("www.example.com (30)"), "{}", none.stdout);

    let combined = folder.file("combined.log", requests_of_one_site());
    let refused = report(&[&combined, "--host", "a.example", "--host", "b.example"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stdout);
    for (arguments, expected) in [
        (&["--host", "no host"][..], "no host name"),
        (&["--top", "0"], "--top"),
        (&["--ranges", "none.json"], "none.json"),
    ] {
        let refused = report(&[&[combined.as_str()], arguments].concat());
        assert_eq!(refused.code, Some(2), "{arguments:?}");
        assert!(refused.stderr.contains(expected), "{arguments:?}: {}", refused.stderr);
    }
    let empty = report(&[&folder.file("empty.log", "")]);
    assert_eq!(empty.code, Some(0), "{}", empty.stderr);
    assert!(empty.stdout.contains("no request"), "{}", empty.stdout);
}

fn requests_of_one_site() -> String {
    requests(300).iter().map(Made::line).collect()
}

#[test]
fn a_link_that_names_its_assistant_is_a_visit_without_a_referrer() {
    let folder = Folder::new();
    let line = |target: &str, user_agent: &str| {
        format!(
            "203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] \"GET {target} HTTP/1.1\" 200 5 \"-\" \"{user_agent}\"\n"
        )
    };
    let log = [
        line("/a?utm_source=chatgpt.com&email=ada%40example.com", PERSON).repeat(3),
        line("/u/ada@example.com?utm_source=chatgpt.com", PERSON),
        line("/a?utm_source=chatgpt.com", OTHER_BOT),
        line("/a.css?utm_source=chatgpt.com", PERSON),
        line("/a?utm_source=newsletter", PERSON).repeat(9),
    ];
    let path = folder.file("access.log", log.concat());
    let site = json_report(&[&path])["sites"][0].clone();
    let row = json!({"id": "chatgpt", "name": "ChatGPT", "visits": 4, "by_referrer": 0, "by_utm_source": 4});
    assert_eq!(site["assistants"], json!([row]));
    assert_eq!(site["landing_pages"][0]["path"], "/a");
    let text = report(&[&path]).stdout;
    assert!(text.contains("4 visits of people from AI assistants"), "{text}");
    assert!(text.contains("ChatGPT 4") && !text.contains("ada@"), "{text}");
}

#[test]
fn a_log_without_agents_and_one_of_impostors_alone() {
    let folder = Folder::new();
    let mut requests = requests(3_000);
    let people: String =
        requests.iter().filter(|made| made.agent.is_none()).map(Made::line).collect();
    let text = report(&[&folder.file("people.log", people)]).stdout;
    assert!(text.contains("no AI agent seen"), "{text}");
    requests.retain(|made| made.is_impostor);
    let impostors: String = requests.iter().map(Made::line).collect();
    let path = folder.file("impostors.log", impostors);
    let text = report(&[&path, "--ranges", &ranges(&folder)]).stdout;
    assert!(text.contains("no AI agent seen") && text.contains("--trusted-proxy"), "{text}");
}

#[test]
fn a_million_paths_have_a_bound() {
    let folder = Folder::new();
    let path = folder.path("access.log");
    let gptbot = agent("openai-gptbot").example_user_agent.as_deref().unwrap();
    let mut log = String::new();
    for number in 0..250_000 {
        let user_agent = if number % 2 == 0 { gptbot } else { PERSON };
        log.push_str(&format!(
            "203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] \"GET /a-path-that-is-somewhat-long/{number} HTTP/1.1\" 200 5 \"-\" \"{user_agent}\"\n"
        ));
    }
    fs::write(&path, log).unwrap();
    let output = folder.path("report.json");
    let status = command(&["logs", "report", &path, "--format", "json", "-o", &output]).status();
    assert!(status.unwrap().success());
    let report: Value = serde_json::from_str(&fs::read_to_string(&output).unwrap()).unwrap();
    let site = &report["sites"][0];
    assert_eq!(
        (&site["agent_requests"], &site["folded"]["paths"]),
        (&125_000.into(), &25_000.into())
    );
    assert_eq!(site["purposes"][0]["pages"], 100_000);
    let text = run(&["logs", "report", &path]).stdout;
    assert!(text.contains("25,000 requests of agents for paths after the first 100,000"), "{text}");
}
