//! `visibility logs detect`.

use chrono::DateTime;
use serde_json::{Value, json};
use visibility_core::access_log::{
    BytesKind, DetectedFormat, ExplainedRecord, Filter, FilterSettings, HashKey, HashPeriod,
    KeyMap, LineParser,
};
use visibility_core::ingest::{LogRecord, RecordSink, Rejection};
use visibility_core::report::labels::Labels;
use visibility_core::store::StoreError;

use super::log_input::{self, LogInput, WireLimit};
use super::log_start::LogStart;
use super::{rules_of_any_time, source};
use crate::args::{DetectArgs, ListFormat};
use crate::console::Console;
use crate::console::json::to_json;
use crate::console::output::Paint;
use crate::console::style::{DIM, GOOD, HEADING, paint};
use crate::console::text::{columns, pad};
use crate::error::CommandError;
use crate::exit_code::Exit;

/// A sink of records that are looked at elsewhere.
struct NoRecords;

impl RecordSink for NoRecords {
    fn accept(&mut self, _: &LogRecord<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn reject(&mut self, _: &Rejection<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Runs `logs detect`.
pub(super) fn run(arguments: &DetectArgs, console: &Console) -> Result<Exit, CommandError> {
    let path = source(arguments.file.as_deref(), "read", "to read standard input")?;
    let input = LogInput::open(&path)?;
    let unreadable = |error| log_input::failed(&path, error);
    let mut chunks = input.inflate(WireLimit::None).map_err(unreadable)?;
    let start = LogStart::read(&mut chunks).map_err(unreadable)?;
    let keys = arguments.reading.keys();
    let detected = start.detect(&path, &keys)?.ok_or_else(|| {
        CommandError::usage_with(
            format!("there is no line in {}", log_input::shown(&path)),
            "give a log that something was written to",
        )
    })?;
    let example = example(&start, detected, &keys)?;
    let text = match arguments.format {
        ListFormat::Human => human(detected, example.as_ref(), console.labels()),
        ListFormat::Json => to_json(&machine(detected, example.as_ref()))?,
    };
    let paint = if arguments.format == ListFormat::Json { Paint::Plain } else { Paint::Styled };
    let mut output = console.output(None)?;
    output.write(&text, paint)?;
    output.finish()?;
    Ok(Exit::Ok)
}

/// The first line of an agent, beside its record.
fn example(
    start: &LogStart,
    detected: DetectedFormat,
    keys: &KeyMap,
) -> Result<Option<ExplainedRecord>, CommandError> {
    let failed = |error| CommandError::internal("the log could not be looked at", error);
    // The hash is not shown.
    let key = HashKey::new(&[0; 32]).map_err(|error| CommandError::internal("no key", error))?;
    let settings = FilterSettings {
        key,
        period: HashPeriod::NinetyDays,
        joins_ipv6_networks: false,
        default_host: (!detected.fields.host).then(|| "www.example.com".to_owned()),
        proxies: Vec::new(),
        identities: None,
        drops_impostors: false,
        not_before: DateTime::UNIX_EPOCH,
        rules: rules_of_any_time(),
    };
    let parser = LineParser::new(detected.format, keys.clone());
    let mut filter = Filter::new(parser, settings, NoRecords);
    filter.explain(1);
    filter.feed(&start.bytes).map_err(failed)?;
    if start.is_whole {
        filter.end_file().map_err(failed)?;
    }
    Ok(filter.explained().first().cloned())
}

/// The fields, with whether the log has each.
fn fields(detected: DetectedFormat) -> [(&'static str, bool); 7] {
    let found = detected.fields;
    [
        ("host", found.host),
        ("user_agent", found.user_agent),
        ("referrer", found.referrer),
        ("response_bytes", found.response_bytes),
        ("address", found.address),
        ("forwarded_for", found.forwarded_for),
        ("request", true),
    ]
}

fn machine(detected: DetectedFormat, example: Option<&ExplainedRecord>) -> Value {
    let fields: serde_json::Map<String, Value> = fields(detected)
        .into_iter()
        .map(|(name, is_there)| (name.to_owned(), is_there.into()))
        .collect();
    let bytes = match detected.format.bytes() {
        BytesKind::Body => "body",
        BytesKind::Total => "total",
    };
    json!({
        "format": detected.format.id(),
        "software": detected.format.software(),
        "lines": detected.lines,
        "read": detected.read,
        "fields": fields,
        "bytes": bytes,
        "example": example.map(|example| {
            json!({ "line": example.before, "record": record(example), "agent": example.agent.id })
        }),
    })
}

/// The record without its hash, which has no key.
fn record(example: &ExplainedRecord) -> Value {
    let mut record: Value = serde_json::from_str(&example.after).unwrap_or_default();
    if let Some(members) = record.as_object_mut() {
        members.remove("client_ip_hash");
    }
    record
}

fn human(detected: DetectedFormat, example: Option<&ExplainedRecord>, labels: Labels) -> String {
    let values: [(&str, &dyn ToString); 4] = [
        ("format", &detected.format.id()),
        ("software", &detected.format.software()),
        ("read", &detected.read),
        ("lines", &detected.lines),
    ];
    let title = labels.sentence("log-detected", &values);
    let mut text = format!("{} {}\n", paint(GOOD, "✓"), paint(HEADING, &title));
    let names = |wanted: bool| {
        let chosen = fields(detected).into_iter().filter(|(_, is_there)| *is_there == wanted);
        let named =
            chosen.map(|(name, _)| labels.label(&format!("log-field-{}", name.replace('_', "-"))));
        named.collect::<Vec<_>>().join(", ")
    };
    let mut rows = vec![("log-has", names(true)), ("log-missing", names(false))];
    rows.retain(|(_, names)| !names.is_empty());
    let width = rows.iter().map(|(id, _)| columns(&labels.label(id))).max().unwrap_or_default();
    for (id, names) in rows {
        text.push_str(&format!("  {}  {names}\n", paint(DIM, &pad(&labels.label(id), width))));
    }
    if !detected.fields.host {
        text.push_str(&format!("  {}\n", labels.label("log-give-host")));
    }
    let Some(example) = example else {
        text.push_str(&format!("\n  {}\n", labels.label("log-no-agent")));
        return text;
    };
    text.push_str(&format!("\n  {}\n", paint(DIM, &example.before)));
    let record = record(example);
    let mut parts: Vec<String> = ["timestamp", "request_path", "status_code"]
        .into_iter()
        .map(|name| match record.get(name) {
            Some(Value::String(value)) => format!("{name} {value}"),
            value => format!("{name} {}", value.unwrap_or(&Value::Null)),
        })
        .collect();
    parts.push(format!("agent {} ({})", example.agent.name, example.agent.vendor));
    text.push_str(&format!("  {}\n", parts.join(" · ")));
    text
}
