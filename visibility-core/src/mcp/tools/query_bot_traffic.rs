//! `query_bot_traffic`: what the bots did on one's own sites.

use crate::accounts::scope::Scope;
use crate::error::{ErrorCode, Problem};
use crate::limits::{HOUR_DAYS, MAX_DAYS_BY_HOUR};
use crate::text::escape::{MarkdownContext, markdown_sentence};
use crate::text::locale::{self, Catalog, Values};
use crate::text::note::Note;
use chrono::{Days, NaiveDate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::host::Host;
use crate::mcp::input::{self, Agents, LangInput};
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Call, Tool, World};
use crate::mcp::tool_error::ToolError;
use crate::mcp::traffic::{GroupBy, Metric, Traffic, TrafficQuery};
use crate::mcp::untrusted::{self, Untrusted};

/// Days that are counted if no first one is named.
const USUAL_DAYS: u64 = 30;
/// Most days that are counted at once: as long as counts are kept.
const MAX_DAYS: i64 = 800;
/// Rows unless the caller says how many.
const USUAL_ROWS: u16 = 20;
/// Most rows.
const MAX_ROWS: u16 = 100;
/// Characters of a path in the table; the rows for programs have more.
const MAX_CELL_CHARS: usize = 80;

/// The tool.
pub(crate) struct QueryBotTraffic;

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What a row is.
    #[serde(default)]
    group_by: GroupBy,
    /// What sorts them.
    #[serde(default)]
    metric: Metric,
    /// Such as 2026-11-01, UTC; else 29 days before `to`.
    #[serde(default)]
    from: String,
    /// Last day; else today.
    #[serde(default)]
    to: String,
    /// Such as openai-gptbot.
    #[serde(default)]
    agent: String,
    /// Such as example.com.
    #[serde(default)]
    host: String,
    /// Such as /blog/, with `group_by` path.
    #[serde(default)]
    path_prefix: String,
    /// Most rows.
    #[serde(default = "usual_rows")]
    #[schemars(range(min = 1, max = 100))]
    limit: u16,
    /// Language.
    #[serde(default)]
    lang: LangInput,
}

fn usual_rows() -> u16 {
    USUAL_ROWS
}

/// What it returns.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Output {
    days: String,
    rows: Vec<Row>,
    total_requests: u64,
    total_bytes: u64,
    truncated: bool,
    note: String,
}

/// One row.
#[derive(Debug, JsonSchema, Serialize)]
struct Row {
    key: Untrusted,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    requests: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

impl Tool for QueryBotTraffic {
    const NAME: &'static str = "query_bot_traffic";
    const TITLE: &'static str = "Query bot traffic";
    const DESCRIPTION: &'static str =
        "Count the requests of AI bots to your own sites, from the logs that you sent.";
    const WORLD: World = World::Closed;
    const SCOPE: Option<Scope> = Some(Scope::LogsRead);
    const NEEDS_TRAFFIC: bool = true;

    type Input = Input;
    type Output = Output;

    fn lang(input: &Input) -> locale::Lang {
        input.lang.into()
    }

    async fn call<H: Host>(call: Call<'_, H>, input: Input) -> Result<Reply<Output>, ToolError> {
        let catalog = Catalog::for_lang(input.lang.into());
        let query = query(&input, call.host.today())?;
        let days = format!("{}/{}", query.from, query.to);
        let Traffic { rows, total_requests, total_bytes, truncated, is_incomplete } =
            call.host.traffic(call.caller, query).await?;
        let rows = rows
            .into_iter()
            .map(|row| Row {
                key: Untrusted::cell(&row.key),
                name: row.name,
                requests: row.requests,
                bytes: row.bytes,
            })
            .collect();
        let mut note = untrusted::fields(&["key"], catalog);
        if is_incomplete {
            note = format!("{note} {}", catalog.text(&["mcp", "tool", "incomplete-traffic"]));
        }
        let output = Output { days, rows, total_requests, total_bytes, truncated, note };
        Ok(Reply::new(output, move |output| markdown(output, catalog)))
    }
}

/// What is asked, if it can be answered.
fn query(input: &Input, today: NaiveDate) -> Result<TrafficQuery, ToolError> {
    let to = day("to", &input.to)?.unwrap_or(today);
    let usual = to.checked_sub_days(Days::new(USUAL_DAYS - 1)).unwrap_or(to);
    let from = day("from", &input.from)?.unwrap_or(usual);
    match (to - from).num_days() {
        ..0 => {
            let problem = refused("days-order").value("from", from).value("to", to);
            return Err(problem.into());
        }
        0..MAX_DAYS => {}
        _ => return Err(refused("days-many").value("limit", MAX_DAYS).into()),
    }
    if input.group_by == GroupBy::Hour {
        check_hours(from, to, today)?;
    }
    let path_prefix = named(&input.path_prefix);
    if let Some(prefix) = &path_prefix {
        if input.group_by != GroupBy::Path {
            return Err(refused("prefix-alone").into());
        }
        if !prefix.starts_with('/') {
            return Err(refused("prefix-slash").into());
        }
    }
    if !(1..=MAX_ROWS).contains(&input.limit) {
        return Err(refused("rows").value("limit", MAX_ROWS).into());
    }
    let agent = named(&input.agent).map(|name| input::agent(&name, Agents::All)).transpose()?;
    Ok(TrafficQuery {
        group_by: input.group_by,
        metric: input.metric,
        from,
        to,
        agent: agent.map(|agent| agent.id.clone()),
        host: named(&input.host).map(|host| host.to_ascii_lowercase()),
        path_prefix,
        limit: usize::from(input.limit),
    })
}

/// Counts by hour are stored for fewer days than the others, and are many.
fn check_hours(from: NaiveDate, to: NaiveDate, today: NaiveDate) -> Result<(), ToolError> {
    let first = today.checked_sub_days(Days::new(HOUR_DAYS.into())).unwrap_or(today);
    let reason = if (to - from).num_days() >= MAX_DAYS_BY_HOUR {
        "reason-too-many-hours"
    } else if from < first {
        "reason-hours-are-gone"
    } else {
        return Ok(());
    };
    let problem = Problem::new(ErrorCode::InvalidRequest, "parameters-together");
    let problem = problem.value("first", "group_by").value("second", "from");
    Err(problem.value_note("reason", Note::new(reason)).into())
}

/// The text of an argument, unless it is empty.
fn named(text: &str) -> Option<String> {
    (!text.trim().is_empty()).then(|| text.trim().to_owned())
}

fn day(name: &str, text: &str) -> Result<Option<NaiveDate>, Problem> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    // Chrono takes fewer digits, and years beyond those that are written with four.
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| text.len() == 10);
    day.map(Some).ok_or_else(|| refused("day").value("name", name))
}

fn refused(id: &'static str) -> Problem {
    Problem::at(ErrorCode::InvalidRequest, ["mcp", id])
}

fn markdown(output: &Output, catalog: &Catalog) -> String {
    let values = Values::from([
        ("days", output.days.clone()),
        ("requests", output.total_requests.to_string()),
        ("bytes", output.total_bytes.to_string()),
    ]);
    let mut text = catalog.fill(&["mcp", "tool", "traffic"], &values);
    text.push('\n');
    if output.rows.is_empty() {
        text.push_str(&format!("\n{}\n", catalog.text(&["mcp", "tool", "no-traffic"])));
        return text;
    }
    if output.rows.iter().any(|row| row.name.is_none()) {
        text.push_str(&format!("\n{}\n", untrusted::note(catalog)));
    }
    text.push_str(&format!("\n{}\n|---|---:|---:|\n", catalog.text(&["mcp", "tool", "columns"])));
    for row in &output.rows {
        let name = row.name.as_ref().map(|name| markdown_sentence(name, MarkdownContext::Cell));
        let key = name.unwrap_or_else(|| short(&row.key).code(MarkdownContext::Cell));
        let bytes = row.bytes.map_or_else(|| "–".to_owned(), |bytes| bytes.to_string());
        text.push_str(&format!("| {key} | {} | {bytes} |\n", row.requests));
    }
    if output.note.contains(&catalog.text(&["mcp", "tool", "incomplete-traffic"])) {
        text.push_str(&format!("\n{}\n", catalog.text(&["mcp", "tool", "incomplete-traffic"])));
    }
    if output.truncated {
        text.push_str(&format!("\n{}\n", catalog.text(&["mcp", "tool", "more-rows"])));
    }
    text
}

/// As much of a path as a table has room for.
fn short(key: &Untrusted) -> Untrusted {
    match key.as_str().char_indices().nth(MAX_CELL_CHARS) {
        Some((end, _)) => {
            Untrusted::quote(&format!("{}…", key.as_str().get(..end).unwrap_or_default()))
        }
        None => key.clone(),
    }
}

#[cfg(test)]
mod tests {
    use crate::text::locale::Lang;

    use super::*;
    use serde_json::json;

    fn asked(arguments: serde_json::Value) -> Result<TrafficQuery, Problem> {
        let input: Input = serde_json::from_value(arguments).unwrap();
        query(&input, "2026-11-21".parse().unwrap()).map_err(|error| error.problem().clone())
    }

    #[test]
    fn what_is_left_out_is_the_last_thirty_days_and_twenty_rows() {
        let query = asked(json!({})).unwrap();
        assert_eq!(query.from.to_string(), "2026-10-23");
        assert_eq!(query.to.to_string(), "2026-11-21");
        assert_eq!((query.limit, query.agent, query.host), (20, None, None));
        let query = asked(json!({"to": "2026-01-30"})).unwrap();
        assert_eq!(query.from.to_string(), "2026-01-01");
        for agent in ["GPTBot", "gptbot", "GPTBot/1.2", " openai-gptbot "] {
            let query = asked(json!({"agent": agent})).unwrap();
            assert_eq!(query.agent.as_deref(), Some("openai-gptbot"), "{agent}");
        }
        let query = asked(json!({"host": "WWW.Example.com"})).unwrap();
        assert_eq!(query.host.as_deref(), Some("www.example.com"));
    }

    #[test]
    fn eight_hundred_days_are_counted_and_no_more() {
        let query = |from: &str| asked(json!({"from": from, "to": "2026-11-21"}));
        assert!(query("2024-09-13").is_ok());
        assert!(query("2024-09-12").is_err());
    }

    #[test]
    fn an_unknown_agent_is_not_found() {
        for (name, said) in [("unknown", "`visibility://agents`"), ("GPTBots", "`GPTBot`")] {
            let problem = asked(json!({"agent": name})).unwrap_err();
            assert_eq!(problem.code(), ErrorCode::NotFound, "{name}");
            for lang in Lang::ALL {
                let hint = problem.object(lang).hint.expect("what to do");
                assert!(hint.contains(said) && hint.contains("`visibility://agents`"), "{hint}");
            }
        }
    }

    #[test]
    fn what_cannot_be_asked_is_refused_with_what_to_do() {
        let cases = [
            (json!({"from": "yesterday"}), "`from`"),
            (json!({"to": "2026-1-01"}), "`to`"),
            (json!({"to": "2026-02-30"}), "`to`"),
            (json!({"to": "+12026-02-01"}), "`to`"),
            (json!({"from": "2026-11-02", "to": "2026-11-01"}), "2026-11-02"),
            (json!({"from": "2020-01-01"}), "800"),
            (json!({"path_prefix": "/blog"}), "group_by"),
            (json!({"path_prefix": "blog", "group_by": "path"}), "`/`"),
            (json!({"group_by": "hour", "from": "2026-10-01"}), "31"),
            (json!({"group_by": "hour", "from": "2026-06-01", "to": "2026-06-02"}), "95"),
            (json!({"limit": 0}), "100"),
            (json!({"limit": 101}), "100"),
        ];
        for (arguments, said) in cases {
            let problem = asked(arguments.clone()).unwrap_err();
            assert_eq!(problem.code(), ErrorCode::InvalidRequest, "{arguments}");
            for lang in Lang::ALL {
                let object = problem.object(lang);
                let hint = object.hint.expect("what to do");
                let text = format!("{} {hint}", object.message);
                assert!(text.contains(said), "{arguments}: {text}");
                assert!(!text.contains("mcp.") && !text.contains('{'), "{text}");
            }
        }
    }
}
