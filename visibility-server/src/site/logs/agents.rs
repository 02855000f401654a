//! `/logs/agents`: each agent, and `/logs/agents/{id}`: one of them.

use chrono::{DateTime, Utc};
use maud::{Markup, html};
use visibility_core::report::chart::Tone;
use visibility_core::store::StoreError;
use visibility_core::text::markup::{Shown, shown};

use super::address::LogsAddress;
use super::chart::SeriesChart;
use super::errors;
use super::figures::{self, Figures};
use super::view::{Choices, LogsView};
use crate::stores::Stores;
use crate::traffic::QuestionKind;
use crate::traffic::agents::{self, AgentRow, AgentState, Agents, AgentsQuestion};
use crate::traffic::errors::{Errors, ErrorsQuestion};
use crate::traffic::page::{MAX_LIMIT, Page};
use crate::traffic::series::{self, Series, SeriesGroup, SeriesQuestion, SeriesStep};

/// What the list shows.
pub(super) struct AgentList {
    agents: Agents,
    choices: Choices,
}

/// What the page of an agent shows.
pub(super) struct OneAgent {
    agent: AgentRow,
    figures: Figures,
    /// Its requests by status.
    chart: Series,
    hosts: Series,
    errors: Errors,
    choices: Choices,
}

impl AgentList {
    pub(super) fn load(
        stores: &Stores,
        view: &LogsView,
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        let LogsAddress { selection, page, .. } = &view.address;
        let question = AgentsQuestion {
            selection: selection.clone(),
            all: false,
            page: page.clone(),
            lang: view.words.lang(),
        };
        let choices = Choices::load(stores, &selection.tenant)?;
        Ok(Self { agents: agents::agents(stores, &question, now)?, choices })
    }

    pub(super) fn render(&self, view: &LogsView) -> Markup {
        let title = view.text("agents-title");
        let titles = [
            (view.text("agent"), false),
            (view.text("operator"), false),
            (view.text("purpose"), false),
            (view.text("state"), false),
            (view.text("requests"), true),
            (view.text("refused"), true),
            (view.text("missing"), true),
            (view.text("failed"), true),
            (view.text("last-seen"), false),
        ];
        let rows = html! { @for agent in &self.agents.agents { (row(view, agent)) } };
        html! {
            (view.head(&title, &html! { (view.text("title")) }, &self.choices))
            section {
                div.head { (view.files(QuestionKind::Agents)) }
                (LogsView::table(&title, &titles, &rows))
                (view.next(self.agents.next.as_deref()))
                p.note { (view.text("states-about")) }
            }
            (super::uncounted(view, &self.agents.uncounted))
        }
    }
}

fn row(view: &LogsView, agent: &AgentRow) -> Markup {
    html! {
        tr {
            th scope="row" { (view.agent(&agent.id, &agent.name)) }
            td { (operator(view, agent)) }
            td { (view.words.purpose(agent.purpose)) }
            td { (state_tag(view, agent.state)) }
            (view.number_cell(agent.requests))
            (view.share_cell(agent.refused, agent.requests))
            (view.share_cell(agent.missing, agent.requests))
            (view.share_cell(agent.failed, agent.requests))
            td { (last_seen(view, agent)) }
        }
    }
}

fn operator(view: &LogsView, agent: &AgentRow) -> Shown<'static> {
    match &agent.vendor {
        Some(vendor) => shown(vendor.clone()),
        None => view.text("unknown-operator"),
    }
}

fn last_seen(view: &LogsView, agent: &AgentRow) -> Shown<'static> {
    match &agent.last_seen {
        Some(time) => shown(view.words.moment(time)),
        None => view.text("none-seen"),
    }
}

fn state_tag(view: &LogsView, state: AgentState) -> Markup {
    let tone = match state {
        AgentState::New => Tone::Unsure,
        AgentState::Silent => Tone::Warn,
        AgentState::Steady => Tone::Good,
        AgentState::Never | AgentState::TokenOnly => Tone::None,
    };
    let class = format!("tag {}", tone.class());
    html! { span class=(class) { (view.text(&format!("state-{}", state.as_str()))) } }
}

impl OneAgent {
    /// None if the registry does not know the agent, and it never came.
    pub(super) fn load(
        stores: &Stores,
        view: &LogsView,
        now: DateTime<Utc>,
    ) -> Result<Option<Self>, StoreError> {
        let address = &view.address;
        let selection = &address.selection;
        let whole = || Page { limit: MAX_LIMIT, after: None };
        let question = AgentsQuestion {
            selection: selection.clone(),
            all: true,
            page: whole(),
            lang: view.words.lang(),
        };
        let agents = agents::agents(stores, &question, now)?.agents;
        let Some(agent) = agents.into_iter().next() else { return Ok(None) };
        let series = |group| {
            let selection = selection.clone();
            series::series(stores, &SeriesQuestion { selection, by: SeriesStep::Day, group })
        };
        let errors = ErrorsQuestion { selection: selection.clone(), page: whole() };
        Ok(Some(Self {
            agent,
            figures: Figures::load(stores, address, now.date_naive())?,
            chart: series(SeriesGroup::Status)?,
            hosts: series(SeriesGroup::Host)?,
            errors: crate::traffic::errors::errors(stores, &errors)?,
            choices: Choices::load(stores, &selection.tenant)?,
        }))
    }

    pub(super) fn title(&self) -> Shown<'static> {
        shown(self.agent.name.clone())
    }

    pub(super) fn render(&self, view: &LogsView) -> Markup {
        let agent = &self.agent;
        let title = view.text("chart-status");
        let link = |extension| {
            let file = view.address.file(QuestionKind::Series, extension);
            file.with_series(SeriesStep::Day, SeriesGroup::Status)
        };
        let (csv, json) = (link("csv").text(), link("json").text());
        let chart =
            SeriesChart { series: &self.chart, title: title.as_str(), files: (&csv, &json) };
        html! {
            (view.head(&shown(agent.name.as_str()), &html! { (operator(view, agent)) }, &self.choices))
            div.card {
                (figures::figures(view, &self.figures))
                div.pad { h2 { (title) } }
                (chart.render(view))
            }
            p.note { (figures::comparison(view, &self.figures)) }
            section { div.card.pad { (self.facts(view)) } }
            (errors::table(view, &self.errors))
            (self.hosts(view))
        }
    }

    fn facts(&self, view: &LogsView) -> Markup {
        let agent = &self.agent;
        let time = |time: &Option<String>| match time {
            Some(time) => shown(view.words.moment(time)),
            None => view.text("none-seen"),
        };
        html! {
            dl.facts {
                dt { (view.text("state")) } dd { (state_tag(view, agent.state)) }
                dt { (view.text("purpose")) } dd { (view.words.purpose(agent.purpose)) }
                dt { (view.text("first-seen")) } dd { (time(&agent.first_seen)) }
                dt { (view.text("last-seen")) } dd { (time(&agent.last_seen)) }
                @if let Some(hours) = agent.usual_gap_hours {
                    dt { (view.text("usual-visits")) }
                    dd { (view.words.fill("every", [("time", view.words.duration(u64::from(hours) * 3600))])) }
                }
                dt { "ID" } dd { code { (shown(agent.id.as_str())) } }
            }
            @if let Some(note) = &agent.note { p.note { (shown(note.as_str())) } }
        }
    }

    fn hosts(&self, view: &LogsView) -> Markup {
        let title = view.text("hosts");
        let titles = [
            (view.text("host"), false),
            (view.text("requests"), true),
            (view.text("over-time"), false),
        ];
        let rows = html! {
            @for host in &self.hosts.groups {
                tr {
                    @let link = view.address.link(&view.path).with("host", host.key.as_str());
                    th scope="row" { a href=(view.href(&link)) { (shown(host.name.as_str())) } }
                    (view.number_cell(host.requests))
                    (super::chart::spark(&host.values, &host.name))
                }
            }
        };
        html! {
            @if self.hosts.groups.len() > 1 {
                section aria-labelledby="hosts" {
                    div.head { h2 id="hosts" { (title) } }
                    (LogsView::table(&title, &titles, &rows))
                }
            }
        }
    }
}
