//! Who may ask, and what is no question.

use std::fmt::Write as _;

use serde_json::{Value, json};
use visibility_core::accounts::scope::Scope;

use super::{LogServer, days_ago};

const QUESTIONS: [&str; 6] = ["summary", "series", "agents", "hosts", "errors", "sources"];

/// The fields of a refusal, in their order.
async fn refused(server: &LogServer, question: &str, query: &str) -> Vec<String> {
    let reply = server.get(&format!("/api/v1/logs/{question}?{query}")).await;
    let status = reply.status();
    let body: Value = reply.json().await.unwrap();
    assert_eq!(status, 400, "{question}?{query}: {body}");
    assert_eq!(body["error"]["code"], "INVALID_REQUEST", "{query}");
    let fields = body["error"]["details"]["fields"].as_array().unwrap();
    let names = fields.iter().map(|field| field["field"].as_str().unwrap().to_owned());
    let names: Vec<String> = names.collect();
    let message = body["error"]["message"].as_str().unwrap();
    for name in &names {
        assert!(message.contains(name), "{message} does not name {name}");
    }
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_that_are_not_understood_are_named() {
    let server = LogServer::start().await;
    let long = "x".repeat(8 * 1024);
    for name in ["from", "to", "agent", "purpose", "vendor", "host", "status", "kind"] {
        assert_eq!(refused(&server, "summary", &format!("{name}=")).await, [name]);
        let twice = format!("{name}=a&{name}=a");
        assert_eq!(refused(&server, "summary", &twice).await, [name]);
    }
    for (query, field) in [
        ("from=yesterday", "from"),
        ("to=2026-02-30", "to"),
        ("from=2026-02-02&to=2026-02-01", "from"),
        ("from=2020-01-01&to=2022-03-12", "from"),
        ("from=-262143-01-01&to=%2B262142-12-31", "from"),
        ("purpose=fun", "purpose"),
        ("purpose=Search", "purpose"),
        ("vendor=No+Such+Inc", "vendor"),
        ("status=99", "status"),
        ("status=600", "status"),
        ("status=6xx", "status"),
        ("status=Refused", "status"),
        ("status=404,410", "status"),
        ("kind=pages", "kind"),
        ("limit=1", "limit"),
        ("group=agent", "group"),
        ("all=true", "all"),
        ("tenant=globex", "tenant"),
    ] {
        assert_eq!(refused(&server, "summary", query).await, [field], "{query}");
    }
    for (question, query, field) in [
        ("series", "by=week", "by"),
        ("series", "by=Day", "by"),
        ("series", "group=path", "group"),
        ("series", "limit=5", "limit"),
        ("agents", "limit=0", "limit"),
        ("agents", "limit=1001", "limit"),
        ("agents", "limit=-1", "limit"),
        ("agents", "limit=1e3", "limit"),
        ("agents", "all=yes", "all"),
        ("errors", "after=x", "after"),
        ("errors", "after=-1.a", "after"),
        ("sources", "host=www.example.com", "host"),
        ("sources", "agent=openai-gptbot", "agent"),
    ] {
        assert_eq!(refused(&server, question, query).await, [field], "{question}?{query}");
    }
    // Long values are no trouble: names of agents and hosts that nothing has, or words that are none.
    for name in ["agent", "host"] {
        let answer = server.answer("summary", &format!("{name}={long}")).await;
        assert_eq!(answer["period"]["requests"], 0, "{name}");
    }
    for name in ["from", "purpose", "vendor", "status", "kind"] {
        assert_eq!(refused(&server, "summary", &format!("{name}={long}")).await, [name]);
    }
    let unknown = refused(&server, "summary", &format!("{long}=1")).await;
    assert_eq!(unknown[0].len(), 64);
    let longest = server.answer("summary", &format!("from={}", days_ago(799))).await;
    assert_eq!(longest["period"]["from"], days_ago(799).to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_that_cannot_be_answered_together_are_both_named() {
    let server = LogServer::start().await;
    let old = format!("by=hour&from={}&to={}", days_ago(96), days_ago(95));
    let many = format!("by=hour&from={}", days_ago(31));
    for (question, query, fields) in [
        ("summary", "kind=page&status=404", ["kind", "status"]),
        ("agents", "kind=page&status=404", ["kind", "status"]),
        ("errors", "kind=page&status=404", ["kind", "status"]),
        ("series", "kind=page&status=404", ["kind", "status"]),
        ("series", "group=kind&status=404", ["group", "status"]),
        ("series", "group=status&kind=page", ["group", "kind"]),
        ("series", "by=hour&group=kind", ["by", "group"]),
        ("series", "by=hour&group=status", ["by", "group"]),
        ("series", "by=hour&kind=page", ["by", "kind"]),
        ("series", "by=hour&status=404", ["by", "status"]),
        ("series", "by=hour&status=4xx", ["by", "status"]),
        ("series", many.as_str(), ["by", "from"]),
        ("series", old.as_str(), ["by", "from"]),
    ] {
        assert_eq!(refused(&server, question, query).await, fields, "{question}?{query}");
    }
    let first = format!("by=hour&from={}&to={}", days_ago(95), days_ago(95));
    server.answer("series", &first).await;
    server.answer("series", &format!("by=hour&from={}&status=failed", days_ago(30))).await;
    server.answer("series", "group=kind&status=4xx").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_needs_a_key_that_may_read_logs() {
    let server = LogServer::start().await;
    let api = &server.server;
    let with_scope = api.make_key(&[Scope::LogsRead]);
    let without_scope = api.make_key(&[Scope::ScanRead, Scope::AuditRead]);
    let elsewhere = api.key_with(|key| key.networks = vec!["192.0.2.0/24".parse().unwrap()]);
    let expired = api.key_with(|key| {
        key.created_at -= chrono::TimeDelta::days(2);
        key.lifetime = Some(chrono::TimeDelta::days(1));
    });
    let long = "x".repeat(8 * 1024);
    let mut table = String::new();
    for question in QUESTIONS {
        for suffix in ["", ".csv"] {
            let url = api.url(&format!("/api/v1/logs/{question}{suffix}"));
            for (who, token, expected) in [
                ("no one", None, 401),
                ("a key with the scope", Some(with_scope.as_str()), 200),
                ("a key without the scope", Some(&without_scope), 403),
                ("a key of other networks", Some(&elsewhere), 403),
                ("an expired key", Some(&expired), 401),
                ("a token of ingestion", Some(&server.token), 401),
                ("8 KB of something", Some(&long), 401),
            ] {
                let get = api.client.get(&url);
                let get = token.into_iter().fold(get, reqwest::RequestBuilder::bearer_auth);
                let reply = get.send().await.unwrap();
                if reply.status() != expected {
                    writeln!(table, "{question}{suffix}: {who}: {}", reply.status()).unwrap();
                }
            }
            for method in [reqwest::Method::POST, reqwest::Method::DELETE] {
                let sent = api.client.request(method, &url).bearer_auth(&with_scope).send();
                assert_eq!(sent.await.unwrap().status(), 405, "{question}{suffix}");
            }
        }
    }
    assert!(table.is_empty(), "{table}");
}

/// The records of another tenant are in no answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_reads_the_records_of_its_own_tenant() {
    let server = LogServer::start().await;
    let records = super::Records {
        at: chrono::Utc::now() - chrono::TimeDelta::hours(1),
        user_agent: "GPTBot/1.2".to_owned(),
        host: "www.example.com".to_owned(),
        path: "/".to_owned(),
        status: 404,
        bytes: 1,
        times: 5,
    };
    server.send(&[records]).await;
    let stores = &server.server.stores;
    stores.state_store().create_tenant(&"globex".parse().unwrap(), chrono::Utc::now()).unwrap();
    let key = server.server.key_with(|key| key.tenant = "globex".parse().unwrap());
    for (question, pointer, own) in [
        ("summary", "/period/requests", 5),
        ("series", "/groups/0/requests", 5),
        ("agents", "/agents/0/requests", 5),
        ("hosts", "/hosts/0/period/requests", 5),
        ("errors", "/requests", 5),
        ("sources", "/accepted", 5),
    ] {
        let of_acme = server.answer(question, "").await;
        assert_eq!(of_acme.pointer(pointer), Some(&json!(own)), "{question}");
        let get = server.server.client.get(server.server.url(&format!("/api/v1/logs/{question}")));
        let of_globex: Value = get.bearer_auth(&key).send().await.unwrap().json().await.unwrap();
        assert_eq!(of_globex["tenant"], "globex");
        let found = of_globex.pointer(pointer).cloned().unwrap_or(json!(0));
        assert_eq!(found, json!(0), "{question}: {of_globex}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_comes_in_parts() {
    let server = LogServer::start().await;
    let mut whole = server.answer("agents", "all=true").await["agents"].take();
    let mut parts = Vec::new();
    let mut path = "/api/v1/logs/agents?all=true&limit=17".to_owned();
    loop {
        let reply = server.get(&path).await;
        let link = reply.headers().get("link").map(|link| link.to_str().unwrap().to_owned());
        let mut answer: Value = reply.json().await.unwrap();
        let rows = answer["agents"].take();
        let rows = rows.as_array().unwrap();
        assert!(rows.len() <= 17);
        parts.extend(rows.iter().cloned());
        assert_eq!(link.is_some(), answer["next"].is_string());
        let Some(link) = link else { break };
        let query = link.strip_prefix('<').unwrap().strip_suffix(">; rel=\"next\"").unwrap();
        path = format!("/api/v1/logs/agents{query}");
    }
    let whole = whole.as_array_mut().unwrap();
    assert_eq!(&parts, whole);
}
