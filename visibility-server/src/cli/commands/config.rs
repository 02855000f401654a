//! `visibility-server config`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::cli::args::ConfigFormat;
use crate::cli::console::Console;
use crate::cli::error::CommandFailure;
use crate::cli::exit_code::Exit;
use crate::settings::load::{Loaded, Origin};

/// `config show`.
pub(super) fn show(
    loaded: &Loaded,
    format: ConfigFormat,
    console: Console,
) -> Result<Exit, CommandFailure> {
    match format {
        ConfigFormat::Human => {
            let rows: Vec<Vec<String>> = loaded
                .values
                .iter()
                .map(|(key, value, origin)| {
                    vec![key.name.to_owned(), in_words(value), origin.to_string()]
                })
                .collect();
            console.print_table(&["setting", "value", "origin"], &rows)?;
        }
        ConfigFormat::Json => console.print_json(&as_json(loaded))?,
        ConfigFormat::Toml => {
            let text = toml::to_string(&loaded.settings)
                .map_err(|error| CommandFailure::internal("TOML could not be written", error))?;
            console.print(&text)?;
        }
    }
    Ok(Exit::Ok)
}

/// Each key with its value and origin.
fn as_json(loaded: &Loaded) -> BTreeMap<&'static str, Value> {
    let origin_of = |origin: &Origin| {
        let (kind, name) = match origin {
            Origin::Default => ("default", None),
            Origin::File(path) => ("file", Some(path.display().to_string())),
            Origin::Environment(name) => ("environment", Some(name.clone())),
            Origin::Flag(flag) => ("flag", Some(flag.clone())),
        };
        let mut shown = Map::from_iter([("origin".to_owned(), json!(kind))]);
        if let Some(name) = name {
            shown.insert("source".to_owned(), json!(name));
        }
        shown
    };
    let entry = |(key, value, origin): &(&'static crate::settings::key::Key, Value, Origin)| {
        let mut shown = origin_of(origin);
        shown.insert("value".to_owned(), value.clone());
        (key.name, Value::Object(shown))
    };
    loaded.values.iter().map(entry).collect()
}

fn in_words(value: &Value) -> String {
    match value {
        Value::Null => "(none)".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) if values.is_empty() => "(none)".to_owned(),
        Value::Array(values) => values.iter().map(in_words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
