//! Results in memory, by weight.

use chrono::{DateTime, Utc};
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use visibility_core::text::locale::Lang;

use super::{Coding, Form, Kept, Packed};

/// Octets that an entry takes beside its body.
const OVERHEAD: usize = 256;
/// Octets of a usual result, for the size of the index.
const USUAL_BYTES: u64 = 48 * 1024;
/// The same as gzip.
const USUAL_PACKED_BYTES: u64 = 8 * 1024;

/// Results in memory, by name and language.
///
/// A quarter is for what is asked for most, ready to be sent. The rest is for what is packed, of which
/// there is room for many times as much.
#[derive(Debug)]
pub(crate) struct Memory {
    plain: Part,
    packed: Part,
}

type Part = Cache<Key, Kept, Octets>;

#[derive(Debug, Eq, Hash, PartialEq)]
struct Key {
    name: Box<str>,
    is_turkish: bool,
}

#[derive(Hash)]
struct KeyRef<'a> {
    name: &'a str,
    is_turkish: bool,
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.is_turkish == key.is_turkish && *self.name == *key.name
    }
}

#[derive(Clone, Debug)]
struct Octets;

impl Weighter<Key, Kept> for Octets {
    fn weight(&self, key: &Key, kept: &Kept) -> u64 {
        u64::try_from(key.name.len() + kept.body.len() + OVERHEAD).unwrap_or(u64::MAX)
    }
}

impl Memory {
    /// A memory of so many octets.
    pub(crate) fn new(octets: u64) -> Self {
        let part = |octets: u64, usual| {
            let entries = usize::try_from(octets / usual).unwrap_or(usize::MAX);
            Part::with_weighter(entries, octets, Octets)
        };
        Self {
            plain: part(octets / 4, USUAL_BYTES),
            packed: part(octets - octets / 4, USUAL_PACKED_BYTES),
        }
    }

    /// The result of a name in a form, if it is there and fresh.
    pub(crate) fn find(&self, name: &str, form: Form, now: DateTime<Utc>) -> Option<Kept> {
        let find = |form| self.get(name, form).filter(|kept| kept.is_fresh(now));
        find(form).or_else(|| match form.coding {
            Coding::Gzip => None,
            Coding::Identity => self.unpack(name, form, &find(form.packed())?),
        })
    }

    /// The result of a name in both languages, if it is there and fresh.
    pub(crate) fn packed(&self, name: &str, now: DateTime<Utc>) -> Option<Packed> {
        let of = |lang| self.find(name, Form { lang, coding: Coding::Gzip }, now);
        Some(Packed { en: of(Lang::En)?, tr: of(Lang::Tr)? })
    }

    /// Keeps a result in one language, if there is room, and gives it in a form.
    pub(crate) fn take_in(&self, name: &str, form: Form, packed: Kept) -> Option<Kept> {
        self.insert(name, form.packed(), packed.clone());
        match form.coding {
            Coding::Gzip => Some(packed),
            Coding::Identity => self.unpack(name, form, &packed),
        }
    }

    /// Keeps a new result, if there is room. What was unpacked of the one before goes.
    pub(crate) fn keep(&self, name: &str, packed: &Packed) {
        for (lang, kept) in [(Lang::En, &packed.en), (Lang::Tr, &packed.tr)] {
            self.insert(name, Form { lang, coding: Coding::Gzip }, kept.clone());
            self.plain.remove(&KeyRef { name, is_turkish: lang == Lang::Tr });
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.plain.clear();
        self.packed.clear();
    }

    fn unpack(&self, name: &str, form: Form, packed: &Kept) -> Option<Kept> {
        let kept = packed.unpack()?;
        self.insert(name, form, kept.clone());
        Some(kept)
    }

    fn get(&self, name: &str, form: Form) -> Option<Kept> {
        self.part(form).get(&KeyRef { name, is_turkish: form.lang == Lang::Tr })
    }

    fn insert(&self, name: &str, form: Form, kept: Kept) {
        let key = Key { name: name.into(), is_turkish: form.lang == Lang::Tr };
        self.part(form).insert(key, kept);
    }

    fn part(&self, form: Form) -> &Part {
        match form.coding {
            Coding::Identity => &self.plain,
            Coding::Gzip => &self.packed,
        }
    }
}
