//! Detects a client that disconnects before it has its response.

use std::sync::Weak;
use std::time::Duration;

use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;

/// Time between two looks at a peer that sent more than its request: as long as that is unread, nothing
/// tells when it goes.
const PAUSE: Duration = Duration::from_millis(100);

/// Tells when the peer of a connection has closed it, or its half: an extension of each request.
///
/// The HTTP library does not look at the connection while a request runs, so that a peer may close its
/// half and still get its answer. A handler that works long for one peer asks here.
#[derive(Clone, Debug)]
pub(crate) struct DisconnectSignal(Weak<OwnedWriteHalf>);

impl DisconnectSignal {
    pub(super) fn new(stream: Weak<OwnedWriteHalf>) -> Self {
        Self(stream)
    }

    /// Ends when the peer has closed the connection.
    pub(crate) async fn wait(&self) {
        loop {
            let Some(writing) = self.0.upgrade() else { return };
            let stream: &TcpStream = writing.as_ref().as_ref();
            match stream.ready(Interest::READABLE).await {
                Ok(ready) if !ready.is_read_closed() => {}
                _ => return,
            }
            drop(writing);
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Runs a future until the client disconnects; returns `None` if it does. Without a way to detect that, a client that
/// leaves is noticed only when the connection drops this future.
pub(crate) async fn while_connected<T>(
    hang_up: Option<DisconnectSignal>,
    work: impl Future<Output = T>,
) -> Option<T> {
    let left = async {
        match hang_up {
            Some(hang_up) => hang_up.wait().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        done = work => Some(done),
        () = left => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::io::AsyncWriteExt;
    use tokio::net::TcpListener;
    use tokio::net::tcp::OwnedReadHalf;
    use tokio::time::timeout;

    use super::*;

    struct Connected {
        peer: TcpStream,
        reading: OwnedReadHalf,
        writing: Arc<OwnedWriteHalf>,
    }

    impl Connected {
        async fn new() -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let peer = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            let (reading, writing) = listener.accept().await.unwrap().0.into_split();
            Self { peer, reading, writing: Arc::new(writing) }
        }

        async fn send(&mut self, text: &str) {
            self.peer.write_all(text.as_bytes()).await.unwrap();
            self.reading.readable().await.unwrap();
        }

        fn hang_up(&self) -> DisconnectSignal {
            DisconnectSignal::new(Arc::downgrade(&self.writing))
        }
    }

    #[tokio::test]
    async fn a_peer_that_closes_is_noticed_whether_it_sent_more_or_not() {
        for text in ["", "GET / HTTP/1.1\r\n"] {
            let mut connected = Connected::new().await;
            if !text.is_empty() {
                connected.send(text).await;
            }
            let hang_up = connected.hang_up();
            drop(connected.peer);
            assert!(timeout(Duration::from_mins(1), hang_up.wait()).await.is_ok(), "{text}");
        }
    }

    #[tokio::test]
    async fn a_peer_that_waits_is_there() {
        let mut connected = Connected::new().await;
        assert!(timeout(PAUSE, connected.hang_up().wait()).await.is_err());
        connected.send("more").await;
        assert!(timeout(PAUSE * 3, connected.hang_up().wait()).await.is_err());
    }
}
