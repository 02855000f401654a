//! The form of one field.

use axum::http::{HeaderMap, HeaderValue};
use maud::{Markup, html};
use visibility_core::error::Problem;
use visibility_core::text::markup::{sentence, shown};

use super::{Asker, SCAN_PATH};
use crate::access::accounts::cookies::Cookie;
use crate::http::response::ApiError;
use crate::site::page::{PageContext, hidden};
use crate::site::sign_in::visitor;
use crate::state::AppState;

/// Characters of a value that are shown again.
const MAX_SHOWN: usize = 2_048;

/// What the form shows.
#[derive(Debug)]
pub(crate) struct ScanForm<'a> {
    /// What the form is signed with.
    pub(crate) sign: String,
    /// What is in the field.
    pub(crate) value: &'a str,
    /// What is wrong with it.
    pub(crate) error: Option<&'a Problem>,
    /// Who sees it.
    pub(crate) asker: &'a Asker,
}

/// The sign of the forms for someone, and the field that sets the cookie of a new visitor.
pub(super) fn sign(
    state: &AppState,
    asker: &Asker,
    headers: &HeaderMap,
) -> Result<(String, Option<HeaderValue>), ApiError> {
    let accounts = &state.shared().accounts;
    match asker {
        Asker::Person(session) => Ok((accounts.sign(session), None)),
        Asker::Visitor { .. } => {
            let (secret, cookie) = visitor(state, headers)?;
            Ok((accounts.form_key.sign(Cookie::Visitor, &secret), cookie))
        }
    }
}

impl ScanForm<'_> {
    /// The form, with what is wrong and what a scan does.
    pub(crate) fn render(&self, context: &PageContext) -> Markup {
        let text = |id| context.text("scan", id);
        let value: String = self.value.chars().take(MAX_SHOWN).collect();
        let problem = self.error.map(|problem| problem.object(context.lang));
        let is_at_home = matches!(self.asker, Asker::Visitor { is_at_home: true, .. });
        html! {
            form.card.ask method="post" action=(context.base.link(SCAN_PATH)) {
                (hidden(context, &self.sign))
                label.hidden for="target" { (text("field")) }
                input #target type="text" name="target" value=(shown(value)) placeholder="example.com" required
                    inputmode="url" autocapitalize="none" autocomplete="url" spellcheck="false"
                    aria-invalid=[problem.as_ref().map(|_| "true")]
                    aria-describedby=[problem.as_ref().map(|_| "target-error")];
                button type="submit" { (text("button")) }
            }
            @if let Some(problem) = &problem {
                p.alert #target-error role="alert" {
                    (sentence(&problem.message))
                    @if let Some(hint) = &problem.hint { " " (sentence(hint)) }
                }
            }
            p.hint { (text("about").sentence()) " " a href=(context.base.link("/bot")) { (text("bot")) } }
            @if is_at_home { p.notice { (text("at-home").sentence()) } }
        }
    }
}
