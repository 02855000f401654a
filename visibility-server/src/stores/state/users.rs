//! Users: who may sign in.
//!
//! Whatever changes who may sign in as a user ends its sessions in the same transaction, and moves
//! `credentials_changed_at`, before which nothing that the user has granted counts.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::user::{User, UserId, UserName};
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::{join_list, optional_time, parsed, slug, split_list, time};
use super::tenant_state::{TenantState, find_tenant_state};
use crate::stores::database::{Row, SqlError, Statements, failed, params};
use crate::stores::password_hash::PasswordHash;

/// What [`stored_user`] reads.
const SELECT_USER: &str = "
    SELECT id, person.tenant, name, scopes, person.disabled_at, password, person.created_at,
           credentials_changed_at, tenant.disabled_at
    FROM person JOIN tenant ON tenant.slug = person.tenant";

/// A user as it is kept.
#[derive(Clone, Debug)]
pub struct StoredUser {
    /// Who it is.
    pub user: User,
    /// What is kept of its password.
    pub password: PasswordHash,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When its password was set, or it was disabled, the last time: what it has granted before is void.
    pub credentials_changed_at: DateTime<Utc>,
    /// Since when its tenant is disabled.
    pub tenant_disabled_at: Option<DateTime<Utc>>,
}

impl StoredUser {
    /// Whether it may do anything: neither it nor its tenant is disabled.
    pub fn is_active(&self) -> bool {
        self.user.disabled_at.is_none() && self.tenant_disabled_at.is_none()
    }
}

/// Why a user was not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UserError {
    /// No tenant has that name.
    #[error("there is no tenant `{0}`")]
    NoTenant(TenantSlug),
    /// The tenant is disabled, so that a user could not sign in.
    #[error("tenant `{0}` is disabled")]
    TenantDisabled(TenantSlug),
    /// Names are unique, whatever the tenant.
    #[error("the user `{0}` already exists")]
    NameTaken(UserName),
    /// No user has that name.
    #[error("there is no user `{0}`")]
    NoUser(UserName),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl StateStore {
    /// Keeps a new user.
    ///
    /// # Errors
    ///
    /// When the tenant does not exist or is disabled, when there is a user of that name, or when the
    /// database fails.
    pub fn create_user(
        &self,
        user: &User,
        password: &PasswordHash,
        now: DateTime<Utc>,
    ) -> Result<(), UserError> {
        let describe = || format!("keep the user {}", user.name);
        self.change(describe, |statements| {
            match find_tenant_state(statements, &user.tenant).map_err(failed(describe))? {
                None => return Err(UserError::NoTenant(user.tenant.clone())),
                Some(TenantState::Disabled) => {
                    return Err(UserError::TenantDisabled(user.tenant.clone()));
                }
                Some(TenantState::Active) => {}
            }
            let kept = statements
                .execute(
                    "INSERT INTO person (id, tenant, name, scopes, password, created_at,
                                         credentials_changed_at, disabled_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7) ON CONFLICT (name) DO NOTHING",
                    params![
                        user.id.to_string(),
                        user.tenant.as_str(),
                        user.name.as_str(),
                        join_list(&user.scopes),
                        password.as_str(),
                        now.timestamp_micros(),
                        user.disabled_at.map(|at| at.timestamp_micros()),
                    ],
                )
                .map_err(failed(describe))?;
            if kept == 0 { Err(UserError::NameTaken(user.name.clone())) } else { Ok(()) }
        })
    }

    /// The users of one tenant or of all, by tenant and name.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn users(&self, tenant: Option<&TenantSlug>) -> Result<Vec<StoredUser>, StoreError> {
        let sql = format!(
            "{SELECT_USER} WHERE person.tenant = coalesce(?1, person.tenant) ORDER BY person.tenant, name"
        );
        let tenant = tenant.map(TenantSlug::as_str);
        self.read(|statements| statements.query_all(&sql, params![tenant], stored_user))
            .map_err(failed(|| "list the users".to_owned()))
    }

    /// The user with an id, whether it may do anything or not: see [`StoredUser::is_active`].
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn user(&self, id: &UserId) -> Result<Option<StoredUser>, StoreError> {
        let sql = format!("{SELECT_USER} WHERE id = ?1");
        self.read(|statements| statements.query_opt(&sql, params![id.to_string()], stored_user))
            .map_err(failed(|| format!("look up {id}")))
    }

    /// The user with a name, as [`user`](Self::user).
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn user_named(&self, name: &UserName) -> Result<Option<StoredUser>, StoreError> {
        self.read(|statements| named(statements, name))
            .map_err(failed(|| "look up a user".to_owned()))
    }

    /// Disables a user and ends its sessions. A second time changes nothing.
    ///
    /// # Errors
    ///
    /// [`UserError::NoUser`], or when the database fails.
    pub fn disable_user(
        &self,
        name: &UserName,
        now: DateTime<Utc>,
    ) -> Result<StoredUser, UserError> {
        let sql = "
            UPDATE person SET disabled_at = ?2, credentials_changed_at = ?2
            WHERE name = ?1 AND disabled_at IS NULL";
        self.change_user(name, |statements| {
            statements.execute(sql, params![name.as_str(), now.timestamp_micros()])?;
            end_sessions(statements, name)
        })
    }

    /// Takes [`disable_user`](Self::disable_user) back; its sessions stay ended.
    ///
    /// # Errors
    ///
    /// [`UserError::NoUser`], or when the database fails.
    pub fn enable_user(&self, name: &UserName) -> Result<StoredUser, UserError> {
        let sql = "UPDATE person SET disabled_at = NULL WHERE name = ?1";
        self.change_user(name, |statements| statements.execute(sql, params![name.as_str()]))
    }

    /// Sets the password of a user, and ends its sessions.
    ///
    /// # Errors
    ///
    /// [`UserError::NoUser`], or when the database fails.
    pub fn set_password(
        &self,
        name: &UserName,
        password: &PasswordHash,
        now: DateTime<Utc>,
    ) -> Result<StoredUser, UserError> {
        let sql = "UPDATE person SET password = ?2, credentials_changed_at = ?3 WHERE name = ?1";
        self.change_user(name, |statements| {
            statements
                .execute(sql, params![name.as_str(), password.as_str(), now.timestamp_micros()])?;
            end_sessions(statements, name)
        })
    }

    /// Adds scopes to those of a user, and takes others away.
    ///
    /// # Errors
    ///
    /// [`UserError::NoUser`], or when the database fails.
    pub fn change_scopes(
        &self,
        name: &UserName,
        add: &BTreeSet<Scope>,
        remove: &BTreeSet<Scope>,
    ) -> Result<StoredUser, UserError> {
        self.change_user(name, |statements| {
            let select = "SELECT scopes FROM person WHERE name = ?1";
            let kept: Option<BTreeSet<Scope>> =
                statements.query_opt(select, params![name.as_str()], |row| split_list(row, 0))?;
            let Some(mut scopes) = kept else { return Ok(0) };
            scopes.extend(add);
            scopes.retain(|scope| !remove.contains(scope));
            let sql = "UPDATE person SET scopes = ?2 WHERE name = ?1";
            statements.execute(sql, params![name.as_str(), join_list(&scopes)])
        })
    }

    /// Whether there is any user.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn has_users(&self) -> Result<bool, StoreError> {
        self.read(|statements| statements.exists("SELECT 1 FROM person LIMIT 1", &[]))
            .map_err(failed(|| "look for users".to_owned()))
    }

    /// Changes a user, and gives it as it is then.
    fn change_user(
        &self,
        name: &UserName,
        change: impl Fn(&dyn Statements) -> Result<u64, SqlError>,
    ) -> Result<StoredUser, UserError> {
        self.write(|statements| {
            change(statements)?;
            named(statements, name)
        })
        .map_err(failed(|| format!("change the user {name}")))?
        .ok_or_else(|| UserError::NoUser(name.clone()))
    }
}

fn end_sessions(statements: &dyn Statements, name: &UserName) -> Result<u64, SqlError> {
    let sql = "DELETE FROM session WHERE person = (SELECT id FROM person WHERE name = ?1)";
    statements.execute(sql, params![name.as_str()])
}

fn named(statements: &dyn Statements, name: &UserName) -> Result<Option<StoredUser>, SqlError> {
    statements.query_opt(
        &format!("{SELECT_USER} WHERE name = ?1"),
        params![name.as_str()],
        stored_user,
    )
}

fn stored_user(row: Row<'_>) -> Result<StoredUser, SqlError> {
    Ok(StoredUser {
        user: User {
            id: parsed(row, 0)?,
            tenant: slug(row, 1)?,
            name: parsed(row, 2)?,
            scopes: split_list(row, 3)?,
            disabled_at: optional_time(row, 4)?,
        },
        password: PasswordHash::from_stored(row.get(5)?),
        created_at: time(row, 6)?,
        credentials_changed_at: time(row, 7)?,
        tenant_disabled_at: optional_time(row, 8)?,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use chrono::TimeDelta;
    use uuid::Uuid;

    use super::super::testing::TestStore;
    use super::*;

    /// A database with the tenant `acme`.
    pub(in super::super) fn database() -> TestStore {
        let state_store = TestStore::new();
        state_store.create_tenant(&"acme".parse().unwrap(), after(0)).unwrap();
        state_store
    }

    pub(in super::super) fn after(minutes: i64) -> DateTime<Utc> {
        "2026-03-01T12:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::minutes(minutes)
    }

    pub(in super::super) fn user(number: u8) -> User {
        User {
            id: Uuid::from_u128(number.into()).into(),
            tenant: "acme".parse().unwrap(),
            name: format!("user{number}").parse().unwrap(),
            scopes: BTreeSet::from([Scope::AuditRead, Scope::ScanRead]),
            disabled_at: None,
        }
    }

    pub(in super::super) fn hash(text: &str) -> PasswordHash {
        PasswordHash::from_stored(text.to_owned())
    }

    #[test]
    fn what_is_kept_is_found_by_id_and_by_name() {
        let state_store = database();
        state_store.create_user(&user(1), &hash("one"), after(0)).unwrap();
        state_store.create_user(&user(2), &hash("two"), after(1)).unwrap();
        let stored = state_store.user(&user(1).id).unwrap().unwrap();
        assert_eq!(stored.user, user(1));
        assert_eq!((stored.password.as_str(), stored.is_active()), ("one", true));
        assert_eq!((stored.created_at, stored.credentials_changed_at), (after(0), after(0)));
        let named = state_store.user_named(&user(2).name).unwrap().unwrap();
        assert_eq!(named.user, user(2));
        assert!(state_store.user(&user(3).id).unwrap().is_none());
        assert!(state_store.user_named(&user(3).name).unwrap().is_none());
        assert_eq!(state_store.users(None).unwrap().len(), 2);
        assert_eq!(state_store.users(Some(&"other".parse().unwrap())).unwrap().len(), 0);
    }

    #[test]
    fn a_user_is_disabled_once_and_what_it_granted_before_stays_void() {
        let state_store = database();
        state_store.create_user(&user(1), &hash("one"), after(0)).unwrap();
        for minutes in [5, 6] {
            let disabled = state_store.disable_user(&user(1).name, after(minutes)).unwrap();
            assert_eq!(disabled.user.disabled_at, Some(after(5)));
            assert_eq!(disabled.credentials_changed_at, after(5));
            assert!(!disabled.is_active());
        }
        let enabled = state_store.enable_user(&user(1).name).unwrap();
        assert!(enabled.is_active());
        assert_eq!(enabled.credentials_changed_at, after(5));
    }

    #[test]
    fn a_user_of_a_disabled_tenant_may_do_nothing() {
        let state_store = database();
        state_store.create_user(&user(1), &hash("one"), after(0)).unwrap();
        state_store.set_tenant_disabled(&user(1).tenant, Some(after(3))).unwrap();
        let stored = state_store.user(&user(1).id).unwrap().unwrap();
        assert_eq!((stored.is_active(), stored.tenant_disabled_at), (false, Some(after(3))));
    }

    #[test]
    fn a_new_password_replaces_the_old_one() {
        let state_store = database();
        state_store.create_user(&user(1), &hash("one"), after(0)).unwrap();
        let changed = state_store.set_password(&user(1).name, &hash("two"), after(9)).unwrap();
        assert_eq!((changed.password.as_str(), changed.credentials_changed_at), ("two", after(9)));
        assert_eq!(state_store.user(&user(1).id).unwrap().unwrap().password.as_str(), "two");
    }

    #[test]
    fn what_cannot_be_done_is_named() {
        let state_store = database();
        state_store.create_user(&user(1), &hash("one"), after(0)).unwrap();
        let twin = User { name: user(1).name, ..user(2) };
        let stray = User { tenant: "unknown".parse().unwrap(), ..user(3) };
        let taken = state_store.create_user(&twin, &hash("two"), after(0)).unwrap_err();
        state_store.set_tenant_disabled(&user(1).tenant, Some(after(1))).unwrap();
        let errors = [
            taken,
            state_store.create_user(&stray, &hash("three"), after(0)).unwrap_err(),
            state_store.create_user(&user(4), &hash("four"), after(0)).unwrap_err(),
            state_store.disable_user(&user(5).name, after(0)).unwrap_err(),
            state_store.set_password(&user(5).name, &hash("five"), after(0)).unwrap_err(),
        ];
        assert_eq!(
            errors.map(|error| error.to_string()),
            [
                "the user `user1` already exists",
                "there is no tenant `unknown`",
                "tenant `acme` is disabled",
                "there is no user `user5`",
                "there is no user `user5`",
            ]
        );
        assert_eq!(state_store.users(None).unwrap().len(), 1);
    }
}
