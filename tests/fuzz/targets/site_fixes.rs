//! A whole site of strangers' bytes: the parsers of its cards, its verdicts, and the files of its fixes.
//!
//! The input is cut at zero bytes. Each part is one document, in the order in which [`PATHS`] lists them.
#![no_main]

use std::future::ready;
use std::pin::pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};

use libfuzzer_sys::fuzz_target;
use visibility_core::fetch::{BoxFuture, Fetch, FetchResult, Probe, Response};
use visibility_core::rubric::fix::{self, FileMode, Platform};
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan;
use visibility_core::scan::request::ScanRequest;
use visibility_core::text::locale::Lang;

/// Documents of a site, and their media types.
const PATHS: [(&str, &str); 15] = [
    ("/", "text/html; charset=utf-8"),
    ("/robots.txt", "text/plain"),
    ("/llms.txt", "text/plain"),
    ("/sitemap.xml", "application/xml"),
    ("/openapi.json", "application/json"),
    ("/.well-known/ai-catalog.json", "application/json"),
    ("/.well-known/api-catalog", "application/linkset+json"),
    ("/.well-known/mcp/server-card.json", "application/json"),
    ("/.well-known/agent-card.json", "application/json"),
    ("/.well-known/agent-skills/index.json", "application/json"),
    ("/.well-known/oauth-protected-resource", "application/json"),
    ("/.well-known/oauth-authorization-server", "application/json"),
    ("/.well-known/ucp", "application/json"),
    ("/.well-known/acp.json", "application/json"),
    ("/.well-known/x402", "application/json"),
];

/// When the site is scanned.
static NOW: LazyLock<chrono::DateTime<chrono::Utc>> =
    LazyLock::new(|| chrono::DateTime::UNIX_EPOCH + chrono::TimeDelta::days(20_000));

#[derive(Debug)]
struct Site<'b>(Vec<&'b [u8]>);

impl Fetch for Site<'_> {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult> {
        let at = PATHS.iter().position(|(path, _)| *path == probe.url.path());
        let part = at.and_then(|at| self.0.get(at).copied()).filter(|part| !part.is_empty());
        let media_type = at.and_then(|at| PATHS.get(at)).map_or("text/html", |(_, known)| known);
        let status = if part.is_some() { 200 } else { 404 };
        let mut response = Response::new(probe.url.clone(), status, part.unwrap_or_default().to_vec());
        response.headers.append("content-type", media_type);
        Box::pin(ready(Ok(response)))
    }
}

fuzz_target!(|bytes: &[u8]| {
    let site = Site(bytes.split(|byte| *byte == 0).collect());
    let domain = "fuzzed.example.com".parse().expect("a domain");
    let request = ScanRequest::new(domain, *NOW, "VisibilityBot/1.0");
    let mut scanned = pin!(scan::scan(&site, &request));
    let Poll::Ready(outcome) = scanned.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
        unreachable!("no response waits");
    };
    let Ok(snapshot) = outcome else { return };
    let report = ScanReport::evaluate(&snapshot, &Selection::all());
    let result = report.result(Lang::En);
    assert!(result.score.is_some_and(|score| score <= 100));
    for check in &result.checks {
        let Some(fix) = &check.fix else { continue };
        for platform in Platform::ALL {
            for file in fix::files(&fix.edits, platform) {
                check_file(platform, &file);
            }
        }
    }
});

/// What holds for every file, whatever the site says of itself.
fn check_file(platform: Platform, file: &fix::FixFile) {
    let content = &file.content;
    let path = file.path.as_deref().unwrap_or_default();
    assert!(!path.contains("..") && !path.contains(char::is_control), "{path}");
    assert!(file.replaces.is_some() || !content.trim().is_empty(), "{file:?}");
    assert!(file.replaces.is_none() || file.mode == FileMode::Replace, "{file:?}");
    match (platform, path) {
        (Platform::Vercel, "vercel.json") => {
            assert!(serde_json::from_str::<serde_json::Value>(content).is_ok(), "{content}");
        }
        (Platform::WordPress, "functions.php") => {
            assert!(!content.contains("<?"), "{content}");
            // What a site says is between two lines that it cannot write.
            assert_eq!(content.matches("VISIBILITY_HEAD").count() % 2, 0, "{content}");
        }
        (Platform::Cloudflare | Platform::Netlify, "public/_headers") => {
            let is_rule = |line: &str| line.is_empty() || line.starts_with('/') || line.starts_with("  ");
            assert!(content.lines().all(is_rule), "{content}");
        }
        _ => {}
    }
}
