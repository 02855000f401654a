//! "Ask anything else": the numbers of the chart as SQL, for engines that people have.

use std::fmt::Write as _;

use maud::{Markup, html};
use visibility_core::agents::Registry;
use visibility_core::text::markup::lines;

use super::address::KeyFigure;
use super::view::LogsView;
use crate::traffic::selection::Selection;

/// What stands for the address of a log that the operator has not set.
const NO_LOCATION: &str = "<your Delta table>";

/// The section; nothing if there is no engine to ask.
pub(super) fn section(view: &LogsView) -> Markup {
    let service = &view.service;
    if service.delta_table.is_none() && service.clickhouse_table.is_none() {
        return html! {};
    }
    html! {
        section aria-labelledby="more" {
            div.head { h2 id="more" { (view.text("more-title")) } a href=(ENGINES) { (view.text("more-docs")) } }
            div.card.pad {
                p { (view.text("more-about")) }
                @if view.address.figure == KeyFigure::Pages { p.note { (view.text("more-pages")) } }
                @if let Some(table) = &service.delta_table {
                    h3 { "DuckDB, Delta Lake" }
                    (statement(&delta(view, table)))
                }
                @if let Some(table) = &service.clickhouse_table {
                    h3 { "ClickHouse" }
                    (statement(&clickhouse(view, table)))
                }
                p.note {
                    @match &service.contact {
                        Some(contact) => { (view.text("more-contact")) " " a href=(contact) { (contact.trim_start_matches("mailto:")) } }
                        None => (view.text("more-operator")),
                    }
                }
            }
        }
    }
}

/// The page about engines, which is no page of the site.
const ENGINES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/engines.md");

fn statement(sql: &str) -> Markup {
    html! { pre tabindex="0" { code { (lines(sql)) } } }
}

fn delta(view: &LogsView, table: &str) -> String {
    let filter = conditions(&view.address.chart(view.address.figure).selection);
    format!(
        "SELECT CAST(timestamp AS DATE) AS day, agent, count(*) AS requests\n\
         FROM delta_scan({})\nWHERE {filter}\nGROUP BY day, agent ORDER BY day, requests DESC;",
        quoted(table)
    )
}

fn clickhouse(view: &LogsView, table: &str) -> String {
    let selection = view.address.chart(view.address.figure).selection;
    format!(
        "SELECT toDate(timestamp) AS day, agent, count() AS requests\n\
         FROM {table}\nWHERE tenant = {} AND {}\nGROUP BY day, agent ORDER BY day, requests DESC;",
        quoted(selection.tenant.as_str()),
        conditions(&selection)
    )
}

/// The conditions of both engines, apart from the tenant.
fn conditions(selection: &Selection) -> String {
    let end = selection.to.succ_opt().unwrap_or(selection.to);
    let mut text = format!("timestamp >= '{}' AND timestamp < '{end}'", selection.from);
    // A text takes everything.
    if let Some(host) = &selection.host {
        _ = write!(text, "\n  AND host = {}", quoted(host));
    }
    if let Some(status) = selection.status {
        let statuses: Vec<String> = status.each().map(|status| status.to_string()).collect();
        let statuses = statuses.join(", ");
        _ = write!(text, "\n  AND status_code IN ({statuses})");
    }
    if let Some(agents) = agents(selection) {
        _ = write!(text, "\n  AND agent IN ({agents})");
    }
    text
}

/// The agents of the registry that are asked for; none if all are.
fn agents(selection: &Selection) -> Option<String> {
    if let Some(id) = &selection.agent {
        return Some(quoted(id));
    }
    let vendor = selection.vendor.as_deref();
    if selection.purpose.is_none() && vendor.is_none() {
        return None;
    }
    let agents = Registry::embedded().agents.iter().filter(|agent| {
        agent.in_log_allowlist
            && selection.purpose.is_none_or(|only| only == agent.purpose)
            && vendor.is_none_or(|only| only.eq_ignore_ascii_case(&agent.vendor))
    });
    Some(agents.map(|agent| quoted(&agent.id)).collect::<Vec<_>>().join(", "))
}

/// A text as SQL has it in both engines: `\` is special in one of them alone, so a text with one stands for nothing.
fn quoted(text: &str) -> String {
    let text: String = text.chars().filter(|ch| !ch.is_control() && *ch != '\\').collect();
    format!("'{}'", text.replace('\'', "''"))
}

/// Where a tenant's log is.
pub(super) fn delta_table(location: Option<&str>, tenant: &str) -> String {
    match location {
        Some(location) => format!("{}/tenant={tenant}", location.trim_end_matches('/')),
        None => NO_LOCATION.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use visibility_core::agents::Purpose;

    use super::*;
    use crate::traffic::selection::StatusSelection;

    #[test]
    fn a_selection_is_a_condition() {
        let day = |text: &str| text.parse().unwrap();
        let all = Selection::of_days("acme".parse().unwrap(), day("2026-11-01"), day("2026-11-30"));
        let days = "timestamp >= '2026-11-01' AND timestamp < '2026-12-01'";
        assert_eq!(conditions(&all), days);
        let some = Selection {
            host: Some("a'; DROP TABLE logs; --\\".to_owned()),
            status: Some(StatusSelection::Missing),
            agent: Some("openai-gptbot".to_owned()),
            ..all.clone()
        };
        assert_eq!(
            conditions(&some),
            format!(
                "{days}\n  AND host = 'a''; DROP TABLE logs; --'\n  AND status_code IN (404, 410)\n  \
                 AND agent IN ('openai-gptbot')"
            )
        );
        let asked = Selection { purpose: Some(Purpose::User), ..all };
        assert!(conditions(&asked).contains("'openai-chatgpt-user'"), "{}", conditions(&asked));
    }

    #[test]
    fn a_table_is_in_its_folder_or_to_be_filled_in() {
        assert_eq!(delta_table(Some("s3://bucket/"), "acme"), "s3://bucket/tenant=acme");
        assert_eq!(delta_table(None, "acme"), "<your Delta table>");
    }
}
