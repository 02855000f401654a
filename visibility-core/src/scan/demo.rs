//! Made-up sites of several kinds, recorded: for demonstrations without a network (feature `demo`).

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::LazyLock;

use chrono::TimeDelta;
use flate2::read::GzDecoder;
use serde::Deserialize;
use url::Url;

use crate::fetch::domain::Domain;
use crate::fetch::{
    BoxFuture, Exchange, Fetch, FetchError, FetchResult, Probe, Resource, Response,
};
use crate::scan::recording::{Recording, RecordingError, Replay};

/// Written by `cargo run -p visibility-tests --bin demo-recordings visibility-core/demo/sites.json.gz`.
const SITES: &[u8] = include_bytes!("../../demo/sites.json.gz");
/// Bytes of that file when it is unpacked.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A made-up site.
#[derive(Clone, Debug)]
pub struct DemoSite {
    /// Its domain.
    pub domain: Domain,
    /// A scan of it, and audits of its pages.
    pub recording: Recording,
}

#[derive(Deserialize)]
struct File {
    sites: Vec<BTreeMap<String, String>>,
}

static ALL: LazyLock<Vec<DemoSite>> = LazyLock::new(|| {
    // The file is a part of the program, and a test reads it.
    read().unwrap_or_default()
});

fn read() -> Result<Vec<DemoSite>, RecordingError<io::Error>> {
    let mut text = String::new();
    let unpacked = GzDecoder::new(SITES).take(MAX_BYTES).read_to_string(&mut text);
    let unreadable = |source| RecordingError::Read { name: "sites.json.gz".to_owned(), source };
    unpacked.map_err(unreadable)?;
    let file: File = serde_json::from_str(&text)?;
    let sites = file.sites.into_iter().map(|files| {
        let recording = Recording::from_files(|name| {
            let file = files.get(name).map(|text| text.clone().into_bytes());
            file.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
        })?;
        Ok(DemoSite { domain: recording.request.domain.clone(), recording })
    });
    sites.collect()
}

/// All of them.
///
/// The first one is the example of the command line: software with good and bad verdicts. The others are a shop,
/// documentation, a newspaper, a site behind a firewall, an application of one page, and a site under maintenance.
pub fn sites() -> &'static [DemoSite] {
    &ALL
}

/// The site at a domain.
pub fn find(domain: &str) -> Option<&'static DemoSite> {
    let domain = domain.strip_prefix("www.").unwrap_or(domain);
    ALL.iter().find(|site| site.domain.as_str() == domain)
}

/// What the first site was like until now: how long ago, and its recording then, the oldest one first.
///
/// Within six months it lets a crawler in again, gets a sitemap, and says in its markup who it is.
pub fn history() -> Vec<(TimeDelta, Recording)> {
    const SCANS: i64 = 12;
    const DAYS_BETWEEN: i64 = 15;
    let Some(site) = ALL.first() else { return Vec::new() };
    let earlier = |nth: i64| {
        let mut recording = site.recording.clone();
        for exchange in &mut recording.exchanges {
            restore(exchange, nth);
        }
        (TimeDelta::days((SCANS - 1 - nth) * DAYS_BETWEEN), recording)
    };
    (0..SCANS).map(earlier).collect()
}

/// Makes an answer what it was at a scan, counted from the oldest one.
fn restore(exchange: &mut Exchange, nth: i64) {
    const ROBOTS: &str = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n";
    let Ok(response) = &mut exchange.result else { return };
    match exchange.probe.resource {
        Resource::RobotsTxt if nth < 5 => response.body = ROBOTS.into(),
        Resource::Sitemap if nth < 3 => make_missing(response),
        Resource::Home | Resource::HomeAsBrowser | Resource::HomeAsAgent(_) if nth < 8 => {
            let body = String::from_utf8_lossy(&response.body);
            response.body = body.replace("application/ld+json", "text/plain").into();
        }
        _ => {}
    }
}

fn make_missing(response: &mut Response) {
    response.status = 404;
    response.body = "Not found\n".into();
    response.headers = [("Content-Type", "text/plain; charset=utf-8")].into_iter().collect();
}

/// A fetcher that answers for all of these sites, and for no other.
#[derive(Clone, Debug)]
pub struct DemoFetch {
    answers: Replay,
    /// Answers for paths that no site has, by resource and host: those of each scan are others.
    missing: BTreeMap<(Resource, String), FetchResult>,
}

impl DemoFetch {
    /// Answers from all recordings.
    pub fn new() -> Self {
        let exchanges = || ALL.iter().flat_map(|site| &site.recording.exchanges);
        let missing = exchanges().filter(|exchange| is_missing_path(&exchange.probe.resource));
        let missing = missing.filter_map(|exchange| {
            let host = exchange.probe.url.host_str()?.to_owned();
            Some(((exchange.probe.resource.clone(), host), exchange.result.clone()))
        });
        Self { answers: exchanges().cloned().collect(), missing: missing.collect() }
    }
}

impl Default for DemoFetch {
    fn default() -> Self {
        Self::new()
    }
}

impl Fetch for DemoFetch {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult> {
        if !is_missing_path(&probe.resource) {
            return self.answers.fetch(probe);
        }
        let host = probe.url.host_str().unwrap_or_default().to_owned();
        let answer = self.missing.get(&(probe.resource.clone(), host)).cloned();
        let answer = answer.unwrap_or(Err(FetchError::NotRecorded));
        let answer = answer.map(|response| at_url(response, &probe.url));
        Box::pin(std::future::ready(answer))
    }
}

fn is_missing_path(resource: &Resource) -> bool {
    matches!(resource, Resource::MissingPath | Resource::MissingWellKnown)
}

/// The answer as one for another address, unless it led elsewhere.
fn at_url(response: Response, url: &Url) -> Response {
    if response.hops.is_empty() { Response { url: url.clone(), ..response } } else { response }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::scan;
    use crate::scan::report::{ScanReport, Selection};
    use crate::text::locale::Lang;

    fn score(fetch: &dyn Fetch, recording: &Recording, nonce: u64) -> Option<u8> {
        let mut request = recording.request.clone();
        request.nonce = nonce;
        let site = scan::scan(fetch, &request).now_or_never().unwrap().ok()?;
        ScanReport::evaluate(&site, &Selection::all()).result(Lang::En).score
    }

    #[test]
    fn the_file_can_be_read_and_is_small() {
        assert_eq!(read().unwrap().len(), 7);
        assert!(SITES.len() < 100 * 1024, "{}", SITES.len());
        assert_eq!(find("www.parcelwise-classic.com").unwrap().domain, ALL[0].domain);
        assert!(find("example.com").is_none());
    }

    #[test]
    fn sites_are_scanned_at_any_time_with_the_same_result() {
        let fetch = DemoFetch::new();
        for site in sites() {
            let recorded =
                score(&Replay::new(&site.recording), &site.recording, site.recording.request.nonce);
            assert_eq!(score(&fetch, &site.recording, 77), recorded, "{}", site.domain);
        }
    }

    #[test]
    fn the_history_leads_to_what_the_site_is_now() {
        let scores: Vec<u8> = history()
            .iter()
            .map(|(_, recording)| {
                score(&Replay::new(recording), recording, recording.request.nonce).unwrap()
            })
            .collect();
        assert_eq!(scores.len(), 12);
        assert!(scores.is_sorted(), "{scores:?}");
        let now = score(&DemoFetch::new(), &ALL[0].recording, 1).unwrap();
        assert!(scores[0] < scores[4] && scores[4] < now && scores[11] == now, "{scores:?} {now}");
    }
}
