//! The subject of a rate limit: a tenant, a key, an address or a host.

use std::fmt;

use visibility_core::accounts::api_key::KeyName;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::user::UserId;

/// Whom a limit counts.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Subject {
    name: String,
    kind: SubjectKind,
}

/// How many of its like there may be, and who decides that.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum SubjectKind {
    /// A tenant or a credential of it: as many as the operator has made.
    Known,
    /// An address that asks: as many as strangers have.
    Address,
    /// A host that is asked about: as many as strangers name.
    Host,
}

impl Subject {
    /// A tenant and its keys of one name: a key and its successor share what they may.
    pub(crate) fn credential(tenant: &TenantSlug, name: &KeyName) -> Self {
        // Neither has a slash, so that no two credentials become one.
        Self { name: format!("{tenant}/{name}"), kind: SubjectKind::Known }
    }

    /// A caller of the MCP server, whose requests are counted separately: only in memory, so that
    /// requests do not wait for the database.
    pub(crate) fn mcp(&self) -> Self {
        Self { name: format!("mcp:{}", self.name), kind: self.kind }
    }

    /// A user of a tenant, known to another authorization server.
    pub(crate) fn external(tenant: &TenantSlug, name: &str) -> Self {
        // No credential has two slashes.
        Self { name: format!("{tenant}/external/{name}"), kind: SubjectKind::Known }
    }

    /// A person, whichever programs ask on their behalf.
    pub(crate) fn user(id: UserId) -> Self {
        // No tenant and no credential begins like an id.
        Self { name: id.to_string(), kind: SubjectKind::Known }
    }

    /// An anonymous client.
    pub(crate) fn anonymous(name: String) -> Self {
        Self { name, kind: SubjectKind::Address }
    }

    /// All who are not signed in, together.
    pub(crate) fn all_visitors() -> Self {
        // No tenant has a space in its name.
        Self { name: "all visitors".to_owned(), kind: SubjectKind::Known }
    }

    /// A host that strangers ask about.
    pub(crate) fn host(name: String) -> Self {
        Self { name, kind: SubjectKind::Host }
    }

    /// How many of its like there may be.
    pub(crate) fn kind(&self) -> SubjectKind {
        self.kind
    }

    /// The subject as it is kept.
    pub(crate) fn as_str(&self) -> &str {
        &self.name
    }
}

impl From<&TenantSlug> for Subject {
    fn from(tenant: &TenantSlug) -> Self {
        Self { name: tenant.to_string(), kind: SubjectKind::Known }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}
