//! `PageUrl`: an address of a page that can be audited.

use std::fmt;
use std::str::FromStr;

use url::Url;

use crate::limits::MAX_URL_BYTES;

/// An absolute `http` or `https` URL without user info and fragment, of at most 2,048 octets.
///
/// Says nothing about the host but that there is one: whether it may be asked is decided when its
/// name is resolved.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct PageUrl(Url);

impl PageUrl {
    /// The URL, normalized by the URL standard.
    pub fn as_url(&self) -> &Url {
        &self.0
    }

    /// The URL as a text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The host, as the URL standard writes it.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }
}

impl fmt::Display for PageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a text is not a page we can audit.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PageUrlError {
    /// Nothing at all.
    #[error("there is no URL")]
    Empty,
    /// Longer than is followed.
    #[error("the URL has more than {MAX_URL_BYTES} octets")]
    TooLong,
    /// Not a URL at all.
    #[error("`{text}` is not an absolute URL")]
    Malformed {
        /// The text as sent, as an excerpt.
        text: String,
        /// Where the parser stopped.
        source: url::ParseError,
    },
    /// A URL that is not fetched over HTTP.
    #[error("scheme `{scheme}` is not http or https")]
    Scheme {
        /// The scheme, in lower case.
        scheme: String,
    },
    /// A name or a password before the host.
    #[error("the URL has user info before its host")]
    UserInfo,
}

impl FromStr for PageUrl {
    type Err = PageUrlError;

    /// Reads a URL. White space around it and its fragment are left out; a bare host gets `https://`.
    fn from_str(text: &str) -> Result<Self, PageUrlError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(PageUrlError::Empty);
        }
        if text.len() > MAX_URL_BYTES {
            return Err(PageUrlError::TooLong);
        }
        let mut url = Url::parse(text).map_err(|source| PageUrlError::Malformed {
            text: crate::finding::excerpt(text),
            source,
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(PageUrlError::Scheme { scheme: url.scheme().to_owned() });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(PageUrlError::UserInfo);
        }
        url.set_fragment(None);
        if url.as_str().len() > MAX_URL_BYTES {
            return Err(PageUrlError::TooLong);
        }
        Ok(Self(url))
    }
}
