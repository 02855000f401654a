//! Sessions: who is signed in.
//!
//! A session ends after [`LIFETIME`], after [`IDLE`] without use, and as soon as its user may not sign in
//! any more. Only the SHA-256 of what a browser shows is kept.

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::accounts::token::TokenDigest;
use visibility_core::accounts::user::UserId;
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::{parsed, time};
use super::users::StoredUser;
use crate::stores::database::{Transaction, failed, params};

/// How long a session lasts, however much it is used.
const LIFETIME: TimeDelta = TimeDelta::hours(12);
/// How long a session lasts that is not used.
const IDLE: TimeDelta = TimeDelta::hours(1);
/// Sessions of one user; with one more, the oldest ends.
const MAX_SESSIONS: i64 = 20;
/// The use of a session is noted once in this time, not for every request.
const NOTE_USE_EVERY: TimeDelta = TimeDelta::minutes(1);
/// How far the clock may be set back without ending the sessions that were used before that.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::minutes(5);

/// A session as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct StoredSession {
    /// What it is recognized by.
    pub(crate) digest: TokenDigest,
    /// When its user signed in.
    pub(crate) created_at: DateTime<Utc>,
    /// When it was used, to the minute.
    pub(crate) used_at: DateTime<Utc>,
}

/// Sessions of a user that are to end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WhichSessions {
    /// The one with this digest.
    One(TokenDigest),
    /// All but the one with this digest.
    AllBut(TokenDigest),
}

impl StateStore {
    /// Keeps a session of a user whose password was just found right, unless that was changed or the user
    /// was disabled meanwhile. Says whether there is a session now.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn create_session(
        &self,
        digest: &TokenDigest,
        user: &StoredUser,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let id = user.user.id.to_string();
        self.write(|statements| {
            let kept = statements.execute(
                "INSERT INTO session (digest, person, created_at, used_at)
                 SELECT ?1, id, ?4, ?4 FROM person JOIN tenant ON tenant.slug = person.tenant
                 WHERE id = ?2 AND credentials_changed_at = ?3
                       AND person.disabled_at IS NULL AND tenant.disabled_at IS NULL",
                params![
                    digest.as_bytes(),
                    id,
                    user.credentials_changed_at.timestamp_micros(),
                    now.timestamp_micros()
                ],
            )?;
            statements.execute(
                "DELETE FROM session WHERE digest IN (
                     SELECT digest FROM session WHERE person = ?1 AND digest <> ?3
                     ORDER BY created_at DESC, used_at DESC LIMIT 9223372036854775807 OFFSET ?2)",
                params![id, MAX_SESSIONS - 1, digest.as_bytes()],
            )?;
            Ok(kept > 0)
        })
        .map_err(failed(|| format!("keep a session of {id}")))
    }

    /// The user who is signed in by a session, if it lasts and the user may do anything; notes that it is
    /// used.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn session(
        &self,
        digest: &TokenDigest,
        now: DateTime<Utc>,
    ) -> Result<Option<StoredUser>, StoreError> {
        let describe = || "look up a session".to_owned();
        let found: Option<(UserId, i64)> = self
            .read(|statements| {
                statements.query_opt(
                    "SELECT person, used_at FROM session
                     WHERE digest = ?1 AND created_at > ?2 AND used_at > ?3 AND used_at < ?4",
                    params![
                        digest.as_bytes(),
                        (now - LIFETIME).timestamp_micros(),
                        (now - IDLE).timestamp_micros(),
                        (now + CLOCK_TOLERANCE).timestamp_micros(),
                    ],
                    |row| Ok((parsed(row, 0)?, row.get(1)?)),
                )
            })
            .map_err(failed(describe))?;
        let Some((id, used_at)) = found else { return Ok(None) };
        let user = self.user(&id)?.filter(StoredUser::is_active);
        if user.is_some() && used_at <= (now - NOTE_USE_EVERY).timestamp_micros() {
            self.write_as(Transaction::until_power_loss(), |statements| {
                statements.execute(
                    "UPDATE session SET used_at = ?2 WHERE digest = ?1 AND used_at < ?2",
                    params![digest.as_bytes(), now.timestamp_micros()],
                )
            })
            .map_err(failed(describe))?;
        }
        Ok(user)
    }

    /// Ends a session. A second time changes nothing.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn end_session(&self, digest: &TokenDigest) -> Result<(), StoreError> {
        self.write(|statements| {
            let sql = "DELETE FROM session WHERE digest = ?1";
            statements.execute(sql, params![digest.as_bytes()])
        })
        .map(|_rows| ())
        .map_err(failed(|| "end a session".to_owned()))
    }

    /// The sessions of a user that last, the one that was used last first.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn sessions(
        &self,
        user: &UserId,
        now: DateTime<Utc>,
    ) -> Result<Vec<StoredSession>, StoreError> {
        self.read(|statements| {
            statements.query_all(
                "SELECT digest, created_at, used_at FROM session
                 WHERE person = ?1 AND created_at > ?2 AND used_at > ?3
                 ORDER BY used_at DESC, digest",
                params![
                    user.to_string(),
                    (now - LIFETIME).timestamp_micros(),
                    (now - IDLE).timestamp_micros(),
                ],
                |row| {
                    Ok(StoredSession {
                        digest: row.get::<[u8; 32]>(0)?.into(),
                        created_at: time(row, 1)?,
                        used_at: time(row, 2)?,
                    })
                },
            )
        })
        .map_err(failed(|| format!("list the sessions of {user}")))
    }

    /// Ends sessions of a user, and says how many.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn end_sessions(
        &self,
        user: &UserId,
        which: &WhichSessions,
    ) -> Result<u64, StoreError> {
        let (sql, digest) = match which {
            WhichSessions::One(digest) => {
                ("DELETE FROM session WHERE person = ?1 AND digest = ?2", digest)
            }
            WhichSessions::AllBut(digest) => {
                ("DELETE FROM session WHERE person = ?1 AND digest <> ?2", digest)
            }
        };
        self.write(|statements| {
            statements.execute(sql, params![user.to_string(), digest.as_bytes()])
        })
        .map_err(failed(|| format!("end sessions of {user}")))
    }

    /// Removes sessions that are over, and says how many.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn remove_sessions(&self, now: DateTime<Utc>) -> Result<u64, StoreError> {
        let sql = "DELETE FROM session WHERE created_at <= ?1 OR used_at <= ?2";
        let (created, used) =
            ((now - LIFETIME).timestamp_micros(), (now - IDLE).timestamp_micros());
        self.write(|statements| statements.execute(sql, params![created, used]))
            .map_err(failed(|| "remove old sessions".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::TestStore;
    use super::super::users::tests::{after, database, hash, user};
    use super::*;

    /// A database with two users, the first of whom is also given.
    fn users() -> (TestStore, StoredUser) {
        let state_store = database();
        for number in [1, 2] {
            state_store.create_user(&user(number), &hash("x"), after(0)).unwrap();
        }
        let first = state_store.user(&user(1).id).unwrap().unwrap();
        (state_store, first)
    }

    fn digest(seed: u8) -> TokenDigest {
        [seed; 32].into()
    }

    fn is_signed_in(state_store: &StateStore, seed: u8, minutes: i64) -> bool {
        state_store.session(&digest(seed), after(minutes)).unwrap().is_some()
    }

    #[test]
    fn a_session_is_that_of_its_user_until_it_is_ended() {
        let (state_store, first) = users();
        assert!(state_store.create_session(&digest(1), &first, after(1)).unwrap());
        let found = state_store.session(&digest(1), after(2)).unwrap().unwrap();
        assert_eq!(found.user, user(1));
        assert!(!is_signed_in(&state_store, 2, 2));
        state_store.end_session(&digest(1)).unwrap();
        assert!(!is_signed_in(&state_store, 1, 2));
    }

    #[test]
    fn a_user_sees_and_ends_their_own_sessions_alone() {
        let (state_store, first) = users();
        let second = state_store.user(&user(2).id).unwrap().unwrap();
        for (seed, user) in [(1, &first), (2, &first), (3, &first), (4, &second)] {
            assert!(state_store.create_session(&digest(seed), user, after(seed.into())).unwrap());
        }
        let listed = |minutes| -> Vec<u8> {
            let sessions = state_store.sessions(&user(1).id, after(minutes)).unwrap();
            sessions.iter().map(|session| session.digest.as_bytes()[0]).collect()
        };
        assert_eq!(listed(5), [3, 2, 1]);
        assert_eq!(listed(61), [3, 2], "one is over");
        let end = |which| state_store.end_sessions(&user(1).id, &which).unwrap();
        assert_eq!(end(WhichSessions::One(digest(4))), 0, "it is of another user");
        assert_eq!(end(WhichSessions::One(digest(3))), 1);
        assert_eq!(end(WhichSessions::AllBut(digest(2))), 1);
        assert_eq!(listed(5), [2]);
        assert!(is_signed_in(&state_store, 4, 5));
    }

    #[test]
    fn a_session_ends_an_hour_after_its_last_use() {
        let (state_store, first) = users();
        state_store.create_session(&digest(1), &first, after(0)).unwrap();
        state_store.create_session(&digest(2), &first, after(0)).unwrap();
        assert!(is_signed_in(&state_store, 1, 59));
        assert!(is_signed_in(&state_store, 1, 118));
        assert!(!is_signed_in(&state_store, 1, 178));
        assert!(!is_signed_in(&state_store, 2, 60));
    }

    #[test]
    fn a_session_ends_after_twelve_hours_however_much_it_is_used() {
        let (state_store, first) = users();
        state_store.create_session(&digest(1), &first, after(0)).unwrap();
        for minutes in (30..720).step_by(30) {
            assert!(is_signed_in(&state_store, 1, minutes), "{minutes}");
        }
        assert!(!is_signed_in(&state_store, 1, 720));
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_lengthen_a_session() {
        let (state_store, first) = users();
        state_store.create_session(&digest(1), &first, after(60)).unwrap();
        assert!(is_signed_in(&state_store, 1, 56));
        assert!(!is_signed_in(&state_store, 1, 54));
    }

    #[test]
    fn what_ends_the_rights_of_a_user_ends_its_sessions() {
        let ends: [fn(&StateStore); 3] = [
            |state_store| drop(state_store.disable_user(&user(1).name, after(2)).unwrap()),
            |state_store| {
                drop(state_store.set_password(&user(1).name, &hash("y"), after(2)).unwrap());
            },
            |state_store| state_store.set_tenant_disabled(&user(1).tenant, Some(after(2))).unwrap(),
        ];
        for end in ends {
            let (state_store, first) = users();
            state_store.create_session(&digest(1), &first, after(1)).unwrap();
            assert!(is_signed_in(&state_store, 1, 2));
            end(&state_store);
            assert!(!is_signed_in(&state_store, 1, 2));
            // The password was found right before that.
            assert!(!state_store.create_session(&digest(2), &first, after(3)).unwrap());
            assert!(!is_signed_in(&state_store, 2, 3));
        }
    }

    #[test]
    fn sessions_of_others_stay() {
        let (state_store, first) = users();
        let second = state_store.user(&user(2).id).unwrap().unwrap();
        state_store.create_session(&digest(1), &first, after(1)).unwrap();
        state_store.create_session(&digest(2), &second, after(1)).unwrap();
        state_store.set_password(&user(1).name, &hash("y"), after(2)).unwrap();
        assert!(!is_signed_in(&state_store, 1, 2));
        assert!(is_signed_in(&state_store, 2, 2));
    }

    #[test]
    fn enabling_a_user_signs_no_one_in_again_or_out() {
        let (state_store, first) = users();
        state_store.create_session(&digest(1), &first, after(1)).unwrap();
        state_store.enable_user(&user(1).name).unwrap();
        assert!(is_signed_in(&state_store, 1, 2));
        state_store.disable_user(&user(1).name, after(2)).unwrap();
        state_store.enable_user(&user(1).name).unwrap();
        assert!(!is_signed_in(&state_store, 1, 3));
    }

    #[test]
    fn of_more_than_twenty_sessions_the_oldest_ends() {
        let (state_store, first) = users();
        let second = state_store.user(&user(2).id).unwrap().unwrap();
        state_store.create_session(&digest(100), &second, after(0)).unwrap();
        for seed in 1..=22 {
            state_store.create_session(&digest(seed), &first, after(i64::from(seed))).unwrap();
        }
        let open: Vec<u8> = (1..=22).filter(|seed| is_signed_in(&state_store, *seed, 23)).collect();
        assert_eq!(open, (3..=22).collect::<Vec<u8>>());
        assert!(is_signed_in(&state_store, 100, 23));
    }

    #[test]
    fn what_is_over_is_removed() {
        let (state_store, first) = users();
        state_store.create_session(&digest(1), &first, after(0)).unwrap();
        state_store.create_session(&digest(2), &first, after(30)).unwrap();
        assert_eq!(state_store.remove_sessions(after(59)).unwrap(), 0);
        assert_eq!(state_store.remove_sessions(after(60)).unwrap(), 1);
        assert!(is_signed_in(&state_store, 2, 60));
    }
}
