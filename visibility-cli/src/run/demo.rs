//! `--demo`: a recorded example site, so that a report can be seen without a network.

use std::io;

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::scan::demo;
use visibility_core::scan::recording::{Recording, RecordingError};

/// The site of the recording. It is made up.
pub(crate) const DOMAIN: &str = "parcelwise-classic.com";
/// Its home page.
pub(crate) const URL: &str = "https://parcelwise-classic.com/";

/// The recording: a scan of the site and audits of its pages.
pub(crate) fn recording() -> Result<Recording, RecordingError<io::Error>> {
    let site = demo::find(DOMAIN).ok_or_else(|| RecordingError::Read {
        name: DOMAIN.to_owned(),
        source: io::ErrorKind::NotFound.into(),
    })?;
    Ok(site.recording.clone())
}

/// The site of the log. It is made up, too.
pub(crate) const LOG_HOST: &str = "www.parcelwise.example";

/// An access log, and what its requests are compared with.
#[derive(Debug)]
pub(crate) struct DemoLog {
    /// The log in the format `combined`, as gzip.
    pub(crate) log: &'static [u8],
    pub(crate) robots: &'static [u8],
    pub(crate) sitemap: &'static [u8],
    pub(crate) ranges: &'static [u8],
}

/// Written by `cargo run -p visibility-tests --bin demo-log visibility-cli/demo/log`.
pub(crate) const DEMO_LOG: DemoLog = DemoLog {
    log: include_bytes!("../../demo/log/access.log.gz"),
    robots: include_bytes!("../../demo/log/robots.txt"),
    sitemap: include_bytes!("../../demo/log/sitemap.xml"),
    ranges: include_bytes!("../../demo/log/ranges.json"),
};

impl DemoLog {
    /// When the log ends.
    pub(crate) fn end() -> DateTime<Utc> {
        // 30 November 2026, midnight.
        DateTime::from_timestamp(1_795_996_800, 0).unwrap_or(DateTime::UNIX_EPOCH)
    }

    /// Since when it is reported on: as many days are before.
    pub(crate) fn since() -> DateTime<Utc> {
        Self::end() - TimeDelta::days(30)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recording_can_be_read() {
        let recording = recording().unwrap();
        assert_eq!(recording.request.domain.as_str(), DOMAIN);
        assert_eq!(recording.request.domain.https_root().as_str(), URL);
    }
}
