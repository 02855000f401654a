//! Writes down which pages of the service's site have changed now: `visibility-server/src/site/changes.txt`.
#![expect(
    clippy::expect_used,
    reason = "there is nothing else to do if the file cannot be written"
)]

use chrono::{SecondsFormat, Utc};
use visibility_tests::page_dates::{file, refreshed};

fn main() {
    let now = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
    std::fs::write(file(), refreshed(&now)).expect("the file of changes");
}
