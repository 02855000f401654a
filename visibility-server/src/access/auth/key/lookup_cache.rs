//! Keys and tokens that were looked up in the last second, so that a busy client costs no look into the
//! database.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;
use subtle::ConstantTimeEq;
use visibility_core::accounts::token::TokenDigest;

/// How long a key is taken for what it was: another process may have revoked it since.
pub(in crate::access::auth) const FRESH_FOR: Duration = Duration::from_millis(900);
/// Keys that are remembered.
const MAX_KEYS: usize = 512;

/// Keys that were found in the database, each for [`FRESH_FOR`].
#[derive(Debug)]
pub(crate) struct LookupCache<T>(Cache<LookupKey, CachedLookup<T>>);

/// A digest that is compared in constant time.
#[derive(Clone, Copy, Debug)]
struct LookupKey(TokenDigest);

impl Hash for LookupKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_bytes().hash(state);
    }
}

impl PartialEq for LookupKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

impl Eq for LookupKey {}

#[derive(Debug)]
struct CachedLookup<T> {
    key: Arc<T>,
    until: Instant,
}

impl<T> Clone for CachedLookup<T> {
    fn clone(&self) -> Self {
        Self { key: Arc::clone(&self.key), until: self.until }
    }
}

impl<T> Default for LookupCache<T> {
    fn default() -> Self {
        Self(Cache::new(MAX_KEYS))
    }
}

impl<T> LookupCache<T> {
    /// A key that was found a moment ago.
    pub(in crate::access::auth) fn get(
        &self,
        digest: &TokenDigest,
        now: Instant,
    ) -> Option<Arc<T>> {
        self.0.get(&LookupKey(*digest)).filter(|found| now < found.until).map(|found| found.key)
    }

    /// Caches a key as it was when its lookup began.
    pub(in crate::access::auth) fn insert(
        &self,
        digest: &TokenDigest,
        key: &Arc<T>,
        asked: Instant,
    ) {
        let found = CachedLookup { key: Arc::clone(key), until: asked + FRESH_FOR };
        self.0.insert(LookupKey(*digest), found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::auth::key::tests::key;

    #[test]
    fn a_key_is_remembered_for_less_than_a_second() {
        let recent = LookupCache::default();
        let (key, asked) = (Arc::new(key(1)), Instant::now());
        let digest = key.key.digest;
        assert!(recent.get(&digest, asked).is_none());
        recent.insert(&key.key.digest, &key, asked);
        let moment = Duration::from_nanos(1);
        recent.insert(&key.key.digest, &key, asked + moment);
        assert!(recent.get(&digest, asked + FRESH_FOR).is_some());
        assert!(recent.get(&digest, asked + FRESH_FOR + moment).is_none());
        assert!(FRESH_FOR < Duration::from_secs(1));
    }

    #[test]
    fn one_key_is_not_taken_for_another() {
        let recent = LookupCache::default();
        let (mut one, now) = (key(1), Instant::now());
        let mut bytes = *one.key.digest.as_bytes();
        recent.insert(&one.key.digest, &Arc::new(one.clone()), now);
        bytes[31] ^= 1;
        let other = TokenDigest::from(bytes);
        assert!(recent.get(&other, now).is_none());
        one.key.digest = other;
        recent.insert(&other, &Arc::new(one), now);
        assert!(recent.get(&other, now).is_some());
        bytes[31] ^= 2;
        assert!(recent.get(&TokenDigest::from(bytes), now).is_none());
    }

    #[test]
    fn any_number_of_keys_takes_the_same_room() {
        let recent = LookupCache::default();
        let (one, now) = (Arc::new(key(1)), Instant::now());
        for number in 0..10_000_u32 {
            recent.insert(&TokenDigest::new(&number.to_string()), &one, now);
        }
        assert!(recent.0.len() <= MAX_KEYS, "{}", recent.0.len());
    }
}
