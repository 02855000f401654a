//! `/logs/errors`: what agents did not get, by agent and status.

use maud::{Markup, html};
use visibility_core::report::chart::Tone;
use visibility_core::store::StoreError;
use visibility_core::traffic::ResponseClass;

use super::address::LogsAddress;
use super::chart::SeriesChart;
use super::view::{Choices, LogsView};
use crate::stores::Stores;
use crate::traffic::QuestionKind;
use crate::traffic::errors::{self, ErrorRow, Errors, ErrorsQuestion};
use crate::traffic::selection::Selection;
use crate::traffic::series::{self, Series, SeriesGroup, SeriesQuestion, SeriesStep};

/// The statuses that can be chosen.
const STATUSES: [&str; 3] = ["refused", "missing", "failed"];

/// What the page shows.
pub(super) struct ErrorList {
    errors: Errors,
    /// Errors by status, each day.
    chart: Series,
    choices: Choices,
}

impl ErrorList {
    pub(super) fn load(stores: &Stores, view: &LogsView) -> Result<Self, StoreError> {
        let LogsAddress { selection, page, .. } = &view.address;
        let question = ErrorsQuestion { selection: selection.clone(), page: page.clone() };
        let mut chart = series::series(stores, &chart_of(selection))?;
        chart.groups.retain(|group| group.key.as_str() >= "400");
        let choices = Choices::load(stores, &selection.tenant)?;
        Ok(Self { errors: errors::errors(stores, &question)?, chart, choices })
    }

    pub(super) fn render(&self, view: &LogsView) -> Markup {
        let title = view.text("errors-title");
        let chart_title = view.text("chart-errors");
        let link = |extension| {
            let file = view.address.file(QuestionKind::Series, extension);
            file.with_series(SeriesStep::Day, SeriesGroup::Status).text()
        };
        let (csv, json) = (link("csv"), link("json"));
        let chart =
            SeriesChart { series: &self.chart, title: chart_title.as_str(), files: (&csv, &json) };
        let chosen = view.address.filter("status");
        html! {
            (view.head(&title, &html! { (view.text("title")) }, &self.choices))
            div.toolbar { ul.chips aria-label=(view.text("status")) {
                li {
                    a.chip href=(view.href(&view.address.link(&view.path).without("status")))
                        aria-current=[chosen.is_none().then_some("true")] { (view.text("all")) }
                }
                @for status in STATUSES {
                    @let link = view.address.link(&view.path).with("status", status);
                    li {
                        a.chip href=(view.href(&link)) aria-current=[(chosen == Some(status)).then_some("true")] {
                            (view.text(status)) " (" (view.text(&format!("{status}-statuses"))) ")"
                        }
                    }
                }
            } }
            section {
                div.card { div.pad { h2 { (chart_title) } } (chart.render(view)) }
            }
            (table(view, &self.errors))
            (view.next(self.errors.next.as_deref()))
            (super::uncounted(view, &self.errors.uncounted))
        }
    }
}

/// Requests by status.
fn chart_of(selection: &Selection) -> SeriesQuestion {
    let selection = selection.clone();
    SeriesQuestion { selection, by: SeriesStep::Day, group: SeriesGroup::Status }
}

/// Errors by agent and status.
pub(super) fn table(view: &LogsView, errors: &Errors) -> Markup {
    let title = view.text("by-agent-and-status");
    let titles = [
        (view.text("agent"), false),
        (view.text("status"), false),
        (view.text("requests"), true),
        (view.text("first-day"), false),
        (view.text("last-day"), false),
    ];
    let rows = html! { @for error in &errors.errors { (row(view, error)) } };
    html! {
        section aria-labelledby="by-status" {
            div.head {
                h2 id="by-status" { (title) }
                span.soft { (view.words.fill("errors-count", [("number", view.words.number(errors.requests))])) }
                (view.files(QuestionKind::Errors))
            }
            @if errors.errors.is_empty() {
                p { (view.text("none-seen")) }
            } @else {
                (LogsView::table(&title, &titles, &rows))
            }
        }
    }
}

fn row(view: &LogsView, error: &ErrorRow) -> Markup {
    let (class, name) = match error.class {
        ResponseClass::Refused => (Tone::Bad, "refused"),
        ResponseClass::Missing => (Tone::Warn, "missing"),
        ResponseClass::Failed => (Tone::Bad, "failed"),
        ResponseClass::Served | ResponseClass::Redirected | ResponseClass::Other => {
            (Tone::None, "other-error")
        }
    };
    let tag = format!("tag {}", class.class());
    html! {
        tr {
            th scope="row" { (view.agent(&error.agent, &error.name)) }
            td {
                @if let Some(status) = error.status {
                    @let link = view.address.link("/logs/errors").with("status", status.to_string());
                    a href=(view.href(&link)) { (status) } " "
                }
                span class=(tag) { (view.text(name)) }
            }
            (view.number_cell(error.requests))
            td { (view.words.day(error.first_day)) }
            td { (view.words.day(error.last_day)) }
        }
    }
}
