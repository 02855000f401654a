//! What a key or a token may be used for.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One thing that a key may be used for.
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
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 3] = [Self::ScanRead, Self::AuditRead, Self::LogsRead];

    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ScanRead => "scan:read",
            Self::AuditRead => "audit:read",
            Self::LogsRead => "logs:read",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A text that is not a scope.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("there is no scope `{0}`; the scopes are `scan:read`, `audit:read` and `logs:read`")]
pub struct ScopeError(String);

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|scope| scope.as_str() == text);
        known.ok_or_else(|| ScopeError(text.chars().take(32).collect()))
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
        assert!("scan:write".parse::<Scope>().is_err());
    }
}
