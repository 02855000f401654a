//! Implements the MCP tools on this machine: scans and audits run in the process.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{NaiveDate, SubsecRound, Utc};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use visibility_core::audit;
use visibility_core::audit::profile::Profile;
use visibility_core::audit::report::AuditReport;
use visibility_core::audit::request::AuditRequest;
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::audit::status::Status;
use visibility_core::audit::visit::visit;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::fetch::domain::Domain;
use visibility_core::fetch::http::HttpClient;
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::limits::{AUDIT_FRESH_FOR, SCAN_FRESH_FOR};
use visibility_core::mcp::ToolError;
use visibility_core::mcp::host::{CallerContext, Host};
use visibility_core::mcp::traffic::{Traffic, TrafficQuery};
use visibility_core::scan;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::result::ScanResult;
use visibility_core::text::locale::Lang;

use super::cache::{MAX_CACHED, ResultCache, ResultOrigin};
use crate::run::network::USER_AGENT;
use crate::run::scanner;

/// Sites and pages that are visited at a time.
const MAX_VISITS: usize = 8;
/// The id of the hint for an address that is not public, which names the flags.
const LOCAL: [&str; 2] = ["mcp", "local"];

/// Scans and audits from this machine, and keeps the results while it runs.
pub(super) struct LocalHost {
    client: HttpClient,
    visits: Semaphore,
    scans: ResultCache<Domain, Arc<ScanReport>>,
    pages: ResultCache<(PageUrl, Option<Profile>), Arc<AuditReport>>,
    /// The oldest first.
    audits: Mutex<VecDeque<(AuditId, Arc<AuditReport>)>>,
}

impl LocalHost {
    pub(super) fn new(client: HttpClient) -> Self {
        Self {
            client,
            visits: Semaphore::new(MAX_VISITS),
            scans: ResultCache::new(SCAN_FRESH_FOR),
            pages: ResultCache::new(AUDIT_FRESH_FOR),
            audits: Mutex::default(),
        }
    }

    async fn scanned(&self, domain: &Domain) -> Result<Arc<ScanReport>, ToolError> {
        let _visit = self.visits.acquire().await;
        let session = self.client.session();
        let request = scanner::request(domain.clone());
        let site = scan::scan(&session, &request).await.map_err(|error| local((&error).into()))?;
        let judged = spawn_blocking(move || ScanReport::evaluate(&site, &Selection::all())).await;
        judged.map(Arc::new).map_err(|_lost| internal())
    }

    async fn visited(
        &self,
        url: &PageUrl,
        profile: Option<Profile>,
    ) -> Result<Arc<AuditReport>, NotKept> {
        let _visit = self.visits.acquire().await;
        let request = AuditRequest {
            id: AuditId::from_bits(random_bits()),
            url: url.clone(),
            taken_at: Utc::now().trunc_subsecs(3),
            user_agent: USER_AGENT.to_owned(),
            profile,
        };
        let session = self.client.session();
        let page = visit(&session, &request).await.map_err(|error| local((&error).into()))?;
        let judged = spawn_blocking(move || audit::audit(&page)).await;
        let report = judged.map(Arc::new).map_err(|_lost| internal())?;
        let mut audits = self.audits.lock().unwrap_or_else(PoisonError::into_inner);
        if audits.len() >= MAX_CACHED {
            audits.pop_front();
        }
        audits.push_back((request.id, Arc::clone(&report)));
        match report.status() {
            // The next one may find the site well.
            Status::ServerError | Status::Unreachable => Err(NotKept::Lost(report)),
            _ => Ok(report),
        }
    }
}

/// Why a cached audit cannot be reused.
enum NotKept {
    /// No audit is cached.
    Refused(ToolError),
    /// The site did not answer, or could not.
    Lost(Arc<AuditReport>),
}

impl From<ToolError> for NotKept {
    fn from(refusal: ToolError) -> Self {
        Self::Refused(refusal)
    }
}

impl fmt::Debug for LocalHost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LocalHost").finish_non_exhaustive()
    }
}

impl Host for LocalHost {
    async fn scan(
        &self,
        _: CallerContext<'_>,
        domain: &Domain,
        lang: Lang,
    ) -> Result<Arc<ScanResult>, ToolError> {
        let scanned = self.scans.get(domain.clone(), Box::pin(self.scanned(domain)));
        let (report, origin) = Box::pin(scanned).await?;
        let mut result = report.result(lang);
        result.cached = origin == ResultOrigin::Cached;
        Ok(Arc::new(result))
    }

    async fn audit(
        &self,
        _: CallerContext<'_>,
        url: &PageUrl,
        profile: Option<Profile>,
        lang: Lang,
    ) -> Result<Arc<AuditResult>, ToolError> {
        let page = (url.clone(), profile);
        let report =
            match Box::pin(self.pages.get(page, Box::pin(self.visited(url, profile)))).await {
                Ok((report, _)) | Err(NotKept::Lost(report)) => report,
                Err(NotKept::Refused(refusal)) => return Err(refusal),
            };
        Ok(Arc::new(report.result(lang)))
    }

    async fn audited(
        &self,
        _: CallerContext<'_>,
        id: AuditId,
        lang: Lang,
    ) -> Result<Option<Arc<AuditResult>>, ToolError> {
        let audits = self.audits.lock().unwrap_or_else(PoisonError::into_inner);
        let report = audits.iter().find(|(known, _)| *known == id);
        let report = report.map(|(_, report)| Arc::clone(report));
        drop(audits);
        Ok(report.map(|report| Arc::new(report.result(lang))))
    }

    async fn traffic(&self, _: CallerContext<'_>, _: TrafficQuery) -> Result<Traffic, ToolError> {
        // The tool is not offered, so this is never called.
        Err(internal())
    }

    fn has_traffic(&self) -> bool {
        false
    }

    fn has_limits(&self) -> bool {
        false
    }

    fn today(&self) -> NaiveDate {
        Utc::now().date_naive()
    }
}

/// A problem, with what can be done about it here.
fn local(problem: Problem) -> ToolError {
    match problem.code() {
        ErrorCode::DomainNotAllowed | ErrorCode::UrlNotAllowed => {
            problem.with_hint_from(LOCAL).into()
        }
        _ => problem.into(),
    }
}

fn internal() -> ToolError {
    Problem::new(ErrorCode::InternalError, "internal").into()
}

/// Bits that name an audit of this process alone.
fn random_bits() -> u128 {
    let half = || u128::from(RandomState::new().hash_one(0));
    half() << 64 | half()
}
