//! The fetcher of one scan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, LOCATION, USER_AGENT, VARY};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::fetch::http::body::{self, Body};
use crate::fetch::http::connection::{OriginLocks, along};
use crate::fetch::http::error::{authority, classify};
use crate::fetch::http::guard::Guard;
use crate::fetch::http::tls;
use crate::fetch::http::{Clients, HttpSettings};
use crate::fetch::{
    BodyEnd, BoxFuture, Fetch, FetchError, FetchResult, Headers, Hop, Probe, Redirects, Resource,
    Response, SkipReason, TlsSession,
};
use crate::limits::{
    MAX_HEAD_BYTES, MAX_HEADER_FIELDS, MAX_HEADER_VALUE_BYTES, MAX_LOCATION_CHARS,
    MAX_PARALLEL_AGENT_PROBES, MAX_PARALLEL_PER_HOST, MAX_REDIRECTS, MAX_REQUESTS, MAX_RETRY_AFTER,
    MAX_URL_BYTES, MAX_VARY_CHARS, PACE_AFTER_429, RETRY_AFTER_429,
};

/// The fetcher of one scan: connections, looked-up addresses, deadline and budget are its own.
///
/// The deadline counts from [`HttpClient::session`](crate::fetch::http::HttpClient::session).
#[derive(Debug)]
pub struct HttpFetch {
    clients: Clients,
    settings: Arc<HttpSettings>,
    guard: Guard,
    gates: OriginLocks,
    deadline: Instant,
    requests: AtomicUsize,
    hosts: Mutex<BTreeMap<String, Arc<Semaphore>>>,
    /// Hosts that have answered 429, with the time from which the next request may be sent.
    paced: Mutex<BTreeMap<String, Instant>>,
    agents: Semaphore,
    is_resting: AtomicBool,
}

impl Fetch for HttpFetch {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult> {
        Box::pin(self.answer(probe))
    }
}

impl HttpFetch {
    pub(super) fn new(clients: Clients, settings: Arc<HttpSettings>, guard: Guard) -> Self {
        let deadline = Instant::now() + settings.scan_timeout;
        Self {
            clients,
            settings,
            guard,
            gates: OriginLocks::default(),
            deadline,
            requests: AtomicUsize::new(0),
            hosts: Mutex::default(),
            paced: Mutex::default(),
            agents: Semaphore::new(MAX_PARALLEL_AGENT_PROBES),
            is_resting: AtomicBool::new(false),
        }
    }

    /// Requests sent so far, redirects counted.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed).min(MAX_REQUESTS)
    }

    async fn answer(&self, probe: &Probe) -> FetchResult {
        let in_other_name =
            matches!(probe.resource, Resource::HomeAsAgent(_) | Resource::HomeAsBrowser);
        let turn = self.in_time(self.agents.acquire());
        let _turn = if in_other_name { Some(turn.await?) } else { None };
        if self.is_resting.load(Ordering::Relaxed)
            && !matches!(probe.url.path(), "/" | "/robots.txt")
        {
            return Err(FetchError::Skipped { reason: SkipReason::RateLimited });
        }
        let mut response = self.follow(probe).await?;
        if response.is_rate_limit() && self.slow_down(&response) {
            response = match self.follow(probe).await {
                Ok(again) => Response { retries: 1, ..again },
                // Our own limits: the request may not have been sent.
                Err(FetchError::Deadline | FetchError::Skipped { .. }) => response,
                // The site did respond: with 429. Its second response was lost.
                Err(_) => Response { retries: 1, ..response },
            };
        }
        // A refusal of another agent's name says nothing about our own rate.
        if response.is_rate_limit() && !in_other_name {
            self.is_resting.store(true, Ordering::Relaxed);
        }
        Ok(response)
    }

    /// Sends no more than a few requests a second to a host from now on, the first of them when it
    /// likes; `false` if that is too late to send the probe again.
    fn slow_down(&self, response: &Response) -> bool {
        let wait = match response.headers.first("retry-after") {
            None => Some(RETRY_AFTER_429),
            Some(value) => value.trim().parse().ok().map(Duration::from_secs),
        };
        let wait = wait.filter(|wait| *wait <= MAX_RETRY_AFTER);
        let from = Instant::now() + wait.unwrap_or(PACE_AFTER_429);
        let host = response.url.host_str().unwrap_or_default().to_owned();
        let mut paced = self.paced.lock().unwrap_or_else(PoisonError::into_inner);
        let next = paced.entry(host).or_insert(from);
        *next = (*next).max(from);
        wait.is_some() && *next < self.deadline
    }

    /// Waits until a request may be sent to a host that has answered 429.
    async fn pace(&self, url: &Url) {
        let host = url.host_str().unwrap_or_default();
        let turn = {
            let mut paced = self.paced.lock().unwrap_or_else(PoisonError::into_inner);
            paced.get_mut(host).map(|next| {
                let turn = (*next).max(Instant::now());
                *next = turn + PACE_AFTER_429;
                turn
            })
        };
        if let Some(turn) = turn {
            tokio::time::sleep_until(turn).await;
        }
    }

    async fn follow(&self, probe: &Probe) -> FetchResult {
        let mut trail = Trail::new(probe.url.clone());
        let mut clock = None;
        loop {
            let exchange = self.exchange(probe, &trail, &mut clock).await?;
            if probe.redirects == Redirects::Stop || !is_redirect(exchange.status()) {
                return Ok(exchange.read(probe, trail).await);
            }
            trail.follow(&exchange)?;
        }
    }

    /// Sends one request and waits for the head of its response.
    async fn exchange(
        &self,
        probe: &Probe,
        trail: &Trail,
        clock: &mut Option<ProbeClock>,
    ) -> Result<OpenResponse, FetchError> {
        let url = &trail.url;
        let admitted = self.guard.admit(url, !trail.hops.is_empty());
        let route = self.in_time(admitted).await??;
        let slot = self.in_time(self.slot(url)).await?;
        self.in_time(self.pace(url)).await?;
        let clock = *clock.get_or_insert_with(|| ProbeClock::start(self));
        if self.requests.fetch_add(1, Ordering::Relaxed) >= MAX_REQUESTS {
            return Err(FetchError::Skipped { reason: SkipReason::RequestBudget });
        }
        let client = self.clients.for_route(&route);
        let request = self.request(client, probe, url);
        let request = request.map_err(|error| classify(&error, url, &route, 0))?;
        let sending = async {
            let lead = match url.scheme() {
                "https" => self.gates.wait_or_lead(authority(url)).await,
                _ => None,
            };
            let sent = Instant::now();
            let response = along(route.clone(), lead.as_ref(), client.execute(request)).await;
            (sent, response)
        };
        let Ok((sent, response)) = timeout_at(clock.deadline, sending).await else {
            return Err(clock.expired(self.deadline));
        };
        let response =
            response.map_err(|error| classify(&error, url, &route, millis(clock.started)))?;
        let ttfb_ms = millis(sent);
        if response.remote_addr().is_some_and(|peer| !route.addresses().contains(&peer)) {
            return Err(FetchError::Denied { after_redirect: !trail.hops.is_empty() });
        }
        let headers = headers(response.headers())?;
        Ok(OpenResponse { response, headers, ttfb_ms, clock, _slot: slot })
    }

    fn request(
        &self,
        client: &reqwest::Client,
        probe: &Probe,
        url: &Url,
    ) -> reqwest::Result<reqwest::Request> {
        let mut request = client
            .get(url.clone())
            .header(USER_AGENT, &probe.user_agent)
            .header(ACCEPT, &probe.accept)
            .header(ACCEPT_ENCODING, body::ACCEPT_ENCODING);
        if probe.user_agent != self.settings.scanned_by {
            request = request.header("x-scanned-by", &self.settings.scanned_by);
        }
        request.build()
    }

    /// Waits for one of the places of a host.
    async fn slot(&self, url: &Url) -> Option<OwnedSemaphorePermit> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let places = {
            let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(
                hosts
                    .entry(host)
                    .or_insert_with(|| Arc::new(Semaphore::new(MAX_PARALLEL_PER_HOST))),
            )
        };
        places.acquire_owned().await.ok()
    }

    async fn in_time<F: Future>(&self, future: F) -> Result<F::Output, FetchError> {
        // The future is polled before the clock is looked at.
        if Instant::now() >= self.deadline {
            return Err(FetchError::Deadline);
        }
        timeout_at(self.deadline, future).await.ok().ok_or(FetchError::Deadline)
    }
}

/// The time of one probe, from its first request.
#[derive(Clone, Copy)]
struct ProbeClock {
    started: Instant,
    deadline: Instant,
}

impl ProbeClock {
    fn start(fetch: &HttpFetch) -> Self {
        let started = Instant::now();
        let deadline = fetch.deadline.min(started + fetch.settings.request_timeout);
        Self { started, deadline }
    }

    fn expired(self, scan_deadline: Instant) -> FetchError {
        if self.deadline == scan_deadline {
            FetchError::Deadline
        } else {
            FetchError::Timeout { after_ms: millis(self.started) }
        }
    }
}

/// Where a probe has been, and where it goes next.
struct Trail {
    url: Url,
    hops: Vec<Hop>,
    seen: BTreeSet<Url>,
}

impl Trail {
    fn new(url: Url) -> Self {
        let url = bare(url);
        Self { seen: BTreeSet::from([url.clone()]), url, hops: Vec::new() }
    }

    fn follow(&mut self, exchange: &OpenResponse) -> Result<(), FetchError> {
        let location = exchange
            .response
            .headers()
            .get(LOCATION)
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .unwrap_or_default();
        let fields = exchange.response.headers().get_all(VARY).iter();
        let fields = fields.map(|value| String::from_utf8_lossy(value.as_bytes()));
        let vary = fields.collect::<Vec<_>>().join(", ");
        self.hops.push(Hop {
            url: self.url.clone(),
            status: exchange.status(),
            location: location.chars().take(MAX_LOCATION_CHARS).collect(),
            vary: vary.chars().take(MAX_VARY_CHARS).collect(),
        });
        let hops = || self.hops.clone();
        let Some(next) = target(&self.url, &location) else {
            return Err(FetchError::BadRedirect { hops: hops() });
        };
        if self.seen.contains(&next) {
            return Err(FetchError::RedirectLoop { hops: hops() });
        }
        if self.hops.len() > MAX_REDIRECTS {
            return Err(FetchError::TooManyRedirects { hops: hops() });
        }
        self.seen.insert(next.clone());
        self.url = next;
        Ok(())
    }
}

/// A response whose body has not been read.
struct OpenResponse {
    response: reqwest::Response,
    headers: Headers,
    ttfb_ms: u32,
    clock: ProbeClock,
    _slot: Option<OwnedSemaphorePermit>,
}

impl OpenResponse {
    fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    async fn read(mut self, probe: &Probe, trail: Trail) -> Response {
        let mut body = Body::new(&self.headers, probe.max_body_bytes);
        let transfer = loop {
            match timeout_at(self.clock.deadline, self.response.chunk()).await {
                Ok(Ok(Some(piece))) if body.push(&piece).is_break() => break BodyEnd::Capped,
                Ok(Ok(Some(_))) => {}
                Ok(Ok(None)) => break BodyEnd::Complete,
                Ok(Err(error)) if error.is_timeout() => break BodyEnd::TimedOut,
                Ok(Err(_)) => break BodyEnd::Broken,
                Err(_) => break BodyEnd::TimedOut,
            }
        };
        let body = body.finish(transfer);
        Response {
            url: trail.url,
            status: self.status(),
            version: format!("{:?}", self.response.version()),
            tls: tls_session(&self.response),
            headers: self.headers,
            body: body.bytes.into(),
            body_end: body.end,
            wire_bytes: body.wire_bytes,
            hops: trail.hops,
            ttfb_ms: self.ttfb_ms,
            total_ms: millis(self.clock.started),
            retries: 0,
        }
    }
}

fn tls_session(response: &reqwest::Response) -> Option<TlsSession> {
    let info = response.extensions().get::<reqwest::tls::TlsInfo>()?;
    tls::session(info.peer_certificate()?)
}

/// The fields of a head, values as UTF-8 and cut.
fn headers(fields: &HeaderMap) -> Result<Headers, FetchError> {
    let bytes: usize =
        fields.iter().map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len()).sum();
    if fields.len() > MAX_HEADER_FIELDS || bytes > MAX_HEAD_BYTES {
        return Err(FetchError::Protocol {
            reason: "the head of the response is too large".into(),
        });
    }
    let text = |value: &[u8]| {
        let value = value.get(..MAX_HEADER_VALUE_BYTES).unwrap_or(value);
        String::from_utf8_lossy(value).into_owned()
    };
    Ok(fields.iter().map(|(name, value)| (name.as_str(), text(value.as_bytes()))).collect())
}

fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Where a `Location` leads; `None` unless that is an `http(s)` URL that is not too long.
fn target(url: &Url, location: &str) -> Option<Url> {
    if location.is_empty() || location.len() > MAX_URL_BYTES {
        return None;
    }
    let next = bare(url.join(location).ok()?);
    let is_http = matches!(next.scheme(), "http" | "https");
    (is_http && next.as_str().len() <= MAX_URL_BYTES).then_some(next)
}

/// The URL without what is not sent: fragment and user info.
fn bare(mut url: Url) -> Url {
    url.set_fragment(None);
    // Both only fail for URLs without a host, which have no user info.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

fn millis(since: Instant) -> u32 {
    u32::try_from(since.elapsed().as_millis()).unwrap_or(u32::MAX)
}
