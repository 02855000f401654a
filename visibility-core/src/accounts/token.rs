//! Bearer tokens: a prefix that says what they are for, 178 random bits, and a checksum.
//!
//! ```text
//! service_live_  30 base62 digits  6 base62 digits
//! prefix         random            CRC-32 of everything before it, most significant digit first
//! ```
//!
//! The checksum tells a mistyped or cut token from a wrong one without a look into a store, and lets
//! scanners of source code tell a leaked token from a lookalike. It is not protection: that is what the
//! random part is for. Only the SHA-256 of a token is ever stored.

use std::fmt;
use std::str::FromStr;

use flate2::Crc;
use sha2::{Digest, Sha256};

use crate::text::base62::BASE62;

/// Bytes of randomness that a token is made of.
pub const RANDOM_BYTES: usize = 32;

const RANDOM_DIGITS: usize = 30;
const CHECKSUM_DIGITS: usize = 6;
/// Digits that an abbreviation shows of the random part, and of the checksum.
const SHOWN: usize = 4;

/// What a token is for.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum TokenKind {
    /// An API key: asks the public API.
    ApiKey,
    /// An OAuth access token: asks the public API on behalf of a person.
    Access,
    /// An OAuth refresh token: gets the next access token.
    Refresh,
    /// An OAuth authorization code: is exchanged once for the first tokens.
    Code,
    /// Sends logs of one tenant.
    Ingestion,
}

impl TokenKind {
    /// All kinds. No prefix is the beginning of another.
    pub const ALL: [Self; 5] =
        [Self::ApiKey, Self::Access, Self::Refresh, Self::Code, Self::Ingestion];

    /// What tokens of this kind begin with.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::ApiKey => "service_live_",
            Self::Access => "service_oat_",
            Self::Refresh => "service_ort_",
            Self::Code => "service_oac_",
            Self::Ingestion => "svc_pk_live_",
        }
    }

    /// The kind that a text begins like, whatever follows.
    pub fn from_prefix(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| text.starts_with(kind.prefix()))
    }
}

/// A token in clear text. Only [`Token::reveal`] shows it.
#[derive(Clone)]
pub struct Token {
    kind: TokenKind,
    text: String,
}

/// Why a text is not a token. It never quotes the text, which may be a secret with a typing error.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// It begins like no token of ours.
    #[error("a token begins with `service_live_`, `service_oat_` or `svc_pk_live_`")]
    Prefix,
    /// What follows the prefix has another length or other characters.
    #[error("a token has 36 letters and digits after its prefix")]
    Form,
    /// A character is wrong.
    #[error("the checksum of the token is wrong; it was probably mistyped or cut off")]
    Checksum,
}

impl Token {
    /// Makes a token from random bytes.
    ///
    /// The digits are those of a number of 256 bits modulo 62^30, so that none is likelier than another
    /// by more than one in 2^77.
    pub fn generate(kind: TokenKind, random: &[u8; RANDOM_BYTES]) -> Self {
        let mut number = *random;
        let digits = (0..RANDOM_DIGITS).map(|_| {
            let mut remainder = 0;
            for byte in &mut number {
                let dividend = remainder * 256 + u16::from(*byte);
                // The remainder is below 62, hence the quotient below 256.
                *byte = (dividend / 62).to_le_bytes()[0];
                remainder = dividend % 62;
            }
            digit(remainder.into())
        });
        let mut text: String = kind.prefix().chars().chain(digits).collect();
        let checksum = checksum(&text);
        text.push_str(&checksum);
        Self { kind, text }
    }

    /// What it is for.
    pub fn kind(&self) -> TokenKind {
        self.kind
    }

    /// The token itself, for the one whom it was made for.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// What stores and comparisons use instead of the token.
    pub fn digest(&self) -> TokenDigest {
        TokenDigest::new(&self.text)
    }

    /// Its prefix, four characters, an ellipsis and its last four: enough for people to tell theirs
    /// apart, and 130 random bits stay untold.
    pub fn abbreviated(&self) -> String {
        let chars: Vec<char> = self.text.chars().collect();
        let start = chars.iter().take(self.kind.prefix().len() + SHOWN);
        let end = chars.iter().skip(chars.len().saturating_sub(SHOWN));
        start.chain(&['…']).chain(end).collect()
    }
}

impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kind = TokenKind::from_prefix(text).ok_or(TokenError::Prefix)?;
        let digits = text.strip_prefix(kind.prefix()).unwrap_or_default();
        let is_long_enough = digits.len() == RANDOM_DIGITS + CHECKSUM_DIGITS;
        if !is_long_enough || !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(TokenError::Form);
        }
        match text.split_at_checked(text.len() - CHECKSUM_DIGITS) {
            Some((payload, sum)) if checksum(payload) == sum => {
                Ok(Self { kind, text: text.to_owned() })
            }
            _ => Err(TokenError::Checksum),
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Token").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// The SHA-256 of a token: 178 random bits need no salt and no slow hash.
///
/// It has no `Eq`: who compares it, compares [`as_bytes`](Self::as_bytes) in constant time.
#[derive(Clone, Copy)]
pub struct TokenDigest([u8; 32]);

impl TokenDigest {
    /// The digest of what a client sent, whether it is a token or not.
    pub fn new(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }

    /// The SHA-256 digest, 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Eight hexadecimal digits by which logs tell tokens apart.
    pub fn hint(&self) -> String {
        self.0.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
    }
}

impl From<[u8; 32]> for TokenDigest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for TokenDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("TokenDigest").field(&self.hint()).finish()
    }
}

/// Six digits of which the first are zeros: 62^6 is more than 2^32.
fn checksum(text: &str) -> String {
    let mut crc = Crc::new();
    crc.update(text.as_bytes());
    let sum = crc.sum();
    let places = (0u32..).take(CHECKSUM_DIGITS);
    let digits: Vec<char> = places.map(|place| digit(sum / 62u32.pow(place) % 62)).collect();
    digits.into_iter().rev().collect()
}

/// The digit of a value below 62.
fn digit(value: u32) -> char {
    let byte = usize::try_from(value).ok().and_then(|index| BASE62.get(index));
    char::from(byte.copied().unwrap_or(b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(fill: u8) -> Token {
        Token::generate(TokenKind::Ingestion, &[fill; RANDOM_BYTES])
    }

    /// By an independent implementation: Python's `int.from_bytes` and `zlib.crc32`.
    #[test]
    fn tokens_have_the_documented_form() {
        let counting: [u8; RANDOM_BYTES] = std::array::from_fn(|index| index.to_le_bytes()[0]);
        let tables = [
            ([0; RANDOM_BYTES], "svc_pk_live_0000000000000000000000000000004R4BtR"),
            ([255; RANDOM_BYTES], "svc_pk_live_1pX8wOr5j2ACunjH7GLL8mWZWHmY1L3t0L1m"),
            (counting, "svc_pk_live_flDIBkGwcRKRL9GXCgaFM3UNu2jQTC0v3PgG"),
        ];
        for (random, text) in tables {
            assert_eq!(Token::generate(TokenKind::Ingestion, &random).reveal(), text);
        }
    }

    #[test]
    fn what_is_generated_is_parsed() {
        for kind in TokenKind::ALL {
            for fill in 0..=255 {
                let made = Token::generate(kind, &[fill; RANDOM_BYTES]);
                let parsed: Token = made.reveal().parse().unwrap();
                assert_eq!((parsed.kind(), parsed.reveal()), (kind, made.reveal()));
            }
        }
    }

    #[test]
    fn no_prefix_is_the_beginning_of_another() {
        for kind in TokenKind::ALL {
            let begin = |other: &TokenKind| other.prefix().starts_with(kind.prefix());
            assert_eq!(TokenKind::ALL.iter().filter(|other| begin(other)).count(), 1, "{kind:?}");
            assert_eq!(TokenKind::from_prefix(&format!("{}?", kind.prefix())), Some(kind));
        }
        assert_eq!(TokenKind::from_prefix("Service_live_"), None);
    }

    #[test]
    fn an_abbreviation_shows_eight_digits() {
        let key = Token::generate(TokenKind::ApiKey, &[3; RANDOM_BYTES]);
        let shown = key.abbreviated();
        let (start, end) = shown.split_once('…').unwrap();
        assert!(key.reveal().starts_with(start) && key.reveal().ends_with(end), "{shown}");
        assert_eq!((start.len(), end.len()), ("service_live_".len() + 4, 4));
    }

    #[test]
    fn every_changed_character_is_noticed() {
        let good = token(7).reveal().to_owned();
        for index in TokenKind::Ingestion.prefix().len()..good.len() {
            for other in BASE62.map(char::from) {
                let mut text: Vec<char> = good.chars().collect();
                if text[index] != other {
                    text[index] = other;
                    let text: String = text.into_iter().collect();
                    assert_eq!(text.parse::<Token>().err(), Some(TokenError::Checksum), "{text}");
                }
            }
        }
    }

    #[test]
    fn what_has_another_form_is_no_token() {
        let good = token(1).reveal().to_owned();
        let body = good.trim_start_matches("svc_pk_live_").to_owned();
        let cut = good.get(..good.len() - 1).unwrap().to_owned();
        let forms = [
            (String::new(), TokenError::Prefix),
            (body.clone(), TokenError::Prefix),
            (format!("SVC_PK_LIVE_{body}"), TokenError::Prefix),
            (format!(" {good}"), TokenError::Prefix),
            (format!("service_{body}"), TokenError::Prefix),
            (format!("service_live_{body}"), TokenError::Checksum),
            ("svc_pk_live_".to_owned(), TokenError::Form),
            (cut, TokenError::Form),
            (format!("{good}0"), TokenError::Form),
            (format!("{good} "), TokenError::Form),
            (format!("svc_pk_live_{}", "é".repeat(18)), TokenError::Form),
            (format!("svc_pk_live_{}", "-".repeat(36)), TokenError::Form),
        ];
        for (text, error) in forms {
            assert_eq!(text.parse::<Token>().err(), Some(error), "{text}");
        }
    }

    #[test]
    fn no_digit_is_favored() {
        let mut counts = [0u32; 62];
        for seed in 0u32..2000 {
            let random: [u8; RANDOM_BYTES] = Sha256::digest(seed.to_le_bytes()).into();
            let made = Token::generate(TokenKind::Ingestion, &random);
            for byte in made.reveal().bytes().skip(12).take(RANDOM_DIGITS) {
                counts[BASE62.iter().position(|digit| *digit == byte).unwrap()] += 1;
            }
        }
        // 60,000 digits: 968 of each are expected, the standard deviation is 31.
        assert!(counts.iter().all(|count| (800..1140).contains(count)), "{counts:?}");
    }

    #[test]
    fn neither_token_nor_digest_is_shown_by_debug() {
        let token = token(9);
        assert_eq!(format!("{token:?}"), "Token { kind: Ingestion, .. }");
        let digest = token.digest();
        assert_eq!(digest.hint().len(), 8);
        assert_eq!(format!("{digest:?}"), format!("TokenDigest(\"{}\")", digest.hint()));
    }

    #[test]
    fn the_digest_is_sha_256_of_the_whole_text() {
        let token = token(0);
        let hex: String = token.digest().as_bytes().iter().map(|o| format!("{o:02x}")).collect();
        assert_eq!(hex, "28adf1f478163bc8e7b32b0925fa401eb50b9c64333b59f3a493c0700f612fe3");
        assert!(hex.starts_with(&token.digest().hint()));
    }
}
