//! Objects as files in a folder.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use futures_util::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Location;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload};
use uuid::Uuid;
use visibility_core::store::{
    EachPage, LIST_PAGE, ListedObject, ObjectWriter, Objects, StoreError, TRASH, is_below,
};

use super::{ObjectFiles, failed, io_kind, is_in_use, is_node_mark, location, wait_for};
use crate::stores::private_file;

/// Bytes that a writer holds back. A folder has no least size of a part.
const PART_BYTES: usize = 1024 * 1024;

/// Objects as files below one folder. What is being written has `#1` behind its name and is not
/// listed.
#[derive(Debug)]
pub(in crate::stores) struct FolderObjects {
    root: PathBuf,
    store: LocalFileSystem,
    /// Folders whose entries in the folder above are known to be durable.
    folders: Mutex<BTreeSet<PathBuf>>,
}

impl FolderObjects {
    /// Opens or creates the folder.
    ///
    /// # Errors
    ///
    /// When it cannot be created.
    pub(in crate::stores) fn open(root: &Path) -> Result<Self, StoreError> {
        let open = || -> io::Result<PathBuf> {
            make_folder(root)?;
            fs::canonicalize(root)
        };
        let describe = || format!("open the folder {}", root.display());
        let root = open().map_err(|error| StoreError::io(describe(), error))?;
        let store = LocalFileSystem::new_with_prefix(&root)
            .map_err(|error| failed(describe(), &error))?
            .with_fsync(true);
        Ok(Self { root, store, folders: Mutex::default() })
    }

    /// The file of an object.
    fn path(&self, name: &str) -> Result<PathBuf, StoreError> {
        let location = location(name)?;
        self.store
            .path_to_filesystem(&location)
            .map_err(|error| failed(format!("find the file of {name}"), &error))
    }

    fn list_where(
        &self,
        folder: Option<&Location>,
        is_wanted: fn(&str) -> bool,
        each_page: &mut EachPage<'_>,
    ) -> Result<(), StoreError> {
        let failed = |error| failed("list the objects".to_owned(), &error);
        let mut listed = self.store.list(folder).try_chunks(LIST_PAGE);
        while let Some(metas) = wait_for(listed.try_next()).map_err(|error| failed(error.1))? {
            let objects = metas.into_iter().map(|meta| ListedObject {
                name: meta.location.into(),
                modified: meta.last_modified,
                bytes: meta.size,
            });
            each_page(objects.filter(|object| is_wanted(&object.name)).collect())?;
        }
        Ok(())
    }

    /// Writes a mark under another name and then gives it its own: others see the whole of it or none.
    fn write_mark<T>(
        &self,
        mark: &str,
        text: &[u8],
        name: impl FnOnce(&Path, &Path) -> io::Result<T>,
    ) -> Result<T, StoreError> {
        let path = self.root.join(mark);
        let unfinished = self.root.join(format!("{mark}.{}#1", Uuid::now_v7()));
        let write = || -> io::Result<T> {
            self.prepare_folder(&path)?;
            let mut file = private_file(&unfinished)?;
            file.write_all(text)?;
            file.sync_all()?;
            let done = name(&unfinished, &path)?;
            File::open(path.parent().unwrap_or(&self.root))?.sync_all()?;
            Ok(done)
        };
        let outcome = write();
        // It has the name of the mark by now, or is of no use.
        let _ = fs::remove_file(&unfinished);
        outcome.map_err(|error| StoreError::io(format!("write {}", path.display()), error))
    }

    /// Removes the folders above a file of the trash that are empty now: each day has its own.
    fn remove_empty_folders(&self, path: &Path) {
        let trash = self.root.join(TRASH);
        let folders = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&trash));
        for folder in folders {
            if fs::remove_dir(folder).is_err() {
                return;
            }
        }
    }

    /// Makes the folders above a file, durably. A folder that exists may have been made by a process
    /// that was killed before it was durable: it is made sure of once.
    fn prepare_folder(&self, path: &Path) -> io::Result<()> {
        let Some(folder) = path.parent() else { return Ok(()) };
        let mut durable = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if durable.contains(folder) && folder.is_dir() {
            return Ok(());
        }
        let mut above: Vec<&Path> = folder
            .ancestors()
            .take_while(|folder| folder.starts_with(&self.root) && **folder != self.root)
            .collect();
        above.reverse();
        for folder in above {
            make_folder(folder)?;
        }
        durable.insert(folder.to_owned());
        Ok(())
    }
}

impl Objects for FolderObjects {
    fn create(&self, name: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        let describe = || format!("create {name}");
        let location = location(name)?;
        let path = self.path(name)?;
        self.prepare_folder(&path).map_err(|error| StoreError::io(describe(), error))?;
        if path.exists() {
            return Err(StoreError::unchanged(describe(), "it exists"));
        }
        let upload = wait_for(self.store.put_multipart(&location))
            .map_err(|error| failed(describe(), &error))?;
        let writer = FolderWriter {
            name: name.to_owned(),
            unfinished: unfinished(&path),
            upload: Some(upload),
            part: Vec::new(),
            bytes: 0,
        };
        fs::set_permissions(&writer.unfinished, Permissions::from_mode(0o600))
            .map_err(|error| StoreError::io(describe(), error))?;
        Ok(Box::new(writer))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        let location = location(name)?;
        wait_for(async { self.store.get(&location).await?.bytes().await })
            .map(Vec::from)
            .map_err(|error| failed(format!("read {name}"), &error))
    }

    fn delete(&self, name: &str) -> Result<(), StoreError> {
        match wait_for(self.store.delete(&location(name)?)) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
            Err(error) => return Err(failed(format!("delete {name}"), &error)),
        }
        if is_below(name, TRASH) {
            self.remove_empty_folders(&self.path(name)?);
        }
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let describe = |error| StoreError::io(format!("move {from} to {to}"), error);
        let (old, new) = (self.path(from)?, self.path(to)?);
        if !old.exists() {
            return Ok(());
        }
        make_folders_above(&new).map_err(describe)?;
        fs::rename(&old, &new).map_err(describe)?;
        self.remove_empty_folders(&old);
        Ok(())
    }

    fn list(&self, each_page: &mut EachPage<'_>) -> Result<(), StoreError> {
        self.list_where(None, is_in_use, each_page)
    }

    fn list_below(&self, folder: &str, each_page: &mut EachPage<'_>) -> Result<(), StoreError> {
        self.list_where(Some(&location(folder)?), |_name| true, each_page)
    }
}

impl ObjectFiles for FolderObjects {
    fn open(&self, name: &str) -> Result<File, StoreError> {
        let path = self.path(name)?;
        File::open(path).map_err(|error| StoreError::io(format!("open {name}"), error))
    }

    fn read_range(&self, name: &str, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let describe = |error| StoreError::io(format!("read {name}"), error);
        let mut file = self.open(name)?;
        file.seek(SeekFrom::Start(range.start)).map_err(describe)?;
        let mut bytes = Vec::new();
        let wanted = range.end - range.start;
        file.take(wanted).read_to_end(&mut bytes).map_err(describe)?;
        if (bytes.len() as u64) < wanted {
            return Err(describe(io::ErrorKind::UnexpectedEof.into()));
        }
        Ok(bytes)
    }

    fn address(&self, name: &str) -> Result<String, StoreError> {
        let path = self.path(name)?.into_os_string().into_string();
        path.map_err(|path| {
            StoreError::unchanged(
                format!("name the file of {name}"),
                format!("{} is not UTF-8", path.display()),
            )
        })
    }

    fn exists(&self, name: &str) -> Result<bool, StoreError> {
        let path = self.path(name)?;
        path.try_exists().map_err(|error| StoreError::io(format!("look for {name}"), error))
    }

    fn mark(&self, mark: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.root.join(mark);
        match fs::read(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io(format!("read {}", path.display()), error)),
        }
    }

    fn create_mark(&self, mark: &str, text: &[u8]) -> Result<bool, StoreError> {
        self.write_mark(mark, text, |unfinished, path| match fs::hard_link(unfinished, path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        })
    }

    fn replace_mark(&self, mark: &str, text: &[u8]) -> Result<(), StoreError> {
        self.write_mark(mark, text, |unfinished, path| fs::rename(unfinished, path))
    }

    fn remove_mark(&self, mark: &str) -> Result<(), StoreError> {
        match fs::remove_file(self.root.join(mark)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::io(format!("remove {mark}"), error))
            }
            _ => Ok(()),
        }
    }

    fn look_every(&self) -> Duration {
        Duration::ZERO
    }

    fn free_bytes(&self) -> io::Result<Option<u64>> {
        free_bytes(&self.root).map(Some)
    }

    fn remove_leftovers(&self, before: Option<SystemTime>) -> Result<usize, StoreError> {
        let remove = || -> io::Result<usize> {
            let mut removed = 0;
            let mut folders = vec![self.root.clone()];
            while let Some(folder) = folders.pop() {
                for entry in fs::read_dir(&folder)? {
                    let entry = entry?;
                    let kind = entry.file_type()?;
                    if kind.is_dir() {
                        folders.push(entry.path());
                    } else if kind.is_file() && is_leftover(&entry, before)? {
                        fs::remove_file(entry.path())?;
                        removed += 1;
                    }
                }
            }
            Ok(removed)
        };
        let describe = || "remove unfinished files beside the objects".to_owned();
        remove().map_err(|error| StoreError::io(describe(), error))
    }
}

/// The folder.
impl fmt::Display for FolderObjects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.display().fmt(formatter)
    }
}

/// An object on its way.
struct FolderWriter {
    name: String,
    unfinished: PathBuf,
    upload: Option<Box<dyn MultipartUpload>>,
    part: Vec<u8>,
    bytes: u64,
}

impl FolderWriter {
    fn write_part(&mut self) -> io::Result<()> {
        let Some(upload) = &mut self.upload else {
            return Err(io::Error::other("an earlier write of this object failed"));
        };
        let part = std::mem::take(&mut self.part);
        self.bytes += part.len() as u64;
        if let Err(error) = wait_for(upload.put_part(PutPayload::from(part))) {
            self.abort();
            return Err(io::Error::new(io_kind(&error), error));
        }
        Ok(())
    }

    fn abort(&mut self) {
        if let Some(mut upload) = self.upload.take() {
            // What stays is removed at the next start.
            let _ = wait_for(upload.abort());
        }
    }
}

impl Write for FolderWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.part.capacity() == 0 && bytes.len() < PART_BYTES {
            self.part.reserve(bytes.len().max(16 * 1024));
        }
        self.part.extend_from_slice(bytes);
        if self.part.len() >= PART_BYTES {
            self.write_part()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ObjectWriter for FolderWriter {
    fn finish(mut self: Box<Self>) -> Result<u64, StoreError> {
        let describe = |name: &str| format!("finish {name}");
        if !self.part.is_empty() || self.upload.is_none() {
            self.write_part().map_err(|error| StoreError::io(describe(&self.name), error))?;
        }
        let Some(mut upload) = self.upload.take() else { return Ok(self.bytes) };
        match wait_for(upload.complete()) {
            Ok(_) => Ok(self.bytes),
            Err(error) => {
                // The upload takes itself for completed and would leave the file.
                let _ = fs::remove_file(&self.unfinished);
                Err(failed(describe(&self.name), &error))
            }
        }
    }
}

impl Drop for FolderWriter {
    fn drop(&mut self) {
        self.abort();
    }
}

impl fmt::Debug for FolderWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FolderWriter").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Where the bytes of an object are before it is finished: names are never used twice, so the first
/// place is free.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("#1");
    name.into()
}

fn is_leftover(file: &fs::DirEntry, before: Option<SystemTime>) -> io::Result<bool> {
    let name = file.file_name();
    let name = name.to_string_lossy();
    if !is_unfinished(&name) && !is_node_mark(&name) {
        return Ok(false);
    }
    match (before, file.metadata()) {
        (None, _) => Ok(true),
        (Some(before), Ok(metadata)) => Ok(metadata.modified()? < before),
        // Its writer has finished it meanwhile.
        (Some(_), Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        (Some(_), Err(error)) => Err(error),
    }
}

fn is_unfinished(name: &str) -> bool {
    name.rsplit_once('#').is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// How many bytes there is room for on the disk of a folder.
pub(in crate::stores) fn free_bytes(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Makes a folder that only its owner can enter, and makes its entry durable. It may exist.
pub(in crate::stores) fn make_folder(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !folder.is_dir() => {
            return Err(error);
        }
        _ => {}
    }
    let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
    File::open(above.unwrap_or(Path::new(".")))?.sync_all()
}

/// Makes the folders above a file. A crash may lose them.
fn make_folders_above(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    DirBuilder::new().mode(0o700).recursive(true).create(folder)
}

#[cfg(test)]
mod tests {
    use super::super::{IDENTITY, node_mark};
    use super::*;

    #[test]
    fn leftovers_are_removed_once_they_are_old_and_objects_never() {
        let folder = tempfile::tempdir().unwrap();
        let objects = FolderObjects::open(folder.path()).unwrap();
        let inner = folder.path().join("tenant=acme");
        make_folder(&inner).unwrap();
        let now = SystemTime::now();
        let write = |path: PathBuf, age: u64| {
            let file = File::create(&path).unwrap();
            file.set_modified(now - Duration::from_secs(age)).unwrap();
            path
        };
        let id = Uuid::now_v7();
        let old =
            [write(inner.join("1.parquet#1"), 200), write(folder.path().join(node_mark(id)), 200)];
        let new = [
            write(inner.join("2.parquet#1"), 20),
            write(folder.path().join(node_mark(Uuid::now_v7())), 20),
        ];
        let stay = [
            write(inner.join("1.parquet"), 200),
            write(inner.join("node-1.json.gz"), 200),
            write(folder.path().join(IDENTITY), 200),
        ];
        let exist = |paths: &[PathBuf]| paths.iter().filter(|path| path.exists()).count();
        assert_eq!(objects.remove_leftovers(Some(now - Duration::from_secs(100))).unwrap(), 2);
        assert_eq!([exist(&old), exist(&new), exist(&stay)], [0, 2, 3]);
        assert_eq!(objects.remove_leftovers(None).unwrap(), 2);
        assert_eq!([exist(&new), exist(&stay)], [0, 3]);
    }
}
