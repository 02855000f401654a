//! Answers as tables, for people and for programs that read tables: one row for each row of the answer, with the names of
//! its JSON.

use chrono::NaiveDate;

use super::Answer;
use super::agents::Agents;
use super::errors::Errors;
use super::hosts::Hosts;
use super::series::Series;
use super::sources::LogSources;
use super::summary::Summary;

/// An answer as a table.
#[derive(Debug, Default)]
pub(crate) struct AnswerTable {
    /// The names of the columns.
    pub(crate) titles: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Debug)]
pub(crate) enum Cell {
    /// Text, which strangers may have chosen.
    Text(String),
    Number(u64),
    Empty,
}

impl Answer {
    /// The answer as a table.
    pub(crate) fn table(&self) -> AnswerTable {
        let mut table = AnswerTable::default();
        match self {
            Self::Summary(answer) => table.add_summary(answer),
            Self::Series(answer) => table.add_series(answer),
            Self::Agents(answer) => table.add_agents(answer),
            Self::Hosts(answer) => table.add_hosts(answer),
            Self::Errors(answer) => table.add_errors(answer),
            Self::Sources(answer) => table.add_sources(answer),
        }
        table
    }
}

impl AnswerTable {
    fn add_summary(&mut self, answer: &Summary) {
        self.titles = vec![
            "period",
            "from",
            "to",
            "whole",
            "requests",
            "asked_by_person",
            "agents",
            "pages",
            "refused",
            "missing",
            "failed",
            "bytes",
        ];
        for (name, period) in [("period", &answer.period), ("before", &answer.before)] {
            self.rows.push(vec![
                Cell::from(name),
                Cell::from(period.from),
                Cell::from(period.to),
                Cell::from(if period.whole { "true" } else { "false" }),
                Cell::from(period.requests),
                Cell::from(period.asked_by_person),
                Cell::from(period.agents),
                Cell::from(period.pages),
                Cell::from(period.refused),
                Cell::from(period.missing),
                Cell::from(period.failed),
                Cell::from(period.bytes),
            ]);
        }
    }

    fn add_series(&mut self, answer: &Series) {
        self.titles = vec![answer.span_name(), "key", "name", "requests"];
        let times = answer.times();
        for (place, time) in times.iter().enumerate() {
            for group in &answer.groups {
                let requests = group.values.get(place).copied().unwrap_or_default();
                self.rows.push(vec![
                    Cell::from(time),
                    Cell::from(&group.key),
                    Cell::from(&group.name),
                    Cell::from(requests),
                ]);
            }
        }
    }

    fn add_agents(&mut self, answer: &Agents) {
        self.titles = vec![
            "id",
            "name",
            "vendor",
            "purpose",
            "state",
            "requests",
            "refused",
            "missing",
            "failed",
            "bytes",
            "first_seen",
            "last_seen",
            "usual_gap_hours",
            "note",
        ];
        for agent in &answer.agents {
            self.rows.push(vec![
                Cell::from(&agent.id),
                Cell::from(&agent.name),
                Cell::from(&agent.vendor),
                Cell::from(agent.purpose.as_str()),
                Cell::from(agent.state.as_str()),
                Cell::from(agent.requests),
                Cell::from(agent.refused),
                Cell::from(agent.missing),
                Cell::from(agent.failed),
                Cell::from(agent.bytes),
                Cell::from(&agent.first_seen),
                Cell::from(&agent.last_seen),
                Cell::from(agent.usual_gap_hours.map(u64::from)),
                Cell::from(&agent.note),
            ]);
        }
    }

    fn add_hosts(&mut self, answer: &Hosts) {
        self.titles = vec![
            "host",
            "requests",
            "refused",
            "missing",
            "failed",
            "before_requests",
            "before_refused",
            "before_missing",
            "before_failed",
            "worse",
        ];
        for row in &answer.hosts {
            let mut cells = vec![Cell::from(&row.host)];
            for sums in [row.period, row.before] {
                let numbers = [sums.requests, sums.refused, sums.missing, sums.failed];
                cells.extend(numbers.map(Cell::from));
            }
            cells.push(Cell::from(row.worse));
            self.rows.push(cells);
        }
    }

    fn add_errors(&mut self, answer: &Errors) {
        self.titles = vec!["agent", "name", "status", "class", "requests", "first_day", "last_day"];
        for error in &answer.errors {
            self.rows.push(vec![
                Cell::from(&error.agent),
                Cell::from(&error.name),
                Cell::from(error.status.map(u64::from)),
                Cell::from(error.class.as_str()),
                Cell::from(error.requests),
                Cell::from(error.first_day),
                Cell::from(error.last_day),
            ]);
        }
    }

    fn add_sources(&mut self, answer: &LogSources) {
        self.titles =
            vec!["row", "from", "to", "seconds", "reason", "batches", "accepted", "rejected"];
        self.rows.push(vec![
            Cell::from("batches"),
            Cell::from(answer.from),
            Cell::from(answer.to),
            Cell::from(answer.usual_gap_seconds),
            Cell::Empty,
            Cell::from(answer.batches),
            Cell::from(answer.accepted),
            Cell::from(answer.rejected),
        ]);
        for gap in &answer.gaps {
            let mut row = vec![Cell::from("gap"), Cell::from(&gap.from), Cell::from(&gap.to)];
            row.push(Cell::from(gap.seconds));
            row.resize_with(self.titles.len(), || Cell::Empty);
            self.rows.push(row);
        }
        for rejection in &answer.rejections {
            let reason = Cell::from(&rejection.reason);
            let mut row =
                vec![Cell::from("rejection"), Cell::Empty, Cell::Empty, Cell::Empty, reason];
            row.resize_with(self.titles.len() - 1, || Cell::Empty);
            row.push(Cell::from(rejection.lines));
            self.rows.push(row);
        }
    }
}

impl Cell {
    /// The text of the cell.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Empty => String::new(),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<&Option<String>> for Cell {
    fn from(text: &Option<String>) -> Self {
        text.as_deref().map_or(Self::Empty, Self::from)
    }
}

impl From<NaiveDate> for Cell {
    fn from(day: NaiveDate) -> Self {
        Self::Text(day.to_string())
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<Option<u64>> for Cell {
    fn from(number: Option<u64>) -> Self {
        number.map_or(Self::Empty, Self::Number)
    }
}
