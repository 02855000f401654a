//! `/logs/sources`: whether the logs are complete.

use chrono::{DateTime, NaiveDate, Utc};
use maud::{Markup, html};
use visibility_core::store::StoreError;
use visibility_core::text::markup::shown;

use super::address::LogsAddress;
use super::view::{Choices, LogsView};
use crate::stores::Stores;
use crate::traffic::QuestionKind;
use crate::traffic::sources::{self, LogSources, SourcesQuestion};

/// What the page shows.
pub(super) struct SourceList {
    sources: LogSources,
    first_day: Option<NaiveDate>,
}

impl SourceList {
    pub(super) fn load(
        stores: &Stores,
        view: &LogsView,
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        let LogsAddress { selection, page, .. } = &view.address;
        let (tenant, from, to) = (selection.tenant.clone(), selection.from, selection.to);
        let question = SourcesQuestion { tenant, from, to, page: page.clone() };
        let first_day = stores.state_store().first_counted_day(&selection.tenant)?;
        Ok(Self { sources: sources::sources(stores, &question, now)?, first_day })
    }

    pub(super) fn render(&self, view: &LogsView) -> Markup {
        html! {
            (view.head(&view.text("sources-title"), &html! { (view.text("title")) }, &Choices::default()))
            section { div.card.pad { (facts(view, &self.sources, self.first_day)) } }
            (self.gaps(view))
            (self.rejections(view))
            (super::uncounted(view, &self.sources.uncounted))
        }
    }

    fn gaps(&self, view: &LogsView) -> Markup {
        let title = view.text("gaps");
        let titles =
            [(view.text("from"), false), (view.text("to"), false), (view.text("length"), true)];
        let rows = html! {
            @for gap in &self.sources.gaps {
                tr {
                    td { (view.words.moment(&gap.from)) }
                    td {
                        @match &gap.to {
                            Some(to) => (view.words.moment(to)),
                            None => { span.tag.bad { (view.text("still")) } }
                        }
                    }
                    td.number { (view.words.duration(gap.seconds)) }
                }
            }
        };
        html! {
            section aria-labelledby="gaps" {
                div.head { h2 id="gaps" { (title) } (view.files(QuestionKind::Sources)) }
                p.note { (view.text("gaps-about")) }
                @if self.sources.gaps.is_empty() {
                    p { (view.text("no-gaps")) }
                } @else {
                    (LogsView::table(&title, &titles, &rows))
                    (view.next(self.sources.next.as_deref()))
                }
            }
        }
    }

    fn rejections(&self, view: &LogsView) -> Markup {
        let title = view.text("rejections");
        let titles = [(view.text("reason"), false), (view.text("lines"), true)];
        let rows = html! {
            @for rejection in &self.sources.rejections {
                tr {
                    th scope="row" {
                        code { (shown(rejection.reason.as_str())) }
                        br; small { (view.words.rejection(&rejection.reason)) }
                    }
                    (view.number_cell(rejection.lines))
                }
            }
        };
        html! {
            @if !self.sources.rejections.is_empty() {
                section aria-labelledby="rejections" {
                    div.head {
                        h2 id="rejections" { (title) }
                        a href=(view.link("/docs/ingestion")) { (view.text("why-rejected")) }
                    }
                    (LogsView::table(&title, &titles, &rows))
                }
            }
        }
    }
}

/// The most important of it.
pub(super) fn facts(view: &LogsView, sources: &LogSources, first_day: Option<NaiveDate>) -> Markup {
    let words = view.words;
    let lines = sources.accepted.saturating_add(sources.rejected);
    let longest = sources.gaps.iter().max_by_key(|gap| gap.seconds);
    let open = sources.gaps.iter().find(|gap| gap.to.is_none());
    html! {
        dl.facts {
            dt { (words.text("last-batch")) }
            dd {
                @match &sources.last_batch {
                    Some(time) => (words.moment(time)),
                    None => (words.text("none-seen")),
                }
                @if open.is_some() { " " span.tag.bad { (words.text("overdue")) } }
            }
            @if let Some(first) = &sources.first_batch {
                dt { (words.text("first-batch")) } dd { (words.moment(first)) }
            }
            @if let Some(day) = first_day {
                dt { (words.text("records-from")) } dd { (words.day(day)) }
            }
            dt { (words.text("batches")) }
            dd {
                (words.number(sources.batches))
                @if let Some(seconds) = sources.usual_gap_seconds.filter(|seconds| *seconds > 0) {
                    ", " (words.fill("usually-every", [("time", words.duration(seconds))]))
                }
            }
            dt { (words.text("gaps")) }
            dd {
                @match longest {
                    None => (words.text("no-gaps")),
                    Some(gap) => {
                        (words.number(u64::try_from(sources.gaps.len()).unwrap_or_default())) ", "
                        (words.fill("longest-gap", [("time", words.duration(gap.seconds)), ("from", words.moment(&gap.from))]))
                    }
                }
            }
            dt { (words.text("rejected")) }
            dd {
                (words.fill("rejected-of", [
                    ("part", words.number(sources.rejected)), ("all", words.number(lines)),
                    ("share", words.share(sources.rejected, lines)),
                ]))
                @if let Some(most) = sources.rejections.first() {
                    br; small { code { (shown(most.reason.as_str())) } " " (words.rejection(&most.reason)) }
                }
            }
        }
        p.note { (words.text("counted-once")) " " (words.text("claimed")) }
    }
}
