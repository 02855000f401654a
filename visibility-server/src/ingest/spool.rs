//! Bodies on their way in: on disk without a name, so that a slow sender holds no memory and a crash
//! leaves nothing.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::PathBuf;
use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};

use crate::stores::unnamed_file;
use crate::telemetry::metrics::SpooledGuard;

/// Bytes that are gathered before they are written.
const CHUNK_BYTES: usize = 64 * 1024;
/// The pace that a body must keep.
const LEAST_BYTES_PER_SECOND: u64 = 8 * 1024;
/// From when on it must.
const PACE_GRACE: Duration = Duration::from_secs(30);

/// The folder of bodies that are being received.
#[derive(Clone, Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    idle: Duration,
    whole: Duration,
}

/// Why a body was not received.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReceiveError {
    /// It is longer than it may be.
    #[error("the body is larger than {limit} bytes")]
    TooLong { limit: u64 },
    /// It does not come, or too slowly.
    #[error("the body did not arrive in time")]
    TooSlow,
    /// It ended before its end, or is framed wrongly.
    #[error("the body is incomplete")]
    Broken(#[source] axum::Error),
    /// It cannot be kept.
    #[error("cannot write the body to the spool")]
    Disk(#[source] io::Error),
}

impl Spool {
    /// A spool in a folder that exists. Between two pieces `idle` may pass, for a body `whole`.
    pub(crate) fn new(folder: PathBuf, idle: Duration, whole: Duration) -> Self {
        Self { folder, idle, whole }
    }

    /// Receives a body of at most `limit` bytes, counted as they come, into a file without a name that
    /// is at its start. `spooled` counts what is written.
    ///
    /// # Errors
    ///
    /// Nothing is left then.
    pub(crate) async fn receive(
        &self,
        body: Body,
        limit: u64,
        spooled: &mut SpooledGuard,
    ) -> Result<File, ReceiveError> {
        let folder = self.folder.clone();
        let mut file = on_disk(move || unnamed_file(&folder)).await.map_err(ReceiveError::Disk)?;
        let mut pieces = BodyChunks::new(body, self, limit);
        let mut chunk = Vec::new();
        while let Some(piece) = pieces.next().await? {
            spooled.add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
            chunk.extend_from_slice(&piece);
            if chunk.len() >= CHUNK_BYTES {
                (file, chunk) = write(file, chunk).await?;
            }
        }
        (file, _) = write(file, chunk).await?;
        file.rewind().map_err(ReceiveError::Disk)?;
        Ok(file)
    }

    /// Reads and discards a body, so that its sender gets around to reading the response.
    ///
    /// # Errors
    ///
    /// Those of [`receive`](Self::receive), but for the disk.
    pub(crate) async fn discard(&self, body: Body, limit: u64) -> Result<(), ReceiveError> {
        let mut pieces = BodyChunks::new(body, self, limit);
        while pieces.next().await?.is_some() {}
        Ok(())
    }

    /// Proves that a body could be kept now.
    ///
    /// # Errors
    ///
    /// When it could not.
    pub(crate) fn probe(&self) -> io::Result<()> {
        unnamed_file(&self.folder)?.write_all(b"ready")
    }
}

/// The pieces of a body, each in time, and together not too many.
struct BodyChunks {
    body: Body,
    idle: Duration,
    started: Instant,
    whole: Duration,
    limit: u64,
    received: u64,
}

impl BodyChunks {
    fn new(body: Body, spool: &Spool, limit: u64) -> Self {
        Self {
            body,
            idle: spool.idle,
            started: Instant::now(),
            whole: spool.whole,
            limit,
            received: 0,
        }
    }

    async fn next(&mut self) -> Result<Option<Bytes>, ReceiveError> {
        loop {
            let deadline = self.deadline();
            let frame = match timeout_at(deadline, self.body.frame()).await {
                Err(_elapsed) => return Err(ReceiveError::TooSlow),
                Ok(None) => return Ok(None),
                Ok(Some(frame)) => frame.map_err(ReceiveError::Broken)?,
            };
            // Trailers say nothing that is needed.
            let Ok(piece) = frame.into_data() else {
                continue;
            };
            self.received += u64::try_from(piece.len()).unwrap_or(u64::MAX);
            if self.received > self.limit {
                return Err(ReceiveError::TooLong { limit: self.limit });
            }
            // A sender that is always ready never runs into the timer.
            if Instant::now() > deadline {
                return Err(ReceiveError::TooSlow);
            }
            return Ok(Some(piece));
        }
    }

    /// When the next piece must be there: in time after the last, before the end of the whole, and
    /// before the pace falls too low.
    fn deadline(&self) -> Instant {
        let paid = Duration::from_secs(self.received / LEAST_BYTES_PER_SECOND);
        let pace = self.started + paid.max(PACE_GRACE);
        (Instant::now() + self.idle).min(self.started + self.whole).min(pace)
    }
}

async fn write(mut file: File, mut chunk: Vec<u8>) -> Result<(File, Vec<u8>), ReceiveError> {
    on_disk(move || {
        file.write_all(&chunk)?;
        chunk.clear();
        Ok((file, chunk))
    })
    .await
    .map_err(ReceiveError::Disk)
}

async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use std::io::Read;
    use std::os::unix::fs::PermissionsExt;

    use futures_util::{StreamExt, stream};
    use tempfile::TempDir;

    use super::*;
    use crate::telemetry::metrics::Metrics;

    fn spool(idle: Duration) -> (TempDir, Spool) {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::new(folder.path().to_owned(), idle, Duration::from_mins(10));
        (folder, spool)
    }

    fn body(pieces: Vec<Vec<u8>>) -> Body {
        Body::from_stream(stream::iter(pieces.into_iter().map(io::Result::Ok)))
    }

    const PATIENT: Duration = Duration::from_secs(15);

    #[tokio::test]
    async fn a_body_is_kept_as_it_came_in_a_file_without_a_name() {
        let (folder, spool) = spool(PATIENT);
        for pieces in [vec![], vec![vec![1; 10]], vec![vec![2; 50_000]; 9], vec![vec![3; 300_000]]]
        {
            let sent = pieces.concat();
            let mut file = spool
                .receive(body(pieces), 1 << 20, &mut Metrics::default().spooled())
                .await
                .unwrap();
            let mut kept = Vec::new();
            file.read_to_end(&mut kept).unwrap();
            assert!(kept == sent);
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[tokio::test]
    async fn a_body_may_have_as_many_bytes_as_the_limit_and_none_more() {
        let (_folder, spool) = spool(PATIENT);
        assert!(
            spool
                .receive(body(vec![vec![0; 50]; 2]), 100, &mut Metrics::default().spooled())
                .await
                .is_ok()
        );
        let refused = spool
            .receive(body(vec![vec![0; 50], vec![0; 51]]), 100, &mut Metrics::default().spooled())
            .await;
        assert!(matches!(refused, Err(ReceiveError::TooLong { limit: 100 })));
        assert!(spool.discard(body(vec![vec![0; 101]]), 100).await.is_err());
    }

    #[tokio::test]
    async fn a_body_that_stops_is_too_slow() {
        let (folder, spool) = spool(Duration::from_millis(20));
        let stopped = stream::iter([io::Result::Ok(vec![0; 10])]).chain(stream::pending());
        let refused =
            spool.receive(Body::from_stream(stopped), 100, &mut Metrics::default().spooled()).await;
        assert!(matches!(refused, Err(ReceiveError::TooSlow)));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_broken() {
        let (_folder, spool) = spool(PATIENT);
        let cut = stream::iter([Ok(vec![0; 10]), Err(io::Error::other("cut"))]);
        let refused =
            spool.receive(Body::from_stream(cut), 100, &mut Metrics::default().spooled()).await;
        assert!(matches!(refused, Err(ReceiveError::Broken(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_keeps_a_pace_from_the_thirtieth_second_on() {
        let (_folder, spool) = spool(PATIENT);
        let after = |seconds, received| {
            let mut pieces = BodyChunks::new(Body::empty(), &spool, u64::MAX);
            pieces.started = Instant::now() - Duration::from_secs(seconds);
            pieces.received = received;
            let left = pieces.deadline().saturating_duration_since(Instant::now());
            (left.as_millis() + 500) / 1000
        };
        let kilobytes = |count: u64| count * 1024;
        // Before that, the pause between two pieces is what counts.
        assert_eq!(after(0, 0), 15);
        assert_eq!(after(20, 0), 10);
        assert_eq!(after(31, 0), 0);
        // 8 KiB pay for a second.
        assert_eq!(after(100, kilobytes(800)), 0);
        assert_eq!(after(100, kilobytes(840)), 5);
        assert_eq!(after(100, kilobytes(8_000)), 15);
        // However fast it was, ten minutes are the end.
        assert_eq!(after(595, kilobytes(40_000)), 5);
    }
}
