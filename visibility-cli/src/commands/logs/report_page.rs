//! The report of access logs as text for people.

mod given;
mod sections;

use visibility_core::access_log::summary::SiteReport;
use visibility_core::report::labels::Labels;
use visibility_core::report::logs::LogReport;
use visibility_core::report::logs::sentences::LogSentences;
use visibility_core::text::number::grouped;

use crate::console::document::Document;
use crate::console::table::{Cell, Table};

/// The whole report.
pub(super) fn document(report: &LogReport, labels: Labels) -> Document {
    let mut page = Page { report, labels, document: Document::default() };
    for site in &report.sites {
        page.site(site);
    }
    let sentences = page.sentences();
    for note in sentences.notes().into_iter().chain(sentences.addresses()) {
        page.document.paragraph(note);
    }
    page.document
}

struct Page<'a> {
    report: &'a LogReport,
    labels: Labels,
    document: Document,
}

impl<'a> Page<'a> {
    fn sentences(&self) -> LogSentences<'a> {
        LogSentences::new(self.report, self.labels)
    }

    fn number(&self, number: u64) -> String {
        grouped(number, self.labels.lang())
    }

    /// A number of a table; what was never seen is not said to be nothing.
    fn cell(&self, number: u64) -> Cell {
        Cell::number(if number == 0 { "–".to_owned() } else { self.number(number) })
    }

    fn label(&self, id: &str) -> String {
        self.labels.label(id)
    }

    fn table(&self, titles: &[&str]) -> Table {
        let titles: Vec<String> = titles.iter().map(|id| self.label(id)).collect();
        Table::new(&titles.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn heading(&mut self, id: &str) {
        let text = self.label(id);
        self.document.heading(text);
    }

    fn note(&mut self, id: &str) {
        let text = self.label(id);
        self.document.note(text);
    }

    fn site(&mut self, site: &SiteReport) {
        let title = self.sentences().title(site, &self.sentences().span(site));
        self.document.title(title);
        for sentence in self.sentences().answer(site) {
            self.document.paragraph(sentence);
        }
        self.agents(site);
        self.days(&site.days);
        self.visits(site);
        self.sitemap(site);
        self.robots(site);
        self.hosts(site);
        self.pages(site);
        self.folders(site);
        self.files(site);
        self.errors(site);
        self.missing(site);
        self.impostors(site);
        self.unlisted_bots(site);
    }
}
