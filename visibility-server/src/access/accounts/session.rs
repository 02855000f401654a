//! Who is signed in on a browser.

use axum::http::HeaderMap;
use visibility_core::store::StoreError;

use super::Accounts;
use super::cookies::{Cookie, CookieSecret};
use super::form::FormData;
use crate::http::blocking::blocking;
use crate::http::response::ApiError;
use crate::runtime::clock;
use crate::settings::Settings;
use crate::stores::state::StateStore;
use crate::stores::state::users::StoredUser;

/// Who is signed in, and by what. The same for all pages, those of OAuth and those of the settings.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) secret: CookieSecret,
    pub(crate) user: StoredUser,
}

impl Accounts {
    /// The session of a browser, if it lasts.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) async fn session(
        &self,
        settings: &Settings,
        headers: &HeaderMap,
    ) -> Result<Option<Session>, ApiError> {
        let Some(secret) = Cookie::Session.read(settings, headers) else { return Ok(None) };
        let digest = secret.digest();
        let now = self.stores.trusted_time(clock::now());
        let user = self.database(move |state_store| state_store.session(&digest, now));
        Ok(user.await?.map(|user| Session { secret, user }))
    }

    /// Begins a session and ends the one that the browser had. None if the user may not sign in any more. The secret
    /// is always a new one, to prevent session fixation.
    ///
    /// # Errors
    ///
    /// When the database fails, or the operating system gives no random numbers.
    pub(crate) async fn begin_session(
        &self,
        user: StoredUser,
        before: Option<CookieSecret>,
    ) -> Result<Option<CookieSecret>, ApiError> {
        let secret = new_secret()?;
        let digest = secret.digest();
        let is_kept = self.database(move |state_store| {
            if let Some(before) = before {
                state_store.end_session(&before.digest())?;
            }
            state_store.create_session(&digest, &user, clock::now())
        });
        Ok(is_kept.await?.then_some(secret))
    }

    /// Ends a session.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) async fn end_session(&self, secret: &CookieSecret) -> Result<(), ApiError> {
        let digest = secret.digest();
        self.database(move |state_store| state_store.end_session(&digest)).await
    }

    /// The signature in the forms of a session.
    pub(crate) fn sign(&self, session: &Session) -> String {
        self.form_key.sign(Cookie::Session, &session.secret)
    }

    /// Whether a form has the signature of a session.
    pub(crate) fn is_signed(&self, form: &FormData, session: &Session) -> bool {
        self.form_key.is_signed(form, Cookie::Session, &session.secret)
    }

    pub(super) async fn database<T: Send + 'static>(
        &self,
        work: impl FnOnce(&StateStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let stores = std::sync::Arc::clone(&self.stores);
        blocking(move || work(stores.state_store()).map_err(|error| ApiError::store(&error))).await
    }
}

/// A secret for a cookie.
///
/// # Errors
///
/// When the operating system gives no random numbers.
pub(crate) fn new_secret() -> Result<CookieSecret, ApiError> {
    CookieSecret::new().map_err(ApiError::randomness)
}
