//! The consent page.

use axum::response::Response;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::user::User;
use visibility_core::text::escape::html;

use super::{LEADING_AWAY, PageContent, PageContext, PageKind, SIGN_OUT_PATH, hidden, respond};
use crate::oauth::request::AuthorizationRequest;

/// Renders the page for a signed-in person.
pub(in super::super) fn consent(
    context: &PageContext,
    request: &AuthorizationRequest,
    sign: &str,
    user: &User,
) -> Response {
    let text = |id| context.text("consent", id);
    let body = format!(
        "<h1>{title}</h1>\n<p>{lead}</p>\n{facts}{warning}{scopes}\
         <form method=\"post\" action=\"{action}\" class=\"decision\">\n{hidden}{buttons}</form>\n\
         <form method=\"post\" action=\"{sign_out}\" class=\"other\">\n{hidden}\
         <input type=\"hidden\" name=\"request\" value=\"{query}\">\n\
         <button type=\"submit\" class=\"link\">{other}</button>\n</form>\n",
        title = context.fill("consent", "title", ("client", &request.client.name)),
        lead = text("lead"),
        facts = facts(context, request, user),
        warning = warning(context, request),
        scopes = scopes(context, request, user),
        action = html(&context.address()),
        hidden = hidden(context, sign),
        buttons = buttons(context, request, user),
        sign_out = html(&context.place.link(SIGN_OUT_PATH)),
        query = html(&context.query),
        other = text("other"),
    );
    let title = context.fill("consent", "title", ("client", &request.client.name));
    respond(
        context,
        PageContent { kind: PageKind::Wanted, title: &title, body, policy: LEADING_AWAY },
    )
}

/// Who asks, where the browser will go, and for whom.
fn facts(context: &PageContext, request: &AuthorizationRequest, user: &User) -> String {
    let text = |id| context.text("consent", id);
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
    ]
    .map(|(term, value)| format!("<dt>{term}</dt>\n<dd>{value}</dd>\n"));
    format!("<dl class=\"facts card\">\n{}</dl>\n", rows.concat())
}

/// What to see before one approves.
fn warning(context: &PageContext, request: &AuthorizationRequest) -> String {
    if !request.is_local_program() {
        return String::new();
    }
    format!("<p class=\"notice\">{}</p>\n", context.text("consent", "loopback"))
}

/// What the client will be able to do, and what it asks for in vain.
fn scopes(context: &PageContext, request: &AuthorizationRequest, user: &User) -> String {
    let granted = request.grantable(&user.scopes);
    let list = |scopes: &mut dyn Iterator<Item = Scope>| -> String {
        scopes
            .map(|scope| {
                let words = context.text("scopes", scope.as_str());
                format!("<li>{words} <code>{scope}</code></li>\n")
            })
            .collect()
    };
    let able = list(&mut granted.iter().copied());
    let unable = list(&mut request.scopes.difference(&granted).copied());
    let section = |id, items: &str| match items {
        "" => String::new(),
        items => format!("<h2>{}</h2>\n<ul>\n{items}</ul>\n", context.text("consent", id)),
    };
    format!("{}{}", section("able", &able), section("unable", &unable))
}

fn buttons(context: &PageContext, request: &AuthorizationRequest, user: &User) -> String {
    let button = |decision, class| {
        format!(
            "<button type=\"submit\" name=\"decision\" value=\"{decision}\"{class}>{}</button>\n",
            context.text("consent", decision)
        )
    };
    let deny = button("deny", " class=\"plain\"");
    if request.grantable(&user.scopes).is_empty() {
        return deny;
    }
    format!("{}{deny}", button("approve", ""))
}
