//! Ids and names of API keys.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// What an id begins with.
const ID_PREFIX: &str = "key_";
/// Characters of a name.
const MAX_NAME_CHARS: usize = 64;

/// The id by which a key is listed, rotated and revoked: `key_` and 32 hexadecimal digits. No secret.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct KeyId(Uuid);

/// A text that is not an id of a key.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the id of a key is `key_` followed by 32 hexadecimal digits")]
pub struct KeyIdError;

impl From<Uuid> for KeyId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl FromStr for KeyId {
    type Err = KeyIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix(ID_PREFIX).filter(|digits| digits.len() == 32);
        let id = digits.and_then(|digits| Uuid::try_parse(digits).ok());
        id.map(Self).ok_or(KeyIdError)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{ID_PREFIX}{}", self.0.simple())
    }
}

/// The name of a key within its tenant. A key and its successor have the same.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct KeyName(String);

/// A text that is not a name of a key.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a name has 1 to 64 letters, digits, `-`, `_`, `.` and spaces, without spaces at the ends")]
pub struct KeyNameError;

impl KeyName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyName {
    type Err = KeyNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_name = !text.is_empty()
            && text.trim() == text
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' '));
        if is_name && text.chars().count() <= MAX_NAME_CHARS {
            Ok(Self(text.to_owned()))
        } else {
            Err(KeyNameError)
        }
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_what_it_is_shown_as() {
        let id = KeyId::from(Uuid::from_u128(0xAB));
        assert_eq!(id.to_string(), "key_000000000000000000000000000000ab");
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in [
            "",
            "key_",
            "000000000000000000000000000000ab",
            "key_000000000000000000000000000000a",
            "key_000000000000000000000000000000ag",
            "key_00000000-0000-0000-0000-0000000000ab",
            "KEY_000000000000000000000000000000ab",
        ] {
            assert_eq!(text.parse::<KeyId>(), Err(KeyIdError), "{text}");
        }
    }

    #[test]
    fn a_name_is_letters_digits_and_a_few_signs() {
        let longest = "ü".repeat(64);
        for text in ["default", "CI 2", "web-app_1.0", "anahtarım", &longest] {
            assert_eq!(text.parse::<KeyName>().map(|name| name.to_string()).as_deref(), Ok(text));
        }
        let too_long = "a".repeat(65);
        for text in ["", " ", " a", "a ", "a/b", "a\nb", "a\u{202e}b", "a\0", &too_long] {
            assert_eq!(text.parse::<KeyName>(), Err(KeyNameError), "{text:?}");
        }
    }
}
