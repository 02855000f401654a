//! Copies the pages of `docs/` that a crate embeds into that crate, and its licences, and writes down which pages of
//! the service's site have changed now: `visibility-server/src/site/changes.txt`.
#![expect(clippy::expect_used, reason = "there is nothing else to do if a file cannot be written")]

use std::fs;

use chrono::{SecondsFormat, Utc};
use visibility_tests::embedded_pages::{changes_file, copies, refreshed_changes};

fn main() {
    for (original, copy) in copies() {
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder that can be written");
        fs::copy(original, copy).expect("a file that can be copied");
    }
    let now = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
    fs::write(changes_file(), refreshed_changes(&now)).expect("a file that can be written");
}
