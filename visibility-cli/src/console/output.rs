//! Writes a result to standard output, or to a file that appears only when it is complete.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};

use crate::console::signs::Signs;
use crate::error::CommandError;

/// Whether a text carries styles.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Paint {
    /// It may, and it has signs: both are replaced where they cannot be shown.
    Styled,
    /// It does not, and goes out byte for byte.
    Plain,
}

/// An open file, or standard output.
#[derive(Debug)]
pub(crate) struct Output {
    target: OutputTarget,
    signs: Signs,
}

#[derive(Debug)]
enum OutputTarget {
    Stdout(ColorChoice, Arc<AtomicBool>),
    /// A device or a pipe, which cannot be replaced.
    Device(PathBuf, File),
    File(Draft),
}

/// A file beside the one that was asked for. It takes its place at the end, or goes away.
#[derive(Debug)]
struct Draft {
    path: PathBuf,
    beside: PathBuf,
    file: File,
}

impl Output {
    /// Opens a file, or standard output.
    /// `has_printed` is set when standard output gets its first bytes.
    pub(super) fn open(
        path: Option<&Path>,
        color: ColorChoice,
        signs: Signs,
        has_printed: &Arc<AtomicBool>,
    ) -> Result<Self, CommandError> {
        let Some(path) = path else {
            return Ok(Self {
                target: OutputTarget::Stdout(color, Arc::clone(has_printed)),
                signs,
            });
        };
        let target = match fs::metadata(path) {
            Ok(found) if !found.is_file() => File::options()
                .write(true)
                .open(path)
                .map(|file| OutputTarget::Device(path.into(), file)),
            _ => Draft::beside(path).map(OutputTarget::File),
        };
        target.map(|target| Self { target, signs }).map_err(failed(path))
    }

    /// Writes and flushes, so that a reader sees each result when it is there.
    pub(crate) fn write(&mut self, text: &str, paint: Paint) -> Result<(), CommandError> {
        let text = match paint {
            Paint::Styled => self.signs.write(text),
            Paint::Plain => Cow::Borrowed(text),
        };
        match &mut self.target {
            OutputTarget::Stdout(color, has_printed) => {
                has_printed.store(true, Ordering::Relaxed);
                let mut stdout = io::stdout().lock();
                let written = match paint {
                    Paint::Plain => stdout.write_all(text.as_bytes()),
                    Paint::Styled => {
                        AutoStream::new(&mut stdout, *color).write_all(text.as_bytes())
                    }
                };
                written.and_then(|()| stdout.flush()).map_err(CommandError::stdout)
            }
            OutputTarget::Device(path, file) => {
                write_file(file, &text, paint).map_err(failed(path.as_path()))
            }
            OutputTarget::File(draft) => {
                write_file(&mut draft.file, &text, paint).map_err(failed(&draft.path))
            }
        }
    }

    /// Writes bytes of a text that comes in parts, as they are.
    pub(crate) fn write_part(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        match &mut self.target {
            OutputTarget::Stdout(_, has_printed) => {
                has_printed.store(true, Ordering::Relaxed);
                io::stdout().write_all(bytes).map_err(CommandError::stdout)
            }
            OutputTarget::Device(path, file) => {
                file.write_all(bytes).map_err(failed(path.as_path()))
            }
            OutputTarget::File(draft) => draft.file.write_all(bytes).map_err(failed(&draft.path)),
        }
    }

    /// Puts the file in its place. Without this, what was there before stays.
    pub(crate) fn finish(self) -> Result<(), CommandError> {
        match self.target {
            OutputTarget::File(draft) => draft.keep().map_err(failed(&draft.path)),
            OutputTarget::Stdout(..) | OutputTarget::Device(..) => Ok(()),
        }
    }
}

impl Draft {
    /// Opens a draft of a file; a link is followed, so that it stays one.
    fn beside(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let Some(name) = path.file_name() else {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        };
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.part", std::process::id()));
        let draft = path.with_file_name(hidden);
        let file = File::create(&draft)?;
        let made = Self { path, beside: draft, file };
        if let Ok(before) = fs::metadata(&made.path) {
            // A file that may not be written is not to be replaced either.
            File::options().append(true).open(&made.path)?;
            fs::set_permissions(&made.beside, before.permissions())?;
        }
        Ok(made)
    }

    /// A file that is a mount of its own cannot be replaced, only filled.
    fn keep(&self) -> io::Result<()> {
        fs::rename(&self.beside, &self.path)
            .or_else(|_| fs::copy(&self.beside, &self.path).map(|_| ()))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        let _ = fs::remove_file(&self.beside);
    }
}

fn write_file(file: &mut File, text: &str, paint: Paint) -> io::Result<()> {
    match paint {
        Paint::Plain => file.write_all(text.as_bytes()),
        Paint::Styled => AutoStream::never(file).write_all(text.as_bytes()),
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> CommandError + use<> {
    let path = path.to_owned();
    |source| CommandError::Write { path, source }
}
