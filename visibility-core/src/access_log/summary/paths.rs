//! Counts by path, up to a bound.

use std::collections::HashMap;

use crate::traffic::{PathKind, ResponseClass};

/// Paths that are counted one by one.
const MAX_PATHS: usize = 100_000;
/// Bytes of their texts.
const MAX_TEXT_BYTES: usize = 12 * 1024 * 1024;

/// A path without its query.
pub(super) fn without_query(target: &str) -> &str {
    target.split(['?', '#']).next().unwrap_or_default()
}

/// What agents asked of a path.
#[derive(Clone, Debug)]
pub(super) struct PathCounts {
    pub(super) kind: PathKind,
    /// Requests by purpose, in the order of [`crate::agents::Purpose`].
    pub(super) by_purpose: [u32; 4],
    /// Requests by class, in the order of [`ResponseClass`].
    pub(super) by_class: [u32; 6],
    /// The agents that have asked for it, as bits by their number in the registry.
    pub(super) asked_by: u128,
    /// Those that got it.
    pub(super) read_by: u128,
}

impl PathCounts {
    pub(super) fn requests(&self) -> u64 {
        self.by_purpose.iter().map(|count| u64::from(*count)).sum()
    }

    pub(super) fn class(&self, class: ResponseClass) -> u64 {
        self.by_class.get(class as usize).copied().unwrap_or_default().into()
    }
}

/// The bit of an agent.
pub(super) fn bit(agent_index: u16) -> u128 {
    1_u128.checked_shl(agent_index.into()).unwrap_or_default()
}

/// A table of texts that stops growing.
#[derive(Debug)]
pub(super) struct BoundedTable<V> {
    places: HashMap<Box<str>, usize, foldhash::fast::RandomState>,
    rows: Vec<V>,
    max_rows: usize,
    bytes: usize,
    max_bytes: usize,
}

impl<V> BoundedTable<V> {
    pub(super) fn new(max_rows: usize, max_bytes: usize) -> Self {
        Self { places: HashMap::default(), rows: Vec::new(), max_rows, bytes: 0, max_bytes }
    }

    /// The row of a text, which is made if there is none yet; `None` if there is no room for it.
    pub(super) fn row(&mut self, text: &str, make: impl FnOnce() -> V) -> Option<&mut V> {
        let place = self.place(text, make)?;
        self.rows.get_mut(place)
    }

    /// Where that row is: at the same place for ever.
    pub(super) fn place(&mut self, text: &str, make: impl FnOnce() -> V) -> Option<usize> {
        if let Some(place) = self.places.get(text) {
            return Some(*place);
        }
        if self.rows.len() >= self.max_rows || self.bytes + text.len() > self.max_bytes {
            return None;
        }
        self.bytes += text.len();
        self.places.insert(text.into(), self.rows.len());
        self.rows.push(make());
        Some(self.rows.len() - 1)
    }

    /// The row at a place.
    pub(super) fn at(&mut self, place: usize) -> Option<&mut V> {
        self.rows.get_mut(place)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.places.iter().filter_map(|(text, place)| Some((&**text, self.rows.get(*place)?)))
    }

    pub(super) fn contains(&self, text: &str) -> bool {
        self.places.contains_key(text)
    }
}

/// Paths that agents asked for, with their hosts before them.
pub(super) fn agent_paths<V>() -> BoundedTable<V> {
    BoundedTable::new(MAX_PATHS, MAX_TEXT_BYTES)
}

/// Paths that someone got, so that a missing one has a neighbour.
pub(super) fn served_paths() -> BoundedTable<PathKind> {
    BoundedTable::new(MAX_PATHS, MAX_TEXT_BYTES)
}

/// A host and a path, from a text that has both.
pub(super) fn split(text: &str) -> (&str, &str) {
    text.find('/').and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_stops_growing_and_goes_on_counting() {
        let mut table = BoundedTable::new(2, 100);
        for text in ["a", "b", "c", "a", "c"] {
            if let Some(count) = table.row(text, || 0) {
                *count += 1;
            }
        }
        let mut rows: Vec<_> = table.iter().map(|(text, count)| (text, *count)).collect();
        rows.sort_unstable();
        assert_eq!(rows, [("a", 2), ("b", 1)]);
        let mut table: BoundedTable<()> = BoundedTable::new(10, 3);
        assert!(table.row("ab", || ()).is_some() && table.row("cd", || ()).is_none());
        assert!(table.contains("ab") && !table.contains("cd"));
    }

    #[test]
    fn a_text_has_a_host_and_a_path() {
        assert_eq!(split("a.example/b/c"), ("a.example", "/b/c"));
        assert_eq!(split("/b"), ("", "/b"));
        assert_eq!(without_query("/a?b#c"), "/a");
        assert_eq!((bit(0), bit(3), bit(200)), (1, 8, 0));
    }

    #[test]
    fn every_agent_has_a_bit() {
        assert!(crate::agents::Registry::embedded().agents.len() <= 128);
    }
}
