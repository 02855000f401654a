//! The way of all nodes to objects in a bucket, with what stores on a network do on a bad day.

use std::collections::HashMap;
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONNECTION, TRANSFER_ENCODING};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// How late each answer of a slow store is.
const DELAY: Duration = Duration::from_millis(300);

/// What the store does.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Weather {
    #[default]
    Fair,
    /// All answers are late.
    Slow,
    /// Two of three requests are answered with 503.
    Fails,
    /// Every other upload breaks: before the store hears of it, in the middle, or before its answer arrives.
    UploadsBreak,
    /// Objects are listed as they were the last time before.
    ListsLate,
}

/// Forwards requests to a store.
#[derive(Debug)]
pub(crate) struct StoreProxy {
    address: SocketAddr,
    proxy: Arc<Proxy>,
    /// Serves as long as this exists.
    _runtime: Runtime,
}

#[derive(Debug)]
struct Proxy {
    store: SocketAddr,
    client: reqwest::Client,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    weather: Weather,
    /// Requests that the weather has counted.
    counted: usize,
    spoiled: usize,
    /// Listings by their address.
    listings: HashMap<String, Bytes>,
}

type Answer = std::io::Result<Response<Full<Bytes>>>;

impl StoreProxy {
    /// Listens on a free port of loopback.
    pub(crate) fn to(store: SocketAddr) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("an address");
        // It encrypts nothing, and wants to know how.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let proxy = Arc::new(Proxy { store, client, state: Mutex::default() });
        let serving = Arc::clone(&proxy);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let proxy = Arc::clone(&serving);
                let service = service_fn(move |request| Arc::clone(&proxy).answer(request));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { address, proxy, _runtime: runtime }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on the weather is this.
    pub(crate) fn set(&self, weather: Weather) {
        self.proxy.state().weather = weather;
    }

    /// How many requests had another answer than that of the store.
    pub(crate) fn spoiled(&self) -> usize {
        self.proxy.state().spoiled
    }
}

impl Proxy {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.map_err(std::io::Error::other)?.to_bytes();
        let (weather, counted) = {
            let mut state = self.state();
            state.counted += 1;
            (state.weather, state.counted)
        };
        let is_upload = parts.method == Method::PUT && !body.is_empty();
        match weather {
            Weather::Slow => tokio::time::sleep(DELAY).await,
            Weather::Fails if !counted.is_multiple_of(3) => {
                self.state().spoiled += 1;
                return Ok(failure());
            }
            Weather::UploadsBreak if is_upload && counted.is_multiple_of(2) => {
                self.state().spoiled += 1;
                match counted / 2 % 3 {
                    0 => {}
                    1 => self.send_half(&parts, &body)?,
                    _ => drop(self.forward(&parts, body).await?),
                }
                return Err(std::io::ErrorKind::ConnectionReset.into());
            }
            Weather::Fair | Weather::Fails | Weather::UploadsBreak | Weather::ListsLate => {}
        }
        if !parts.uri.query().is_some_and(|query| query.contains("list-type=2")) {
            return self.forward(&parts, body).await;
        }
        let uri = parts.uri.to_string();
        if weather == Weather::ListsLate
            && let Some(before) = self.listing(&uri)
        {
            return Ok(Response::new(Full::new(before)));
        }
        let answer = self.forward(&parts, body).await?;
        let (head, listing) = answer.into_parts();
        let listing = listing.collect().await.map_err(std::io::Error::other)?.to_bytes();
        self.state().listings.insert(uri, listing.clone());
        Ok(Response::from_parts(head, Full::new(listing)))
    }

    fn listing(&self, uri: &str) -> Option<Bytes> {
        let mut state = self.state();
        let before = state.listings.get(uri).cloned()?;
        state.spoiled += 1;
        Some(before)
    }

    async fn forward(&self, parts: &Parts, body: Bytes) -> Answer {
        let url = format!("http://{}{}", self.store, parts.uri);
        let request = self.client.request(parts.method.clone(), url).headers(parts.headers.clone());
        let response = request.body(body).send().await.map_err(std::io::Error::other)?;
        let mut answer = Response::builder().status(response.status());
        for (name, value) in response.headers() {
            if ![CONNECTION, TRANSFER_ENCODING].contains(name) {
                answer = answer.header(name, value);
            }
        }
        let body = response.bytes().await.map_err(std::io::Error::other)?;
        answer.body(Full::new(body)).map_err(std::io::Error::other)
    }

    /// Sends the head of a request and half of its body.
    fn send_half(&self, parts: &Parts, body: &Bytes) -> std::io::Result<()> {
        let mut stream = TcpStream::connect(self.store)?;
        write!(stream, "{} {} HTTP/1.1\r\n", parts.method, parts.uri)?;
        for (name, value) in &parts.headers {
            write!(stream, "{name}: ")?;
            stream.write_all(value.as_bytes())?;
            stream.write_all(b"\r\n")?;
        }
        stream.write_all(b"\r\n")?;
        let half = body.len() / 2;
        stream.write_all(body.get(..half).unwrap_or_default())
    }
}

fn failure() -> Response<Full<Bytes>> {
    let body =
        "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>";
    let mut answer = Response::new(Full::new(Bytes::from(body)));
    *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    answer
}
