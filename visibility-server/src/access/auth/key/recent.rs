//! Keys and tokens that were looked up in the last second, so that a busy client costs no look into the
//! database.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use subtle::ConstantTimeEq;
use visibility_core::accounts::token::TokenDigest;

/// How long a key is taken for what it was: another process may have revoked it since.
pub(in crate::access::auth) const GOOD_FOR: Duration = Duration::from_millis(900);
/// Keys that are remembered. A key has one place, by its digest; of two with the same place the later
/// one has it. Only who has two valid keys can put one there.
const PLACES: usize = 512;

/// Keys that were found in the database, each for [`GOOD_FOR`].
#[derive(Debug)]
pub(crate) struct Recent<T> {
    places: Vec<Mutex<Option<Found<T>>>>,
}

#[derive(Debug)]
struct Found<T> {
    digest: TokenDigest,
    key: Arc<T>,
    until: Instant,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { places: (0..PLACES).map(|_| Mutex::default()).collect() }
    }
}

impl<T> Recent<T> {
    /// A key that was found a moment ago.
    pub(in crate::access::auth) fn recall(
        &self,
        digest: &TokenDigest,
        now: Instant,
    ) -> Option<Arc<T>> {
        let place = self.place(digest)?.lock().unwrap_or_else(PoisonError::into_inner);
        let found = place.as_ref().filter(|found| now < found.until)?;
        let is_same: bool = found.digest.as_bytes().ct_eq(digest.as_bytes()).into();
        is_same.then(|| Arc::clone(&found.key))
    }

    /// Remembers a key as it was when somebody began to look for it.
    pub(in crate::access::auth) fn remember(
        &self,
        digest: &TokenDigest,
        key: &Arc<T>,
        asked: Instant,
    ) {
        let Some(place) = self.place(digest) else { return };
        let found = Found { digest: *digest, key: Arc::clone(key), until: asked + GOOD_FOR };
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
    }

    fn place(&self, digest: &TokenDigest) -> Option<&Mutex<Option<Found<T>>>> {
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
        let recent = Recent::default();
        let (key, asked) = (Arc::new(key(1)), Instant::now());
        let digest = key.made.digest;
        assert!(recent.recall(&digest, asked).is_none());
        recent.remember(&key.made.digest, &key, asked);
        let moment = Duration::from_nanos(1);
        recent.remember(&key.made.digest, &key, asked + moment);
        assert!(recent.recall(&digest, asked + GOOD_FOR).is_some());
        assert!(recent.recall(&digest, asked + GOOD_FOR + moment).is_none());
        assert!(GOOD_FOR < Duration::from_secs(1));
    }

    #[test]
    fn one_key_is_not_taken_for_another_in_the_same_place() {
        let recent = Recent::default();
        let (mut one, now) = (key(1), Instant::now());
        let mut octets = *one.made.digest.as_bytes();
        recent.remember(&one.made.digest, &Arc::new(one.clone()), now);
        octets[31] ^= 1;
        let other = TokenDigest::from(octets);
        assert!(recent.recall(&other, now).is_none());
        one.made.digest = other;
        recent.remember(&other, &Arc::new(one), now);
        assert!(recent.recall(&other, now).is_some());
        octets[31] ^= 1;
        assert!(recent.recall(&TokenDigest::from(octets), now).is_none());
    }

    #[test]
    fn any_number_of_keys_takes_the_same_room() {
        let recent = Recent::default();
        let now = Instant::now();
        for seed in 0..=255 {
            let key = Arc::new(key(seed));
            recent.remember(&key.made.digest, &key, now);
        }
        assert_eq!(recent.places.len(), PLACES);
    }
}
