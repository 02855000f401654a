//! The recording that `visibility scan --demo` and `visibility audit --demo` show.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use serde_json::json;
use visibility_core::audit::request::AuditRequest;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::audit::visit::visit;
use visibility_core::scan;
use visibility_core::scan::recording::{Recorder, Recording};

use crate::site::USER_AGENT;
use crate::typical;

/// Which of the typical sites it is: one with good and bad verdicts.
const NAME: &str = "SaaS with OpenAPI, nothing agentic";

/// The file `visibility-cli/demo/recording.json`.
///
/// # Panics
///
/// When the site cannot be scanned.
#[expect(clippy::expect_used, reason = "a fixture that cannot be scanned should stop the program")]
pub fn render() -> String {
    let all = typical::all().into_iter();
    let site = all.map(|typical| (typical.name, typical.site)).find(|(name, _)| *name == NAME);
    let (_, site) = site.expect("the site exists");
    let request = site.request();
    let recorder = Recorder::new(&site);
    let scanned = scan::scan(&recorder, &request).now_or_never().expect("no fixture waits");
    scanned.expect("the site answers");
    let page = AuditRequest {
        id: AuditId::from_content([b"".as_slice()]),
        url: request.domain.https_root().as_str().parse().expect("a page"),
        taken_at: request.taken_at,
        user_agent: USER_AGENT.to_owned(),
        profile: None,
    };
    let visited = visit(&recorder, &page).now_or_never().expect("no fixture waits");
    visited.expect("the page answers");
    let mut exchanges = recorder.into_exchanges();
    // Both ask for robots.txt and the sitemap.
    exchanges.dedup_by(|one, other| {
        one.probe.resource == other.probe.resource && one.probe.url == other.probe.url
    });
    let files = Recording { request, exchanges }.to_files().expect("a recording");
    let texts = files.into_iter().map(|(name, content)| {
        (name, String::from_utf8(content).expect("the bodies of the site are texts"))
    });
    let files: BTreeMap<String, String> = texts.collect();
    serde_json::to_string_pretty(&json!({ "files": files })).expect("JSON") + "\n"
}
