//! `/logs`: which AI agents came, what they read and what they got, for people, without scripts.
//!
//! Every number is in the answer of a question about the agents that came, and the tenant is always that of the session.

mod address;
mod agents;
mod chart;
mod empty;
mod errors;
mod figures;
mod files;
mod hosts;
mod more;
mod overview;
mod sources;
mod view;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use maud::{Markup, PreEscaped, html};
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::report::traffic::TrafficWords;
use visibility_core::store::StoreError;
use visibility_core::text::markup::{Shown, shown};

use self::address::{ERROR_FILTERS, FILTERS, LogsAddress};
use self::agents::{AgentList, OneAgent};
use self::empty::EmptyPage;
use self::errors::ErrorList;
use self::hosts::HostList;
use self::overview::Overview;
use self::sources::SourceList;
use self::view::{LogsView, ServiceFacts};
use super::layout::{FrameKind, SitePart};
use super::page::{PageCaching, PageContent, PageContext, PageKind, respond, respond_with};
use super::problem_page::{self, ProblemPage};
use super::visit::Visit;
use crate::http::response::ApiError;
use crate::http::urls::LOGS_PATH;
use crate::http::validators::{digest, matches_etag};
use crate::settings::Settings;
use crate::state::{AppState, CountRequest};
use crate::stores::Stores;
use crate::stores::state::uncounted::UncountedDays;
use crate::traffic::QuestionKind;
use crate::traffic::answer_file::{AnswerFileFormat, state_tag};

/// One of the pages.
#[derive(Clone, Debug, Eq, PartialEq)]
enum LogsPage {
    Overview,
    Agents,
    /// The agent with an id.
    Agent(String),
    Hosts,
    Errors,
    Sources,
}

/// The content of a page.
struct PageBody {
    title: Shown<'static>,
    body: Markup,
}

/// What became of a request for a page.
enum PageOutcome {
    /// The page, and by what it is known.
    Page(String, PageBody),
    /// How records are sent.
    Empty(PageBody),
    /// The browser has the page already.
    Known(String),
    /// There is no such agent.
    NotFound,
}

/// A request for a page, with all that its content depends on.
struct PageRequest {
    state: AppState,
    page: LogsPage,
    view: LogsView,
    query: String,
    sign: String,
    may_manage: bool,
    headers: HeaderMap,
    now: DateTime<Utc>,
}

/// The routes of the pages.
pub(crate) fn routes() -> Router<AppState> {
    let pages = [
        (LOGS_PATH, LogsPage::Overview),
        ("/logs/agents", LogsPage::Agents),
        ("/logs/hosts", LogsPage::Hosts),
        ("/logs/errors", LogsPage::Errors),
        ("/logs/sources", LogsPage::Sources),
    ];
    let router = pages.into_iter().fold(Router::new(), |router, (path, page)| {
        let show = async move |State(state): State<AppState>, uri: Uri, headers: HeaderMap| {
            show(&state, page.clone(), path, (&uri, &headers)).await
        };
        router.route(path, get(show))
    });
    let agent = async |path: Result<Path<String>, PathRejection>,
                       State(state): State<AppState>,
                       uri: Uri,
                       headers: HeaderMap| {
        let id = path.map_or_else(|_| char::REPLACEMENT_CHARACTER.to_string(), |Path(id)| id);
        show(&state, LogsPage::Agent(id), uri.path(), (&uri, &headers)).await
    };
    let router = router.route("/logs/agents/{id}", get(agent));
    let formats = [(AnswerFileFormat::Csv, "csv"), (AnswerFileFormat::Json, "json")];
    let files = QuestionKind::ALL.into_iter().flat_map(|kind| formats.map(|format| (kind, format)));
    files.fold(router, |router, (kind, (format, extension))| {
        let path = format!("{LOGS_PATH}/{}.{extension}", kind.name());
        let show = async move |state: State<AppState>, request: Request| {
            files::show(state, request, kind, format).await
        };
        router.route(&path, get(show))
    })
}

/// The visit of a person who has a scope; everyone else signs in, or reads what is missing.
async fn begin(
    state: &AppState,
    context: PageContext,
    headers: &HeaderMap,
    scope: Scope,
) -> Result<Visit, Response> {
    let visit = Visit::begin(state, context, headers).await?;
    if visit.may(scope) { Ok(visit) } else { Err(may_not_read(&visit)) }
}

/// The page for a person who lacks the scope.
fn may_not_read(visit: &Visit) -> Response {
    let words = TrafficWords::new(visit.context.lang);
    let title = words.text("may-not-read");
    let command = format!("visibility-server users scopes {} --add logs:read", visit.user().name);
    let body = html! {
        h1 { (title) }
        p.alert role="alert" { (words.text("scope-missing").sentence()) }
        p { (words.text("scope-given")) }
        pre tabindex="0" { code { (shown(command)) } }
    };
    let person = visit.person(SitePart::Logs);
    let frame = FrameKind::Account(&person);
    respond(&visit.context, PageContent::new(PageKind::Refused, title, frame, body))
}

/// A problem as a page, with the way back to all records.
fn respond_problem(visit: &Visit, error: &ApiError) -> Response {
    let words = TrafficWords::new(visit.context.lang);
    let below = html! {
        p { a href=(visit.context.base.link(LOGS_PATH)) { (words.text("to-logs")) } }
    };
    let page = ProblemPage { below: Some(below), ..ProblemPage::default() };
    let person = visit.person(SitePart::Logs);
    problem_page::respond_with(&visit.context, FrameKind::Account(&person), error, page)
}

async fn show(
    state: &AppState,
    page: LogsPage,
    path: &str,
    (uri, headers): (&Uri, &HeaderMap),
) -> Response {
    let context = PageContext::from_request(&state.shared().settings, path, uri, headers);
    let visit = match begin(state, context, headers, Scope::LogsRead).await {
        Ok(visit) => visit,
        Err(response) => return response,
    };
    let shown = show_page(state, &visit, page, headers).await;
    shown.unwrap_or_else(|error| respond_problem(&visit, &error))
}

async fn show_page(
    state: &AppState,
    visit: &Visit,
    page: LogsPage,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let tenant = visit.user().tenant.clone();
    let request = PageRequest {
        state: state.clone(),
        view: page.view(&state.shared().settings, visit, &tenant)?,
        page,
        query: visit.context.query.clone(),
        sign: visit.sign.clone(),
        may_manage: visit.may(Scope::Manage),
        headers: headers.clone(),
        now: visit.now,
    };
    let turn = CountRequest { tenant: &tenant, reads_files: false };
    let outcome =
        state.count(turn, move |stores, _is_stopped| Ok(request.outcome(stores)?)).await?;
    let person = visit.person(SitePart::Logs);
    let frame = FrameKind::Account(&person);
    let content = |page: PageBody| {
        PageContent::new(PageKind::Wanted, page.title, frame, page.body).of_parts()
    };
    Ok(match outcome {
        PageOutcome::Page(tag, page) => {
            respond(&visit.context, content(page).cached(PageCaching::Private(tag), headers))
        }
        PageOutcome::Empty(page) => respond(&visit.context, content(page)),
        PageOutcome::Known(tag) => {
            let page = content(PageBody { title: shown(""), body: html! {} });
            let page = page.cached(PageCaching::Private(tag), headers);
            respond_with(&visit.context, page, Bytes::new())
        }
        PageOutcome::NotFound => {
            return Err(Problem::new(ErrorCode::NotFound, "unknown-route").into());
        }
    })
}

impl LogsPage {
    /// Its path and query, read.
    fn view(
        &self,
        settings: &Settings,
        visit: &Visit,
        tenant: &TenantSlug,
    ) -> Result<LogsView, ApiError> {
        let (filters, fields): (&[_], &[_]) = match self {
            Self::Overview | Self::Agents => (&FILTERS, &["host", "purpose", "agent"]),
            Self::Agent(_) => (&["host"], &["host"]),
            Self::Hosts => (&FILTERS, &["purpose", "agent"]),
            Self::Errors => (&ERROR_FILTERS, &["host", "purpose", "agent"]),
            Self::Sources => (&FILTERS, &[]),
        };
        let today = visit.now.date_naive();
        let mut address = LogsAddress::read(tenant, &visit.context.query, filters, today)?;
        if let Self::Agent(id) = self {
            address = address.of_agent(id);
        }
        Ok(LogsView {
            base: visit.context.base.clone(),
            words: TrafficWords::new(visit.context.lang),
            address,
            path: visit.context.path().to_owned(),
            fields,
            service: ServiceFacts::new(settings, tenant),
        })
    }
}

impl PageRequest {
    fn outcome(&self, stores: &Stores) -> Result<PageOutcome, StoreError> {
        let Self { view, now, .. } = self;
        if let Some(empty) = EmptyPage::load(stores, view, self.may_manage, *now)? {
            let title = view.text("empty-title");
            let body = empty.render(view, &self.sign);
            return Ok(PageOutcome::Empty(PageBody { title, body }));
        }
        let state = state_tag(stores, &view.address.selection.tenant, *now)?;
        let lang = view.words.lang();
        let today = now.date_naive();
        // The same for all persons of the tenant.
        let content = format!("{:?} {} {lang} {today} {state}", self.page, self.query);
        let content = format!("{} {}", view.address.selection.tenant, digest(content.as_bytes()));
        // The frame has a form of the session, so another session has another page.
        let tag = digest(format!("{content} {}", self.sign).as_bytes());
        if HeaderValue::try_from(format!("\"{tag}\""))
            .is_ok_and(|tag| matches_etag(&self.headers, &tag))
        {
            return Ok(PageOutcome::Known(tag));
        }
        let pages = &self.state.shared().logs_pages;
        if let Some(page) = pages.get(&content).as_deref().and_then(PageBody::from_bytes) {
            return Ok(PageOutcome::Page(tag, page));
        }
        let Some(page) = self.render(stores)? else { return Ok(PageOutcome::NotFound) };
        pages.insert(&content, page.to_bytes());
        Ok(PageOutcome::Page(tag, page))
    }

    /// The page; none of an agent that is not known.
    fn render(&self, stores: &Stores) -> Result<Option<PageBody>, StoreError> {
        let Self { view, now, .. } = self;
        let (title, body) = match &self.page {
            LogsPage::Overview => {
                let page = Overview::load(stores, &view.address, *now)?;
                (view.text("title"), page.render(view))
            }
            LogsPage::Agents => {
                let page = AgentList::load(stores, view, *now)?;
                (view.text("agents-title"), page.render(view))
            }
            LogsPage::Agent(_) => match OneAgent::load(stores, view, *now)? {
                Some(page) => (page.title(), page.render(view)),
                None => return Ok(None),
            },
            LogsPage::Hosts => {
                let page = HostList::load(stores, view, *now)?;
                (view.text("hosts-title"), page.render(view))
            }
            LogsPage::Errors => {
                let page = ErrorList::load(stores, view)?;
                (view.text("errors-title"), page.render(view))
            }
            LogsPage::Sources => {
                let page = SourceList::load(stores, view, *now)?;
                (view.text("sources-title"), page.render(view))
            }
        };
        Ok(Some(PageBody { title, body }))
    }
}

impl PageBody {
    /// Its title, which is one line, and then the rest.
    fn to_bytes(&self) -> Bytes {
        format!("{}\n{}", self.title.as_str().replace('\n', " "), self.body.0).into()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (title, body) = str::from_utf8(bytes).ok()?.split_once('\n')?;
        Some(Self { title: shown(title.to_owned()), body: PreEscaped(body.to_owned()) })
    }
}

/// That an earlier version has counted days without what a page shows.
fn uncounted(view: &LogsView, days: &[UncountedDays]) -> Markup {
    html! {
        @for days in days {
            p.note { (view.words.fill("uncounted", [("days", view.words.days(days.from, days.to))])) }
        }
    }
}
