//! The domain that a scan is about.

use std::fmt;
use std::str::FromStr;

use url::Url;

/// A bare host that can be scanned: lower case, IDNA-encoded, below a delegated top-level domain.
///
/// Subdomains are kept: another authority has another robots.txt.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Domain(String);

impl Domain {
    /// The host, ASCII.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `https://host/`.
    #[expect(clippy::expect_used, reason = "a parsed domain is a valid host")]
    pub fn https_root(&self) -> Url {
        Url::parse(&format!("https://{}/", self.0)).expect("a domain is a host")
    }

    /// `http://host/`.
    #[expect(clippy::expect_used, reason = "a parsed domain is a valid host")]
    pub fn http_root(&self) -> Url {
        Url::parse(&format!("http://{}/", self.0)).expect("a domain is a host")
    }

    /// The registrable domain (eTLD+1) by the public suffix list; the host itself if it is a
    /// private-section suffix.
    pub fn registrable(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Domain {
    type Err = DomainError;

    fn from_str(text: &str) -> Result<Self, DomainError> {
        Ok(Self(text.to_owned()))
    }
}

/// Why a text is not a domain that can be scanned.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DomainError {
    /// Nothing there.
    #[error("the domain is empty")]
    Empty,
}
