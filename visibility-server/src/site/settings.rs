//! `/settings`: what a person can see and change of their tenant and their account, without scripts.
//!
//! Nothing changes by `GET`, and every form has the sign of its session. The tenant is always that of the session: no
//! address and no field names one.

mod account;
mod keys;
mod notice;
mod overview;
mod password;
mod programs;
mod sessions;
mod tokens;

use std::net::SocketAddr;

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use axum::routing::get;
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use visibility_core::accounts::scope::Scope;

use self::notice::Notice;
use self::overview::{Remarks, minute};
use super::layout::{FrameKind, SitePart};
use super::page::{PageContent, PageContext, PageKind, hidden, respond, see_other, with_cookies};
use super::visit::Visit;
use super::{problem_page, sign_in};
use crate::access::accounts::form::{self, FormData};
use crate::http::client_address::client_address;
use crate::http::language;
use crate::http::response::ApiError;
use crate::http::urls::{ACCOUNT_PATH, SETTINGS_PATH};
use crate::settings::Settings;
use crate::site::sign_in::FormError;
use crate::state::AppState;
use visibility_core::text::markup::Shown;

/// What a form of the settings changes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Section {
    Keys,
    Tokens,
    Programs,
    Sessions,
    Password,
    Language,
}

impl Section {
    const ALL: [Self; 6] =
        [Self::Keys, Self::Tokens, Self::Programs, Self::Sessions, Self::Password, Self::Language];

    /// Where its forms are sent.
    fn path(self) -> &'static str {
        match self {
            Self::Keys => "/settings/keys",
            Self::Tokens => "/settings/tokens",
            Self::Programs => "/settings/programs",
            Self::Sessions => "/settings/sessions",
            Self::Password => "/settings/password",
            Self::Language => "/settings/language",
        }
    }

    /// Whether it is about the tenant, and not about the person alone.
    fn is_of_tenant(self) -> bool {
        matches!(self, Self::Keys | Self::Tokens)
    }
}

/// The routes of the settings.
pub(crate) fn routes() -> Router<AppState> {
    let router = Router::new()
        .route(
            SETTINGS_PATH,
            get(async |state, uri, headers| show(SETTINGS_PATH, state, uri, headers).await),
        )
        .route(
            ACCOUNT_PATH,
            get(async |state, uri, headers| show(ACCOUNT_PATH, state, uri, headers).await),
        );
    Section::ALL.into_iter().fold(router, |router, section| {
        // A browser that reloads what a form has shown comes back to the settings.
        let back = get(async |State(state): State<AppState>| {
            see_other(&super::BaseUrl::new(&state.shared().settings).link(SETTINGS_PATH))
        });
        let change = async move |State(state): State<AppState>,
                                 ConnectInfo(peer): ConnectInfo<SocketAddr>,
                                 request: Request| {
            change(&state, section, peer, request).await
        };
        router.route(section.path(), back.post(change))
    })
}

impl Visit {
    fn may_manage(&self) -> bool {
        self.user().scopes.contains(&Scope::Manage)
    }

    /// What the person can let keys do: no more than they may do themselves.
    fn grantable(&self) -> impl Iterator<Item = Scope> {
        Scope::FOR_PROGRAMS.into_iter().filter(|scope| self.user().scopes.contains(scope))
    }

    /// Where the settings of the person are.
    fn home(&self) -> &'static str {
        self.person(SitePart::Settings).settings
    }

    /// A sentence of the settings.
    fn text(&self, id: &str) -> Shown<'static> {
        self.context.text("settings", id)
    }

    /// A sentence of the settings with a value.
    fn fill(&self, id: &str, value: (&'static str, &str)) -> Shown<'static> {
        self.context.fill("settings", id, value)
    }

    /// Until when the old key or token works, as a sentence.
    fn overlap_end(&self, kind: &str, end: DateTime<Utc>) -> Shown<'static> {
        if end > self.now {
            self.fill(&format!("old-{kind}-works"), ("time", &minute(end)))
        } else {
            self.text(&format!("old-{kind}-ended"))
        }
    }

    /// A form of a section, around its fields.
    fn form(&self, section: Section, class: Option<&str>, fields: &Markup) -> Markup {
        html! {
            form method="post" action=(self.context.base.link(section.path())) class=[class] {
                (hidden(&self.context, &self.sign))
                (fields)
            }
        }
    }

    /// The answer with a page of the settings.
    fn respond(&self, kind: PageKind, title: Shown<'static>, body: Markup) -> Response {
        let person = self.person(SitePart::Settings);
        let page = PageContent::new(kind, title, FrameKind::Account(&person), body);
        respond(&self.context, page)
    }
}

/// What became of a form.
#[derive(Debug)]
enum Change {
    /// It is done, and the settings say so.
    Done(Notice),
    /// It is done, and something is to be seen now and never again.
    Secret(NewSecret),
    /// It is not done, and the settings say why.
    Refused(PageKind, Box<Remarks>),
}

impl Change {
    /// Nothing is changed, for a reason that is shown with the section.
    fn refused(visit: &Visit, kind: PageKind, section: Section, reason: Shown<'static>) -> Self {
        let remarks = Remarks { refusal: Some((section, reason)), ..Remarks::new(visit) };
        Self::Refused(kind, Box::new(remarks))
    }

    /// Nothing is changed, as things are not as the form says.
    fn conflict(visit: &Visit, section: Section, reason: Shown<'static>) -> Self {
        Self::refused(visit, PageKind::Conflict, section, reason)
    }
}

/// A key or token that is shown once.
#[derive(Debug)]
struct NewSecret {
    title: Shown<'static>,
    secret: String,
    /// The command to try it, as lines of a shell.
    command: String,
    /// What the command does.
    about_command: Shown<'static>,
    /// Until when the old one works, as a sentence.
    old: Option<Shown<'static>>,
}

/// `GET` of a page of the settings.
async fn show(
    path: &'static str,
    State(state): State<AppState>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let settings = &state.shared().settings;
    let context = PageContext::from_request(settings, path, &uri, &headers);
    let visit = match Visit::begin(&state, context, &headers).await {
        Ok(visit) => visit,
        Err(response) => return response,
    };
    if path == SETTINGS_PATH && !visit.may_manage() {
        return may_not_manage(&visit);
    }
    let notice = Notice::read(&headers);
    let forget = notice.and_then(|_| Notice::clear_header(settings));
    let remarks = Remarks { notice, ..Remarks::new(&visit) };
    let page = overview::show(&state, &visit, path, PageKind::Wanted, &remarks).await;
    with_cookies(page, [forget])
}

/// `POST` of a form of the settings.
async fn change(
    state: &AppState,
    section: Section,
    peer: SocketAddr,
    request: Request,
) -> Response {
    let settings = &state.shared().settings;
    let headers = request.headers().clone();
    // The pages that follow a form are those of the settings, whatever it was.
    let context = PageContext::new(settings, SETTINGS_PATH, String::new(), &headers);
    let (visit, form) = match read(state, context.clone(), request, &headers).await {
        Ok(read) => read,
        Err(error) => return error.respond(&context, FrameKind::Plain),
    };
    if section.is_of_tenant() && !visit.may_manage() {
        return may_not_manage(&visit);
    }
    let address = client_address(peer.ip(), &headers, &settings.trusted_proxies);
    let changed = match section {
        Section::Keys => keys::change(state, &visit, &form).await,
        Section::Tokens => tokens::change(state, &visit, &form).await,
        Section::Programs => programs::change(state, &visit, &form).await,
        Section::Sessions => sessions::change(state, &visit, &form).await,
        Section::Password => return password::change(state, &visit, form, address).await,
        Section::Language => return set_language(settings, &visit, &form),
    };
    answer(state, &visit, changed).await
}

/// The answer to a form.
async fn answer(state: &AppState, visit: &Visit, changed: Result<Change, ApiError>) -> Response {
    match changed {
        Ok(Change::Done(notice)) => {
            let settings = &state.shared().settings;
            let home = see_other(&visit.context.base.link(visit.home()));
            with_cookies(home, [notice.set_header(settings)])
        }
        Ok(Change::Secret(secret)) => show_secret(visit, &secret),
        Ok(Change::Refused(kind, remarks)) => {
            overview::show(state, visit, visit.home(), kind, &remarks).await
        }
        Err(error) => problem_page::respond(&visit.context, FrameKind::Plain, &error),
    }
}

/// A form with the sign of a session that lasts.
async fn read(
    state: &AppState,
    context: PageContext,
    request: Request,
    headers: &HeaderMap,
) -> Result<(Visit, FormData), FormError> {
    let form = sign_in::read_form(state, request).await?;
    let shared = state.shared();
    let session = shared.accounts.session(&shared.settings, headers).await?;
    let session = session.ok_or(FormError::Foreign)?;
    if !shared.accounts.is_signed(&form, &session) {
        return Err(FormError::Foreign);
    }
    let context = context.with_form_language(form.get("lang"));
    Ok((Visit::new(state, context, session), form))
}

/// The page for a person who lacks the scope.
fn may_not_manage(visit: &Visit) -> Response {
    let title = visit.text("may-not-manage");
    let command = format!("visibility-server users scopes {} --add manage", visit.user().name);
    let body = html! {
        h1 { (title) }
        p.alert role="alert" { (visit.text("scope-missing").sentence()) }
        p { (visit.text("scope-given")) }
        pre tabindex="0" { code { (command) } }
        p { a href=(visit.context.base.link(ACCOUNT_PATH)) { (visit.text("to-account")) } }
    };
    visit.respond(PageKind::Refused, title, body)
}

/// The only page that shows a key or token.
fn show_secret(visit: &Visit, secret: &NewSecret) -> Response {
    let body = html! {
        h1 { (secret.title) }
        p.notice role="status" { (visit.text("shown-once")) }
        pre.secret tabindex="0" aria-label=(secret.title) { code { (secret.secret) } }
        @if let Some(old) = &secret.old { p { (old) } }
        h2 { (visit.text("try-it")) }
        p { (secret.about_command) }
        pre tabindex="0" aria-label=(visit.text("try-it")) { code { (secret.command) } }
        p { a href=(visit.context.base.link(SETTINGS_PATH)) { (visit.text("back")) } }
    };
    visit.respond(PageKind::Wanted, secret.title.clone(), body)
}

fn set_language(settings: &Settings, visit: &Visit, form: &FormData) -> Response {
    let Ok(lang) = form.get("language").parse() else {
        return problem_page::respond(&visit.context, FrameKind::Plain, &form::broken());
    };
    let home = see_other(&visit.context.base.link(visit.home()));
    with_cookies(home, [language::remember(settings, lang)])
}
