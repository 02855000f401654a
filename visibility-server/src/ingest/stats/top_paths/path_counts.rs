//! The busiest paths of any number of rows, exactly and in bounded memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashTable;
use twox_hash::XxHash3_128;

use super::{Count, PathCount, PathOrder};

/// Paths that are held at a time: as many as a table of 2^20 places takes.
const MAX_PATHS: usize = (1 << 20) / 8 * 7;
/// Paths whose texts are looked up one by one. For more, all rows are read once more.
const MAX_LOOKED_UP: usize = 4_096;
/// The number of a row that is not known.
const UNKNOWN: u32 = u32::MAX;

/// Rows with a path and its counts, which can be read again and again, with the same numbers.
pub(super) trait PathRows {
    /// Why they cannot be read.
    type Error;

    /// At most so many rows.
    fn most_rows(&self) -> u64;

    /// Hands over all rows.
    fn for_each(&mut self, take: impl FnMut(PathRow<'_>)) -> Result<(), Self::Error>;

    /// The paths of some rows.
    fn paths(&mut self, rows: &[u32]) -> Result<Vec<String>, Self::Error>;
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathRow<'a> {
    /// Its number, unless it is too great.
    pub(super) number: u32,
    pub(super) path: &'a [u8],
    /// Whether it has the path of the row before it.
    pub(super) is_same_path: bool,
    pub(super) count: Count,
}

/// Finds so many of the busiest paths, the busiest first; of those that are as busy, the first by name.
///
/// `secret` is a random number that senders of paths do not know.
///
/// # Errors
///
/// When the rows cannot be read.
pub(super) fn busiest<R: PathRows>(
    rows: &mut R,
    most: usize,
    by: PathOrder,
    secret: u64,
) -> Result<Vec<PathCount>, R::Error> {
    let mut paths = PathTable::new(rows.most_rows(), secret);
    let mut busiest = Vec::new();
    loop {
        rows.for_each(|row| paths.add(row))?;
        paths.add_latest();
        let found = paths.busiest(rows, &busiest, most, by)?;
        busiest.extend(found);
        busiest.sort_by(|one: &PathCount, other| {
            let value = |path: &PathCount| Reverse(by.value(path.count));
            value(one).cmp(&value(other)).then_with(|| one.path.cmp(&other.path))
        });
        busiest.truncate(most);
        if !paths.next_pass() {
            return Ok(busiest);
        }
    }
}

/// Counts by path, in as many passes over the same rows as the memory makes necessary.
///
/// A path is known by 96 bits of a hash with the secret: among ten million paths, two have the same ones once in 10^15
/// questions.
///
/// A pass begins with all paths whose hash has not had its turn. When there is no room for another one, five eighths of
/// the hashes that are left, the greatest, wait for a later pass. So the counts are exact, however many paths there are.
#[derive(Debug)]
struct PathTable {
    secret: u64,
    /// The hashes of this pass.
    first: u64,
    last: u64,
    held: HashTable<HeldPath>,
    /// The path of the latest row, which is mostly that of the next row, too.
    latest: Option<HeldPath>,
    max_paths: usize,
}

/// A path and what it has come to.
#[derive(Clone, Copy, Debug)]
struct HeldPath {
    hash: u64,
    more_hash: u32,
    /// The number of a row that has it.
    row: u32,
    count: Count,
}

/// Which paths of a pass are among the busiest.
struct Threshold {
    /// Those that are busier than this.
    value: u64,
    /// And so many that are as busy, the first by name.
    ties: usize,
}

impl PathTable {
    fn new(rows: u64, secret: u64) -> Self {
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        Self {
            secret,
            first: 0,
            last: u64::MAX,
            // At its size from the start, it never needs more room to grow.
            held: HashTable::with_capacity(rows.min(MAX_PATHS)),
            latest: None,
            max_paths: MAX_PATHS,
        }
    }

    /// Adds the counts of a row to those of its path.
    fn add(&mut self, row: PathRow<'_>) {
        if row.is_same_path
            && let Some(latest) = &mut self.latest
        {
            latest.count.add(row.count.records, row.count.bytes);
            return;
        }
        self.add_latest();
        let (hash, more_hash) = self.hash(row.path);
        self.latest = Some(HeldPath { hash, more_hash, row: row.number, count: row.count });
    }

    fn hash(&self, path: &[u8]) -> (u64, u32) {
        let hash = XxHash3_128::oneshot_with_seed(self.secret, path);
        let more_hash = u32::try_from(hash & u128::from(u32::MAX)).unwrap_or_default();
        (u64::try_from(hash >> 64).unwrap_or_default(), more_hash)
    }

    /// Adds the path of the latest row to those that are held, unless another pass is for it.
    fn add_latest(&mut self) {
        let Some(path) = self.latest.take() else { return };
        if path.hash < self.first || path.hash > self.last {
            return;
        }
        if let Some(held) = self.find((path.hash, path.more_hash)) {
            held.count.add(path.count.records, path.count.bytes);
            return;
        }
        while self.is_full() && self.first < self.last {
            self.forget_some();
        }
        if path.hash <= self.last {
            self.held.insert_unique(path.hash, path, |held| held.hash);
        }
    }

    /// Whether another path would make the table grow.
    fn is_full(&self) -> bool {
        self.held.len() >= self.max_paths.min(self.held.capacity())
    }

    /// Leaves five eighths of the hashes to a later pass.
    fn forget_some(&mut self) {
        self.last -= (self.last - self.first) / 8 * 5 + 1;
        self.held.retain(|held| held.hash <= self.last);
        // What was taken out has left marks, which take room. To ask for at most half of the table makes it remove them
        // where it is, without a copy of the rest.
        let room = (self.max_paths / 2).saturating_sub(self.held.len());
        self.held.reserve(room, |held| held.hash);
    }

    fn find(&mut self, (hash, more_hash): (u64, u32)) -> Option<&mut HeldPath> {
        let is_it = |held: &HeldPath| held.hash == hash && held.more_hash == more_hash;
        self.held.find_mut(hash, is_it)
    }

    /// Those of the paths of this pass that are among the busiest of all until now, in any order.
    fn busiest<R: PathRows>(
        &mut self,
        rows: &mut R,
        before: &[PathCount],
        most: usize,
        by: PathOrder,
    ) -> Result<Vec<PathCount>, R::Error> {
        let Some(threshold) = self.threshold(before, most, by) else { return Ok(Vec::new()) };
        let wanted = self.held.iter().filter(|held| by.value(held.count) >= threshold.value);
        let wanted: Vec<HeldPath> = wanted.take(MAX_LOOKED_UP + 1).copied().collect();
        let is_known = wanted.iter().all(|held| held.row != UNKNOWN);
        if wanted.len() > MAX_LOOKED_UP || !is_known {
            return self.named_by_reading(rows, &threshold, by);
        }
        let numbers: Vec<u32> = wanted.iter().map(|held| held.row).collect();
        let paths = rows.paths(&numbers)?.into_iter().zip(wanted);
        Ok(paths.map(|(path, held)| PathCount { path, count: held.count }).collect())
    }

    fn threshold(&self, before: &[PathCount], most: usize, by: PathOrder) -> Option<Threshold> {
        if most == 0 {
            return None;
        }
        // The least of the greatest values is at the top.
        let mut greatest = BinaryHeap::new();
        let before = before.iter().map(|path| by.value(path.count));
        for value in self.held.iter().map(|held| by.value(held.count)).chain(before) {
            if greatest.len() < most {
                greatest.push(Reverse(value));
            } else if let Some(mut least) = greatest.peek_mut()
                && value > least.0
            {
                *least = Reverse(value);
            }
        }
        if greatest.len() < most {
            return Some(Threshold { value: 0, ties: most });
        }
        let Reverse(value) = *greatest.peek()?;
        let busier = greatest.iter().filter(|Reverse(other)| *other > value).count();
        Some(Threshold { value, ties: most - busier })
    }

    /// Reads all rows for the texts of the busiest: there are so many because many are as busy as the last one.
    fn named_by_reading<R: PathRows>(
        &mut self,
        rows: &mut R,
        threshold: &Threshold,
        by: PathOrder,
    ) -> Result<Vec<PathCount>, R::Error> {
        let mut named = Vec::new();
        // The last by name is at the top.
        let mut ties: BinaryHeap<(Vec<u8>, u64, u64)> = BinaryHeap::new();
        self.held.iter_mut().for_each(|held| held.row = 0);
        rows.for_each(|row| {
            let hash = self.hash(row.path);
            let Some(held) = self.find(hash).filter(|held| held.row != UNKNOWN) else { return };
            // Each path is looked at once.
            held.row = UNKNOWN;
            let Count { records, bytes } = held.count;
            let value = by.value(held.count);
            if value > threshold.value {
                let path = String::from_utf8_lossy(row.path).into_owned();
                named.push(PathCount { path, count: held.count });
                return;
            }
            let is_first = ties.len() < threshold.ties
                || ties.peek().is_some_and(|(last, ..)| row.path < last.as_slice());
            if value == threshold.value && is_first {
                ties.push((row.path.to_vec(), records, bytes));
                if ties.len() > threshold.ties {
                    ties.pop();
                }
            }
        })?;
        named.extend(ties.into_iter().map(|(path, records, bytes)| PathCount {
            path: String::from_utf8_lossy(&path).into_owned(),
            count: Count { records, bytes },
        }));
        Ok(named)
    }

    /// Begins the next pass, if there are paths for one.
    fn next_pass(&mut self) -> bool {
        let Some(first) = self.last.checked_add(1) else { return false };
        // Hashes are spread evenly: so many of them are likely to fill the table, less a thirty-second.
        let hashes = u128::from(self.last - self.first) + 1;
        let paths = self.held.len().max(1) as u128;
        let next = hashes * (self.max_paths as u128) / 32 * 31 / paths;
        self.first = first;
        self.last = first.saturating_add(u64::try_from(next).unwrap_or(u64::MAX));
        self.held.clear();
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    use super::*;

    struct FakeRows {
        all: Vec<(String, u64)>,
        passes: usize,
        looked_up: usize,
        has_numbers: bool,
    }

    impl PathRows for FakeRows {
        type Error = Infallible;

        fn most_rows(&self) -> u64 {
            self.all.len().try_into().unwrap()
        }

        fn for_each(&mut self, mut take: impl FnMut(PathRow<'_>)) -> Result<(), Infallible> {
            self.passes += 1;
            let mut before = None;
            for ((path, records), number) in self.all.iter().zip(0..) {
                take(PathRow {
                    number: if self.has_numbers { number } else { UNKNOWN },
                    path: path.as_bytes(),
                    is_same_path: before == Some(path),
                    count: Count { records: *records, bytes: 1_000 - *records },
                });
                before = Some(path);
            }
            Ok(())
        }

        fn paths(&mut self, rows: &[u32]) -> Result<Vec<String>, Infallible> {
            self.looked_up += rows.len();
            Ok(rows.iter().map(|row| self.all[*row as usize].0.clone()).collect())
        }
    }

    fn rows(rows: Vec<(String, u64)>) -> FakeRows {
        FakeRows { all: rows, passes: 0, looked_up: 0, has_numbers: true }
    }

    fn some_rows() -> Vec<(String, u64)> {
        let row = |number: u64| (format!("/{}", number / 2 * 7_919 % 3_001), number % 13 + 1);
        (0..20_000).map(row).collect()
    }

    /// The answer, by a map of everything.
    fn expected(rows: &[(String, u64)], most: usize, by: PathOrder) -> Vec<PathCount> {
        let mut sums: BTreeMap<&str, Count> = BTreeMap::new();
        for (path, records) in rows {
            sums.entry(path).or_default().add(*records, 1_000 - records);
        }
        let path = |(path, count): (&str, Count)| PathCount { path: path.to_owned(), count };
        let mut paths: Vec<PathCount> = sums.into_iter().map(path).collect();
        paths.sort_by_key(|path| (Reverse(by.value(path.count)), path.path.clone()));
        paths.truncate(most);
        paths
    }

    /// Those of [`busiest`] with room for so many paths.
    fn found(rows: &mut FakeRows, most: usize, by: PathOrder, max_paths: usize) -> Vec<PathCount> {
        let mut paths = PathTable::new(rows.most_rows(), 7);
        paths.max_paths = max_paths;
        let mut busiest = Vec::new();
        loop {
            rows.for_each(|row| paths.add(row)).unwrap();
            paths.add_latest();
            assert!(paths.held.len() <= max_paths);
            busiest.extend(paths.busiest(rows, &busiest, most, by).unwrap());
            busiest.sort_by_key(|path| (Reverse(by.value(path.count)), path.path.clone()));
            busiest.truncate(most);
            if !paths.next_pass() {
                return busiest;
            }
        }
    }

    #[test]
    fn counts_are_exact_with_any_memory() {
        let all = some_rows();
        for by in [PathOrder::Records, PathOrder::Bytes] {
            for most in [0, 1, 10, 1_000, 5_000] {
                let expected = expected(&all, most, by);
                let mut enough = rows(all.clone());
                assert_eq!(busiest(&mut enough, most, by, 7).unwrap(), expected, "{most}");
                assert_eq!(enough.passes, 1, "{most}");
                for max_paths in [3_001, 3_000, 500, 40] {
                    let mut rows = rows(all.clone());
                    assert_eq!(found(&mut rows, most, by, max_paths), expected, "{most}");
                    assert_eq!(rows.passes == 1, max_paths > 3_000, "{}", rows.passes);
                }
                let mut unnumbered = rows(all.clone());
                unnumbered.has_numbers = false;
                assert_eq!(busiest(&mut unnumbered, most, by, 7).unwrap(), expected, "{most}");
                assert_eq!(unnumbered.looked_up, 0);
            }
        }
    }

    #[test]
    fn of_many_that_are_as_busy_the_first_by_name_are_listed() {
        let all: Vec<_> =
            (0..30_000_u64).map(|number| (format!("/{number:05}"), 1)).rev().collect();
        let mut rows = rows(all.clone());
        let by = PathOrder::Records;
        assert_eq!(busiest(&mut rows, 20, by, 7).unwrap(), expected(&all, 20, by));
        // The texts of all were not kept: the rows were read once more.
        assert_eq!((rows.passes, rows.looked_up), (2, 0));
    }

    #[test]
    fn the_table_does_not_grow() {
        let mut paths = PathTable::new(0, 7);
        paths.held = HashTable::with_capacity(448);
        paths.max_paths = paths.held.capacity();
        for number in 0..50_000 {
            let path = format!("/{number}");
            let count = Count { records: 1, bytes: 1 };
            paths.add(PathRow { number, path: path.as_bytes(), is_same_path: false, count });
        }
        assert!(paths.last < u64::MAX);
        assert_eq!(paths.held.capacity(), paths.max_paths);
    }

    #[test]
    fn no_rows_have_no_paths() {
        assert_eq!(busiest(&mut rows(Vec::new()), 10, PathOrder::Records, 7).unwrap(), []);
    }
}
