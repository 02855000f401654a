//! `--demo`: a recorded example site, so that a report can be seen without a network.

use std::collections::BTreeMap;
use std::io;

use serde::Deserialize;
use visibility_core::scan::recording::{Recording, RecordingError};

/// The site of the recording. It is made up.
pub(crate) const DOMAIN: &str = "parcelwise-classic.com";
/// Its home page.
pub(crate) const URL: &str = "https://parcelwise-classic.com/";

/// Written by `cargo run -p visibility-tests --bin demo-recording`.
const FILES: &str = include_str!("../../demo/recording.json");

#[derive(Deserialize)]
struct Files {
    files: BTreeMap<String, String>,
}

/// The recording: a scan of the site and an audit of its home page.
pub(crate) fn recording() -> Result<Recording, RecordingError<io::Error>> {
    let Files { files } = serde_json::from_str(FILES)?;
    Recording::from_files(|name| {
        let file = files.get(name).map(|text| text.clone().into_bytes());
        file.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recording_can_be_read() {
        let recording = recording().unwrap();
        assert_eq!(recording.request.domain.as_str(), DOMAIN);
        assert_eq!(recording.request.domain.https_root().as_str(), URL);
        assert!(FILES.len() < 64 * 1024, "{}", FILES.len());
    }
}
