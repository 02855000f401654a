//! The queries of `docs/engines.md` for the questions of the API, and what the routes answer.

use chrono::{Days, NaiveDate, Utc};
use visibility_core::text::locale::Lang;
use visibility_server::traffic::agents::{AgentRow, AgentsQuestion};
use visibility_server::traffic::errors::{ErrorRow, ErrorsQuestion};
use visibility_server::traffic::page::Page;
use visibility_server::traffic::selection::Selection;
use visibility_server::traffic::series::{SeriesGroup, SeriesQuestion, SeriesStep};
use visibility_server::traffic::summary::SummaryQuestion;
use visibility_server::traffic::{Answer, Question, answer};

use crate::files::Ingested;

const START: &str = "-- GET /api/v1/logs/";

fn days(ingested: &Ingested) -> (NaiveDate, NaiveDate) {
    let to = ingested.now.date_naive();
    (to.checked_sub_days(Days::new(2)).expect("a day"), to)
}

/// The queries that read from a table, with their questions, for the days of the records.
pub(super) fn documented(table: &str, ingested: &Ingested) -> Vec<(&'static str, String)> {
    let text = include_str!("../../../docs/engines.md");
    let blocks = text.split("```sql\n").filter_map(|part| part.split("```").next());
    let (from, to) = days(ingested);
    let after = to.succ_opt().expect("a day");
    let queries: Vec<(&str, String)> = blocks
        .filter(|sql| sql.contains(table))
        .filter_map(|sql| sql.strip_prefix(START)?.split_once('\n'))
        .map(|(question, sql)| {
            let sql = sql.trim_end().trim_end_matches(';');
            let sql = sql.replace("2026-11-01", &from.to_string());
            (question, sql.replace("2026-12-01", &after.to_string()))
        })
        .collect();
    assert_eq!(queries.len(), 4, "a query for each question that records answer");
    queries
}

/// What the route answers, as rows.
pub(super) fn answered(question: &str, ingested: &Ingested) -> Vec<Vec<String>> {
    let (from, to) = days(ingested);
    let selection = Selection::of_days(ingested.tenant.clone(), from, to);
    let page = Page { limit: 1000, after: None };
    let question = match question {
        "summary" => Question::Summary(SummaryQuestion { selection }),
        "series?group=agent" => {
            let (by, group) = (SeriesStep::Day, SeriesGroup::Agent);
            Question::Series(SeriesQuestion { selection, by, group })
        }
        "agents" => {
            Question::Agents(AgentsQuestion { selection, all: false, page, lang: Lang::En })
        }
        _ => Question::Errors(ErrorsQuestion { selection, page }),
    };
    match answer(&ingested.stores, &question, Utc::now()).expect("it is answered") {
        Answer::Summary(answer) => {
            let period = answer.period;
            let numbers = [period.requests, period.agents, period.refused, period.missing];
            vec![texts(numbers.into_iter().chain([period.failed, period.bytes]))]
        }
        Answer::Series(answer) => {
            let days = answer.days.expect("days");
            let mut rows = Vec::new();
            for group in answer.groups {
                let of_days = days.iter().zip(group.values).filter(|(_, requests)| *requests > 0);
                rows.extend(of_days.map(|(day, requests)| {
                    vec![day.to_string(), group.key.clone(), requests.to_string()]
                }));
            }
            rows.sort();
            rows
        }
        Answer::Agents(answer) => {
            let came = answer.agents.into_iter().filter(|agent| agent.requests > 0);
            let row = |agent: AgentRow| {
                let numbers = [agent.requests, agent.refused, agent.missing, agent.failed];
                let numbers = texts(numbers.into_iter().chain([agent.bytes]));
                [agent.id].into_iter().chain(numbers).collect()
            };
            came.map(row).collect()
        }
        Answer::Errors(answer) => {
            let errors = answer.errors.into_iter();
            let row = |error: ErrorRow| {
                let status = error.status.expect("a status");
                vec![error.agent, status.to_string(), error.requests.to_string()]
            };
            errors.map(row).collect()
        }
        Answer::Hosts(_) | Answer::Sources(_) => Vec::new(),
    }
}

fn texts(numbers: impl IntoIterator<Item = u64>) -> Vec<String> {
    numbers.into_iter().map(|number| number.to_string()).collect()
}
