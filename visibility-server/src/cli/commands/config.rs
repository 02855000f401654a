//! `visibility-server config`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::cli::args::ConfigFormat;
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::settings::load::{LoadedSettings, SettingOrigin};

/// `config show`.
pub(super) fn show(
    loaded: &LoadedSettings,
    format: ConfigFormat,
    console: Console,
) -> Result<Exit, CommandError> {
    match format {
        ConfigFormat::Human => {
            let rows: Vec<Vec<String>> = loaded
                .values
                .iter()
                .map(|(key, value, origin)| {
                    vec![key.name.to_owned(), format_value(value), origin.to_string()]
                })
                .collect();
            console.print_table(&["setting", "value", "origin"], &rows)?;
        }
        ConfigFormat::Json => console.print_json(&as_json(loaded))?,
        ConfigFormat::Toml => {
            let text = toml::to_string(&loaded.settings)
                .map_err(|error| CommandError::internal("cannot write TOML", error))?;
            console.print(&text)?;
        }
    }
    Ok(Exit::Ok)
}

/// Each key with its value and origin.
fn as_json(loaded: &LoadedSettings) -> BTreeMap<&'static str, Value> {
    loaded
        .values
        .iter()
        .map(|(key, value, origin)| {
            let mut shown = origin_members(origin);
            shown.insert("value".to_owned(), value.clone());
            (key.name, Value::Object(shown))
        })
        .collect()
}

/// Where a value comes from, as JSON members.
fn origin_members(origin: &SettingOrigin) -> Map<String, Value> {
    let (kind, name) = match origin {
        SettingOrigin::Default => ("default", None),
        SettingOrigin::File(path) => ("file", Some(path.display().to_string())),
        SettingOrigin::Environment(name) => ("environment", Some(name.clone())),
        SettingOrigin::Flag(flag) => ("flag", Some(flag.clone())),
    };
    let mut shown = Map::from_iter([("origin".to_owned(), json!(kind))]);
    if let Some(name) = name {
        shown.insert("source".to_owned(), json!(name));
    }
    shown
}

fn format_value(value: &Value) -> String {
    match value {
        Value::Null => "(none)".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) if values.is_empty() => "(none)".to_owned(),
        Value::Array(values) => values.iter().map(format_value).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
