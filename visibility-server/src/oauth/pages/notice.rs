//! The notice before an error of a program is reported to it.

use axum::response::Response;
use maud::html;

use crate::oauth::request::ErrorRedirect;
use crate::site::layout::FrameKind;
use crate::site::page::{PageContent, PageContext, PageKind, respond};
use visibility_core::text::markup::shown;

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
    respond(context, PageContent::new(PageKind::BadRequest, title, FrameKind::Gate, body))
}
