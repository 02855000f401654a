//! `visibility audit` and what knows its results.

mod formats;
mod gates;
mod kinds;
mod network;
mod reports;
mod sources;

use std::process::Stdio;

use serde_json::Value;
use visibility_tests::pages;

use crate::cli::program::{Folder, Run, command, finish, run};

/// The time of test audits.
const NOW: &str = "2026-11-20T12:00:00Z";
/// The address of the good page.
const URL: &str = "https://shop.example.com/jackets/aurora";

/// Audits as of the time of tests.
fn audit(arguments: &[&str]) -> Run {
    let mut all = vec!["audit", "--now", NOW];
    all.extend(arguments);
    run(&all)
}

/// Audits in this folder, so that names of files are the same each time.
fn audit_in(folder: &Folder, arguments: &[&str]) -> Run {
    let mut all = vec!["audit", "--now", NOW];
    all.extend(arguments);
    finish(
        command(&all)
            .current_dir(folder.all())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn(),
    )
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).expect("JSON")
}

/// A folder with a good page and one that is empty until scripts run.
fn shop() -> Folder {
    let folder = Folder::new();
    folder.file("aurora.html", pages::product());
    folder.file("shell.html", pages::shell());
    folder
}

/// The good page with something that is meant to harm wherever a report may repeat it.
fn hostile() -> String {
    let title = "Aurora <script>alert(1)</script> | `x` \u{1b}[31m \u{202e}";
    pages::product()
        .replace("<title>Aurora down jacket", &format!("<title>{title}"))
        .replace("Warmth and weight", "\u{1b}]0;x\u{7} --> ]]> :: %0A ```")
        .replace("max-snippet:-1", "nosnippet, \u{202e}<b>")
        .replace("\"349.00\"", "\"399.00\"")
        .replace(" alt=\"", " title=\"")
}
