//! Turns of tenants: who asks for much waits for itself, and next comes always another tenant.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use visibility_core::accounts::tenant::TenantSlug;

/// Bounds of how long a tenant that has too much waiting should wait before it asks again.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The mean of how long turns take is that of about so many of the latest.
const LATEST: u32 = 5;

/// How many turns there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FairQueueSize {
    /// Turns that one tenant can have at a time. There is one more, for the others.
    pub(crate) at_once: usize,
    /// Waiters in all.
    pub(crate) waiters: usize,
    /// Waiters of one tenant.
    pub(crate) waiters_of_tenant: usize,
}

impl FairQueueSize {
    /// Turns in all.
    pub(crate) fn turns(self) -> usize {
        self.at_once.saturating_add(1)
    }
}

/// Why there is no turn.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum NoTurn {
    /// Too many wait.
    #[error("too many wait")]
    Full,
    /// Too many of the tenant wait. One of them has had its turn after about this time.
    #[error("too many of the tenant wait")]
    TooManyOfTenant(Duration),
}

/// A bounded queue in which tenants take turns.
#[derive(Clone, Debug)]
pub(crate) struct FairQueue(Arc<Mutex<QueueState>>);

/// A turn, until it is dropped.
#[derive(Debug)]
pub(crate) struct QueueTurn {
    queue: FairQueue,
    tenant: TenantSlug,
    began: Instant,
    /// Whether it still has to be given back.
    is_taken: bool,
}

/// One that waits, until it is dropped.
struct Waiter {
    queue: FairQueue,
    tenant: TenantSlug,
    number: u64,
    turn: oneshot::Receiver<QueueTurn>,
}

#[derive(Debug)]
struct QueueState {
    size: FairQueueSize,
    taken: usize,
    waiting: usize,
    /// Tenants that wait, each once, the next one first.
    order: VecDeque<TenantSlug>,
    /// Tenants that wait or have a turn.
    tenants: HashMap<TenantSlug, TenantTurns>,
    next_number: u64,
    /// How long a turn takes.
    mean: Duration,
}

#[derive(Debug, Default)]
struct TenantTurns {
    taken: usize,
    waiting: VecDeque<(u64, oneshot::Sender<QueueTurn>)>,
}

impl FairQueue {
    /// A queue in which no one waits.
    pub(crate) fn new(size: FairQueueSize) -> Self {
        Self(Arc::new(Mutex::new(QueueState {
            size,
            taken: 0,
            waiting: 0,
            order: VecDeque::new(),
            tenants: HashMap::new(),
            next_number: 0,
            mean: Duration::ZERO,
        })))
    }

    /// Waits for a turn of a tenant. Who stops waiting has no place any more.
    ///
    /// # Errors
    ///
    /// When too many wait already.
    pub(crate) async fn acquire(&self, tenant: &TenantSlug) -> Result<QueueTurn, NoTurn> {
        let mut waiter = self.wait(tenant)?;
        self.serve();
        match (&mut waiter.turn).await {
            Ok(turn) => Ok(turn),
            // The sender is dropped without a turn only with the queue, which the waiter holds.
            Err(_) => Err(NoTurn::Full),
        }
    }

    fn wait(&self, tenant: &TenantSlug) -> Result<Waiter, NoTurn> {
        let mut turns = self.lock();
        turns.check_room(tenant)?;
        let (sender, turn) = oneshot::channel();
        let number = turns.next_number;
        turns.next_number += 1;
        turns.waiting += 1;
        let own = turns.tenants.entry(tenant.clone()).or_default();
        own.waiting.push_back((number, sender));
        if own.waiting.len() == 1 {
            turns.order.push_back(tenant.clone());
        }
        Ok(Waiter { queue: self.clone(), tenant: tenant.clone(), number, turn })
    }

    /// Gives the free turns to those that are next.
    fn serve(&self) {
        let mut refused = Vec::new();
        let mut turns = self.lock();
        while let Some((tenant, sender)) = turns.next() {
            let turn =
                QueueTurn { queue: self.clone(), tenant, began: Instant::now(), is_taken: true };
            if let Err(mut turn) = sender.send(turn) {
                turns.give_back(&turn.tenant);
                turn.is_taken = false;
                refused.push(turn);
            }
        }
        drop(turns);
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    /// Takes a free turn for the tenant that is next.
    fn next(&mut self) -> Option<(TenantSlug, oneshot::Sender<QueueTurn>)> {
        if self.taken >= self.size.turns() {
            return None;
        }
        let Self { tenants, order, size, .. } = self;
        let may =
            |tenant: &TenantSlug| tenants.get(tenant).is_some_and(|own| own.taken < size.at_once);
        let place = order.iter().position(may)?;
        let tenant = order.remove(place)?;
        let own = tenants.get_mut(&tenant)?;
        let (_, sender) = own.waiting.pop_front()?;
        own.taken += 1;
        if !own.waiting.is_empty() {
            order.push_back(tenant.clone());
        }
        self.taken += 1;
        self.waiting -= 1;
        Some((tenant, sender))
    }

    fn give_back(&mut self, tenant: &TenantSlug) {
        self.taken -= 1;
        if let Some(own) = self.tenants.get_mut(tenant) {
            own.taken -= 1;
        }
        self.forget(tenant);
    }

    /// Takes one that has stopped waiting out of the queue, if it is still in it.
    fn leave(&mut self, tenant: &TenantSlug, number: u64) {
        let Some(own) = self.tenants.get_mut(tenant) else { return };
        let Some(place) = own.waiting.iter().position(|(other, _)| *other == number) else {
            return;
        };
        own.waiting.remove(place);
        self.waiting -= 1;
        if own.waiting.is_empty() {
            self.order.retain(|other| other != tenant);
        }
        self.forget(tenant);
    }

    /// Forgets a tenant that neither waits nor has a turn.
    fn forget(&mut self, tenant: &TenantSlug) {
        let own = self.tenants.get(tenant);
        if own.is_some_and(|own| own.taken == 0 && own.waiting.is_empty()) {
            self.tenants.remove(tenant);
        }
    }

    /// Refuses one that would have to wait where too many do.
    fn check_room(&self, tenant: &TenantSlug) -> Result<(), NoTurn> {
        let FairQueueSize { at_once, waiters, waiters_of_tenant } = self.size;
        let own = self.tenants.get(tenant);
        let (taken, waiting) = own.map_or((0, 0), |own| (own.taken, own.waiting.len()));
        // All that could have their turn have it: one that is free is for no one else.
        if self.taken < self.size.turns() && taken < at_once {
            return Ok(());
        }
        if self.waiting >= waiters {
            return Err(NoTurn::Full);
        }
        if waiting >= waiters_of_tenant {
            return Err(NoTurn::TooManyOfTenant(self.wait_of(waiting)));
        }
        Ok(())
    }

    /// When a tenant with so many that wait can expect that they had their turns.
    fn wait_of(&self, waiting: usize) -> Duration {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let wait = self.mean.saturating_mul(number(waiting)) / number(self.size.at_once.max(1));
        wait.clamp(SHORTEST_WAIT, LONGEST_WAIT)
    }
}

impl Drop for QueueTurn {
    fn drop(&mut self) {
        if !self.is_taken {
            return;
        }
        let mut turns = self.queue.lock();
        turns.mean = (turns.mean * (LATEST - 1) + self.began.elapsed()) / LATEST;
        turns.give_back(&self.tenant);
        drop(turns);
        self.queue.serve();
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.queue.lock().leave(&self.tenant, self.number);
        // A turn that was sent meanwhile is dropped with the receiver, and given back.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(at_once: usize, waiters: usize, waiters_of_tenant: usize) -> FairQueue {
        FairQueue::new(FairQueueSize { at_once, waiters, waiters_of_tenant })
    }

    fn tenant(name: &str) -> TenantSlug {
        name.parse().unwrap()
    }

    /// Starts to wait, and waits until that is known.
    async fn waiting(
        queue: &FairQueue,
        name: &str,
    ) -> tokio::task::JoinHandle<Result<QueueTurn, NoTurn>> {
        let before = queue.lock().waiting;
        let (waiter, tenant) = (queue.clone(), tenant(name));
        let handle = tokio::spawn(async move { waiter.acquire(&tenant).await });
        while queue.lock().waiting == before {
            tokio::task::yield_now().await;
        }
        handle
    }

    #[tokio::test]
    async fn another_tenant_does_not_wait_behind_one_that_asks_for_much() {
        let queue = queue(2, 64, 32);
        let first = queue.acquire(&tenant("a")).await.unwrap();
        let _second = queue.acquire(&tenant("a")).await.unwrap();
        let third = waiting(&queue, "a").await;
        let fourth = waiting(&queue, "a").await;
        // There is one turn more than one tenant can have.
        let of_b = queue.acquire(&tenant("b")).await.unwrap();
        let of_c = waiting(&queue, "c").await;
        drop(of_b);
        drop(of_c.await.unwrap().unwrap());
        assert!(!third.is_finished());
        drop(first);
        drop(third.await.unwrap().unwrap());
        drop(fourth.await.unwrap().unwrap());
    }

    #[tokio::test]
    async fn tenants_take_turns() {
        let queue = queue(1, 64, 32);
        let first = queue.acquire(&tenant("a")).await.unwrap();
        let second = queue.acquire(&tenant("b")).await.unwrap();
        let mut handles = Vec::new();
        for name in ["a", "a", "a", "c", "c", "d"] {
            handles.push((name, waiting(&queue, name).await));
        }
        drop(second);
        let mut order = Vec::new();
        let mut turn = Some(first);
        while !handles.is_empty() {
            drop(turn.take());
            for _ in 0..50 {
                tokio::task::yield_now().await;
            }
            let mut done = Vec::new();
            for (place, (_, handle)) in handles.iter().enumerate() {
                if handle.is_finished() {
                    done.push(place);
                }
            }
            for place in done.into_iter().rev() {
                let (name, handle) = handles.remove(place);
                order.push(name);
                drop(handle.await.unwrap().unwrap());
            }
        }
        assert_eq!(order.iter().filter(|name| **name == "a").count(), 3);
        let last_of_d = order.iter().position(|name| *name == "d").unwrap();
        assert!(last_of_d < 5, "{order:?}");
        assert!(queue.lock().tenants.is_empty() && queue.lock().order.is_empty());
    }

    #[tokio::test]
    async fn one_too_many_is_refused() {
        let queue = queue(1, 3, 2);
        let _turns = (
            queue.acquire(&tenant("a")).await.unwrap(),
            queue.acquire(&tenant("b")).await.unwrap(),
        );
        let _first = waiting(&queue, "a").await;
        let _second = waiting(&queue, "a").await;
        let third = queue.acquire(&tenant("a")).await;
        assert_eq!(third.unwrap_err(), NoTurn::TooManyOfTenant(SHORTEST_WAIT));
        let _of_b = waiting(&queue, "b").await;
        assert_eq!(queue.acquire(&tenant("c")).await.unwrap_err(), NoTurn::Full);
        queue.lock().mean = Duration::from_secs(7);
        assert_eq!(queue.lock().wait_of(2), Duration::from_secs(14));
        queue.lock().mean = Duration::from_secs(700);
        assert_eq!(queue.lock().wait_of(2), LONGEST_WAIT);
    }

    #[tokio::test]
    async fn one_that_stops_waiting_has_no_place() {
        let queue = queue(1, 1, 1);
        let first = queue.acquire(&tenant("a")).await.unwrap();
        let second = waiting(&queue, "a").await;
        assert!(queue.acquire(&tenant("a")).await.is_err());
        second.abort();
        assert!(second.await.is_err());
        assert_eq!(queue.lock().waiting, 0);
        let third = waiting(&queue, "a").await;
        drop(first);
        drop(third.await.unwrap().unwrap());
        assert!(queue.lock().tenants.is_empty());
        assert_eq!(queue.lock().taken, 0);
    }

    #[tokio::test]
    async fn a_turn_that_no_one_takes_is_given_to_the_next() {
        let queue = queue(1, 8, 8);
        let first = queue.acquire(&tenant("a")).await.unwrap();
        let gone = queue.wait(&tenant("a")).unwrap();
        let next = waiting(&queue, "a").await;
        drop(first);
        // The turn is in its channel now.
        drop(gone);
        drop(next.await.unwrap().unwrap());
        assert_eq!(queue.lock().taken, 0);
    }
}
