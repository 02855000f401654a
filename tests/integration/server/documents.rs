//! What the documents say of the service.

use std::fs;
use std::path::Path;

use serde_json::Value;
use visibility_server::settings::Settings;
use visibility_server::settings::key::KEYS;

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
    let rows = document.lines().filter(|line| line.starts_with("| `") && line.contains("` | "));
    let keys = rows.filter(|row| row.split('`').nth(1).is_some_and(|name| !name.contains(' ')));
    let unknown: Vec<&str> = keys
        .filter_map(|row| row.split('`').nth(1))
        .filter(|name| {
            let is_setting_like = name.chars().all(|c| c.is_ascii_lowercase() || "._".contains(c));
            is_setting_like
                && !name.starts_with("visibility_")
                && !KEYS.iter().any(|k| k.name == *name)
        })
        .collect();
    assert!(unknown.is_empty(), "no settings: {unknown:?}");
}

#[test]
fn every_metric_is_documented() {
    let document = document();
    let rendered = visibility_server::metrics::Metrics::default().render();
    let families: Vec<&str> = rendered
        .lines()
        .filter_map(|line| line.strip_prefix("# HELP ")?.split(' ').next())
        .collect();
    assert!(families.len() >= 10, "{rendered}");
    for family in families {
        assert!(document.contains(&format!("`{family}")), "docs/server.md lacks {family}");
    }
}
