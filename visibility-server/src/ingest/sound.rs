//! Opens objects that are what was written. One that is not is taken out of use, and the work goes on without it.

use std::fs::File;
use std::io::{self, BufReader, Seek, SeekFrom};

use chrono::{DateTime, Utc};
use flate2::bufread::MultiGzDecoder;
use visibility_core::store::StoreError;

use crate::ingest::columns::{self, PartialMerge, RecordFileReader, RecordRows};
use crate::stores::Stores;
use crate::stores::looks::{Look, Pace};
use crate::stores::state::damage::{Content, KnownObject};

/// Opens an object at its start, if it is what was written. Nothing if it is not: it is out of use then.
///
/// # Errors
///
/// When a store is away.
pub(crate) fn open(
    stores: &Stores,
    known: &KnownObject,
    now: DateTime<Utc>,
) -> Result<Option<File>, StoreError> {
    Ok(match look(stores, known, &mut Pace::unlimited())? {
        Look::Sound(file, digest) => {
            if known.object.digest.is_none() {
                stores.state_store().note_look(known, digest, now)?;
            }
            Some(file)
        }
        Look::Damaged(reason) => {
            stores.take_out_of_use(known, &reason, now)?;
            None
        }
    })
}

/// Looks at an object. One without a digest is read as what it is: that is all there is to compare.
///
/// # Errors
///
/// When a store is away.
pub(crate) fn look(
    stores: &Stores,
    known: &KnownObject,
    pace: &mut Pace<'_>,
) -> Result<Look, StoreError> {
    let look = stores.look_at(known, pace)?;
    let Look::Sound(mut file, digest) = look else { return Ok(look) };
    if known.object.digest.is_some() {
        return Ok(Look::Sound(file, digest));
    }
    let again = |error| StoreError::io(format!("read {}", known.object.name), error);
    if let Err(error) = examine(file.try_clone().map_err(again)?, &known.content) {
        let cause = error.source.map(|cause| format!(": {cause}")).unwrap_or_default();
        return Ok(Look::Damaged(format!("it cannot be read{cause}")));
    }
    file.seek(SeekFrom::Start(0)).map_err(again)?;
    Ok(Look::Sound(file, digest))
}

/// Reads an object to its end, as what it should be.
fn examine(file: File, content: &Content) -> Result<(), StoreError> {
    match content {
        Content::Records { rows, times, .. } => {
            let mut reader = RecordFileReader::open(file, *rows)?.within(times.clone());
            let mut some = RecordRows::default();
            while reader.read(&mut some)? {}
            Ok(())
        }
        Content::Partial { records } => {
            let mut counted = 0_u64;
            PartialMerge::new(columns::partial_runs(file)?)?.for_each(|row| {
                counted = counted.saturating_add(row.records);
                Ok(())
            })?;
            if counted == *records {
                return Ok(());
            }
            let why = format!("it counts {counted} records instead of {records}");
            Err(StoreError::unchanged("read partial counts", why))
        }
        Content::Answer => {
            let mut answer = MultiGzDecoder::new(BufReader::new(file));
            let bytes = io::copy(&mut answer, &mut io::sink())
                .map_err(|error| StoreError::io("read an answer", error))?;
            if bytes == 0 {
                return Err(StoreError::unchanged("read an answer", "it is empty"));
            }
            Ok(())
        }
    }
}
