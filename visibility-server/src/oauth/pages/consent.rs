//! The page on which a person decides.

use axum::http::StatusCode;
use axum::response::Response;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::user::User;
use visibility_core::text::escape::html;

use super::{Asked, LEADING_AWAY, Page, SIGN_OUT_PATH, answer, hidden};
use crate::oauth::request::AuthorizationRequest;

/// The page, for somebody who is signed in.
pub(in super::super) fn consent(
    asked: &Asked,
    request: &AuthorizationRequest,
    sign: &str,
    user: &User,
) -> Response {
    let text = |id| asked.text("consent", id);
    let body = format!(
        "<h1>{title}</h1>\n<p>{lead}</p>\n{facts}{warning}{scopes}\
         <form method=\"post\" action=\"{action}\" class=\"decision\">\n{hidden}{buttons}</form>\n\
         <form method=\"post\" action=\"{sign_out}\" class=\"other\">\n{hidden}\
         <input type=\"hidden\" name=\"request\" value=\"{query}\">\n\
         <button type=\"submit\" class=\"link\">{other}</button>\n</form>\n",
        title = asked.fill("consent", "title", ("client", &request.client.name)),
        lead = text("lead"),
        facts = facts(asked, request, user),
        warning = warning(asked, request),
        scopes = scopes(asked, request, user),
        action = html(&asked.address()),
        hidden = hidden(asked, sign),
        buttons = buttons(asked, request, user),
        sign_out = html(&asked.place.link(SIGN_OUT_PATH)),
        query = html(&asked.query),
        other = text("other"),
    );
    let title = asked.fill("consent", "title", ("client", &request.client.name));
    answer(asked, Page { status: StatusCode::OK, title: &title, body, policy: LEADING_AWAY })
}

/// Who asks, where the browser will go, and for whom.
fn facts(asked: &Asked, request: &AuthorizationRequest, user: &User) -> String {
    let text = |id| asked.text("consent", id);
    let client = &request.client;
    let origin = match &client.verified_host {
        Some(host) => format!("<code>{}</code>", html(host)),
        None => format!("<span class=\"warn\">{}</span>", text("unverified")),
    };
    let rows = [
        (text("client"), format!("<strong>{}</strong>", html(&client.name))),
        (text("domain"), origin),
        (text("redirect"), format!("<code>{}</code>", html(&request.redirect_host()))),
        (text("user"), format!("<code>{}</code>", html(user.name.as_str()))),
        (text("tenant"), format!("<code>{}</code>", html(user.tenant.as_str()))),
    ];
    let rows = rows.map(|(term, value)| format!("<dt>{term}</dt>\n<dd>{value}</dd>\n"));
    format!("<dl class=\"facts card\">\n{}</dl>\n", rows.concat())
}

/// What to see before one approves.
fn warning(asked: &Asked, request: &AuthorizationRequest) -> String {
    if !request.is_local_program() {
        return String::new();
    }
    format!("<p class=\"notice\">{}</p>\n", asked.text("consent", "loopback"))
}

/// What the client will be able to do, and what it asks for in vain.
fn scopes(asked: &Asked, request: &AuthorizationRequest, user: &User) -> String {
    let granted = request.grantable(&user.scopes);
    let list = |scopes: &mut dyn Iterator<Item = Scope>| -> String {
        scopes
            .map(|scope| {
                let words = asked.text("scopes", scope.as_str());
                format!("<li>{words} <code>{scope}</code></li>\n")
            })
            .collect()
    };
    let able = list(&mut granted.iter().copied());
    let unable = list(&mut request.scopes.difference(&granted).copied());
    let section = |id, items: &str| match items {
        "" => String::new(),
        items => format!("<h2>{}</h2>\n<ul>\n{items}</ul>\n", asked.text("consent", id)),
    };
    format!("{}{}", section("able", &able), section("unable", &unable))
}

fn buttons(asked: &Asked, request: &AuthorizationRequest, user: &User) -> String {
    let button = |decision, class| {
        format!(
            "<button type=\"submit\" name=\"decision\" value=\"{decision}\"{class}>{}</button>\n",
            asked.text("consent", decision)
        )
    };
    let deny = button("deny", " class=\"plain\"");
    if request.grantable(&user.scopes).is_empty() {
        return deny;
    }
    format!("{}{deny}", button("approve", ""))
}
