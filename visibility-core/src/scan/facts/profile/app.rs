//! Signs of something to log in to, to book or to convert files with.
//!
//! A form alone makes no application: a request for a table, a search, a letter and a newsletter are read by
//! people, whatever their fields are called. What the site offers besides decides.

use crate::page::{Anchor, Form, Page};
use crate::scan::facts::profile::{SurfaceReason, fold, has_words};
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;

const LOGIN_WORDS: [&str; 11] = [
    "login",
    "log in",
    "signin",
    "sign in",
    "giriş",
    "giriş yap",
    "oturum aç",
    "oturumaç",
    "üye girişi",
    "uyegirisi",
    "kullanici girişi",
];

/// Texts of links to an account.
const ACCOUNT_WORDS: [&str; 18] = [
    "log in",
    "login",
    "sign in",
    "my account",
    "giriş yap",
    "üye girişi",
    "hesabim",
    "anmelden",
    "mein konto",
    "se connecter",
    "connexion",
    "mon compte",
    "iniciar sesión",
    "mi cuenta",
    "accedi",
    "iniciar sessão",
    "inloggen",
    "войти",
];

/// Segments of paths that lead to an account.
const ACCOUNT_SEGMENTS: [&str; 8] =
    ["account", "accounts", "login", "log-in", "signin", "sign-in", "my-account", "users"];

const BOOKING_WORDS: [&str; 14] = [
    "booking",
    "book now",
    "book a table",
    "reserve",
    "reservation",
    "appointment",
    "check in",
    "checkin",
    "rezervasyon",
    "rezervasyon yap",
    "randevu",
    "randevu al",
    "uçak bileti",
    "bilet ara",
];

/// Fields of the longest form to log in: a name, a password, a code.
const MAX_LOGIN_FIELDS: usize = 3;

/// At most one sign of each kind.
pub(super) fn reasons(site: &SiteSnapshot, offers_api: bool) -> Vec<SurfaceReason> {
    let Some(page) = site.page() else { return Vec::new() };
    let forms = &page.forms;
    let login = forms.iter().find(|form| is_login(form));
    let has_account = offers_api || login.is_some() || links_to_account(page);
    let found = [
        ("login-form", login),
        ("booking-form", forms.iter().find(|form| has_account && is_booking(form))),
        ("upload-form", forms.iter().find(|form| is_upload(form))),
    ];
    found
        .into_iter()
        .filter_map(|(id, form)| {
            let line = form?.line.to_string();
            Some(SurfaceReason::new(Surface::App, id).with("line", &line))
        })
        .collect()
}

/// A form with a password, or a short one that says so and sends its link or code by mail.
fn is_login(form: &Form) -> bool {
    let has = |kind: &str| form.fields.iter().any(|field| field.kind == kind);
    if has("password") {
        return true;
    }
    let is_short = form.fields.iter().filter(|field| is_typed(&field.kind)).count();
    let is_short = (1..=MAX_LOGIN_FIELDS).contains(&is_short) && !has("search");
    is_short && !has("textarea") && !has("date") && has_words(&words_of(form), &LOGIN_WORDS)
}

/// Whether the form takes a date or a place for its sender.
fn is_booking(form: &Form) -> bool {
    has_words(&words_of(form), &BOOKING_WORDS)
}

/// Whether all that the form takes is files, so that a program answers. One that takes a text besides is a
/// letter or an application for a job.
fn is_upload(form: &Form) -> bool {
    let mut kinds = form.fields.iter().map(|field| field.kind.as_str());
    kinds.clone().any(|kind| kind == "file") && !kinds.any(is_typed)
}

/// Whether a person types something into a field of this kind.
fn is_typed(kind: &str) -> bool {
    const CHOSEN: [&str; 10] = [
        "file", "hidden", "submit", "button", "image", "reset", "select", "checkbox", "radio",
        "range",
    ];
    !CHOSEN.contains(&kind)
}

/// Whether a link of the page leads to an account.
fn links_to_account(page: &Page) -> bool {
    let leads = |anchor: &Anchor| {
        let path = anchor.href.split(['?', '#']).next().unwrap_or_default();
        let mut segments = path.split('/');
        segments.any(|segment| ACCOUNT_SEGMENTS.contains(&segment))
            || ACCOUNT_WORDS.contains(&fold(anchor.text.trim()).as_str())
    };
    page.anchors.iter().any(leads)
}

/// What a form says about itself, its separators as spaces.
fn words_of(form: &Form) -> String {
    let text = format!("{} {} {}", form.action, form.hints, form.buttons.join(" "));
    fold(&text).replace(['-', '_', '/'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::FormField;

    fn form(action: &str, button: &str, kinds: &[&str]) -> Form {
        let field = |kind: &&str| FormField { kind: (*kind).to_owned(), name: String::new() };
        Form {
            action: action.to_owned(),
            buttons: vec![button.to_lowercase()],
            fields: kinds.iter().map(field).collect(),
            ..Form::default()
        }
    }

    #[test]
    fn newsletters_searches_and_letters_are_no_app() {
        for plain in [
            form("/search", "Search", &["search"]),
            form("/ara", "Ara", &["text"]),
            form("/newsletter", "Subscribe", &["email"]),
            form("/bulten", "Abone ol", &["email"]),
            form("/facebook", "Go", &["text"]),
            form("/jobs", "Apply", &["text", "file"]),
            form("/login-help", "Sign in problems", &["textarea"]),
        ] {
            assert!(!is_login(&plain) && !is_booking(&plain) && !is_upload(&plain), "{plain:?}");
        }
    }

    #[test]
    fn forms_to_log_in_book_and_upload_are_found() {
        assert!(is_login(&form("/session", "Continue", &["email", "password"])));
        assert!(is_login(&form("", "GİRİŞ YAP", &["email"])));
        assert!(is_booking(&form("/rezervasyon", "Ara", &["date"])));
        assert!(is_booking(&form("", "Randevu Al", &["date"])));
        assert!(is_upload(&form("/convert", "Convert", &["file", "select", "submit"])));
    }

    #[test]
    fn an_account_is_linked_by_its_address_or_its_text() {
        let page = |html: &str| Page::parse(html.as_bytes(), None);
        for html in [
            "<a href='/account'>Jane</a>",
            "<a href='https://app.example.com/login?next=/'>Open</a>",
            "<a href='/x'> Log in </a>",
            "<a href='/x'>HESABIM</a>",
        ] {
            assert!(links_to_account(&page(html)), "{html}");
        }
        for html in ["<a href='/accounting'>Accounting</a>", "<a href='/x'>How to log in</a>"] {
            assert!(!links_to_account(&page(html)), "{html}");
        }
    }
}
