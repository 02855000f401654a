//! The page of an audit: its result, that it runs, or why there is no result.

use axum::response::Response;
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use url::{Url, form_urlencoded};
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::error::ErrorCode;
use visibility_core::report::audit::html::parts;
use visibility_core::report::labels::Labels;
use visibility_core::report::parts::Place;
use visibility_core::text::markup::shown;

use super::{AUDIT_PATH, form_path, page_path};
use crate::http::response::ApiError;
use crate::jobs::audits::AuditProgress;
use crate::jobs::cache::CachedBody;
use crate::site::asker::{Asker, PageRequest};
use crate::site::layout::FrameKind;
use crate::site::page::{PageContent, PageContext, PageKind, respond};
use crate::site::problem_page::{self, ProblemPage};
use crate::site::result_page::{self, ResultPage};

/// The page of an audit that has no result.
pub(super) fn without_result(context: &PageContext, progress: AuditProgress) -> Response {
    match progress {
        AuditProgress::Running => {
            let title = context.text("audit", "waiting-title");
            result_page::waiting(context, title, &context.text("audit", "waiting"))
        }
        AuditProgress::Failed(error) => failed(context, &error),
        AuditProgress::None => none(context),
    }
}

/// The way to the form.
fn again(context: &PageContext) -> Markup {
    html! {
        p.buttons {
            a.button href=(context.base.link(AUDIT_PATH)) { (context.text("audit", "title")) }
        }
    }
}

fn failed(context: &PageContext, error: &ApiError) -> Response {
    let page = ProblemPage {
        title: Some(context.text("audit", "none-title")),
        below: Some(again(context)),
        ..ProblemPage::default()
    };
    problem_page::respond_with(context, FrameKind::Plain, error, page)
}

/// That there is no result.
pub(super) fn none(context: &PageContext) -> Response {
    let title = context.text("audit", "none-title");
    let body = html! {
        h1 { (title) }
        p { (context.text("audit", "none")) }
        (again(context))
    };
    let kind = PageKind::Problem(ErrorCode::NotFound);
    respond(context, PageContent::new(kind, title, FrameKind::Plain, body))
}

/// The page with a result.
///
/// # Errors
///
/// When the result cannot be read, which is our fault.
pub(super) fn result(
    asked: PageRequest<'_>,
    asker: &Asker,
    id: AuditId,
    cached: &CachedBody,
) -> Result<Response, ApiError> {
    let PageRequest { state, context, .. } = asked;
    let audits = &state.shared().audits;
    let name = id.to_string();
    let page = ResultPage::new(context, audits.pages(), (AUDIT_PATH, &name), (asker, true));
    if let Some(rendered) = page.rendered(asked) {
        return Ok(rendered);
    }
    let read = audits.read(cached, context.lang).ok_or_else(ApiError::internal)?;
    let labels = Labels::new(context.lang);
    let actions = actions(context, &name, &read, cached.expires_at);
    let body = parts(&read, &Place::new(labels), &actions);
    let title = shown(labels.audit_sentence("title", &[("url", &read.url)]));
    Ok(page.respond(asked, asker, title, body))
}

/// The result as files, until when it is kept, and what else can be done.
fn actions(
    context: &PageContext,
    id: &str,
    result: &AuditResult,
    expires_at: DateTime<Utc>,
) -> Markup {
    let lang = context.lang;
    let file = |name: &str| context.base.link(&format!("{}/{name}?lang={lang}", page_path(id)));
    let site = Url::parse(&result.url).ok().and_then(|url| Some(url.host_str()?.to_owned()));
    let kept = expires_at.format("%Y-%m-%d %H:%M UTC").to_string();
    html! {
        p.buttons {
            @if !result.fixes.is_empty() {
                a.button href="#fixes" { (context.text("scan", "what-to-do")) }
            }
            @for (name, title) in [
                ("result.html", "HTML"), ("result.md", "Markdown"), ("result.json", "JSON"), ("result.svg", "SVG"),
            ] {
                a.button.plain href=(file(name)) { (title) }
            }
            a.button.plain href=(context.base.link(&form_path(&result.url))) { (context.text("audit", "again")) }
            @if let Some(site) = &site {
                a.button.plain href=(context.base.link(&scan_form(site))) { (context.text("audit", "scan-site")) }
            }
        }
        p.note { (context.fill("audit", "kept", ("time", &kept)).sentence()) }
    }
}

/// The path of the form to scan a domain.
fn scan_form(domain: &str) -> String {
    let query =
        form_urlencoded::Serializer::new(String::new()).append_pair("target", domain).finish();
    format!("/?{query}")
}
