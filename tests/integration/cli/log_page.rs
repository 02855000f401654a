//! `visibility logs report --format html`: the figures of the file are those of the JSON form, whatever the log is; and
//! `--demo`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

use chrono::{DateTime, TimeDelta, Utc};
use flate2::read::GzDecoder;
use scraper::{ElementRef, Html, Selector};
use serde_json::Value;
use visibility_core::agents::{Agent, Registry};
use visibility_tests::demo_log::{self, DemoLog};

use crate::cli::program::{Folder, Run, run};

const HOST: &str = "www.example.com";
const PERSON: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";
/// Purposes from the bottom of a bar to its top, with their names.
const PURPOSES: [(&str, &str); 4] = [
    ("training", "Training"),
    ("search", "Search and answers"),
    ("user", "Asked by a person"),
    ("other", "Other"),
];

fn report(arguments: &[&str]) -> Run {
    run(&[&["logs", "report"], arguments].concat())
}

fn page(arguments: &[&str]) -> (String, Html) {
    let made = report(&[arguments, &["--format", "html"]].concat());
    assert!(matches!(made.code, Some(0 | 5)), "{}", made.stderr);
    let parsed = Html::parse_document(&made.stdout);
    (made.stdout, parsed)
}

fn site(arguments: &[&str]) -> Value {
    let made = report(&[arguments, &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&made.stdout).unwrap();
    report["sites"][0].clone()
}

fn all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The texts of the cells of a row.
fn cells(row: ElementRef<'_>) -> Vec<String> {
    row.select(&Selector::parse("th, td").unwrap()).map(text).collect()
}

fn number(text: &str) -> u64 {
    match text {
        "–" => 0,
        _ => text.replace(',', "").parse().unwrap(),
    }
}

/// The rows of the section with an id, without those of its title.
fn rows<'a>(page: &'a Html, id: &str) -> Vec<ElementRef<'a>> {
    let sections = all(page, "section").into_iter().filter(|section| {
        section.select(&Selector::parse(&format!("h2[id='{id}']")).unwrap()).next().is_some()
    });
    sections
        .flat_map(|section| {
            section.select(&Selector::parse("tbody tr").unwrap()).collect::<Vec<_>>()
        })
        .collect()
}

fn line(at: DateTime<Utc>, path: &str, status: u16, user_agent: &str) -> String {
    let time = at.format("%d/%b/%Y:%H:%M:%S +0000");
    format!("192.0.2.1 - - [{time}] \"GET {path} HTTP/1.1\" {status} 9 \"-\" \"{user_agent}\"\n")
}

fn begin() -> DateTime<Utc> {
    "2025-09-20T00:00:00Z".parse().unwrap()
}

fn user_agent(agent: &Agent) -> &str {
    agent.example_user_agent.as_deref().unwrap_or(&agent.user_agent_tokens[0])
}

fn listed() -> Vec<&'static Agent> {
    Registry::embedded().agents.iter().filter(|agent| agent.in_log_allowlist).collect()
}

/// A log of so many days in which agents come in turn, so many requests a day.
fn log(days: i64, a_day: usize) -> String {
    let agents = listed();
    let mut log = String::new();
    let mut next = 0_usize;
    for day in 0..days {
        for request in 0..a_day {
            let at = begin()
                + TimeDelta::days(day)
                + TimeDelta::minutes(i64::try_from(request).unwrap());
            let agent = agents[next * 7 % agents.len()];
            let status = [200, 200, 200, 404, 403, 503][next % 6];
            log += &line(at, &format!("/a/{}", next % 31), status, user_agent(agent));
            next += 1;
        }
        log += &line(begin() + TimeDelta::days(day) + TimeDelta::minutes(1439), "/", 200, PERSON);
    }
    log
}

fn assert_figures(page: &Html, site: &Value) {
    let shown: Vec<String> = all(page, ".shares > li .big").into_iter().map(text).collect();
    let sum = |field: &str| -> u64 {
        site["purposes"].as_array().unwrap().iter().map(|row| row[field].as_u64().unwrap()).sum()
    };
    let of_persons =
        site["purposes"].as_array().unwrap().iter().find(|row| row["purpose"] == "user");
    let of_persons = of_persons.map_or(0, |row| row["requests"].as_u64().unwrap());
    assert_eq!(number(&shown[0]), site["agent_requests"]);
    assert_eq!(number(&shown[1]), of_persons);
    assert_eq!(number(&shown[2]), site["pages_read"]);
    assert!(
        shown[3].ends_with(&format!(
            "% {}",
            visibility_core::text::number::grouped(
                sum("refused"),
                visibility_core::text::locale::Lang::En
            )
        )),
        "{shown:?}"
    );
    assert!(
        shown[4].ends_with(&format!(
            "% {}",
            visibility_core::text::number::grouped(
                sum("missing"),
                visibility_core::text::locale::Lang::En
            )
        )),
        "{shown:?}"
    );
    assert_eq!(number(&shown[5]), site["visits"]);
}

fn assert_agents(page: &Html, site: &Value) {
    let mut expected = Vec::new();
    for purpose in site["purposes"].as_array().unwrap() {
        let agents = purpose["agents"].as_array().unwrap();
        for row in std::iter::once(purpose).chain(agents) {
            let fields = ["requests", "pages", "refused", "missing", "failed"];
            expected.push(fields.map(|field| row[field].as_u64().unwrap()));
        }
    }
    let shown = rows(page, "agents").into_iter().map(|row| {
        let cells = cells(row);
        [1, 2, 3, 4, 5].map(|at: usize| number(&cells[at]))
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected);
}

/// The table of the chart has the sums of the days, by purpose; a span without any request says so.
fn assert_chart(page: &Html, site: &Value) {
    let table = all(page, "details.data table")[0];
    let titles: Vec<String> =
        table.select(&Selector::parse("thead th").unwrap()).map(text).collect();
    let mut shown: BTreeMap<&str, u64> = BTreeMap::new();
    for row in table.select(&Selector::parse("tbody tr").unwrap()) {
        let cells = cells(row);
        if cells[1] == "no data" {
            continue;
        }
        for (title, cell) in titles.iter().zip(&cells).skip(1) {
            let (id, _) = PURPOSES.iter().find(|(_, name)| name == title).unwrap();
            *shown.entry(id).or_default() += number(cell);
        }
    }
    let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
    for day in site["days"].as_array().unwrap() {
        for (id, _) in PURPOSES {
            let requests = day["purposes"][id].as_u64().unwrap_or_default();
            if requests > 0 {
                *expected.entry(id).or_default() += requests;
            }
        }
    }
    assert_eq!(shown, expected);
}

#[test]
fn the_figures_are_those_of_the_json_form() {
    let folder = Folder::new();
    let mut several = 0;
    for (days, a_day) in [(1, 1), (1, 300), (2, 7), (45, 40), (119, 20), (120, 20), (400, 100)] {
        let path = folder.file("access.log", log(days, a_day));
        let arguments = [path.as_str(), "--host", HOST];
        let ((text, page), site) = (page(&arguments), site(&arguments));
        assert!(text.len() <= 120_000, "{days} days: {} bytes", text.len());
        assert_figures(&page, &site);
        assert_agents(&page, &site);
        assert_chart(&page, &site);
        several += usize::from(rows(&page, "agents").len() > 60);
    }
    assert!(several > 0, "a log of many agents");
}

#[test]
fn two_hundred_agents_are_a_page_too() {
    let folder = Folder::new();
    let mut log = log(30, 120);
    for number in 0..200 {
        let at = begin() + TimeDelta::minutes(number);
        log += &line(at, "/", 200, &format!("stranger{number}bot/1.0"));
    }
    let path = folder.file("access.log", log);
    let (text, page) = page(&[&path, "--host", HOST, "--top", "500"]);
    assert_eq!(rows(&page, "unlisted").len(), 200);
    assert!(text.len() <= 150_000, "{} bytes", text.len());
}

#[test]
fn whole_days_are_compared_with_as_many_before() {
    let folder = Folder::new();
    let gptbot = user_agent(Registry::embedded().find("openai-gptbot").unwrap());
    let chatgpt = user_agent(Registry::embedded().find("openai-chatgpt-user").unwrap());
    let mut log = String::new();
    for day in 0..20_i64 {
        let at = |hour: i64| begin() + TimeDelta::days(day) + TimeDelta::hours(hour);
        log += &line(at(0), &format!("/{}", day / 5), 200, gptbot);
        log += &line(at(1), "/new", if day < 10 { 404 } else { 200 }, chatgpt);
        if day >= 10 {
            log += &line(at(2), "/other", 403, gptbot);
        }
        log += &line(at(23), "/", 200, PERSON);
    }
    let path = folder.file("access.log", &log);
    let arguments = [path.as_str(), "--host", HOST, "--since", "2025-09-30T00:00:00Z"];
    let site = site(&arguments);
    let expected = serde_json::json!({
        "from": "2025-09-30", "to": "2025-10-09",
        "figures": {
            "requests": 30, "asked_by_person": 10, "pages": 3, "refused": 10, "missing": 0, "visits": 0,
        },
        "before_from": "2025-09-20", "before_to": "2025-09-29",
        "before": {
            "requests": 20, "asked_by_person": 10, "pages": 2, "refused": 0, "missing": 10, "visits": 0,
        },
    });
    assert_eq!(site["comparison"], expected);
    // What was before is not counted otherwise.
    assert_eq!(site["agent_requests"], 30);
    let (_, compared) = page(&arguments);
    let changes: Vec<String> = all(&compared, ".shares b").into_iter().map(text).collect();
    assert_eq!(
        changes,
        ["▲ 50 %", "no change", "▲ 50 %", "▲ 33.3 points", "▼ 50.0 points", "no change"]
    );
    // The files do not have the days before these.
    let (_, alone) = page(&[&path, "--host", HOST, "--since", "2025-09-29T00:00:00Z"]);
    assert!(all(&alone, ".shares b").is_empty());
    let notes: Vec<String> = all(&alone, "p.note").into_iter().map(text).collect();
    assert!(notes.iter().any(|note| note.starts_with("Nothing is compared")), "{notes:?}");
    let (_, everything) = page(&[&path, "--host", HOST]);
    assert!(all(&everything, ".shares b").is_empty());
}

#[test]
fn the_example_is_the_log_that_was_made() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../visibility-cli/demo/log");
    let DemoLog { log, robots, sitemap, ranges } = demo_log::render();
    let mut written = String::new();
    let file = fs::File::open(format!("{folder}/access.log.gz")).unwrap();
    GzDecoder::new(file).read_to_string(&mut written).unwrap();
    let advice = "cargo run -p visibility-tests --bin demo-log visibility-cli/demo/log";
    assert!(written == log, "{advice}");
    for (name, text) in [("robots.txt", robots), ("sitemap.xml", sitemap), ("ranges.json", ranges)]
    {
        assert!(
            fs::read_to_string(format!("{folder}/{name}")).unwrap() == text,
            "{name}: {advice}"
        );
    }
}

#[test]
fn the_example_has_every_format_and_both_languages() {
    for format in ["human", "json", "markdown", "html"] {
        for lang in ["en", "tr"] {
            let arguments = ["--demo", "--format", format, "--lang", lang];
            let made = report(&arguments);
            assert_eq!(made.code, Some(0), "{arguments:?}: {}", made.stderr);
            assert!(!made.stdout.is_empty(), "{arguments:?}");
            assert_eq!(made.stderr.lines().count(), 1, "{}", made.stderr);
            assert_eq!(report(&arguments).stdout, made.stdout, "{arguments:?}");
        }
    }
    let (_, page) = page(&["--demo"]);
    let site = site(&["--demo"]);
    assert_figures(&page, &site);
    assert_agents(&page, &site);
    assert_chart(&page, &site);
    // It has something for every section.
    for id in [
        "agents",
        "pages",
        "folders",
        "errors",
        "missing",
        "sitemap",
        "not-read",
        "disallowed",
        "visits",
        "impostors",
        "unlisted",
    ] {
        assert!(!rows(&page, id).is_empty(), "{id}");
    }
    assert!(!site["comparison"].is_null());
    assert_eq!(report(&["--demo", "access.log"]).code, Some(2));
}
