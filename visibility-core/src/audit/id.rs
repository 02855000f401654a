//! The id of an audit.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::text::base62::BASE62;

/// The text before the digits.
const PREFIX: &str = "aud_";
/// Digits that hold 128 bits.
const DIGITS: usize = 22;

/// Names an audit: `aud_` and 22 base62 digits that hold 128 bits.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct AuditId(u128);

/// A text that names no audit.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the id of an audit is `aud_` followed by 22 letters and digits")]
pub struct AuditIdError;

impl AuditId {
    /// A name with these bits. Where anybody may ask for an audit by its name, they should be random.
    pub fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The name that this content always has.
    pub fn from_content<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update(part.len().to_be_bytes());
            digest.update(part);
        }
        let bits = digest.finalize();
        Self(bits.iter().take(16).fold(0, |bits, byte| bits << 8 | u128::from(*byte)))
    }
}

impl fmt::Display for AuditId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [b'0'; DIGITS];
        let mut rest = self.0;
        for digit in digits.iter_mut().rev() {
            let index = usize::try_from(rest % 62).unwrap_or_default();
            *digit = BASE62.get(index).copied().unwrap_or(b'0');
            rest /= 62;
        }
        f.write_str(PREFIX)?;
        digits.iter().try_for_each(|digit| write!(f, "{}", char::from(*digit)))
    }
}

impl FromStr for AuditId {
    type Err = AuditIdError;

    fn from_str(text: &str) -> Result<Self, AuditIdError> {
        let digits = text.strip_prefix(PREFIX).filter(|digits| digits.len() == DIGITS);
        let value = |byte| BASE62.iter().position(|digit| *digit == byte);
        let bits = digits.ok_or(AuditIdError)?.bytes().try_fold(0_u128, |bits, byte| {
            let digit = u128::try_from(value(byte)?).ok()?;
            bits.checked_mul(62)?.checked_add(digit)
        });
        bits.map(Self).ok_or(AuditIdError)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_holds_128_bits_is_a_name() {
        let last = AuditId::from_bits(u128::MAX).to_string();
        assert_eq!(last.parse(), Ok(AuditId::from_bits(u128::MAX)));
        for text in [
            "",
            "aud_",
            "aud_1",
            &last.replace("aud", "scn"),
            &format!("{last}0"),
            "aud_zzzzzzzzzzzzzzzzzzzzzz",
            "aud_00000000000000000000-0",
            "aud_0000000000000000000é0",
        ] {
            assert_eq!(text.parse::<AuditId>(), Err(AuditIdError), "{text}");
        }
    }

    #[test]
    fn the_name_of_a_content_depends_on_its_parts() {
        let name = |parts: &[&[u8]]| AuditId::from_content(parts.iter().copied());
        assert_eq!(name(&[b"a", b"b"]), name(&[b"a", b"b"]));
        assert_ne!(name(&[b"ab", b""]), name(&[b"a", b"b"]));
    }

    proptest! {
        #[test]
        fn every_name_is_read_back(bits: u128) {
            let id = AuditId::from_bits(bits);
            prop_assert_eq!(id.to_string().parse(), Ok(id));
        }
    }
}
