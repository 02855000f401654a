//! What all of these pages have: the person, the address, the words, and the frame of the content.

use maud::{Markup, html};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::report::traffic::{TrafficWords, is_striking};
use visibility_core::store::StoreError;
use visibility_core::text::markup::{Shown, shown};

use super::address::{KeyFigure, Link, LogsAddress, NamedPeriod};
use super::more;
use crate::http::urls::LOGS_PATH;
use crate::settings::Settings;
use crate::site::base_url::BaseUrl;
use crate::stores::Stores;
use crate::traffic::{AgentDirectory, QuestionKind};

/// The pages and their names in `locales/`, in the order of the navigation.
const PAGES: [(&str, &str); 5] = [
    (LOGS_PATH, "overview"),
    ("/logs/agents", "agents"),
    ("/logs/hosts", "hosts"),
    ("/logs/errors", "errors"),
    ("/logs/sources", "sources"),
];

/// What a page is made with.
pub(super) struct LogsView {
    pub(super) base: BaseUrl,
    pub(super) words: TrafficWords,
    pub(super) address: LogsAddress,
    /// The path of the page.
    pub(super) path: String,
    /// The filters that the form of the page has a field for.
    pub(super) fields: &'static [&'static str],
    /// What is shown of the settings of the service.
    pub(super) service: ServiceFacts,
}

/// What the pages say of the service.
#[derive(Clone, Debug)]
pub(super) struct ServiceFacts {
    /// Where the log for other engines is, as people reach it; none without such logs.
    pub(super) delta_table: Option<String>,
    /// The table in ClickHouse; none without a copy.
    pub(super) clickhouse_table: Option<String>,
    /// Whom to ask for access.
    pub(super) contact: Option<String>,
    /// Where batches are sent.
    pub(super) ingestion_url: String,
}

/// What can be chosen in the form of a page.
#[derive(Debug, Default)]
pub(super) struct Choices {
    pub(super) hosts: Vec<String>,
    /// Agents by id, with their names.
    pub(super) agents: Vec<(String, String)>,
}

/// Hosts that are a list to choose from; more are suggestions of a field.
const MAX_LISTED_HOSTS: usize = 100;

impl ServiceFacts {
    pub(super) fn new(settings: &Settings, tenant: &TenantSlug) -> Self {
        let has_delta = settings.delta.interval > 0;
        let location = settings.web.delta_location.as_deref();
        let has_clickhouse = settings.clickhouse.url.is_some();
        Self {
            delta_table: has_delta.then(|| more::delta_table(location, tenant.as_str())),
            clickhouse_table: has_clickhouse
                .then(|| format!("{}.logs", settings.clickhouse.database)),
            contact: settings.contact.clone(),
            ingestion_url: settings.ingestion_url(),
        }
    }
}

impl Choices {
    pub(super) fn load(stores: &Stores, tenant: &TenantSlug) -> Result<Self, StoreError> {
        let state_store = stores.state_store();
        let hosts = state_store.seen_hosts(tenant)?;
        let seen = state_store.seen_agents(tenant, None)?;
        let directory = AgentDirectory::new();
        let named = seen.into_iter().map(|agent| {
            let name = directory.name(&agent.agent).to_owned();
            (agent.agent, name)
        });
        let mut agents: Vec<(String, String)> = named.collect();
        agents.sort_by(|first, second| first.1.cmp(&second.1));
        Ok(Self { hosts, agents })
    }
}

impl LogsView {
    pub(super) fn link(&self, path: &str) -> String {
        self.base.link(path)
    }

    pub(super) fn text(&self, id: &str) -> Shown<'static> {
        self.words.text(id)
    }

    pub(super) fn href(&self, link: &Link) -> String {
        self.base.link(&link.text())
    }

    /// A link to the page of an agent, with the period and the filters of this one.
    pub(super) fn agent(&self, id: &str, name: &str) -> Markup {
        let path: String = url::form_urlencoded::byte_serialize(id.as_bytes()).collect();
        let link = self
            .address
            .link(&format!("/logs/agents/{path}"))
            .without("agent")
            .without("vendor")
            .without("purpose")
            .without("status");
        html! { a href=(self.href(&link)) { (shown(name)) } }
    }

    /// Links to the answer to a question as CSV and JSON.
    pub(super) fn files(&self, kind: QuestionKind) -> Markup {
        let file = |extension| {
            let file = self.address.file(kind, extension);
            let is_list = !matches!(kind, QuestionKind::Summary | QuestionKind::Series);
            self.href(&if is_list { file.with("limit", "1000") } else { file })
        };
        html! {
            span.files { a href=(file("csv")) { "CSV" } " · " a href=(file("json")) { "JSON" } }
        }
    }

    /// The heading, the ways to the other pages, the periods, and the form with the filters.
    pub(super) fn head(&self, title: &Shown<'_>, eyebrow: &Markup, choices: &Choices) -> Markup {
        let LogsAddress { selection, .. } = &self.address;
        let days = self.words.days(selection.from, selection.to);
        html! {
            p.eyebrow { (eyebrow) }
            h1 { (title) }
            nav aria-label=(self.text("navigation")) {
                ul.chips {
                    @for (path, id) in PAGES {
                        @let link = self.address.link(path).without("status");
                        li {
                            a.chip href=(self.href(&link)) aria-current=[(self.path == path).then_some("page")] {
                                (self.text(id))
                            }
                        }
                    }
                }
            }
            div.toolbar {
                ul.chips aria-label=(self.text("period")) {
                    @for period in NamedPeriod::ALL {
                        @let link = self.address.period_link(&self.path, period);
                        @let link = self.keep_figure(link);
                        @let is_chosen = self.address.period == Some(period);
                        li {
                            a.chip href=(self.href(&link)) aria-current=[is_chosen.then_some("true")] {
                                (self.text(&format!("period-{}", period.name())))
                            }
                        }
                    }
                }
                (self.form(choices))
                (self.chosen_filters())
            }
            p.soft { (shown(days)) " (UTC)" }
        }
    }

    fn keep_figure(&self, link: Link) -> Link {
        match self.address.figure {
            KeyFigure::Requests => link,
            figure => link.with("figure", figure.name()),
        }
    }

    fn form(&self, choices: &Choices) -> Markup {
        let LogsAddress { selection, period, figure, .. } = &self.address;
        let day = |day: chrono::NaiveDate| period.is_none().then(|| day.to_string());
        html! {
            form.filters method="get" action=(self.link(&self.path)) {
                @if let Some(period) = period {
                    input type="hidden" name="period" value=(period.name());
                }
                @if *figure != KeyFigure::Requests {
                    input type="hidden" name="figure" value=(figure.name());
                }
                @for (name, value) in self.other_filters() {
                    input type="hidden" name=(name) value=(shown(value));
                }
                label { (self.text("from")) input type="date" name="from" value=[day(selection.from)]; }
                label { (self.text("to")) input type="date" name="to" value=[day(selection.to)]; }
                @if self.fields.contains(&"host") { (self.host_field(&choices.hosts)) }
                @if self.fields.contains(&"purpose") {
                    (self.choice("purpose", ["search", "user", "training", "other"].into_iter().map(|name| {
                        (name, self.text(&format!("purpose-{name}")))
                    })))
                }
                @if self.fields.contains(&"agent") {
                    (self.choice("agent", choices.agents.iter().map(|(id, name)| {
                        (id.as_str(), shown(name.as_str()))
                    })))
                }
                button type="submit" { (self.text("show")) }
            }
        }
    }

    /// A field with values and their names.
    fn choice<'a>(
        &self,
        name: &'static str,
        values: impl Iterator<Item = (&'a str, Shown<'a>)>,
    ) -> Markup {
        let chosen = self.address.filter(name);
        html! {
            label {
                (self.text(name))
                select name=(name) {
                    option value="" { (self.text("all")) }
                    @for (value, text) in values {
                        option value=(shown(value)) selected[chosen == Some(value)] { (text) }
                    }
                }
            }
        }
    }

    /// The filters that no field of the form shows.
    fn other_filters(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.address.filters().filter(|(name, _)| !self.fields.contains(name))
    }

    fn host_field(&self, hosts: &[String]) -> Markup {
        let chosen = self.address.filter("host");
        let is_list = hosts.len() <= MAX_LISTED_HOSTS
            && chosen.is_none_or(|chosen| hosts.iter().any(|host| host == chosen));
        html! {
            label {
                (self.text("host"))
                @if is_list {
                    select name="host" {
                        option value="" { (self.text("all")) }
                        @for host in hosts {
                            option value=(shown(host.as_str())) selected[chosen == Some(host.as_str())] { (shown(host.as_str())) }
                        }
                    }
                } @else {
                    input type="text" name="host" value=[chosen.map(shown)] list="hosts" autocomplete="off";
                    datalist id="hosts" {
                        @for host in hosts.iter().take(MAX_LISTED_HOSTS) { option value=(shown(host.as_str())) {} }
                    }
                }
            }
        }
    }

    /// The filters that no field of the form shows, each with a way to be rid of it.
    fn chosen_filters(&self) -> Markup {
        html! {
            @if !self.fields.is_empty() && self.other_filters().next().is_some() {
                ul.chips aria-label=(self.text("filters")) {
                    @for (name, value) in self.other_filters() {
                        @let link = self.keep_figure(self.address.link(&self.path).without(name));
                        li {
                            a.chip href=(self.href(&link)) {
                                (self.text(name)) ": " (shown(value)) " ✕"
                                span.hidden { " " (self.text("remove")) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The way to the next part of a list.
    pub(super) fn next(&self, next: Option<&str>) -> Markup {
        html! {
            @if let Some(next) = next {
                @let link = self.address.link(&self.path).with("after", next);
                p.buttons { a.button.plain href=(self.href(&link)) rel="next" { (self.text("next")) } }
            }
        }
    }

    /// A number, and nothing for none.
    pub(super) fn number_cell(&self, number: u64) -> Markup {
        html! {
            td.number { @if number == 0 { span.soft { "–" } } @else { (self.words.number(number)) } }
        }
    }

    /// A share with the number that it is of, marked if it is worth a look.
    pub(super) fn share_cell(&self, part: u64, whole: u64) -> Markup {
        let share = self.words.share(part, whole);
        html! {
            td.number title=(self.words.number(part)) {
                @if part == 0 { span.soft { "–" } }
                @else if is_striking(part, whole) { span.tag.bad { (share) } }
                @else { (share) }
            }
        }
    }

    /// A table that scrolls by itself where it is too wide, named by its heading.
    pub(super) fn table(
        name: &Shown<'_>,
        titles: &[(Shown<'static>, bool)],
        rows: &Markup,
    ) -> Markup {
        html! {
            div.card.scroll tabindex="0" role="group" aria-label=(name) {
                table {
                    thead {
                        tr {
                            @for (title, is_number) in titles {
                                th scope="col" class=[is_number.then_some("number")] { (title) }
                            }
                        }
                    }
                    tbody { (rows) }
                }
            }
        }
    }
}
