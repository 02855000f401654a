//! Files of the repository that crates embed, of which each has a copy, and the times at which the pages of the
//! service's site changed: `visibility-server/src/site/changes.txt`.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Files with the folder that has a copy of each.
const COPIES: [(&str, &[&str]); 5] = [
    (
        "visibility-core/docs",
        &[
            "docs/checks.md",
            "docs/scoring.md",
            "docs/audit.md",
            "docs/signals.md",
            "docs/errors.md",
        ],
    ),
    ("visibility-server/docs", &["docs/api.md", "docs/ingestion.md", "docs/mcp.md"]),
    ("visibility-core", LICENCES),
    ("visibility-server", LICENCES),
    ("visibility-cli", LICENCES),
];
const LICENCES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT"];

/// Each file that a crate has a copy of, with the copy.
pub fn copies() -> impl Iterator<Item = (PathBuf, PathBuf)> {
    COPIES.iter().flat_map(|(folder, files)| {
        files.iter().map(move |file| {
            let original = root().join(file);
            let name = original.file_name().expect("a file");
            let copy = root().join(folder).join(name);
            (original, copy)
        })
    })
}

/// The file of the times, whose lines are a page, the files that it is made of with commas, when they last changed, and
/// their digest.
pub fn changes_file() -> PathBuf {
    root().join("visibility-server/src/site/changes.txt")
}

/// What the file should be: pages whose files changed have a new time, and all others the one that they had.
pub fn refreshed_changes(now: &str) -> String {
    let text = fs::read_to_string(changes_file()).expect("the file of changes");
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
