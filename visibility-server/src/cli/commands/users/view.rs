//! Users in the output of commands, as table rows and as JSON.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::Serialize;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::user::{User, UserName};

use crate::stores::state::users::StoredUser;

/// The columns of a list.
pub(super) const TITLES: [&str; 6] = ["tenant", "name", "scopes", "state", "created", "id"];

/// A user whose password was set on the wire, with the password if that was made here.
#[derive(Debug, Serialize)]
pub(super) struct NewUserView<'a> {
    id: String,
    tenant: &'a TenantSlug,
    name: &'a UserName,
    scopes: &'a BTreeSet<Scope>,
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<&'a str>,
}

impl<'a> NewUserView<'a> {
    /// A user with a generated password, shown once.
    pub(super) fn new(user: &'a User, password: Option<&'a str>) -> Self {
        let User { id, tenant, name, scopes, .. } = user;
        Self { id: id.to_string(), tenant, name, scopes, password }
    }
}

/// A user on the wire.
#[derive(Debug, Serialize)]
pub(super) struct UserView<'a> {
    id: String,
    tenant: &'a TenantSlug,
    name: &'a UserName,
    state: UserState,
    scopes: &'a BTreeSet<Scope>,
    created_at: DateTime<Utc>,
    disabled_at: Option<DateTime<Utc>>,
    credentials_changed_at: DateTime<Utc>,
}

/// Whether a user may sign in, and if not, why.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum UserState {
    Active,
    Disabled,
    TenantDisabled,
}

impl<'a> From<&'a StoredUser> for UserView<'a> {
    fn from(stored: &'a StoredUser) -> Self {
        let User { id, tenant, name, scopes, disabled_at } = &stored.user;
        let state = match (disabled_at, stored.tenant_disabled_at) {
            (Some(_), _) => UserState::Disabled,
            (None, Some(_)) => UserState::TenantDisabled,
            (None, None) => UserState::Active,
        };
        Self {
            id: id.to_string(),
            tenant,
            name,
            state,
            scopes,
            created_at: stored.created_at,
            disabled_at: *disabled_at,
            credentials_changed_at: stored.credentials_changed_at,
        }
    }
}

impl UserView<'_> {
    /// Its cells below [`TITLES`].
    pub(super) fn row(&self) -> Vec<String> {
        let scopes: Vec<&str> = self.scopes.iter().map(|scope| scope.as_str()).collect();
        let state = match self.state {
            UserState::Active => "active",
            UserState::Disabled => "disabled",
            UserState::TenantDisabled => "tenant disabled",
        };
        vec![
            self.tenant.to_string(),
            self.name.to_string(),
            scopes.join(" "),
            state.to_owned(),
            self.created_at.format("%Y-%m-%d").to_string(),
            self.id.clone(),
        ]
    }
}
