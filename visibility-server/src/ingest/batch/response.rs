//! Builds the response to a batch from its rejections and counts.
//!
//! The counts come first and are known last, and the rejections may be half a million: they are
//! spooled as they come, in memory while they are few, gzipped in a file beyond that.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use uuid::Uuid;
use visibility_core::accounts::tenant::BatchKey;
use visibility_core::ingest::{Reason, Rejection, response};
use visibility_core::limits::MAX_INLINE_RESPONSE_BYTES;
use visibility_core::store::Counts;
use visibility_core::store::{ObjectWriter, StoreError};

use crate::ingest::columns::Label;
use crate::stores::unnamed_file;

/// Level of the spool, which is read once.
const SPOOL_LEVEL: Compression = Compression::new(1);
/// Level of an answer that is kept for months.
const ANSWER_LEVEL: Compression = Compression::new(6);

/// The response to a batch of which all records were accepted.
pub(super) fn without_rejections(batch_id: Uuid, counts: Counts) -> io::Result<Vec<u8>> {
    let mut json = Vec::new();
    response::write_head(&mut json, Some(&batch_id.to_string()), counts)?;
    response::write_tail(&mut json, counts)?;
    Ok(json)
}

/// How often each reason is in a response, which is read to its end without keeping it.
pub(super) fn count_reasons(json: impl Read) -> io::Result<BTreeMap<String, u64>> {
    #[derive(Deserialize)]
    struct Response {
        #[serde(default)]
        rejections: Reasons,
    }
    let response: Response = serde_json::from_reader(BufReader::new(json))?;
    Ok(response.rejections.0)
}

/// The reasons of a list of rejections.
#[derive(Default)]
struct Reasons(BTreeMap<String, u64>);

impl<'de> Deserialize<'de> for Reasons {
    fn deserialize<D: Deserializer<'de>>(list: D) -> Result<Self, D::Error> {
        list.deserialize_seq(ReasonsVisitor)
    }
}

struct ReasonsVisitor;

impl<'de> Visitor<'de> for ReasonsVisitor {
    type Value = Reasons;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of rejections")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Reasons, A::Error> {
        #[derive(Deserialize)]
        struct OfOne {
            reason: String,
        }
        let mut reasons = BTreeMap::new();
        while let Some(OfOne { reason }) = list.next_element()? {
            *reasons.entry(reason).or_default() += 1;
        }
        Ok(Reasons(reasons))
    }
}

/// The rejections of a batch, as JSON objects with commas between them.
#[derive(Debug)]
pub(super) struct Rejections {
    folder: PathBuf,
    memory: Vec<u8>,
    reasons: BTreeMap<Reason, u64>,
    spool: Option<GzEncoder<BufWriter<File>>>,
}

impl Rejections {
    /// None yet; more than a few go into a file in this folder, which never has a name for long.
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            memory: Vec::new(),
            reasons: BTreeMap::new(),
            spool: None,
        }
    }

    /// Adds one.
    pub(super) fn push(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError> {
        if !self.memory.is_empty() || self.spool.is_some() {
            self.memory.push(b',');
        }
        *self.reasons.entry(rejection.reason).or_default() += 1;
        response::write_rejection(&mut self.memory, rejection)
            .map_err(|error| StoreError::unchanged("write a rejection", error))?;
        if self.memory.len() > MAX_INLINE_RESPONSE_BYTES {
            self.flush().map_err(|error| StoreError::io("spool rejections", error))?;
        }
        Ok(())
    }

    /// How often each rule was broken.
    pub(super) fn reasons(&self) -> &BTreeMap<Reason, u64> {
        &self.reasons
    }

    fn flush(&mut self) -> io::Result<()> {
        let spool = match &mut self.spool {
            Some(spool) => spool,
            none => none
                .insert(GzEncoder::new(BufWriter::new(unnamed_file(&self.folder)?), SPOOL_LEVEL)),
        };
        spool.write_all(&self.memory)?;
        self.memory.clear();
        Ok(())
    }

    /// The whole response as JSON, if it is short enough to be stored in its ledger row.
    pub(super) fn inline(&self, batch_id: Uuid, counts: Counts) -> Option<Vec<u8>> {
        if self.spool.is_some() {
            return None;
        }
        let mut json = Vec::with_capacity(self.memory.len() + 256);
        response::write_head(&mut json, Some(&batch_id.to_string()), counts).ok()?;
        json.extend_from_slice(&self.memory);
        response::write_tail(&mut json, counts).ok()?;
        (json.len() <= MAX_INLINE_RESPONSE_BYTES).then_some(json)
    }

    /// Writes the whole answer as an object with a label.
    pub(super) fn write_object(
        self,
        key: &BatchKey,
        counts: Counts,
        (label, mut object): (&Label, Box<dyn ObjectWriter>),
    ) -> Result<(), StoreError> {
        let gzip = GzBuilder::new().comment(label.json());
        self.write_gzip(key.batch_id, counts, (gzip, &mut object))
            .map_err(|error| StoreError::io("write the response of a batch", error))?;
        object.finish()?;
        Ok(())
    }

    /// Writes the whole response into an unnamed file, positioned at its start.
    pub(super) fn write_file(self, batch_id: Uuid, counts: Counts) -> Result<File, StoreError> {
        let write = || -> io::Result<File> {
            let mut file = unnamed_file(&self.folder)?;
            self.write_gzip(batch_id, counts, (GzBuilder::new(), &mut file))?;
            file.rewind()?;
            Ok(file)
        };
        write().map_err(|error| StoreError::io("write the response of a batch", error))
    }

    fn write_gzip(
        self,
        batch_id: Uuid,
        counts: Counts,
        (gzip, out): (GzBuilder, &mut dyn Write),
    ) -> io::Result<()> {
        let mut gzip = gzip.write(BufWriter::new(out), ANSWER_LEVEL);
        response::write_head(&mut gzip, Some(&batch_id.to_string()), counts)?;
        if let Some(spool) = self.spool {
            let mut file = spool.finish()?.into_inner()?;
            file.rewind()?;
            io::copy(&mut GzDecoder::new(BufReader::new(file)), &mut gzip)?;
        }
        gzip.write_all(&self.memory)?;
        response::write_tail(&mut gzip, counts)?;
        gzip.finish()?.flush()
    }
}
