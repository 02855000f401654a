//! `/scan/{domain}/history`: the score of a domain on each day, and what has changed, as a page and as JSON.

use std::net::SocketAddr;

use axum::extract::rejection::PathRejection;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse as _, Response};
use chrono::NaiveDate;
use maud::html;
use visibility_core::fetch::domain::Domain;
use visibility_core::report::history::{self, ScanHistory};
use visibility_core::report::labels::Labels;
use visibility_core::report::parts::Place;

use super::{
    AnswerForm, COMPARE_PATH, SIGN_PARAMETER, may_see, page_path, pages, parse_domain,
    sign_in_first,
};
use crate::http::response::ApiError;
use crate::site::asker::{Asker, PageRequest};
use crate::site::layout::FrameKind;
use crate::site::page::{PageContext, PageKind};
use crate::site::problem_page;
use crate::site::result_file::private_json;
use crate::site::result_page::respond_to;
use crate::state::AppState;

/// The path of the history of a domain.
pub(super) fn history_path(domain: &Domain) -> String {
    format!("{}/history", page_path(domain))
}

/// `GET /scan/{domain}/history` and `history.json`.
pub(super) async fn show(
    form: AnswerForm,
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    path: Result<Path<String>, PathRejection>,
    (uri, headers): (Uri, HeaderMap),
) -> Response {
    let text = path.map_or_else(|_| char::REPLACEMENT_CHARACTER.to_string(), |Path(text)| text);
    let settings = &state.shared().settings;
    let domain = match parse_domain(&state, &text) {
        Ok(domain) => domain,
        Err(error) => {
            let context = PageContext::from_request(settings, "/", &uri, &headers);
            return problem_page::respond(&context, FrameKind::Plain, &error);
        }
    };
    let context = PageContext::from_request(settings, &history_path(&domain), &uri, &headers);
    let asked = PageRequest { state: &state, context: &context, peer, headers: &headers };
    let shown = show_history(asked, &domain, form).await;
    shown.unwrap_or_else(|error| match form {
        AnswerForm::Page => problem_page::respond(&context, FrameKind::Plain, &error),
        AnswerForm::Json => error.into_response(),
    })
}

async fn show_history(
    asked: PageRequest<'_>,
    domain: &Domain,
    form: AnswerForm,
) -> Result<Response, ApiError> {
    let PageRequest { state, context, peer, headers } = asked;
    let asker = Asker::from_request(state, Some(peer), headers).await?;
    if !may_see(state, &asker, headers, domain, &context.query) {
        return Ok(match asker {
            Asker::Person(_) => pages::no_scope(context),
            Asker::Visitor { .. } => sign_in_first(context, &context.path_and_query()),
        });
    }
    let history = state.shared().scans.history(domain).await?;
    Ok(match form {
        AnswerForm::Page => page(asked, domain, &asker, &history),
        AnswerForm::Json => private_json(&history),
    })
}

fn page(asked: PageRequest<'_>, domain: &Domain, asker: &Asker, history: &ScanHistory) -> Response {
    let PageRequest { state, context, .. } = asked;
    let labels = Labels::new(context.lang);
    let title = context.fill("scan", "history-title", ("domain", domain.as_str()));
    let months = state.shared().settings.retention.rollup_months.to_string();
    let query = pages::own_query(context, SIGN_PARAMETER);
    let link = |path: &str| context.base.link(&format!("{path}?{query}"));
    let compare = |days: Option<(NaiveDate, NaiveDate)>| {
        let days = days.map(|(from, to)| format!("&from={from}&to={to}")).unwrap_or_default();
        context.base.link(&format!("{COMPARE_PATH}?domain={domain}{days}&{query}"))
    };
    let body = html! {
        h1 { (title) }
        p.lead { (context.text("scan", "history-about")) }
        p.buttons {
            a.button.plain href=(link(&page_path(domain))) { (context.text("scan", "history-result")) }
            a.button.plain href=(compare(None)) { (context.text("scan", "compare-days")) }
            a.button.plain href=(link(&format!("{}.json", history_path(domain)))) { "JSON" }
        }
        (history::render(history, &Place::new(labels), |from, to| compare(Some((from, to)))))
        p.note {
            (context.fill("scan", "history-kept", ("months", &months))) " "
            a href=(context.base.link("/bot")) { (context.text("scan", "history-removed")) }
        }
    };
    respond_to(asked, asker, PageKind::Wanted, title, body)
}
