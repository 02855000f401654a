//! `/logs/hosts`: one row a host, the one that got worst first.

use chrono::{DateTime, Utc};
use maud::{Markup, html};
use visibility_core::store::StoreError;
use visibility_core::text::markup::shown;

use super::chart::spark;
use super::view::{Choices, LogsView};
use crate::http::urls::LOGS_PATH;
use crate::stores::Stores;
use crate::traffic::QuestionKind;
use crate::traffic::hosts::{self, HostRow, Hosts, HostsQuestion};

/// What the page shows.
pub(super) struct HostList {
    hosts: Hosts,
    choices: Choices,
}

impl HostList {
    pub(super) fn load(
        stores: &Stores,
        view: &LogsView,
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        let address = &view.address;
        let first_day = stores.state_store().first_counted_day(&address.selection.tenant)?;
        // Days that are over are compared; if there are records of today alone, they are shown.
        let compared = address.whole_days();
        let compared = compared.filter(|days| first_day.is_some_and(|first| first <= days.to));
        let question = HostsQuestion {
            selection: compared.unwrap_or_else(|| address.selection.clone()),
            page: address.page.clone(),
        };
        let choices = Choices::load(stores, &address.selection.tenant)?;
        Ok(Self { hosts: hosts::hosts(stores, &question, now.date_naive())?, choices })
    }

    pub(super) fn render(&self, view: &LogsView) -> Markup {
        let Hosts { period, before, .. } = &self.hosts;
        let words = view.words;
        let title = view.text("hosts-title");
        let titles = [
            (view.text("host"), false),
            (view.text("worse"), true),
            (view.text("requests"), true),
            (view.text("before"), true),
            (view.text("refused"), true),
            (view.text("missing"), true),
            (view.text("failed"), true),
            (view.text("over-time"), false),
        ];
        let rows = html! { @for host in &self.hosts.hosts { (row(view, host)) } };
        let days = [
            ("days", words.days(period.from, period.to)),
            ("before", words.days(before.from, before.to)),
        ];
        let is_compared = self.hosts.hosts.iter().any(|host| host.worse.is_some());
        let (from, to) = (period.from.to_string(), period.to.to_string());
        let file = |extension| {
            let file = view.address.file(QuestionKind::Hosts, extension);
            view.href(
                &file.with("from", from.as_str()).with("to", to.as_str()).with("limit", "1000"),
            )
        };
        html! {
            (view.head(&title, &html! { (view.text("title")) }, &self.choices))
            section {
                div.head {
                    span.soft { (words.fill("compared-days", days)) }
                    span.files { a href=(file("csv")) { "CSV" } " · " a href=(file("json")) { "JSON" } }
                }
                @if self.hosts.hosts.is_empty() {
                    p { (view.text("no-requests")) }
                } @else {
                    (LogsView::table(&title, &titles, &rows))
                    (view.next(self.hosts.next.as_deref()))
                }
                p.note {
                    @if is_compared { (view.text("worse-about")) } @else { (view.text("not-compared-hosts")) }
                }
            }
            (super::uncounted(view, &self.hosts.uncounted))
        }
    }
}

fn row(view: &LogsView, host: &HostRow) -> Markup {
    let link = view.address.link(LOGS_PATH).with("host", host.host.as_str());
    let sums = host.period;
    html! {
        tr {
            th scope="row" { a href=(view.href(&link)) { (shown(host.host.as_str())) } }
            td.number {
                @match host.worse {
                    Some(0) | None => { span.soft { "–" } }
                    Some(worse) => (view.words.number(worse)),
                }
            }
            (view.number_cell(sums.requests))
            (view.number_cell(host.before.requests))
            (view.share_cell(sums.refused, sums.requests))
            (view.share_cell(sums.missing, sums.requests))
            (view.share_cell(sums.failed, sums.requests))
            (spark(&host.values, &host.host))
        }
    }
}
