//! The recordings that `visibility scan --demo`, `visibility audit --demo` and `visibility-server serve --demo` show.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use serde_json::json;
use visibility_core::audit::request::AuditRequest;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::audit::visit::visit;
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::scan;
use visibility_core::scan::recording::{Recorder, Recording};

use crate::site::{Site, USER_AGENT};
use crate::typical::{self, expected};

/// Which of the typical sites they are. The first one has good and bad verdicts.
const NAMES: [&str; 7] = [
    "SaaS with OpenAPI, nothing agentic",
    "classic shop",
    "docs site with llms.txt and Markdown",
    "publisher blocking only training",
    "good site, AI agents refused",
    "single-page shell",
    "maintenance on every path",
];

/// The file `visibility-core/demo/sites.json.gz`, unpacked.
///
/// # Panics
///
/// When there is no such site.
#[expect(clippy::expect_used, reason = "a fixture that is missing should stop the program")]
pub fn render() -> String {
    let typical = typical::all().into_iter().map(|typical| (typical.name, typical.site));
    let expected = expected().into_iter().map(|expected| (expected.name, expected.site));
    let all: Vec<(&str, Site)> = typical.chain(expected).collect();
    let sites = NAMES.map(|name| {
        let (_, site) = all.iter().find(|(known, _)| *known == name).expect("the site exists");
        files(site)
    });
    serde_json::to_string(&json!({ "sites": sites })).expect("JSON") + "\n"
}

/// A scan of a site and audits of its pages, as files.
#[expect(clippy::expect_used, reason = "a fixture that cannot be visited should stop the program")]
fn files(site: &Site) -> BTreeMap<String, String> {
    let request = site.request();
    let recorder = Recorder::new(site);
    // Of a site without a home page there is no result, and its answers say why.
    let _ = scan::scan(&recorder, &request).now_or_never().expect("no fixture waits");
    let root = request.domain.https_root();
    let paths = site.paths();
    let pages = paths.iter().filter(|path| path.starts_with('/') && !path.contains('.'));
    for path in std::iter::once("/").chain(pages.map(String::as_str)) {
        let url: PageUrl = root.join(path).expect("a path").as_str().parse().expect("a page");
        let page = AuditRequest {
            id: AuditId::from_content([b"".as_slice()]),
            url,
            taken_at: request.taken_at,
            user_agent: USER_AGENT.to_owned(),
            profile: None,
        };
        let _ = visit(&recorder, &page).now_or_never().expect("no fixture waits");
    }
    let mut exchanges = recorder.into_exchanges();
    // All of them ask for robots.txt and the sitemap.
    exchanges.dedup_by(|one, other| {
        one.probe.resource == other.probe.resource && one.probe.url == other.probe.url
    });
    let files = Recording { request, exchanges }.to_files().expect("a recording");
    let texts = files.into_iter().map(|(name, content)| {
        (name, String::from_utf8(content).expect("the bodies of the site are texts"))
    });
    texts.collect()
}
