//! The 21 checks, in the order of reports.

mod llms_txt;

use crate::scan::check::Check;

/// All checks, in the order of the rubric.
pub const CHECKS: [&Check; 1] = [&llms_txt::CHECK];

/// A check by its id.
pub fn find(id: &str) -> Option<&'static Check> {
    CHECKS.iter().copied().find(|check| check.id == id)
}
