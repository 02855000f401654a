//! Looks at objects: whether they are, bit by bit, what was written.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::thread;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use visibility_core::store::StoreError;
use visibility_core::store::digest::Digest;

use super::Stores;
use super::objects::IDENTITY;
use super::state::damage::{Content, KnownObject, Noted};

/// The error of a disk that cannot read a sector.
const INPUT_OUTPUT_ERROR: i32 = 5;

/// Sleeps that are shorter are added up.
const SHORT_SLEEP: Duration = Duration::from_millis(5);

/// What a look at an object has found.
#[derive(Debug)]
pub(crate) enum Look {
    /// It is what was written, or no one knows what that was. The file is at its start.
    Sound(File, Digest),
    /// It is not what was written, and why that is known.
    Damaged(String),
}

/// How fast objects are read.
pub(crate) struct Pace<'a> {
    bytes_per_second: Option<u64>,
    /// Whether it no longer matters, because the service stops.
    is_stopped: &'a dyn Fn() -> bool,
    started: Instant,
    bytes: u64,
}

impl<'a> Pace<'a> {
    /// So many bytes in a second at most, until it is stopped; as fast as it goes without a number.
    pub(crate) fn new(bytes_per_second: Option<u64>, is_stopped: &'a dyn Fn() -> bool) -> Self {
        Self { bytes_per_second, is_stopped, started: Instant::now(), bytes: 0 }
    }

    /// As fast as it goes.
    pub(crate) fn unlimited() -> Self {
        Self::new(None, &|| false)
    }

    /// Bytes that were read until now.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Waits as long as some more bytes should have taken.
    fn took(&mut self, bytes: u64) {
        self.bytes += bytes;
        let Some(bytes_per_second) = self.bytes_per_second.filter(|limit| *limit > 0) else {
            return;
        };
        let micros = u128::from(self.bytes) * 1_000_000 / u128::from(bytes_per_second);
        let due = Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX));
        let early = due.saturating_sub(self.started.elapsed());
        if early > SHORT_SLEEP && !(self.is_stopped)() {
            thread::sleep(early);
        }
    }
}

/// A file that is read at a pace.
struct PacedFile<'a, 'p> {
    file: &'a File,
    pace: &'a mut Pace<'p>,
}

impl Read for PacedFile<'_, '_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(bytes)?;
        self.pace.took(length as u64);
        Ok(length)
    }
}

impl Stores {
    /// Reads an object and compares it with what the ledger knows of it.
    ///
    /// # Errors
    ///
    /// When it cannot be found out: that a store is away says nothing about its objects.
    pub(crate) fn look_at(
        &self,
        known: &KnownObject,
        pace: &mut Pace<'_>,
    ) -> Result<Look, StoreError> {
        let name = &known.object.name;
        let mut file = match self.objects().open(name) {
            Ok(file) => file,
            Err(error) if is_unreadable(&error) => {
                return Ok(Look::Damaged(format!("it cannot be read: {}", cause(&error))));
            }
            Err(error) => {
                // A folder that is not mounted has no objects, and no identity either.
                let is_lost =
                    self.objects().mark(IDENTITY)?.is_some() && !self.objects().exists(name)?;
                return if is_lost {
                    Ok(Look::Damaged("it does not exist".to_owned()))
                } else {
                    Err(error)
                };
            }
        };
        let (digest, bytes) = match Digest::of_source(PacedFile { file: &file, pace }) {
            Ok(read) => read,
            Err(error) if error.raw_os_error() == Some(INPUT_OUTPUT_ERROR) => {
                return Ok(Look::Damaged(format!("it cannot be read: {error}")));
            }
            Err(error) => return Err(StoreError::io(format!("read {name}"), error)),
        };
        if let Content::Records { bytes: expected, .. } = known.content
            && bytes != expected
        {
            return Ok(Look::Damaged(format!("it has {bytes} bytes instead of {expected}")));
        }
        if known.object.digest.is_some_and(|expected| expected != digest) {
            return Ok(Look::Damaged("its bytes are not those that were written".to_owned()));
        }
        file.seek(SeekFrom::Start(0))
            .map_err(|error| StoreError::io(format!("read {name}"), error))?;
        Ok(Look::Sound(file, digest))
    }

    /// Takes an object out of use until a good copy is in its place, and tells the operator.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn take_out_of_use(
        &self,
        known: &KnownObject,
        reason: &str,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        if self.state_store().note_damage(known, reason, now)? != Noted::New {
            return Ok(());
        }
        let (tenant, object) = (&known.tenant, &known.object.name);
        match &known.content {
            Content::Records { rows, times, .. } => tracing::error!(
                %tenant,
                object,
                reason,
                records = rows,
                from = %time(*times.start()),
                to = %time(*times.end()),
                "an object is damaged: readers, counts by path and copies leave its records out \
                    until you put back a good copy, such as that of a backup"
            ),
            Content::Partial { .. } => tracing::warn!(
                %tenant,
                object,
                reason,
                "counts by path are damaged: they are made again from the records"
            ),
            Content::Answer => tracing::error!(
                %tenant,
                object,
                reason,
                "the stored answer to a batch is damaged: a sender that asks for it again is refused \
                    until you put back a good copy, such as that of a backup"
            ),
        }
        Ok(())
    }

    /// Takes an object into use again, in whose place a good copy is, and tells the operator.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn take_into_use(&self, known: &KnownObject) -> Result<(), StoreError> {
        if self.state_store().undo_damage(known)? {
            let (tenant, object) = (&known.tenant, &known.object.name);
            tracing::info!(%tenant, object, "a damaged object is whole again");
        }
        Ok(())
    }
}

fn time(micros: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(micros).unwrap_or_default()
}

/// Whether a disk could not read a sector.
fn is_unreadable(error: &StoreError) -> bool {
    let mut cause = error.source.as_deref().map(|source| source as &(dyn Error + 'static));
    while let Some(error) = cause {
        let code = error.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error);
        if code == Some(INPUT_OUTPUT_ERROR) {
            return true;
        }
        cause = error.source();
    }
    false
}

fn cause(error: &StoreError) -> String {
    error.source.as_ref().map_or_else(|| error.to_string(), ToString::to_string)
}

impl fmt::Debug for Pace<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pace").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_takes_as_long_as_the_pace_says() {
        let started = Instant::now();
        let mut pace = Pace::new(Some(1_000_000), &|| false);
        for _ in 0..10 {
            pace.took(20_000);
        }
        assert!(started.elapsed() >= Duration::from_millis(190), "{:?}", started.elapsed());
        assert_eq!(pace.bytes(), 200_000);
        let mut pace = Pace::unlimited();
        pace.took(u64::MAX / 2);
    }

    #[test]
    fn a_sector_that_cannot_be_read_is_no_store_that_is_away() {
        let unreadable = io::Error::from_raw_os_error(INPUT_OUTPUT_ERROR);
        assert!(is_unreadable(&StoreError::io("read", unreadable)));
        assert!(!is_unreadable(&StoreError::io("read", io::ErrorKind::NotFound.into())));
        assert!(!is_unreadable(&StoreError::unchanged("read", "it is away")));
    }
}
