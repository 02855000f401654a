//! PKCE (RFC 7636): only the client that began the flow can finish it. The only method is S256.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Characters of a challenge: SHA-256 as base64url without padding.
const CHALLENGE_CHARS: usize = 43;

/// What a client is to show the verifier of.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct PkceChallenge(String);

impl PkceChallenge {
    /// Parses a challenge; `None` if it is malformed.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let is_challenge = text.len() == CHALLENGE_CHARS
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        is_challenge.then(|| Self(text.to_owned()))
    }

    /// The text, as it is kept.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a verifier is the one of this challenge.
    pub(crate) fn matches(&self, verifier: &str) -> bool {
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
        digest.as_bytes().ct_eq(self.0.as_bytes()).into()
    }
}

/// Whether a text has the form of a verifier: RFC 7636 section 4.1.
pub(crate) fn is_verifier(text: &str) -> bool {
    let is_unreserved =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    (43..=128).contains(&text.len()) && text.bytes().all(is_unreserved)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7636 appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn a_challenge_is_met_by_its_verifier_alone() {
        let challenge = PkceChallenge::read(CHALLENGE).unwrap();
        assert!(challenge.matches(VERIFIER));
        assert!(!challenge.matches(CHALLENGE), "that would be `plain`");
        assert!(!challenge.matches(""));
        assert!(!challenge.matches(&VERIFIER.to_lowercase()));
    }

    #[test]
    fn forms_are_those_of_the_standard() {
        let padded = format!("{}=", CHALLENGE.get(..42).unwrap());
        for text in ["", "a", &padded, &format!("{CHALLENGE}a"), &"é".repeat(21)] {
            assert_eq!(PkceChallenge::read(text), None, "{text}");
        }
        for (count, expected) in [(42, false), (43, true), (128, true), (129, false)] {
            assert_eq!(is_verifier(&"a".repeat(count)), expected, "{count}");
        }
        assert!(is_verifier(&"-._~0aZ".repeat(7)));
        assert!(!is_verifier(&"a b".repeat(20)) && !is_verifier(&"é".repeat(30)));
    }
}
