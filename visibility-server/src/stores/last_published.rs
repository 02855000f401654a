//! The names of the objects that were published last, kept outside of the database: one that does not know them is older
//! than they are.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use visibility_core::store::StoreError;

use super::objects::{NEWEST, ObjectFiles};
use super::private_file;

/// Bytes of the file in the data directory. The name in it ends with spaces.
const BYTES: usize = 512;

/// The names of the objects that were published last.
///
/// A file of the data directory has the one of this node. It is written after each publication, and not made durable: a
/// crash of the process does not lose it, and one of the machine makes it older, which is safe. A mark beside the objects
/// has the one of all nodes, some seconds later: it is also there for a node with a new data directory.
#[derive(Debug)]
pub(super) struct LastPublished {
    file: File,
    /// What this process has written into the mark.
    mark: Mutex<Option<String>>,
}

/// The content of the mark.
#[derive(Debug, Deserialize, Serialize)]
struct Newest {
    name: String,
}

impl LastPublished {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = fs::OpenOptions::new().read(true).write(true).open(path);
        let file = match file {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                private_file(path)?;
                fs::OpenOptions::new().read(true).write(true).open(path)
            }
            file => file,
        }?;
        Ok(Self { file, mark: Mutex::default() })
    }

    /// Notes the object that this node has published last.
    pub(super) fn write(&self, name: &str) {
        let mut bytes = [b' '; BYTES];
        if let Some(place) = bytes.get_mut(..name.len()) {
            place.copy_from_slice(name.as_bytes());
            // Without it, an older database is noticed later.
            let _ = self.file.write_all_at(&bytes, 0);
        }
    }

    /// Whether the mark is to be replaced because another object was published.
    pub(super) fn is_news(&self, newest: &str) -> bool {
        self.mark.lock().unwrap_or_else(PoisonError::into_inner).as_deref() != Some(newest)
    }

    /// Notes the object that all nodes have published last.
    pub(super) fn write_mark(
        &self,
        objects: &dyn ObjectFiles,
        name: &str,
    ) -> Result<(), StoreError> {
        let mut written = self.mark.lock().unwrap_or_else(PoisonError::into_inner);
        let json = serde_json::to_vec(&Newest { name: name.to_owned() })
            .map_err(|error| StoreError::unchanged(format!("write {NEWEST}"), error))?;
        objects.replace_mark(NEWEST, &json)?;
        *written = Some(name.to_owned());
        Ok(())
    }

    /// Forgets all names.
    pub(super) fn clear(&self, objects: &dyn ObjectFiles) -> Result<(), StoreError> {
        *self.mark.lock().unwrap_or_else(PoisonError::into_inner) = None;
        objects.remove_mark(NEWEST)?;
        self.file.set_len(0).map_err(|error| StoreError::io("forget the last object", error))
    }

    /// The names of the objects that were published last, as far as they are known.
    pub(super) fn names(&self, objects: &dyn ObjectFiles) -> Result<Vec<String>, StoreError> {
        let of_all = objects.mark(NEWEST)?.and_then(|json| {
            let newest = serde_json::from_slice::<Newest>(&json);
            // A mark is written as a whole. Without it, an older database may go unnoticed, and nothing is lost.
            newest.inspect_err(|error| tracing::warn!(%error, "{NEWEST} cannot be read")).ok()
        });
        Ok(self.own().into_iter().chain(of_all.map(|newest| newest.name)).collect())
    }

    fn own(&self) -> Option<String> {
        let mut bytes = [0; BYTES];
        self.file.read_exact_at(&mut bytes, 0).ok()?;
        let name = str::from_utf8(&bytes).ok()?.trim_end();
        (!name.is_empty()).then(|| name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::objects::FolderObjects;
    use super::*;

    const FIRST: &str = "tenant=acme/new/1.parquet";

    #[test]
    fn the_last_published_object_is_the_one_that_was_written_last() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("last-published");
        let file = LastPublished::open(&path).unwrap();
        assert_eq!(file.own(), None);
        file.write("tenant=acme/new/a-long-one.parquet");
        file.write(FIRST);
        let file = LastPublished::open(&path).unwrap();
        assert_eq!(file.own().as_deref(), Some(FIRST));
        file.write(&"a".repeat(1000));
        assert_eq!(file.own().as_deref(), Some(FIRST));
    }

    #[test]
    fn a_node_with_a_new_data_directory_knows_what_was_published_last() {
        let folder = tempfile::tempdir().unwrap();
        let objects = FolderObjects::open(&folder.path().join("objects")).unwrap();
        let first = LastPublished::open(&folder.path().join("1")).unwrap();
        let second = LastPublished::open(&folder.path().join("2")).unwrap();
        assert_eq!(second.names(&objects).unwrap(), Vec::<String>::new());
        assert!(first.is_news(FIRST));
        first.write_mark(&objects, FIRST).unwrap();
        assert!(!first.is_news(FIRST) && first.is_news("another"));
        second.write("another");
        assert_eq!(second.names(&objects).unwrap(), ["another", FIRST]);
        objects.replace_mark(NEWEST, b"{").unwrap();
        assert_eq!(second.names(&objects).unwrap(), ["another"]);
        second.clear(&objects).unwrap();
        assert_eq!(second.names(&objects).unwrap(), Vec::<String>::new());
    }
}
