//! The pages of sitemaps, and which agents have read them.

use std::collections::{BTreeMap, HashMap};

use url::Url;

use super::paths::{bit, split, without_query};
use crate::documents::robots::comparable_path;
use crate::documents::sitemap::Sitemap;
use crate::traffic::ResponseClass;

/// Pages that are compared.
const MAX_PAGES: usize = 200_000;
/// Bytes of their hosts and paths.
const MAX_PAGE_BYTES: usize = 32 * 1024 * 1024;

/// The pages of sitemaps, without those that differ only in a query.
#[derive(Clone, Debug, Default)]
pub struct SitemapPages {
    /// Hosts and paths in the order of the sitemaps, as they are written there and as they are compared.
    pages: Vec<SitemapPage>,
    places: HashMap<Box<str>, usize, foldhash::fast::RandomState>,
    bytes: usize,
    /// Pages by host.
    hosts: BTreeMap<String, u64>,
    with_query: u64,
    without_room: u64,
    not_addresses: u64,
}

/// A page of a sitemap and who asked for it.
#[derive(Clone, Debug)]
pub(super) struct SitemapPage {
    /// Its host and its path.
    pub(super) text: Box<str>,
    /// Requests of agents that did not get it.
    pub(super) unserved_requests: u64,
    /// The last response to those.
    pub(super) last_status: Option<u16>,
    /// The agents that got it, as bits by their number in the registry.
    pub(super) read_by: u128,
}

/// A host and a path as they are compared.
fn key(host: &str, path: &str) -> String {
    format!("{host}{}", comparable_path(path))
}

impl SitemapPages {
    /// Adds the entries of a sitemap.
    pub fn add(&mut self, sitemap: &Sitemap) {
        for entry in &sitemap.entries {
            self.add_address(&entry.loc);
        }
    }

    /// Those of one host, or all; with the same counts of what is not compared.
    pub(super) fn of_host(&self, host: Option<&str>) -> Self {
        let mut pages = Self {
            hosts: self.hosts.clone(),
            with_query: self.with_query,
            without_room: self.without_room,
            not_addresses: self.not_addresses,
            ..Self::default()
        };
        let is_wanted = |text: &str| host.is_none_or(|host| split(text).0 == host);
        for page in self.pages.iter().filter(|page| is_wanted(&page.text)) {
            let (host, path) = split(&page.text);
            pages.places.insert(key(host, path).into(), pages.pages.len());
            pages.pages.push(page.clone());
        }
        pages
    }

    fn add_address(&mut self, address: &str) {
        let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some((url, host)) = url.as_ref().and_then(|url| Some((url, url.host_str()?))) else {
            self.not_addresses += 1;
            return;
        };
        if url.query().is_some() {
            self.with_query += 1;
            return;
        }
        let host = host.trim_end_matches('.');
        let key = key(host, url.path());
        if self.places.contains_key(key.as_str()) {
            return;
        }
        // The text is there twice: to be found, and to be shown.
        let bytes = 2 * key.len();
        if self.pages.len() >= MAX_PAGES || self.bytes + bytes > MAX_PAGE_BYTES {
            self.without_room += 1;
            return;
        }
        self.bytes += bytes;
        *self.hosts.entry(host.to_owned()).or_default() += 1;
        self.places.insert(key.into(), self.pages.len());
        self.pages.push(SitemapPage {
            text: format!("{host}{}", url.path()).into(),
            unserved_requests: 0,
            last_status: None,
            read_by: 0,
        });
    }

    /// Pages that are compared.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is nothing to compare.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Pages by host.
    pub(super) fn hosts(&self) -> &BTreeMap<String, u64> {
        &self.hosts
    }

    /// The host of most pages: that of logs that do not say one.
    pub(super) fn main_host(&self) -> Option<&str> {
        let most = self.hosts.iter().rev().max_by_key(|(_, count)| **count);
        most.map(|(host, _)| host.as_str())
    }

    /// Entries whose address has a query.
    pub(super) fn with_query(&self) -> u64 {
        self.with_query
    }

    /// Entries after the last one that there was room for.
    pub(super) fn without_room(&self) -> u64 {
        self.without_room
    }

    /// Entries that are no `http(s)` addresses.
    pub(super) fn not_addresses(&self) -> u64 {
        self.not_addresses
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &SitemapPage> {
        self.pages.iter()
    }
}

/// Pages of sitemaps at one site while its log is read.
#[derive(Debug)]
pub(super) struct SitemapReads {
    pub(super) pages: SitemapPages,
    key: String,
}

impl SitemapReads {
    pub(super) fn new(pages: SitemapPages) -> Self {
        Self { pages, key: String::new() }
    }

    /// Counts the request of an agent for a host and a target.
    pub(super) fn record(&mut self, host: &str, target: &str, agent: u16, status: u16) {
        let host = if host.is_empty() { self.pages.main_host().unwrap_or_default() } else { host };
        self.key.clear();
        self.key.push_str(host);
        self.key.push_str(&comparable_path(without_query(target)));
        let Some(page) = self.place().and_then(|place| self.pages.pages.get_mut(place)) else {
            return;
        };
        if ResponseClass::of(status) == ResponseClass::Served {
            page.read_by |= bit(agent);
        } else {
            page.unserved_requests += 1;
            page.last_status = Some(status);
        }
    }

    /// The page of the key; servers often give the same one with a slash at its end and without.
    fn place(&mut self) -> Option<usize> {
        if let Some(place) = self.pages.places.get(self.key.as_str()) {
            return Some(*place);
        }
        let (_, path) = split(&self.key);
        if path.len() <= 1 {
            return None;
        }
        if self.key.ends_with('/') {
            self.key.pop();
        } else {
            self.key.push('/');
        }
        self.pages.places.get(self.key.as_str()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(addresses: &[&str]) -> SitemapPages {
        let mut pages = SitemapPages::default();
        let sitemap = Sitemap::parse(addresses.join("\n").as_bytes(), false).unwrap();
        pages.add(&sitemap);
        pages
    }

    fn read_by(pages: &[&str], host: &str, target: &str) -> Vec<String> {
        let mut reads = SitemapReads::new(self::pages(pages));
        reads.record(host, target, 3, 200);
        let read = reads.pages.iter().filter(|page| page.read_by == 8);
        read.map(|page| page.text.to_string()).collect()
    }

    #[test]
    fn a_page_is_known_by_its_host_and_its_path() {
        let pages = ["https://a.example/caf%C3%A9", "https://a.example/b", "http://b.example/b/"];
        for (host, target, read) in [
            ("a.example", "/caf%c3%a9?x=1", vec!["a.example/caf%C3%A9"]),
            ("a.example", "/café", vec!["a.example/caf%C3%A9"]),
            ("a.example", "/%62", vec!["a.example/b"]),
            ("a.example", "/b/", vec!["a.example/b"]),
            ("b.example", "/b", vec!["b.example/b/"]),
            ("", "/b", vec!["a.example/b"]),
            ("c.example", "/b", vec![]),
            ("a.example", "/", vec![]),
            ("a.example", "/b//", vec![]),
        ] {
            assert_eq!(read_by(&pages, host, target), read, "{host} {target}");
        }
    }

    #[test]
    fn a_page_with_and_without_a_slash_may_be_two() {
        let pages = ["https://a.example/b", "https://a.example/b/"];
        assert_eq!(read_by(&pages, "a.example", "/b"), ["a.example/b"]);
        assert_eq!(read_by(&pages, "a.example", "/b/"), ["a.example/b/"]);
    }

    #[test]
    fn what_is_not_compared_is_counted() {
        let pages = pages(&[
            "https://a.example/",
            "https://A.example/#top",
            "https://a.example",
            "https://a.example/?id=1",
            "https://a.example:99999/",
        ]);
        assert_eq!((pages.len(), pages.is_empty()), (1, false));
        assert_eq!((pages.with_query(), pages.not_addresses(), pages.without_room()), (1, 1, 0));
        assert_eq!(pages.main_host(), Some("a.example"));
    }

    #[test]
    fn what_an_agent_did_not_get_is_not_read() {
        let mut reads = SitemapReads::new(pages(&["https://a.example/b"]));
        for status in [404, 403] {
            reads.record("a.example", "/b", 3, status);
        }
        let page = reads.pages.iter().next().unwrap();
        assert_eq!((page.unserved_requests, page.last_status, page.read_by), (2, Some(403), 0));
    }
}
