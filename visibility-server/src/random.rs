//! Tokens, cookies and names that nobody can guess.

use visibility_core::audit::snapshot::AuditId;
use visibility_core::token::{RANDOM_BYTES, Token, TokenKind};

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
    Ok(random.iter().map(|octet| format!("{octet:02x}")).collect())
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
