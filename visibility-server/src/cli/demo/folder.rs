//! The temporary folder, which goes with the server. What a killed server has left is removed by the next one.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use uuid::Uuid;

/// What the names of these folders begin with.
const PREFIX: &str = "visibility-demo-";
/// The file that a running server keeps locked.
const LOCK: &str = "lock";
/// A folder without that file may be one that begins.
const BEGINNING: Duration = Duration::from_mins(1);
/// How often it is tried to remove a folder in which threads may still write.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

/// A folder that is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct DemoFolder(PathBuf);

impl DemoFolder {
    /// A new folder for this user alone, among other temporary ones.
    pub(crate) fn create(parent: &Path) -> io::Result<Self> {
        remove_left_behind(parent);
        let path = parent.join(format!("{PREFIX}{}", Uuid::now_v7().simple()));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for DemoFolder {
    fn drop(&mut self) {
        for _ in 0..TRIES {
            match fs::remove_dir_all(&self.0) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => thread::sleep(PAUSE),
                _ => return,
            }
        }
        tracing::warn!(folder = %self.0.display(), "cannot remove the folder of the demonstration");
    }
}

/// Removes the folders of demonstrations that no process serves any more.
fn remove_left_behind(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_ours && is_folder && is_left_behind(&entry.path()) {
            // That of another user cannot be removed, and need not be.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_left_behind(folder: &Path) -> bool {
    if let Ok(lock) = File::open(folder.join(LOCK)) {
        return lock.try_lock().is_ok();
    }
    let changed = fs::metadata(folder).and_then(|found| found.modified());
    let age = changed.ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    age.is_some_and(|age| age > BEGINNING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_when_it_is_dropped_and_that_of_a_killed_server_with_the_next() {
        let parent = tempfile::tempdir().unwrap();
        let folder = DemoFolder::create(parent.path()).unwrap();
        let path = folder.path().to_owned();
        fs::write(path.join("a"), "b").unwrap();
        drop(folder);
        assert!(!path.exists());

        let killed = parent.path().join(format!("{PREFIX}1"));
        let running = parent.path().join(format!("{PREFIX}2"));
        let beginning = parent.path().join(format!("{PREFIX}3"));
        let other = parent.path().join("other");
        for folder in [&killed, &running, &beginning, &other] {
            fs::create_dir(folder).unwrap();
        }
        File::create(killed.join(LOCK)).unwrap();
        let lock = File::create(running.join(LOCK)).unwrap();
        lock.lock().unwrap();
        let _folder = DemoFolder::create(parent.path()).unwrap();
        assert!(!killed.exists());
        assert!(running.exists() && beginning.exists() && other.exists());
    }
}
