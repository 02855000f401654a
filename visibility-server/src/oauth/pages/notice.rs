//! Error pages of the authorization endpoint.

use axum::response::Response;
use visibility_core::error::Problem;
use visibility_core::text::escape::{html, html_sentence};

use super::{PageContent, PageContext, PageKind, STRICT, respond};
use crate::oauth::request::ErrorRedirect;

/// A request that is not shown, with the status of its problem.
pub(in super::super) fn refused(context: &PageContext, problem: &Problem) -> Response {
    let object = problem.object(context.lang);
    let hint = object.hint.map(|hint| format!("<p>{}</p>\n", html_sentence(&hint)));
    let title = context.text("refused", "title");
    let body = format!(
        "<h1>{title}</h1>\n<p role=\"alert\" class=\"alert\">{}</p>\n{}",
        html_sentence(&object.message),
        hint.unwrap_or_default()
    );
    let kind = PageKind::Problem(problem.code());
    respond(context, PageContent { kind, title: &title, body, policy: STRICT })
}

/// The notice before an error redirect, for a person who is not signed in: the author of the link may have
/// registered the client too, so the person sees the host before going there.
pub(in super::super) fn client_error(context: &PageContext, redirect: &ErrorRedirect) -> Response {
    let text = |id| context.text("invalid-request", id);
    let title = context.text("refused", "title");
    let error = format!(
        "<code>{}</code> <span lang=\"en\">{}</span>",
        redirect.error, redirect.description
    );
    let rows = [
        (text("client"), html(&redirect.client_name)),
        (text("error"), error),
        (text("host"), format!("<code>{}</code>", html(&redirect.host))),
    ]
    .map(|(term, value)| format!("<dt>{term}</dt>\n<dd>{value}</dd>\n"));
    let body = format!(
        "<h1>{title}</h1>\n<p role=\"alert\" class=\"alert\">{text}</p>\n\
         <dl class=\"facts card\">\n{rows}</dl>\n<p class=\"notice\">{caution}</p>\n\
         <p><a href=\"{address}\" rel=\"nofollow noreferrer\">{go_on}</a></p>\n",
        text = text("text"),
        rows = rows.concat(),
        caution = text("caution"),
        address = html(&redirect.address),
        go_on = context.fill("invalid-request", "go-on", ("host", &redirect.host)),
    );
    respond(
        context,
        PageContent { kind: PageKind::BadRequest, title: &title, body, policy: STRICT },
    )
}

/// A form that does not belong to the browser that has sent it, or not any more.
pub(in super::super) fn cross_origin_form(context: &PageContext) -> Response {
    let title = context.text("foreign", "title");
    let body = format!(
        "<h1>{title}</h1>\n<p role=\"alert\" class=\"alert\">{}</p>\n\
         <p><a href=\"{}\">{}</a></p>\n",
        context.text("foreign", "text"),
        html(&context.address()),
        context.text("foreign", "again"),
    );
    respond(context, PageContent { kind: PageKind::Refused, title: &title, body, policy: STRICT })
}

/// The notice after signing out.
pub(in super::super) fn signed_out(context: &PageContext) -> Response {
    let title = context.text("signed-out", "title");
    let body = format!("<h1>{title}</h1>\n<p>{}</p>\n", context.text("signed-out", "text"));
    respond(context, PageContent { kind: PageKind::Wanted, title: &title, body, policy: STRICT })
}
