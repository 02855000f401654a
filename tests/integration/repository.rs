//! What holds for the repository itself: dependencies, sources and documents.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a broken fixture should stop the test"
)]

mod areas;
mod audit_rubric;
mod generated;
mod links;
mod markup;
mod module_imports;
mod notes;
mod one_build;
mod purity;
mod rubric;
mod sarif;
mod steps;
mod texts;
mod vocabulary;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use visibility_tests::embedded_pages::copies;

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// The files below a folder with this extension, without what was built and without copies of other files.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    let copies: BTreeSet<PathBuf> = copies().map(|(_, copy)| copy).collect();
    found.retain(|file| !copies.contains(file));
    found.sort();
    found
}
