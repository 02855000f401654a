//! A result for the tests of renderers, with hostile text wherever a site can put any.

use crate::scan::result::ScanResult;

pub(super) fn hostile() -> ScanResult {
    serde_json::from_str(include_str!("../../testdata/reports/hostile.json")).expect("a result")
}
