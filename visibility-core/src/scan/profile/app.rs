//! Signs of something to log in to, to book or to upload: forms beyond newsletters and searches.

use crate::page::{Form, FormField};
use crate::scan::profile::{Surface, SurfaceReason, fold, has_words};
use crate::scan::snapshot::SiteSnapshot;

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

/// Names of fields by which a person can be reached.
const CONTACT_WORDS: [&str; 12] = [
    "email",
    "e mail",
    "mail",
    "phone",
    "telephone",
    "tel",
    "mobile",
    "eposta",
    "e posta",
    "telefon",
    "gsm",
    "cep",
];

/// At most one sign of each kind.
pub(super) fn reasons(site: &SiteSnapshot) -> Vec<SurfaceReason> {
    let forms = site.page().map(|page| page.forms.as_slice()).unwrap_or_default();
    let found = [
        ("login-form", forms.iter().find(|form| is_login(form))),
        ("booking-form", forms.iter().find(|form| is_booking(form))),
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

fn is_login(form: &Form) -> bool {
    let password = form.fields.iter().any(|field| field.kind == "password");
    password || has_words(&words_of(form), &LOGIN_WORDS)
}

/// Whether a program answers the form. One that asks how to reach its sender, by mail or by telephone,
/// is a letter to a person, who answers later: there is nothing for an agent to call.
fn is_booking(form: &Form) -> bool {
    has_words(&words_of(form), &BOOKING_WORDS) && !form.fields.iter().any(is_contact)
}

/// Whether a field asks how to reach its sender, or takes a message.
fn is_contact(field: &FormField) -> bool {
    let name = fold(&field.name).replace(['-', '_', '[', ']', '.'], " ");
    matches!(field.kind.as_str(), "email" | "tel" | "textarea") || has_words(&name, &CONTACT_WORDS)
}

fn is_upload(form: &Form) -> bool {
    form.fields.iter().any(|field| field.kind == "file")
}

/// What a form says about itself, its separators as spaces.
fn words_of(form: &Form) -> String {
    let text = format!("{} {} {}", form.action, form.hints, form.buttons.join(" "));
    fold(&text).replace(['-', '_', '/'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn newsletters_and_searches_are_no_app() {
        for plain in [
            form("/search", "Search", &["search"]),
            form("/ara", "Ara", &["text"]),
            form("/newsletter", "Subscribe", &["email"]),
            form("/bulten", "Abone ol", &["email"]),
            form("/facebook", "Go", &["text"]),
        ] {
            assert!(!is_login(&plain) && !is_booking(&plain) && !is_upload(&plain), "{plain:?}");
        }
    }

    #[test]
    fn forms_to_log_in_book_and_upload_are_an_app() {
        assert!(is_login(&form("/session", "Continue", &["email", "password"])));
        assert!(is_login(&form("", "GİRİŞ YAP", &["email"])));
        assert!(is_booking(&form("/rezervasyon", "Ara", &["date"])));
        assert!(is_booking(&form("", "Randevu Al", &["date"])));
        // A request that a person reads and answers.
        assert!(!is_booking(&form("/reservations", "Request a table", &["date", "text", "tel"])));
        assert!(!is_booking(&form("/randevu", "Randevu Al", &["date", "email"])));
        assert!(is_upload(&form("/convert", "Convert", &["file"])));
    }
}
