//! `PageUrl`: the URL of a page that can be audited.

use std::fmt;
use std::str::FromStr;

use url::{Host, Url};

use crate::error::{ErrorCode, Problem};
use crate::limits::MAX_URL_BYTES;
use crate::text::excerpt::excerpt;

/// An absolute `http` or `https` URL without user info and fragment, of at most 2,048 bytes.
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
///
/// The sentences for readers are in `locales/` under `errors` and [`PageUrlError::id`].
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PageUrlError {
    /// Nothing at all.
    #[error("there is no URL")]
    Empty,
    /// Longer than is followed.
    #[error("the URL is longer than {MAX_URL_BYTES} bytes")]
    TooLong,
    /// A host, and perhaps a path, without `https://`.
    #[error("`{text}` has no scheme")]
    NoScheme {
        /// The text as sent, as an excerpt.
        text: String,
        /// The address that may have been meant.
        suggestion: Box<PageUrl>,
    },
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
    #[error("the URL contains a user name or password")]
    UserInfo,
}

impl PageUrlError {
    /// The key of its sentences in `locales/`.
    pub fn id(&self) -> &'static str {
        match self {
            Self::Empty => "url-empty",
            Self::TooLong => "url-too-long",
            Self::NoScheme { .. } => "url-no-scheme",
            Self::Malformed { .. } => "url-malformed",
            Self::Scheme { .. } => "url-scheme",
            Self::UserInfo => "url-user-info",
        }
    }

    /// The kind of the fault for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong => "too_long",
            Self::NoScheme { .. } => "no_scheme",
            Self::Malformed { .. } => "malformed",
            Self::Scheme { .. } => "scheme",
            Self::UserInfo => "user_info",
        }
    }
}

impl From<&PageUrlError> for Problem {
    fn from(error: &PageUrlError) -> Self {
        let problem = Self::new(ErrorCode::InvalidUrl, error.id()).detail("reason", error.code());
        match error {
            PageUrlError::NoScheme { text, suggestion } => problem
                .value("text", text)
                .value("url", suggestion)
                .detail("suggestion", suggestion.as_str()),
            PageUrlError::Malformed { text, .. } => problem.value("text", text),
            PageUrlError::Scheme { scheme } => problem.value("scheme", excerpt(scheme)),
            PageUrlError::TooLong => {
                problem.value("limit", MAX_URL_BYTES).detail("limit", MAX_URL_BYTES)
            }
            PageUrlError::Empty | PageUrlError::UserInfo => problem,
        }
    }
}

impl FromStr for PageUrl {
    type Err = PageUrlError;

    /// Reads an absolute URL. White space around it and its fragment are left out.
    fn from_str(text: &str) -> Result<Self, PageUrlError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(PageUrlError::Empty);
        }
        if text.len() > MAX_URL_BYTES {
            return Err(PageUrlError::TooLong);
        }
        match Self::absolute(text) {
            Err(error @ (PageUrlError::Malformed { .. } | PageUrlError::Scheme { .. })) => {
                Err(without_scheme(text, error))
            }
            result => result,
        }
    }
}

impl PageUrl {
    /// Reads what a person typed: an absolute URL, or one without its scheme, such as
    /// `example.com/page`. That gets `https://`, and `http://` on a loopback host.
    ///
    /// # Errors
    ///
    /// Why the text is not a page we can audit.
    pub fn from_typed(text: &str) -> Result<Self, PageUrlError> {
        match text.parse() {
            Err(PageUrlError::NoScheme { suggestion, .. }) => Ok(*suggestion),
            result => result,
        }
    }

    fn absolute(text: &str) -> Result<Self, PageUrlError> {
        let mut url = Url::parse(text)
            .map_err(|source| PageUrlError::Malformed { text: excerpt(text), source })?;
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

/// The same error, or that a scheme is missing, if the text is an address but for that.
fn without_scheme(text: &str, error: PageUrlError) -> PageUrlError {
    let rest = text.strip_prefix("//").unwrap_or(text);
    // The text after the colon of a port is a digit; `mailto:` and the like have a scheme.
    let is_port = |after: &str| after.starts_with(|ch: char| ch.is_ascii_digit());
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let has_scheme =
        !host.starts_with('[') && host.split_once(':').is_some_and(|(_, port)| !is_port(port));
    let looks_like_host = host.starts_with('[') || host.contains('.') || is_loopback_name(host);
    if has_scheme || !looks_like_host || host.contains(char::is_whitespace) {
        return error;
    }
    let plain =
        || PageUrl::absolute(&format!("http://{rest}")).ok().filter(|page| is_loopback(&page.0));
    match plain().map_or_else(|| PageUrl::absolute(&format!("https://{rest}")), Ok) {
        Ok(page) => PageUrlError::NoScheme { text: excerpt(text), suggestion: Box::new(page) },
        Err(PageUrlError::UserInfo) => PageUrlError::UserInfo,
        Err(_) => error,
    }
}

fn is_loopback_name(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or_default();
    name.eq_ignore_ascii_case("localhost")
}

/// Whether a URL leads to the machine itself: `localhost`, a name below it, `127.0.0.0/8`, `::1`.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::locale::Lang;

    #[test]
    fn an_absolute_url_is_normalized() {
        for (text, url) in [
            (" HTTPS://Example.com:443/a#b ", "https://example.com/a"),
            ("http://example.com", "http://example.com/"),
            ("https://örnek.com.tr/ş?x=1", "https://xn--rnek-4qa.com.tr/%C5%9F?x=1"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
        ] {
            assert_eq!(text.parse::<PageUrl>().map(|page| page.to_string()).as_deref(), Ok(url));
        }
    }

    #[test]
    fn other_texts_are_refused_with_the_reason() {
        let long = format!("https://example.com/{}", "a".repeat(MAX_URL_BYTES));
        for (text, code) in [
            ("", "empty"),
            ("  ", "empty"),
            ("ftp://example.com/", "scheme"),
            ("file:///etc/passwd", "scheme"),
            ("mailto:a@example.com", "scheme"),
            ("javascript:alert(1)", "scheme"),
            ("https://user@example.com/", "user_info"),
            ("https://:secret@example.com/", "user_info"),
            ("user@example.com", "user_info"),
            ("hello world", "malformed"),
            ("/page", "malformed"),
            ("page", "malformed"),
            ("https://", "malformed"),
            ("https://exa mple.com/", "malformed"),
            ("example.com", "no_scheme"),
            (long.as_str(), "too_long"),
        ] {
            let error = text.parse::<PageUrl>().unwrap_err();
            assert_eq!(error.code(), code, "{text}");
        }
    }

    #[test]
    fn a_bare_host_is_never_an_obscure_error() {
        for (text, url) in [
            ("example.com", "https://example.com/"),
            ("//example.com/a", "https://example.com/a"),
            ("www.Example.com/page?a=b:c#d", "https://www.example.com/page?a=b:c"),
            ("example.com:8080/page", "https://example.com:8080/page"),
            ("example.com/?u=https://a.com/", "https://example.com/?u=https://a.com/"),
            ("localhost:3000", "http://localhost:3000/"),
            ("localhost", "http://localhost/"),
            ("127.0.0.1:8000/a", "http://127.0.0.1:8000/a"),
            ("[::1]:8000", "http://[::1]:8000/"),
        ] {
            let error = text.parse::<PageUrl>().unwrap_err();
            let object = Problem::from(&error).object(Lang::En);
            assert_eq!(object.details["suggestion"], url, "{text}");
            assert!(object.hint.is_some_and(|hint| hint.contains(url)), "{text}");
            let typed = PageUrl::from_typed(text).map(|page| page.to_string());
            assert_eq!(typed.as_deref(), Ok(url), "{text}");
        }
    }

    #[test]
    fn every_fault_has_a_sentence_and_a_hint_in_both_languages() {
        let long = "a".repeat(MAX_URL_BYTES + 1);
        for text in ["", &long, "example.com", "a b", "ftp://a.com", "https://a@b.com"] {
            let problem = Problem::from(&text.parse::<PageUrl>().unwrap_err());
            for lang in Lang::ALL {
                let object = problem.object(lang);
                assert_eq!(object.code, ErrorCode::InvalidUrl);
                assert!(!object.message.contains('{'), "{}", object.message);
                assert!(!object.message.starts_with("errors."), "{}", object.message);
                assert!(object.hint.is_some_and(|hint| hint.contains("https://")), "{text}");
            }
        }
    }
}
