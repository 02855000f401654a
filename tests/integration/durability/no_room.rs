//! A disk that is full, wherever that is noticed, and one that cannot be written.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use uuid::Uuid;
use visibility_tests::program::program;

use crate::durability::service::{Service, records};

const KIB: usize = 1024;

/// A small disk in memory.
#[derive(Debug)]
struct SmallDisk(TempDir);

impl SmallDisk {
    /// Nothing if this process may not mount one.
    fn mount() -> Option<Self> {
        let disk = Self(tempfile::tempdir().expect("a folder"));
        let is_mounted = mount(&["-t", "tmpfs", "-o", "size=12m", "tmpfs"], disk.path());
        if !is_mounted {
            eprintln!("skipped: only root may mount a small disk");
        }
        is_mounted.then_some(disk)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Fills the disk up to this many bytes.
    fn fill(&self, room: usize) {
        let mut ballast = File::create(self.ballast()).expect("a file");
        while ballast.write_all(&[1; KIB]).is_ok() {}
        let length = ballast.metadata().expect("a length").len();
        ballast.set_len(length.saturating_sub(room as u64)).expect("room");
    }

    fn empty(&self) {
        fs::remove_file(self.ballast()).expect("removed");
    }

    fn ballast(&self) -> PathBuf {
        self.path().join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).status();
    }
}

fn mount(arguments: &[&str], at: &Path) -> bool {
    let mounted = Command::new("mount").args(arguments).arg(at).output();
    mounted.is_ok_and(|output| output.status.success())
}

#[test]
fn a_full_disk_keeps_nothing_by_halves() {
    let Some(disk) = SmallDisk::mount() else { return };
    let data_dir = disk.path().join("data");
    let service = Service::start(&data_dir, &[]);
    let first = (Uuid::now_v7(), records(10));
    let answer = service.send(first.0, &first.1);
    assert_eq!(answer.status, 202);

    // A batch of a few pages: with each page of room it gets a step further.
    let mut batches = Vec::new();
    for room in (0..=40).map(|page| page * 4 * KIB) {
        let batch = (Uuid::now_v7(), records(3));
        disk.fill(room);
        let answered = service.send(batch.0, &batch.1);
        assert!([202, 503].contains(&answered.status), "{answered:?}");
        let replayed = service.send(first.0, &first.1);
        assert!(replayed == answer || replayed.status == 503, "{replayed:?}");
        disk.empty();
        batches.push((batch, answered));
    }
    let refused = batches.iter().filter(|(_, answer)| answer.status == 503).count();
    assert!((3..batches.len()).contains(&refused), "{refused} of {} refused", batches.len());
    assert_eq!(unfinished(&data_dir.join("objects")), Vec::<PathBuf>::new());

    for ((id, body), before) in &batches {
        let after = service.send(*id, body);
        assert_eq!(after.status, 202);
        assert!(before.status == 503 || *before == after, "{before:?} {after:?}");
    }
    assert_eq!(service.send(first.0, &first.1), answer);
    let report = service.check();
    assert_eq!(report["ok"], true, "{report}");
    assert_eq!(report["tenants"]["acme"]["ledger"], 10 + 3 * batches.len());
    assert_eq!(files(&data_dir.join("objects")).len(), 2 * (1 + batches.len()), "no orphans");
}

#[test]
fn a_disk_that_cannot_be_written_is_answered_with_503() {
    let Some(disk) = SmallDisk::mount() else { return };
    let data_dir = disk.path().join("data");
    let service = Service::start(&data_dir, &[]);
    assert_eq!(service.send(Uuid::now_v7(), &records(10)).status, 202);
    let batch = (Uuid::now_v7(), records(10));
    for folder in ["objects", "spool"] {
        let folder = data_dir.join(folder);
        let text = folder.display().to_string();
        assert!(mount(&["--bind", &text], &folder) && mount(&["-o", "remount,ro,bind"], &folder));
        assert_eq!(service.send(batch.0, &batch.1).status, 503, "{text}");
        assert!(Command::new("umount").arg(&folder).status().is_ok_and(|status| status.success()));
    }
    assert_eq!(files(&data_dir.join("objects")).len(), 2);
    assert_eq!(service.send(batch.0, &batch.1).status, 202);
    let report = service.check();
    assert_eq!(report["ok"], true, "{report}");
    assert_eq!(report["tenants"]["acme"]["ledger"], 20);
}

#[test]
fn a_start_on_a_disk_that_cannot_be_written_names_the_folder() {
    let Some(disk) = SmallDisk::mount() else { return };
    let data_dir = disk.path().join("data");
    fs::create_dir(&data_dir).expect("a folder");
    assert!(mount(&["-o", "remount,ro"], disk.path()));
    let output = Command::new(program("visibility-server"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(&data_dir)
        .output()
        .expect("it runs");
    assert!(!output.status.success());
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains(&data_dir.display().to_string()), "{words}");
    assert!(words.to_lowercase().contains("read-only"), "{words}");
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    // The identity of the store, and the name of its newest object.
    files.retain(|path| path.extension().is_none_or(|end| end != "json"));
    files
}

fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let mut files = files(folder);
    files.retain(|path| path.display().to_string().contains('#'));
    files
}
