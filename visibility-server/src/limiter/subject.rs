//! Whom a limit counts.

use std::fmt;

use visibility_core::api_key::KeyName;
use visibility_core::tenant::TenantSlug;

/// Whom a limit counts: a tenant that sends logs, or the keys of one name of a tenant.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Subject(String);

impl Subject {
    /// A tenant and its keys of one name: a key and its successor share what they may.
    pub(crate) fn credential(tenant: &TenantSlug, name: &KeyName) -> Self {
        // Neither has a slash, so that no two credentials become one.
        Self(format!("{tenant}/{name}"))
    }

    /// The subject as it is kept.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&TenantSlug> for Subject {
    fn from(tenant: &TenantSlug) -> Self {
        Self(tenant.to_string())
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
