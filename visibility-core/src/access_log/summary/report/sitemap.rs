//! Which pages of the sitemaps agents have read, and which they have not.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::super::paths::{bit, split};
use super::super::site::SiteCounts;
use super::super::sitemap_pages::SitemapPage;
use super::{folder_of, top};
use crate::agents::{Purpose, Registry};

/// The purposes for which a page should be read.
const WANTED: [Purpose; 3] = [Purpose::User, Purpose::Search, Purpose::Training];

/// The pages of sitemaps and who has read them.
#[derive(Clone, Debug, Serialize)]
pub struct SitemapComparison {
    /// Pages that were compared: those of hosts that are in the log.
    pub pages: u64,
    /// Those that some agent has read.
    pub read: u64,
    /// Those that an agent of each purpose has read.
    pub purposes: BTreeMap<Purpose, u64>,
    /// The same by the first folder of their paths, those of most pages first.
    pub folders: Vec<SitemapFolder>,
    /// Pages that no agent of at least one purpose has read: those that none has read first, each in the order of the
    /// sitemap.
    pub unread: Vec<UnreadPage>,
    /// Pages of other hosts.
    pub other_host_pages: u64,
    /// The same by host, most pages first.
    pub other_hosts: Vec<(String, u64)>,
    /// Entries that were not compared because their address has a query.
    pub with_query: u64,
    /// Entries that are no `http` or `https` addresses.
    pub not_addresses: u64,
    /// Entries that there was no room for.
    pub without_room: u64,
}

/// The pages of one folder.
#[derive(Clone, Debug, Serialize)]
pub struct SitemapFolder {
    /// Their host.
    pub host: String,
    /// The first folder of their paths: `/docs/`, or `/` for those in none.
    pub folder: String,
    /// Pages of the sitemaps.
    pub pages: u64,
    /// Those that some agent has read.
    pub read: u64,
    /// Those that an agent of each purpose has read.
    pub purposes: BTreeMap<Purpose, u64>,
}

/// A page that some agents have not read.
#[derive(Clone, Debug, Serialize)]
pub struct UnreadPage {
    /// Its host.
    pub host: String,
    /// Its path.
    pub path: String,
    /// The purposes of the agents that have read it.
    pub read_for: Vec<Purpose>,
    /// Requests of agents that did not get it.
    pub unserved_requests: u64,
    /// The last response to those.
    pub last_status: Option<u16>,
}

/// Pages and how many of them were read.
#[derive(Clone, Debug, Default)]
struct PageCounts {
    pages: u64,
    read: u64,
    purposes: BTreeMap<Purpose, u64>,
}

impl PageCounts {
    fn add(&mut self, page: &SitemapPage, read_for: &[Purpose]) {
        self.pages += 1;
        self.read += u64::from(page.read_by != 0);
        for purpose in read_for {
            *self.purposes.entry(*purpose).or_default() += 1;
        }
    }
}

/// The agents of each purpose, as bits by their number in the registry.
fn bits_by_purpose() -> BTreeMap<Purpose, u128> {
    let mut bits = BTreeMap::new();
    for (agent, index) in Registry::embedded().agents.iter().zip(0_u16..) {
        *bits.entry(agent.purpose).or_default() |= bit(index);
    }
    bits
}

impl SiteCounts {
    pub(super) fn sitemap_comparison(&self, most: usize) -> Option<SitemapComparison> {
        let pages = &self.sitemap.as_ref()?.pages;
        let bits = bits_by_purpose();
        let mut all = PageCounts::default();
        let mut folders: BTreeMap<(&str, &str), PageCounts> = BTreeMap::new();
        let mut unread = Vec::new();
        let compared = pages.iter().filter(|page| self.is_compared(split(&page.text).0));
        for (place, page) in compared.enumerate() {
            let read_for = bits.iter().filter(|(_, bits)| page.read_by & **bits != 0);
            let read_for: Vec<Purpose> = read_for.map(|(purpose, _)| *purpose).collect();
            let (host, path) = split(&page.text);
            all.add(page, &read_for);
            folders.entry((host, folder_of(path))).or_default().add(page, &read_for);
            let count = WANTED.iter().filter(|purpose| read_for.contains(purpose)).count();
            if count < WANTED.len() {
                unread.push((page.read_by != 0, count, place, page, read_for));
            }
        }
        let unread = top(unread, most, |(is_read, count, place, ..)| (*is_read, *count, *place));
        let unread = unread.into_iter().map(|(.., page, read_for)| unread_page(page, read_for));
        let folders = folders.into_iter().map(|((host, folder), counts)| SitemapFolder {
            host: host.to_owned(),
            folder: folder.to_owned(),
            pages: counts.pages,
            read: counts.read,
            purposes: counts.purposes,
        });
        let others = pages.hosts().iter().filter(|(host, _)| !self.is_compared(host));
        let others: Vec<_> = others.map(|(host, count)| (host.clone(), *count)).collect();
        Some(SitemapComparison {
            pages: all.pages,
            read: all.read,
            purposes: all.purposes,
            folders: top(folders.collect(), most, |row| {
                (Reverse(row.pages), row.host.clone(), row.folder.clone())
            }),
            unread: unread.collect(),
            other_host_pages: others.iter().map(|(_, count)| count).sum(),
            other_hosts: top(others, most, |(host, count)| (Reverse(*count), host.clone())),
            with_query: pages.with_query(),
            not_addresses: pages.not_addresses(),
            without_room: pages.without_room(),
        })
    }

    /// Whether the log has requests for a host of the sitemaps. Those for a host that it does not say are taken for requests
    /// to the one of most pages.
    fn is_compared(&self, host: &str) -> bool {
        if let Some(only) = self.host() {
            return only == host;
        }
        let is_main = self
            .sitemap
            .as_ref()
            .and_then(|sitemap| sitemap.pages.main_host())
            .is_some_and(|main| main == host);
        self.hosts.contains(host) || (is_main && self.hosts.contains(""))
    }
}

fn unread_page(page: &SitemapPage, read_for: Vec<Purpose>) -> UnreadPage {
    let (host, path) = split(&page.text);
    UnreadPage {
        host: host.to_owned(),
        path: path.to_owned(),
        read_for,
        unserved_requests: page.unserved_requests,
        last_status: page.last_status,
    }
}
