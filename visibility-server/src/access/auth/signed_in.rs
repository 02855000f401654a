//! Who asks, by the sign-in of an application that embeds the service.

use std::collections::BTreeSet;
use std::sync::Arc;

use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;

use super::Authenticator;
use super::key::Principal;
use super::key::error::ApiKeyError;
use crate::access::limiter::subject::Subject;
use crate::http::blocking::blocking;
use crate::http::response::ApiError;
use crate::stores::state::tenant_state::TenantState;

/// Who asks, for an application with a sign-in of its own: its middleware puts this into the extensions of a request,
/// which then needs no key. Nothing that a client sends can do that.
///
/// The tenant has to exist: see [`Embedded::ensure_tenant`](crate::embedded::Embedded::ensure_tenant).
#[derive(Clone, Debug)]
pub struct SignedIn {
    tenant: TenantSlug,
    name: String,
    scopes: BTreeSet<Scope>,
}

impl SignedIn {
    /// A user of a tenant. The name is what the application knows the user by; each name has limits of its own.
    pub fn new(
        tenant: TenantSlug,
        name: impl Into<String>,
        scopes: impl IntoIterator<Item = Scope>,
    ) -> Self {
        Self { tenant, name: name.into(), scopes: scopes.into_iter().collect() }
    }
}

/// Who is signed in, as long as the tenant may do anything.
pub(super) async fn principal(
    auth: &Authenticator,
    signed_in: SignedIn,
) -> Result<Principal, ApiError> {
    let SignedIn { tenant, name, scopes } = signed_in;
    let (stores, asked) = (Arc::clone(&auth.stores), tenant.clone());
    let state = blocking(move || {
        stores.state_store().tenant_state(&asked).map_err(|error| ApiError::store(&error))
    });
    if state.await? != Some(TenantState::Active) {
        let error = ApiKeyError::TenantDisabled;
        tracing::info!(%tenant, reason = ?error, "refused a user from the embedding application");
        return Err(error.into());
    }
    let subject = Subject::external(&tenant, &format!("application/{name}"));
    Ok(Principal { subject, tenant, scopes })
}
