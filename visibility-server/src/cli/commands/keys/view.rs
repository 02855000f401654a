//! API keys in the output of commands, as table rows and as JSON.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use ipnet::IpNet;
use serde::Serialize;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::token::Token;

use crate::stores::state::credentials::TokenState;
use crate::stores::state::keys::{NewKey, StoredKey};

/// The columns of a list.
pub(super) const TITLES: [&str; 9] =
    ["tenant", "name", "key", "scopes", "state", "created", "expires", "last used", "id"];

/// A new key as JSON: the only time that the secret is shown.
#[derive(Debug, Serialize)]
pub(super) struct NewKeyView<'a> {
    key: &'a str,
    id: String,
    tenant: &'a TenantSlug,
    name: &'a str,
    scopes: &'a BTreeSet<Scope>,
    allow: &'a [IpNet],
    expires_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<ReplacedKey>,
}

/// The key that the new one replaces.
#[derive(Debug, Serialize)]
struct ReplacedKey {
    id: String,
    expires_at: Option<DateTime<Utc>>,
}

impl<'a> NewKeyView<'a> {
    /// A new key, and the one that it replaces.
    pub(super) fn new(token: &'a Token, new_key: &'a NewKey, old: Option<&StoredKey>) -> Self {
        Self {
            key: token.reveal(),
            id: new_key.id.to_string(),
            tenant: &new_key.tenant,
            name: new_key.name.as_str(),
            scopes: &new_key.scopes,
            allow: &new_key.networks,
            expires_at: new_key.expires_at(),
            replaces: old
                .map(|old| ReplacedKey { id: old.key.id.to_string(), expires_at: old.expires_at }),
        }
    }
}

/// A key as JSON, without the secret.
#[derive(Debug, Serialize)]
pub(super) struct KeyView<'a> {
    id: String,
    tenant: &'a TenantSlug,
    name: &'a str,
    state: TokenState,
    hint: &'a str,
    scopes: &'a BTreeSet<Scope>,
    allow: &'a [IpNet],
    created_by: Option<&'a str>,
    created_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
    revoked_at: Option<DateTime<Utc>>,
    replaced_by: Option<String>,
    last_used_at: Option<DateTime<Utc>>,
    last_used_from: Option<IpNet>,
}

impl<'a> KeyView<'a> {
    /// A key with its state at a time.
    pub(super) fn new(key: &'a StoredKey, now: DateTime<Utc>) -> Self {
        let key_record = &key.key;
        Self {
            id: key_record.id.to_string(),
            tenant: &key_record.tenant,
            name: key_record.name.as_str(),
            state: key.state(now),
            hint: &key_record.abbreviated,
            scopes: &key_record.scopes,
            allow: &key_record.networks,
            created_by: key_record.created_by.as_deref(),
            created_at: key_record.created_at,
            expires_at: key.expires_at,
            revoked_at: key.revoked_at,
            replaced_by: key.replaced_by.map(|id| id.to_string()),
            last_used_at: key.last_used_at,
            last_used_from: key.last_used_from,
        }
    }

    /// The cells of its row, in the order of [`TITLES`].
    pub(super) fn row(&self) -> Vec<String> {
        let or_never = |time: Option<DateTime<Utc>>| {
            time.map_or_else(
                || "never".to_owned(),
                |time| time.format("%Y-%m-%d %H:%M").to_string(),
            )
        };
        let scopes: Vec<&str> = self.scopes.iter().map(|scope| scope.as_str()).collect();
        vec![
            self.tenant.to_string(),
            self.name.to_owned(),
            self.hint.to_owned(),
            scopes.join(" "),
            self.state.words().to_owned(),
            self.created_at.format("%Y-%m-%d").to_string(),
            or_never(self.expires_at),
            or_never(self.last_used_at),
            self.id.clone(),
        ]
    }
}
