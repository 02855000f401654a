//! Pages as their sites would answer, and what an audit says about them.

use chrono::{DateTime, Utc};
use url::Url;
use visibility_core::audit::request::AuditRequest;
use visibility_core::audit::result::{AuditResult, AuditSignalResult};
use visibility_core::audit::snapshot::{AuditId, PageSnapshot, SitemapState};
use visibility_core::audit::{AuditReport, audit};
use visibility_core::documents::robots::RobotsFile;
use visibility_core::documents::sitemap::SitemapEntry;
use visibility_core::fetch::{FetchResult, Response};
use visibility_core::text::locale::Lang;
use visibility_tests::translated;

/// The day of all audits here.
pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().expect("a time")
}

/// A page of a site that has a robots.txt and a sitemap, which lists the page.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    pub(crate) url: String,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) robots: String,
}

impl Served {
    pub(crate) fn new(url: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            url: url.to_owned(),
            status: 200,
            headers: vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())],
            body: body.into(),
            robots: "User-agent: *\nAllow: /\nSitemap: https://shop.example.com/sitemap.xml\n"
                .to_owned(),
        }
    }

    /// The product page of the fixtures.
    pub(crate) fn product() -> Self {
        Self::new("https://shop.example.com/jackets/aurora", visibility_tests::pages::product())
    }

    /// The same with a text in the place of another one, which must be there.
    pub(crate) fn but(mut self, old: &str, new: &str) -> Self {
        let body = String::from_utf8(self.body).expect("a text");
        assert!(body.contains(old), "the page has no `{old}`");
        self.body = body.replace(old, new).into_bytes();
        self
    }

    pub(crate) fn robots(mut self, robots: &str) -> Self {
        robots.clone_into(&mut self.robots);
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    fn response(&self) -> Response {
        let url = Url::parse(&self.url).expect("an address");
        let mut response = Response::new(url, self.status, self.body.clone());
        response.wire_bytes = 1000;
        (response.ttfb_ms, response.total_ms) = (50, 80);
        self.headers
            .iter()
            .fold(response, |response, (name, value)| response.with_header(name, value.as_str()))
    }

    pub(crate) fn snapshot(&self) -> PageSnapshot {
        self.answered(Ok(self.response()))
    }

    /// A snapshot of the same address with another answer.
    pub(crate) fn answered(&self, answer: FetchResult) -> PageSnapshot {
        let request = AuditRequest {
            id: AuditId::from_bits(7),
            url: self.url.parse().expect("a page"),
            taken_at: now(),
            user_agent: "VisibilityBot/0.1.0 (+https://example.com/bot)".to_owned(),
            profile: None,
        };
        let mut snapshot = PageSnapshot::new(&request, answer);
        snapshot.robots = Some(RobotsFile::from_text(self.robots.as_bytes()));
        snapshot.sitemap = SitemapState::Listed {
            url: "https://shop.example.com/sitemap.xml".to_owned(),
            entry: SitemapEntry {
                loc: self.url.clone(),
                lastmod: Some("2026-11-03T00:00:00Z".parse().expect("a time")),
                bad_lastmod: false,
            },
        };
        snapshot
    }

    /// The report, which is also compared in both languages.
    pub(crate) fn report(&self) -> AuditReport {
        let report = audit(&self.snapshot());
        let evidence =
            report.evaluated_signals().iter().flat_map(|read| read.scored.finding.evidence());
        let [english, turkish] = Lang::ALL.map(|lang| report.result(lang));
        translated::assert_translated(&english, &turkish, &translated::technical(evidence));
        report
    }

    pub(crate) fn judged(&self) -> AuditResult {
        self.report().result(Lang::En)
    }
}

/// A signal of a result.
pub(crate) fn signal<'a>(result: &'a AuditResult, id: &str) -> &'a AuditSignalResult {
    let found = result.signals.iter().find(|signal| signal.id == id);
    found.unwrap_or_else(|| panic!("no signal {id}"))
}

/// What lost points, for messages of failed tests.
pub(crate) fn lost(result: &AuditResult) -> Vec<String> {
    let open = result.signals.iter().filter(|signal| signal.points < signal.max_points);
    open.map(|s| format!("{} {} of {}: {}", s.code, s.points, s.max_points, s.summary)).collect()
}
