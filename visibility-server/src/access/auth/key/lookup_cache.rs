//! Keys and tokens that were looked up in the last second, so that a busy client costs no look into the
//! database.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use subtle::ConstantTimeEq;
use visibility_core::accounts::token::TokenDigest;

/// How long a key is taken for what it was: another process may have revoked it since.
pub(in crate::access::auth) const FRESH_FOR: Duration = Duration::from_millis(900);
/// Keys that are remembered. A key has one place, by its digest; of two with the same place the later
/// one has it. Only who has two valid keys can put one there.
const PLACES: usize = 512;

/// Keys that were found in the database, each for [`FRESH_FOR`].
#[derive(Debug)]
pub(crate) struct LookupCache<T> {
    places: Vec<Mutex<Option<CachedLookup<T>>>>,
}

#[derive(Debug)]
struct CachedLookup<T> {
    digest: TokenDigest,
    key: Arc<T>,
    until: Instant,
}

impl<T> Default for LookupCache<T> {
    fn default() -> Self {
        Self { places: (0..PLACES).map(|_| Mutex::default()).collect() }
    }
}

impl<T> LookupCache<T> {
    /// A key that was found a moment ago.
    pub(in crate::access::auth) fn get(
        &self,
        digest: &TokenDigest,
        now: Instant,
    ) -> Option<Arc<T>> {
        let place = self.slot(digest)?.lock().unwrap_or_else(PoisonError::into_inner);
        let found = place.as_ref().filter(|found| now < found.until)?;
        let is_same: bool = found.digest.as_bytes().ct_eq(digest.as_bytes()).into();
        is_same.then(|| Arc::clone(&found.key))
    }

    /// Caches a key as it was when its lookup began.
    pub(in crate::access::auth) fn insert(
        &self,
        digest: &TokenDigest,
        key: &Arc<T>,
        asked: Instant,
    ) {
        let Some(place) = self.slot(digest) else { return };
        let found =
            CachedLookup { digest: *digest, key: Arc::clone(key), until: asked + FRESH_FOR };
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
    }

    fn slot(&self, digest: &TokenDigest) -> Option<&Mutex<Option<CachedLookup<T>>>> {
        let [first, second, ..] = *digest.as_bytes();
        self.places.get(usize::from(u16::from_be_bytes([first, second])) % PLACES)
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
    fn one_key_is_not_taken_for_another_in_the_same_place() {
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
        bytes[31] ^= 1;
        assert!(recent.get(&TokenDigest::from(bytes), now).is_none());
    }

    #[test]
    fn any_number_of_keys_takes_the_same_room() {
        let recent = LookupCache::default();
        let now = Instant::now();
        for seed in 0..=255 {
            let key = Arc::new(key(seed));
            recent.insert(&key.key.digest, &key, now);
        }
        assert_eq!(recent.places.len(), PLACES);
    }
}
