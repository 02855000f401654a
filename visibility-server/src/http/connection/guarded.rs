//! A stream with deadlines for reads and writes, and with error objects instead of bare statuses.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};

use axum::http::StatusCode;
use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{Instant, Sleep};

use super::{Deadlines, Progress};
use crate::http::response;

/// What the connection is waiting for when it reads.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The rest of a head; since its first byte, or since the connection was made.
    Head(Instant),
    /// A request runs; its handler has deadlines of its own.
    Busy,
    /// The next request.
    Idle(Instant),
}

/// A TCP stream that fails with [`io::ErrorKind::TimedOut`] when it waits too long.
#[derive(Debug)]
pub(super) struct GuardedStream {
    reading: OwnedReadHalf,
    /// Shared with the checks whether the peer is still connected.
    writing: Arc<OwnedWriteHalf>,
    deadlines: Deadlines,
    progress: Arc<Progress>,
    stage: Stage,
    /// Requests that were finished when `stage` was set.
    seen: u64,
    read_timer: Pin<Box<Sleep>>,
    write_timer: Pin<Box<Sleep>>,
    is_write_blocked: bool,
    /// Our words in place of an answer that the library gave by itself.
    instead: Bytes,
}

impl GuardedStream {
    pub(super) fn new(
        (reading, writing): (OwnedReadHalf, Arc<OwnedWriteHalf>),
        deadlines: Deadlines,
        progress: Arc<Progress>,
    ) -> Self {
        let now = Instant::now();
        Self {
            reading,
            writing,
            deadlines,
            progress,
            stage: Stage::Head(now),
            seen: 0,
            read_timer: Box::pin(tokio::time::sleep_until(now)),
            write_timer: Box::pin(tokio::time::sleep_until(now)),
            is_write_blocked: false,
            instead: Bytes::new(),
        }
    }

    /// The halves of the connection, unless a check for the peer still runs.
    pub(super) fn into_inner(self) -> Option<(OwnedReadHalf, OwnedWriteHalf)> {
        Some((self.reading, Arc::into_inner(self.writing)?))
    }

    fn poll_give(
        &self,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let stream: &TcpStream = self.writing.as_ref().as_ref();
        loop {
            ready!(stream.poll_write_ready(context))?;
            match stream.try_write_vectored(pieces) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                given => return Poll::Ready(given),
            }
        }
    }

    fn is_busy(&self) -> bool {
        self.progress.started.load(Ordering::Relaxed)
            != self.progress.finished.load(Ordering::Relaxed)
    }

    fn update_stage(&mut self) {
        let finished = self.progress.finished.load(Ordering::Relaxed);
        if self.is_busy() {
            self.stage = Stage::Busy;
        } else if finished != self.seen {
            self.seen = finished;
            self.stage = Stage::Idle(Instant::now());
        }
    }

    fn read_deadline(&self) -> Option<Instant> {
        match self.stage {
            Stage::Head(since) => Some(since + self.deadlines.head),
            Stage::Busy => None,
            Stage::Idle(since) => Some(since + self.deadlines.keep_alive),
        }
    }

    /// Writes the replacement for the library's response.
    fn poll_instead(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.instead.has_remaining() {
            let written = ready!(self.poll_give(context, &[IoSlice::new(&self.instead)]))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.instead.advance(written);
        }
        Poll::Ready(Ok(()))
    }

    fn guard_write<T>(
        &mut self,
        polled: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.is_write_blocked = false;
            return polled;
        }
        if !self.is_write_blocked {
            self.is_write_blocked = true;
            self.write_timer.as_mut().reset(Instant::now() + self.deadlines.write);
        }
        ready!(self.write_timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for GuardedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.update_stage();
        let before = buffer.filled().len();
        if let Poll::Ready(result) = Pin::new(&mut self.reading).poll_read(context, buffer) {
            if buffer.filled().len() > before && matches!(self.stage, Stage::Idle(_)) {
                self.stage = Stage::Head(Instant::now());
            }
            return Poll::Ready(result);
        }
        let Some(deadline) = self.read_deadline() else {
            return Poll::Pending;
        };
        if self.read_timer.deadline() != deadline {
            self.read_timer.as_mut().reset(deadline);
        }
        ready!(self.read_timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncWrite for GuardedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    /// Head and body in separate buffers are not copied together first.
    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.instead.has_remaining() {
            let polled = self.poll_instead(context);
            ready!(self.guard_write(polled, context))?;
        }
        if !self.is_busy()
            && let [bytes] = pieces
            && let Some(status) = bare_refusal(bytes)
        {
            self.instead = response::raw_response(status).into();
            return Poll::Ready(Ok(bytes.len()));
        }
        let polled = self.poll_give(context, pieces);
        self.guard_write(polled, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A TCP stream keeps nothing back.
        let polled = self.poll_instead(context);
        self.guard_write(polled, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Arc::get_mut(&mut self.writing) {
            Some(writing) => Pin::new(writing).poll_shutdown(context),
            // A check that still runs ends with the connection, and closes it.
            None => Poll::Ready(Ok(())),
        }
    }
}

/// The status of an answer without a body that the library gives to a head that it cannot read. Our
/// own refusals have bodies.
fn bare_refusal(bytes: &[u8]) -> Option<StatusCode> {
    const EMPTY: &[u8] = b"content-length: 0\r\n";
    let code = bytes.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
    let status = StatusCode::from_bytes(code).ok()?;
    let is_refusal = matches!(
        status,
        StatusCode::BAD_REQUEST
            | StatusCode::URI_TOO_LONG
            | StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
    );
    // In this order: every other answer, and some are large, is known by its first bytes.
    let is_bare = is_refusal
        && bytes.ends_with(b"\r\n\r\n")
        && bytes.windows(EMPTY.len()).any(|window| window == EMPTY);
    is_bare.then_some(status)
}
