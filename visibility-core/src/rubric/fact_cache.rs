//! Facts: values that are derived once, when they are first asked for.

use std::any::Any;
use std::sync::{Arc, OnceLock};

/// The facts of one snapshot or page, one of each type.
///
/// What holds a cache does not name the types in it, so modules that define facts can be above it. It is a list that
/// only grows: a fact stays borrowed while another one is derived from it.
#[derive(Debug, Default)]
pub(crate) struct FactCache {
    first: OnceLock<Box<Entry>>,
}

#[derive(Debug)]
struct Entry {
    fact: Arc<dyn Any + Send + Sync>,
    next: OnceLock<Box<Self>>,
}

impl FactCache {
    /// The fact of this type, derived if there is none yet. Two threads that ask at the same time may both derive it;
    /// both get the one that was stored first.
    pub(crate) fn get_or_derive<T: Any + Send + Sync>(&self, derive: impl FnOnce() -> T) -> &T {
        if let Some(fact) = self.facts().find_map(|fact| fact.downcast_ref()) {
            return fact;
        }
        // Before an entry is initialized, as `derive` may ask this cache for other facts.
        let derived: Arc<dyn Any + Send + Sync> = Arc::new(derive());
        let mut place = &self.first;
        loop {
            let new_entry =
                || Box::new(Entry { fact: Arc::clone(&derived), next: OnceLock::new() });
            let entry = place.get_or_init(new_entry);
            if let Some(fact) = entry.fact.downcast_ref() {
                return fact;
            }
            place = &entry.next;
        }
    }

    fn facts(&self) -> impl Iterator<Item = &(dyn Any + Send + Sync)> {
        let entries = std::iter::successors(self.first.get(), |entry| entry.next.get());
        entries.map(|entry| entry.fact.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread;

    use super::*;

    #[derive(Debug, PartialEq)]
    struct Sum(u32);
    #[derive(Debug, PartialEq)]
    struct Double(u32);

    #[test]
    fn each_fact_is_derived_once_even_from_another_one() {
        let cache = FactCache::default();
        let derived = Cell::new(0);
        let sum = || {
            derived.set(derived.get() + 1);
            Sum(21)
        };
        let double = cache.get_or_derive(|| Double(cache.get_or_derive(sum).0 * 2));
        assert_eq!((double, cache.get_or_derive(sum)), (&Double(42), &Sum(21)));
        assert_eq!(derived.get(), 1);
        assert_eq!(cache.get_or_derive(|| Double(0)), &Double(42));
    }

    #[test]
    fn threads_get_the_same_facts() {
        let cache = FactCache::default();
        let (first, second) = thread::scope(|scope| {
            let ask = |seed: u32| {
                let cache = &cache;
                scope.spawn(move || {
                    (cache.get_or_derive(|| Sum(seed)), cache.get_or_derive(|| Double(seed)))
                })
            };
            let (one, other) = (ask(1), ask(2));
            (one.join().expect("no panic"), other.join().expect("no panic"))
        });
        assert!(std::ptr::eq(first.0, second.0) && std::ptr::eq(first.1, second.1));
    }
}
