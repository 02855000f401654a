//! Whether a tenant is enabled, for tokens of another authorization server.

use rusqlite::OptionalExtension as _;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::column::optional_time;
use super::{Sqlite, failed};

/// Whether a tenant may do anything.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TenantState {
    /// It may.
    Active,
    /// The operator has disabled it.
    Disabled,
}

impl Sqlite {
    /// Whether a tenant may do anything; none if there is no such tenant.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn tenant_state(&self, slug: &TenantSlug) -> Result<Option<TenantState>, StoreError> {
        let is_disabled = self
            .reader()
            .prepare_cached("SELECT disabled_at FROM tenant WHERE slug = ?1")
            .and_then(|mut found| {
                found
                    .query_row([slug.as_str()], |row| Ok(optional_time(row, 0)?.is_some()))
                    .optional()
            })
            .map_err(failed(|| format!("look up tenant {slug}")))?;
        Ok(is_disabled.map(|is| if is { TenantState::Disabled } else { TenantState::Active }))
    }
}
