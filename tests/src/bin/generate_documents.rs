//! Writes the documents that are made of code and texts, and then the copies that the crates embed: `docs/checks.md`,
//! `docs/signals.md`, both descriptions of the API, the pages and licences of each crate, and the times at which the
//! pages of the service's site changed.
#![expect(clippy::expect_used, reason = "there is nothing else to do if a file cannot be written")]

use std::fs;

use chrono::{SecondsFormat, Utc};
use visibility_tests::embedded_pages::{changes_file, copies, refreshed_changes};
use visibility_tests::generated;

fn main() {
    for (file, text) in generated::documents() {
        fs::write(file, text).expect("a file that can be written");
    }
    for (original, copy) in copies() {
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder that can be written");
        fs::copy(original, copy).expect("a file that can be copied");
    }
    let now = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
    fs::write(changes_file(), refreshed_changes(&now)).expect("a file that can be written");
}
