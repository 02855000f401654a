//! Find out whether AI agents can read a site, whether a page is worth quoting, and whether a log record belongs to an
//! AI bot. A pure library: the same input gives the same result, in English and in Turkish.
//!
//! | Feature | Adds |
//! |---|---|
//! | (none) | scans with a [`Fetch`](fetch::Fetch) of your own, audits, validation of logs, reports |
//! | `http` | `fetch::http`, a ready-made `Fetch` on reqwest and rustls that only connects to public addresses |
//! | `mcp` | the tools, resources and prompts for AI agents, over any transport |
//! | `openapi` | schemas of the results, with utoipa |
//!
//! Public items that this documentation does not show serve the programs of the project and may change in any release.
//!
//! Without features the crate has no clock, no files, no environment and no network.
//!
//! # Scan a site
//!
//! A scan says what to request, a [`Fetch`](fetch::Fetch) requests it, and everything after that is a pure function of the
//! responses. Here is one of a site with a single page:
//!
//! ```
//! use visibility_core::prelude::*;
//!
//! #[derive(Debug)]
//! struct OnePage;
//!
//! impl Fetch for OnePage {
//!     fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult> {
//!         let (status, body) = match probe.url.path() {
//!             "/" => (200, "<!doctype html><html lang=en><title>Hello</title><h1>Hello</h1>"),
//!             _ => (404, "Not found"),
//!         };
//!         let response = Response::new(probe.url.clone(), status, body)
//!             .with_header("content-type", "text/html");
//!         Box::pin(std::future::ready(Ok(response)))
//!     }
//! }
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let taken_at = "2026-11-25T10:00:00Z".parse()?;
//! let request = ScanRequest::new("example.com".parse()?, taken_at, "ExampleBot/1.0");
//! let snapshot = scan(&OnePage, &request).await?;
//! let result = ScanReport::evaluate(&snapshot, &Selection::all()).result(Lang::En);
//! assert_eq!(result.checks.len(), 21);
//! println!("{:?} points; first: {}", result.score, result.fix_plan[0].title);
//! # Ok(())
//! # }
//! # // This `Fetch` never waits, so there is no runtime.
//! # futures_util::FutureExt::now_or_never(run()).expect("it is ready").unwrap();
//! ```
//!
//! With the feature `http`, a `fetch::http::HttpFetch` takes the place of `OnePage`.
//!
//! # Audit a page
//!
//! ```
//! use visibility_core::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let page = "<!doctype html><html lang=en><title>Aurora</title><h1>Aurora down jacket</h1><p>It costs 349 EUR.";
//! let id = AuditId::from_content([page.as_bytes()]);
//! let url = "https://shop.example.com/aurora".parse()?;
//! let taken_at = "2026-11-25T10:00:00Z".parse()?;
//! let snapshot = PageSnapshot::from_file(id, "aurora.html", Some(url), page, taken_at);
//! let result = audit(&snapshot).result(Lang::En);
//! println!("{} points; first: {}", result.gpt_visibility_score, result.fixes[0].title);
//! # Ok(())
//! # }
//! ```
//!
//! # Validate log records
//!
//! ```
//! use visibility_core::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules = Rules::at("2026-11-25T10:00:00Z".parse()?);
//! let record = r#"{"timestamp":"2026-11-25T09:59:00Z","user_agent":"GPTBot/1.2","request_method":"GET",
//!     "request_path":"/","status_code":200,"response_bytes":1,"referrer":"","host":"a.example",
//!     "client_ip_hash":"9f86d081884c7d659a2feaa0c55ad015"}"#.replace('\n', "");
//! let verdict = validate_record(&record, &rules)?;
//! assert!(matches!(verdict, RecordVerdict::Accepted(agent) if agent.name == "GPTBot"));
//!
//! let verdict = validate_record(&record.replace("GPTBot/1.2", "curl/8.5.0"), &rules)?;
//! let reason = Reason::UserAgentNotInAllowlist;
//! assert!(matches!(verdict, RecordVerdict::Rejected { reason: found, .. } if found == reason));
//! # Ok(())
//! # }
//! ```
//!
//! A whole batch goes through [`ingest::read_batch`], which hands each record to a sink of yours without an allocation.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

// For the service: who may do what.
#[doc(hidden)]
pub mod access_log;
pub mod accounts;
pub mod agents;
pub mod audit;
pub mod documents;
pub mod error;
pub mod fetch;
pub mod ingest;
pub mod limits;
// For the manual pages of the two programs.
#[cfg(feature = "manual")]
#[doc(hidden)]
pub mod manual;
#[cfg(feature = "mcp")]
pub mod mcp;
// What checks and signals look at: the facts of a page.
#[doc(hidden)]
pub mod page;
pub mod report;
pub mod rubric;
pub mod scan;
// For the service, and for the simulated disks of `tests/integration/simulation`.
#[doc(hidden)]
pub mod store;
pub mod text;
pub mod traffic;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// What most programs need.
pub mod prelude {
    pub use crate::audit::audit;
    pub use crate::audit::snapshot::{AuditId, PageSnapshot};
    pub use crate::fetch::{BoxFuture, Fetch, FetchResult, Probe, Response};
    pub use crate::ingest::{Reason, RecordVerdict, Rules, validate_record};
    pub use crate::scan::report::{ScanReport, Selection};
    pub use crate::scan::request::ScanRequest;
    pub use crate::scan::scan;
    pub use crate::text::locale::Lang;
}
