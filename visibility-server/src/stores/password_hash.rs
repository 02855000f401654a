//! Password hashes (Argon2id).
//!
//! Argon2id with the first parameters of the OWASP password storage cheat sheet that ask for two passes:
//! 19 MiB of memory, two passes, one lane. RFC 9106 would have 64 MiB, which a small machine that serves
//! has not for several people at a time. A hash says its own parameters, so that older ones stay valid.

use std::fmt;

use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use unicode_normalization::UnicodeNormalization as _;
use visibility_core::accounts::user::UserName;

/// Memory of a hash in KiB.
const MEMORY_KIB: u32 = 19 * 1024;
/// Passes over that memory.
const PASSES: u32 = 2;
/// Argon2's parallelism: lanes of that memory.
const LANES: u32 = 1;
/// Bytes of a salt: RFC 9106 section 3.1.
const SALT_BYTES: usize = 16;
/// Shortest password in characters: NIST SP 800-63B asks for 15 without and for 8 with
/// a second factor.
const MIN_CHARS: usize = 12;
/// Bytes that a password has at most.
const MAX_URI_BYTES: usize = 1024;

/// A password that a user may have.
#[derive(Clone, Eq, PartialEq)]
pub struct Password(String);

/// Why a text is not a password for a user.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PasswordError {
    /// Few characters are soon guessed.
    #[error("a password needs at least 12 characters")]
    TooShort,
    /// Too long: hashing would take too much time.
    #[error("a password has at most 1,024 bytes")]
    TooLong,
    /// It is tried first.
    #[error("the password must not be the name of the user")]
    Name,
}

/// What is kept of a password: a PHC string, with parameters and salt.
#[derive(Clone)]
pub struct PasswordHash(String);

/// A password was not hashed.
#[derive(Debug, thiserror::Error)]
#[error("cannot hash a password")]
pub struct HashError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl Password {
    /// The password of a user.
    ///
    /// # Errors
    ///
    /// When it is too short, too long, or the name of the user.
    pub fn new(text: &str, user: &UserName) -> Result<Self, PasswordError> {
        if text.len() > MAX_URI_BYTES {
            return Err(PasswordError::TooLong);
        }
        if text.chars().count() < MIN_CHARS {
            return Err(PasswordError::TooShort);
        }
        if text.trim().eq_ignore_ascii_case(user.as_str()) {
            return Err(PasswordError::Name);
        }
        Ok(Self(text.to_owned()))
    }

    /// The text, for the one who is to use it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl PasswordHash {
    /// The hash of a password with a new salt. It takes about 20 ms and 19 MiB.
    ///
    /// # Errors
    ///
    /// When the operating system gives no random numbers or no memory.
    pub fn new(password: &Password) -> Result<Self, HashError> {
        let mut salt = [0; SALT_BYTES];
        getrandom::fill(&mut salt).map_err(|error| HashError(error.into()))?;
        let params = Params::new(MEMORY_KIB, PASSES, LANES, None)
            .map_err(|error| HashError(error.to_string().into()))?;
        let hash = Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_with_salt(&password_bytes(&password.0), &salt)
            .map_err(|error| HashError(error.to_string().into()))?;
        Ok(Self(hash.to_string()))
    }

    /// The hash as it is kept.
    pub(crate) fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The PHC string.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the hash of a text. Blocks for as long as hashing takes, unless the
    /// text is longer than any password.
    pub(crate) fn matches(&self, text: &str) -> bool {
        if text.len() > MAX_URI_BYTES {
            return false;
        }
        let is_same =
            Argon2::default().verify_password(&password_bytes(text), self.as_str()).is_ok();
        #[cfg(test)]
        looked_at().push((text.to_owned(), self.0.clone()));
        is_same
    }
}

/// Texts that were hashed, and what with.
#[cfg(test)]
static LOOKED_AT: std::sync::Mutex<Vec<(String, String)>> = std::sync::Mutex::new(Vec::new());

#[cfg(test)]
fn looked_at() -> std::sync::MutexGuard<'static, Vec<(String, String)>> {
    LOOKED_AT.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Recent comparisons of a text with a hash.
#[cfg(test)]
pub(crate) fn hashes_looked_at(text: &str) -> Vec<String> {
    let looked_at = looked_at();
    let own = looked_at.iter().filter(|(compared, _)| compared == text);
    own.map(|(_, hash)| hash.clone()).collect()
}

#[cfg(test)]
impl PasswordHash {
    /// Whether a password is hashed to compare it with this.
    pub(crate) fn is_readable(&self) -> bool {
        argon2::PasswordHash::new(&self.0).is_ok_and(|hash| Params::try_from(&hash).is_ok())
    }
}

/// What is hashed: keyboards write one letter in more than one way, such as `ş`.
fn password_bytes(text: &str) -> Vec<u8> {
    text.nfc().collect::<String>().into_bytes()
}

impl fmt::Debug for Password {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Password").finish_non_exhaustive()
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PasswordHash").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(text: &str) -> Result<Password, PasswordError> {
        Password::new(text, &"ada@example.com".parse().unwrap())
    }

    #[test]
    fn a_password_is_long_and_not_the_name() {
        for (text, expected) in [
            ("12345678901", Err(PasswordError::TooShort)),
            ("123456789012", Ok(())),
            ("şşşşşşşşşşşş", Ok(())),
            ("            ", Ok(())),
            (&"x".repeat(1024), Ok(())),
            (&"x".repeat(1025), Err(PasswordError::TooLong)),
            (&"ş".repeat(513), Err(PasswordError::TooLong)),
            ("ada@example.com", Err(PasswordError::Name)),
            ("Ada@Example.COM ", Err(PasswordError::Name)),
            ("ada@example.com!", Ok(())),
        ] {
            assert_eq!(password(text).map(|_| ()), expected, "{text}");
        }
    }

    #[test]
    fn a_hash_is_argon2id_with_parameters_and_a_salt_of_its_own() {
        let secret = password("correct horse").unwrap();
        let [one, other] = [(); 2].map(|()| PasswordHash::new(&secret).unwrap());
        assert!(one.as_str().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", one.as_str());
        assert_ne!(one.as_str(), other.as_str());
        assert!(one.matches("correct horse") && other.matches("correct horse"));
        for text in ["correct horse ", "Correct horse", "", "x", &"x".repeat(4096)] {
            assert!(!one.matches(text), "{text}");
        }
    }

    #[test]
    fn a_hash_with_other_parameters_stays_valid() {
        let params = Params::new(64, 1, 1, None).unwrap();
        let hash = Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_with_salt(b"correct horse", &[7; SALT_BYTES])
            .unwrap();
        assert!(PasswordHash::from_stored(hash.to_string()).matches("correct horse"));
        assert!(!PasswordHash::from_stored("plain".to_owned()).matches("plain"));
    }

    #[test]
    fn one_letter_is_one_however_it_is_written() {
        let hash = PasswordHash::new(&password("çalış \u{15f}ükrü ğ").unwrap()).unwrap();
        assert!(hash.matches("c\u{327}al\u{131}s\u{327} s\u{327}u\u{308}kru\u{308} g\u{306}"));
    }

    #[test]
    fn neither_password_nor_hash_is_shown_by_debug() {
        let secret = password("correct horse").unwrap();
        let hash = PasswordHash::new(&secret).unwrap();
        assert_eq!(format!("{secret:?} {hash:?}"), "Password { .. } PasswordHash { .. }");
    }
}
