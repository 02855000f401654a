//! What the documents say of the service.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_server::settings::Settings;
use visibility_server::settings::key::KEYS;
use visibility_server::telemetry::metrics::{Metrics, RateScope};
use visibility_tests::wait::until_blocking;

use super::program::{Place, get};

/// What the README shows the server print, and answer.
#[test]
fn the_readme_shows_what_the_server_prints_and_answers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(path).unwrap();
    let (_, shown) =
        readme.split_once("$ visibility-server serve\n").expect("a block of the README");
    let lines: Vec<&str> = shown.lines().take_while(|line| !line.starts_with("```")).collect();
    let place = Place::new();
    let service = place.serve(&[]);
    let address = service.address();
    assert_eq!(lines[0].replace("127.0.0.1:8080", &address), service.ready.trim_end());
    let mut compared = 0;
    for pair in lines.windows(2) {
        let Some(url) = pair[0].strip_prefix("$ curl -sS http://127.0.0.1:8080") else { continue };
        let start = pair[1].strip_suffix('…').unwrap_or(pair[1]);
        // Health is looked up when it is first requested.
        until_blocking(&format!("`{start}` from {url}"), || {
            let answer = get(&address, url);
            answer.split_once("\r\n\r\n").is_some_and(|(_, body)| body.starts_with(start))
        });
        compared += 1;
    }
    assert!(compared > 0);
}

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/server.md");
    fs::read_to_string(path).expect("docs/server.md")
}

#[test]
fn every_setting_is_documented_with_its_default() {
    let document = document();
    let defaults = serde_json::to_value(Settings::default()).unwrap();
    for key in &KEYS {
        let value = defaults.pointer(&format!("/{}", key.name.replace('.', "/"))).unwrap();
        let shown = match value {
            Value::Null => "-".to_owned(),
            Value::Array(values) if values.is_empty() => "-".to_owned(),
            Value::String(text) => format!("`{text}`"),
            other => format!("`{other}`"),
        };
        let row = format!("| `{}` | {shown} | ", key.name);
        assert!(document.contains(&row), "docs/server.md has no row `{row}`");
    }
    let section = document.split("\n## ").find(|section| section.starts_with("Settings\n"));
    let rows = section.unwrap().lines().filter(|line| line.starts_with("| `"));
    let unknown: Vec<&str> = rows
        .filter_map(|row| row.split('`').nth(1))
        .filter(|name| KEYS.iter().all(|key| key.name != *name))
        .collect();
    assert!(unknown.is_empty(), "no settings: {unknown:?}");
}

#[test]
fn the_list_for_secret_scanners_has_every_kind_of_token() {
    let document = document();
    let section =
        document.split("\n### ").find(|text| text.starts_with("Secret scanners\n")).unwrap();
    let line = |start: &str| section.lines().find(|line| line.starts_with(start)).unwrap();
    for kind in TokenKind::ALL {
        let prefix = kind.prefix();
        assert!(line("keywords").contains(&format!("\"{prefix}\"")), "{prefix}");
        assert!(line("regex").contains(prefix.trim_end_matches('_')), "{prefix}");
        let token = Token::generate(kind, &[1; RANDOM_BYTES]);
        let digits = token.reveal().strip_prefix(prefix).unwrap();
        assert!(line("regex").contains(&format!("_[0-9A-Za-z]{{{}}}", digits.len())));
        assert!(digits.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }
}

#[test]
fn every_metric_is_documented() {
    let document = document();
    let metrics = Metrics::default();
    metrics.request("/v1/logs", "POST", 202, Duration::ZERO);
    metrics.batch(202);
    metrics.accepted(1);
    metrics.rate_limited(RateScope::Burst);
    metrics.sign_in("ok");
    let rendered = metrics.render();
    let families: Vec<&str> = rendered
        .lines()
        .filter_map(|line| line.strip_prefix("# HELP ")?.split(' ').next())
        .collect();
    assert_eq!(families.len(), 23, "{rendered}");
    for family in families {
        assert!(document.contains(&format!("`{family}")), "docs/server.md lacks {family}");
    }
}
