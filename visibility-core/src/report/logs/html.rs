//! A report on access logs as one HTML file: no scripts, no foreign requests, fit for print, light and dark.

mod agents;
mod charts;
mod errors;
mod figures;
mod given;
mod others;
mod pages;

use maud::{Markup, html};

use crate::access_log::summary::SiteReport;
use crate::agents::Purpose;
use crate::report::html::document::{HtmlDocument, made};
use crate::report::labels::Labels;
use crate::report::logs::LogReport;
use crate::report::logs::sentences::{self, LogSentences};
use crate::report::parts::{Column, Place, table};
use crate::report::style;
use crate::report::traffic::TrafficWords;
use crate::text::locale::Lang;
use crate::text::markup::{sentence, shown};

/// Purposes from the bottom of a bar to its top, and from the left to the right.
const PURPOSES: [Purpose; 4] = [Purpose::Training, Purpose::Search, Purpose::User, Purpose::Other];

/// Renders a report in a language.
pub fn render(report: &LogReport, lang: Lang) -> Markup {
    let labels = Labels::new(lang);
    let sentences = LogSentences::new(report, labels);
    let words = TrafficWords::new(lang);
    let part = |site| SitePart { report, site, sentences, words, place: Place::new(labels) };
    let (title, body) = match report.sites.as_slice() {
        [site] => {
            let part = part(site);
            (part.title(), part.render())
        }
        sites => {
            let title = labels.label("log-report-several");
            let parts = sites.iter().enumerate().map(|(index, site)| {
                let prefix = format!("site-{}-", index + 1);
                let place = Place::new(labels).with_level(2).with_prefix(&prefix);
                SitePart { place, ..part(site) }
            });
            let parts: Vec<SitePart<'_>> = parts.collect();
            let body = html! {
                h1 { (title) }
                (overview(&parts))
                @for (index, part) in parts.iter().enumerate() {
                    article.site id={ "site-" (index + 1) } { (part.render()) }
                }
            };
            (title, body)
        }
    };
    let document = HtmlDocument {
        lang,
        title: &title,
        kind: &labels.label("log-report-badge"),
        style: style::OF_LOGS,
        foot: Some(made(&[&labels.label("log-report-made")])),
    };
    document.render(&html! { (body) (notes(sentences, &Place::new(labels))) })
}

/// The sites of a report on several, each with the way to its part.
fn overview(parts: &[SitePart<'_>]) -> Markup {
    let Some(SitePart { place, words, .. }) = parts.first() else { return html! {} };
    let labels = place.labels();
    let columns = [
        Column::Text(labels.label("log-report-host")),
        Column::Number(labels.label("requests")),
        Column::Number(labels.label("log-report-of-agents")),
    ];
    let rows = html! {
        @for (index, part) in parts.iter().enumerate() {
            tr {
                th scope="row" {
                    a href={ "#site-" (index + 1) } { (shown(part.site.host.as_deref().unwrap_or_default())) }
                }
                td.number { (words.number(part.site.requests)) }
                td.number { (words.number(part.site.agent_requests)) }
            }
        }
    };
    let place = Place::new(labels);
    let table = table(&place.id("overview"), &columns, &rows);
    place.section("overview", &labels.label("overview"), &html! {}, &table)
}

/// How the lines were counted.
fn notes(sentences: LogSentences<'_>, place: &Place) -> Markup {
    let body = html! {
        div.card.pad {
            p { (sentence(&place.labels().label("log-report-counted"))) }
            ul.notes {
                @for note in sentences.notes() { li { (sentence(&note)) } }
                li { (sentence(&sentences.checked())) }
            }
        }
    };
    place.section("notes", &place.labels().label("log-report-notes"), &html! {}, &body)
}

/// The part of the report that is about one site.
struct SitePart<'a> {
    report: &'a LogReport,
    site: &'a SiteReport,
    sentences: LogSentences<'a>,
    words: TrafficWords,
    place: Place,
}

impl SitePart<'_> {
    fn label(&self, id: &str) -> String {
        self.place.labels().label(id)
    }

    fn title(&self) -> String {
        let days = match (self.site.from, self.site.to) {
            (Some(from), Some(to)) => self.words.days(from.date_naive(), to.date_naive()),
            _ => String::new(),
        };
        self.sentences.title(self.site, &days)
    }

    /// The site as the heading, under the days.
    fn heading(&self) -> Markup {
        let (Some(from), Some(to)) = (self.site.from, self.site.to) else {
            return self.place.title(&self.title());
        };
        let days = self.words.days(from.date_naive(), to.date_naive());
        let title = match sentences::host(self.site) {
            Some(host) => self.place.labels().sentence("log-report-heading", &[("host", &host)]),
            None => self.label("log-report-heading-of-log"),
        };
        html! {
            p.eyebrow { (shown(days)) " (UTC)" }
            (self.place.title(&title))
        }
    }

    fn render(&self) -> Markup {
        let answer = self.sentences.answer(self.site);
        html! {
            (self.heading())
            @if let Some((first, more)) = answer.split_first() {
                p.lead { (sentence(first)) }
                @if !more.is_empty() { p.note { (sentence(&more.join(" "))) } }
            }
            @if self.site.agent_requests > 0 {
                (self.figures())
                (self.agents())
                (self.pages())
                (self.errors())
            }
            (self.sitemap())
            (self.robots())
            (self.visits())
            div.pair {
                (self.impostors())
                (self.unlisted_bots())
                (self.hosts())
            }
        }
    }

    /// A section with a table under its heading.
    fn table_section(&self, id: &str, title: &str, columns: &[Column], rows: &Markup) -> Markup {
        let table = table(&self.place.id(id), columns, rows);
        self.place.section(id, &self.label(title), &html! {}, &table)
    }

    fn text_column(&self, id: &str) -> Column {
        Column::Text(self.label(id))
    }

    fn number_column(&self, id: &str) -> Column {
        Column::Number(self.label(id))
    }

    /// A number of a table; what was never seen is not said to be nothing.
    fn cell(&self, number: u64) -> Markup {
        html! { td.number { @if number == 0 { "–" } @else { (self.words.number(number)) } } }
    }

    /// A path as the first cell of a row.
    fn path_cell(&self, host: &str, path: &str) -> Markup {
        let path = sentences::path(self.site, host, path);
        html! { th scope="row" { code { (shown(path)) } } }
    }

    /// A day of a table.
    fn day_cell(&self, time: Option<chrono::DateTime<chrono::Utc>>) -> Markup {
        html! {
            td.number { @match time { Some(time) => (self.words.day(time.date_naive())), None => "–" } }
        }
    }
}

#[cfg(test)]
mod tests;
