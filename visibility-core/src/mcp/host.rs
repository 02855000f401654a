//! The interface that a program must implement to serve the MCP tools.

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

/// What the transport knows about the caller. Over HTTP it has the head of the request and the principal;
/// over standard input it is empty.
#[derive(Clone, Copy, Debug)]
pub struct CallerContext<'a>(pub(crate) &'a Extensions);

impl<'a> CallerContext<'a> {
    /// What the transport knows of this type, such as `http::request::Parts`.
    pub fn get<T: Send + Sync + 'static>(self) -> Option<&'a T> {
        self.0.get()
    }
}

/// Implements the tools. Every method may take long, and stops when its future is dropped.
pub trait Host: Send + Sync + 'static {
    /// Scans a domain, or returns a cached result; `cached` says which.
    ///
    /// # Errors
    ///
    /// When the domain may not or cannot be scanned, or when the caller has reached a limit.
    fn scan(
        &self,
        caller: CallerContext<'_>,
        domain: &Domain,
        lang: Lang,
    ) -> impl Future<Output = Result<Arc<ScanResult>, ToolError>> + Send;

    /// Audits a page, or returns a cached result.
    ///
    /// # Errors
    ///
    /// When the page may not be audited, or when the caller has reached a limit.
    fn audit(
        &self,
        caller: CallerContext<'_>,
        url: &PageUrl,
        profile: Option<Profile>,
        lang: Lang,
    ) -> impl Future<Output = Result<Arc<AuditResult>, ToolError>> + Send;

    /// The stored result of an audit, if there is one.
    ///
    /// # Errors
    ///
    /// When it cannot be read now.
    fn audited(
        &self,
        caller: CallerContext<'_>,
        id: AuditId,
        lang: Lang,
    ) -> impl Future<Output = Result<Option<Arc<AuditResult>>, ToolError>> + Send;

    /// Counts the requests of bots to the sites of the caller.
    ///
    /// # Errors
    ///
    /// When they cannot be counted now.
    fn traffic(
        &self,
        caller: CallerContext<'_>,
        query: TrafficQuery,
    ) -> impl Future<Output = Result<Traffic, ToolError>> + Send;

    /// Whether there is traffic to count: without it, the tool for traffic is not offered.
    fn has_traffic(&self) -> bool;

    /// Whether scans and audits count against a limit of the caller.
    fn has_limits(&self) -> bool;

    /// The current day, UTC.
    fn today(&self) -> NaiveDate;
}
