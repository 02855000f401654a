//! Results that are reused while this program runs.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

/// Most results in the cache; the oldest is evicted first.
pub(super) const MAX_CACHED: usize = 100;

/// A cache of results by name, each valid for the same time.
#[derive(Debug)]
pub(super) struct ResultCache<K, V> {
    fresh_for: Duration,
    /// The oldest first.
    places: Mutex<VecDeque<(K, Slot<V>)>>,
}

/// The place of one result, filled when it has been produced.
type Slot<V> = Arc<OnceCell<(Instant, V)>>;

/// Whether a result was in the cache.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ResultOrigin {
    /// It was in the cache.
    Cached,
    /// It was produced, for this caller or for a concurrent one.
    Fresh,
}

impl<K: Eq, V: Clone> ResultCache<K, V> {
    pub(super) fn new(fresh_for: Duration) -> Self {
        Self { fresh_for, places: Mutex::default() }
    }

    /// The fresh result for a name, produced if the cache has none. Concurrent callers wait for the one that
    /// produces it; if that fails or is dropped, the next caller takes over.
    pub(super) async fn get<E>(
        &self,
        name: K,
        make: impl Future<Output = Result<V, E>>,
    ) -> Result<(V, ResultOrigin), E> {
        let place = self.slot(name, Instant::now());
        if let Some((_, value)) = place.get() {
            return Ok((value.clone(), ResultOrigin::Cached));
        }
        let made = async { make.await.map(|value| (Instant::now(), value)) };
        let (_, value) = place.get_or_try_init(|| made).await?;
        Ok((value.clone(), ResultOrigin::Fresh))
    }

    fn slot(&self, name: K, now: Instant) -> Slot<V> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.retain(|(_, place)| match place.get() {
            Some((made, _)) => now.duration_since(*made) < self.fresh_for,
            // Its producer was dropped.
            None => Arc::strong_count(place) > 1,
        });
        if let Some((_, place)) = places.iter().find(|(known, _)| *known == name) {
            return Arc::clone(place);
        }
        if places.len() >= MAX_CACHED {
            places.pop_front();
        }
        let place = Slot::default();
        places.push_back((name, Arc::clone(&place)));
        place
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Ready, ready};

    use futures_util::FutureExt;

    use super::*;

    fn made(value: u8) -> Ready<Result<u8, ()>> {
        ready(Ok(value))
    }

    #[tokio::test]
    async fn a_result_is_reused_until_it_is_old() {
        let cached = ResultCache::new(Duration::from_mins(10));
        assert_eq!(cached.get("a", made(1)).await, Ok((1, ResultOrigin::Fresh)));
        assert_eq!(cached.get("a", made(2)).await, Ok((1, ResultOrigin::Cached)));
        assert_eq!(cached.get("b", made(3)).await, Ok((3, ResultOrigin::Fresh)));
        let later = Instant::now() + Duration::from_mins(10);
        assert!(cached.slot("a", later).get().is_none());
    }

    #[tokio::test]
    async fn a_failure_is_not_cached_and_waiters_try_again() {
        let cached = ResultCache::new(Duration::from_mins(10));
        assert_eq!(cached.get("a", async { Err::<u8, _>(()) }).await, Err(()));
        let mut gone = Box::pin(cached.get("a", std::future::pending::<Result<u8, ()>>()));
        assert!(gone.as_mut().now_or_never().is_none());
        let mut waiting = Box::pin(cached.get("a", made(1)));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(gone);
        assert_eq!(waiting.await, Ok((1, ResultOrigin::Fresh)));
    }

    #[tokio::test]
    async fn there_is_an_end_to_what_is_kept() {
        let cached = ResultCache::new(Duration::from_mins(10));
        for name in 0..=MAX_CACHED {
            cached.get(name, made(0)).await.unwrap();
        }
        assert_eq!(cached.places.lock().unwrap().len(), MAX_CACHED);
        assert_eq!(
            cached.get(0, made(1)).await,
            Ok((1, ResultOrigin::Fresh)),
            "the oldest is gone"
        );
        assert_eq!(cached.get(MAX_CACHED, made(1)).await, Ok((0, ResultOrigin::Cached)));
        for name in 1000..1200 {
            assert_eq!(cached.get(name, async { Err::<u8, _>(()) }).await, Err(()));
        }
        assert_eq!(
            cached.get(MAX_CACHED, made(1)).await,
            Ok((0, ResultOrigin::Cached)),
            "failures take no place"
        );
    }
}
