//! Sessions of a person, in the settings.

use maud::{Markup, html};
use visibility_core::accounts::token::TokenDigest;

use super::notice::Notice;
use super::overview::{Remarks, moment, titled_section};
use super::{Change, Section, Visit};
use crate::access::accounts::form::{self, FormData};
use crate::http::response::ApiError;
use crate::state::AppState;
use crate::stores::state::sessions::{StoredSession, WhichSessions};

/// Ends one session, or all others.
pub(super) async fn change(
    state: &AppState,
    visit: &Visit,
    form: &FormData,
) -> Result<Change, ApiError> {
    let own = visit.session().secret.digest();
    let (which, notice) = match form.get("action") {
        "end" => {
            let Some(digest) = digest(form.get("id")) else { return Ok(no_session(visit)) };
            (WhichSessions::One(digest), Notice::SessionEnded)
        }
        "end-others" => (WhichSessions::AllBut(own), Notice::OtherSessionsEnded),
        _ => return Err(form::broken()),
    };
    let user = visit.user().id;
    let ended = state.blocking(move |state| {
        let ended = state.shared().stores.state_store().end_sessions(&user, &which);
        ended.map_err(|error| ApiError::store(&error))
    });
    match ended.await? {
        0 if matches!(which, WhichSessions::One(_)) => Ok(no_session(visit)),
        _ => Ok(Change::Done(notice)),
    }
}

fn no_session(visit: &Visit) -> Change {
    Change::conflict(visit, Section::Sessions, visit.text("no-session"))
}

/// The digest that [`hex`] wrote.
fn digest(text: &str) -> Option<TokenDigest> {
    let mut bytes = [0; 32];
    let is_hex = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digits = str::from_utf8(digits).ok()?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    is_hex.then(|| bytes.into())
}

/// A digest as it is in a form. No one can sign in with it.
fn hex(digest: &TokenDigest) -> String {
    digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The part of the page.
pub(super) fn section(visit: &Visit, sessions: &[StoredSession], remarks: &Remarks) -> Markup {
    let own = visit.session().secret.digest();
    let body = html! {
        p { (visit.text("sessions-about")) }
        (remarks.alert(Section::Sessions))
        ul.items {
            @for session in sessions {
                (item(visit, session, session.digest.as_bytes() == own.as_bytes()))
            }
        }
        @if sessions.len() > 1 {
            (visit.form(Section::Sessions, None, &html! {
                button.plain type="submit" name="action" value="end-others" {
                    (visit.text("end-others"))
                }
            }))
        }
    };
    titled_section(visit, "sessions", &body)
}

fn item(visit: &Visit, session: &StoredSession, is_own: bool) -> Markup {
    html! {
        li.card.row {
            p {
                (visit.text("signed-in")) " " (moment(session.created_at)) ", "
                (visit.text("used")) " " (moment(session.used_at))
                @if is_own { " " strong { (visit.text("this-session")) } }
            }
            @if !is_own {
                (visit.form(Section::Sessions, None, &html! {
                    input type="hidden" name="id" value=(hex(&session.digest));
                    button.plain type="submit" name="action" value="end"
                        aria-label={ (visit.text("end")) " " (session.created_at.format("%H:%M:%S")) } {
                        (visit.text("end"))
                    }
                }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_it_was_written() {
        let digest_of = TokenDigest::new("a");
        let read = digest(&hex(&digest_of)).unwrap();
        assert_eq!(read.as_bytes(), digest_of.as_bytes());
        for text in ["", "a", &"g".repeat(64), &"a".repeat(63), &"+1".repeat(32), &"ü".repeat(32)]
        {
            assert!(digest(text).is_none(), "{text}");
        }
    }
}
