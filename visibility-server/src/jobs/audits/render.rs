//! Renders an audit for the cache and for responses.

use std::io;

use bytes::Bytes;
use visibility_core::audit::audit;
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::score::RUBRIC_VERSION;
use visibility_core::audit::snapshot::PageSnapshot;
use visibility_core::audit::status::Status;

use super::{RequestedPage, fresh_until};
use crate::jobs::cache::{CachedBody, LocalizedBody};
use crate::runtime::fault;
use crate::stores::state::audits::StoredAudit;

/// How a result is shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum View {
    Json,
    Html,
    Markdown,
    Badge,
}

/// A result as it is shown.
#[derive(Clone, Debug)]
pub(crate) struct RenderedView {
    pub(crate) view: View,
    pub(crate) cached: CachedBody,
}

/// A rendered result.
#[derive(Debug)]
pub(super) struct RenderedAudit {
    pub(super) status: Status,
    pub(super) stored: StoredAudit,
}

impl View {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Json, Self::Html, Self::Markdown, Self::Badge];

    /// The part after the id in the name of a view.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Json => "",
            Self::Html => ".html",
            Self::Markdown => ".md",
            Self::Badge => ".svg",
        }
    }

    /// Its media type.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Html => "text/html; charset=utf-8",
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Badge => "image/svg+xml",
        }
    }

    /// The view of a result that is kept as JSON. Takes milliseconds.
    ///
    /// # Errors
    ///
    /// When the result cannot be parsed.
    pub(super) fn render(self, json: &Bytes) -> io::Result<Bytes> {
        use visibility_core::report::audit::{badge, html, markdown};

        if self == Self::Json {
            return Ok(json.clone());
        }
        let result: AuditResult = serde_json::from_slice(json)?;
        let text = match self {
            Self::Json => return Ok(json.clone()),
            Self::Html => html::render(&result).into_string(),
            Self::Markdown => markdown::render(&result),
            Self::Badge => badge::render(&result),
        };
        Ok(text.into())
    }
}

/// Judges a snapshot and tells the result. Takes tens of milliseconds.
///
/// # Errors
///
/// When it cannot be written as JSON, which is our fault.
pub(super) fn render(snapshot: &PageSnapshot, page: &RequestedPage) -> io::Result<RenderedAudit> {
    fault::panic_point(fault::JUDGE_AUDIT);
    let report = audit(snapshot);
    let rendered =
        LocalizedBody::render_each(|lang| Ok(serde_json::to_vec(&report.result(lang))?.into()))?;
    let compressed = rendered.gzip()?;
    let created_at = snapshot.taken_at;
    let status = report.status();
    let stored = StoredAudit {
        id: snapshot.id.to_string(),
        name: is_reusable(status).then(|| page.name().to_owned()),
        created_at,
        expires_at: fresh_until(created_at),
        rubric: RUBRIC_VERSION.to_owned(),
        en: compressed.en,
        tr: compressed.tr,
    };
    Ok(RenderedAudit { status, stored })
}

/// Whether what was found would be found again: a server that failed or said nothing may be well in a second.
fn is_reusable(status: Status) -> bool {
    match status {
        Status::Completed
        | Status::Partial
        | Status::Blocked
        | Status::NotFound
        | Status::NotHtml => true,
        Status::ServerError | Status::Unreachable => false,
    }
}
