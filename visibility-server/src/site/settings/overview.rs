//! The page with everything, and what was wrong with a form of it.

use axum::response::Response;
use chrono::{DateTime, TimeDelta, Utc};
use maud::{Markup, html};
use visibility_core::text::locale::Lang;

use super::account::Account;
use super::keys::KeyForm;
use super::notice::Notice;
use super::{Section, Visit, keys, password, programs, sessions, tokens};
use crate::http::urls::SETTINGS_PATH;
use crate::site::layout::FrameKind;
use crate::site::page::PageKind;
use crate::site::problem_page;
use crate::state::AppState;
use visibility_core::text::markup::{Shown, shown};

/// What the page says in addition to the keys, tokens, programs and sessions that there are.
#[derive(Debug)]
pub(super) struct Remarks {
    /// What was done last.
    pub(super) notice: Option<Notice>,
    /// Why a form of a section was refused as a whole.
    pub(super) refusal: Option<(Section, Shown<'static>)>,
    /// What was filled in for a new key, and what is wrong with it.
    pub(super) key: KeyForm,
    /// What is wrong with a new password.
    pub(super) password: Option<password::Fault>,
}

impl Remarks {
    /// Nothing to say.
    pub(super) fn new(visit: &Visit) -> Self {
        Self { notice: None, refusal: None, key: KeyForm::empty(visit), password: None }
    }

    /// The reason as an alert of its section.
    pub(super) fn alert(&self, section: Section) -> Markup {
        let found = self.refusal.as_ref().filter(|(own, _)| *own == section);
        html! {
            @if let Some((_, text)) = found { p.alert role="alert" { (text.sentence()) } }
        }
    }
}

/// The answer with the page.
pub(super) async fn show(
    state: &AppState,
    visit: &Visit,
    path: &str,
    kind: PageKind,
    remarks: &Remarks,
) -> Response {
    let account = match Account::load(state, visit).await {
        Ok(account) => account,
        Err(error) => return problem_page::respond(&visit.context, FrameKind::Plain, &error),
    };
    let shared = state.shared();
    // With another authorization server, programs get their access there.
    let has_programs = shared.auth.external.is_none();
    let title = visit.text(if path == SETTINGS_PATH { "title" } else { "account-title" });
    let body = html! {
        h1 { (title) }
        @if let Some(notice) = remarks.notice {
            p.notice.done role="status" { (visit.text(notice.id())) }
        }
        @if let Some(credentials) = account.credentials.as_ref().filter(|_| path == SETTINGS_PATH) {
            (keys::section(visit, credentials, remarks))
            (tokens::section(visit, credentials, remarks))
        }
        @if has_programs { (programs::section(visit, &account.programs, remarks)) }
        (sessions::section(visit, &account.sessions, remarks))
        (password::section(visit, remarks))
        (language(visit))
    };
    visit.respond(kind, title, body)
}

/// A part of the page below its heading.
pub(super) fn titled_section(visit: &Visit, id: &str, body: &Markup) -> Markup {
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (visit.text(id)) }
            (body)
        }
    }
}

fn language(visit: &Visit) -> Markup {
    let button = |lang: Lang, name: &str| {
        let is_chosen = visit.context.lang == lang;
        html! {
            button.plain type="submit" name="language" value=(lang) lang=(lang)
                aria-pressed=(if is_chosen { "true" } else { "false" }) { (name) }
        }
    };
    let fields = html! { (button(Lang::En, "English")) (button(Lang::Tr, "Türkçe")) };
    titled_section(visit, "language", &visit.form(Section::Language, Some("decision"), &fields))
}

/// A time in UTC, to the minute.
pub(super) fn moment(time: DateTime<Utc>) -> Markup {
    html! {
        time datetime=(time.format("%Y-%m-%dT%H:%MZ")) { (minute(time)) }
    }
}

/// The same as text.
pub(super) fn minute(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M UTC").to_string()
}

/// A fact with its name.
pub(super) fn fact(name: &Shown<'_>, value: &Markup) -> Markup {
    html! { dt { (name) } dd { (value) } }
}

/// A button that asks once more before it acts; `what` it acts on tells it from others of its name.
pub(super) fn confirmed(summary: &Shown<'_>, what: Option<&Shown<'_>>, form: &Markup) -> Markup {
    let label = what.map(|what| shown(format!("{} {}", summary.as_str(), what.as_str())));
    html! {
        details.action {
            summary aria-label=[label] { (summary) }
            (form)
        }
    }
}

/// What is wrong with a field, if anything is.
#[derive(Debug)]
pub(super) struct FieldFault<'a> {
    /// Id of the element that says it.
    pub(super) id: &'a str,
    pub(super) text: Option<&'a Shown<'static>>,
}

impl FieldFault<'_> {
    /// The value of `aria-invalid` of the field.
    pub(super) fn invalid(&self) -> Option<&'static str> {
        self.text.map(|_| "true")
    }

    /// The ids of what describes the field: what is wrong, and its hint.
    pub(super) fn described_by(&self, hint: Option<&str>) -> Option<String> {
        let ids: Vec<&str> = self.text.map(|_| self.id).into_iter().chain(hint).collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }

    /// The element that says what is wrong.
    pub(super) fn alert(&self) -> Markup {
        html! {
            @if let Some(text) = self.text {
                p.alert id=(self.id) role="alert" { (text.sentence()) }
            }
        }
    }
}

/// The field that says how long the old key or token works after a rotation.
pub(super) fn overlap_field(visit: &Visit, id: &str) -> Markup {
    html! {
        label for=(id) { (visit.text("overlap")) }
        select id=(id) name="overlap" {
            @for (value, text) in OVERLAPS {
                option value=(value) selected[value == "7"] { (visit.text(text)) }
            }
        }
    }
}

/// Days that an old key or token can work on, each with its name in `locales/`.
const OVERLAPS: [(&str, &str); 4] =
    [("0", "overlap-none"), ("1", "overlap-day"), ("7", "overlap-week"), ("30", "overlap-month")];

/// The days of an overlap that was chosen.
pub(super) fn overlap(value: &str) -> Option<TimeDelta> {
    let known = OVERLAPS.into_iter().find(|(own, _)| *own == value);
    known.and_then(|(days, _)| days.parse().ok()).map(TimeDelta::days)
}
