//! A request of a person who is signed in.

use axum::http::HeaderMap;
use axum::response::Response;
use chrono::{DateTime, Utc};
use url::form_urlencoded;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::user::User;

use super::layout::{FrameKind, Person, SitePart};
use super::page::{PageContext, see_other};
use super::problem_page;
use crate::access::accounts::session::Session;
use crate::http::urls::SIGN_IN_PATH;
use crate::runtime::clock;
use crate::state::AppState;

/// A request of a person who is signed in.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) context: PageContext,
    session: Session,
    /// The sign of their forms.
    pub(crate) sign: String,
    pub(crate) now: DateTime<Utc>,
}

impl Visit {
    pub(crate) fn new(state: &AppState, context: PageContext, session: Session) -> Self {
        let sign = state.shared().accounts.sign(&session);
        Self { context, session, sign, now: clock::now() }
    }

    /// The visit of a person who is signed in; everyone else is asked to sign in.
    pub(crate) async fn begin(
        state: &AppState,
        context: PageContext,
        headers: &HeaderMap,
    ) -> Result<Self, Response> {
        let shared = state.shared();
        match shared.accounts.session(&shared.settings, headers).await {
            Ok(Some(session)) => Ok(Self::new(state, context, session)),
            Ok(None) => {
                let next = form_urlencoded::Serializer::new(String::new())
                    .append_pair("next", &context.path_and_query())
                    .finish();
                Err(see_other(&context.base.link(&format!("{SIGN_IN_PATH}?{next}"))))
            }
            Err(error) => Err(problem_page::respond(&context, FrameKind::Plain, &error)),
        }
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    pub(crate) fn user(&self) -> &User {
        &self.session.user.user
    }

    pub(crate) fn may(&self, scope: Scope) -> bool {
        self.user().scopes.contains(&scope)
    }

    /// The person in the frame of a page.
    pub(crate) fn person(&self, part: SitePart) -> Person<'_> {
        Person::new(self.user(), &self.sign, part)
    }
}
