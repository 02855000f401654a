//! Reports and pages are templates: no code puts elements together from strings, where one value could be forgotten.

use std::fs;

use proc_macro2::{TokenStream, TokenTree};

use super::module_imports::end_of_test_item;
use super::{files, root};

/// What is made of elements.
const FOLDERS: [&str; 5] = [
    "visibility-core/src/report/html",
    "visibility-core/src/report/audit/html",
    "visibility-core/src/report/parts",
    "visibility-core/src/report/chart",
    "visibility-server/src/site",
];

/// Files of these modules that lie beside their folders.
const FILES: [&str; 4] = [
    "visibility-core/src/report/html.rs",
    "visibility-core/src/report/audit/html.rs",
    "visibility-core/src/report/badge.rs",
    "visibility-server/src/site.rs",
];

/// What puts text together.
const BUILDERS: [&str; 5] = ["format", "write", "writeln", "push_str", "concat"];

/// Whether a literal has the beginning or the end of an element.
fn has_element(literal: &str) -> bool {
    let after = literal.split('<').skip(1).filter_map(|rest| rest.chars().next());
    after.into_iter().any(|ch| ch.is_ascii_alphabetic() || ch == '/')
}

/// The literals with elements among the arguments of what puts text together.
fn found_in(tokens: TokenStream, is_argument: bool, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    // Whether the last name is one of a builder, with nothing but `!` behind it.
    let mut follows_builder = false;
    while at < tokens.len() {
        if let Some(end) = end_of_test_item(&tokens, at) {
            at = end;
            continue;
        }
        match &tokens[at] {
            TokenTree::Ident(name) => {
                follows_builder = BUILDERS.contains(&name.to_string().as_str());
            }
            TokenTree::Punct(mark) if mark.as_char() == '!' => {}
            TokenTree::Punct(_) => follows_builder = false,
            TokenTree::Group(group) => {
                found_in(group.stream(), is_argument || follows_builder, found);
                follows_builder = false;
            }
            TokenTree::Literal(literal) => {
                let literal = literal.to_string();
                if is_argument && has_element(&literal) {
                    found.push(literal);
                }
            }
        }
        at += 1;
    }
}

fn found_in_text(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    found_in(source.parse().expect("tokens"), false, &mut found);
    found
}

#[test]
fn no_element_is_put_together_from_strings() {
    let below = FOLDERS.iter().flat_map(|folder| files(&root().join(folder), "rs"));
    let all: Vec<_> = below.chain(FILES.iter().map(|file| root().join(file))).collect();
    assert!(all.len() > 30, "{}", all.len());
    let mut faults = Vec::new();
    for path in all {
        let source = fs::read_to_string(&path).expect("a source");
        for literal in found_in_text(&source) {
            faults.push(format!("{}: {literal}", path.display()));
        }
    }
    assert!(faults.is_empty(), "write these as templates of `html!`:\n{}", faults.join("\n"));
}

#[test]
fn elements_in_strings_are_seen() {
    for bad in [
        "fn f() { format!(\"<b>{x}</b>\") }",
        "fn f() { text.push_str(\"</p>\") }",
        "fn f() { write!(text, r#\"<a class=\"\"#, name) }",
        "fn f() { text.push_str(&format!(\"{x}<br>\")) }",
    ] {
        assert_eq!(found_in_text(bad).len(), 1, "{bad}");
    }
    for good in [
        "fn f() { format!(\"{x} < {y} <= 3\") }",
        "fn f() { html! { b { (x) } } }",
        "fn f() { let event = \"<div>\"; }",
        "#[cfg(test)] mod tests { fn f() { format!(\"<b>\") } }",
    ] {
        assert!(found_in_text(good).is_empty(), "{good}");
    }
}
