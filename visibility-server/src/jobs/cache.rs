//! Results that are kept: in both languages, as they are sent and as gzip.

pub(crate) mod clock;
pub(crate) mod memory;
pub(crate) mod parsed;
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
/// Octets of a result: far more than any has.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Octets for which there is room from the start.
const MAX_USUAL_BYTES: u64 = 1024 * 1024;

/// In which form an answer is sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Form {
    pub(crate) lang: Lang,
    pub(crate) coding: Coding,
}

/// The content coding of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Coding {
    Identity,
    Gzip,
}

impl Form {
    /// The form that a request asks for.
    pub(crate) fn wanted(uri: &Uri, headers: &HeaderMap) -> Self {
        let takes_gzip = accept::takes_gzip(headers);
        let coding = if takes_gzip { Coding::Gzip } else { Coding::Identity };
        Self { lang: language::of(uri), coding }
    }

    /// The same as gzip.
    pub(crate) fn packed(self) -> Self {
        Self { coding: Coding::Gzip, ..self }
    }
}

/// A result in one form.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) taken_at: DateTime<Utc>,
    pub(crate) expires_at: DateTime<Utc>,
    /// Changes with the result, and is the same in all forms.
    pub(crate) tag: Arc<str>,
    pub(crate) body: Bytes,
}

impl Kept {
    /// The time since the scan or the audit.
    pub(crate) fn age(&self) -> TimeDelta {
        (wall::now() - self.taken_at).max(TimeDelta::zero())
    }

    /// Whether it may be served.
    pub(crate) fn is_fresh(&self, now: DateTime<Utc>) -> bool {
        self.taken_at <= now + SKEW && now < self.expires_at
    }

    /// The same without its content coding.
    pub(crate) fn unpack(&self) -> Option<Self> {
        match unpack(&self.body) {
            Ok(body) => Some(Self { body, ..self.clone() }),
            Err(error) => {
                tracing::error!(%error, "a result that was kept cannot be unpacked");
                None
            }
        }
    }
}

/// A result in both languages, as gzip.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    pub(crate) en: Kept,
    pub(crate) tr: Kept,
}

impl Packed {
    /// The result in a form.
    pub(crate) fn of(&self, form: Form) -> Option<Kept> {
        let kept = match form.lang {
            Lang::En => &self.en,
            Lang::Tr => &self.tr,
        };
        match form.coding {
            Coding::Identity => kept.unpack(),
            Coding::Gzip => Some(kept.clone()),
        }
    }
}

/// A text in both languages.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) en: Bytes,
    pub(crate) tr: Bytes,
}

impl Told {
    /// The text in a language.
    pub(crate) fn of(&self, lang: Lang) -> Bytes {
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
    pub(crate) fn each(tell: impl Fn(Lang) -> io::Result<Bytes>) -> io::Result<Self> {
        Ok(Self { en: tell(Lang::En)?, tr: tell(Lang::Tr)? })
    }

    /// The same as gzip.
    ///
    /// # Errors
    ///
    /// When it cannot be compressed, which needs more memory than there is.
    pub(crate) fn packed(&self) -> io::Result<Self> {
        Self::each(|lang| gzip(&self.of(lang), Compression::default()))
    }
}

/// The body that was compressed.
///
/// # Errors
///
/// When it was changed since.
pub(crate) fn unpack(packed: &[u8]) -> io::Result<Bytes> {
    // The size stands at the end: RFC 1952 section 2.3.1.
    let size = packed.last_chunk().map_or(0, |size| u64::from(u32::from_le_bytes(*size)));
    let mut body = Vec::with_capacity(usize::try_from(size.min(MAX_USUAL_BYTES)).unwrap_or(0));
    GzDecoder::new(packed).take(MAX_BYTES).read_to_end(&mut body)?;
    Ok(body.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_fresh_until_it_expires_and_never_before_it_was_made() {
        let start = DateTime::UNIX_EPOCH;
        let kept = Kept {
            taken_at: start,
            expires_at: start + TimeDelta::hours(24),
            tag: "a".into(),
            body: Bytes::new(),
        };
        let is_fresh = |seconds| kept.is_fresh(start + TimeDelta::seconds(seconds));
        assert!(is_fresh(0) && is_fresh(86_399) && is_fresh(-5));
        assert!(!is_fresh(86_400) && !is_fresh(-6));
    }

    #[test]
    fn what_was_changed_cannot_be_unpacked() {
        let packed = gzip(b"a result", Compression::default()).unwrap();
        assert_eq!(unpack(&packed).unwrap(), "a result");
        let mut changed = packed.to_vec();
        *changed.last_mut().unwrap() ^= 1;
        assert!(unpack(&changed).is_err());
        assert!(unpack(packed.get(..12).unwrap()).is_err());
        assert!(unpack(b"no gzip").is_err());
    }
}
