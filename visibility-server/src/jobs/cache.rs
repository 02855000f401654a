//! Cached results, in both languages, plain and compressed.

pub(crate) mod clock;
pub(crate) mod memory;
pub(crate) mod pages;
pub(crate) mod parsed;
pub(crate) mod response;
pub(crate) mod results;
pub(crate) mod writes;

use std::io::{self, Read as _};
use std::sync::Arc;

use axum::http::{HeaderMap, Uri};
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use flate2::Compression;
use flate2::bufread::GzDecoder;
use visibility_core::text::locale::Lang;

use crate::http::validators::gzip;
use crate::http::{accept, language};
use crate::runtime::clock as wall;

/// How far a result may be ahead of the clock.
const SKEW: TimeDelta = TimeDelta::seconds(5);
/// Bytes of a result: far more than any has.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes for which there is room from the start.
const MAX_USUAL_BYTES: u64 = 1024 * 1024;

/// In which form an answer is sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Representation {
    pub(crate) lang: Lang,
    pub(crate) coding: Coding,
}

/// The content coding of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Coding {
    Identity,
    Gzip,
}

impl Representation {
    /// The form that a request asks for.
    pub(crate) fn negotiate(uri: &Uri, headers: &HeaderMap) -> Self {
        let takes_gzip = accept::accepts_gzip(headers);
        let coding = if takes_gzip { Coding::Gzip } else { Coding::Identity };
        Self { lang: language::from_query(uri), coding }
    }

    /// The same as gzip.
    pub(crate) fn gzip(self) -> Self {
        Self { coding: Coding::Gzip, ..self }
    }
}

/// A result in one form.
#[derive(Clone, Debug)]
pub(crate) struct CachedBody {
    pub(crate) taken_at: DateTime<Utc>,
    pub(crate) expires_at: DateTime<Utc>,
    /// Changes with the result, and is the same in all forms.
    pub(crate) tag: Arc<str>,
    pub(crate) body: Bytes,
}

impl CachedBody {
    /// The time since the scan or the audit.
    pub(crate) fn age(&self) -> TimeDelta {
        (wall::now() - self.taken_at).max(TimeDelta::zero())
    }

    /// Whether it may be served.
    pub(crate) fn is_fresh(&self, now: DateTime<Utc>) -> bool {
        self.taken_at <= now + SKEW && now < self.expires_at
    }

    /// The same without its content coding.
    pub(crate) fn decompress(&self) -> Option<Self> {
        match gunzip(&self.body) {
            Ok(body) => Some(Self { body, ..self.clone() }),
            Err(error) => {
                tracing::error!(%error, "cannot decompress a stored result");
                None
            }
        }
    }
}

/// A result in both languages, as gzip.
#[derive(Clone, Debug)]
pub(crate) struct CachedResult {
    pub(crate) en: CachedBody,
    pub(crate) tr: CachedBody,
}

impl CachedResult {
    /// The result in a form.
    pub(crate) fn get(&self, representation: Representation) -> Option<CachedBody> {
        let cached = match representation.lang {
            Lang::En => &self.en,
            Lang::Tr => &self.tr,
        };
        match representation.coding {
            Coding::Identity => cached.decompress(),
            Coding::Gzip => Some(cached.clone()),
        }
    }
}

/// A text in both languages.
#[derive(Clone, Debug)]
pub(crate) struct LocalizedBody {
    pub(crate) en: Bytes,
    pub(crate) tr: Bytes,
}

impl LocalizedBody {
    /// The text in a language.
    pub(crate) fn get(&self, lang: Lang) -> Bytes {
        match lang {
            Lang::En => self.en.clone(),
            Lang::Tr => self.tr.clone(),
        }
    }

    /// What a function tells in each language.
    ///
    /// # Errors
    ///
    /// That of the function.
    pub(crate) fn render_each(render: impl Fn(Lang) -> io::Result<Bytes>) -> io::Result<Self> {
        Ok(Self { en: render(Lang::En)?, tr: render(Lang::Tr)? })
    }

    /// The same as gzip.
    ///
    /// # Errors
    ///
    /// When it cannot be compressed, which needs more memory than there is.
    pub(crate) fn gzip(&self) -> io::Result<Self> {
        Self::render_each(|lang| gzip(&self.get(lang), Compression::default()))
    }
}

/// The body that was compressed.
///
/// # Errors
///
/// When it was changed since.
pub(crate) fn gunzip(compressed: &[u8]) -> io::Result<Bytes> {
    // The size is at the end: RFC 1952 section 2.3.1.
    let size = compressed.last_chunk().map_or(0, |size| u64::from(u32::from_le_bytes(*size)));
    let mut body = Vec::with_capacity(usize::try_from(size.min(MAX_USUAL_BYTES)).unwrap_or(0));
    GzDecoder::new(compressed).take(MAX_BYTES).read_to_end(&mut body)?;
    Ok(body.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_fresh_until_it_expires_and_never_before_it_was_made() {
        let start = DateTime::UNIX_EPOCH;
        let cached = CachedBody {
            taken_at: start,
            expires_at: start + TimeDelta::hours(24),
            tag: "a".into(),
            body: Bytes::new(),
        };
        let is_fresh = |seconds| cached.is_fresh(start + TimeDelta::seconds(seconds));
        assert!(is_fresh(0) && is_fresh(86_399) && is_fresh(-5));
        assert!(!is_fresh(86_400) && !is_fresh(-6));
    }

    #[test]
    fn what_was_changed_cannot_be_unpacked() {
        let compressed = gzip(b"a result", Compression::default()).unwrap();
        assert_eq!(gunzip(&compressed).unwrap(), "a result");
        let mut changed = compressed.to_vec();
        *changed.last_mut().unwrap() ^= 1;
        assert!(gunzip(&changed).is_err());
        assert!(gunzip(compressed.get(..12).unwrap()).is_err());
        assert!(gunzip(b"no gzip").is_err());
    }
}
