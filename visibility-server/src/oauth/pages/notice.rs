//! Error pages of the authorization endpoint.

use axum::response::Response;
use maud::html;
use visibility_core::error::Problem;

use super::{PageContent, PageContext, PageKind, STRICT, respond};
use crate::oauth::request::ErrorRedirect;
use crate::site::markup::{sentence, shown};

/// A request that is not shown, with the status of its problem.
pub(in super::super) fn refused(context: &PageContext, problem: &Problem) -> Response {
    let object = problem.object(context.lang);
    let title = context.text("refused", "title");
    let body = html! {
        h1 { (title) }
        p.alert role="alert" { (sentence(&object.message)) }
        @if let Some(hint) = &object.hint {
            p { (sentence(hint)) }
        }
    };
    let kind = PageKind::Problem(problem.code());
    respond(context, PageContent { kind, title: &title, body, policy: STRICT })
}

/// The notice before an error redirect, for a person who is not signed in: the author of the link may have
/// registered the client too, so the person sees the host before going there.
pub(in super::super) fn client_error(context: &PageContext, redirect: &ErrorRedirect) -> Response {
    let text = |id| context.text("invalid-request", id);
    let title = context.text("refused", "title");
    let host = ("host", redirect.host.as_str());
    let body = html! {
        h1 { (title) }
        p.alert role="alert" { (text("text")) }
        dl.facts.card {
            dt { (text("client")) }
            dd { (shown(&*redirect.client_name)) }
            dt { (text("error")) }
            dd { code { (redirect.error) } " " span lang="en" { (redirect.description) } }
            dt { (text("host")) }
            dd { code { (shown(&*redirect.host)) } }
        }
        p.notice { (text("caution")) }
        p {
            a href=(shown(&*redirect.address)) rel="nofollow noreferrer" {
                (context.fill("invalid-request", "go-on", host))
            }
        }
    };
    respond(
        context,
        PageContent { kind: PageKind::BadRequest, title: &title, body, policy: STRICT },
    )
}

/// A form that does not belong to the browser that has sent it, or not any more.
pub(in super::super) fn cross_origin_form(context: &PageContext) -> Response {
    let title = context.text("foreign", "title");
    let body = html! {
        h1 { (title) }
        p.alert role="alert" { (context.text("foreign", "text")) }
        p { a href=(context.address()) { (context.text("foreign", "again")) } }
    };
    respond(context, PageContent { kind: PageKind::Refused, title: &title, body, policy: STRICT })
}

/// The notice after signing out.
pub(in super::super) fn signed_out(context: &PageContext) -> Response {
    let title = context.text("signed-out", "title");
    let body = html! {
        h1 { (title) }
        p { (context.text("signed-out", "text")) }
    };
    respond(context, PageContent { kind: PageKind::Wanted, title: &title, body, policy: STRICT })
}
