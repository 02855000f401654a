//! What a program that serves the tools must be able to do.

use std::sync::Arc;

use crate::audit::profile::Profile;
use crate::audit::result::AuditResult;
use crate::audit::snapshot::AuditId;
use crate::fetch::domain::Domain;
use crate::fetch::page_url::PageUrl;
use crate::scan::result::ScanResult;
use crate::text::locale::Lang;
use chrono::NaiveDate;
use rmcp::model::Extensions;

use crate::mcp::tool_error::ToolError;
use crate::mcp::traffic::{Traffic, TrafficQuery};

/// Who asks: what the transport has put beside the request. The service finds the head of the HTTP request
/// there, and in it the principal; over standard input there is nothing.
pub type CallerContext = Extensions;

/// Does what the tools are for. All of it may take long, and stops when its future is dropped.
pub trait Host: Send + Sync + 'static {
    /// Scans a domain, or takes the result that is kept; `cached` says which.
    ///
    /// # Errors
    ///
    /// When the domain may not be scanned, or cannot; when the asker has used up what it may.
    fn scan(
        &self,
        caller: &CallerContext,
        domain: &Domain,
        lang: Lang,
    ) -> impl Future<Output = Result<Arc<ScanResult>, ToolError>> + Send;

    /// Audits a page, or returns a cached result.
    ///
    /// # Errors
    ///
    /// When the page may not be audited; when the asker has used up what it may.
    fn audit(
        &self,
        caller: &CallerContext,
        url: &PageUrl,
        profile: Option<Profile>,
        lang: Lang,
    ) -> impl Future<Output = Result<Arc<AuditResult>, ToolError>> + Send;

    /// The result of an audit that is kept, if there is one.
    ///
    /// # Errors
    ///
    /// When it cannot be read now.
    fn audited(
        &self,
        caller: &CallerContext,
        id: AuditId,
        lang: Lang,
    ) -> impl Future<Output = Result<Option<Arc<AuditResult>>, ToolError>> + Send;

    /// Counts the requests of bots to the sites of the asker.
    ///
    /// # Errors
    ///
    /// When they cannot be counted now.
    fn traffic(
        &self,
        caller: &CallerContext,
        query: TrafficQuery,
    ) -> impl Future<Output = Result<Traffic, ToolError>> + Send;

    /// Whether there is traffic to count: without it, the tool for that is not offered.
    fn has_traffic(&self) -> bool;

    /// Whether scans and audits count against a limit of the asker.
    fn has_limits(&self) -> bool;

    /// The current day, UTC.
    fn today(&self) -> NaiveDate;
}
