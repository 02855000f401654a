//! Whether a tenant is enabled.

use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::optional_time;
use crate::stores::database::{SqlError, Statements, failed, params};

/// Whether a tenant may do anything.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TenantState {
    /// It may.
    Active,
    /// The operator has disabled it.
    Disabled,
}

impl StateStore {
    /// Whether a tenant may do anything; none if there is no such tenant.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn tenant_state(&self, slug: &TenantSlug) -> Result<Option<TenantState>, StoreError> {
        self.read(|statements| find_tenant_state(statements, slug))
            .map_err(failed(|| format!("look up tenant {slug}")))
    }
}

/// As [`StateStore::tenant_state`], within a transaction.
pub(super) fn find_tenant_state(
    statements: &dyn Statements,
    slug: &TenantSlug,
) -> Result<Option<TenantState>, SqlError> {
    let sql = "SELECT disabled_at FROM tenant WHERE slug = ?1";
    statements.query_opt(sql, params![slug.as_str()], |row| {
        let disabled_at = optional_time(row, 0)?;
        Ok(disabled_at.map_or(TenantState::Active, |_at| TenantState::Disabled))
    })
}
