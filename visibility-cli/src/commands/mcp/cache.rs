//! Results that are reused while this program runs.

use std::hash::Hash;
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;

/// Most results in the cache.
pub(super) const MAX_CACHED: usize = 100;

/// A cache of results by name, each valid for the same time.
#[derive(Debug)]
pub(super) struct ResultCache<K, V> {
    fresh_for: Duration,
    /// Each with the time at which it was produced.
    results: Cache<K, (Instant, V)>,
}

/// Whether a result was in the cache.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ResultOrigin {
    /// It was in the cache.
    Cached,
    /// It was produced, for this caller or for a concurrent one.
    Fresh,
}

impl<K: Eq + Hash + Clone, V: Clone> ResultCache<K, V> {
    pub(super) fn new(fresh_for: Duration) -> Self {
        Self { fresh_for, results: Cache::new(MAX_CACHED) }
    }

    /// The fresh result for a name, produced if the cache has none. Concurrent callers wait for the one that
    /// produces it; if that fails or is dropped, the next caller takes over.
    pub(super) async fn get<E>(
        &self,
        name: K,
        make: impl Future<Output = Result<V, E>>,
    ) -> Result<(V, ResultOrigin), E> {
        self.get_at(name, Instant::now(), make).await
    }

    async fn get_at<E>(
        &self,
        name: K,
        now: Instant,
        make: impl Future<Output = Result<V, E>>,
    ) -> Result<(V, ResultOrigin), E> {
        self.results.remove_if(&name, |(made, _)| now.duration_since(*made) >= self.fresh_for);
        let make = async { make.await.map(|value| (Instant::now(), value)) };
        let (made, value) = self.results.get_or_insert_async(&name, make).await?;
        let origin = if made < now { ResultOrigin::Cached } else { ResultOrigin::Fresh };
        Ok((value, origin))
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
        let (value, _) = cached.get_at("a", later, made(4)).await.unwrap();
        assert_eq!(value, 4, "the one before is too old");
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
        for name in 0..10 * MAX_CACHED {
            cached.get(name, made(0)).await.unwrap();
        }
        assert!(cached.results.len() <= MAX_CACHED, "{}", cached.results.len());
        let last = 10 * MAX_CACHED;
        cached.get(last, made(0)).await.unwrap();
        assert_eq!(cached.get(last, made(1)).await, Ok((0, ResultOrigin::Cached)));
        for name in 10_000..10_200 {
            assert_eq!(cached.get(name, async { Err::<u8, _>(()) }).await, Err(()));
        }
        assert_eq!(
            cached.get(last, made(1)).await,
            Ok((0, ResultOrigin::Cached)),
            "failures take no place"
        );
    }
}
