//! Recorded responses of sites, one folder for each domain.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use visibility_core::fetch::domain::Domain;
use visibility_core::scan::recording::{Recording, RecordingError};

use crate::error::CommandError;
use crate::run::demo;

const SCAN_FILE: &str = "scan.json";
const BODIES: &str = "bodies";

/// Recordings by domain; each is read when it is needed.
#[derive(Clone, Debug)]
pub(crate) struct Recordings {
    places: BTreeMap<String, RecordingLocation>,
}

/// Where a recording is.
#[derive(Clone, Debug)]
enum RecordingLocation {
    Folder(PathBuf),
    /// In the program.
    Demo,
}

/// The part of `scan.json` that says what was scanned.
#[derive(Deserialize)]
struct Head {
    request: HeadRequest,
}

#[derive(Deserialize)]
struct HeadRequest {
    domain: String,
}

impl Recordings {
    /// The recording of the example site.
    pub(crate) fn demo() -> Self {
        Self { places: BTreeMap::from([(demo::DOMAIN.to_owned(), RecordingLocation::Demo)]) }
    }

    /// Finds the recordings in a folder: itself, or its folders.
    pub(crate) fn open(folder: &Path) -> Result<Self, CommandError> {
        let unreadable = |source| CommandError::Read { path: folder.to_owned(), source };
        let mut found = Vec::new();
        if folder.join(SCAN_FILE).is_file() {
            found.push(folder.to_owned());
        } else {
            for entry in fs::read_dir(folder).map_err(unreadable)? {
                let path = entry.map_err(unreadable)?.path();
                if path.join(SCAN_FILE).is_file() {
                    found.push(path);
                }
            }
        }
        let mut places = BTreeMap::new();
        for path in found {
            let file = path.join(SCAN_FILE);
            let text = fs::read(&file)
                .map_err(|source| CommandError::Read { path: file.clone(), source })?;
            let head: Head = serde_json::from_slice(&text).map_err(|error| {
                CommandError::usage(format!("`{}` is not a recording: {error}", file.display()))
            })?;
            places.insert(head.request.domain, RecordingLocation::Folder(path));
        }
        if places.is_empty() {
            return Err(CommandError::usage_with(
                format!("there is no recording in `{}`", folder.display()),
                "create one with `visibility scan example.com --record DIR`",
            ));
        }
        Ok(Self { places })
    }

    /// The recorded domains, in order.
    pub(crate) fn domains(&self) -> Vec<String> {
        self.places.keys().cloned().collect()
    }

    /// The recording of a domain, if there is one.
    pub(crate) fn read(
        &self,
        domain: &Domain,
    ) -> Option<Result<Recording, RecordingError<io::Error>>> {
        Some(match self.places.get(domain.as_str())? {
            RecordingLocation::Folder(folder) => {
                Recording::from_files(|name| fs::read(folder.join(name)))
            }
            RecordingLocation::Demo => demo::recording(),
        })
    }
}

/// Makes the folder for recordings, and sees that files can be written there.
pub(crate) fn prepare(folder: &Path) -> Result<(), CommandError> {
    let probe = folder.join(format!(".visibility-{}", std::process::id()));
    let tried = fs::create_dir_all(folder)
        .and_then(|()| fs::write(&probe, []))
        .and_then(|()| fs::remove_file(&probe));
    tried.map_err(|source| CommandError::Write { path: folder.to_owned(), source })
}

/// The name of the folder of a domain; a port and brackets are not in it.
fn folder_name(domain: &Domain) -> String {
    domain.as_str().replace(['[', ']'], "").replace(':', "_")
}

/// Writes a recording to the folder of its domain; an earlier one makes way.
pub(crate) fn write(folder: &Path, recording: &Recording) -> Result<(), CommandError> {
    let folder = folder.join(folder_name(&recording.request.domain));
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| CommandError::Write { path, source }
    };
    let files = recording
        .to_files()
        .map_err(|error| CommandError::internal("cannot write the recording", error))?;
    let bodies = folder.join(BODIES);
    if folder.join(SCAN_FILE).is_file() && bodies.is_dir() {
        fs::remove_dir_all(&bodies).map_err(failed(&bodies))?;
    }
    fs::create_dir_all(&bodies).map_err(failed(&bodies))?;
    for (name, content) in files {
        let path = folder.join(name);
        fs::write(&path, content).map_err(failed(&path))?;
    }
    Ok(())
}
