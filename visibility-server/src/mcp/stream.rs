//! The body of a streamed response, which ends when the client disconnects.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use crate::http::connection::DisconnectSignal;

/// A body that ends when the client goes, and with it the work that it tells of: a client that reads
/// nothing more is noticed only when something is written to it, which may be long after.
struct CancelOnDisconnect {
    body: Option<BoxBody<Bytes, Infallible>>,
    gone: BoxFuture<'static, ()>,
}

/// A body for as long as its client is there.
pub(super) fn cancel_on_disconnect(
    body: BoxBody<Bytes, Infallible>,
    hang_up: Option<DisconnectSignal>,
) -> Body {
    let Some(hang_up) = hang_up else { return Body::new(body) };
    let gone = async move { hang_up.wait().await }.boxed();
    Body::new(CancelOnDisconnect { body: Some(body), gone })
}

impl HttpBody for CancelOnDisconnect {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.body.is_some() && self.gone.poll_unpin(context).is_ready() {
            self.body = None;
        }
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map(HttpBody::size_hint).unwrap_or_default()
    }
}
