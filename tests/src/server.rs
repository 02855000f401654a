//! Fixture sites over real sockets: TLS with HTTP/2 and HTTP/1.1, and plain HTTP.

mod stream;

use std::collections::{BTreeMap, VecDeque};
use std::io::{Cursor, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HOST, USER_AGENT,
};
use axum::http::{HeaderName, HeaderValue, Request, Response, StatusCode};
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use url::Url;

pub use self::stream::Stream;
use crate::authority::Authority;
use crate::site::{Reply, Site};

/// What a server serves: sites by host, and bodies that no value can hold.
#[derive(Debug, Default)]
pub struct Hosts {
    sites: Mutex<BTreeMap<String, Arc<Site>>>,
    streams: BTreeMap<(String, String), Stream>,
    /// Whole responses by URL, from the first byte of the status line on.
    raw: BTreeMap<String, Vec<u8>>,
    generated: Option<fn(&str) -> Site>,
    limit: Option<usize>,
    meeting: Option<(usize, watch::Sender<usize>)>,
    answered: Mutex<VecDeque<Instant>>,
}

impl Hosts {
    /// These sites, each by its host.
    pub fn new(sites: impl IntoIterator<Item = Site>) -> Self {
        Self::default().and(sites)
    }

    /// With more sites.
    #[must_use]
    pub fn and(self, sites: impl IntoIterator<Item = Site>) -> Self {
        let sites = sites.into_iter().map(|site| (site.host.clone(), Arc::new(site)));
        self.sites.lock().expect("no thread panics with it").extend(sites);
        self
    }

    /// Answers a path of a host with a body that is made while it is sent.
    #[must_use]
    pub fn streaming(mut self, host: &str, path: &str, stream: Stream) -> Self {
        self.streams.insert((host.to_owned(), path.to_owned()), stream);
        self
    }

    /// Answers a URL with these bytes, status line and header fields included, and closes the connection. HTTP/2 is not
    /// offered then.
    #[must_use]
    pub fn raw(mut self, url: &str, response: impl Into<Vec<u8>>) -> Self {
        self.raw.insert(url.to_owned(), response.into());
        self
    }

    /// The bytes for the request with this head.
    fn raw_response(&self, scheme: &str, head: &[u8]) -> Option<&[u8]> {
        let head = String::from_utf8_lossy(head);
        let target = head.split(' ').nth(1)?;
        let host = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("host").then(|| value.trim())
        })?;
        self.raw.get(&format!("{scheme}://{host}{target}")).map(Vec::as_slice)
    }

    /// Makes up a site, once, for each host that is not known.
    #[must_use]
    pub fn generating(mut self, site: fn(&str) -> Site) -> Self {
        self.generated = Some(site);
        self
    }

    /// Answers 429 to all requests of a second but the first so many.
    #[must_use]
    pub fn limited_to(mut self, requests: usize) -> Self {
        self.limit = Some(requests);
        self
    }

    /// Lets requests for anything but the home page and robots.txt wait until so many have come.
    #[must_use]
    pub fn meeting(mut self, requests: usize) -> Self {
        self.meeting = Some((requests, watch::channel(0).0));
        self
    }

    async fn meet(&self, path: &str) {
        let Some((requests, come)) = &self.meeting else { return };
        if !matches!(path, "/" | "/robots.txt") {
            come.send_modify(|come| *come += 1);
            come.subscribe().wait_for(|come| come >= requests).await.expect("it is not dropped");
        }
    }

    /// Whether one more request within a second is too many.
    fn is_limited(&self) -> bool {
        let Some(limit) = self.limit else { return false };
        let now = Instant::now();
        let mut answered = self.answered.lock().expect("no thread panics with it");
        while answered.front().is_some_and(|at| now - *at >= Duration::from_secs(1)) {
            answered.pop_front();
        }
        let is_full = answered.len() >= limit;
        if !is_full {
            answered.push_back(now);
        }
        is_full
    }

    /// The site that answers for a host: its own, or that of its parent domain.
    fn site(&self, host: &str) -> Option<Arc<Site>> {
        let mut sites = self.sites.lock().expect("no thread panics with it");
        let parent = host.split_once('.').map_or("", |(_, parent)| parent);
        if let Some(site) = sites.get(host).or_else(|| sites.get(parent)) {
            return Some(Arc::clone(site));
        }
        let site = Arc::new(self.generated?(host));
        sites.insert(host.to_owned(), Arc::clone(&site));
        Some(site)
    }
}

/// A running server on two ports of loopback; it stops when it is dropped.
#[derive(Debug)]
pub struct FixtureServer {
    authority: Arc<Authority>,
    https: SocketAddr,
    http: SocketAddr,
    requests: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
    listening: [JoinHandle<()>; 2],
}

impl FixtureServer {
    /// Starts to serve.
    ///
    /// # Panics
    ///
    /// If loopback has no free port.
    pub async fn start(hosts: Hosts) -> Self {
        let authority = Arc::new(Authority::new());
        let requests = Arc::new(AtomicUsize::new(0));
        let connections = Arc::new(AtomicUsize::new(0));
        let served = Served {
            hosts: Arc::new(hosts),
            requests: Arc::clone(&requests),
            connections: Arc::clone(&connections),
        };
        let mut config = authority.server_config();
        if !served.hosts.raw.is_empty() {
            Arc::make_mut(&mut config).alpn_protocols = vec![b"http/1.1".to_vec()];
        }
        let acceptor = TlsAcceptor::from(config);
        let tls = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let plain = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let https = tls.local_addr().expect("an address");
        let http = plain.local_addr().expect("an address");
        let listening = [
            tokio::spawn(listen(tls, Some(acceptor), served.clone())),
            tokio::spawn(listen(plain, None, served)),
        ];
        Self { authority, https, http, requests, connections, listening }
    }

    /// Where TLS is spoken.
    pub fn https(&self) -> SocketAddr {
        self.https
    }

    /// Where plain HTTP is spoken.
    pub fn http(&self) -> SocketAddr {
        self.http
    }

    /// The authority whose certificates the server shows.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Requests answered so far.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }

    /// Connections taken so far, whatever came of them.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for FixtureServer {
    fn drop(&mut self) {
        for task in &self.listening {
            task.abort();
        }
    }
}

#[derive(Clone)]
struct Served {
    hosts: Arc<Hosts>,
    requests: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
}

async fn listen(listener: TcpListener, acceptor: Option<TlsAcceptor>, served: Served) {
    while let Ok((stream, _)) = listener.accept().await {
        served.connections.fetch_add(1, Ordering::Relaxed);
        stream.set_nodelay(true).ok();
        let (acceptor, served) = (acceptor.clone(), served.clone());
        tokio::spawn(async move {
            match acceptor {
                Some(acceptor) => {
                    // A handshake that fails is what some tests are about.
                    if let Ok(stream) = acceptor.accept(stream).await {
                        served.connection("https", stream).await;
                    }
                }
                None => served.connection("http", stream).await,
            }
        });
    }
}

impl Served {
    async fn connection<S>(self, scheme: &'static str, mut stream: S)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        if self.hosts.raw.is_empty() {
            return self.speak_http(scheme, stream).await;
        }
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let Ok(byte) = stream.read_u8().await else { return };
            head.push(byte);
        }
        if let Some(response) = self.hosts.raw_response(scheme, &head) {
            self.requests.fetch_add(1, Ordering::Relaxed);
            // The client may hang up before it has taken everything.
            drop(stream.write_all(response).await);
            drop(stream.shutdown().await);
            return;
        }
        let (read, write) = tokio::io::split(stream);
        let read = Cursor::new(head).chain(read);
        self.speak_http(scheme, tokio::io::join(read, write)).await;
    }

    async fn speak_http<S>(self, scheme: &'static str, stream: S)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        // The next request of a connection may be for raw bytes.
        builder.http1().keep_alive(self.hosts.raw.is_empty());
        let service = service_fn(move |request| {
            let served = self.clone();
            async move {
                served.hosts.meet(request.uri().path()).await;
                served.answer(scheme, &request)
            }
        });
        // The end of a connection, clean or not, is the business of the client.
        builder.serve_connection(TokioIo::new(stream), service).await.ok();
    }

    fn answer(
        &self,
        scheme: &str,
        request: &Request<Incoming>,
    ) -> Result<Response<Body>, std::io::Error> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        if self.hosts.is_limited() {
            return Ok(status(StatusCode::TOO_MANY_REQUESTS));
        }
        let field = |name| request.headers().get(&name).and_then(|v| v.to_str().ok());
        let authority = request.uri().host().map(str::to_owned);
        let host = authority.or_else(|| field(HOST).map(str::to_owned)).unwrap_or_default();
        let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
        let path = request.uri().path();
        if let Some(stream) = self.hosts.streams.get(&(host.clone(), path.to_owned())) {
            return Ok(stream.response());
        }
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let url = Url::parse(&format!("{scheme}://{host}{target}"));
        let (Ok(url), Some(site)) = (url, self.hosts.site(&host)) else {
            return Ok(status(StatusCode::MISDIRECTED_REQUEST));
        };
        let accept = field(ACCEPT).unwrap_or("*/*");
        let reply = site.reply_to(&url, accept, field(USER_AGENT).unwrap_or_default());
        let gzip = field(ACCEPT_ENCODING).is_some_and(|value| value.contains("gzip"));
        // What the fixture fails with is a connection that ends without an answer here.
        reply.map(|reply| response(reply, gzip)).map_err(std::io::Error::other)
    }
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// The reply as a message; a body said to be gzip is compressed if the client takes that.
fn response(reply: Reply, gzip: bool) -> Response<Body> {
    let mut response = status(StatusCode::from_u16(reply.status).expect("a status"));
    let mut body = reply.body;
    for (name, value) in &reply.headers {
        let name = HeaderName::try_from(name).expect("a field name");
        if name == CONTENT_ENCODING {
            if !gzip {
                continue;
            }
            body = compress(&body);
        }
        response.headers_mut().append(name, HeaderValue::try_from(value).expect("a field value"));
    }
    response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    *response.body_mut() = Body::from(body);
    response
}

fn compress(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}
