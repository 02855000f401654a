//! Progress notifications.

use std::fmt;
use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::time::{Instant, interval_at};

/// Time between two words; what is done earlier is answered without any.
const INTERVAL: Duration = Duration::from_secs(1);

/// Where a tool tells how far it is, if the client wants to know.
pub(crate) struct Progress(Option<(Peer<RoleServer>, ProgressToken)>);

impl Progress {
    /// The progress that the client asked for.
    pub(crate) fn from_context(context: &RequestContext<RoleServer>) -> Self {
        Self(context.meta.get_progress_token().map(|token| (context.peer.clone(), token)))
    }

    /// For a client that wants to hear nothing.
    pub(crate) fn silent() -> Self {
        Self(None)
    }

    /// Waits for something, and says each second what for and how many seconds it took so far.
    pub(crate) async fn during<T>(&self, what: &str, work: impl Future<Output = T>) -> T {
        let Some((peer, token)) = &self.0 else { return work.await };
        let mut ticks = interval_at(Instant::now() + INTERVAL, INTERVAL);
        let mut seconds = 0_u32;
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                _ = ticks.tick() => {
                    seconds += 1;
                    let said = ProgressNotificationParam::new(token.clone(), seconds.into())
                        .with_message(what);
                    if let Err(error) = peer.notify_progress(said).await {
                        // A client that is gone gets no progress; the transport ends the work.
                        tracing::debug!(%error, "cannot send progress");
                    }
                }
            }
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Progress").field(&self.0.is_some()).finish()
    }
}
