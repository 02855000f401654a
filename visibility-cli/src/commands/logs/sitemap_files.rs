//! Sitemaps that are given as files, with those that an index names beside it.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Component, Path, PathBuf};

use url::Url;
use visibility_core::access_log::summary::SitemapPages;
use visibility_core::documents::sitemap::{Sitemap, SitemapError};
use visibility_core::report::logs::SitemapFiles;

use super::log_input::{LogInput, WireLimit, failed, shown};
use crate::error::CommandError;

/// Bytes of one sitemap that are read, inflated: as many as the protocol allows.
const MAX_BYTES: usize = 50 * 1024 * 1024;
/// Files that are read.
const MAX_FILES: usize = 1_000;

/// Reads sitemaps.
///
/// # Errors
///
/// When a file that was named cannot be read or is no sitemap.
pub(super) fn read(files: &[PathBuf]) -> Result<(SitemapPages, SitemapFiles), CommandError> {
    let mut reading = Reading::new(files);
    while let Some(path) = reading.waiting.pop_front() {
        reading.read(&path)?;
    }
    Ok(reading.finish())
}

struct Reading {
    waiting: VecDeque<PathBuf>,
    /// Files that are read or will be.
    known: BTreeSet<PathBuf>,
    /// Names of files that were given.
    given: BTreeSet<String>,
    /// Names of those that an index has called for.
    called: BTreeSet<String>,
    pages: SitemapPages,
    files: SitemapFiles,
    indexes: usize,
}

impl Reading {
    fn new(files: &[PathBuf]) -> Self {
        let known: BTreeSet<PathBuf> = files.iter().cloned().collect();
        let mut waiting: VecDeque<PathBuf> = files.iter().cloned().collect();
        let mut seen = BTreeSet::new();
        waiting.retain(|path| seen.insert(path.clone()));
        let names = files.iter().filter_map(|path| path.file_name());
        Self {
            waiting,
            known,
            given: names.map(|name| name.to_string_lossy().into_owned()).collect(),
            called: BTreeSet::new(),
            pages: SitemapPages::default(),
            files: SitemapFiles::default(),
            indexes: 0,
        }
    }

    fn read(&mut self, path: &Path) -> Result<(), CommandError> {
        let sitemap = match parse(path)? {
            Ok(sitemap) => sitemap,
            // An index may name a sitemap that has no page yet.
            Err(SitemapError::Empty) => Sitemap::default(),
            Err(error) => {
                return Err(CommandError::usage_with(
                    format!("cannot use {}: {error}", shown(path)),
                    "save the file itself, such as with `curl -o sitemap.xml https://www.example.com/sitemap.xml`",
                ));
            }
        };
        self.files.read += 1;
        self.files.is_cut |= sitemap.cut;
        if !sitemap.is_index {
            self.pages.add(&sitemap);
            return Ok(());
        }
        self.indexes += 1;
        let folder = (path != Path::new("-")).then(|| path.parent()).flatten();
        for entry in &sitemap.entries {
            self.child(folder, &entry.loc);
        }
        Ok(())
    }

    /// Finds the file of a sitemap that an index names.
    fn child(&mut self, folder: Option<&Path>, address: &str) {
        let parts = path_parts(address);
        let name = parts.last().cloned().unwrap_or_default();
        if self.given.contains(&name) && self.called.insert(name) {
            return;
        }
        let found = folder.and_then(|folder| {
            let is_new = |path: &PathBuf| path.is_file() && !self.known.contains(path);
            candidates(folder, &parts).find(is_new)
        });
        match found.filter(|_| self.known.len() < MAX_FILES) {
            Some(path) => {
                self.known.insert(path.clone());
                self.waiting.push_back(path);
            }
            None => self.files.missing.push(address.to_owned()),
        }
    }

    fn finish(mut self) -> (SitemapPages, SitemapFiles) {
        // Files that no index has called for may be those that are missing, under other names.
        let others = self.given.difference(&self.called).count().saturating_sub(self.indexes);
        if others >= self.files.missing.len() {
            self.files.missing.clear();
        }
        (self.pages, self.files)
    }
}

fn parse(path: &Path) -> Result<Result<Sitemap, SitemapError>, CommandError> {
    let body = LogInput::open(path)?.inflate(WireLimit::None);
    let mut chunks = body.map_err(|error| failed(path, error))?;
    let mut bytes = Vec::new();
    while let Some(chunk) = chunks.next().map_err(|error| failed(path, error))? {
        bytes.extend_from_slice(chunk);
        if bytes.len() > MAX_BYTES {
            bytes.truncate(MAX_BYTES);
            return Ok(Sitemap::parse(&bytes, true));
        }
    }
    Ok(Sitemap::parse(&bytes, false))
}

/// The folders and the file of an address, without what would lead elsewhere.
fn path_parts(address: &str) -> Vec<String> {
    let Ok(url) = Url::parse(address) else { return Vec::new() };
    let parts = url.path().split('/').filter(|part| !part.is_empty());
    let is_plain = |part: &&str| {
        let mut components = Path::new(part).components();
        let is_name = matches!(components.next(), Some(Component::Normal(_)));
        is_name && components.next().is_none() && !part.contains('\\')
    };
    let parts: Vec<&str> = parts.collect();
    if !parts.iter().all(is_plain) {
        return Vec::new();
    }
    parts.into_iter().map(str::to_owned).collect()
}

/// Where the file may be: under the folders of its address, or under fewer of them; packed or not.
fn candidates<'a>(folder: &'a Path, parts: &'a [String]) -> impl Iterator<Item = PathBuf> + 'a {
    (0..parts.len()).flat_map(move |start| {
        let path = folder.join(parts.iter().skip(start).collect::<PathBuf>());
        let inflated = path
            .extension()
            .is_some_and(|extension| extension == "gz")
            .then(|| path.with_extension(""));
        std::iter::once(path).chain(inflated)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_file_and_leads_nowhere_else() {
        let parts = |address: &str| path_parts(address).join("|");
        assert_eq!(parts("https://a.example/maps/posts-1.xml.gz"), "maps|posts-1.xml.gz");
        assert_eq!(parts("https://a.example/../../etc/passwd"), "etc|passwd");
        for hostile in ["", "/etc/passwd", "https://a.example/", "file:///"] {
            assert_eq!(parts(hostile), "", "{hostile}");
        }
        let parts = path_parts("https://a.example/maps/a.xml.gz");
        let found: Vec<_> = candidates(Path::new("x"), &parts).collect();
        let expected = ["x/maps/a.xml.gz", "x/maps/a.xml", "x/a.xml.gz", "x/a.xml"];
        assert_eq!(found, expected.map(PathBuf::from));
    }
}
