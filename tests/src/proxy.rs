//! A TCP proxy that makes loopback as slow as a far network, without making it narrow.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Chunks under way in one direction; with 16 KiB each more than a connection of a scan needs.
const MAX_CHUNKS_UNDER_WAY: usize = 1_024;
const CHUNK_BYTES: usize = 16 * 1_024;

/// Forwards connections to one address and delivers every byte late.
#[derive(Debug)]
pub struct DelayProxy {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl DelayProxy {
    /// Listens on a free port of loopback. `one_way` is the delay of each direction; a connection
    /// takes two of them before its first byte leaves, as the handshake of TCP does.
    ///
    /// # Panics
    ///
    /// If loopback has no free port.
    pub async fn start(target: SocketAddr, one_way: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                // A connection that breaks is the business of its two ends.
                tokio::spawn(async move { forward(client, target, one_way).await.ok() });
            }
        });
        Self { address, accepting }
    }

    /// Where to connect to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for DelayProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn forward(client: TcpStream, target: SocketAddr, one_way: Duration) -> io::Result<()> {
    tokio::time::sleep(2 * one_way).await;
    let server = TcpStream::connect(target).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let up = deliver_late(from_client, to_server, one_way);
    let down = deliver_late(from_server, to_client, one_way);
    tokio::try_join!(up, down)?;
    Ok(())
}

/// Copies until the end of the stream; each chunk is written `delay` after it was read.
async fn deliver_late(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    delay: Duration,
) -> io::Result<()> {
    let (sender, mut receiver) = mpsc::channel::<(Instant, Vec<u8>)>(MAX_CHUNKS_UNDER_WAY);
    let read = async move {
        loop {
            let mut chunk = vec![0; CHUNK_BYTES];
            let length = from.read(&mut chunk).await?;
            chunk.truncate(length);
            let ended = sender.send((Instant::now() + delay, chunk)).await.is_err();
            if ended || length == 0 {
                return io::Result::Ok(());
            }
        }
    };
    let write = async move {
        while let Some((due, chunk)) = receiver.recv().await {
            tokio::time::sleep_until(due).await;
            if chunk.is_empty() {
                break;
            }
            to.write_all(&chunk).await?;
        }
        to.shutdown().await
    };
    tokio::try_join!(read, write)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait::LEEWAY;

    async fn echo_server() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut read, mut write) = stream.split();
                    tokio::io::copy(&mut read, &mut write).await.ok();
                });
            }
        });
        address
    }

    #[tokio::test]
    async fn a_round_trip_takes_both_delays_and_the_first_one_a_handshake_more() {
        let proxy = DelayProxy::start(echo_server().await, Duration::from_millis(40)).await;
        let start = Instant::now();
        let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
        let mut reply = [0; 4];
        stream.write_all(b"ping").await.unwrap();
        stream.read_exact(&mut reply).await.unwrap();
        assert!(start.elapsed() >= Duration::from_millis(160), "{:?}", start.elapsed());
        let start = Instant::now();
        stream.write_all(b"pong").await.unwrap();
        stream.read_exact(&mut reply).await.unwrap();
        assert_eq!(&reply, b"pong");
        assert!(start.elapsed() >= Duration::from_millis(80), "{:?}", start.elapsed());
    }

    #[tokio::test]
    async fn a_megabyte_is_late_once_and_not_chunk_by_chunk() {
        let proxy = DelayProxy::start(echo_server().await, Duration::from_millis(250)).await;
        let stream = TcpStream::connect(proxy.address()).await.unwrap();
        let start = Instant::now();
        let (mut read, mut write) = stream.into_split();
        let send = tokio::spawn(async move {
            write.write_all(&vec![7; 1 << 20]).await.unwrap();
            write.shutdown().await.unwrap();
        });
        let mut received = Vec::new();
        read.read_to_end(&mut received).await.unwrap();
        send.await.unwrap();
        assert_eq!(received.len(), 1 << 20);
        // It takes a second; 64 chunks, each late on its own, would take 16 seconds each way.
        assert!(start.elapsed() < LEEWAY, "{:?}", start.elapsed());
    }
}
