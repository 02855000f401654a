//! Tokens that nobody can guess.

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
