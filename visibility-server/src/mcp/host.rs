//! The tools' host in the service: within the limits and from the stores of the service.

use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use chrono::NaiveDate;
use visibility_core::accounts::scope::Scope;
use visibility_core::audit::profile::Profile;
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::fetch::domain::Domain;
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::mcp::ToolError;
use visibility_core::mcp::host::{CallerContext, Host};
use visibility_core::mcp::traffic::{Traffic, TrafficQuery};
use visibility_core::scan::result::ScanResult;
use visibility_core::text::locale::Lang;

use super::traffic;
use crate::access::auth::key::Principal;
use crate::http::response::{ApiError, whole_seconds};
use crate::jobs::audits::{self, RequestedPage, View};
use crate::jobs::cache::parsed;
use crate::jobs::cache::{Coding, Representation};
use crate::jobs::quota::{JobKind, Quota};
use crate::jobs::scans;
use crate::runtime::clock;
use crate::state::AppState;

/// Who asks, and whom: an extension of the request that the tools are called by.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub(super) state: AppState,
    pub(super) principal: Principal,
}

/// The service behind the tools. It has nothing of its own: all that it needs comes with the caller.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ServiceHost;

impl Caller {
    /// The caller, if they may do something. Requests are refused by their scope before they come here;
    /// this holds even if a tool does more than its name says.
    fn require(asker: CallerContext<'_>, scope: Scope) -> Result<&Self, ApiError> {
        let caller = asker
            .get::<Parts>()
            .and_then(|parts| parts.extensions.get::<Self>())
            .ok_or_else(|| {
                tracing::error!("a tool was called without a caller");
                ApiError::internal()
            })?;
        caller.principal.require(scope)?;
        Ok(caller)
    }

    async fn quota(&self, work: JobKind) -> Result<Quota, ApiError> {
        Quota::check(&self.state.shared().quotas, &self.principal.subject, work).await
    }
}

impl From<ApiError> for ToolError {
    fn from(error: ApiError) -> Self {
        let (problem, wait) = error.into_parts();
        let refusal = Self::from(problem);
        match wait {
            Some(wait) => refusal.retry_after(Duration::from_secs(whole_seconds(wait))),
            None => refusal,
        }
    }
}

/// Compressed, as results are cached: they are parsed once, and their bytes are not sent.
fn representation(lang: Lang) -> Representation {
    Representation { lang, coding: Coding::Gzip }
}

impl Host for ServiceHost {
    async fn scan(
        &self,
        asker: CallerContext<'_>,
        domain: &Domain,
        lang: Lang,
    ) -> Result<Arc<ScanResult>, ToolError> {
        let caller = Caller::require(asker, Scope::ScanRead)?;
        let quota = caller.quota(JobKind::Scans).await?;
        let scans = &caller.state.shared().scans;
        let result = match scans.obtain(domain, representation(lang), &quota).await? {
            scans::ScanAnswer::Cached(cached) => scans.read(&cached, lang),
            scans::ScanAnswer::Fresh(rendered) => parsed::parse(&rendered.get(lang)).ok(),
            scans::ScanAnswer::Coalesced(packed) => {
                packed.get(representation(lang)).and_then(|cached| scans.read(&cached, lang))
            }
        };
        Ok(result.ok_or_else(ApiError::internal)?)
    }

    async fn audit(
        &self,
        asker: CallerContext<'_>,
        url: &PageUrl,
        profile: Option<Profile>,
        lang: Lang,
    ) -> Result<Arc<AuditResult>, ToolError> {
        let caller = Caller::require(asker, Scope::AuditRead)?;
        let quota = caller.quota(JobKind::Audits).await?;
        let audits = &caller.state.shared().audits;
        let page = RequestedPage::new(url.clone(), profile);
        let cached = match audits.obtain(&page, representation(lang), &quota).await? {
            audits::AuditAnswer::Cached(cached) => Some(cached),
            audits::AuditAnswer::Fresh(packed) | audits::AuditAnswer::Coalesced(packed) => {
                packed.get(representation(lang))
            }
        };
        let result = cached.and_then(|cached| audits.read(&cached, lang));
        Ok(result.ok_or_else(ApiError::internal)?)
    }

    async fn audited(
        &self,
        asker: CallerContext<'_>,
        id: AuditId,
        lang: Lang,
    ) -> Result<Option<Arc<AuditResult>>, ToolError> {
        let caller = Caller::require(asker, Scope::AuditRead)?;
        let audits = &caller.state.shared().audits;
        let Some(found) = audits.find_view(id, View::Json, representation(lang)).await? else {
            return Ok(None);
        };
        let result = audits.read(&found.cached, lang);
        Ok(Some(result.ok_or_else(ApiError::internal)?))
    }

    async fn traffic(
        &self,
        asker: CallerContext<'_>,
        query: TrafficQuery,
    ) -> Result<Traffic, ToolError> {
        let caller = Caller::require(asker, Scope::LogsRead)?;
        Ok(traffic::count(&caller.state, &caller.principal.tenant, query).await?)
    }

    fn has_traffic(&self) -> bool {
        true
    }

    fn has_limits(&self) -> bool {
        true
    }

    fn today(&self) -> NaiveDate {
        clock::now().date_naive()
    }
}
