//! Recordings of scans, and their replay without a network.
//!
//! A [`Recorder`] keeps what a fetcher answered, a [`Replay`] answers the same again, and
//! [`Recording::to_files`] gives a form that fits into a repository: `scan.json` and one file for
//! each different body.

mod files;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

pub use self::files::RecordingError;
use crate::fetch::{BoxFuture, Exchange, Fetch, FetchError, FetchResult, Probe, Resource};
use crate::scan::request::ScanRequest;

/// Everything that a scan requested and received, and the arguments that it was started with.
///
/// Planning with the same arguments and a [`Replay`] gives the same report.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Recording {
    /// What was scanned, when, and as whom.
    pub request: ScanRequest,
    /// The exchanges, ordered by resource.
    pub exchanges: Vec<Exchange>,
}

/// A fetcher that keeps what another one answers.
#[derive(Debug)]
pub struct Recorder<'a> {
    fetch: &'a dyn Fetch,
    exchanges: Mutex<Vec<Exchange>>,
}

impl<'a> Recorder<'a> {
    /// Wraps a fetcher.
    pub fn new(fetch: &'a dyn Fetch) -> Self {
        Self { fetch, exchanges: Mutex::default() }
    }

    /// What was asked so far, ordered by resource and not by time, so that two recordings of the
    /// same answers are the same.
    pub fn into_exchanges(self) -> Vec<Exchange> {
        let mut exchanges = self.exchanges.into_inner().unwrap_or_else(PoisonError::into_inner);
        exchanges.sort_by(|a, b| key(&a.probe).cmp(&key(&b.probe)));
        exchanges
    }
}

impl Fetch for Recorder<'_> {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult> {
        Box::pin(async move {
            let answer = self.fetch.fetch(probe).await;
            let exchange = Exchange { probe: probe.clone(), result: answer.clone() };
            self.exchanges.lock().unwrap_or_else(PoisonError::into_inner).push(exchange);
            answer
        })
    }
}

/// A fetcher that answers from a recording.
///
/// A probe is known by its resource and address. What was not recorded is
/// [`FetchError::NotRecorded`].
#[derive(Clone, Debug)]
pub struct Replay {
    answers: BTreeMap<(Resource, String), FetchResult>,
}

impl Replay {
    /// Answers from the exchanges of a recording.
    pub fn new(recording: &Recording) -> Self {
        recording.exchanges.iter().cloned().collect()
    }
}

impl FromIterator<Exchange> for Replay {
    fn from_iter<I: IntoIterator<Item = Exchange>>(exchanges: I) -> Self {
        let answers = exchanges.into_iter().map(|Exchange { probe, result: answer }| {
            let url = String::from(probe.url);
            ((probe.resource, url), answer)
        });
        Self { answers: answers.collect() }
    }
}

impl Fetch for Replay {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult> {
        let key = (probe.resource.clone(), probe.url.to_string());
        let answer = self.answers.get(&key).cloned().unwrap_or(Err(FetchError::NotRecorded));
        Box::pin(std::future::ready(answer))
    }
}

fn key(probe: &Probe) -> (&Resource, &str) {
    (&probe.resource, probe.url.as_str())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::io;

    use futures_util::FutureExt;
    use url::Url;

    use super::*;
    use crate::fetch::{BodyEnd, Headers, Hop, Redirects, Response, TlsError, TlsSession};
    use crate::scan::surface::Surface;

    fn probe(resource: Resource, url: &str) -> Probe {
        Probe {
            resource,
            url: Url::parse(url).unwrap(),
            user_agent: "VisibilityBot/1".to_owned(),
            accept: "*/*".to_owned(),
            redirects: Redirects::Follow,
            max_body_bytes: 1000,
        }
    }

    fn response(url: &str, media_type: &str, body: &[u8]) -> Response {
        Response {
            url: Url::parse(url).unwrap(),
            status: 200,
            version: "HTTP/2.0".to_owned(),
            headers: Headers::from_iter([("Content-Type", media_type), ("Vary", "Accept")]),
            body: body.to_vec().into(),
            body_end: BodyEnd::Complete,
            wire_bytes: u64::MAX,
            hops: vec![Hop {
                url: Url::parse("http://a.com/").unwrap(),
                status: 301,
                location: "/ü".into(),
                vary: "Accept".into(),
            }],
            ttfb_ms: 3,
            total_ms: 5,
            retries: 0,
            tls: Some(TlsSession { not_after: -1, issuer: None }),
        }
    }

    fn recording() -> Recording {
        let home = "https://a.com/";
        let every_byte: Vec<u8> = (0..=255).collect();
        let answers: Vec<(Resource, FetchResult)> = vec![
            (Resource::Home, Ok(response(home, "text/html; charset=utf-8", &every_byte))),
            (Resource::HomeAsBrowser, Ok(response(home, "text/html", &every_byte))),
            (Resource::HomeAsAgent("../..\\Openai".into()), Ok(response(home, "x/y", b"\r\n\0"))),
            (Resource::RobotsTxt, Ok(response(home, "text/plain", b""))),
            (Resource::OpenApi, Ok(response(home, "application/vnd.oai+json", b"{}"))),
            (Resource::LlmsTxt, Err(FetchError::Timeout { after_ms: 10 })),
            (Resource::Sitemap, Err(FetchError::Deadline)),
            (
                Resource::Ucp,
                Err(FetchError::Tls { host: "a.com:443".into(), problem: TlsError::Expired }),
            ),
            (
                Resource::Acp,
                Err(FetchError::TooManyRedirects { hops: response(home, "", b"").hops }),
            ),
        ];
        let exchanges = answers
            .into_iter()
            .map(|(resource, answer)| Exchange { probe: probe(resource, home), result: answer });
        let taken_at = "2026-11-20T10:00:00.123Z".parse().unwrap();
        let mut request = ScanRequest::new("a.com".parse().unwrap(), taken_at, "VisibilityBot/1");
        request.nonce = u64::MAX;
        request.profile = Some(Surface::Api);
        Recording { request, exchanges: exchanges.collect() }
    }

    fn from_map(files: &BTreeMap<String, Vec<u8>>) -> Result<Recording, RecordingError<io::Error>> {
        Recording::from_files(|name| {
            files.get(name).cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
        })
    }

    #[test]
    fn a_recording_comes_back_byte_for_byte() {
        let recording = recording();
        let files: BTreeMap<_, _> = recording.to_files().unwrap().into_iter().collect();
        assert_eq!(from_map(&files).unwrap(), recording);
    }

    #[test]
    fn equal_bodies_share_a_file_and_empty_ones_have_none() {
        let files = recording().to_files().unwrap();
        let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "scan.json",
                "bodies/01-home.html",
                "bodies/03-home-as-openai.bin",
                "bodies/05-open-api.json"
            ]
        );
    }

    #[test]
    fn a_body_is_only_read_from_the_folder_of_bodies() {
        let files: BTreeMap<_, _> = recording().to_files().unwrap().into_iter().collect();
        let scan = String::from_utf8(files["scan.json"].clone()).unwrap();
        for name in [
            "../secret",
            "bodies/../../secret",
            "/etc/passwd",
            "bodies/",
            "bodies/.hidden",
            "bodies/a/b",
            "bodies\\\\a",
            "bodies/a b",
            "scan.json",
            "C:secret",
        ] {
            let scan = scan.replace("bodies/01-home.html", name);
            let read = Recording::from_files(|file| -> Result<Vec<u8>, Infallible> {
                assert_eq!(file, "scan.json");
                Ok(scan.clone().into_bytes())
            });
            assert!(matches!(read, Err(RecordingError::BodyName { .. })), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_with_files_is_said() {
        let mut files: BTreeMap<_, _> = recording().to_files().unwrap().into_iter().collect();
        files.remove("bodies/01-home.html");
        let error = from_map(&files).unwrap_err();
        assert_eq!(error.to_string(), "cannot read `bodies/01-home.html` of the recording");
        files.insert("scan.json".into(), br#"{"format": 2, "more": []}"#.to_vec());
        assert!(matches!(from_map(&files), Err(RecordingError::Format { found: 2 })));
        files.insert("scan.json".into(), b"{".to_vec());
        assert!(matches!(from_map(&files), Err(RecordingError::Syntax(_))));
        assert!(matches!(from_map(&BTreeMap::new()), Err(RecordingError::Read { .. })));
    }

    #[test]
    fn a_replay_answers_what_was_recorded_and_nothing_else() {
        let recording = recording();
        let replay = Replay::new(&recording);
        for Exchange { probe, result: answer } in &recording.exchanges {
            assert_eq!(replay.fetch(probe).now_or_never().as_ref(), Some(answer));
        }
        for other in [
            probe(Resource::AuthMd, "https://a.com/"),
            probe(Resource::Home, "https://a.com/other"),
        ] {
            assert_eq!(replay.fetch(&other).now_or_never(), Some(Err(FetchError::NotRecorded)));
        }
    }

    #[test]
    fn a_recorder_keeps_what_it_hands_on_in_the_order_of_resources() {
        let recording = recording();
        let replay = Replay::new(&recording);
        let recorder = Recorder::new(&replay);
        for Exchange { probe, result: answer } in recording.exchanges.iter().rev() {
            assert_eq!(recorder.fetch(probe).now_or_never().as_ref(), Some(answer));
        }
        let mut expected = recording.exchanges;
        expected.sort_by_key(|exchange| exchange.probe.resource.clone());
        assert_eq!(recorder.into_exchanges(), expected);
    }
}
