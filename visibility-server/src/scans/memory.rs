//! Results in memory, by weight.

use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use visibility_core::locale::Lang;

use super::kept::{Coding, Form, Kept};

/// Octets that an entry takes beside its body.
const OVERHEAD: usize = 256;
/// Octets of a usual result, for the size of the index.
const USUAL_BYTES: u64 = 48 * 1024;
/// The same as gzip.
const USUAL_PACKED_BYTES: u64 = 8 * 1024;

/// Results in memory.
///
/// A quarter is for what is asked for most, ready to be sent. The rest is for what is packed, of which
/// there is room for many times as much.
#[derive(Debug)]
pub(super) struct Memory {
    plain: Part,
    packed: Part,
}

type Part = Cache<Key, Kept, Octets>;

#[derive(Debug, Eq, Hash, PartialEq)]
struct Key {
    domain: Box<str>,
    is_turkish: bool,
}

#[derive(Hash)]
struct KeyRef<'a> {
    domain: &'a str,
    is_turkish: bool,
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.is_turkish == key.is_turkish && *self.domain == *key.domain
    }
}

#[derive(Clone, Debug)]
struct Octets;

impl Weighter<Key, Kept> for Octets {
    fn weight(&self, key: &Key, kept: &Kept) -> u64 {
        u64::try_from(key.domain.len() + kept.body.len() + OVERHEAD).unwrap_or(u64::MAX)
    }
}

impl Memory {
    /// A memory of so many octets.
    pub(super) fn new(octets: u64) -> Self {
        let part = |octets: u64, usual| {
            let entries = usize::try_from(octets / usual).unwrap_or(usize::MAX);
            Part::with_weighter(entries, octets, Octets)
        };
        Self {
            plain: part(octets / 4, USUAL_BYTES),
            packed: part(octets - octets / 4, USUAL_PACKED_BYTES),
        }
    }

    /// The result of a domain in a form, if it is there.
    pub(super) fn find(&self, domain: &str, form: Form) -> Option<Kept> {
        self.part(form).get(&KeyRef { domain, is_turkish: form.lang == Lang::Tr })
    }

    /// Keeps a result, if there is room.
    pub(super) fn keep(&self, domain: &str, form: Form, kept: Kept) {
        let key = Key { domain: domain.into(), is_turkish: form.lang == Lang::Tr };
        self.part(form).insert(key, kept);
    }

    /// Forgets the result of a domain in a form.
    pub(super) fn forget(&self, domain: &str, form: Form) {
        self.part(form).remove(&KeyRef { domain, is_turkish: form.lang == Lang::Tr });
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        self.plain.clear();
        self.packed.clear();
    }

    fn part(&self, form: Form) -> &Part {
        match form.coding {
            Coding::Identity => &self.plain,
            Coding::Gzip => &self.packed,
        }
    }
}
