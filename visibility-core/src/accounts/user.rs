//! Ids and names of users.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use crate::accounts::scope::Scope;
use crate::accounts::tenant::TenantSlug;

/// What an id begins with.
const ID_PREFIX: &str = "usr_";
/// Characters of a name.
const MAX_NAME_CHARS: usize = 64;

/// A person who may sign in, and let programs act for one tenant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct User {
    /// What other records refer to, so that a name can be given to another user later.
    pub id: UserId,
    /// For whom it acts.
    pub tenant: TenantSlug,
    /// What it signs in as.
    pub name: UserName,
    /// What it may let programs do.
    pub scopes: BTreeSet<Scope>,
    /// Since when it may do nothing.
    pub disabled_at: Option<DateTime<Utc>>,
}

/// The id of a user: `usr_` and 32 hexadecimal digits. No secret.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct UserId(Uuid);

/// A text that is not an id of a user.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the id of a user is `usr_` followed by 32 hexadecimal digits")]
pub struct UserIdError;

impl From<Uuid> for UserId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl FromStr for UserId {
    type Err = UserIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix(ID_PREFIX).filter(|digits| digits.len() == 32);
        let id = digits.and_then(|digits| Uuid::try_parse(digits).ok());
        id.map(Self).ok_or(UserIdError)
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{ID_PREFIX}{}", self.0.simple())
    }
}

/// What a user signs in as, such as an e-mail address. Capital letters of ASCII become small ones.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct UserName(String);

/// A text that is not a name of a user.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a user name has 1 to 64 characters of `a-z`, `0-9`, `.`, `_`, `@`, `+` and `-`")]
pub struct UserNameError;

impl UserName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for UserName {
    type Err = UserNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty()
            || text.len() > MAX_NAME_CHARS
            || !text.bytes().all(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'@' | b'+' | b'-')
            })
        {
            return Err(UserNameError);
        }
        Ok(Self(text.to_ascii_lowercase()))
    }
}

impl fmt::Display for UserName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_what_it_is_of() {
        let id = UserId::from(Uuid::from_u128(0x01a1_fe47_47bf_7280_b1c2_2ae4_58fe_527e));
        assert_eq!(id.to_string(), "usr_01a1fe4747bf7280b1c22ae458fe527e");
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in [
            "",
            "01a1fe4747bf7280b1c22ae458fe527e",
            "usr_01a1fe47-47bf-7280-b1c2-2ae458fe527e",
            "key_01a1fe4747bf7280b1c22ae458fe527e",
            "usr_01a1fe4747bf7280b1c22ae458fe527",
            "usr_01a1fe4747bf7280b1c22ae458fe527g",
        ] {
            assert_eq!(text.parse::<UserId>(), Err(UserIdError), "{text}");
        }
    }

    #[test]
    fn a_name_is_short_and_in_small_letters() {
        for (text, name) in [
            ("a", "a"),
            ("Ada@Example.com", "ada@example.com"),
            ("ada.l+mcp_2-x@example.com", "ada.l+mcp_2-x@example.com"),
            (&"x".repeat(64), &"x".repeat(64)),
        ] {
            assert_eq!(text.parse::<UserName>().as_ref().map(UserName::as_str), Ok(name));
        }
        for text in ["", " ada", "ada ", "ada b", "ıda", "ada\n", "a/b", "a\"b", &"x".repeat(65)] {
            assert_eq!(text.parse::<UserName>(), Err(UserNameError), "{text}");
        }
    }
}
