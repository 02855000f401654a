//! Who may fetch a document about a client now: few at once, and fewer from one site, so that a site that is
//! slow does not delay others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use visibility_core::fetch::domain::Domain;

/// Documents that are fetched at the same time.
const AT_ONCE: usize = 8;
/// Of those, from one registrable domain: its owner has any number of hosts.
const AT_ONCE_OF_SITE: usize = 2;
/// How long a caller waits for a permit.
const WAIT: Duration = Duration::from_secs(5);

/// Limits how many client documents are fetched at a time, in all and for each site.
#[derive(Debug)]
pub(super) struct FetchLimits {
    all: Arc<Semaphore>,
    wait: Duration,
    /// Sites with a fetch that runs or waits.
    sites: Mutex<HashMap<String, Weak<Semaphore>>>,
}

/// A turn, until this is dropped.
#[derive(Debug)]
#[must_use]
pub(super) struct FetchPermit {
    _all: OwnedSemaphorePermit,
    _site: OwnedSemaphorePermit,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(AT_ONCE)), wait: WAIT, sites: Mutex::default() }
    }
}

impl FetchLimits {
    /// Waits for the turn to fetch from a host; `None` if that takes too long.
    pub(super) async fn acquire(&self, host: &str) -> Option<FetchPermit> {
        let site = self.host_semaphore(host);
        let turn = async {
            // In this order: a caller that waits for its site must not hold a shared permit.
            let site = site.acquire_owned().await.ok()?;
            let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
            Some(FetchPermit { _all: all, _site: site })
        };
        timeout(self.wait, turn).await.ok().flatten()
    }

    fn host_semaphore(&self, host: &str) -> Arc<Semaphore> {
        let domain: Option<Domain> = host.parse().ok();
        let name = domain.as_ref().map_or(host, Domain::registrable);
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(site) = sites.get(name).and_then(Weak::upgrade) {
            return site;
        }
        sites.retain(|_, site| site.strong_count() > 0);
        let site = Arc::new(Semaphore::new(AT_ONCE_OF_SITE));
        sites.insert(name.to_owned(), Arc::downgrade(&site));
        site
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn taken(turns: &FetchLimits, hosts: &[&str]) -> Vec<FetchPermit> {
        let mut taken = Vec::new();
        for host in hosts {
            taken.push(turns.acquire(host).await.expect("a turn"));
        }
        taken
    }

    #[tokio::test]
    async fn a_site_has_two_turns_and_leaves_the_others_to_others() {
        let turns = FetchLimits { wait: Duration::from_millis(50), ..FetchLimits::default() };
        let mut slow = taken(&turns, &["a.evil.example.com", "b.evil.example.com"]).await;
        assert!(turns.acquire("example.com").await.is_none(), "all of one site");
        let others = ["a.example", "b.example", "c.example", "d.example", "e.example", "f.example"];
        let kept = taken(&turns, &others).await;
        assert!(turns.acquire("g.example").await.is_none(), "there are no more");
        slow.pop();
        drop(taken(&turns, &["g.example"]).await);
        drop((slow, kept));
        drop(taken(&turns, &["h.example"]).await);
        assert_eq!(turns.sites.lock().unwrap().len(), 1, "those of before are forgotten");
    }

    #[tokio::test]
    async fn the_first_waiter_is_next() {
        let turns = Arc::new(FetchLimits::default());
        let slow = taken(&turns, &["example.com", "example.com"]).await;
        let waiting = Arc::clone(&turns);
        let waiting = tokio::spawn(async move { waiting.acquire("example.com").await.is_some() });
        // On this one thread, the other task then waits.
        tokio::task::yield_now().await;
        drop(slow);
        assert!(waiting.await.unwrap());
    }
}
