//! When the pages of the service's site changed: `visibility-server/src/site/changes.txt`.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The file, whose lines are a page, the files that it is made of with commas, when they last changed, and
/// their digest.
pub fn file() -> PathBuf {
    root().join("visibility-server/src/site/changes.txt")
}

/// What the file should be: pages whose files changed have a new time, and all others the one that they had.
pub fn refreshed(now: &str) -> String {
    let text = fs::read_to_string(file()).expect("the file of changes");
    text.lines().map(|line| format!("{}\n", refreshed_line(line, now))).collect()
}

fn refreshed_line(line: &str, now: &str) -> String {
    if line.starts_with('#') {
        return line.to_owned();
    }
    let mut words = line.split(' ');
    let mut word = || words.next().expect("page, files, time and digest");
    let (page, files, time, digest) = (word(), word(), word(), word());
    let mut hash = Sha256::new();
    for name in files.split(',') {
        hash.update(fs::read(root().join(name)).expect("a file that a page is made of"));
    }
    let current: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let time = if current == digest { time } else { now };
    format!("{page} {files} {time} {current}")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}
