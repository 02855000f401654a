//! The form to audit a page.

use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use axum::response::Response;
use maud::{Markup, html};
use visibility_core::audit::profile::Profile;
use visibility_core::report::labels::Labels;

use super::AUDIT_PATH;
use crate::http::response::ApiError;
use crate::site::asker::{Asker, PageRequest};
use crate::site::page::{PageContext, PageKind, field_error, field_value, hidden};
use crate::site::result_page::respond_to;

/// What the form shows.
#[derive(Debug)]
pub(super) struct AuditForm<'a> {
    /// What the form is signed with.
    pub(super) sign: String,
    /// What is in the field.
    pub(super) value: &'a str,
    /// The kind of page that was chosen.
    pub(super) profile: Option<Profile>,
    /// What is wrong with the address.
    pub(super) error: Option<&'a ApiError>,
}

impl AuditForm<'_> {
    /// The page with the form.
    pub(super) fn respond(&self, asked: PageRequest<'_>, asker: &Asker) -> Response {
        let PageRequest { context, .. } = asked;
        let title = context.text("audit", "title");
        let body = html! {
            div.pitch {
                h1 { (title) }
                p.lead { (context.text("audit", "lead").sentence()) }
                (self.render(context))
            }
        };
        let kind =
            self.error.map_or(PageKind::Wanted, |error| PageKind::Problem(error.problem().code()));
        let mut response = respond_to(asked, asker, kind, title, body);
        // The form is for one browser.
        let rule = HeaderValue::from_static("private, no-store");
        response.headers_mut().insert(CACHE_CONTROL, rule);
        response
    }

    fn render(&self, context: &PageContext) -> Markup {
        let text = |id| context.text("audit", id);
        let labels = Labels::new(context.lang);
        html! {
            form.card.ask method="post" action=(context.base.link(AUDIT_PATH)) {
                (hidden(context, &self.sign))
                label.hidden for="url" { (text("field")) }
                input #url type="text" name="url" value=(field_value(self.value)) placeholder="https://example.com/page" required
                    inputmode="url" autocapitalize="none" autocomplete="url" spellcheck="false"
                    aria-invalid=[self.error.map(|_| "true")]
                    aria-describedby=[self.error.map(|_| "url-error")];
                label.hidden for="profile" { (text("kind")) }
                select #profile name="profile" {
                    option value="" { (text("kind-detected")) }
                    @for profile in Profile::ALL {
                        option value=(profile.as_str()) selected[self.profile == Some(profile)] {
                            (labels.profile(profile))
                        }
                    }
                }
                button type="submit" { (text("button")) }
            }
            (field_error(context, "url-error", self.error.map(ApiError::problem)))
            p.hint { (text("about").sentence()) " " a href=(context.base.link("/bot")) { (text("bot")) } }
        }
    }
}
