//! Results for the tests of renderers: one with hostile text wherever a page can put any, in English;
//! one without a page, in Turkish.

use crate::audit::result::AuditResult;

pub(in crate::report) fn hostile() -> AuditResult {
    serde_json::from_str(include_str!("../../../testdata/reports/hostile_audit.json"))
        .expect("a result")
}

pub(in crate::report) fn refused() -> AuditResult {
    serde_json::from_str(include_str!("../../../testdata/reports/refused_audit.json"))
        .expect("a result")
}
