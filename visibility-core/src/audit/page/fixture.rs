//! Pages for tests of signals.
//!
//! ```text
//! let snapshot = fixture("<html>..").header("x-robots-tag", "noindex").robots_txt("..");
//! let page = snapshot.audited();
//! ```

use chrono::{DateTime, Duration, Utc};

use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::signal::{ScoredFinding, Signal};
use crate::audit::snapshot::{AuditId, AuditTarget, PageSnapshot, SitemapState};
use crate::documents::robots::{RobotsFile, RobotsState, RobotsTxt};
use crate::documents::sitemap::SitemapEntry;
use crate::fetch::{BodyEnd, FetchError, Headers, Hop, Response};
use crate::rubric::finding::{Detection as Seen, Verdict};
use crate::text::locale::{Catalog, Lang};

/// Where the pages of [`fixture`] are.
pub(crate) const URL: &str = "https://example.com/page";

/// When the pages of [`fixture`] are audited.
pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-20T12:00:00Z".parse().unwrap()
}

/// A page at [`URL`], asked for at [`now`], on a host without robots.txt and sitemap.
pub(crate) fn fixture(html: &str) -> PageSnapshot {
    let response = Response {
        url: URL.parse().unwrap(),
        status: 200,
        version: "HTTP/1.1".to_owned(),
        headers: Headers::from_iter([("content-type", "text/html; charset=utf-8")]),
        wire_bytes: html.len() as u64,
        body: html.to_owned().into(),
        body_end: BodyEnd::Complete,
        hops: Vec::new(),
        ttfb_ms: 1,
        total_ms: 1,
        retries: 0,
        tls: None,
    };
    PageSnapshot {
        id: AuditId::from_bits(1),
        target: AuditTarget::Url(URL.parse().unwrap()),
        taken_at: now(),
        user_agent: "VisibilityBot/1.0 (+https://example.org/bot)".to_owned(),
        profile: None,
        result: Ok(response),
        robots: Some(RobotsFile { state: RobotsState::Unavailable, rules: RobotsTxt::default() }),
        sitemap: SitemapState::Missing,
    }
}

impl PageSnapshot {
    fn with(mut self, change: impl FnOnce(&mut Response)) -> Self {
        change(self.result.as_mut().unwrap());
        self
    }

    /// Adds a header field; another `content-type` replaces the one that is there.
    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        self.with(|response| {
            if name == "content-type" {
                response.headers = Headers::default();
            }
            response.headers.append(name, value);
        })
    }

    /// Puts the page elsewhere.
    pub(crate) fn at(mut self, url: &str) -> Self {
        self.target = AuditTarget::Url(url.parse().unwrap());
        self.with(|response| response.url = url.parse().unwrap())
    }

    /// Gives the answer another status.
    pub(crate) fn status(self, status: u16) -> Self {
        self.with(|response| response.status = status)
    }

    /// Ends the body early.
    pub(crate) fn ending(self, end: BodyEnd) -> Self {
        self.with(|response| response.body_end = end)
    }

    /// Comes to the page by so many redirects.
    pub(crate) fn after_redirects(self, count: usize) -> Self {
        self.with(|response| {
            response.hops = (0..count)
                .map(|number| Hop {
                    url: format!("https://example.com/{number}").parse().unwrap(),
                    status: 301,
                    location: format!("/{}", number + 1),
                    vary: String::new(),
                })
                .collect();
        })
    }

    /// Makes it a page of this kind.
    pub(crate) fn with_profile(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// Gives the host this robots.txt.
    pub(crate) fn robots_txt(mut self, text: &str) -> Self {
        self.robots = Some(RobotsFile::from_text(text.as_bytes()));
        self
    }

    /// Lets robots.txt come out so.
    pub(crate) fn robots_state(mut self, state: RobotsState) -> Self {
        self.robots = Some(RobotsFile { state, rules: RobotsTxt::default() });
        self
    }

    /// Says this of the sitemap.
    pub(crate) fn sitemap(mut self, sitemap: SitemapState) -> Self {
        self.sitemap = sitemap;
        self
    }

    /// Lists the page in a sitemap, changed so many days ago.
    pub(crate) fn listed(self, days_ago: Option<i64>) -> Self {
        let lastmod = days_ago.map(|days| self.taken_at - Duration::days(days));
        let entry = SitemapEntry { loc: URL.to_owned(), lastmod, bad_lastmod: false };
        self.sitemap(SitemapState::Listed { url: "https://example.com/sitemap.xml".into(), entry })
    }

    /// The same page as a file whose address is not known.
    pub(crate) fn file(self) -> Self {
        let body = self.result.unwrap().body;
        let file = Self::from_file(self.id, "page.html", None, body, self.taken_at);
        Self { profile: self.profile, ..file }
    }

    /// A visit without a page.
    pub(crate) fn failed(mut self, error: FetchError) -> Self {
        self.result = Err(error);
        self
    }

    /// The page as signals see it.
    pub(crate) fn audited(&self) -> AuditedPage<'_> {
        AuditedPage::new(self, self.response().unwrap())
    }

    /// What a signal reads. Its verdict is that of its credit, its outcome one of those it names, and its
    /// sentences have all their values.
    pub(crate) fn read(&self, signal: &Signal) -> ScoredFinding {
        let scored = (signal.evaluate)(&self.audited());
        let seen = scored.finding.detections();
        for outcome in seen.iter().map(|seen| seen.outcome) {
            assert!(signal.outcomes.contains(&outcome), "{}: {}", signal.id, outcome.id);
        }
        if let Some(credit) = scored.credit {
            assert_eq!(scored.finding.verdict(), credit.verdict(), "{}: {seen:?}", signal.id);
        }
        for (seen, part) in seen.iter().flat_map(|seen| ["text", "fix"].map(|part| (seen, part))) {
            assert_filled(signal, seen, part);
        }
        let decisive = scored.finding.verdict();
        if matches!(decisive, Verdict::Warn | Verdict::Fail) {
            let path = ["signals", signal.id, "outcomes", seen[0].outcome.id, "fix"];
            assert!(Catalog::for_lang(Lang::En).find(&path).is_some(), "{path:?}");
        }
        scored
    }
}

/// Asserts that a sentence names only values that there are.
fn assert_filled(signal: &Signal, seen: &Seen, part: &str) {
    for lang in Lang::ALL {
        let path = ["signals", signal.id, "outcomes", seen.outcome.id, part];
        let sentence = Catalog::for_lang(lang).template(&path).unwrap_or_default();
        for name in sentence.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
            assert!(seen.values_in(Catalog::for_lang(lang)).contains_key(name), "{path:?}: {name}");
        }
    }
}
