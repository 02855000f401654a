//! Signing in with a name and a password.
//!
//! Every failure does the same work and gets the same response: for an unknown name, a hash that
//! nothing matches is computed.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use visibility_core::accounts::user::UserName;

use super::Accounts;
use super::attempts::{Attempt, AttemptError, SharedAttempt};
use crate::http::blocking::blocking;
use crate::http::client_address::network_of;
use crate::http::response::ApiError;
use crate::runtime::clock;
use crate::stores::Stores;
use crate::stores::password_hash::{Password, PasswordHash};
use crate::stores::state::users::{StoredUser, UserError};

/// How long a sign-in waits for its turn.
const PATIENCE: Duration = Duration::from_secs(3);
/// Replaces the hash of a user that does not exist. No password is known for it: salt and
/// hash are the SHA-256 of `the salt of nobody` and `the hash of nobody`.
const PLACEHOLDER_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$\
     7N1+osXl/6gFUvy9t8IKNA$cKm/IGr7N9CbyIlb6bJA9TPekfGtjjOEuAhqa6FzLi4";

/// Why the sign-in failed.
#[derive(Debug)]
pub(crate) enum SignInError {
    /// Name or password are wrong, or the user may not sign in.
    Refused,
    /// There were too many failures. So long it takes until there may be another try.
    TooMany(Duration),
    /// Too many others sign in at the moment.
    Busy,
    /// A store failed.
    Failed(ApiError),
}

/// The user with a name and a password, who may sign in.
/// What becomes of it is counted, and a refusal is logged with the network that it goes to.
///
/// # Errors
///
/// [`SignInError`].
pub(crate) async fn sign_in(
    accounts: &Accounts,
    name: &str,
    password: String,
    address: IpAddr,
) -> Result<StoredUser, SignInError> {
    let signed_in = try_once(accounts, name, password, address).await;
    let result = match &signed_in {
        Ok(_user) => "ok",
        Err(SignInError::Refused) => "refused",
        Err(SignInError::TooMany(_)) => "too_many",
        Err(SignInError::Busy) => "busy",
        Err(SignInError::Failed(_)) => "failed",
    };
    accounts.metrics.sign_in(result);
    if signed_in.is_err() {
        // Names are of people, and some type their password there.
        let network = network_of(address);
        tracing::info!(%network, reason = result, "a sign-in was refused");
    }
    signed_in
}

async fn try_once(
    accounts: &Accounts,
    name: &str,
    password: String,
    address: IpAddr,
) -> Result<StoredUser, SignInError> {
    // Parsed as a user name; an invalid one counts all the same.
    let name = name.trim().to_ascii_lowercase();
    let attempt = admit(accounts, &name, address).await?;
    let Ok(Some(turn)) = timeout(PATIENCE, accounts.queue.acquire()).await else {
        undo(accounts, attempt).await;
        return Err(SignInError::Busy);
    };
    let stores = Arc::clone(&accounts.stores);
    let looked_at = blocking(move || {
        let looked_at = check_password(&stores, &name, &password);
        // Held until the work is done, also if the caller stops waiting.
        drop(turn);
        looked_at
    });
    match looked_at.await {
        Ok(Some(user)) => {
            succeed(accounts, attempt).await.map_err(SignInError::Failed)?;
            Ok(user)
        }
        Ok(None) => Err(SignInError::Refused),
        Err(error) => {
            undo(accounts, attempt).await;
            Err(SignInError::Failed(error))
        }
    }
}

/// A try that was admitted: by this process, or by all nodes.
enum AdmittedAttempt {
    Own(Attempt),
    Shared(SharedAttempt),
}

async fn admit(
    accounts: &Accounts,
    name: &str,
    address: IpAddr,
) -> Result<AdmittedAttempt, SignInError> {
    if !accounts.stores.state_store().shares_limits() {
        let admitted = accounts.attempts.admit(name, address, clock::now());
        return admitted.map(AdmittedAttempt::Own).map_err(SignInError::TooMany);
    }
    let (stores, key) = (Arc::clone(&accounts.stores), Arc::clone(&accounts.address_key));
    let name = name.to_owned();
    let admitted =
        blocking(move || match SharedAttempt::admit(stores.state_store(), &key, &name, address) {
            Ok(attempt) => Ok(Ok(attempt)),
            Err(AttemptError::TooMany(wait)) => Ok(Err(wait)),
            Err(AttemptError::Store(error)) => Err(ApiError::store(&error)),
        });
    let admitted = admitted.await.map_err(SignInError::Failed)?;
    admitted.map(AdmittedAttempt::Shared).map_err(SignInError::TooMany)
}

/// Takes an attempt back. If that fails it counts on, and the log says why.
async fn undo(accounts: &Accounts, attempt: AdmittedAttempt) {
    match attempt {
        AdmittedAttempt::Own(attempt) => accounts.attempts.undo(&attempt),
        AdmittedAttempt::Shared(attempt) => {
            let stores = Arc::clone(&accounts.stores);
            let undo =
                move || attempt.undo(stores.state_store()).map_err(|error| ApiError::store(&error));
            let _logged = blocking(undo).await;
        }
    }
}

async fn succeed(accounts: &Accounts, attempt: AdmittedAttempt) -> Result<(), ApiError> {
    match attempt {
        AdmittedAttempt::Own(attempt) => {
            accounts.attempts.succeed(&attempt);
            Ok(())
        }
        AdmittedAttempt::Shared(attempt) => {
            let stores = Arc::clone(&accounts.stores);
            let succeed = move || {
                attempt.succeed(stores.state_store()).map_err(|error| ApiError::store(&error))
            };
            blocking(succeed).await
        }
    }
}

/// Sets the password of a user, which ends all of its sessions, and gives the user as it is then.
///
/// # Errors
///
/// [`SignInError::Busy`], or when the database or the hash fails.
pub(crate) async fn set_password(
    accounts: &Accounts,
    user: UserName,
    password: Password,
) -> Result<StoredUser, SignInError> {
    let Ok(Some(turn)) = timeout(PATIENCE, accounts.queue.acquire()).await else {
        return Err(SignInError::Busy);
    };
    let stores = Arc::clone(&accounts.stores);
    let set = blocking(move || {
        let hash = PasswordHash::new(&password).map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "cannot hash a password");
            ApiError::internal()
        })?;
        drop(turn);
        match stores.state_store().set_password(&user, &hash, clock::now()) {
            Ok(user) => Ok(Some(user)),
            Err(UserError::Store(error)) => Err(ApiError::store(&error)),
            Err(_gone) => Ok(None),
        }
    });
    match set.await {
        Ok(Some(user)) => Ok(user),
        Ok(None) => Err(SignInError::Refused),
        Err(error) => Err(SignInError::Failed(error)),
    }
}

/// The user whose password it is, if it may do anything. Blocks.
fn check_password(
    stores: &Stores,
    name: &str,
    password: &str,
) -> Result<Option<StoredUser>, ApiError> {
    let state_store = stores.state_store();
    let user = match name.parse::<UserName>() {
        Ok(name) => state_store.user_named(&name).map_err(|error| ApiError::store(&error))?,
        Err(_no_name) => None,
    };
    let hash = user.as_ref().map_or_else(dummy_hash, |user| user.password.clone());
    let is_right = hash.matches(password);
    Ok(user.filter(|user| is_right && user.is_active()))
}

/// The hash of a user that does not exist.
fn dummy_hash() -> PasswordHash {
    PasswordHash::from_stored(PLACEHOLDER_HASH.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use uuid::Uuid;
    use visibility_core::accounts::user::User;

    use super::*;
    use crate::state::AppState;
    use crate::stores::password_hash::hashes_looked_at;

    #[test]
    fn the_placeholder_hash_has_the_usual_parameters() {
        let password = Password::new("correct horse", &"ada".parse().unwrap()).unwrap();
        let made = PasswordHash::new(&password).unwrap();
        let parts = |hash: &PasswordHash| {
            let parts: Vec<String> = hash.as_str().split('$').map(str::to_owned).collect();
            (parts[..4].to_vec(), parts[4..].iter().map(String::len).collect::<Vec<_>>())
        };
        assert_eq!(parts(&dummy_hash()), parts(&made));
        assert!(dummy_hash().is_readable(), "or else it would take no time");
        assert!(!dummy_hash().matches("correct horse"));
    }

    fn state(folder: &std::path::Path) -> AppState {
        let state = AppState::for_tests(folder);
        let state_store = state.shared().stores.state_store();
        let now = clock::now();
        state_store.create_tenant(&"acme".parse().unwrap(), now).unwrap();
        let user = User {
            id: Uuid::from_u128(1).into(),
            tenant: "acme".parse().unwrap(),
            name: "ada@example.com".parse().unwrap(),
            scopes: visibility_core::accounts::scope::Scope::ALL.into(),
            disabled_at: None,
        };
        let password = Password::new("correct horse", &user.name).unwrap();
        state_store.create_user(&user, &PasswordHash::new(&password).unwrap(), now).unwrap();
        state
    }

    async fn ask(state: &AppState, name: &str, password: &str) -> Result<(), SignInError> {
        let address = "192.0.2.1".parse().unwrap();
        sign_in(&state.shared().accounts, name, password.to_owned(), address).await.map(|_user| ())
    }

    #[tokio::test]
    async fn a_user_signs_in_by_name_and_password() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path());
        for name in ["ada@example.com", "Ada@Example.com", " ada@example.com "] {
            assert!(ask(&state, name, "correct horse").await.is_ok(), "{name}");
        }
        for (name, password) in [
            ("ada@example.com", "correct house"),
            ("ada@example.com", ""),
            ("bob@example.com", "correct horse"),
            ("", ""),
            ("no name at all\0", "correct horse"),
        ] {
            let refused = ask(&state, name, password).await;
            assert!(matches!(refused, Err(SignInError::Refused)), "{name}: {refused:?}");
        }
        state
            .shared()
            .stores
            .state_store()
            .disable_user(&"ada@example.com".parse().unwrap(), clock::now())
            .unwrap();
        let refused = ask(&state, "ada@example.com", "correct horse").await;
        assert!(matches!(refused, Err(SignInError::Refused)), "{refused:?}");
    }

    #[tokio::test]
    async fn for_an_unknown_name_the_placeholder_hash_is_verified() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path());
        let state_store = state.shared().stores.state_store();
        let ada = "ada@example.com".parse().unwrap();
        let own = state_store.user_named(&ada).unwrap().unwrap().password;
        for (name, password, hash) in [
            ("ada@example.com", "one wrong password", &own),
            ("bob@example.com", "two wrong passwords", &dummy_hash()),
            ("no name at all\0", "three wrong passwords", &dummy_hash()),
            ("", "four wrong passwords", &dummy_hash()),
        ] {
            assert!(ask(&state, name, password).await.is_err());
            assert_eq!(hashes_looked_at(password), [hash.as_str()], "{name}");
        }
        state_store.disable_user(&ada, clock::now()).unwrap();
        assert!(ask(&state, "ada@example.com", "five wrong passwords").await.is_err());
        assert_eq!(hashes_looked_at("five wrong passwords"), [own.as_str()]);
    }

    #[tokio::test]
    async fn what_becomes_of_sign_ins_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path());
        assert!(ask(&state, "ada@example.com", "correct horse").await.is_ok());
        for _ in 0..7 {
            assert!(ask(&state, "ada@example.com", "wrong password").await.is_err());
        }
        let rendered = state.shared().metrics.render();
        for (result, count) in [("ok", 1), ("refused", 5), ("too_many", 2)] {
            let line = format!("visibility_sign_ins_total{{result=\"{result}\"}} {count}\n");
            assert!(rendered.contains(&line), "{line}\n{rendered}");
        }
    }

    /// What is logged, as text.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_refusal_is_logged_with_its_network_and_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path());
        let log = Log::default();
        let written = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || written.clone())
            .finish();
        // While there is one dispatcher alone, a log line that another test reaches first is switched off for all
        // threads, since that test has none.
        let _another = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::new());
        let guard = tracing::subscriber::set_default(subscriber);
        for _ in 0..6 {
            assert!(ask(&state, "ada@example.com", "wrong password").await.is_err());
        }
        drop(guard);
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let lines = |words: &str| text.lines().filter(|line| line.contains(words)).count();
        assert_eq!(lines("network=192.0.2.0/24 reason=\"refused\""), 5, "{text}");
        assert_eq!(lines("network=192.0.2.0/24 reason=\"too_many\""), 1, "{text}");
        for secret in ["ada", "wrong password", "192.0.2.1"] {
            assert_eq!(lines(secret), 0, "{text}");
        }
    }

    #[tokio::test]
    async fn many_tries_at_the_same_time_are_no_more_than_many_in_a_row() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path());
        let all = (0..12).map(|_| ask(&state, "ada@example.com", "wrong password"));
        let all = futures_util::future::join_all(all).await;
        let refused = all.iter().filter(|attempt| matches!(attempt, Err(SignInError::Refused)));
        assert_eq!(refused.count(), 5, "{all:?}");
        let right = ask(&state, "ada@example.com", "correct horse").await;
        assert!(matches!(right, Err(SignInError::TooMany(_))), "{right:?}");
    }

    #[tokio::test]
    async fn who_waits_too_long_for_a_turn_has_not_tried() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path());
        let accounts = &state.shared().accounts;
        let mut turns = Vec::new();
        while let Ok(Some(turn)) =
            timeout(Duration::from_millis(10), accounts.queue.acquire()).await
        {
            turns.push(turn);
        }
        assert!(turns.len() <= super::super::MAX_AT_ONCE);
        let all = (0..5).map(|_| ask(&state, "ada@example.com", "wrong password"));
        for busy in futures_util::future::join_all(all).await {
            assert!(matches!(busy, Err(SignInError::Busy)), "{busy:?}");
        }
        drop(turns);
        assert!(ask(&state, "ada@example.com", "correct horse").await.is_ok());
    }
}
