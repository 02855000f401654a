//! Common messages are answered without the library, and clients see no difference.

use serde_json::{Value, json};
use visibility_tests::server::Hosts;
use visibility_tests::site::good;

use super::{MODERN, meta};
use crate::api::server::Server;

/// Status, media type and body of the answer.
type Answered = (u16, String, String);

async fn ask(server: &Server, body: &Value, fields: &[(&str, &str)]) -> Answered {
    let mut request = server.message("/mcp", body.to_string());
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    let response = request.send().await.unwrap();
    let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
    (response.status().as_u16(), kind, response.text().await.unwrap())
}

#[tokio::test]
async fn both_ways_give_the_same_response_byte_for_byte() {
    let hosts = Hosts::new([good("shop.example.com")]);
    let server = Server::with(hosts, |settings| settings.limits.mcp_per_minute = 0).await;
    // From here on the scan is cached.
    server.tool("scan_domain", json!({ "domain": "shop.example.com" })).await;
    let call = |name: &str, arguments| json!({ "name": name, "arguments": arguments });
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", call("scan_domain", json!({ "domain": "shop.example.com" }))),
        ("tools/call", call("scan_domain", json!({ "domain": "shop.example.com", "lang": "tr" }))),
        ("tools/call", call("scan_domain", json!({ "domain": "no domain" }))),
        ("tools/call", call("scan_domain", json!({ "site": 1 }))),
        ("tools/call", call("list_checks", Value::Null)),
        ("tools/call", json!({ "name": "list_checks" })),
        ("tools/call", call("get_agent_access", json!({ "domain": "shop.example.com" }))),
        ("tools/call", call("no_tool", json!({}))),
        ("tools/call", json!({ "arguments": {} })),
        ("tools/list", json!({ "cursor": "x" })),
    ] {
        for id in [json!(7), json!("a \u{1f600}\"")] {
            let with = |meta: Value| {
                let mut params = params.clone();
                if !meta.is_null() {
                    params["_meta"] = meta;
                }
                json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
            };
            // One more member makes a message uncommon.
            let unusual = with(json!({ "example.com/more": 1 }));
            for version in [None, Some("2025-11-25"), Some("2025-03-26")] {
                let fields: Vec<_> =
                    version.map(|version| ("mcp-protocol-version", version)).into_iter().collect();
                let usual = ask(&server, &with(Value::Null), &fields).await;
                assert_eq!(usual, ask(&server, &unusual, &fields).await, "{version:?} {params}");
            }
            let mut fields = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
            fields.extend(params["name"].as_str().map(|name| ("mcp-name", name)));
            let mut more = meta(MODERN);
            more["example.com/more"] = json!(1);
            let usual = ask(&server, &with(meta(MODERN)), &fields).await;
            assert_eq!(usual, ask(&server, &with(more), &fields).await, "{params}");
        }
    }
}

#[tokio::test]
async fn fields_that_do_not_agree_with_the_message_are_judged_by_the_library() {
    let server = Server::start().await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "list_checks", "arguments": {}, "_meta": meta(MODERN) } });
    let agreeing = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-name", "list_checks"),
    ];
    assert_eq!(ask(&server, &body, &agreeing).await.0, 200);
    for (at, other) in [(0, "2025-11-25"), (1, "tools/list"), (2, "scan_domain")] {
        let mut fields = agreeing;
        fields[at].1 = other;
        let (status, _, text) = ask(&server, &body, &fields).await;
        assert_eq!(status, 400, "{other}: {text}");
        let missing = agreeing.iter().enumerate().filter(|(place, _)| *place != at);
        let missing: Vec<_> = missing.map(|(_, field)| *field).collect();
        assert_eq!(ask(&server, &body, &missing).await.0, 400, "without {}", agreeing[at].0);
    }
}
