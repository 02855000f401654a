//! Whom a limit counts.

use std::fmt;

use visibility_core::api_key::KeyName;
use visibility_core::tenant::TenantSlug;

/// Whom a limit counts.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Subject {
    name: String,
    is_stranger: bool,
}

impl Subject {
    /// A tenant and its keys of one name: a key and its successor share what they may.
    pub(crate) fn credential(tenant: &TenantSlug, name: &KeyName) -> Self {
        // Neither has a slash, so that no two credentials become one.
        Self { name: format!("{tenant}/{name}"), is_stranger: false }
    }

    /// Somebody or something that this service does not know, and of which there may be any number.
    pub(crate) fn stranger(name: String) -> Self {
        Self { name, is_stranger: true }
    }

    /// Whether it is one of any number.
    pub(crate) fn is_stranger(&self) -> bool {
        self.is_stranger
    }

    /// The subject as it is kept.
    pub(crate) fn as_str(&self) -> &str {
        &self.name
    }
}

impl From<&TenantSlug> for Subject {
    fn from(tenant: &TenantSlug) -> Self {
        Self { name: tenant.to_string(), is_stranger: false }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}
