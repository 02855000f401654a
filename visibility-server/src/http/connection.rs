//! Serves one connection: HTTP/1 with deadlines, closed so that the peer can read the last response.

mod disconnect;
mod guarded;

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Request, Response};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tower::ServiceExt;

pub(crate) use self::disconnect::{DisconnectSignal, while_connected};
use self::guarded::GuardedStream;

/// Bytes of a head.
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// Fields of a head.
const MAX_HEADERS: usize = 100;
/// Bytes that are buffered for reading and for writing.
const MAX_BUFFER_BYTES: usize = 64 * 1024;
/// How long what is left of a request is taken in after an early answer.
const LINGER: Duration = Duration::from_secs(2);
/// Bytes that are taken in then: a full batch and what it is wrapped in. Many senders read only after
/// they have written everything, and take a failure to write for a broken connection.
const MAX_LINGER_BYTES: u64 = 64 * 1024 * 1024;

/// How long a connection may do nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadlines {
    /// For a head, from its first byte.
    pub(crate) head: Duration,
    /// Between two requests.
    pub(crate) keep_alive: Duration,
    /// For the peer to take what we write.
    pub(crate) write: Duration,
}

/// What the two ends of a connection tell each other: the bytes and the requests.
#[derive(Debug, Default)]
struct Progress {
    /// Requests that were handed to the router.
    started: AtomicU64,
    /// Requests whose answers were handed to the connection as a whole.
    finished: AtomicU64,
    /// Whether the body of the last request was not read to its end.
    is_body_left: AtomicBool,
}

/// Serves a connection until it ends. A true `stop` ends it after the request that runs.
pub(crate) async fn run(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    deadlines: Deadlines,
    mut stop: watch::Receiver<bool>,
) {
    let progress = Arc::new(Progress::default());
    let (reading, writing) = stream.into_split();
    let writing = Arc::new(writing);
    let hang_up = DisconnectSignal::new(Arc::downgrade(&writing));
    let guarded = GuardedStream::new((reading, writing), deadlines, Arc::clone(&progress));
    let handed = Arc::clone(&progress);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(hang_up.clone());
        Box::pin(respond(router.clone(), request, handed.clone()))
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // The guarded stream has a deadline for the head; the library's would also end idle connections.
        .header_read_timeout(None)
        .half_close(true)
        .max_buf_size(MAX_BUFFER_BYTES)
        .max_header_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(guarded), service);
    let mut is_stopping = false;
    let result = loop {
        tokio::select! {
            // With its shutdown: without it, the library leaves behind what it could not write at once.
            result = &mut connection => break result,
            () = stopped(&mut stop), if !is_stopping => {
                is_stopping = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    let is_cut = result.as_ref().is_err_and(hyper::Error::is_parse);
    if let Err(error) = result {
        tracing::debug!(error = &error as &dyn std::error::Error, "connection ended");
    }
    // The requests are gone, and with them all who asked for the peer.
    let halves = connection.into_parts().io.into_inner().into_inner();
    if (is_cut || progress.is_body_left.load(Ordering::Relaxed))
        && let Some((reading, writing)) = halves
    {
        linger(reading, writing).await;
    }
}

/// Ends when the service is asked to stop, or when its handle is dropped.
pub(crate) async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error says that the sender is gone, which is a stop as well.
    let _ = stop.wait_for(|is_stopping| *is_stopping).await;
}

/// Half-closes and takes in what the peer still sends, for a while: a socket that is closed with
/// bytes unread resets the connection, and the peer may lose the answer that it was about to read.
async fn linger(mut reading: OwnedReadHalf, mut writing: OwnedWriteHalf) {
    let deadline = Instant::now() + LINGER;
    if !matches!(timeout_at(deadline, writing.shutdown()).await, Ok(Ok(()))) {
        return;
    }
    let mut scrap = vec![0; MAX_BUFFER_BYTES];
    let mut taken: u64 = 0;
    while taken < MAX_LINGER_BYTES {
        match timeout_at(deadline, reading.read(&mut scrap)).await {
            Ok(Ok(count)) if count > 0 => taken += u64::try_from(count).unwrap_or(u64::MAX),
            _ => return,
        }
    }
}

async fn respond(
    router: Router,
    request: Request<Incoming>,
    progress: Arc<Progress>,
) -> Result<Response<ResponseBody>, std::convert::Infallible> {
    progress.started.fetch_add(1, Ordering::Relaxed);
    let is_body_left = !request.body().is_end_stream();
    progress.is_body_left.store(is_body_left, Ordering::Relaxed);
    let finish = FinishGuard(Arc::clone(&progress));
    let read = Arc::clone(&progress);
    let request = request.map(|body| Body::new(RequestBody { body, progress }));
    let mut response = router.oneshot(request).await?;
    if read.is_body_left.load(Ordering::Relaxed) {
        // The connection ends with this answer, as the next request could not be distinguished from the rest of
        // the body. A client that does not know sends the next one, and loses it.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| ResponseBody { body, _finish: finish }))
}

/// Counts the request as finished when it is dropped.
struct FinishGuard(Arc<Progress>);

impl Drop for FinishGuard {
    fn drop(&mut self) {
        self.0.finished.fetch_add(1, Ordering::Relaxed);
    }
}

/// The body of a request; notes when it was read to its end.
struct RequestBody {
    body: Incoming,
    progress: Arc<Progress>,
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None)) || self.body.is_end_stream() {
            self.progress.is_body_left.store(false, Ordering::Relaxed);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer; the request is finished when it is dropped.
struct ResponseBody {
    body: Body,
    _finish: FinishGuard,
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
