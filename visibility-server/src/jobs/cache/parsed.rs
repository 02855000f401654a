//! A cache of parsed results, for callers that need the values and not the bytes.

use std::fmt;
use std::sync::Arc;

use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use serde::de::DeserializeOwned;
use visibility_core::text::locale::Lang;

use super::{CachedBody, gunzip};

/// Bytes that a result takes beside its texts, for each byte of its JSON.
const WEIGHT: usize = 2;
/// Bytes of JSON of a usual result, for the size of the index.
const USUAL_BYTES: u64 = 48 * 1024;

/// Results in memory, by tag and language: read once, and shared by all who ask.
#[derive(Debug)]
pub(crate) struct ParsedCache<T>(Cache<Key, Entry<T>, ByteWeighter>);

#[derive(Debug, Eq, Hash, PartialEq)]
struct Key {
    tag: Arc<str>,
    is_turkish: bool,
}

#[derive(Hash)]
struct KeyRef<'a> {
    tag: &'a str,
    is_turkish: bool,
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.is_turkish == key.is_turkish && *self.tag == *key.tag
    }
}

struct Entry<T> {
    result: Arc<T>,
    /// Bytes of the JSON that it was.
    bytes: usize,
}

impl<T> Clone for Entry<T> {
    fn clone(&self) -> Self {
        Self { result: Arc::clone(&self.result), bytes: self.bytes }
    }
}

impl<T> fmt::Debug for Entry<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Entry").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

#[derive(Clone, Debug)]
struct ByteWeighter;

impl<T> Weighter<Key, Entry<T>> for ByteWeighter {
    fn weight(&self, key: &Key, entry: &Entry<T>) -> u64 {
        let bytes = entry.bytes.saturating_mul(WEIGHT).saturating_add(key.tag.len());
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl<T: DeserializeOwned> ParsedCache<T> {
    /// A memory of so many bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        let entries = usize::try_from(bytes / USUAL_BYTES).unwrap_or(usize::MAX);
        Self(Cache::with_weighter(entries.max(1), bytes, ByteWeighter))
    }

    /// What a packed result says; none if it is not what we have kept, which the log tells.
    pub(crate) fn read(&self, compressed: &CachedBody, lang: Lang) -> Option<Arc<T>> {
        let is_turkish = lang == Lang::Tr;
        if let Some(entry) = self.0.get(&KeyRef { tag: &compressed.tag, is_turkish }) {
            return Some(entry.result);
        }
        let read = gunzip(&compressed.body).and_then(|body| Ok((parse(&body)?, body.len())));
        match read {
            Ok((result, bytes)) => {
                let key = Key { tag: Arc::clone(&compressed.tag), is_turkish };
                self.0.insert(key, Entry { result: Arc::clone(&result), bytes });
                Some(result)
            }
            Err(error) => {
                tracing::error!(%error, "cannot read a stored result");
                None
            }
        }
    }
}

/// What the JSON of a result says.
///
/// # Errors
///
/// When it cannot be parsed.
pub(crate) fn parse<T: DeserializeOwned>(json: &[u8]) -> std::io::Result<Arc<T>> {
    Ok(Arc::new(serde_json::from_slice(json)?))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use flate2::Compression;

    use super::*;
    use crate::http::validators::gzip;

    fn kept(tag: &str, json: &str) -> CachedBody {
        CachedBody {
            taken_at: DateTime::UNIX_EPOCH,
            expires_at: DateTime::UNIX_EPOCH,
            tag: tag.into(),
            body: gzip(json.as_bytes(), Compression::default()).unwrap(),
        }
    }

    #[test]
    fn a_result_is_read_once_for_each_tag_and_language() {
        let parsed: ParsedCache<Vec<u32>> = ParsedCache::new(1 << 20);
        let first = parsed.read(&kept("a", "[1]"), Lang::En).unwrap();
        assert_eq!(*first, [1]);
        let same = parsed.read(&kept("a", "[2]"), Lang::En).unwrap();
        assert!(Arc::ptr_eq(&first, &same), "the tag says that it is the same");
        assert_eq!(*parsed.read(&kept("a", "[2]"), Lang::Tr).unwrap(), [2]);
        assert_eq!(*parsed.read(&kept("b", "[3]"), Lang::En).unwrap(), [3]);
    }

    #[test]
    fn what_is_read_takes_no_more_than_its_bytes() {
        let parsed: ParsedCache<String> = ParsedCache::new(100_000);
        for number in 0..1000 {
            let json = format!("\"{}\"", "a".repeat(1000));
            assert!(parsed.read(&kept(&number.to_string(), &json), Lang::En).is_some());
        }
        assert!(parsed.0.weight() <= 100_000, "{}", parsed.0.weight());
        assert!(parsed.0.len() > 10, "{}", parsed.0.len());
    }

    #[test]
    fn what_is_no_result_is_none() {
        let parsed: ParsedCache<Vec<u32>> = ParsedCache::new(1 << 20);
        assert!(parsed.read(&kept("a", "{}"), Lang::En).is_none());
    }
}
