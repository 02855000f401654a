//! A two-generation LRU map. Unlike `quick_cache`, which may evict a key that was seen once, it promises whom it remembers:
//! a flood of new clients must not make it forget the count of another.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem::take;

/// Values of so many keys at the most, those of the first half of them that were asked for last for sure.
#[derive(Debug)]
pub(super) struct LruMap<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    /// Keys of one generation.
    half: usize,
}

/// Evicted entries, to be dropped where that blocks no one.
#[derive(Debug)]
#[must_use]
pub(super) struct Evicted<K, V>(#[expect(dead_code, reason = "it is dropped")] HashMap<K, V>);

impl<K: Clone + Eq + Hash, V: Clone + Default> LruMap<K, V> {
    /// A memory of at most so many keys.
    pub(super) fn new(most: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), half: most / 2 }
    }

    /// The value of a key, which is made if it is not known.
    pub(super) fn get_or_insert(&mut self, key: &K) -> (V, Option<Evicted<K, V>>) {
        if let Some(value) = self.young.get(key) {
            return (value.clone(), None);
        }
        let value = self.old.remove(key).unwrap_or_default();
        let is_full = self.young.len() >= self.half;
        let forgotten = is_full.then(|| {
            let young = take(&mut self.young);
            Evicted(std::mem::replace(&mut self.old, young))
        });
        self.young.insert(key.clone(), value.clone());
        (value, forgotten)
    }

    /// The number of keys that are known.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn who_was_seen_among_the_last_half_is_remembered() {
        let mut known: LruMap<u32, Arc<()>> = LruMap::new(100);
        let (busy, _) = known.get_or_insert(&0);
        let first = known.get_or_insert(&1).0;
        for number in 2..10_000 {
            let _ = known.get_or_insert(&number);
            if number % 49 == 0 {
                assert!(Arc::ptr_eq(&busy, &known.get_or_insert(&0).0), "{number}");
            }
            assert!(known.len() <= 100);
        }
        assert!(!Arc::ptr_eq(&first, &known.get_or_insert(&1).0));
    }
}
