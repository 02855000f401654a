//! Pages that say why there is nothing to decide.

use axum::http::StatusCode;
use axum::response::Response;
use visibility_core::error::Problem;
use visibility_core::text::escape::{html, html_sentence};

use super::{Asked, Page, STRICT, answer};
use crate::http::response::status_of;
use crate::oauth::request::Told;

/// A request that is not shown, with the status of its problem.
pub(in super::super) fn refused(asked: &Asked, problem: &Problem) -> Response {
    let object = problem.object(asked.lang);
    let hint = object.hint.map(|hint| format!("<p>{}</p>\n", html_sentence(&hint)));
    let title = asked.text("refused", "title");
    let body = format!(
        "<h1>{title}</h1>\n<p role=\"alert\" class=\"alert\">{}</p>\n{}",
        html_sentence(&object.message),
        hint.unwrap_or_default()
    );
    let status = status_of(problem.code());
    answer(asked, Page { status, title: &title, body, policy: STRICT })
}

/// What a client is to be told, for somebody who is not signed in: whoever has made the address may have
/// registered the client too, so that nobody is sent there before they have seen its host.
pub(in super::super) fn told(asked: &Asked, told: &Told) -> Response {
    let text = |id| asked.text("told", id);
    let title = asked.text("refused", "title");
    let error =
        format!("<code>{}</code> <span lang=\"en\">{}</span>", told.error, told.description);
    let rows = [
        (text("client"), html(&told.client_name)),
        (text("error"), error),
        (text("host"), format!("<code>{}</code>", html(&told.host))),
    ];
    let rows = rows.map(|(term, value)| format!("<dt>{term}</dt>\n<dd>{value}</dd>\n"));
    let body = format!(
        "<h1>{title}</h1>\n<p role=\"alert\" class=\"alert\">{text}</p>\n\
         <dl class=\"facts card\">\n{rows}</dl>\n<p class=\"notice\">{caution}</p>\n\
         <p><a href=\"{address}\" rel=\"nofollow noreferrer\">{go_on}</a></p>\n",
        text = text("text"),
        rows = rows.concat(),
        caution = text("caution"),
        address = html(&told.address),
        go_on = asked.fill("told", "go-on", ("host", &told.host)),
    );
    answer(asked, Page { status: StatusCode::BAD_REQUEST, title: &title, body, policy: STRICT })
}

/// A form that does not belong to the browser that has sent it, or not any more.
pub(in super::super) fn foreign(asked: &Asked) -> Response {
    let title = asked.text("foreign", "title");
    let body = format!(
        "<h1>{title}</h1>\n<p role=\"alert\" class=\"alert\">{}</p>\n\
         <p><a href=\"{}\">{}</a></p>\n",
        asked.text("foreign", "text"),
        html(&asked.address()),
        asked.text("foreign", "again"),
    );
    answer(asked, Page { status: StatusCode::FORBIDDEN, title: &title, body, policy: STRICT })
}

/// That somebody is signed out.
pub(in super::super) fn signed_out(asked: &Asked) -> Response {
    let title = asked.text("signed-out", "title");
    let body = format!("<h1>{title}</h1>\n<p>{}</p>\n", asked.text("signed-out", "text"));
    answer(asked, Page { status: StatusCode::OK, title: &title, body, policy: STRICT })
}
