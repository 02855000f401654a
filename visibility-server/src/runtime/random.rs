//! Random tokens, cookies, passwords and names.

use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_core::audit::snapshot::AuditId;

/// A number that no one outside can know.
///
/// # Errors
///
/// When the operating system gives none.
pub(crate) fn number() -> std::io::Result<u64> {
    Ok(getrandom::u64()?)
}

/// A new token, of the random numbers of the operating system.
///
/// # Errors
///
/// When it gives none.
pub(crate) fn token(kind: TokenKind) -> Result<Token, getrandom::Error> {
    let mut random = [0; RANDOM_BYTES];
    getrandom::fill(&mut random)?;
    Ok(Token::generate(kind, &random))
}

/// A new secret of a browser: 256 bits as hexadecimal digits, of the random numbers of the operating system.
///
/// # Errors
///
/// When it gives none.
pub(crate) fn cookie() -> Result<String, getrandom::Error> {
    let mut random = [0; RANDOM_BYTES];
    getrandom::fill(&mut random)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A new password of 120 bits, of the random numbers of the operating system: four groups of letters and
/// digits that are not mistaken for one another.
///
/// # Errors
///
/// When it gives none.
pub(crate) fn password() -> Result<String, getrandom::Error> {
    const DIGITS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut random = [0u8; 24];
    getrandom::fill(&mut random)?;
    let groups = random.chunks(6).map(|group| {
        group
            .iter()
            .filter_map(|byte| DIGITS.get(usize::from(byte % 32)).copied().map(char::from))
            .collect()
    });
    Ok(groups.collect::<Vec<String>>().join("-"))
}

/// A new name of an audit, of the random numbers of the operating system.
///
/// # Errors
///
/// When it gives none.
pub(crate) fn audit_id() -> Result<AuditId, getrandom::Error> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)?;
    Ok(AuditId::from_bits(u128::from_be_bytes(random)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_has_four_groups_and_is_new_each_time() {
        let [one, other] = [(); 2].map(|()| password().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.split('-').map(str::len).collect::<Vec<_>>(), [6; 4]);
        assert!(one.bytes().all(|byte| byte == b'-' || byte.is_ascii_alphanumeric()));
    }
}
