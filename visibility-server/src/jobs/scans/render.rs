//! Renders a scan for responses and for the cache: in both languages, as JSON and compressed.

use std::io;

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest as _, Sha256};
use visibility_core::limits::SCAN_FRESH_FOR;
use visibility_core::scan::day::ScanDay;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::score::RUBRIC_VERSION;
use visibility_core::scan::snapshot::SiteSnapshot;
use visibility_core::text::locale::Lang;

use crate::jobs::cache::LocalizedBody;
use crate::stores::state::scans::StoredScan;

/// A rendered result.
#[derive(Debug)]
pub(super) struct RenderedScan {
    /// The response bodies for the callers of this run.
    pub(super) fresh: LocalizedBody,
    /// The answers to all others.
    pub(super) stored: StoredScan,
}

/// Judges a snapshot and tells the result. Takes tens of milliseconds.
///
/// # Errors
///
/// When it cannot be written as JSON, which is our fault.
pub(super) fn render(site: &SiteSnapshot) -> io::Result<RenderedScan> {
    let report = ScanReport::evaluate(site, &Selection::all());
    let render = |cached| {
        LocalizedBody::render_each(|lang| {
            let mut result = report.result(lang);
            result.cached = cached;
            Ok(serde_json::to_vec(&result)?.into())
        })
    };
    let later = render(true)?;
    let day = ScanDay::of(&report.result(Lang::En));
    let compressed = later.gzip()?;
    let scanned_at = site.taken_at();
    let stored = StoredScan {
        domain: site.domain().to_string(),
        scanned_at,
        expires_at: expires_at(scanned_at),
        rubric: RUBRIC_VERSION.to_owned(),
        tag: tag(&later),
        en: compressed.en,
        tr: compressed.tr,
        day,
    };
    Ok(RenderedScan { fresh: render(false)?, stored })
}

/// Until when a result may be served.
pub(super) fn expires_at(scanned_at: DateTime<Utc>) -> DateTime<Utc> {
    scanned_at + TimeDelta::from_std(SCAN_FRESH_FOR).unwrap_or_default()
}

fn tag(rendered: &LocalizedBody) -> String {
    let digest = Sha256::new().chain_update(&rendered.en).chain_update(&rendered.tr).finalize();
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::jobs::cache::gunzip;

    fn site() -> SiteSnapshot {
        SiteSnapshot::new("example.com".parse().unwrap(), DateTime::UNIX_EPOCH)
    }

    #[test]
    fn the_first_answer_and_the_later_ones_differ_in_one_word() {
        let rendered = render(&site()).unwrap();
        let stored =
            LocalizedBody { en: rendered.stored.en.clone(), tr: rendered.stored.tr.clone() };
        for lang in Lang::ALL {
            let first = rendered.fresh.get(lang);
            let later = gunzip(&stored.get(lang)).unwrap();
            let mut first: Value = serde_json::from_slice(&first).unwrap();
            let later: Value = serde_json::from_slice(&later).unwrap();
            assert_eq!((&first["cached"], &later["cached"]), (&false.into(), &true.into()));
            assert_eq!(later["lang"], lang.as_str());
            first["cached"] = true.into();
            assert_eq!(first, later);
        }
        assert_eq!(rendered.stored.expires_at.to_rfc3339(), "1970-01-02T00:00:00+00:00");
        assert_eq!(rendered.stored.tag, render(&site()).unwrap().stored.tag);
    }
}
