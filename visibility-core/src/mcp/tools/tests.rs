use std::collections::BTreeSet;

use crate::agents::Registry;
use crate::audit::profile::Profile;
use crate::page::content::tokens;
use crate::scan::checks::CHECKS;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use rmcp::model::{CallToolResult, ListToolsResult, Tool as Listed};
use serde_json::{Value, json};

use super::*;
use crate::mcp::fixture::{BARE, BUSY, Fixture, GONE, GOOD, HOSTILE, INJECTION, audit_id};
use crate::mcp::host::CallerContext;
use crate::mcp::progress::Progress;
use crate::mcp::untrusted;
use crate::rubric::fix::Platform;

const LANGS: [&str; 2] = ["en", "tr"];
/// Tokens of the whole list, and of these seven tools.
const MAX_LIST_TOKENS: usize = 3_000;
const MAX_OWN_TOKENS: usize = 2_000;
const OWN: [&str; 7] = [
    "scan_domain",
    "get_check",
    "explain_check",
    "list_checks",
    "get_agent_access",
    "get_fix",
    "compare_domains",
];

/// Arguments that each tool answers.
fn good_calls() -> Vec<(&'static str, Value)> {
    let mut calls = vec![
        ("list_checks", json!({})),
        ("list_checks", json!({ "category": "policy" })),
        ("compare_domains", json!({ "domains": [GOOD, BARE] })),
        ("compare_domains", json!({ "domains": [GOOD, BARE, HOSTILE, GONE, BUSY] })),
        ("get_audit", json!({ "audit_id": audit_id().to_string() })),
        ("query_bot_traffic", json!({ "group_by": "path", "path_prefix": "/" })),
    ];
    for domain in [GOOD, HOSTILE] {
        for profile in Profile::ALL {
            let url = format!("https://{domain}/");
            calls.push(("audit_page", json!({ "url": url, "profile": profile })));
        }
    }
    for check in CHECKS {
        calls.push(("explain_check", json!({ "check_id": check.id })));
    }
    for domain in [GOOD, BARE, HOSTILE] {
        calls.push(("scan_domain", json!({ "domain": domain })));
        calls.push(("get_agent_access", json!({ "domain": domain })));
        calls.push(("get_agent_access", json!({ "domain": domain, "agent": "gptbot" })));
        for check in CHECKS {
            calls.push(("get_check", json!({ "domain": domain, "check_id": check.id })));
            for platform in Platform::ALL {
                let arguments =
                    json!({ "domain": domain, "check_id": check.id, "platform": platform });
                calls.push(("get_fix", arguments));
            }
        }
    }
    calls
}

fn in_lang(arguments: &Value, lang: &str) -> Value {
    let mut arguments = arguments.clone();
    arguments["lang"] = lang.into();
    arguments
}

fn text(result: &CallToolResult) -> &str {
    result.content.first().and_then(|block| block.as_text()).map_or("", |text| &text.text)
}

fn listed(name: &str) -> Listed {
    offered(true).into_iter().find(|tool| tool.name == name).expect("a tool")
}

#[test]
fn the_list_is_as_it_was() {
    let own: Vec<Listed> =
        offered(true).into_iter().filter(|tool| OWN.contains(&tool.name.as_ref())).collect();
    insta::assert_json_snapshot!(own);
}

#[test]
fn every_client_can_read_the_list() {
    let tools = offered(true);
    let names: BTreeSet<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names.len(), tools.len());
    for tool in &tools {
        let name = tool.name.as_ref();
        let labels: Vec<&str> = name.split('_').collect();
        let is_word = |word: &&str| {
            !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase())
        };
        assert!(labels.len() >= 2 && labels.iter().all(is_word), "{name}");
        assert!(name.len() <= 30, "{name}");
        assert!(tool.title.is_some(), "{name}");
        let hints = tool.annotations.as_ref().expect("annotations");
        assert_eq!(hints.read_only_hint, Some(true), "{name}");
        assert_eq!(hints.destructive_hint, Some(false), "{name}");
        assert_eq!(hints.idempotent_hint, Some(true), "{name}");
        assert!(hints.open_world_hint.is_some(), "{name}");
        let description = tool.description.as_deref().unwrap_or_default();
        assert!(description.chars().count() <= 400 && description.ends_with('.'), "{name}");
        assert!(description.matches(". ").count() <= 1, "{name}: {description}");
        assert!(!description.contains("  "), "{name}: {description}");
        let output = tool.output_schema.as_ref().expect("an output schema");
        for (schema, part) in [(&tool.input_schema, "input"), (output, "output")] {
            assert_eq!(schema.get("type"), Some(&"object".into()), "{name} {part}");
            assert!(schema.contains_key("properties"), "{name} {part}");
            walk(&Value::Object((**schema).clone()), &format!("{name} {part}"));
        }
        let input = Value::Object((*tool.input_schema).clone());
        assert_eq!(input["additionalProperties"], false, "{name}");
        for (argument, schema) in input["properties"].as_object().expect("properties") {
            let is_described = schema["description"].is_string() || schema["enum"].is_array();
            assert!(is_described, "{name} {argument}");
            assert_ne!(schema["type"], "object", "{name} {argument}");
        }
    }
}

/// Nothing in a schema that some client does not know.
fn walk(schema: &Value, place: &str) {
    match schema {
        Value::Object(members) => {
            for name in ["$ref", "$defs", "anyOf", "oneOf", "allOf", "definitions"] {
                assert!(!members.contains_key(name), "{place}: {name}");
            }
            if let Some(kind) = members.get("type").filter(|_| !members.contains_key("items")) {
                assert!(kind.is_string() || kind.is_object(), "{place}: {kind}");
            }
            for (name, member) in members {
                walk(member, &format!("{place}/{name}"));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, place)),
        _ => {}
    }
}

#[test]
fn the_list_costs_less_than_it_may() {
    let cost = |tools: &[Listed]| {
        let tools = ListToolsResult::with_all_items(tools.to_vec());
        let json = serde_json::to_string(&tools).expect("JSON");
        let estimate = tokens::estimate(&json, tokens::TokenLanguage::English);
        let bound = json.chars().count() * 10 / 36;
        estimate.max(bound)
    };
    let all = offered(true);
    let own: Vec<Listed> =
        all.iter().filter(|tool| OWN.contains(&tool.name.as_ref())).cloned().collect();
    assert_eq!(own.len(), OWN.len());
    let (own, all) = (cost(&own), cost(&all));
    assert!(own <= MAX_OWN_TOKENS && all < MAX_LIST_TOKENS, "{own} of {all} tokens");
}

#[tokio::test]
async fn every_answer_is_what_its_schema_says() {
    let host = Fixture::new().await;
    let mut seen = BTreeSet::new();
    for (name, arguments) in good_calls() {
        let schema = listed(name).output_schema.expect("a schema");
        let schema =
            jsonschema::validator_for(&Value::Object((*schema).clone())).expect("a schema");
        for lang in LANGS {
            let result = host.call(name, in_lang(&arguments, lang)).await;
            assert_ne!(result.is_error, Some(true), "{name} {arguments}: {}", text(&result));
            let output = result.structured_content.as_ref().expect("an object");
            assert!(output.to_string().chars().count() <= 40_000, "{name} {arguments}");
            let errors: Vec<String> =
                schema.iter_errors(output).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{name} {arguments}: {errors:?}");
            assert!(!has_null(output), "{name} {arguments}: {output}");
            seen.insert(name);
        }
    }
    let names = offered(true).into_iter().map(|tool| tool.name.into_owned());
    assert_eq!(seen.into_iter().map(str::to_owned).collect::<Vec<_>>(), sorted(names));
}

fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

#[tokio::test]
async fn every_member_is_listed() {
    let host = Fixture::new().await;
    for (name, arguments) in good_calls() {
        let schema = Value::Object((*listed(name).output_schema.expect("a schema")).clone());
        let output = host.call(name, arguments).await.structured_content.expect("an object");
        for (member, value) in output.as_object().expect("an object") {
            let listed = &schema["properties"][member];
            assert!(listed.is_object(), "{name}: {member}");
            let names = listed["description"].as_str().unwrap_or_default();
            let names: BTreeSet<&str> =
                names.split(", ").filter_map(|name| name.split(' ').next()).collect();
            for row in value.as_array().into_iter().flatten().filter_map(Value::as_object) {
                let is_described = row.keys().all(|name| names.contains(name.as_str()));
                assert!(is_described, "{name} {member}: {row:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_text_is_json_or_short_markdown() {
    let host = Fixture::new().await;
    for (name, arguments) in good_calls() {
        for lang in LANGS {
            let result = host.call(name, in_lang(&arguments, lang)).await;
            let text = text(&result);
            let output = result.structured_content.as_ref().expect("an object");
            if output.to_string().len() <= 2048 {
                let parsed: Value = serde_json::from_str(text).expect("JSON");
                assert_eq!(&parsed, output);
                continue;
            }
            assert!(!text.starts_with('{') && text.chars().count() <= 20_000);
            // A file is given whole; all else is short.
            if name != "get_fix" {
                let language = if lang == "tr" {
                    tokens::TokenLanguage::Turkish
                } else {
                    tokens::TokenLanguage::English
                };
                let cost = tokens::estimate(text, language);
                assert!(cost <= 2_100, "{name} {arguments}: {cost}\n{text}");
            }
            for hole in ["mcp.", "interface.", "{domain}", "{points}", "{text}"] {
                assert!(!text.contains(hole), "{name} {arguments}: {hole}\n{text}");
            }
        }
    }
}

#[tokio::test]
async fn what_a_site_says_is_data_everywhere() {
    let host = Fixture::new().await;
    let mut tested = BTreeSet::new();
    for (name, arguments) in good_calls() {
        let schema = listed(name).output_schema.expect("a schema");
        let schema = Value::Object((*schema).clone());
        for lang in LANGS {
            let result = host.call(name, in_lang(&arguments, lang)).await;
            let output = result.structured_content.as_ref().expect("an object");
            let place = format!("{name} {arguments}");
            if output.to_string().contains(INJECTION) {
                tested.insert(name);
                assert!(output["note"].as_str().is_some_and(|note| note.len() > 50), "{place}");
            }
            marked(output, &schema, &place);
            let markdown = markdown(&host, name, in_lang(&arguments, lang)).await;
            let text = &markdown;
            let is_harmless =
                |letter: char| letter == '\n' || letter == '\t' || !is_dangerous(letter);
            assert!(text.chars().all(is_harmless), "{place}: {text:?}");
            assert!(!prose(text).contains(INJECTION), "{place}: {text}");
            let lang = lang.parse().expect("a language");
            let note = untrusted::note(crate::text::locale::Catalog::for_lang(lang));
            let first = text.find(INJECTION);
            assert!(first.is_none_or(|at| text.find(&note).is_some_and(|note| note < at)));
            let notes = text.matches(&format!("{note}\n\n```")).count();
            let blocks = text.lines().filter(|line| line.trim_matches('`') == untrusted::MARK);
            assert!(blocks.count() <= notes, "{place}: {text}");
        }
    }
    // Otherwise nothing was tried.
    assert_eq!(
        tested,
        [
            "audit_page",
            "get_agent_access",
            "get_audit",
            "get_check",
            "get_fix",
            "query_bot_traffic"
        ]
        .into()
    );
}

/// The text of an answer as Markdown, however short it is.
async fn markdown(host: &Fixture, name: &str, arguments: Value) -> String {
    async fn call_tool<T: Tool>(host: &Fixture, arguments: Value) -> String {
        let (caller, progress) = (rmcp::model::Extensions::new(), Progress::silent());
        let call = Call { host, caller: CallerContext(&caller), progress: &progress };
        let input: T::Input = serde_json::from_value(arguments).expect("arguments");
        let Ok(reply) = T::call(call, input).await else { panic!("no reply") };
        (reply.markdown)(&reply.output)
    }
    match name {
        "scan_domain" => call_tool::<scan_domain::ScanDomain>(host, arguments).await,
        "get_check" => call_tool::<get_check::GetCheck>(host, arguments).await,
        "explain_check" => call_tool::<explain_check::ExplainCheck>(host, arguments).await,
        "list_checks" => call_tool::<list_checks::ListChecks>(host, arguments).await,
        "get_agent_access" => call_tool::<get_agent_access::GetAgentAccess>(host, arguments).await,
        "get_fix" => call_tool::<get_fix::GetFix>(host, arguments).await,
        "compare_domains" => call_tool::<compare_domains::CompareDomains>(host, arguments).await,
        "audit_page" => call_tool::<audit_page::AuditPage>(host, arguments).await,
        "get_audit" => call_tool::<get_audit::GetAudit>(host, arguments).await,
        "query_bot_traffic" => {
            call_tool::<query_bot_traffic::QueryBotTraffic>(host, arguments).await
        }
        other => panic!("{other} is no tool"),
    }
}

#[tokio::test]
async fn answers_read_well() {
    let host = Fixture::new().await;
    for (label, name, arguments) in [
        ("scan", "scan_domain", json!({ "domain": HOSTILE })),
        ("check", "get_check", json!({ "domain": HOSTILE, "check_id": "robots-txt" })),
        ("agent", "get_agent_access", json!({ "domain": GOOD, "agent": "GPTBot" })),
        ("fix", "get_fix", json!({ "domain": BARE, "check_id": "sitemap", "platform": "nextjs" })),
        ("compared", "compare_domains", json!({ "domains": [GOOD, GONE] })),
    ] {
        for lang in LANGS {
            let text = markdown(&host, name, in_lang(&arguments, lang)).await;
            insta::with_settings!({ snapshot_suffix => format!("{label}-{lang}") }, {
                insta::assert_snapshot!(text);
            });
        }
    }
}

/// Text of a site appears only in members whose schema says so, cut and without hidden characters.
fn marked(value: &Value, schema: &Value, place: &str) {
    match value {
        Value::String(text) => {
            let is_marked = schema["description"] == untrusted::MARK;
            assert!(is_marked || !text.contains(INJECTION), "{place}: {text}");
            let most = if place.ends_with("/content") { 12_000 } else { 600 };
            assert!(!is_marked || text.chars().count() <= most, "{place}: {text}");
            let is_file = place.ends_with("/content") || place.ends_with("/snippet");
            let lines = |letter: char| matches!(letter, '\n' | '\t') && is_file;
            assert!(
                text.chars().all(|letter| lines(letter) || !is_dangerous(letter)),
                "{place}: {text:?}"
            );
        }
        Value::Array(items) => {
            for item in items {
                marked(item, &member_schema(schema, None), place);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let schema = member_schema(schema, Some(name));
                marked(member, &schema, &format!("{place}/{name}"));
            }
        }
        _ => {}
    }
}

/// The schema of an item, or of a member; rows are described by names, and the names say what is a site's.
fn member_schema(schema: &Value, name: Option<&str>) -> Value {
    let Some(name) = name else {
        let mut items = schema["items"].clone();
        if items == json!({ "type": "object" }) {
            items["description"] = schema["description"].clone();
        }
        return items;
    };
    let names = schema["description"].as_str().unwrap_or_default();
    let is_marked =
        names.split(", ").any(|described| described == format!("{name} ({})", untrusted::MARK));
    if is_marked {
        return json!({ "description": untrusted::MARK, "items": { "description": untrusted::MARK } });
    }
    schema["properties"][name].clone()
}

fn is_dangerous(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
        || matches!(letter, '\u{e0000}'..='\u{e01ef}')
}

/// What of a Markdown text is neither code in a line nor a block that is marked as untrusted.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut in_block = false;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(label))) => {
                in_block = &*label == untrusted::MARK;
            }
            Event::End(TagEnd::CodeBlock) => in_block = false,
            Event::Text(text) if !in_block => prose.push_str(&text),
            Event::Html(text) | Event::InlineHtml(text) => prose.push_str(&text),
            _ => {}
        }
    }
    prose
}

/// What cannot be answered: the code, and a part of the text.
fn bad_calls() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    vec![
        ("scan_domain", json!({}), "INVALID_REQUEST", "domain"),
        ("scan_domain", json!({ "domain": 7 }), "INVALID_REQUEST", "string"),
        ("scan_domain", json!({ "domain": GOOD, "fresh": true }), "INVALID_REQUEST", "fresh"),
        ("scan_domain", json!({ "domain": GOOD, "lang": "de" }), "INVALID_REQUEST", "`en`"),
        (
            "scan_domain",
            json!({ "domain": "https://example.com/x" }),
            "INVALID_DOMAIN",
            "example.com",
        ),
        ("scan_domain", json!({ "domain": "localhost" }), "INVALID_DOMAIN", "localhost"),
        ("scan_domain", json!({ "domain": GONE }), "UPSTREAM_SCAN_FAILED", ""),
        ("scan_domain", json!({ "domain": BUSY }), "RATE_LIMITED", "retry_after_s: 7."),
        (
            "get_check",
            json!({ "domain": GOOD, "check_id": "robots.txt" }),
            "NOT_FOUND",
            "`robots-txt`",
        ),
        (
            "get_check",
            json!({ "domain": GOOD, "check_id": "x\u{202e}\u{1b}" }),
            "NOT_FOUND",
            "sitemap",
        ),
        ("get_check", json!({ "domain": GONE, "check_id": "sitemap" }), "UPSTREAM_SCAN_FAILED", ""),
        ("explain_check", json!({ "check_id": "" }), "NOT_FOUND", "sitemap"),
        ("list_checks", json!({ "category": "seo" }), "INVALID_REQUEST", "policy"),
        ("get_agent_access", json!({ "domain": GOOD, "agent": "Firefox" }), "NOT_FOUND", "GPTBot"),
        (
            "get_fix",
            json!({ "domain": GOOD, "check_id": "sitemap", "platform": "iis" }),
            "INVALID_REQUEST",
            "nginx",
        ),
        ("get_fix", json!({ "domain": GOOD, "check_id": "sitemaps" }), "NOT_FOUND", "`sitemap`"),
        ("compare_domains", json!({ "domains": [GOOD] }), "INVALID_REQUEST", "2"),
        (
            "compare_domains",
            json!({ "domains": ["a.com", "b.com", "c.com", "d.com", "e.com", "f.com"] }),
            "INVALID_REQUEST",
            "5",
        ),
        ("compare_domains", json!({ "domains": [GOOD, "EXAMPLE.com"] }), "INVALID_REQUEST", GOOD),
        ("compare_domains", json!({ "domains": [GOOD, "no domain"] }), "INVALID_DOMAIN", ""),
        ("compare_domains", json!({ "domains": [GONE, BUSY] }), "UPSTREAM_SCAN_FAILED", ""),
        ("compare_domains", json!({ "domains": "example.com" }), "INVALID_REQUEST", ""),
    ]
}

#[tokio::test]
async fn what_cannot_be_answered_is_refused_in_one_line() {
    let host = Fixture::new().await;
    for (name, arguments, code, part) in bad_calls() {
        let mut texts = BTreeSet::new();
        for lang in LANGS {
            let arguments = if arguments.get("lang").is_some() {
                arguments.clone()
            } else {
                in_lang(&arguments, lang)
            };
            let result = host.call(name, arguments.clone()).await;
            let text = text(&result);
            assert_eq!(result.is_error, Some(true), "{name} {arguments}");
            assert_eq!(result.structured_content, None);
            assert!(text.starts_with(&format!("{code}: ")), "{name} {arguments}: {text}");
            assert!(text.ends_with(['.', '?']) && !text.contains("  "), "{text}");
            assert!(!text.chars().any(is_dangerous), "{text:?}");
            assert!(text.contains(part), "{name} {arguments}: {text}");
            let meta = result.meta.as_ref().and_then(|meta| meta.get("visibility/error"));
            assert_eq!(meta.map(|error| &error["code"]), Some(&code.into()), "{name}");
            texts.insert(text.to_owned());
        }
        let is_one_language = arguments.get("lang").is_some();
        assert_eq!(texts.len(), if is_one_language { 1 } else { 2 }, "{texts:?}");
    }
}

#[tokio::test]
async fn null_is_what_was_left_out() {
    let host = Fixture::new().await;
    let arguments = json!({ "domain": GOOD, "agent": null, "lang": null });
    let result = host.call("get_agent_access", arguments).await;
    assert_ne!(result.is_error, Some(true), "{}", text(&result));
}

#[tokio::test]
async fn a_scan_is_summarized_in_numbers() {
    let host = Fixture::new().await;
    for lang in LANGS {
        let result = host.call("scan_domain", json!({ "domain": BARE, "lang": lang })).await;
        let links: Vec<&str> = result
            .content
            .iter()
            .filter_map(|block| block.as_resource_link())
            .map(|link| link.uri.as_str())
            .collect();
        assert_eq!(links, ["visibility://scan/example.org"]);
        let output = result.structured_content.expect("an object");
        let counts = output["summary"].as_object().expect("counts");
        let total: u64 = counts.values().filter_map(Value::as_u64).sum();
        assert_eq!(total, 21);
        assert_eq!(output["next_steps"].as_array().map(Vec::len), Some(5));
        assert_eq!(output["cached"], true);
    }
}

#[tokio::test]
async fn all_agents_have_a_row_and_one_has_more() {
    let host = Fixture::new().await;
    let result = host.call("get_agent_access", json!({ "domain": GOOD })).await;
    let output = result.structured_content.expect("an object");
    let rows = output["agents"].as_array().expect("rows");
    assert_eq!(rows.len(), Registry::embedded().matrix().len());
    assert!(rows.iter().all(|row| row.get("impact").is_none()));
    assert_eq!(output["paths"], json!(["/", "/green", "/black"]));
    for name in ["openai-gptbot", "GPTBot", "gptbot", "GPTBot/1.2"] {
        let result = host.call("get_agent_access", json!({ "domain": GOOD, "agent": name })).await;
        let output = result.structured_content.expect("an object");
        let rows = output["agents"].as_array().expect("rows");
        assert_eq!(rows.len(), 1, "{name}");
        let row = &rows[0];
        assert_eq!((&row["id"], &row["robots"]), (&"openai-gptbot".into(), &"blocked".into()));
        assert_eq!(row["rule"], "Disallow: /");
        assert!(row["impact"].as_str().is_some_and(|text| text.len() > 20));
    }
}

#[tokio::test]
async fn rows_quote_shortly_and_one_agent_at_length() {
    let host = Fixture::new().await;
    let longest = |output: &Value, rows: &str, member: &str| {
        let rows = output[rows].as_array().expect("rows");
        let lengths = rows.iter().filter_map(|row| row[member].as_str()).map(|s| s.chars().count());
        lengths.max()
    };
    let arguments = json!({ "group_by": "path", "limit": 100 });
    let output = host.call("query_bot_traffic", arguments).await.structured_content;
    assert_eq!(longest(&output.unwrap_or_default(), "rows", "key"), Some(120));
    let output = host.call("get_agent_access", json!({ "domain": HOSTILE })).await;
    let output = output.structured_content.unwrap_or_default();
    assert_eq!(output["truncated"], false);
    assert!(longest(&output, "agents", "rule").is_some_and(|length| length <= 120));
}

#[tokio::test]
async fn the_effort_of_a_fix_is_a_word() {
    let host = Fixture::new().await;
    let url = format!("https://{HOSTILE}/");
    for (lang, label, labels) in [
        ("en", "effort: ", ["small", "medium", "large"]),
        ("tr", "efor: ", ["düşük", "orta", "yüksek"]),
    ] {
        let text = markdown(&host, "audit_page", json!({ "url": url, "lang": lang })).await;
        let values: Vec<&str> = text.split(label).skip(1).collect();
        assert_eq!(values.len(), 10, "{text}");
        for value in values {
            assert!(labels.iter().any(|word| value.starts_with(&format!("{word})"))), "{value}");
        }
    }
}

#[tokio::test]
async fn a_check_that_passes_needs_no_fix() {
    let host = Fixture::new().await;
    for lang in LANGS {
        for platform in Platform::ALL {
            let arguments = json!({
                "domain": GOOD, "check_id": "llms-txt", "platform": platform, "lang": lang
            });
            let output = host.call("get_fix", arguments).await.structured_content;
            let output = output.expect("an object");
            assert_eq!((&output["status"], &output["files"]), (&"pass".into(), &json!([])));
            assert_eq!(output["steps"].as_array().map(Vec::len), Some(1));
        }
    }
}

#[tokio::test]
async fn no_file_of_a_fix_is_blank() {
    let host = Fixture::new().await;
    let mut seen = 0;
    for (name, arguments) in good_calls() {
        let output = host.call(name, arguments.clone()).await.structured_content;
        let output = output.unwrap_or_default();
        for file in output["files"].as_array().into_iter().flatten() {
            let content = file["content"].as_str().unwrap_or_default();
            assert!(!content.trim().is_empty(), "{arguments}: {file}");
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

#[tokio::test]
async fn a_fix_is_made_for_the_platform() {
    let host = Fixture::new().await;
    for (check, platform, path, part) in [
        ("robots-txt", "shopify", "templates/robots.txt.liquid", "robots.default_groups"),
        ("robots-txt", "nextjs", "public/robots.txt", "Sitemap: https://example.org/"),
        ("page-metadata", "wordpress", "functions.php", "<meta "),
        ("llms-txt", "nginx", "/llms.txt", "# Hello"),
    ] {
        let arguments = json!({ "domain": BARE, "check_id": check, "platform": platform });
        let output = host.call("get_fix", arguments).await.structured_content.expect("an object");
        let files = output["files"].as_array().expect("files");
        let file = files.iter().find(|file| file["path"] == path);
        let content = file.and_then(|file| file["content"].as_str()).unwrap_or_default();
        assert!(content.contains(part), "{check} {platform}: {output}");
        assert_eq!(output["steps"].as_array().map(Vec::len), Some(4), "{output}");
        assert!(output["verify_command"].as_str().is_some_and(|line| line.contains(BARE)));
    }
}

#[tokio::test]
async fn a_domain_that_fails_is_a_row() {
    let host = Fixture::new().await;
    let arguments = json!({ "domains": [GOOD, GONE, BUSY] });
    let result = host.call("compare_domains", arguments).await;
    assert_eq!(result.content.len(), 2, "one text and one link");
    let output = result.structured_content.expect("an object");
    let rows = output["domains"].as_array().expect("rows");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["domain"].as_str()).collect();
    assert_eq!(names, [GOOD, GONE, BUSY]);
    assert!(rows[0]["score"].is_u64() && rows[0].get("error").is_none());
    assert!(
        rows[1]["error"].as_str().is_some_and(|text| text.starts_with("UPSTREAM_SCAN_FAILED: "))
    );
    assert_eq!(rows[2]["retry_after_s"], 7);
    let checks = output["checks"].as_object().expect("checks");
    assert_eq!(checks.len(), 21);
    for statuses in checks.values() {
        let statuses = statuses.as_array().expect("statuses");
        assert_eq!(statuses[1..], [json!("error"), json!("error")]);
        assert_ne!(statuses[0], "error");
    }
}

#[test]
fn a_tool_needs_the_scope_of_what_it_does() {
    for (name, scope) in [
        ("scan_domain", Some(Scope::ScanRead)),
        ("get_check", Some(Scope::ScanRead)),
        ("get_agent_access", Some(Scope::ScanRead)),
        ("get_fix", Some(Scope::ScanRead)),
        ("compare_domains", Some(Scope::ScanRead)),
        ("explain_check", None),
        ("list_checks", None),
        ("no_such_tool", None),
    ] {
        assert_eq!(scope_of_tool(name), scope, "{name}");
    }
}
