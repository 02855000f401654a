//! The password of a person, in the settings.

use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;
use axum::response::Response;
use maud::{Markup, html};

use super::notice::Notice;
use super::overview::{self, Remarks, section as titled};
use super::{Section, Sender, Visit};
use crate::access::accounts::cookies::Cookie;
use crate::access::accounts::form::FormData;
use crate::access::accounts::sign_in::{SignInError, set_password, sign_in};
use crate::http::client_address::client_address;
use crate::http::response::{ApiError, whole_seconds};
use crate::site::layout::FrameKind;
use crate::site::markup::Shown;
use crate::site::page::{PageKind, see_other, with_cookies};
use crate::site::problem_page;
use crate::state::AppState;
use crate::stores::password_hash::{Password, PasswordError};

/// What is wrong with a new password.
#[derive(Debug)]
pub(super) struct Fault {
    field: Field,
    text: Shown<'static>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Field {
    Current,
    New,
}

/// Sets another password. All sessions end and this browser gets a new one; programs lose their access, as with
/// `users passwd`.
pub(super) async fn change(
    state: &AppState,
    visit: &Visit,
    mut form: FormData,
    sender: &Sender<'_>,
) -> Response {
    let (current, new) = (form.take("current"), form.take("new"));
    match try_change(state, visit, current, &new, sender).await {
        Ok(response) => response,
        Err(Refusal::Api(error)) => problem_page::respond(&visit.context, FrameKind::Plain, &error),
        Err(Refusal::Field(kind, fault, wait)) => {
            let remarks = Remarks { password: Some(fault), ..Remarks::new(visit) };
            let mut page = overview::show(state, visit, visit.home(), kind, &remarks).await;
            if let Some(wait) = wait {
                page.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait));
            }
            page
        }
    }
}

/// Why a password stays as it is.
#[derive(Debug)]
enum Refusal {
    /// Something is wrong with a field; after so many seconds there may be another try.
    Field(PageKind, Fault, Option<u64>),
    Api(ApiError),
}

async fn try_change(
    state: &AppState,
    visit: &Visit,
    current: String,
    new: &str,
    sender: &Sender<'_>,
) -> Result<Response, Refusal> {
    let shared = state.shared();
    let name = &visit.user().name;
    let password = Password::new(new, name).map_err(|error| {
        let id = match error {
            PasswordError::TooShort => "password-short",
            PasswordError::TooLong => "password-long",
            PasswordError::Name => "password-name",
        };
        let fault = Fault { field: Field::New, text: visit.text(id) };
        Refusal::Field(PageKind::BadRequest, fault, None)
    })?;
    let address =
        client_address(sender.peer.ip(), sender.headers, &shared.settings.trusted_proxies);
    // With the limits of signing in: who finds a browser that is signed in guesses no faster here.
    let refusal = |error| refusal(visit, error);
    sign_in(&shared.accounts, name.as_str(), current, address).await.map_err(refusal)?;
    let user = set_password(&shared.accounts, name.clone(), password).await.map_err(refusal)?;
    tracing::info!(user = %user.user.id, tenant = %user.user.tenant, "changed a password");
    let begun = shared.accounts.begin_session(user, None).await.map_err(Refusal::Api)?;
    let home = see_other(&visit.context.base.link(visit.home()));
    let settings = &shared.settings;
    let session = begun.and_then(|secret| Cookie::Session.set_header(settings, &secret));
    Ok(with_cookies(home, [session, Notice::PasswordChanged.set_header(settings)]))
}

fn refusal(visit: &Visit, error: SignInError) -> Refusal {
    let fault = |text| Fault { field: Field::Current, text };
    match error {
        SignInError::Refused => {
            Refusal::Field(PageKind::Refused, fault(visit.text("password-wrong")), None)
        }
        SignInError::TooMany(wait) => {
            let minutes = whole_seconds(wait).div_ceil(60).to_string();
            let text = visit.context.fill("sign-in", "too-many", ("minutes", &minutes));
            Refusal::Field(PageKind::TooManyRequests, fault(text), Some(whole_seconds(wait)))
        }
        SignInError::Busy => {
            let text = visit.context.text("sign-in", "busy");
            Refusal::Field(PageKind::Unavailable, fault(text), Some(5))
        }
        SignInError::Failed(error) => Refusal::Api(error),
    }
}

/// The part of the page.
pub(super) fn section(visit: &Visit, remarks: &Remarks) -> Markup {
    let fault = |field| remarks.password.as_ref().filter(|fault| fault.field == field);
    let alert = |field, id: &str| {
        html! {
            @if let Some(fault) = fault(field) {
                p.alert role="alert" id=(id) { (fault.text) }
            }
        }
    };
    let invalid = |field| fault(field).map(|_| "true");
    let described = |field, id: &'static str| fault(field).map(|_| id);
    let new_described = match fault(Field::New) {
        Some(_) => "password-new-fault password-hint",
        None => "password-hint",
    };
    let fields = html! {
        // For password managers, which keep a password below a name.
        input type="text" name="username" value=(visit.user().name.as_str()) autocomplete="username"
            hidden readonly;
        label for="password-current" { (visit.text("password-current")) }
        (alert(Field::Current, "password-current-fault"))
        input #password-current name="current" type="password" autocomplete="current-password"
            maxlength="1024" required aria-invalid=[invalid(Field::Current)]
            aria-describedby=[described(Field::Current, "password-current-fault")];
        label for="password-new" { (visit.text("password-new")) }
        (alert(Field::New, "password-new-fault"))
        input #password-new name="new" type="password" autocomplete="new-password"
            minlength="12" maxlength="1024" required aria-invalid=[invalid(Field::New)]
            aria-describedby=(new_described);
        p.hint #password-hint { (visit.text("password-hint")) }
        button type="submit" { (visit.text("password-change")) }
    };
    titled(visit, "password", &visit.form(Section::Password, Some("card"), &fields))
}
