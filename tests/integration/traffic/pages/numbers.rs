//! Every number of a page is in the answers of the routes, for the address of the page.

use std::collections::{BTreeMap, BTreeSet};

use scraper::{ElementRef, Html, Selector};
use serde_json::Value;

use super::{OTHER_HOST, server, signed_in};
use crate::traffic::{LogServer, days_ago};

fn select<'a>(root: ElementRef<'a>, selector: &str) -> Vec<ElementRef<'a>> {
    root.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number with marks between its thousands; `–` is none.
fn number(text: &str) -> u64 {
    if text == "–" {
        return 0;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("{text:?} is no number"))
}

/// The share as the page writes it.
fn share(part: u64, whole: u64) -> String {
    let percent = visibility_core::text::number::percent(
        part,
        whole,
        visibility_core::text::locale::Lang::En,
    );
    format!("{percent} %")
}

/// The answer of the API to the question of a link of the page.
async fn linked(server: &LogServer, link: &str) -> Value {
    let path = link.replacen("/logs/", "/api/v1/logs/", 1).replacen(".json", "", 1);
    let reply = server.get(&path).await;
    assert_eq!(reply.status(), 200, "{path}");
    reply.json().await.unwrap()
}

fn json_links(root: ElementRef<'_>, selector: &str) -> Vec<String> {
    let links = select(root, selector).into_iter();
    let links = links.map(|link| link.value().attr("href").unwrap().to_owned());
    links.filter(|link| link.starts_with("/logs/") && link.contains(".json")).collect()
}

/// The figures at the top.
fn check_figures(page: ElementRef<'_>, summary: &Value, about: &str) {
    let period = &summary["period"];
    let value = |name: &str| period[name].as_u64().unwrap();
    let requests = value("requests");
    let names: BTreeMap<&str, &str> = BTreeMap::from([
        ("Requests", "requests"),
        ("Asked by a person", "asked_by_person"),
        ("Requests for pages", "pages"),
        ("Refused", "refused"),
        ("Not found", "missing"),
    ]);
    let figures = select(page, "ul.shares li");
    assert!(figures.len() >= 4, "{about}");
    for figure in figures {
        let title = text(select(figure, ".eyebrow")[0]);
        let shown = text(select(figure, ".big")[0]);
        let part = value(names[title.as_str()]);
        let expected = match title.as_str() {
            "Refused" | "Not found" => {
                let number = text(select(figure, ".big small")[0]);
                assert_eq!(number.replace(',', ""), part.to_string(), "{about} {title}");
                format!("{} {number}", share(part, requests))
            }
            _ => {
                assert_eq!(number(&shown), part, "{about} {title}");
                continue;
            }
        };
        assert_eq!(shown, expected, "{about} {title}");
    }
}

/// The chart: its legend, and its table.
fn check_chart(figure: ElementRef<'_>, series: &Value, about: &str) {
    let groups = series["groups"].as_array().unwrap();
    let sums: Vec<u64> = groups.iter().map(|group| group["requests"].as_u64().unwrap()).collect();
    let legend: Vec<u64> =
        select(figure, "ul.legend b").into_iter().map(|sum| number(&text(sum))).collect();
    assert_eq!(legend.iter().sum::<u64>(), sums.iter().sum::<u64>(), "{about}");
    let columns: Vec<Vec<u64>> = select(figure, "details.data tbody tr")
        .into_iter()
        .map(|row| select(row, "td").into_iter().map(|cell| number(&text(cell))).collect())
        .collect();
    // Each bar is one span, or a week of them.
    let spans = groups[0]["values"].as_array().unwrap().len();
    let step = spans.div_ceil(columns.len());
    let of_all = |place: usize| -> u64 {
        groups.iter().map(|group| group["values"][place].as_u64().unwrap()).sum()
    };
    let expected: Vec<u64> = (0..spans)
        .step_by(step)
        .map(|first| (first..(first + step).min(spans)).map(of_all).sum())
        .collect();
    let found: Vec<u64> = columns.iter().map(|row| row.iter().sum()).collect();
    assert_eq!(found, expected, "{about}");
    let by_column: BTreeSet<u64> =
        (0..columns[0].len()).map(|place| columns.iter().map(|row| row[place]).sum()).collect();
    assert_eq!(by_column, legend.into_iter().collect(), "{about}");
}

/// What was refused, missing and failed, by agent.
fn check_errors(
    page: ElementRef<'_>,
    (summary, errors, agents): (&Value, &Value, &Value),
    about: &str,
) {
    let cards = select(page, "section[aria-labelledby=errors] .card");
    for (card, class) in cards.into_iter().zip(["refused", "missing", "failed"]) {
        let total = number(text(select(card, "h3")[0]).rsplit(' ').next().unwrap());
        assert_eq!(total, summary["period"][class].as_u64().unwrap(), "{about} {class}");
        for item in select(card, "li") {
            let name = text(select(item, "a")[0]);
            let said = text(select(item, "small")[0]);
            let rows = errors["errors"].as_array().unwrap().iter();
            let part: u64 = rows
                .filter(|row| row["name"] == name.as_str() && row["class"] == class)
                .map(|row| row["requests"].as_u64().unwrap())
                .sum();
            let rows = agents["agents"].as_array().unwrap();
            let agent = rows.iter().find(|row| row["name"] == name.as_str()).unwrap();
            let all = agent["requests"].as_u64().unwrap();
            assert!(
                said.starts_with(&format!("{part} of {all} requests")),
                "{about} {name}: {said}"
            );
            assert!(text(item).contains(&share(part, all)), "{about} {name}: {}", text(item));
        }
    }
}

/// Operators, each the sum of its agents.
fn check_operators(page: ElementRef<'_>, agents: &Value, about: &str) {
    let agents = agents["agents"].as_array().unwrap();
    let mut listed = 0;
    for row in select(page, "section[aria-labelledby=operators] tbody tr") {
        let name = text(select(row, "th")[0]);
        let sum = |column: &str, purpose: Option<&str>| -> u64 {
            let own = agents.iter().filter(|agent| agent["vendor"] == name.as_str());
            let own = own.filter(|agent| purpose.is_none_or(|only| agent["purpose"] == only));
            own.map(|agent| agent[column].as_u64().unwrap()).sum()
        };
        let cells: Vec<String> = select(row, "td.number").into_iter().map(text).collect();
        let requests = sum("requests", None);
        assert_eq!(number(&cells[0]), requests, "{about} {name}");
        assert_eq!(number(&cells[2]), sum("requests", Some("user")), "{about} {name}");
        for (cell, column) in cells[3..].iter().zip(["refused", "missing"]) {
            let part = sum(column, None);
            let expected = if part == 0 { "–".to_owned() } else { share(part, requests) };
            assert_eq!(*cell, expected, "{about} {name}");
        }
        listed += requests;
    }
    let all: u64 = agents.iter().map(|agent| agent["requests"].as_u64().unwrap()).sum();
    assert_eq!(listed, all, "{about}");
}

/// Addresses of the page: periods, hosts, purposes, agents, vendors and figures.
fn addresses() -> Vec<String> {
    let days = format!("from={}&to={}", days_ago(20), days_ago(11));
    let day = format!("from={0}&to={0}", days_ago(3));
    let mut addresses = Vec::new();
    for period in ["", "period=1d", "period=7d", "period=90d", "period=25m", &days, &day] {
        for filter in [
            "",
            &format!("host={OTHER_HOST}"),
            "purpose=training",
            "agent=anthropic-claudebot",
            "vendor=OpenAI",
        ] {
            addresses.push(format!("{period}&{filter}"));
        }
    }
    for figure in ["for-person", "pages", "refused", "missing"] {
        for period in ["period=7d", &days, "period=90d&host=www.example.com", &day] {
            addresses.push(format!("{period}&figure={figure}"));
        }
    }
    addresses
}

#[tokio::test(flavor = "multi_thread")]
async fn every_number_is_in_the_answers_of_the_same_address() {
    let server = server(|_| {}).await;
    let mut browser = signed_in(&server).await;
    let addresses = addresses();
    assert!(addresses.len() >= 50, "{}", addresses.len());
    for address in addresses {
        let reply = browser.get(&format!("/logs?{address}")).await;
        assert_eq!(reply.status, 200, "{address}: {}", reply.body);
        assert!(reply.body.len() < 100 * 1024, "{address}: {}", reply.body.len());
        let (agents, errors, series, links) = {
            let html = Html::parse_document(&reply.body);
            let page = html.root_element();
            let all = json_links(page, "a");
            let of = |kind: &str| all.iter().find(|link| link.contains(kind)).cloned();
            (of("/agents.json"), of("/errors.json"), of("/series.json"), all)
        };
        let (agents, errors) = (agents.unwrap(), errors.unwrap());
        assert!(links.iter().all(|link| link.contains("from=")), "{links:?}");
        let summary =
            agents.replacen("/agents.json", "/summary.json", 1).replacen("&limit=1000", "", 1);
        let summary = linked(&server, &summary).await;
        let (agents, errors) = (linked(&server, &agents).await, linked(&server, &errors).await);
        let chart = match series {
            Some(link) => Some(linked(&server, &link).await),
            None => None,
        };
        let html = Html::parse_document(&reply.body);
        let page = html.root_element();
        check_figures(page, &summary, &address);
        check_errors(page, (&summary, &errors, &agents), &address);
        check_operators(page, &agents, &address);
        match chart {
            Some(series) => check_chart(select(page, "figure")[0], &series, &address),
            None => assert!(reply.body.contains("There are no such requests"), "{address}"),
        }
    }
}

/// The change of each operator is that of the summary of its agents, of the days that are over.
#[tokio::test(flavor = "multi_thread")]
async fn changes_of_operators_are_those_of_their_summaries() {
    let server = server(|_| {}).await;
    // One that stays away, and one that comes twice as often.
    let record = |user_agent: &str, day: i64, times: usize| crate::traffic::Records {
        at: days_ago(day).and_time(chrono::NaiveTime::MIN).and_utc(),
        user_agent: user_agent.to_owned(),
        host: OTHER_HOST.to_owned(),
        path: "/".to_owned(),
        status: 200,
        bytes: 1,
        times,
    };
    server
        .send(&[
            record("Amazonbot/0.1", 9, 30),
            record("CCBot/2.0", 8, 4),
            record("CCBot/2.0", 2, 8),
        ])
        .await;
    let mut browser = signed_in(&server).await;
    let page = browser.get("/logs?period=7d").await;
    let rows: Vec<(String, String)> = {
        let html = Html::parse_document(&page.body);
        let rows =
            select(html.root_element(), "section[aria-labelledby=operators] tbody tr").into_iter();
        let cell = |row| (text(select(row, "th")[0]), text(select(row, "td.number")[1]));
        rows.map(cell).collect()
    };
    let named: BTreeMap<&str, &str> =
        rows.iter().map(|(name, change)| (name.as_str(), change.as_str())).collect();
    assert_eq!(named["Amazon"], "▼ 100 %", "{rows:?}");
    assert_eq!(named["Common Crawl"], "▲ 100 %", "{rows:?}");
    for (name, change) in &rows {
        let vendor: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
        let query = format!("from={}&to={}&vendor={vendor}", days_ago(6), days_ago(1));
        let summary = server.answer("summary", &query).await;
        let requests = |period: &str| summary[period]["requests"].as_u64().unwrap();
        let (now, before) = (requests("period"), requests("before"));
        let expected = match now.abs_diff(before) {
            0 => "no change".to_owned(),
            _ if before == 0 => "none before".to_owned(),
            difference => {
                let arrow = if now > before { "▲" } else { "▼" };
                format!("{arrow} {} %", (difference * 100 + before / 2) / before)
            }
        };
        assert_eq!(*change, expected, "{name}");
    }
}

/// Tables of the other pages: the numbers of each row, in their order.
#[tokio::test(flavor = "multi_thread")]
async fn lists_are_those_of_the_routes() {
    let server = server(|_| {}).await;
    let mut browser = signed_in(&server).await;
    for (path, columns) in [
        ("/logs/agents?period=7d", &["requests"][..]),
        ("/logs/agents/perplexity-perplexitybot?period=7d", &["requests"]),
        ("/logs/errors?period=90d&status=refused", &["requests"]),
        ("/logs/hosts?period=7d", &["worse", "requests", "before"]),
    ] {
        let reply = browser.get(path).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        let link = {
            let html = Html::parse_document(&reply.body);
            let links = json_links(html.root_element(), ".files a");
            links.into_iter().find(|link| !link.contains("/series.json")).unwrap()
        };
        let answer = linked(&server, &link).await;
        let kind = ["agents", "errors", "hosts"]
            .into_iter()
            .find(|kind| answer.get(kind).is_some())
            .unwrap();
        let expected: Vec<Vec<u64>> = answer[kind]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                let value = |column: &&str| match *column {
                    "before" => row["before"]["requests"].as_u64(),
                    "worse" => row["worse"].as_u64(),
                    _ => row["period"]["requests"].as_u64().or(row["requests"].as_u64()),
                };
                columns.iter().map(|column| value(column).unwrap_or(0)).collect()
            })
            .collect();
        let html = Html::parse_document(&reply.body);
        let rows = select(html.root_element(), "div.card.scroll tbody tr").into_iter();
        let found: Vec<Vec<u64>> = rows
            .take(expected.len())
            .map(|row| {
                let cells = select(row, "td.number").into_iter().take(columns.len());
                cells.map(|cell| number(&text(cell))).collect()
            })
            .collect();
        assert!(!expected.is_empty(), "{path}");
        assert_eq!(found, expected, "{path}");
    }
}

/// Who was refused, and since when: the answer is a click away.
#[tokio::test(flavor = "multi_thread")]
async fn the_agent_that_is_refused_is_named_with_the_day() {
    let server = server(|_| {}).await;
    let mut browser = signed_in(&server).await;
    let page = browser.get("/logs").await;
    let (link, said) = {
        let html = Html::parse_document(&page.body);
        let items =
            select(html.root_element(), "section[aria-labelledby=errors] .card:first-child li");
        let item = items.into_iter().find(|item| text(*item).contains("PerplexityBot")).unwrap();
        (select(item, "a")[0].value().attr("href").unwrap().to_owned(), text(item))
    };
    let day = days_ago(5).format("%-d %b").to_string();
    assert!(said.contains(&format!("from {day} to")), "{said}");
    let agent = browser.get(&link).await;
    let html = Html::parse_document(&agent.body);
    assert_eq!(text(select(html.root_element(), "h1")[0]), "PerplexityBot");
    let rows = select(html.root_element(), "section[aria-labelledby=by-status] tbody tr");
    let first_day = days_ago(5).format("%-d %b %Y").to_string();
    assert!(text(rows[0]).contains("403 Refused"), "{}", text(rows[0]));
    assert!(text(rows[0]).contains(&first_day), "{}", text(rows[0]));
}
