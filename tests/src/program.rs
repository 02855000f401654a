//! The programs of this build, for tests that run them.

use std::path::{Path, PathBuf};

/// A program by its name. It lies beside the folder of the test executables.
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test is a program");
    let folder = test.parent().and_then(Path::parent).expect("target/debug/deps");
    let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "no {}: run `cargo build --bins`", program.display());
    program
}
