//! Tenants, which send logs, and the ids of their batches.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Characters of a slug.
const MAX_CHARS: usize = 63;

/// The short name of a tenant: `[a-z0-9][a-z0-9-]{0,62}`.
#[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct TenantSlug(String);

/// Why a text is not a tenant slug.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "a tenant name has 1 to 63 characters of `a-z`, `0-9` and `-`, and does not start \
    with `-`"
)]
pub struct TenantSlugError;

impl TenantSlug {
    /// The slug as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TenantSlug {
    type Err = TenantSlugError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let starts_well = text.bytes().next().is_some_and(is_word);
        let is_slug = text.bytes().all(|byte| is_word(byte) || byte == b'-');
        if starts_well && is_slug && text.len() <= MAX_CHARS {
            Ok(Self(text.to_owned()))
        } else {
            Err(TenantSlugError)
        }
    }
}

impl TryFrom<String> for TenantSlug {
    type Error = TenantSlugError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<TenantSlug> for String {
    fn from(slug: TenantSlug) -> Self {
        slug.0
    }
}

impl fmt::Display for TenantSlug {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What a batch is known by: its id counts within its tenant only.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct BatchKey {
    /// Whose batch.
    pub tenant: TenantSlug,
    /// The id that the sender chose, or that we made.
    pub batch_id: Uuid,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_lower_case_digits_and_hyphens() {
        for slug in ["a", "0", "acme", "acme-2", "a-", &"a".repeat(63)] {
            assert_eq!(slug.parse::<TenantSlug>().map(String::from).as_deref(), Ok(slug));
        }
        for text in ["", "-a", "Acme", "a_b", "a.b", "ü", "a b", &"a".repeat(64)] {
            assert_eq!(text.parse::<TenantSlug>(), Err(TenantSlugError), "{text}");
        }
    }
}
