//! The page of a domain: its result, how far its scan is, or why there is no result.

use axum::response::Response;
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use url::form_urlencoded;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::fetch::domain::Domain;
use visibility_core::limits::USUAL_REQUESTS;
use visibility_core::report::history::{self, ScanHistory};
use visibility_core::report::labels::Labels;
use visibility_core::report::parts::{Place, checks, matrix, observations, plan, score};
use visibility_core::scan::day::ScanDay;
use visibility_core::scan::result::ScanResult;
use visibility_core::text::locale::{Catalog, Values};
use visibility_core::text::markup::{Shown, shown};

use super::history::history_path;
use super::{COMPARE_PATH, SHORTENED_PARAMETER, SIGN_PARAMETER, page_path};
use crate::http::response::ApiError;
use crate::jobs::cache::CachedBody;
use crate::jobs::scans::ScanProgress;
use crate::site::asker::{Asker, PageRequest};
use crate::site::layout::FrameKind;
use crate::site::page::{PageContent, PageContext, PageKind, respond};
use crate::site::problem_page::{self, ProblemPage};
use crate::site::result_page::{self, ResultPage};

/// Days with a scan that the page of a result has in its line.
const RECENT_DAYS: u32 = 100;
/// A sentence of these pages with several values.
fn fill(context: &PageContext, id: &str, values: [(&'static str, String); 2]) -> Shown<'static> {
    shown(Catalog::for_lang(context.lang).fill(&["accounts", "scan", id], &Values::from(values)))
}

/// The page for a person who may not scan.
pub(super) fn no_scope(context: &PageContext) -> Response {
    let title = context.text("scan", "no-scope-title");
    let body = html! {
        h1 { (title) }
        p.alert role="alert" { (context.text("scan", "no-scope").sentence()) }
    };
    respond(context, PageContent::new(PageKind::Refused, title, FrameKind::Plain, body))
}

/// The page of a domain that has no result.
pub(super) fn without_result(
    context: &PageContext,
    domain: &Domain,
    progress: ScanProgress,
) -> Response {
    match progress {
        ScanProgress::Here { answered } => {
            let planned = USUAL_REQUESTS.max(answered);
            let values = [("done", answered.to_string()), ("planned", planned.to_string())];
            waiting(context, domain, &fill(context, "waiting", values))
        }
        ScanProgress::Elsewhere => {
            waiting(context, domain, &context.text("scan", "waiting-elsewhere"))
        }
        ScanProgress::Failed(error) => failed(context, domain, &ApiError::from(error)),
        ScanProgress::None => none(context, domain),
    }
}

fn waiting(context: &PageContext, domain: &Domain, how_far: &Shown<'_>) -> Response {
    let title = context.fill("scan", "waiting-title", ("domain", domain.as_str()));
    result_page::waiting(context, title, how_far)
}

/// The way to the form with the domain in it.
pub(super) fn again(context: &PageContext, domain: &Domain) -> Markup {
    let target = form_urlencoded::Serializer::new(String::new())
        .append_pair("target", domain.as_str())
        .finish();
    html! {
        p.buttons {
            a.button href=(context.base.link(&format!("/?{target}"))) { (context.text("scan", "again")) }
        }
    }
}

fn failed(context: &PageContext, domain: &Domain, error: &ApiError) -> Response {
    let page = ProblemPage {
        title: Some(none_title(context, domain)),
        below: Some(again(context, domain)),
        ..ProblemPage::default()
    };
    problem_page::respond_with(context, FrameKind::Plain, error, page)
}

fn none_title(context: &PageContext, domain: &Domain) -> Shown<'static> {
    context.fill("scan", "none-title", ("domain", domain.as_str()))
}

fn none(context: &PageContext, domain: &Domain) -> Response {
    let title = none_title(context, domain);
    let body = html! {
        h1 { (title) }
        p { (context.text("scan", "none")) }
        (again(context, domain))
    };
    let kind = PageKind::Problem(ErrorCode::NotFound);
    respond(context, PageContent::new(kind, title, FrameKind::Plain, body))
}

/// The page with a result.
///
/// # Errors
///
/// When the result cannot be read, which is our fault.
pub(super) async fn result(
    asked: PageRequest<'_>,
    domain: &Domain,
    asker: &Asker,
    cached: &CachedBody,
) -> Result<Response, ApiError> {
    let PageRequest { state, context, .. } = asked;
    let scans = &state.shared().scans;
    let name = (domain.as_str(), &*cached.tag);
    let page = ResultPage::new(context, scans.pages(), name, (asker, asker.may_see_all()));
    if let Some(rendered) = page.rendered(asked) {
        return Ok(rendered);
    }
    let read = scans.read(cached, context.lang).ok_or_else(ApiError::internal)?;
    let history = recent_history(asked, domain, &read).await?;
    let body = result_body(context, domain, &read, &history, cached.expires_at);
    let title = shown(Labels::new(context.lang).sentence("title", &[("domain", domain)]));
    Ok(page.respond(asked, asker, title, body))
}

fn result_body(
    context: &PageContext,
    domain: &Domain,
    result: &ScanResult,
    history: &ScanHistory,
    expires_at: DateTime<Utc>,
) -> Markup {
    let place = Place::new(Labels::new(context.lang));
    html! {
        @if has_parameter(context, SHORTENED_PARAMETER) {
            p.notice { (context.text("scan", "left-out").sentence()) }
        }
        (score::of_scan(result, &place))
        (downloads(context, domain, result, expires_at))
        (plan::of_scan(result, &place))
        (matrix::render(result, &place))
        (checks::render(result, &place))
        (observations::render(result, &place))
        (history_section(context, domain, history, &place))
    }
}

/// The last days of a domain, with that of a result, which may not be written yet.
async fn recent_history(
    asked: PageRequest<'_>,
    domain: &Domain,
    result: &ScanResult,
) -> Result<ScanHistory, ApiError> {
    let kept = asked.state.shared().scans.days(domain, RECENT_DAYS).await?.into_iter();
    let mut days: Vec<_> = kept.map(|day| (day.day, day.scanned_at, day.scan)).collect();
    if let Ok(scanned_at) = result.scanned_at.parse::<DateTime<Utc>>() {
        let today = scanned_at.date_naive();
        days.retain(|(day, ..)| *day < today);
        days.push((today, scanned_at, ScanDay::of(result)));
    }
    Ok(ScanHistory::new(domain.as_str(), &days))
}

/// The line of the score; nothing if there is only one day.
fn history_section(
    context: &PageContext,
    domain: &Domain,
    history: &ScanHistory,
    place: &Place,
) -> Markup {
    if history.days.len() < 2 {
        return html! {};
    }
    let query = own_query(context, SIGN_PARAMETER);
    let link = context.base.link(&format!("{}?{query}", history_path(domain)));
    html! {
        section {
            div.head {
                h2 #history { (context.text("scan", "history")) }
                a href=(link) { (context.text("scan", "history-changes")) }
            }
            (history::line(history, place))
        }
    }
}

fn has_parameter(context: &PageContext, wanted: &str) -> bool {
    form_urlencoded::parse(context.query.as_bytes()).any(|(name, _)| name == wanted)
}

/// The language, and a parameter of this page if it has it, for what belongs to the same domain.
pub(super) fn own_query(context: &PageContext, parameter: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("lang", context.lang.as_str());
    let found =
        form_urlencoded::parse(context.query.as_bytes()).find(|(name, _)| name == parameter);
    if let Some((name, value)) = found {
        query.append_pair(&name, &value);
    }
    query.finish()
}

/// The result as files, until when it is kept, and how to scan at once.
fn downloads(
    context: &PageContext,
    domain: &Domain,
    result: &ScanResult,
    expires_at: DateTime<Utc>,
) -> Markup {
    let query = own_query(context, SIGN_PARAMETER);
    let link = |file: &str| context.base.link(&format!("{}/{file}?{query}", page_path(domain)));
    let kept = [
        ("time", expires_at.format("%Y-%m-%d %H:%M UTC").to_string()),
        ("domain", domain.to_string()),
    ];
    html! {
        p.buttons {
            @if !result.fix_plan.is_empty() {
                a.button href="#plan" { (context.text("scan", "what-to-do")) }
            }
            @if !result.plan_files.is_empty() {
                a.button.plain href=(link("fixes.zip")) { (context.text("scan", "fixes")) }
            }
            @for (file, name) in [
                ("result.html", "HTML"), ("result.md", "Markdown"), ("result.json", "JSON"), ("result.svg", "SVG"),
            ] {
                a.button.plain href=(link(file)) { (name) }
            }
            a.button.plain href=(link("history")) { (context.text("scan", "history")) }
            a.button.plain href=(context.base.link(&format!("{COMPARE_PATH}?a={domain}&{query}"))) {
                (context.text("scan", "compare"))
            }
        }
        p.note { (fill(context, "kept", kept).sentence()) }
    }
}

/// The error of a result that is not there.
pub(super) fn no_result() -> ApiError {
    Problem::new(ErrorCode::NotFound, "scan-none").into()
}
