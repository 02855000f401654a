//! Documents that are made of code and texts, and what the crates embed of them, are as they would be made now.

use std::fs;

use visibility_tests::embedded_pages::{changes_file, copies, refreshed_changes};
use visibility_tests::generated;

const COMMAND: &str = "cargo run --bin generate-documents";

#[test]
fn the_generated_documents_are_those_of_the_code() {
    for (file, text) in generated::documents() {
        let kept = fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == text, "{} is old: {COMMAND}", file.display());
    }
}

#[test]
fn the_copies_in_the_crates_are_those_of_the_repository() {
    for (original, copy) in copies() {
        let original = fs::read_to_string(original).expect("a file of the repository");
        let is_copy = fs::read_to_string(&copy).is_ok_and(|copy| copy == original);
        assert!(is_copy, "{} is old: {COMMAND}", copy.display());
    }
}

#[test]
fn each_change_of_a_page_of_the_site_has_its_time() {
    let text = fs::read_to_string(changes_file()).expect("the file of changes");
    assert!(text == refreshed_changes("another time"), "a page changed: {COMMAND}");
}
