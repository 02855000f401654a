//! The report of access logs: the sentences that all its forms share, and one HTML file.

pub mod html;
#[cfg(test)]
pub(in crate::report) mod sample;
pub mod sentences;

use serde::Serialize;

use crate::access_log::LineCounts;
use crate::access_log::summary::SiteReport;

/// What some logs have.
#[derive(Clone, Debug)]
pub struct LogReport {
    /// What became of their lines.
    pub counts: LineCounts,
    /// A report for each site that was wanted, or one for all.
    pub sites: Vec<SiteReport>,
    /// Requests for hosts that no report was wanted for.
    pub other_requests: u64,
    /// Those hosts, with their requests, most often first.
    pub other_hosts: Vec<(String, u64)>,
    /// Rows of each list.
    pub rows: usize,
    /// Whether it leaves out what came before some time.
    pub is_since: bool,
    /// Whether addresses were compared with the lists of operators.
    pub is_checked: bool,
    /// The sitemaps that were read, if any were given.
    pub sitemaps: Option<SitemapFiles>,
}

/// Sitemaps that were read, beside their pages.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SitemapFiles {
    /// Files that were read.
    pub read: usize,
    /// Sitemaps of an index that are not among the files.
    pub missing: Vec<String>,
    /// Whether a file ends in the middle, or has more entries than the protocol allows.
    pub is_cut: bool,
}
