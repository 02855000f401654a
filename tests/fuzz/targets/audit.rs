//! Audits of pages: a score within its bounds, and fixes that can be written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visibility_core::audit::report::AuditReport;
use visibility_core::audit::snapshot::{AuditId, PageSnapshot};
use visibility_core::text::locale::Lang;

fuzz_target!(|body: &[u8]| {
    let id = AuditId::from_content([body]);
    let url = "https://acme.example/a/kettle".parse().expect("a page");
    let now = chrono::DateTime::from_timestamp(1_795_996_800, 0).expect("a time");
    let snapshot = PageSnapshot::from_file(id, "page.html", Some(url), body.to_vec(), now);
    let report = AuditReport::evaluate(&snapshot);
    for language in [Lang::En, Lang::Tr] {
        let result = report.result(language);
        assert!(result.gpt_visibility_score <= 100);
        assert!(!serde_json::to_vec(&result).expect("JSON").is_empty());
    }
});
