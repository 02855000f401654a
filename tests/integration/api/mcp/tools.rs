//! Tools say what the API says, cost what it costs, and tell what is wrong so that an agent reads it.

use serde_json::{Value, json};
use visibility_core::accounts::scope::Scope;
use visibility_tests::server::Hosts;
use visibility_tests::site::good;

use crate::api::server::Server;

#[tokio::test]
async fn a_scan_is_that_of_the_api_and_kept_for_both() {
    let host = "shop.example.com";
    let server = Server::with(Hosts::new([good(host)]), |_| {}).await;
    let first = server.tool("scan_domain", json!({ "domain": host })).await;
    assert_eq!(first["structuredContent"]["cached"], false, "{first}");
    let cost = server.sites.requests();
    for lang in ["en", "tr"] {
        let reply = server.tool("scan_domain", json!({ "domain": host, "lang": lang })).await;
        let summary = &reply["structuredContent"];
        let result = server.result(&format!("?lang={lang}"), host).await;
        assert_eq!((&summary["cached"], &result["cached"]), (&json!(true), &json!(true)));
        for member in ["domain", "score", "tier", "tier_label", "confidence", "scanned_at"] {
            assert_eq!(summary[member], result[member], "{lang} {member}");
        }
        let failed = result["checks"].as_array().unwrap().iter();
        let failed = failed.filter(|check| check["status"] == "fail").count();
        assert_eq!(summary["summary"]["failed"], json!(failed), "{lang}");
    }
    assert_eq!(server.sites.requests(), cost, "one scan for all of them");
}

#[tokio::test]
async fn a_scan_counts_for_the_scans_of_the_key_and_what_is_kept_does_not() {
    let server =
        Server::with(Hosts::new([good("one.example.com"), good("two.example.com")]), |settings| {
            settings.limits.scans_per_day = 1;
        })
        .await;
    let scan = async |host: &str| server.tool("scan_domain", json!({ "domain": host })).await;
    assert_eq!(scan("one.example.com").await["isError"], false);
    let refused = scan("two.example.com").await;
    assert_eq!(refused["isError"], true, "{refused}");
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("DAILY_CAP_EXCEEDED: "), "{text}");
    let error = &refused["_meta"]["visibility/error"];
    assert_eq!(error["code"], "DAILY_CAP_EXCEEDED");
    assert!(error["retry_after_s"].as_u64().unwrap() > 80_000, "{error}");
    assert_eq!(scan("one.example.com").await["structuredContent"]["cached"], true);
    assert_eq!(server.scan("two.example.com").await.status(), 429, "the API counts the same");
}

#[tokio::test]
async fn what_the_api_refuses_a_tool_refuses_with_the_same_code() {
    let server = Server::with(Hosts::default(), |settings| {
        settings.fetch.deny = vec!["denied.example".to_owned()];
    })
    .await;
    for domain in ["localhost", "https://example.com", "10.0.0.1", "denied.example", "", "a..b"] {
        let body: Value = server.scan(domain).await.json().await.unwrap();
        let reply = server.tool("scan_domain", json!({ "domain": domain })).await;
        assert_eq!(reply["isError"], true, "{domain}");
        let error = &reply["_meta"]["visibility/error"];
        assert_eq!(error["code"], body["error"]["code"], "{domain}: {reply}");
        let text = reply["content"][0]["text"].as_str().unwrap();
        let message = body["error"]["message"].as_str().unwrap();
        assert!(text.contains(message), "{domain}: {text}");
    }
    let turkish = server.tool("scan_domain", json!({ "domain": "localhost", "lang": "tr" })).await;
    assert!(!turkish["content"][0]["text"].as_str().unwrap().is_ascii(), "{turkish}");
}

#[tokio::test]
async fn a_site_that_cannot_be_reached_is_reported_as_by_the_api() {
    let server = Server::with(Hosts::default(), |settings| {
        settings.fetch.connect_to = vec!["::127.0.0.1:9".to_owned()];
    })
    .await;
    let reply = server.tool("scan_domain", json!({ "domain": "gone.example.com" })).await;
    let error = &reply["_meta"]["visibility/error"];
    assert_eq!(error["code"], "UPSTREAM_SCAN_FAILED", "{reply}");
}

#[tokio::test]
async fn invalid_arguments_are_reported_in_band() {
    let server = Server::start().await;
    for arguments in [json!({}), json!({ "domain": 1 }), json!({ "domain": "a.com", "x": 1 })] {
        let reply = server.tool("scan_domain", arguments.clone()).await;
        assert_eq!(reply["isError"], true, "{arguments}");
        let text = reply["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("INVALID_REQUEST: "), "{text}");
    }
}

#[tokio::test]
async fn an_audit_is_that_of_the_api_and_counts_for_the_key() {
    let host = "shop.example.com";
    let url = format!("https://{host}/");
    let server = Server::with(Hosts::new([good(host)]), |settings| {
        settings.limits.audits_per_day = 1;
    })
    .await;
    let first = server.tool("audit_page", json!({ "url": url })).await;
    assert_eq!(first["isError"], false, "{first}");
    let summary = &first["structuredContent"];
    let id = summary["id"].as_str().unwrap();
    let kept: Value = server.get(&format!("/api/public/audit/{id}")).await.json().await.unwrap();
    assert_eq!(kept["id"], summary["id"]);
    assert_eq!(kept["gpt_visibility_score"], summary["gpt_visibility_score"]);
    let again = server.tool("get_audit", json!({ "audit_id": id })).await;
    assert_eq!(again["structuredContent"]["id"], summary["id"], "{again}");
    let other = server.tool("audit_page", json!({ "url": format!("{url}x") })).await;
    assert_eq!(other["_meta"]["visibility/error"]["code"], "RATE_LIMITED", "{other}");
    let by_address = json!({ "url": format!("{url}y") });
    let request = server.client.post(server.url("/api/public/audit")).json(&by_address);
    assert_eq!(request.send().await.unwrap().status(), 201, "an address counts apart");
    let none = json!({ "audit_id": "aud_0000000000000000000001" });
    let none = server.tool("get_audit", none).await;
    assert_eq!(none["_meta"]["visibility/error"]["code"], "NOT_FOUND", "{none}");
}

#[tokio::test]
async fn what_is_read_by_address_wants_its_scope() {
    let host = "shop.example.com";
    let server = Server::with(Hosts::new([good(host)]), |_| {}).await;
    let uri = format!("visibility://scan/{host}");
    let read = server.rpc("resources/read", json!({ "uri": uri })).await;
    assert_eq!(read.status(), 200);
    let key = server.make_key(&[Scope::AuditRead]);
    let body =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": { "uri": uri } });
    let mut request = server.message("/mcp", body.to_string()).build().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
    assert_eq!(server.client.execute(request).await.unwrap().status(), 403);
}
