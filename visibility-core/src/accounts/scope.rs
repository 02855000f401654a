//! What a user may do, and what a key or a token may be used for.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One thing that a user may do, or a key may be used for.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Scope {
    /// Scan domains and read results.
    #[serde(rename = "scan:read")]
    ScanRead,
    /// Audit pages and read results.
    #[serde(rename = "audit:read")]
    AuditRead,
    /// Read what the bots did.
    #[serde(rename = "logs:read")]
    LogsRead,
    /// Make and revoke keys and tokens of the tenant, in the browser. No key and no program has it, or else one that
    /// leaked could make others.
    #[serde(rename = "manage")]
    Manage,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 4] = [Self::ScanRead, Self::AuditRead, Self::LogsRead, Self::Manage];
    /// The scopes that keys and programs may have.
    pub const FOR_PROGRAMS: [Self; 3] = [Self::ScanRead, Self::AuditRead, Self::LogsRead];

    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ScanRead => "scan:read",
            Self::AuditRead => "audit:read",
            Self::LogsRead => "logs:read",
            Self::Manage => "manage",
        }
    }

    /// Reads the name of a scope that keys and programs may have.
    ///
    /// # Errors
    ///
    /// [`ScopeError`] for any other text.
    pub fn for_program(text: &str) -> Result<Self, ScopeError> {
        Self::named(text, &Self::FOR_PROGRAMS)
    }

    fn named(text: &str, known: &[Self]) -> Result<Self, ScopeError> {
        let found = known.iter().find(|scope| scope.as_str() == text);
        found.copied().ok_or_else(|| ScopeError {
            text: text.chars().take(32).collect(),
            known: known.to_vec(),
        })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A text that is not a scope.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("there is no scope `{text}` here; the scopes are {}", names(known))]
pub struct ScopeError {
    text: String,
    /// The scopes of which it is none.
    known: Vec<Scope>,
}

/// Scopes as a list in a sentence.
fn names(scopes: &[Scope]) -> String {
    let names: Vec<String> = scopes.iter().map(|scope| format!("`{scope}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::named(text, &Self::ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_what_it_is_called() {
        for scope in Scope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(scope));
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.as_str());
        }
        let unknown = "scan:write".parse::<Scope>().unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "there is no scope `scan:write` here; the scopes are `scan:read`, `audit:read`, `logs:read` and `manage`"
        );
    }

    #[test]
    fn programs_cannot_manage() {
        for scope in Scope::FOR_PROGRAMS {
            assert_eq!(Scope::for_program(scope.as_str()), Ok(scope));
        }
        let refused = Scope::for_program("manage").unwrap_err().to_string();
        assert!(refused.ends_with("`scan:read`, `audit:read` and `logs:read`"), "{refused}");
    }
}
