//! An in-memory cache that is limited by the size of its results.

use chrono::{DateTime, Utc};
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use visibility_core::text::locale::Lang;

use super::{CachedBody, CachedResult, Coding, Representation};

/// Bytes that an entry takes beside its body.
const OVERHEAD: usize = 256;
/// Bytes of a usual result, for the size of the index.
const USUAL_BYTES: u64 = 48 * 1024;
/// The same as gzip.
const USUAL_PACKED_BYTES: u64 = 8 * 1024;

/// Results in memory, by name and language.
///
/// A quarter is for what is asked for most, ready to be sent. The rest is for what is packed, of which
/// there is room for many times as much.
#[derive(Debug)]
pub(crate) struct MemoryCache {
    plain: CachePart,
    compressed: CachePart,
}

type CachePart = Cache<Key, CachedBody, ByteWeighter>;

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
struct ByteWeighter;

impl Weighter<Key, CachedBody> for ByteWeighter {
    fn weight(&self, key: &Key, cached: &CachedBody) -> u64 {
        u64::try_from(key.name.len() + cached.body.len() + OVERHEAD).unwrap_or(u64::MAX)
    }
}

impl MemoryCache {
    /// A memory of so many bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        let part = |bytes: u64, usual| {
            let entries = usize::try_from(bytes / usual).unwrap_or(usize::MAX);
            CachePart::with_weighter(entries, bytes, ByteWeighter)
        };
        Self {
            plain: part(bytes / 4, USUAL_BYTES),
            compressed: part(bytes - bytes / 4, USUAL_PACKED_BYTES),
        }
    }

    /// The result of a name in a form, if it is there and fresh.
    pub(crate) fn find(
        &self,
        name: &str,
        representation: Representation,
        now: DateTime<Utc>,
    ) -> Option<CachedBody> {
        let find =
            |representation| self.get(name, representation).filter(|cached| cached.is_fresh(now));
        find(representation).or_else(|| match representation.coding {
            Coding::Gzip => None,
            Coding::Identity => {
                self.decompress(name, representation, &find(representation.gzip())?)
            }
        })
    }

    /// The result of a name in both languages, if it is there and fresh.
    pub(crate) fn find_all_languages(
        &self,
        name: &str,
        now: DateTime<Utc>,
    ) -> Option<CachedResult> {
        let of = |lang| self.find(name, Representation { lang, coding: Coding::Gzip }, now);
        Some(CachedResult { en: of(Lang::En)?, tr: of(Lang::Tr)? })
    }

    /// Keeps a result in one language, if there is room, and gives it in a form.
    pub(crate) fn insert_one(
        &self,
        name: &str,
        representation: Representation,
        compressed: CachedBody,
    ) -> Option<CachedBody> {
        self.insert(name, representation.gzip(), compressed.clone());
        match representation.coding {
            Coding::Gzip => Some(compressed),
            Coding::Identity => self.decompress(name, representation, &compressed),
        }
    }

    /// Keeps a new result, if there is room. What was unpacked of the one before goes.
    pub(crate) fn insert_all_languages(&self, name: &str, compressed: &CachedResult) {
        for (lang, cached) in [(Lang::En, &compressed.en), (Lang::Tr, &compressed.tr)] {
            self.insert(name, Representation { lang, coding: Coding::Gzip }, cached.clone());
            self.plain.remove(&KeyRef { name, is_turkish: lang == Lang::Tr });
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.plain.clear();
        self.compressed.clear();
    }

    fn decompress(
        &self,
        name: &str,
        representation: Representation,
        compressed: &CachedBody,
    ) -> Option<CachedBody> {
        let cached = compressed.decompress()?;
        self.insert(name, representation, cached.clone());
        Some(cached)
    }

    fn get(&self, name: &str, representation: Representation) -> Option<CachedBody> {
        self.part(representation).get(&KeyRef { name, is_turkish: representation.lang == Lang::Tr })
    }

    fn insert(&self, name: &str, representation: Representation, cached: CachedBody) {
        let key = Key { name: name.into(), is_turkish: representation.lang == Lang::Tr };
        self.part(representation).insert(key, cached);
    }

    fn part(&self, representation: Representation) -> &CachePart {
        match representation.coding {
            Coding::Identity => &self.plain,
            Coding::Gzip => &self.compressed,
        }
    }
}
