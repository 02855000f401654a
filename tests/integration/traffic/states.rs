//! Whether agents still come, and whether numbers can be compared.

use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use visibility_core::store::sums::OTHER_HOST;
use visibility_tests::database;

use super::{LogServer, Records, days_ago};

fn records(user_agent: &str, hours_ago: i64, times: usize) -> Records {
    Records {
        at: Utc::now() - TimeDelta::hours(hours_ago),
        user_agent: user_agent.to_owned(),
        host: "www.example.com".to_owned(),
        path: "/".to_owned(),
        status: 200,
        bytes: 1,
        times,
    }
}

fn state<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let agents = answer["agents"].as_array().unwrap();
    agents.iter().find(|agent| agent["id"] == id).unwrap_or(&Value::Null)
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_are_new_steady_silent_or_never_seen() {
    let server = LogServer::start().await;
    server
        .send(&[
            // Each day for a week, and then not for five days.
            records("ClaudeBot/1.0", 24 * 11, 8),
            records("ClaudeBot/1.0", 24 * 10, 8),
            records("ClaudeBot/1.0", 24 * 9, 8),
            records("ClaudeBot/1.0", 24 * 5, 1),
            // The same, but too seldom to say what is usual.
            records("PerplexityBot/1.0", 24 * 11, 1),
            records("PerplexityBot/1.0", 24 * 10, 1),
            records("PerplexityBot/1.0", 24 * 5, 1),
            // Long before these days, and still.
            records("GPTBot/1.2", 24 * 40, 30),
            records("GPTBot/1.2", 2, 1),
            // Not for four weeks.
            records("CCBot/2.0", 24 * 40, 1),
            records("Bytespider", 3, 1),
        ])
        .await;
    let answer = server.answer("agents", &format!("from={}", days_ago(14))).await;
    for (id, expected) in [
        ("anthropic-claudebot", "silent"),
        ("perplexity-perplexitybot", "new"),
        ("openai-gptbot", "steady"),
        ("commoncrawl-ccbot", "silent"),
        ("bytedance-bytespider", "new"),
        ("openai-oai-searchbot", "never"),
        ("google-extended", "token_only"),
    ] {
        assert_eq!(state(&answer, id)["state"], expected, "{id}: {answer}");
    }
    assert_eq!(state(&answer, "anthropic-claudebot")["usual_gap_hours"], 24);
    assert!(state(&answer, "google-extended")["note"].as_str().unwrap().contains("robots.txt"));
    assert_eq!(state(&answer, "openai-oai-searchbot")["first_seen"], Value::Null);
    let agents = answer["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 27, "the agents of the matrix");
    let all = server.answer("agents", "all=true").await;
    // The two that are tokens alone are in the matrix, and no log has them.
    assert_eq!(all["agents"].as_array().unwrap().len(), 94 + 2);
    let turkish = server.answer("agents", "lang=tr").await;
    assert!(!state(&turkish, "google-extended")["note"].as_str().unwrap().is_ascii());
    let at_another_host = server.answer("agents", "host=shop.example.com").await;
    assert_eq!(state(&at_another_host, "openai-gptbot")["state"], "never");
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_that_cannot_be_compared_say_why() {
    let server = LogServer::start().await;
    let empty = server.answer("summary", "").await;
    assert_eq!(empty["period"]["not_whole"], json!(["records_begin_later", "not_over"]));
    server.send(&[records("GPTBot/1.2", 24 * 10, 3), records("GPTBot/1.2", 24, 2)]).await;
    let whole = server.answer("summary", &format!("from={}&to={}", days_ago(5), days_ago(1))).await;
    assert_eq!(
        (&whole["period"]["whole"], &whole["before"]["whole"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        (&whole["period"]["requests"], &whole["before"]["requests"]),
        (&json!(2), &json!(3))
    );
    let later = server.answer("summary", &format!("from={}&to={}", days_ago(6), days_ago(1))).await;
    assert_eq!(later["before"]["not_whole"], json!(["records_begin_later"]));
    // As an earlier version leaves them.
    let day = days_ago(1).to_epoch_days();
    let data = server.server.folder.path().join("data");
    database::execute(&data, "DELETE FROM kind_day");
    database::execute(
        &data,
        &format!("INSERT INTO uncounted_day (tenant, day) VALUES ('acme', {day})"),
    );
    let lacking =
        server.answer("summary", &format!("from={}&to={}", days_ago(5), days_ago(1))).await;
    assert_eq!(lacking["period"]["not_whole"], json!(["kinds_uncounted"]));
    assert_eq!(lacking["period"]["requests"], 2);
    assert_eq!(lacking["uncounted"][0]["state"], "waiting");
    for (question, query) in [("series", "group=kind"), ("agents", "kind=page"), ("sources", "")] {
        let answer = server.answer(question, query).await;
        assert_eq!(answer["uncounted"][0]["from"], days_ago(1).to_string(), "{question}");
    }
    assert_eq!(server.answer("series", "group=agent").await["uncounted"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_sent_again_only_if_something_has_changed() {
    let server = LogServer::start().await;
    server.send(&[records("GPTBot/1.2", 1, 3)]).await;
    let get = async |query: &str, etag: Option<&str>| {
        let url = server.server.url(&format!("/api/v1/logs/summary{query}"));
        let mut get = server.server.client.get(url).bearer_auth(&server.server.key);
        if let Some(etag) = etag {
            get = get.header("if-none-match", etag);
        }
        let reply = get.send().await.unwrap();
        let etag = reply.headers()["etag"].to_str().unwrap().to_owned();
        (reply.status().as_u16(), etag)
    };
    let (status, etag) = get("", None).await;
    assert_eq!(status, 200);
    assert_eq!(get("", Some(&etag)).await, (304, etag.clone()));
    assert_eq!(get("?host=www.example.com", Some(&etag)).await.0, 200);
    assert_eq!(get(".csv", Some(&etag)).await.0, 200);
    server.send(&[records("GPTBot/1.2", 1, 1)]).await;
    let (status, later) = get("", Some(&etag)).await;
    assert_eq!(status, 200);
    assert_ne!(later, etag);
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_were_folded_are_one() {
    let server = LogServer::start().await;
    server.send(&[records("GPTBot/1.2", 1, 2)]).await;
    let data = server.server.folder.path().join("data");
    for table in ["rollup", "kind_day", "hour", "agent_seen"] {
        database::execute(&data, &format!("UPDATE {table} SET host = '{OTHER_HOST}'"));
    }
    let series = server.answer("series", "group=host").await;
    assert_eq!(series["groups"][0]["key"], OTHER_HOST);
    let only = server.answer("summary", "host=(other)").await;
    assert_eq!(only["period"]["requests"], 2);
}
