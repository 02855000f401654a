//! A result as it is answered and kept: in both languages, as JSON and as gzip of it.

use std::io::{self, Read as _};

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use flate2::Compression;
use flate2::bufread::GzDecoder;
use sha2::{Digest as _, Sha256};
use visibility_core::limits::SCAN_FRESH_FOR;
use visibility_core::locale::Lang;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::score::RUBRIC_VERSION;
use visibility_core::scan::snapshot::SiteSnapshot;

use crate::rendered::gzip;
use crate::stores::sqlite::scans::KeptScan;

/// Octets of a result: far more than any has.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Octets for which there is room from the start.
const MAX_USUAL_BYTES: u64 = 1024 * 1024;

/// A result, judged and told.
#[derive(Debug)]
pub(super) struct Rendered {
    /// The answers to those who waited for the scan.
    pub(super) first: Told,
    /// The answers to all others.
    pub(super) kept: KeptScan,
}

/// A text in both languages.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    en: Bytes,
    tr: Bytes,
}

impl Told {
    /// The text in a language.
    pub(crate) fn of(&self, lang: Lang) -> Bytes {
        match lang {
            Lang::En => self.en.clone(),
            Lang::Tr => self.tr.clone(),
        }
    }

    fn each(tell: impl Fn(Lang) -> io::Result<Bytes>) -> io::Result<Self> {
        Ok(Self { en: tell(Lang::En)?, tr: tell(Lang::Tr)? })
    }
}

/// Judges a snapshot and tells the result. Takes tens of milliseconds.
///
/// # Errors
///
/// When it cannot be written as JSON, which is our fault.
pub(super) fn render(site: &SiteSnapshot) -> io::Result<Rendered> {
    let report = ScanReport::of(site, &Selection::all());
    let tell = |cached| {
        Told::each(|lang| {
            let mut result = report.result(lang);
            result.cached = cached;
            Ok(serde_json::to_vec(&result)?.into())
        })
    };
    let later = tell(true)?;
    let packed = Told::each(|lang| gzip(&later.of(lang), Compression::default()))?;
    let scanned_at = site.taken_at();
    let kept = KeptScan {
        domain: site.domain().to_string(),
        scanned_at,
        expires_at: expires_at(scanned_at),
        rubric: RUBRIC_VERSION.to_owned(),
        tag: tag(&later),
        en: packed.en,
        tr: packed.tr,
    };
    Ok(Rendered { first: tell(false)?, kept })
}

/// Until when a result may be served.
pub(super) fn expires_at(scanned_at: DateTime<Utc>) -> DateTime<Utc> {
    scanned_at + TimeDelta::from_std(SCAN_FRESH_FOR).unwrap_or_default()
}

/// The body that was compressed.
///
/// # Errors
///
/// When it was changed since.
pub(super) fn unpack(packed: &[u8]) -> io::Result<Bytes> {
    // The size stands at the end: RFC 1952 section 2.3.1.
    let size = packed.last_chunk().map_or(0, |size| u64::from(u32::from_le_bytes(*size)));
    let mut body = Vec::with_capacity(usize::try_from(size.min(MAX_USUAL_BYTES)).unwrap_or(0));
    GzDecoder::new(packed).take(MAX_BYTES).read_to_end(&mut body)?;
    Ok(body.into())
}

fn tag(told: &Told) -> String {
    let digest = Sha256::new().chain_update(&told.en).chain_update(&told.tr).finalize();
    digest.iter().take(16).map(|octet| format!("{octet:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn site() -> SiteSnapshot {
        SiteSnapshot::new("example.com".parse().unwrap(), DateTime::UNIX_EPOCH)
    }

    #[test]
    fn the_first_answer_and_the_later_ones_differ_in_one_word() {
        let rendered = render(&site()).unwrap();
        let kept = Told { en: rendered.kept.en.clone(), tr: rendered.kept.tr.clone() };
        for lang in Lang::ALL {
            let first = rendered.first.of(lang);
            let later = unpack(&kept.of(lang)).unwrap();
            let mut first: Value = serde_json::from_slice(&first).unwrap();
            let later: Value = serde_json::from_slice(&later).unwrap();
            assert_eq!((&first["cached"], &later["cached"]), (&false.into(), &true.into()));
            assert_eq!(later["lang"], lang.as_str());
            first["cached"] = true.into();
            assert_eq!(first, later);
        }
        assert_eq!(rendered.kept.expires_at.to_rfc3339(), "1970-01-02T00:00:00+00:00");
        assert_eq!(rendered.kept.tag, render(&site()).unwrap().kept.tag);
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
