//! Answers of a server about the agents that came, for people.

use serde_json::Value;

use crate::args::QueryQuestion;
use crate::console::output::{Output, Paint};
use crate::console::table::{Cell, Table};
use crate::console::{self, Console};
use crate::error::CommandError;

/// Groups that a table has room for; the JSON has all.
const MAX_GROUPS: usize = 8;
const NOT_THERE: &str = "–";
/// Characters of a day such as `2026-11-30`, with which a time begins.
const DAY_CHARS: usize = 10;

/// Writes an answer, and says what is to be known about it.
pub(super) fn write(
    question: QueryQuestion,
    answer: &Value,
    (console, output): (&Console, &mut Output),
) -> Result<(), CommandError> {
    let tables = match question {
        QueryQuestion::Summary => vec![Some(summary(answer))],
        QueryQuestion::Series => vec![series(answer)],
        QueryQuestion::Agents => {
            let columns = [
                "name",
                "purpose",
                "state",
                "requests",
                "refused",
                "missing",
                "failed",
                "last_seen",
            ];
            vec![rows(&answer["agents"], &columns)]
        }
        QueryQuestion::Hosts => vec![hosts(answer)],
        QueryQuestion::Errors => {
            let columns = ["name", "status", "class", "requests", "first_day", "last_day"];
            vec![rows(&answer["errors"], &columns)]
        }
        QueryQuestion::Sources => vec![
            Some(members(
                answer,
                &[
                    "first_batch",
                    "last_batch",
                    "batches",
                    "accepted",
                    "rejected",
                    "usual_gap_seconds",
                ],
            )),
            rows(&answer["gaps"], &["from", "to", "seconds"]),
            rows(&answer["rejections"], &["reason", "lines"]),
        ],
    };
    let drawn: Vec<String> =
        tables.iter().flatten().map(|table| table.render(0, console::width())).collect();
    output.write(&drawn.join("\n"), Paint::Styled)?;
    for note in notes(question, answer) {
        console.note(&note);
    }
    Ok(())
}

fn summary(answer: &Value) -> Table {
    let (period, before) = (&answer["period"], &answer["before"]);
    let days = |period: &Value| format!("{} … {}", text(&period["from"]), text(&period["to"]));
    let mut table = Table::new(&["", &days(period), &days(before)]);
    for name in
        ["requests", "asked_by_person", "agents", "pages", "refused", "missing", "failed", "bytes"]
    {
        table.push([Cell::from(title(name)), cell(&period[name]), cell(&before[name])]);
    }
    table
}

/// Nothing without a host.
fn hosts(answer: &Value) -> Option<Table> {
    const NUMBERS: [&str; 4] = ["requests", "refused", "missing", "failed"];
    let titles = ["host"].into_iter().chain(NUMBERS).chain(["requests before", "worse"]);
    let mut table = Table::new(&titles.collect::<Vec<_>>());
    let hosts = list(&answer["hosts"]);
    for host in hosts {
        let (period, before) = (&host["period"], &host["before"]);
        let numbers = NUMBERS.iter().map(|name| cell(&period[*name]));
        let compared = [cell(&before["requests"]), cell(&host["worse"])];
        table.push([cell(&host["host"])].into_iter().chain(numbers).chain(compared));
    }
    (!hosts.is_empty()).then_some(table)
}

fn series(answer: &Value) -> Option<Table> {
    let groups = list(&answer["groups"]);
    let shown = groups.get(..MAX_GROUPS).unwrap_or(groups);
    let span = text(&answer["by"]);
    let names: Vec<String> = shown.iter().map(|group| text(&group["name"])).collect();
    let titles = [span.as_str()].into_iter().chain(names.iter().map(String::as_str)).chain(["all"]);
    let mut table = Table::new(&titles.collect::<Vec<_>>());
    let times = list(if answer["days"].is_array() { &answer["days"] } else { &answer["hours"] });
    let mut has_rows = false;
    for (place, time) in times.iter().enumerate() {
        let value = |group: &Value| {
            let value = list(&group["values"]).get(place).and_then(Value::as_u64);
            value.unwrap_or_default()
        };
        let all: u64 = groups.iter().map(value).fold(0, u64::saturating_add);
        if all == 0 {
            continue;
        }
        has_rows = true;
        let values = shown.iter().map(value).chain([all]);
        let values = values.map(|value| Cell::number(value.to_string()));
        table.push([Cell::from(text(time))].into_iter().chain(values));
    }
    has_rows.then_some(table)
}

/// Members of an object, one a line.
fn members(object: &Value, names: &[&str]) -> Table {
    let mut table = Table::new(&["", ""]);
    for name in names {
        table.push([Cell::from(title(name)), Cell::from(text(&object[name]))]);
    }
    table
}

/// Members of the objects of a list, one object a line; nothing if it is empty.
fn rows(objects: &Value, names: &[&str]) -> Option<Table> {
    let titles: Vec<String> = names.iter().map(|name| title(name)).collect();
    let mut table = Table::new(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    let objects = list(objects);
    for object in objects {
        table.push(names.iter().map(|name| match *name {
            // The day is enough for people, and fits.
            "last_seen" => {
                Cell::from(text(&object[*name]).chars().take(DAY_CHARS).collect::<String>())
            }
            name => cell(&object[name]),
        }));
    }
    (!objects.is_empty()).then_some(table)
}

fn notes(question: QueryQuestion, answer: &Value) -> Vec<String> {
    let mut notes = Vec::new();
    if matches!(question, QueryQuestion::Summary | QueryQuestion::Hosts) {
        for period in [&answer["period"], &answer["before"]] {
            let reasons: Vec<String> = list(&period["not_whole"]).iter().map(text).collect();
            if !reasons.is_empty() {
                let days = format!("{} to {}", text(&period["from"]), text(&period["to"]));
                notes
                    .push(format!("{days} is not whole: {}", reasons.join(", ").replace('_', " ")));
            }
        }
    }
    let groups = list(&answer["groups"]).len();
    if groups > MAX_GROUPS {
        notes.push(format!("{} more groups: `--format json` has them", groups - MAX_GROUPS));
    }
    if let Some(next) = answer["next"].as_str() {
        notes.push(format!("there are more rows: `--after {next}`"));
    }
    for days in list(&answer["uncounted"]) {
        let (from, to) = (text(&days["from"]), text(&days["to"]));
        notes.push(format!("not all records of {from} to {to} are in these counts"));
    }
    notes
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn title(name: &str) -> String {
    name.replace('_', " ")
}

fn cell(value: &Value) -> Cell {
    if value.is_number() { Cell::number(text(value)) } else { Cell::from(text(value)) }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => NOT_THERE.to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
