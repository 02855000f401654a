//! A gate before a server: connections wait there until it is opened.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use visibility_tests::wait::PATIENCE;

/// A gate that is shut at first.
pub(crate) struct Gate {
    pub(crate) address: SocketAddr,
    is_open: watch::Sender<bool>,
    waiting: watch::Receiver<usize>,
    accepting: JoinHandle<()>,
}

impl Gate {
    /// A gate before a server.
    pub(crate) async fn before(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (is_open, opened) = watch::channel(false);
        let (count, waiting) = watch::channel(0);
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                count.send_modify(|count| *count += 1);
                let (count, opened) = (count.clone(), opened.clone());
                tokio::spawn(async move {
                    let passed = wait(client, opened).await;
                    count.send_modify(|count| *count -= 1);
                    if let Some((mut client, sent)) = passed {
                        // The end of a connection is the business of its two ends.
                        forward(&mut client, &sent, target).await.ok();
                    }
                });
            }
        });
        Self { address, is_open, waiting, accepting }
    }

    /// Lets all pass, now and later.
    pub(crate) fn open(&self) {
        self.is_open.send_replace(true);
    }

    /// Waits until so many connections wait.
    pub(crate) async fn wait_for(&self, count: usize) {
        self.wait_until(|waiting| waiting == count).await;
    }

    /// Waits until the number of connections that wait is right.
    pub(crate) async fn wait_until(&self, is_right: impl Fn(usize) -> bool) {
        let mut waiting = self.waiting.clone();
        let found = timeout(PATIENCE, waiting.wait_for(|waiting| is_right(*waiting))).await;
        assert!(found.is_ok(), "{} connections wait", *self.waiting.borrow());
    }

    /// The number of connections that wait.
    pub(crate) fn waiting(&self) -> usize {
        *self.waiting.borrow()
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Waits until the gate is open: the client and what it has sent, unless it goes before.
async fn wait(
    mut client: TcpStream,
    mut opened: watch::Receiver<bool>,
) -> Option<(TcpStream, Vec<u8>)> {
    let mut sent = Vec::new();
    loop {
        tokio::select! {
            opened = opened.wait_for(|opened| *opened) => {
                drop(opened.ok()?);
                return Some((client, sent));
            }
            read = client.read_buf(&mut sent) => if read.ok()? == 0 { return None },
        }
    }
}

async fn forward(client: &mut TcpStream, sent: &[u8], target: SocketAddr) -> io::Result<()> {
    let mut server = TcpStream::connect(target).await?;
    server.write_all(sent).await?;
    copy_bidirectional(client, &mut server).await?;
    Ok(())
}
