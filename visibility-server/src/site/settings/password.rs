//! The password of a person, in the settings.

use std::net::IpAddr;

use axum::response::Response;
use maud::{Markup, html};

use super::notice::Notice;
use super::overview::{self, FieldFault, Remarks, titled_section};
use super::{Section, Visit};
use crate::access::accounts::cookies::Cookie;
use crate::access::accounts::form::FormData;
use crate::access::accounts::sign_in::{SignInError, set_password, sign_in};
use crate::http::response::ApiError;
use crate::site::layout::FrameKind;
use crate::site::page::{PageKind, see_other, with_cookies};
use crate::site::problem_page;
use crate::site::sign_in::form::SignInNotice;
use crate::state::AppState;
use crate::stores::password_hash::{Password, PasswordError};
use visibility_core::text::markup::Shown;

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
    address: IpAddr,
) -> Response {
    let (current, new) = (form.take("current"), form.take("new"));
    match try_change(state, visit, current, &new, address).await {
        Ok(response) => response,
        Err(Refusal::Api(error)) => problem_page::respond(&visit.context, FrameKind::Plain, &error),
        Err(Refusal::New(fault)) => refuse(state, visit, PageKind::BadRequest, fault).await,
        Err(Refusal::Current(notice)) => {
            let text = match notice {
                SignInNotice::Refused => visit.text("password-wrong"),
                SignInNotice::TooMany(_) | SignInNotice::Busy => notice.text(&visit.context),
            };
            let fault = Fault { field: Field::Current, text };
            let mut page = refuse(state, visit, notice.kind(), fault).await;
            notice.put_retry_after(&mut page);
            page
        }
    }
}

/// The settings, with what is wrong with a field.
async fn refuse(state: &AppState, visit: &Visit, kind: PageKind, fault: Fault) -> Response {
    let remarks = Remarks { password: Some(fault), ..Remarks::new(visit) };
    overview::show(state, visit, visit.home(), kind, &remarks).await
}

/// Why a password stays as it is.
#[derive(Debug)]
enum Refusal {
    /// The new one is not good enough.
    New(Fault),
    /// The current one is wrong, or cannot be checked now.
    Current(SignInNotice),
    Api(ApiError),
}

impl From<SignInError> for Refusal {
    fn from(error: SignInError) -> Self {
        SignInNotice::from_error(error).map_or_else(Self::Api, Self::Current)
    }
}

async fn try_change(
    state: &AppState,
    visit: &Visit,
    current: String,
    new: &str,
    address: IpAddr,
) -> Result<Response, Refusal> {
    let shared = state.shared();
    let name = &visit.user().name;
    let password = Password::new(new, name).map_err(|error| {
        let id = match error {
            PasswordError::TooShort => "password-short",
            PasswordError::TooLong => "password-long",
            PasswordError::Name => "password-name",
        };
        Refusal::New(Fault { field: Field::New, text: visit.text(id) })
    })?;
    // With the limits of signing in: who finds a browser that is signed in guesses no faster here.
    sign_in(&shared.accounts, name.as_str(), current, address).await?;
    let user = set_password(&shared.accounts, name.clone(), password).await?;
    tracing::info!(user = %user.user.id, tenant = %user.user.tenant, "changed a password");
    let begun = shared.accounts.begin_session(user, None).await.map_err(Refusal::Api)?;
    let home = see_other(&visit.context.base.link(visit.home()));
    let settings = &shared.settings;
    let session = begun.and_then(|secret| Cookie::Session.set_header(settings, &secret));
    Ok(with_cookies(home, [session, Notice::PasswordChanged.set_header(settings)]))
}

/// The part of the page.
pub(super) fn section(visit: &Visit, remarks: &Remarks) -> Markup {
    let fault = |field, id| {
        let found = remarks.password.as_ref().filter(|fault| fault.field == field);
        FieldFault { id, text: found.map(|fault| &fault.text) }
    };
    let current = fault(Field::Current, "password-current-fault");
    let new = fault(Field::New, "password-new-fault");
    let fields = html! {
        // For password managers, which keep a password below a name.
        input type="text" name="username" value=(visit.user().name.as_str()) autocomplete="username"
            hidden readonly;
        label for="password-current" { (visit.text("password-current")) }
        (current.alert())
        input #password-current name="current" type="password" autocomplete="current-password"
            maxlength="1024" required aria-invalid=[current.invalid()]
            aria-describedby=[current.described_by(None)];
        label for="password-new" { (visit.text("password-new")) }
        (new.alert())
        input #password-new name="new" type="password" autocomplete="new-password"
            minlength="12" maxlength="1024" required aria-invalid=[new.invalid()]
            aria-describedby=[new.described_by(Some("password-hint"))];
        p.hint #password-hint { (visit.text("password-hint")) }
        button type="submit" { (visit.text("password-change")) }
    };
    titled_section(visit, "password", &visit.form(Section::Password, Some("card"), &fields))
}
