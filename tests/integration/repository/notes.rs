//! Notes and comments of fixes: every id in the code has a sentence, and every sentence is used.

use std::collections::BTreeSet;
use std::fs;

use visibility_core::text::locale::{Catalog, Lang};

use super::{files, root};

/// The string literals of each call of a function, up to its closing parenthesis.
fn ids(source: &str, call: &str) -> Vec<String> {
    let mut found = Vec::new();
    for after in source.split(call).skip(1) {
        let mut depth = 1_usize;
        let mut literal: Option<String> = None;
        for ch in after.chars() {
            match (&mut literal, ch) {
                (Some(_), '"') => found.extend(literal.take()),
                (Some(text), ch) => text.push(ch),
                (None, '"') => literal = Some(String::new()),
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                (None, _) => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

#[test]
fn every_note_and_comment_of_the_code_has_a_sentence_and_every_sentence_is_used() {
    let mut notes = BTreeSet::new();
    let mut comments = BTreeSet::new();
    let crates = ["visibility-core", "visibility-server", "visibility-cli"];
    for path in crates.iter().flat_map(|name| files(&root().join(name).join("src"), "rs")) {
        let source = fs::read_to_string(&path).expect("a source");
        notes.extend(ids(&source, "Note::new("));
        if path.ends_with("visibility-core/src/text/note.rs") {
            notes.extend(ids(&source, "Self::new("));
        }
        comments.extend(
            source
                .split("comment(\"")
                .skip(1)
                .filter_map(|after| after.split_once('"').map(|(id, _)| id.to_owned())),
        );
    }
    for lang in Lang::ALL {
        let keys = |section| -> BTreeSet<String> {
            Catalog::for_lang(lang).keys(&[section]).into_iter().map(str::to_owned).collect()
        };
        assert_eq!(keys("notes"), notes, "{lang}");
        assert_eq!(keys("comments"), comments, "{lang}");
    }
}
