//! Who asks for the pages of scans and audits, what they may do there, and what their forms are signed with.

use std::net::SocketAddr;

use axum::http::header::{FORWARDED, HOST, VIA};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use visibility_core::accounts::scope::Scope;

use super::page::PageContext;
use super::sign_in::{FormError, check_visitor, visitor};
use crate::access::accounts::cookies::Cookie;
use crate::access::accounts::form::FormData;
use crate::access::accounts::session::Session;
use crate::access::limiter::subject::Subject;
use crate::http::client_address::client_address;
use crate::http::response::ApiError;
use crate::jobs::quota::JobKind;
use crate::settings::Settings;
use crate::state::AppState;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// A request for one of the pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageRequest<'a> {
    pub(super) state: &'a AppState,
    pub(super) context: &'a PageContext,
    pub(super) peer: SocketAddr,
    pub(super) headers: &'a HeaderMap,
}

/// Who asks.
#[derive(Debug)]
pub(crate) enum Asker {
    /// A person who is signed in.
    Person(Box<Session>),
    /// Someone who is not.
    Visitor {
        /// Whether visitors may start scans.
        may_scan: bool,
        /// Whether they may see every result.
        may_see_all: bool,
        /// Whether they may because the service is being tried on this machine.
        is_at_home: bool,
    },
}

impl Asker {
    /// The one who sends a request.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) async fn from_request(
        state: &AppState,
        peer: Option<SocketAddr>,
        headers: &HeaderMap,
    ) -> Result<Self, ApiError> {
        let shared = state.shared();
        let settings = &shared.settings;
        if let Some(session) = shared.accounts.session(settings, headers).await? {
            return Ok(Self::Person(Box::new(session)));
        }
        let is_at_home =
            is_of_this_machine(settings, peer, headers) && !shared.accounts.has_users().await?;
        let web = &settings.web;
        Ok(Self::Visitor {
            may_scan: web.public_scans || is_at_home,
            may_see_all: web.public_results || is_at_home,
            is_at_home,
        })
    }

    /// Whether they may start a scan.
    pub(crate) fn may_scan(&self) -> bool {
        match self {
            Self::Person(session) => session.user.user.scopes.contains(&Scope::ScanRead),
            Self::Visitor { may_scan, .. } => *may_scan,
        }
    }

    /// Whether they may see every result.
    pub(crate) fn may_see_all(&self) -> bool {
        match self {
            Self::Person(_) => self.may_scan(),
            Self::Visitor { may_see_all, .. } => *may_see_all,
        }
    }

    /// What their forms are signed with, and the field that sets the cookie of a new visitor.
    ///
    /// # Errors
    ///
    /// When the system has no randomness.
    pub(super) fn sign(
        &self,
        state: &AppState,
        headers: &HeaderMap,
    ) -> Result<(String, Option<HeaderValue>), ApiError> {
        let accounts = &state.shared().accounts;
        match self {
            Self::Person(session) => Ok((accounts.sign(session), None)),
            Self::Visitor { .. } => {
                let (secret, cookie) = visitor(state, headers)?;
                Ok((accounts.form_key.sign(Cookie::Visitor, &secret), cookie))
            }
        }
    }

    /// Checks that a form is theirs. Gives what it is signed with.
    ///
    /// # Errors
    ///
    /// When it is not.
    pub(super) fn check_sign(
        &self,
        state: &AppState,
        headers: &HeaderMap,
        form: &FormData,
    ) -> Result<String, FormError> {
        let accounts = &state.shared().accounts;
        match self {
            Self::Person(session) if accounts.is_signed(form, session) => {
                Ok(accounts.sign(session))
            }
            Self::Person(_) => Err(FormError::Foreign),
            Self::Visitor { .. } => {
                let visitor = check_visitor(state, headers, form)?;
                Ok(accounts.form_key.sign(Cookie::Visitor, &visitor))
            }
        }
    }

    /// Whose quota a scan counts for. The service counts nothing for who tries it at home.
    pub(crate) fn quota(
        &self,
        state: &AppState,
        peer: SocketAddr,
        headers: &HeaderMap,
    ) -> (Subject, JobKind) {
        match self {
            Self::Person(session) => (Subject::user(session.user.user.id), JobKind::Scans),
            Self::Visitor { .. } => {
                let shared = state.shared();
                let trusted = &shared.settings.trusted_proxies;
                let address = client_address(peer.ip(), headers, trusted);
                (shared.address_key.subject(address), JobKind::VisitorScans)
            }
        }
    }
}

/// Whether a request can only come from this machine: the service listens here alone, no proxy has forwarded the request,
/// and the browser calls the service by a name of this machine. A page of the web that reaches it by another name, which it
/// has lead here, is no page of this machine.
fn is_of_this_machine(settings: &Settings, peer: Option<SocketAddr>, headers: &HeaderMap) -> bool {
    let is_local_listener = settings.listen.ip().is_loopback() && settings.base_url.is_none();
    let is_local_peer = peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    let is_forwarded =
        [FORWARDED, VIA, X_FORWARDED_FOR].iter().any(|name| headers.contains_key(name));
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    is_local_listener && is_local_peer && !is_forwarded && is_loopback_name(host)
}

/// Whether the value of a `Host` header is a name of this machine.
fn is_loopback_name(host: &str) -> bool {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) && (name.ends_with(']') || !name.contains(':')) => name,
        _ => host,
    };
    name.eq_ignore_ascii_case("localhost") || matches!(name, "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_three_names() {
        for host in
            ["localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:8080", "[::1]:8080", "[::1]"]
        {
            assert!(is_loopback_name(host), "{host}");
        }
        for host in [
            "",
            "example.com",
            "localhost.example.com",
            "127.0.0.1.example.com:80",
            "localhost:",
            "localhost:x",
            "::1",
            "127.0.0.2",
            "evil@localhost",
        ] {
            assert!(!is_loopback_name(host), "{host}");
        }
    }

    #[test]
    fn a_request_that_was_forwarded_is_not_of_this_machine() {
        let settings = Settings::default();
        let peer: SocketAddr = "127.0.0.1:5000".parse().unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("localhost:8080"));
        assert!(is_of_this_machine(&settings, Some(peer), &headers));
        assert!(!is_of_this_machine(&settings, None, &headers));
        let other = "192.0.2.1:5000".parse().unwrap();
        assert!(!is_of_this_machine(&settings, Some(other), &headers));
        let open = Settings { listen: "0.0.0.0:8080".parse().unwrap(), ..Settings::default() };
        assert!(!is_of_this_machine(&open, Some(peer), &headers));
        headers.insert(X_FORWARDED_FOR, HeaderValue::from_static("192.0.2.1"));
        assert!(!is_of_this_machine(&settings, Some(peer), &headers));
    }
}
