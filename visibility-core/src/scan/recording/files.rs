//! A recording as files: names and bytes, without touching a disk.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::Recording;
use crate::fetch::{Exchange, FetchError, FetchResult, Probe, Resource, Response};
use crate::scan::request::ScanRequest;

/// The version of the form that is written and read.
const FORMAT: u32 = 1;
const SCAN_FILE: &str = "scan.json";
const BODIES: &str = "bodies/";

#[derive(Deserialize, Serialize)]
struct ScanFile {
    format: u32,
    request: ScanRequest,
    exchanges: Vec<ExchangeEntry>,
}

#[derive(Deserialize, Serialize)]
struct ExchangeEntry {
    probe: Probe,
    #[serde(flatten)]
    answer: AnswerEntry,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum AnswerEntry {
    Response {
        #[serde(flatten)]
        head: Box<Response>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body_file: Option<String>,
    },
    Failure(FetchError),
}

impl Recording {
    /// Names and contents of the files of this recording: `scan.json` first, then the bodies.
    ///
    /// Names are relative, with `/` between their parts. Equal bodies share a file.
    ///
    /// # Errors
    ///
    /// When the exchanges cannot be written as JSON.
    pub fn to_files(&self) -> Result<Vec<(String, Vec<u8>)>, serde_json::Error> {
        let mut bodies = Bodies::default();
        let exchanges = self.exchanges.iter().enumerate();
        let scan = ScanFile {
            format: FORMAT,
            request: self.request.clone(),
            exchanges: exchanges.map(|(nth, exchange)| bodies.entry(nth, exchange)).collect(),
        };
        let mut json = serde_json::to_vec_pretty(&scan)?;
        json.push(b'\n');
        let mut files = vec![(SCAN_FILE.to_owned(), json)];
        files.extend(bodies.files.into_iter().map(|(name, body)| (name, body.to_vec())));
        Ok(files)
    }

    /// Reads a recording. `read` gets the relative name of a file: `scan.json`, or `bodies/` and
    /// one name without any further separator.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or `scan.json` is not what [`Recording::to_files`] writes.
    pub fn from_files<E>(
        mut read: impl FnMut(&str) -> Result<Vec<u8>, E>,
    ) -> Result<Self, RecordingError<E>>
    where
        E: std::error::Error + 'static,
    {
        let mut read = |name: &str| {
            read(name).map_err(|source| RecordingError::Read { name: name.to_owned(), source })
        };
        let json = read(SCAN_FILE)?;
        let version: Version = serde_json::from_slice(&json)?;
        if version.format != FORMAT {
            return Err(RecordingError::Format { found: version.format });
        }
        let scan: ScanFile = serde_json::from_slice(&json)?;
        let mut exchanges = Vec::with_capacity(scan.exchanges.len());
        for ExchangeEntry { probe, answer } in scan.exchanges {
            let answer: FetchResult = match answer {
                AnswerEntry::Failure(error) => Err(error),
                AnswerEntry::Response { head, body_file: None } => Ok(*head),
                AnswerEntry::Response { head, body_file: Some(name) } => {
                    if !is_body_name(&name) {
                        return Err(RecordingError::BodyName { name });
                    }
                    Ok(Response { body: read(&name)?.into(), ..*head })
                }
            };
            exchanges.push(Exchange { probe, result: answer });
        }
        Ok(Self { request: scan.request, exchanges })
    }
}

#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// The different bodies, each under the name of the first exchange that brought it.
#[derive(Default)]
struct Bodies<'a> {
    names: BTreeMap<&'a [u8], String>,
    files: Vec<(String, &'a [u8])>,
}

impl<'a> Bodies<'a> {
    fn entry(&mut self, nth: usize, exchange: &'a Exchange) -> ExchangeEntry {
        let answer = match &exchange.result {
            Err(error) => AnswerEntry::Failure(error.clone()),
            Ok(response) => {
                let head = Box::new(Response { body: Bytes::new(), ..response.clone() });
                let body_file = self.name(nth, &exchange.probe.resource, response);
                AnswerEntry::Response { head, body_file }
            }
        };
        ExchangeEntry { probe: exchange.probe.clone(), answer }
    }

    fn name(&mut self, nth: usize, resource: &Resource, response: &'a Response) -> Option<String> {
        if response.body.is_empty() {
            return None;
        }
        let files = &mut self.files;
        let name = self.names.entry(&response.body).or_insert_with(|| {
            let extension = extension(&response.media_type());
            let name = format!("{BODIES}{:02}-{}.{extension}", nth + 1, slug(resource));
            files.push((name.clone(), &response.body));
            name
        });
        Some(name.clone())
    }
}

/// The name of a resource in the form of a file name.
fn slug(resource: &Resource) -> String {
    let name = match resource {
        Resource::HomeAsAgent(agent) => format!("home-as-{agent}"),
        other => serde_json::to_string(other).unwrap_or_default(),
    };
    let letters = name.chars().filter_map(|c| match c {
        '_' | '-' => Some('-'),
        c => c.is_ascii_alphanumeric().then(|| c.to_ascii_lowercase()),
    });
    letters.take(60).collect()
}

fn extension(media_type: &str) -> &'static str {
    match media_type {
        "text/html" | "application/xhtml+xml" => "html",
        "text/markdown" => "md",
        "text/plain" => "txt",
        "application/xml" | "text/xml" => "xml",
        "application/yaml" | "text/yaml" | "application/x-yaml" => "yaml",
        "application/gzip" | "application/x-gzip" => "gz",
        other if other == "application/json" || other.ends_with("+json") => "json",
        other if other.ends_with("+xml") => "xml",
        _ => "bin",
    }
}

/// `bodies/` and one plain name: no further separator, no parent, no hidden file.
fn is_body_name(name: &str) -> bool {
    name.strip_prefix(BODIES).is_some_and(|name| {
        !name.is_empty()
            && !name.starts_with('.')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    })
}

/// Why files are not a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError<E: std::error::Error + 'static> {
    /// A file could not be read.
    #[error("cannot read `{name}` of the recording")]
    Read {
        /// Its relative name.
        name: String,
        /// What the reader said.
        source: E,
    },
    /// `scan.json` is not JSON of the form that is read.
    #[error("`scan.json` is not a recording")]
    Syntax(#[from] serde_json::Error),
    /// Another version of the form.
    #[error("the recording has format {found}, but only format {FORMAT} is supported")]
    Format {
        /// The version in the file.
        found: u32,
    },
    /// A body outside of the recording's own folder, or with an unusual name.
    #[error("`{name}` is not the name of a body file")]
    BodyName {
        /// The name in the file.
        name: String,
    },
}
