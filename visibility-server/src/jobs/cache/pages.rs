//! Pages that are the same for everyone, as they were rendered last.

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Bytes of all pages.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Bytes of a usual page, for the size of the index.
const USUAL_BYTES: u64 = 64 * 1024;

/// Rendered pages, by what their content is known by.
#[derive(Debug)]
pub(crate) struct RenderedPages(Cache<Box<str>, Bytes, PageWeighter>);

#[derive(Clone, Debug)]
struct PageWeighter;

impl Weighter<Box<str>, Bytes> for PageWeighter {
    fn weight(&self, key: &Box<str>, page: &Bytes) -> u64 {
        u64::try_from(key.len() + page.len()).unwrap_or(u64::MAX)
    }
}

impl Default for RenderedPages {
    fn default() -> Self {
        let entries = usize::try_from(MAX_BYTES / USUAL_BYTES).unwrap_or(usize::MAX);
        Self(Cache::with_weighter(entries, MAX_BYTES, PageWeighter))
    }
}

impl RenderedPages {
    /// A page that was rendered.
    pub(crate) fn get(&self, key: &str) -> Option<Bytes> {
        self.0.get(key)
    }

    /// Keeps a page.
    pub(crate) fn insert(&self, key: &str, page: Bytes) {
        self.0.insert(key.into(), page);
    }
}
