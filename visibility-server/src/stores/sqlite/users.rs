//! Users: who may sign in.
//!
//! Whatever changes who may sign in as a user ends its sessions in the same transaction, and moves
//! `credentials_changed_at`, before which nothing that the user has granted counts.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::user::{User, UserId, UserName};
use visibility_core::store::StoreError;

use super::column::{join_list, optional_time, parsed, slug, split_list, time};
use super::{Sqlite, begin, failed};
use crate::stores::password_hash::PasswordHash;

/// What [`stored_user`] reads.
const SELECT_USER: &str = "
    SELECT id, user.tenant, name, scopes, user.disabled_at, password, user.created_at,
           credentials_changed_at, tenant.disabled_at
    FROM user JOIN tenant ON tenant.slug = user.tenant";

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

impl Sqlite {
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
        let mut connection = self.writer();
        let transaction = begin(&mut connection)?;
        let disabled_at: Option<Option<i64>> = transaction
            .query_row(
                "SELECT disabled_at FROM tenant WHERE slug = ?1",
                [user.tenant.as_str()],
                |row| row.get(0),
            )
            .optional()
            .map_err(failed(describe))?;
        match disabled_at {
            None => return Err(UserError::NoTenant(user.tenant.clone())),
            Some(Some(_)) => return Err(UserError::TenantDisabled(user.tenant.clone())),
            Some(None) => {}
        }
        let kept = transaction
            .execute(
                "INSERT INTO user (id, tenant, name, scopes, password, created_at,
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
        if kept == 0 {
            return Err(UserError::NameTaken(user.name.clone()));
        }
        Ok(self.commit(transaction, describe)?)
    }

    /// The users of one tenant or of all, by tenant and name.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn users(&self, tenant: Option<&TenantSlug>) -> Result<Vec<StoredUser>, StoreError> {
        let sql = format!(
            "{SELECT_USER} WHERE ?1 IS NULL OR user.tenant = ?1 ORDER BY user.tenant, name"
        );
        let connection = self.reader();
        let listed = connection.prepare_cached(&sql).and_then(|mut statement| {
            statement.query_map([tenant.map(TenantSlug::as_str)], stored_user)?.collect()
        });
        listed.map_err(failed(|| "list the users".to_owned()))
    }

    /// The user with an id, whether it may do anything or not: see [`StoredUser::is_active`].
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn user(&self, id: &UserId) -> Result<Option<StoredUser>, StoreError> {
        self.reader()
            .prepare_cached(&format!("{SELECT_USER} WHERE id = ?1"))
            .and_then(|mut found| found.query_row([id.to_string()], stored_user).optional())
            .map_err(failed(|| format!("look up {id}")))
    }

    /// The user with a name, as [`user`](Self::user).
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn user_named(&self, name: &UserName) -> Result<Option<StoredUser>, StoreError> {
        named(&self.reader(), name)
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
            UPDATE user SET disabled_at = ?2, credentials_changed_at = ?2
            WHERE name = ?1 AND disabled_at IS NULL";
        self.change_user(name, |connection| {
            connection.execute(sql, params![name.as_str(), now.timestamp_micros()])?;
            end_sessions(connection, name)
        })
    }

    /// Takes [`disable_user`](Self::disable_user) back; its sessions stay ended.
    ///
    /// # Errors
    ///
    /// [`UserError::NoUser`], or when the database fails.
    pub fn enable_user(&self, name: &UserName) -> Result<StoredUser, UserError> {
        let sql = "UPDATE user SET disabled_at = NULL WHERE name = ?1";
        self.change_user(name, |connection| connection.execute(sql, [name.as_str()]))
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
        let sql = "UPDATE user SET password = ?2, credentials_changed_at = ?3 WHERE name = ?1";
        self.change_user(name, |connection| {
            let values = params![name.as_str(), password.as_str(), now.timestamp_micros()];
            connection.execute(sql, values)?;
            end_sessions(connection, name)
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
        self.change_user(name, |connection| {
            let select = "SELECT scopes FROM user WHERE name = ?1";
            let kept: Option<BTreeSet<Scope>> = connection
                .query_row(select, [name.as_str()], |row| split_list(row, 0))
                .optional()?;
            let Some(mut scopes) = kept else { return Ok(0) };
            scopes.extend(add);
            scopes.retain(|scope| !remove.contains(scope));
            let sql = "UPDATE user SET scopes = ?2 WHERE name = ?1";
            connection.execute(sql, params![name.as_str(), join_list(&scopes)])
        })
    }

    /// Whether there is any user.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn has_users(&self) -> Result<bool, StoreError> {
        self.reader()
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM user)")
            .and_then(|mut found| found.query_row([], |row| row.get(0)))
            .map_err(failed(|| "look for users".to_owned()))
    }

    /// Changes a user, and gives it as it is then.
    fn change_user(
        &self,
        name: &UserName,
        change: impl FnOnce(&Connection) -> rusqlite::Result<usize>,
    ) -> Result<StoredUser, UserError> {
        let describe = || format!("change the user {name}");
        let mut connection = self.writer();
        let transaction = begin(&mut connection)?;
        change(&transaction).map_err(failed(describe))?;
        let changed = named(&transaction, name)?.ok_or_else(|| UserError::NoUser(name.clone()))?;
        self.commit(transaction, describe)?;
        Ok(changed)
    }
}

fn end_sessions(connection: &Connection, name: &UserName) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM session WHERE user = (SELECT id FROM user WHERE name = ?1)";
    connection.execute(sql, [name.as_str()])
}

fn named(connection: &Connection, name: &UserName) -> Result<Option<StoredUser>, StoreError> {
    connection
        .prepare_cached(&format!("{SELECT_USER} WHERE name = ?1"))
        .and_then(|mut found| found.query_row([name.as_str()], stored_user).optional())
        .map_err(failed(|| "look up a user".to_owned()))
}

fn stored_user(row: &Row<'_>) -> rusqlite::Result<StoredUser> {
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
    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;

    /// A database with the tenant `acme`, and the folder that it is in.
    pub(in super::super) fn database() -> (Sqlite, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let sqlite = Sqlite::open(&folder.path().join("state.sqlite")).unwrap();
        sqlite.create_tenant(&"acme".parse().unwrap(), after(0)).unwrap();
        (sqlite, folder)
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
        let (sqlite, _folder) = database();
        sqlite.create_user(&user(1), &hash("one"), after(0)).unwrap();
        sqlite.create_user(&user(2), &hash("two"), after(1)).unwrap();
        let stored = sqlite.user(&user(1).id).unwrap().unwrap();
        assert_eq!(stored.user, user(1));
        assert_eq!((stored.password.as_str(), stored.is_active()), ("one", true));
        assert_eq!((stored.created_at, stored.credentials_changed_at), (after(0), after(0)));
        let named = sqlite.user_named(&user(2).name).unwrap().unwrap();
        assert_eq!(named.user, user(2));
        assert!(sqlite.user(&user(3).id).unwrap().is_none());
        assert!(sqlite.user_named(&user(3).name).unwrap().is_none());
        assert_eq!(sqlite.users(None).unwrap().len(), 2);
        assert_eq!(sqlite.users(Some(&"other".parse().unwrap())).unwrap().len(), 0);
    }

    #[test]
    fn a_user_is_disabled_once_and_what_it_granted_before_stays_void() {
        let (sqlite, _folder) = database();
        sqlite.create_user(&user(1), &hash("one"), after(0)).unwrap();
        for minutes in [5, 6] {
            let disabled = sqlite.disable_user(&user(1).name, after(minutes)).unwrap();
            assert_eq!(disabled.user.disabled_at, Some(after(5)));
            assert_eq!(disabled.credentials_changed_at, after(5));
            assert!(!disabled.is_active());
        }
        let enabled = sqlite.enable_user(&user(1).name).unwrap();
        assert!(enabled.is_active());
        assert_eq!(enabled.credentials_changed_at, after(5));
    }

    #[test]
    fn a_user_of_a_disabled_tenant_may_do_nothing() {
        let (sqlite, _folder) = database();
        sqlite.create_user(&user(1), &hash("one"), after(0)).unwrap();
        sqlite.set_tenant_disabled(&user(1).tenant, Some(after(3))).unwrap();
        let stored = sqlite.user(&user(1).id).unwrap().unwrap();
        assert_eq!((stored.is_active(), stored.tenant_disabled_at), (false, Some(after(3))));
    }

    #[test]
    fn a_new_password_replaces_the_old_one() {
        let (sqlite, _folder) = database();
        sqlite.create_user(&user(1), &hash("one"), after(0)).unwrap();
        let changed = sqlite.set_password(&user(1).name, &hash("two"), after(9)).unwrap();
        assert_eq!((changed.password.as_str(), changed.credentials_changed_at), ("two", after(9)));
        assert_eq!(sqlite.user(&user(1).id).unwrap().unwrap().password.as_str(), "two");
    }

    #[test]
    fn what_cannot_be_done_is_named() {
        let (sqlite, _folder) = database();
        sqlite.create_user(&user(1), &hash("one"), after(0)).unwrap();
        let twin = User { name: user(1).name, ..user(2) };
        let stray = User { tenant: "unknown".parse().unwrap(), ..user(3) };
        let taken = sqlite.create_user(&twin, &hash("two"), after(0)).unwrap_err();
        sqlite.set_tenant_disabled(&user(1).tenant, Some(after(1))).unwrap();
        let errors = [
            taken,
            sqlite.create_user(&stray, &hash("three"), after(0)).unwrap_err(),
            sqlite.create_user(&user(4), &hash("four"), after(0)).unwrap_err(),
            sqlite.disable_user(&user(5).name, after(0)).unwrap_err(),
            sqlite.set_password(&user(5).name, &hash("five"), after(0)).unwrap_err(),
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
        assert_eq!(sqlite.users(None).unwrap().len(), 1);
    }
}
