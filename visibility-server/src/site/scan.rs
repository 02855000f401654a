//! `/scan`: scans a domain for a person with a browser, and shows the result.
//!
//! A form starts the scan, which goes on when the browser has left, and leads to the page of the domain. That page shows the
//! result, or how far the scan is, and asks for nothing: it can be reloaded, kept and shown around.

mod compare;
mod files;
pub(crate) mod form;
mod history;
mod pages;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use tokio::time::timeout;
use url::form_urlencoded;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::fetch::domain::Domain;

use self::form::ScanForm;
use super::asker::{Asker, PageRequest};
use super::audit;
use super::home::HomePages;
use super::page::{PageContext, see_other, with_cookies};
use super::problem_page;
use super::result_page::PATIENCE;
use super::sign_in::{FormError, read_form};
use super::target::{self, PastedTarget};
use crate::access::accounts::cookies::Cookie;
use crate::access::accounts::form::FormData;
use crate::http::response::ApiError;
use crate::http::urls::SIGN_IN_PATH;
use crate::jobs::audits::RequestedPage;
use crate::jobs::cache::{Coding, Representation};
use crate::jobs::quota::Quota;
use crate::jobs::scans::BegunScan;
use crate::site::layout::FrameKind;
use crate::state::AppState;

/// Where the form is sent, and what the pages of results are below.
pub(crate) const SCAN_PATH: &str = "/scan";
/// Scans beside each other.
const COMPARE_PATH: &str = "/compare";
/// The parameter that lets a visitor see the result that they asked for.
const SIGN_PARAMETER: &str = "for";
/// So many of them are looked at: as many as domains can be compared.
const MAX_SIGNS: usize = 5;
/// The parameter that says that the form had more than a domain.
const SHORTENED_PARAMETER: &str = "shortened";

/// The form of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum AnswerForm {
    Page,
    Json,
}

/// The routes of the pages.
pub(crate) fn routes(home: &Arc<HomePages>) -> Router<AppState> {
    let submitted = Arc::clone(home);
    let submit =
        async move |State(state): State<AppState>,
                    ConnectInfo(peer): ConnectInfo<SocketAddr>,
                    request: Request| { submit(&state, &submitted, peer, request).await };
    // A browser that reloads what the form has led to comes back to the form.
    let back = get(async |State(state): State<AppState>| {
        see_other(&super::BaseUrl::new(&state.shared().settings).link("/"))
    });
    Router::new()
        .route(SCAN_PATH, back.post(submit))
        .route("/scan/{domain}", get(show))
        .route("/scan/{domain}/history", history(AnswerForm::Page))
        .route("/scan/{domain}/history.json", history(AnswerForm::Json))
        .route("/scan/{domain}/{file}", get(files::show))
        .route(COMPARE_PATH, compare(AnswerForm::Page))
        .route("/compare.json", compare(AnswerForm::Json))
}

/// A comparison in a form.
fn compare(form: AnswerForm) -> MethodRouter<AppState> {
    get(
        async move |State(state): State<AppState>,
                    ConnectInfo(peer): ConnectInfo<SocketAddr>,
                    uri: Uri,
                    headers: HeaderMap| {
            compare::show(form, &state, peer, (&uri, &headers)).await
        },
    )
}

/// The history of a domain in a form.
fn history(form: AnswerForm) -> MethodRouter<AppState> {
    get(
        async move |state: State<AppState>,
                    peer: ConnectInfo<SocketAddr>,
                    path: Result<Path<String>, PathRejection>,
                    uri: Uri,
                    headers: HeaderMap| {
            history::show(form, state, peer, path, (uri, headers)).await
        },
    )
}

/// The path of the page of a domain.
fn page_path(domain: &Domain) -> String {
    format!("{SCAN_PATH}/{domain}")
}

/// `POST /scan`.
async fn submit(
    state: &AppState,
    home: &HomePages,
    peer: SocketAddr,
    request: Request,
) -> Response {
    let settings = &state.shared().settings;
    let headers = request.headers().clone();
    let context = PageContext::new(settings, "/", String::new(), &headers);
    let form = match read_form(state, request).await {
        Ok(form) => form,
        Err(error) => return error.respond(&context, FrameKind::Plain),
    };
    let context = context.with_form_language(form.get("lang"));
    let asked = PageRequest { state, context: &context, peer, headers: &headers };
    let begun = begin(asked, home, &form).await;
    begun.unwrap_or_else(|error| error.respond(&context, FrameKind::Plain))
}

/// Starts the scan that a form asks for, and leads to its page.
async fn begin(
    asked: PageRequest<'_>,
    home: &HomePages,
    form: &FormData,
) -> Result<Response, FormError> {
    let PageRequest { state, context, peer, headers } = asked;
    let asker = Asker::from_request(state, Some(peer), headers).await?;
    let sign = asker.check_sign(state, headers, form)?;
    let pasted = form.get("target");
    let target = target::parse(pasted);
    if !asker.may_scan() && !matches!(target, Ok(PastedTarget::Page(_))) {
        return Ok(refuse(context, &asker, pasted));
    }
    let again = |problem: &Problem| {
        let form = ScanForm { sign, value: pasted, error: Some(problem), asker: &asker };
        home.respond(context, &form)
    };
    let (domain, is_shortened) = match target {
        Ok(PastedTarget::Domain { domain, is_shortened }) => {
            if let Err(problem) = state.shared().scans.check(&domain) {
                return Ok(again(&problem));
            }
            (domain, is_shortened)
        }
        Ok(PastedTarget::Page(url)) => {
            let begun = audit::begin(asked, RequestedPage::new(url, None)).await;
            return match begun {
                Err(error) if audit::is_about_address(&error) => Ok(again(error.problem())),
                begun => Ok(begun?),
            };
        }
        Err(problem) => return Ok(again(&problem)),
    };
    let (subject, kind) = asker.quota(state, peer, headers);
    let representation = Representation { lang: context.lang, coding: Coding::Gzip };
    let scans = &state.shared().scans;
    let quota = Quota::unchecked(&state.shared().quotas, subject, kind);
    if let BegunScan::Running(run) = scans.begin(&domain, representation, &quota).await? {
        // How it ended is said by the page of the domain.
        drop(timeout(PATIENCE, run).await);
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    if let Some(sign) = sign_of_result(state, &asker, headers, &domain) {
        query.append_pair(SIGN_PARAMETER, &sign);
    }
    if is_shortened {
        query.append_pair(SHORTENED_PARAMETER, "1");
    }
    let (path, query) = (page_path(&domain), query.finish());
    let address = if query.is_empty() { path } else { format!("{path}?{query}") };
    Ok(see_other(&context.base.link(&address)))
}

/// What lets a visitor see the result that they asked for; nothing for one who may see all.
fn sign_of_result(
    state: &AppState,
    asker: &Asker,
    headers: &HeaderMap,
    domain: &Domain,
) -> Option<String> {
    if asker.may_see_all() {
        return None;
    }
    let visitor = Cookie::Visitor.read(&state.shared().settings, headers)?;
    Some(state.shared().accounts.form_key.sign_domain(&visitor, domain.as_str()))
}

/// The answer to one who may not start scans: a visitor is asked to sign in, and a person reads which scope is missing.
fn refuse(context: &PageContext, asker: &Asker, pasted: &str) -> Response {
    if let Asker::Person(_) = asker {
        return pages::no_scope(context);
    }
    let target =
        form_urlencoded::Serializer::new(String::new()).append_pair("target", pasted).finish();
    sign_in_first(context, &format!("/?{target}"))
}

/// Leads to the form to sign in, and from there to a path.
fn sign_in_first(context: &PageContext, next: &str) -> Response {
    let next = form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish();
    see_other(&context.base.link(&format!("{SIGN_IN_PATH}?{next}")))
}

/// `GET /scan/{domain}`.
async fn show(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    path: Result<Path<String>, PathRejection>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let text = path.map_or_else(|_| char::REPLACEMENT_CHARACTER.to_string(), |Path(text)| text);
    let settings = &state.shared().settings;
    let domain = match parse_domain(&state, &text) {
        Ok(domain) => domain,
        Err(error) => {
            let context = PageContext::from_request(settings, "/", &uri, &headers);
            return problem_page::respond(&context, FrameKind::Plain, &error);
        }
    };
    let path = page_path(&domain);
    let context = PageContext::from_request(settings, &path, &uri, &headers);
    // One page for each domain, however its name is written.
    if text != domain.as_str() {
        return see_other(&context.address());
    }
    let asked = PageRequest { state: &state, context: &context, peer, headers: &headers };
    let shown = show_domain(asked, &domain).await;
    shown.unwrap_or_else(|error| problem_page::respond(&context, FrameKind::Plain, &error))
}

async fn show_domain(asked: PageRequest<'_>, domain: &Domain) -> Result<Response, ApiError> {
    let PageRequest { state, context, peer, headers } = asked;
    let asker = Asker::from_request(state, Some(peer), headers).await?;
    if !may_see(state, &asker, headers, domain, &context.query) {
        return Ok(match asker {
            Asker::Person(_) => pages::no_scope(context),
            Asker::Visitor { .. } => sign_in_first(context, &context.path_and_query()),
        });
    }
    let scans = &state.shared().scans;
    let representation = Representation { lang: context.lang, coding: Coding::Gzip };
    if let Some(cached) = scans.cached(domain, representation).await {
        return pages::result(asked, domain, &asker, &cached).await;
    }
    Ok(pages::without_result(context, domain, scans.progress(domain).await?))
}

/// Whether one may see the result of a domain.
fn may_see(
    state: &AppState,
    asker: &Asker,
    headers: &HeaderMap,
    domain: &Domain,
    query: &str,
) -> bool {
    if asker.may_see_all() {
        return true;
    }
    let Asker::Visitor { .. } = asker else { return false };
    let Some(visitor) = Cookie::Visitor.read(&state.shared().settings, headers) else {
        return false;
    };
    // A comparison has one for each domain.
    form_urlencoded::parse(query.as_bytes())
        .filter(|(name, _)| name == SIGN_PARAMETER)
        .take(MAX_SIGNS)
        .any(|(_, sign)| {
            let form_key = &state.shared().accounts.form_key;
            form_key.is_sign_of_domain(&sign, &visitor, domain.as_str())
        })
}

/// The domain that a path names, if it may be scanned.
fn parse_domain(state: &AppState, text: &str) -> Result<Domain, ApiError> {
    let domain: Domain = text.parse().map_err(|error| Problem::from(&error))?;
    state.shared().scans.check(&domain)?;
    Ok(domain)
}

/// The home page with the form, for one who may use it; nothing for others, who get the page that is the same for all.
pub(crate) async fn home(
    state: &AppState,
    home: &HomePages,
    path: &'static str,
    peer: Option<SocketAddr>,
    (uri, headers): (&Uri, &HeaderMap),
) -> Option<Response> {
    let settings = &state.shared().settings;
    let mut context = PageContext::from_request(settings, path, uri, headers);
    if path != "/" {
        context.lang = visibility_core::text::locale::Lang::Tr;
    }
    let asker = match Asker::from_request(state, peer, headers).await {
        Ok(asker) => asker,
        Err(error) => return Some(problem_page::respond(&context, FrameKind::Plain, &error)),
    };
    if !asker.may_scan() {
        let Asker::Person(session) = &asker else { return None };
        let sign = state.shared().accounts.sign(session);
        return Some(home.respond_without_form(&context, session, &sign));
    }
    let shown = asker.sign(state, headers).map(|(sign, cookie)| {
        let pasted = form_urlencoded::parse(context.query.as_bytes());
        let pasted = pasted.into_iter().find(|(name, _)| name == "target");
        let value = pasted.map(|(_, value)| value.into_owned()).unwrap_or_default();
        let form = ScanForm { sign, value: &value, error: None, asker: &asker };
        with_cookies(home.respond(&context, &form), [cookie])
    });
    Some(shown.unwrap_or_else(|error| problem_page::respond(&context, FrameKind::Plain, &error)))
}

/// That there is nothing at an address.
fn not_found() -> ApiError {
    Problem::new(ErrorCode::NotFound, "unknown-route").into()
}
