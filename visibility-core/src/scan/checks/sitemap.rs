//! `sitemap`: a list of pages that agents find, can read, and can believe.

use std::collections::BTreeSet;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use url::Url;

use crate::documents::robots::RobotsState;
use crate::documents::sitemap::{Sitemap, SitemapError};
use crate::fetch::{BodyEnd, FetchError, Resource, Response};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::draft;
use crate::scan::snapshot::{DocumentState, SiteSnapshot};
use crate::text::note::Note;

pub(super) const CHECK: Check = Check {
    id: "sitemap",
    category: Category::Discovery,
    weight: 5,
    maturity: Maturity::Adopted,
    effort: Effort::M,
    surfaces: &[],
    outcomes: &[
        COMPLETE,
        OTHER_HOST,
        CUT,
        UNLISTED,
        NOT_WELL_FORMED,
        NO_NAMESPACE,
        FOREIGN_PAGES,
        NO_LASTMOD,
        BAD_LASTMOD,
        SAME_LASTMOD,
        FUTURE_LASTMOD,
        NESTED_INDEX,
        BROKEN_CHILD,
        ABSENT,
        HTML,
        INVALID,
        EMPTY,
        OFF_SITE,
        UNREACHABLE,
        UNSEEN_CHILD,
        ROBOTS_UNREAD,
        UNREADABLE,
    ],
    covers: &["sitemap.xml"],
    specs: &[
        Spec { name: "Sitemaps XML format", url: "https://www.sitemaps.org/protocol.html" },
        Spec { name: "W3C date formats", url: "https://www.w3.org/TR/NOTE-datetime" },
    ],
    evaluate,
};

const COMPLETE: Outcome = Outcome::pass("complete");
const OTHER_HOST: Outcome = Outcome::pass("other-host");
const CUT: Outcome = Outcome::pass("cut");
const UNLISTED: Outcome = Outcome::warn("unlisted");
const NOT_WELL_FORMED: Outcome = Outcome::warn("not-well-formed");
const NO_NAMESPACE: Outcome = Outcome::warn("no-namespace");
const FOREIGN_PAGES: Outcome = Outcome::warn("foreign-pages");
const NO_LASTMOD: Outcome = Outcome::warn("no-lastmod");
const BAD_LASTMOD: Outcome = Outcome::warn("bad-lastmod");
const SAME_LASTMOD: Outcome = Outcome::warn("same-lastmod");
const FUTURE_LASTMOD: Outcome = Outcome::warn("future-lastmod");
const NESTED_INDEX: Outcome = Outcome::warn("nested-index");
const BROKEN_CHILD: Outcome = Outcome::warn("broken-child");
const ABSENT: Outcome = Outcome::fail("absent");
const HTML: Outcome = Outcome::fail("html");
const INVALID: Outcome = Outcome::fail("invalid");
const EMPTY: Outcome = Outcome::fail("empty");
const OFF_SITE: Outcome = Outcome::fail("off-site");
const UNREACHABLE: Outcome = Outcome::fail("unreachable");
const UNSEEN_CHILD: Outcome = Outcome::unknown("unseen-child");
const ROBOTS_UNREAD: Outcome = Outcome::unknown("robots-unread");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

/// Dates that lie closer together than this were written by one run of a program.
const ONE_RUN: TimeDelta = TimeDelta::minutes(10);
/// Fewer dates than this can be the same by chance.
const MIN_SAME_DATES: usize = 3;
/// A date may be ahead of our clock by a time zone.
const TIME_ZONE: TimeDelta = TimeDelta::hours(24);

fn evaluate(site: &SiteSnapshot) -> Finding {
    let resource = Resource::Sitemap;
    let outcome = match site.document(&resource) {
        DocumentState::Present(response) => return judge(site, response),
        DocumentState::OffSite(response) if is_listed_elsewhere(site, response) => {
            return judge(site, response);
        }
        DocumentState::OffSite(response) => OFF_SITE.with("url", &response.url),
        DocumentState::SoftMissing(response) if response.looks_like_html() => HTML.detected(),
        DocumentState::SoftMissing(_) => {
            INVALID.with_note("reason", SitemapError::Unrecognized.note())
        }
        DocumentState::Missing(response) => ABSENT.with("status", response.status),
        DocumentState::Failed(error) if is_dead_end(error) => {
            UNREACHABLE.with("url", requested_url(site))
        }
        DocumentState::Refused(_)
        | DocumentState::Broken(_)
        | DocumentState::Failed(_)
        | DocumentState::NotAsked => UNREADABLE.detected(),
    };
    let finding = Finding::new(outcome).with_evidence(site.evidence(&resource));
    if finding.detections().iter().any(|detection| detection.outcome == UNREADABLE) {
        finding
    } else {
        finding.with_fix(draft::sitemap(site))
    }
}

/// robots.txt may name a sitemap on another host, and nothing led away from it.
///
/// <https://www.sitemaps.org/protocol.html#sitemaps_cross_submits>
fn is_listed_elsewhere(site: &SiteSnapshot, response: &Response) -> bool {
    let asked = site.exchange(&Resource::Sitemap).map(|exchange| &exchange.probe.url);
    asked.is_some_and(|url| !site.owns(url)) && response.status == 200
}

/// Failures that say something about the address and not about the moment.
fn is_dead_end(error: &FetchError) -> bool {
    matches!(
        error,
        FetchError::Dns { .. }
            | FetchError::Denied { .. }
            | FetchError::RedirectLoop { .. }
            | FetchError::TooManyRedirects { .. }
            | FetchError::BadRedirect { .. }
    )
}

fn requested_url(site: &SiteSnapshot) -> String {
    let exchange = site.exchange(&Resource::Sitemap);
    exchange.map(|exchange| exchange.probe.url.to_string()).unwrap_or_default()
}

fn judge(site: &SiteSnapshot, response: &Response) -> Finding {
    match Sitemap::parse(&response.body, response.body_end != BodyEnd::Complete) {
        Ok(sitemap) => judge_content(site, response, &sitemap),
        Err(error) => {
            let detection = match error {
                SitemapError::Html => HTML.detected(),
                SitemapError::Empty => EMPTY.detected(),
                other => INVALID.with_note("reason", other.note()),
            };
            let evidence = Evidence::from_response(response).quote(&response.text());
            Finding::new(detection).with_evidence([evidence]).with_fix(draft::sitemap(site))
        }
    }
}

fn judge_content(site: &SiteSnapshot, response: &Response, sitemap: &Sitemap) -> Finding {
    let child = Child::from_index(site, sitemap);
    let pages = child.pages().unwrap_or(sitemap);
    let dates = Dates::from_sitemap(pages, site.taken_at());
    let complete = COMPLETE.with("count", pages.entries.len()).with("newest", dates.newest_day());
    let mut detections = vec![complete.clone()];
    let read = [sitemap, pages].into_iter().find(|read| read.cut);
    detections.extend(read.map(|read| CUT.with("count", read.entries.len())));
    detections.extend(listing(site));
    detections.extend(form(site, response, sitemap, pages));
    detections.extend(child.signal(sitemap));
    detections.extend(dates.problem().filter(|_| child.is_judged()));
    let is_unlisted = detections.iter().any(|detection| detection.outcome == UNLISTED);
    let note = Note::new(if sitemap.is_index { "sitemap-index" } else { "sitemap-entries" })
        .with("entries", sitemap.entries.len())
        .with("dated", dates.parsed)
        .with("newest", dates.newest_day());
    let finding = Finding::from_worst(detections)
        .unwrap_or_else(|| Finding::new(complete))
        .with_evidence([Evidence::from_response(response).note(note)])
        .with_evidence(child.evidence(site));
    if is_unlisted { finding.with_fix(draft::sitemap(site)) } else { finding }
}

fn listing(site: &SiteSnapshot) -> Vec<Detection> {
    if !site.robots().rules.sitemaps.is_empty() {
        let asked = site.exchange(&Resource::Sitemap).map(|exchange| &exchange.probe.url);
        let elsewhere = asked.filter(|url| !site.owns(url));
        return elsewhere.map(|url| OTHER_HOST.with("url", url)).into_iter().collect();
    }
    match site.robots().state {
        RobotsState::Challenged
        | RobotsState::Refused
        | RobotsState::Failed
        | RobotsState::Unreachable => {
            vec![ROBOTS_UNREAD.detected()]
        }
        _ => vec![UNLISTED.detected()],
    }
}

fn form(
    site: &SiteSnapshot,
    response: &Response,
    sitemap: &Sitemap,
    pages: &Sitemap,
) -> Vec<Detection> {
    let mut problems = Vec::new();
    let is_xml =
        response.body.first() == Some(&0x1f) || response.text().trim_start().starts_with('<');
    if let Some((line, reason)) = sitemap.fault {
        problems.push(NOT_WELL_FORMED.with("line", line).with_note("reason", reason.note()));
    } else if is_xml && !sitemap.has_namespace {
        problems.push(NO_NAMESPACE.detected());
    }
    let own = pages.entries.iter().filter_map(|entry| Url::parse(&entry.loc).ok());
    if !own.into_iter().any(|url| site.owns(&url)) && !pages.is_index {
        let first = pages.entries.first().map(|entry| entry.loc.as_str()).unwrap_or_default();
        problems.push(FOREIGN_PAGES.with("url", first));
    }
    problems
}

/// The first sitemap of an index.
enum Child {
    /// There is no index, or its child was not asked for.
    None,
    /// Not to be seen now.
    Unseen,
    /// There, and no sitemap.
    Broken(Note),
    /// There.
    Read(Sitemap),
}

impl Child {
    fn from_index(site: &SiteSnapshot, sitemap: &Sitemap) -> Self {
        if !sitemap.is_index {
            return Self::None;
        }
        match site.document(&Resource::SitemapChild) {
            // A child may be on another host, as its index may.
            DocumentState::Present(response) | DocumentState::OffSite(response) => {
                let cut = response.body_end != BodyEnd::Complete;
                match Sitemap::parse(&response.body, cut) {
                    Ok(child) => Self::Read(child),
                    Err(error) => Self::Broken(error.note()),
                }
            }
            DocumentState::SoftMissing(_) => Self::Broken(SitemapError::Html.note()),
            DocumentState::Missing(response) => Self::Broken(Note::verbatim(response.status)),
            DocumentState::Failed(error) if is_dead_end(error) => Self::Broken(error.note()),
            DocumentState::Refused(_) | DocumentState::Broken(_) | DocumentState::Failed(_) => {
                Self::Unseen
            }
            DocumentState::NotAsked => Self::None,
        }
    }

    /// Whether there are dates to judge: those of pages, or those of an index without a child.
    fn is_judged(&self) -> bool {
        matches!(self, Self::None) || self.pages().is_some()
    }

    /// The sitemap that lists pages, if it was read.
    fn pages(&self) -> Option<&Sitemap> {
        match self {
            Self::Read(child) if !child.is_index => Some(child),
            _ => None,
        }
    }

    fn signal(&self, index: &Sitemap) -> Option<Detection> {
        let first = index.entries.first().map(|entry| entry.loc.as_str()).unwrap_or_default();
        match self {
            Self::None => None,
            Self::Unseen => Some(UNSEEN_CHILD.with("url", first)),
            Self::Broken(reason) => {
                Some(BROKEN_CHILD.with("url", first).with_note("reason", reason.clone()))
            }
            Self::Read(child) => child.is_index.then(|| NESTED_INDEX.with("url", first)),
        }
    }

    fn evidence(&self, site: &SiteSnapshot) -> Option<Evidence> {
        match self {
            Self::None => None,
            _ => site.evidence(&Resource::SitemapChild),
        }
    }
}

/// What the dates of a sitemap say.
struct Dates {
    entries: usize,
    parsed: usize,
    bad: usize,
    distinct: usize,
    oldest: Option<DateTime<Utc>>,
    newest: Option<DateTime<Utc>>,
    taken_at: DateTime<Utc>,
}

impl Dates {
    fn from_sitemap(sitemap: &Sitemap, taken_at: DateTime<Utc>) -> Self {
        let dates = || sitemap.entries.iter().filter_map(|entry| entry.lastmod);
        Self {
            entries: sitemap.entries.len(),
            parsed: dates().count(),
            bad: sitemap.entries.iter().filter(|entry| entry.bad_lastmod).count(),
            distinct: dates().collect::<BTreeSet<_>>().len(),
            oldest: dates().min(),
            newest: dates().max(),
            taken_at,
        }
    }

    fn problem(&self) -> Option<Detection> {
        if self.newest.is_some_and(|newest| newest > self.taken_at + TIME_ZONE) {
            return Some(FUTURE_LASTMOD.with("newest", self.newest_day()));
        }
        if self.parsed * 2 < self.entries {
            let outcome = if self.bad > self.parsed { BAD_LASTMOD } else { NO_LASTMOD };
            let found = outcome.with("dated", self.parsed).with("count", self.entries);
            return Some(found.with("bad", self.bad));
        }
        let (oldest, newest) = self.oldest.zip(self.newest)?;
        let one_run = self.distinct == 1 || newest - oldest < ONE_RUN;
        (one_run && self.parsed >= MIN_SAME_DATES).then(|| {
            let newest = newest.to_rfc3339_opts(SecondsFormat::Secs, true);
            SAME_LASTMOD.with("newest", newest).with("count", self.parsed)
        })
    }

    fn newest_day(&self) -> String {
        self.newest.map_or_else(|| "-".to_owned(), |newest| newest.format("%Y-%m-%d").to_string())
    }
}
