//! Links of the Markdown files lead somewhere.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{files, root};

/// Targets of inline links and of pictures, outside code.
fn targets(markdown: &str) -> Vec<String> {
    let mut targets = Vec::new();
    let mut fenced = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        // Every second piece between back-ticks is code.
        let text: String = line.split('`').step_by(2).collect();
        for (start, end) in [("](", ')'), ("src=\"", '"'), ("srcset=\"", '"')] {
            let parts = text.split(start).skip(1);
            let found = parts.filter_map(|part| part.split_once(end));
            targets.extend(found.map(|(target, _)| target.to_owned()));
        }
    }
    targets
}

/// Anchors of the headings, as code hosts make them.
fn anchors(markdown: &str) -> Vec<String> {
    let headings = markdown.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let text = line.trim_start_matches('#').trim().to_lowercase();
            let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

fn is_broken(file: &Path, target: &str) -> bool {
    if target.contains("://") || target.starts_with("mailto:") {
        return false;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path =
        if path.is_empty() { file.to_owned() } else { file.parent().expect("a folder").join(path) };
    let known = |path: &Path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        anchors(&text).iter().any(|known| known == anchor)
    };
    !path.exists() || (!anchor.is_empty() && !known(&path))
}

#[test]
fn every_relative_link_leads_to_a_file_and_a_heading() {
    let mut broken = Vec::new();
    for file in files(root(), "md") {
        let text = fs::read_to_string(&file).expect("a document");
        let wrong = targets(&text).into_iter().filter(|target| is_broken(&file, target));
        broken.extend(wrong.map(|target| format!("{}: {target}", file.display())));
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn links_in_code_are_no_links() {
    let text = "[a](b.md) `[c](d.md)`\n```text\n[e](f.md)\n```\n[g](h.md#i)";
    assert_eq!(targets(text), ["b.md", "h.md#i"]);
    assert_eq!(anchors("## Speed, and size"), ["speed-and-size"]);
    let here = root().join("tests/integration/repository/links.rs");
    assert!(is_broken(&here, "nowhere.md"));
    assert!(!is_broken(&here, "steps.rs"));
}

#[test]
fn every_picture_is_shown() {
    let shown: HashSet<PathBuf> = files(root(), "md")
        .iter()
        .flat_map(|file| {
            let text = fs::read_to_string(file).expect("a document");
            let folder = file.parent().expect("a folder").to_owned();
            targets(&text).into_iter().map(move |target| folder.join(target))
        })
        .collect();
    let pictures = files(&root().join("docs/images"), "png");
    let hidden: Vec<_> = pictures.iter().filter(|picture| !shown.contains(*picture)).collect();
    assert!(hidden.is_empty(), "{hidden:#?}");
}
