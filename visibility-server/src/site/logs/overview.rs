//! `/logs`: who came, what they read, what they got.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use maud::{Markup, html};
use visibility_core::agents::Purpose;
use visibility_core::report::chart::split;
use visibility_core::report::parts::matrix::purpose_class;
use visibility_core::report::traffic::is_striking;
use visibility_core::store::StoreError;
use visibility_core::text::markup::{Shown, shown};
use visibility_core::traffic::ResponseClass;

use super::address::{KeyFigure, LogsAddress};
use super::chart::{SeriesChart, spark};
use super::figures::{self, Figures};
use super::view::{Choices, LogsView};
use super::{more, sources};
use crate::stores::Stores;
use crate::traffic::agents::{self, AgentRow, AgentState, Agents, AgentsQuestion};
use crate::traffic::errors::{self, Errors, ErrorsQuestion};
use crate::traffic::page::{MAX_LIMIT, Page};
use crate::traffic::series::{self, Series, SeriesGroup, SeriesQuestion};
use crate::traffic::sources::{LogSources, SourcesQuestion};
use crate::traffic::{QuestionKind, sources as batches};

/// Operators that are listed here; the others are on the page of agents.
const MAX_OPERATORS: usize = 12;
/// Agents that are named for each kind of error.
const MAX_NAMED: usize = 5;
/// Purposes from the left of a bar to its right.
const PURPOSES: [Purpose; 4] = [Purpose::Training, Purpose::Search, Purpose::User, Purpose::Other];

/// What the page shows.
pub(super) struct Overview {
    figures: Figures,
    chart: Series,
    operators: Series,
    agents: Agents,
    errors: Errors,
    sources: LogSources,
    first_day: Option<NaiveDate>,
    choices: Choices,
}

impl Overview {
    /// Asks for everything.
    pub(super) fn load(
        stores: &Stores,
        address: &LogsAddress,
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        let selection = &address.selection;
        let whole = || Page { limit: MAX_LIMIT, after: None };
        let agents = AgentsQuestion {
            selection: selection.clone(),
            all: false,
            page: whole(),
            lang: visibility_core::text::locale::Lang::En,
        };
        let errors = ErrorsQuestion { selection: selection.clone(), page: whole() };
        let (tenant, from, to) = (selection.tenant.clone(), selection.from, selection.to);
        let sources = SourcesQuestion { tenant, from, to, page: whole() };
        let state_store = stores.state_store();
        let agents = agents::agents(stores, &agents, now)?;
        let (chart, operators) = charts(stores, address)?;
        Ok(Self {
            figures: Figures::load(stores, address, now.date_naive())?,
            chart,
            operators,
            errors: errors::errors(stores, &errors)?,
            sources: batches::sources(stores, &sources, now)?,
            first_day: state_store.first_counted_day(&selection.tenant)?,
            choices: Choices::load(stores, &selection.tenant)?,
            agents,
        })
    }

    pub(super) fn render(&self, view: &LogsView) -> Markup {
        let tenant = view.address.selection.tenant.as_str();
        let hosts = self.choices.hosts.len();
        let eyebrow = html! {
            (shown(tenant)) " · "
            a href=(view.href(&view.address.link("/logs/hosts"))) {
                (view.words.fill("hosts-count", [("number", hosts.to_string())]))
            }
        };
        html! {
            (view.head(&view.text("title"), &eyebrow, &self.choices))
            @if self.figures.summary.period.requests == 0 { (self.nothing(view)) }
            div.card {
                (figures::figures(view, &self.figures))
                (self.chart(view))
            }
            p.note { (figures::comparison(view, &self.figures)) }
            (super::uncounted(view, &self.figures.summary.uncounted))
            (self.errors(view))
            (self.operators(view))
            section aria-labelledby="sources" {
                div.head {
                    h2 id="sources" { (view.text("sources-title")) }
                    a href=(view.href(&view.address.link("/logs/sources"))) { (view.text("details")) }
                }
                div.card.pad { (sources::facts(view, &self.sources, self.first_day)) }
            }
            (more::section(view))
        }
    }

    /// That there are no records of these days, and of which there are some.
    fn nothing(&self, view: &LogsView) -> Markup {
        html! {
            p.notice role="status" {
                (view.text("no-requests"))
                @if let Some(first) = self.first_day {
                    " " (view.words.fill("records-since", [("day", view.words.day(first))]))
                }
            }
        }
    }

    fn chart(&self, view: &LogsView) -> Markup {
        let figure = view.address.figure;
        let title = view.text(&format!("chart-{}", figure.name()));
        let csv = view.address.chart_file(figure, "csv").text();
        let json = view.address.chart_file(figure, "json").text();
        let chart =
            SeriesChart { series: &self.chart, title: title.as_str(), files: (&csv, &json) };
        html! {
            div.pad { h2 { (title) } }
            (chart.render(view))
        }
    }

    /// What was refused, what was missing, and where the server failed.
    fn errors(&self, view: &LogsView) -> Markup {
        let classes = [
            (ResponseClass::Refused, "refused", self.figures.summary.period.refused),
            (ResponseClass::Missing, "missing", self.figures.summary.period.missing),
            (ResponseClass::Failed, "failed", self.figures.summary.period.failed),
        ];
        html! {
            section aria-labelledby="errors" {
                div.head {
                    h2 id="errors" { (view.text("errors-title")) }
                    a href=(view.href(&view.address.link("/logs/errors"))) { (view.text("all-errors")) }
                    (view.files(QuestionKind::Errors))
                }
                div.three {
                    @for (class, name, requests) in classes {
                        @let link = view.address.link("/logs/errors").with("status", name);
                        div.card.pad {
                            h3 { a href=(view.href(&link)) { (view.text(name)) } " " (view.words.number(requests)) }
                            p.soft { (view.text(&format!("{name}-statuses"))) }
                            (self.agents_with(view, class))
                        }
                    }
                }
            }
        }
    }

    /// The agents that got most errors of a class: how many, of how many requests, and since when.
    fn agents_with(&self, view: &LogsView, class: ResponseClass) -> Markup {
        let agents = agents_of_class(&self.errors, class);
        let of_all = |id: &str| {
            self.agents.agents.iter().find(|agent| agent.id == id).map_or(0, |agent| agent.requests)
        };
        html! {
            @if agents.is_empty() {
                p { (view.text("none-seen")) }
            } @else {
                ul.plain {
                    @for agent in agents.iter().take(MAX_NAMED) {
                        @let all = of_all(agent.id);
                        li {
                            (view.agent(agent.id, agent.name)) " "
                            span class=[is_striking(agent.requests, all).then_some("tag bad")] {
                                (view.words.share(agent.requests, all))
                            }
                            br;
                            small { (since(view, agent, all)) }
                        }
                    }
                }
                @if agents.len() > MAX_NAMED {
                    p.soft { (view.words.fill("and-more", [("number", (agents.len() - MAX_NAMED).to_string())])) }
                }
            }
        }
    }

    /// Who runs the agents that came.
    fn operators(&self, view: &LogsView) -> Markup {
        let operators = Operator::all(&self.agents.agents, &self.operators, &self.figures);
        let most = operators.iter().map(|operator| operator.requests).max().unwrap_or_default();
        let came = self.agents.agents.iter().filter(|agent| agent.requests > 0).count();
        let title = view.text("operators");
        let titles = [
            (view.text("operator"), false),
            (view.text("requests"), true),
            (view.text("change"), true),
            (view.text("purposes"), false),
            (view.text("for-person"), true),
            (view.text("refused"), true),
            (view.text("missing"), true),
            (view.text("over-time"), false),
        ];
        let rows = html! {
            @for operator in operators.iter().take(MAX_OPERATORS) { (operator.row(view, &self.figures, most)) }
        };
        html! {
            section aria-labelledby="operators" {
                div.head {
                    h2 id="operators" { (title) }
                    span.soft { (view.words.fill("agents-count", [("number", came.to_string())])) }
                    a href=(view.href(&view.address.link("/logs/agents"))) { (view.text("by-agent")) }
                    (view.files(QuestionKind::Agents))
                }
                @if !operators.is_empty() { (LogsView::table(&title, &titles, &rows)) }
                (legend(view))
                (self.states(view))
            }
        }
    }

    /// The agents that are new, and those that stay away.
    fn states(&self, view: &LogsView) -> Markup {
        let of = |state| self.agents.agents.iter().filter(move |agent| agent.state == state);
        html! {
            @for (state, id) in [(AgentState::New, "new"), (AgentState::Silent, "silent")] {
                @if of(state).next().is_some() {
                    p.note {
                        b { (view.text(&format!("agents-{id}"))) } ": "
                        @for (place, agent) in of(state).enumerate() {
                            @if place > 0 { ", " }
                            (view.agent(&agent.id, &agent.name))
                            @let time = if state == AgentState::New { &agent.first_seen } else { &agent.last_seen };
                            @if let Some(time) = time { " (" (view.words.moment(time)) ")" }
                        }
                    }
                }
            }
        }
    }
}

/// How many of an agent's requests it were, and on which days.
fn since(view: &LogsView, agent: &AgentErrors<'_>, all: u64) -> Shown<'static> {
    let words = view.words;
    let values = [
        ("part", words.number(agent.requests)),
        ("all", words.number(all)),
        ("first", words.short_day(agent.first_day)),
        ("last", words.short_day(agent.last_day)),
    ];
    let selection = &view.address.selection;
    let id = if agent.first_day == agent.last_day {
        "errors-on"
    } else if agent.first_day > selection.from {
        "errors-since"
    } else {
        "errors-always"
    };
    words.fill(id, values)
}

/// The chart of the figure, and who runs the agents.
fn charts(stores: &Stores, address: &LogsAddress) -> Result<(Series, Series), StoreError> {
    let requests = address.chart(KeyFigure::Requests);
    if address.figure == KeyFigure::Requests {
        let groups = [requests.group, SeriesGroup::Vendor];
        let [chart, operators] = series::series_together(stores, &requests, groups)?;
        return Ok((chart, operators));
    }
    let operators = SeriesQuestion { group: SeriesGroup::Vendor, ..requests };
    let chart = series::series(stores, &address.chart(address.figure))?;
    Ok((chart, series::series(stores, &operators)?))
}

fn legend(view: &LogsView) -> Markup {
    html! {
        ul.legend {
            @for purpose in PURPOSES {
                li { span class={ "dot " (purpose_class(purpose)) } {} (view.words.purpose(purpose)) }
            }
        }
    }
}

/// Errors of a class that an agent got.
pub(super) struct AgentErrors<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) requests: u64,
    pub(super) first_day: NaiveDate,
    pub(super) last_day: NaiveDate,
}

/// The agents with errors of a class, the one with the most first.
pub(super) fn agents_of_class(errors: &Errors, class: ResponseClass) -> Vec<AgentErrors<'_>> {
    let mut agents: BTreeMap<&str, AgentErrors<'_>> = BTreeMap::new();
    for row in errors.errors.iter().filter(|row| row.class == class) {
        let new = AgentErrors {
            id: &row.agent,
            name: &row.name,
            requests: 0,
            first_day: row.first_day,
            last_day: row.last_day,
        };
        let agent = agents.entry(&row.agent).or_insert(new);
        agent.requests = agent.requests.saturating_add(row.requests);
        agent.first_day = agent.first_day.min(row.first_day);
        agent.last_day = agent.last_day.max(row.last_day);
    }
    let mut agents: Vec<AgentErrors<'_>> = agents.into_values().collect();
    agents.sort_by_key(|agent| Reverse(agent.requests));
    agents
}

/// Who runs some agents.
struct Operator<'a> {
    /// None of agents that the registry does not know any more.
    vendor: Option<&'a str>,
    /// Ids of its agents.
    agents: Vec<&'a str>,
    requests: u64,
    purposes: [u64; PURPOSES.len()],
    refused: u64,
    missing: u64,
    values: &'a [u64],
}

impl<'a> Operator<'a> {
    /// All with requests on these days or those before, the busiest first.
    fn all(agents: &'a [AgentRow], series: &'a Series, figures: &Figures) -> Vec<Self> {
        let mut operators: BTreeMap<Option<&str>, Self> = BTreeMap::new();
        let came = |agent: &&AgentRow| agent.requests > 0 || figures.came_before(&agent.id);
        for agent in agents.iter().filter(came) {
            let vendor = agent.vendor.as_deref();
            let operator = operators.entry(vendor).or_insert_with(|| Self::new(vendor, series));
            operator.agents.push(&agent.id);
            let place = PURPOSES.iter().position(|purpose| *purpose == agent.purpose);
            if let Some(sum) = place.and_then(|place| operator.purposes.get_mut(place)) {
                *sum = sum.saturating_add(agent.requests);
            }
            for (sum, more) in [
                (&mut operator.requests, agent.requests),
                (&mut operator.refused, agent.refused),
                (&mut operator.missing, agent.missing),
            ] {
                *sum = sum.saturating_add(more);
            }
        }
        let mut operators: Vec<Self> = operators.into_values().collect();
        operators.sort_by_key(|operator| Reverse(operator.requests));
        operators
    }

    fn new(vendor: Option<&'a str>, series: &'a Series) -> Self {
        let key = vendor.unwrap_or(series::NO_VENDOR);
        let group = series.groups.iter().find(|group| group.key == key);
        let values = group.map_or(&[][..], |group| group.values.as_slice());
        let purposes = [0; PURPOSES.len()];
        Self { vendor, agents: Vec::new(), requests: 0, purposes, refused: 0, missing: 0, values }
    }

    fn row(&self, view: &LogsView, figures: &Figures, most: u64) -> Markup {
        let [_, _, asked, _] = self.purposes;
        let change = figures.change_of(view.words, &self.agents);
        let parts: Vec<(&str, u64)> =
            PURPOSES.into_iter().map(purpose_class).zip(self.purposes).collect();
        let purposes =
            PURPOSES.into_iter().zip(self.purposes).filter(|(_, requests)| *requests > 0);
        let purposes: Vec<String> = purposes
            .map(|(purpose, requests)| {
                format!("{}: {}", view.words.purpose(purpose).as_str(), view.words.number(requests))
            })
            .collect();
        html! {
            tr {
                th scope="row" {
                    @match self.vendor {
                        Some(vendor) => {
                            @let link = view.address.figure_link(view.address.figure).with("vendor", vendor);
                            a href=(view.href(&link)) { (shown(vendor)) }
                        }
                        None => (view.text("unknown-operator")),
                    }
                }
                (view.number_cell(self.requests))
                td.number { (change.as_deref().unwrap_or("–")) }
                td { (split(&parts, most, &purposes.join(", "))) }
                (view.number_cell(asked))
                (view.share_cell(self.refused, self.requests))
                (view.share_cell(self.missing, self.requests))
                (spark(self.values, view.text("over-time").as_str()))
            }
        }
    }
}
