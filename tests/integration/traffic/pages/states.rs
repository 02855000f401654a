//! Who may see the pages, and what they are in every state of the records.

use chrono::{TimeDelta, Utc};
use scraper::{Html, Selector};
use visibility_core::accounts::scope::Scope;
use visibility_server::settings::Settings;
use visibility_tests::database;

use super::{records, server, signed_in};
use crate::api::browser::{ADA, Browser, PASSWORD, make_user, make_user_of};
use crate::api::server::{Server, TENANT};
use crate::traffic::{LogServer, Records, days_ago};

const BOB: &str = "bob@example.com";
const EVE: &str = "eve@example.com";
const PAGES: [&str; 6] = [
    "/logs",
    "/logs/agents",
    "/logs/agents/openai-gptbot",
    "/logs/hosts",
    "/logs/errors",
    "/logs/sources",
];
const FILES: [&str; 6] = [
    "/logs/summary.json",
    "/logs/series.csv",
    "/logs/agents.csv",
    "/logs/hosts.csv",
    "/logs/errors.json",
    "/logs/sources.csv",
];

fn some(host: &str) -> Records {
    Records {
        at: Utc::now() - TimeDelta::hours(1),
        user_agent: "GPTBot/1.2".to_owned(),
        host: host.to_owned(),
        path: "/".to_owned(),
        status: 200,
        bytes: 1,
        times: 1,
    }
}

async fn browser_of<'a>(server: &'a Server, name: &str) -> Browser<'a> {
    let mut browser = Browser::new(server);
    assert_eq!(browser.sign_in("/sign-in", name, PASSWORD).await.status, 303);
    browser
}

#[tokio::test(flavor = "multi_thread")]
async fn only_persons_who_may_read_logs_see_them() {
    let server = server(|_| {}).await;
    make_user(&server.server, BOB, &[Scope::ScanRead]);
    server
        .server
        .stores
        .state_store()
        .create_tenant(&"globex".parse().unwrap(), Utc::now())
        .unwrap();
    make_user_of(&server.server, "globex", EVE, &[Scope::LogsRead]);
    let mut stranger = Browser::new(&server.server);
    let mut bob = browser_of(&server.server, BOB).await;
    let mut eve = browser_of(&server.server, EVE).await;
    let mut ada = signed_in(&server).await;
    for path in PAGES.into_iter().chain(FILES) {
        let page = stranger.get(&format!("{path}?period=7d")).await;
        assert_eq!(page.status, 303, "{path}");
        let encoded: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
        assert_eq!(page.header("location"), format!("/sign-in?next={encoded}%3Fperiod%3D7d"));
        let page = bob.get(path).await;
        assert_eq!(page.status, 403, "{path}");
        assert!(
            page.body.contains("users scopes bob@example.com --add logs:read"),
            "{}",
            page.body
        );
        assert!(!page.body.contains("GPTBot"), "{path}");
        assert_eq!(page.header("cache-control"), "no-store");
        // The records of another tenant are in no page, whatever the address.
        let page = eve.get(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        for own in ["docs.example.com", ",steady,", ",new,", "perplexity-perplexitybot\",\"status"]
        {
            assert!(!page.body.contains(own), "{path}: {}", page.body);
        }
        if PAGES.contains(&path) {
            assert_eq!(page.texts("h1"), ["No AI agent has been seen yet"], "{path}");
        }
        assert_eq!(ada.get(path).await.status, 200, "{path}");
    }
    assert_eq!(eve.get("/logs?tenant=acme").await.status, 400);
    let links = |page: &crate::api::browser::Page| page.body.matches("href=\"/logs\"").count();
    assert_eq!(links(&bob.get("/settings/account").await), 0);
    for path in ["/", "/settings/account", "/logs"] {
        assert!(links(&ada.get(path).await) > 0, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_without_records_reads_how_to_send_some() {
    let server = LogServer::start().await;
    let stores = &server.server.stores;
    let state_store = stores.state_store();
    state_store.create_tenant(&"globex".parse().unwrap(), Utc::now()).unwrap();
    make_user_of(&server.server, "globex", BOB, &[Scope::LogsRead]);
    let mut bob = browser_of(&server.server, BOB).await;
    let page = bob.get("/logs").await;
    assert_eq!(page.texts("h1"), ["No AI agent has been seen yet"]);
    assert!(page.body.contains("visibility-server tokens create globex"), "{}", page.body);
    make_user_of(&server.server, "globex", EVE, &[Scope::LogsRead, Scope::Manage]);
    let page = bob.get("/logs").await;
    assert!(page.body.contains("Ask eve@example.com"), "{}", page.body);
    assert!(!page.body.contains("/settings/tokens"), "{}", page.body);
    let mut eve = browser_of(&server.server, EVE).await;
    let page = eve.get("/logs").await;
    for command in ["visibility logs filter", "X-Service-Tenant: globex", "/v1/logs"] {
        assert!(page.body.contains(command), "{command}: {}", page.body);
    }
    let form = page.form_of("/settings/tokens", "create");
    let made = eve.submit(&form).await;
    assert!(made.texts("pre.secret")[0].starts_with("svc_pk_live_"), "{}", made.body);
    let page = eve.get("/logs").await;
    assert!(page.body.contains("/settings#tokens"), "{}", page.body);
    assert_eq!(page.header("cache-control"), "no-store");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_record_is_enough_and_the_first_batch_is_named() {
    let server = LogServer::start().await;
    make_user(&server.server, ADA, &[Scope::LogsRead]);
    let mut ada = signed_in(&server).await;
    assert!(ada.get("/logs").await.body.contains("No AI agent has been seen yet"));
    server.send(&[some("www.example.com")]).await;
    for path in PAGES {
        let page = ada.get(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
    }
    let page = ada.get("/logs").await;
    assert!(page.body.contains("First batch"), "{}", page.body);
    assert!(page.body.contains("Nothing is compared"), "{}", page.body);
    let old = format!("/logs?from={}&to={}", days_ago(300), days_ago(299));
    let page = ada.get(&old).await;
    assert!(page.body.contains("The first records are of"), "{}", page.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_strangers_chose_is_text() {
    const HOSTILE: &str = "\"><img src=x onerror=alert(1)><script>alert(1)</script>&#x3c;\u{202e}'";
    let server = server(|settings| settings.delta.interval = 300).await;
    let data = server.server.folder.path().join("data");
    let hostile = HOSTILE.replace('\'', "''");
    for table in ["rollup", "kind_day", "hour", "agent_seen"] {
        let host = format!("UPDATE {table} SET host = '{hostile}' WHERE host = 'docs.example.com'");
        database::execute(&data, &host);
        let agent =
            format!("UPDATE {table} SET agent = '{hostile}' WHERE agent = 'bytedance-bytespider'");
        database::execute(&data, &agent);
    }
    let mut ada = signed_in(&server).await;
    let encoded: String = url::form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    let agent: String = percent_encoded(HOSTILE);
    let mut pages: Vec<String> = PAGES.map(str::to_owned).to_vec();
    pages.push(format!("/logs?host={encoded}"));
    pages.push(format!("/logs?agent={encoded}&figure=refused"));
    pages.push(format!("/logs/agents/{agent}"));
    for path in pages {
        let page = ada.get(&path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        let html = Html::parse_document(&page.body);
        let forbidden = Selector::parse("script, img, [onerror], [style], iframe").unwrap();
        assert_eq!(html.select(&forbidden).count(), 0, "{path}");
        assert!(!page.body.contains('\u{202e}'), "{path}");
    }
}

fn percent_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_say_nothing_are_refused_with_a_way_back() {
    let server = server(|_| {}).await;
    let mut ada = signed_in(&server).await;
    for (path, status) in [
        ("/logs?period=yesterday", 400),
        ("/logs?from=2026-13-01", 400),
        ("/logs?purpose=spam", 400),
        ("/logs?vendor=none", 400),
        ("/logs?figure=bytes", 400),
        ("/logs/errors?status=42", 400),
        ("/logs/errors?after=x", 400),
        ("/logs/agents/no-such-agent", 404),
        ("/logs/agents/%FF", 404),
    ] {
        let page = ada.get(path).await;
        assert_eq!(page.status, status, "{path}: {}", page.body);
        assert!(page.body.contains("href=\"/logs\""), "{path}: {}", page.body);
    }
    // A form sends the fields that were left empty, too.
    assert_eq!(ada.get("/logs?from=&to=&host=&purpose=&agent=").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_for_the_person_alone() {
    let server = server(|_| {}).await;
    let mut ada = signed_in(&server).await;
    for path in FILES {
        let file = ada.get(&format!("{path}?to={}", days_ago(1))).await;
        assert_eq!(file.status, 200, "{path}: {}", file.body);
        assert_eq!(file.header("cache-control"), "private, no-store", "{path}");
        assert_eq!(file.header("x-content-type-options"), "nosniff", "{path}");
        let api = path.replacen("/logs/", "/api/v1/logs/", 1).replacen(".json", "", 1);
        let same = server.get(&format!("{api}?to={}", days_ago(1))).await.text().await.unwrap();
        assert_eq!(file.body, same, "{path}");
        if path.contains(".csv") {
            let name = file.header("content-disposition");
            assert!(name.starts_with("attachment; filename=\"acme-"), "{path}: {name}");
        }
    }
    let refused = ada.get("/logs/series.csv?group=none").await;
    assert_eq!(refused.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_sent_again_only_if_something_has_changed() {
    let server = server(|_| {}).await;
    make_user(&server.server, BOB, &[Scope::LogsRead]);
    let mut ada = signed_in(&server).await;
    let first = ada.get("/logs").await;
    assert_eq!(first.header("cache-control"), "private, no-cache");
    let etag = first.header("etag").to_owned();
    let again = |ada: &Browser<'_>| {
        ada.request(reqwest::Method::GET, "/logs").header("if-none-match", &etag)
    };
    let request = again(&ada);
    let known = ada.send(request).await;
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    // The same numbers for another person, in a page of their own.
    let mut bob = browser_of(&server.server, BOB).await;
    let of_bob = bob.get("/logs").await;
    assert!(of_bob.body.contains(BOB) && !of_bob.body.contains(ADA), "{}", of_bob.body);
    assert_ne!(of_bob.header("etag"), etag);
    assert_eq!(of_bob.texts(".big"), first.texts(".big"));
    server.send(&records()).await;
    let request = again(&ada);
    let changed = ada.send(request).await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.texts(".big"), first.texts(".big"));
    let turkish = ada.get("/logs?lang=tr").await;
    assert_eq!(turkish.texts("h1"), ["Sitelerinizdeki yapay zekâ agent'ları"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_hosts_come_in_parts() {
    let server = LogServer::start().await;
    make_user(&server.server, ADA, &[Scope::LogsRead]);
    let hosts: Vec<Records> = (0..1001).map(|number| some(&format!("h{number}.example"))).collect();
    server.send(&hosts).await;
    let mut ada = signed_in(&server).await;
    for path in PAGES {
        let page = ada.get(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        assert!(page.body.len() < 100 * 1024, "{path}: {} bytes", page.body.len());
    }
    let mut seen = 0;
    let mut path = "/logs/hosts".to_owned();
    loop {
        let page = ada.get(&path).await;
        seen += page.texts("tbody th").len();
        let html = Html::parse_document(&page.body);
        let next = Selector::parse("a[rel=next]").unwrap();
        let Some(link) = html.select(&next).next() else { break };
        path = link.value().attr("href").unwrap().to_owned();
    }
    // Hosts after the first thousand are one.
    assert_eq!(seen, 1001);
}

#[tokio::test(flavor = "multi_thread")]
async fn days_that_an_earlier_version_has_counted_are_named() {
    let server = server(|_| {}).await;
    let data = server.server.folder.path().join("data");
    let day = days_ago(2).to_epoch_days();
    let sql =
        format!("INSERT INTO uncounted_day (tenant, day, forgotten) VALUES ('{TENANT}', {day}, 1)");
    database::execute(&data, &sql);
    let mut ada = signed_in(&server).await;
    for path in ["/logs", "/logs?figure=pages", "/logs/sources"] {
        let page = ada.get(path).await;
        assert!(page.body.contains("An earlier version has not counted"), "{path}: {}", page.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_is_shown_where_there_is_an_engine_to_ask() {
    let plain = server(|_| {}).await;
    let page = signed_in(&plain).await.get("/logs").await;
    assert!(!page.body.contains("SELECT"), "{}", page.body);
    let engines = |settings: &mut Settings| {
        settings.delta.interval = 300;
        settings.clickhouse.url = Some("http://127.0.0.1:9".to_owned());
        settings.web.delta_location = Some("s3://bucket/prefix/".to_owned());
        settings.contact = Some("mailto:ops@example.com".to_owned());
    };
    let server = server(engines).await;
    let mut ada = signed_in(&server).await;
    let page = ada.get("/logs?period=7d&host=www.example.com&figure=refused").await;
    let statements = page.texts("pre code");
    assert_eq!(statements.len(), 2, "{statements:?}");
    assert!(
        statements[0].contains("delta_scan('s3://bucket/prefix/tenant=acme')"),
        "{statements:?}"
    );
    assert!(
        statements[1].contains("FROM default.logs\nWHERE tenant = 'acme' AND"),
        "{statements:?}"
    );
    for statement in statements {
        for condition in ["host = 'www.example.com'", "status_code IN (401, 403, 406, 429, 451)"] {
            assert!(statement.contains(condition), "{statement}");
        }
    }
    assert!(page.body.contains("href=\"mailto:ops@example.com\""), "{}", page.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_without_an_answer_is_a_page_that_says_so() {
    let server = server(|settings| {
        settings.limits.permits = 1;
        settings.limits.tenant_queue = 1;
        settings.limits.queue = 1;
    })
    .await;
    let mut ada = signed_in(&server).await;
    // More at once than may wait.
    let asked = (0..30).map(|day| {
        let address = format!("/logs?from={}&to={}", days_ago(day), days_ago(0));
        ada.request(reqwest::Method::GET, &address).send()
    });
    let mut refused = 0;
    for reply in futures_util::future::join_all(asked).await {
        let reply = reply.unwrap();
        let (status, retry) =
            (reply.status().as_u16(), reply.headers().contains_key("retry-after"));
        let body = reply.text().await.unwrap();
        match status {
            200 => assert!(body.contains("AI agents on your sites"), "{body}"),
            429 | 503 => {
                refused += 1;
                assert!(retry, "{body}");
                assert!(body.contains("<h1>") && body.contains("href=\"/logs\""), "{body}");
            }
            _ => panic!("{status}: {body}"),
        }
    }
    assert!(refused > 0, "all had their turn");
    database::execute(
        &server.server.folder.path().join("data"),
        "ALTER TABLE rollup RENAME TO gone",
    );
    let page = ada.get("/logs").await;
    assert_eq!(page.status, 503, "{}", page.body);
    assert!(page.body.contains("href=\"/logs\""), "{}", page.body);
}
