//! Records as files that the server takes as they are.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use memchr::memchr;

use crate::error::CommandError;

/// Records of a file; the server takes 500,000.
const MAX_RECORDS: u64 = 450_000;
/// Bytes of a file; the server takes 50 MiB.
const MAX_WIRE_BYTES: u64 = 45 * 1024 * 1024;
/// Bytes of a file before compression; the server takes 250 MiB.
const MAX_RAW_BYTES: u64 = 240 * 1024 * 1024;

const SUFFIX: &str = ".ndjson.gz";

/// A folder that gets one file after the other. Each appears when it is complete.
#[derive(Debug)]
pub(super) struct BatchFolder {
    folder: PathBuf,
    files: u32,
    open: Option<OpenBatch>,
}

/// The file that is being written.
#[derive(Debug)]
struct OpenBatch {
    draft: PathBuf,
    path: PathBuf,
    encoder: GzEncoder<CountedFile>,
    records: u64,
    bytes: u64,
}

#[derive(Debug)]
struct CountedFile {
    file: BufWriter<File>,
    bytes: u64,
}

impl Write for CountedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> CommandError + use<> {
    let path = path.to_owned();
    |source| CommandError::Write { path, source }
}

impl BatchFolder {
    /// Makes the folder if it is not there. One that has batches is refused: they would be sent again.
    pub(super) fn create(folder: &Path) -> Result<Self, CommandError> {
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let has_batches = fs::read_dir(folder)
            .map_err(failed(folder))?
            .filter_map(Result::ok)
            .any(|file| file.file_name().to_string_lossy().ends_with(SUFFIX));
        if has_batches {
            return Err(CommandError::usage_with(
                format!("`{}` has batches already", folder.display()),
                "send them and remove them, or give another folder",
            ));
        }
        Ok(Self { folder: folder.to_owned(), files: 0, open: None })
    }

    /// Writes records, each on a line with its end.
    pub(super) fn write(&mut self, mut lines: &[u8]) -> Result<(), CommandError> {
        while let Some(at) = memchr(b'\n', lines) {
            let Some((line, rest)) = lines.split_at_checked(at + 1) else { break };
            lines = rest;
            if self.open.as_ref().is_some_and(|batch| batch.is_full(line)) {
                self.close()?;
            }
            let mut batch = match self.open.take() {
                Some(batch) => batch,
                None => self.begin()?,
            };
            let written = batch.write(line);
            written.map_err(failed(&batch.path))?;
            self.open = Some(batch);
        }
        Ok(())
    }

    /// Completes the last file, and says how many there are.
    pub(super) fn finish(&mut self) -> Result<u32, CommandError> {
        self.close()?;
        Ok(self.files)
    }

    fn begin(&mut self) -> Result<OpenBatch, CommandError> {
        self.files += 1;
        let name = format!("{:06}{SUFFIX}", self.files);
        let draft = self.folder.join(format!(".{name}.part"));
        let file = File::create(&draft).map_err(failed(&draft))?;
        let file = CountedFile { file: BufWriter::new(file), bytes: 0 };
        Ok(OpenBatch {
            draft,
            path: self.folder.join(name),
            encoder: GzEncoder::new(file, Compression::default()),
            records: 0,
            bytes: 0,
        })
    }

    fn close(&mut self) -> Result<(), CommandError> {
        let Some(batch) = self.open.take() else { return Ok(()) };
        let path = batch.path.clone();
        batch.complete().map_err(failed(&path))
    }
}

impl Drop for BatchFolder {
    fn drop(&mut self) {
        if let Some(batch) = self.open.take() {
            // What is not complete is no batch.
            let _ = fs::remove_file(batch.draft);
        }
    }
}

impl OpenBatch {
    fn is_full(&self, next: &[u8]) -> bool {
        self.records >= MAX_RECORDS
            || self.bytes + next.len() as u64 > MAX_RAW_BYTES
            || self.encoder.get_ref().bytes >= MAX_WIRE_BYTES
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        self.records += 1;
        self.bytes += line.len() as u64;
        self.encoder.write_all(line)
    }

    fn complete(self) -> io::Result<()> {
        let file =
            self.encoder.finish()?.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs::rename(&self.draft, &self.path)
    }
}
