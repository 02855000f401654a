//! The top-level modules of each crate have an order, and each imports only those before it.
//!
//! The order is that of the tables in `docs/architecture.md`. What a module imports is read from the tokens
//! of its files: `use` trees, paths in code and paths in macros. Unit tests may import what they like.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{files, root};

/// A crate, and how many top-level modules it may have.
const CRATES: [(&str, usize); 3] =
    [("visibility-core", 16), ("visibility-server", 18), ("visibility-cli", 8)];

/// The names in the first column of the table below the heading of a crate.
fn documented_order(architecture: &str, crate_name: &str) -> Vec<String> {
    let heading = format!("### `{crate_name}`");
    let section = architecture.lines().skip_while(|line| *line != heading).skip(1);
    let rows = section
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2);
    rows.filter_map(|row| row.split('`').nth(1).map(str::to_owned)).collect()
}

/// What the source of one module names.
#[derive(Debug, Default, PartialEq)]
struct Names {
    /// Paths from the root of the crate, of which only the first part matters here.
    top_level: BTreeSet<String>,
    /// Modules in files of their own that are built for tests alone.
    test_modules: BTreeSet<String>,
}

impl Names {
    /// Reads a source. `module` is the path of its module.
    fn from_source(source: &str, module: &[String]) -> Self {
        let tokens: TokenStream = source.parse().expect("a source that compiles");
        let mut names = Self::default();
        names.read(tokens, &mut module.to_vec());
        names
    }

    fn read(&mut self, tokens: TokenStream, module: &mut Vec<String>) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if let Some(item) = end_of_test_item(&tokens, at) {
                if let Some(name) = module_in_a_file(&tokens[at..item]) {
                    self.test_modules.insert(name);
                }
                at = item;
                continue;
            }
            match token {
                TokenTree::Group(group) => {
                    let inline = name_of_inline_module(&tokens, at);
                    let is_inline = inline.is_some();
                    module.extend(inline);
                    self.read(group.stream(), module);
                    if is_inline {
                        module.pop();
                    }
                }
                TokenTree::Ident(ident) if starts_a_path(&tokens, at) => {
                    let base = match ident.to_string().as_str() {
                        "crate" => Some(Vec::new()),
                        "self" => Some(module.clone()),
                        "super" => Some(module[..module.len().saturating_sub(1)].to_vec()),
                        _ => None,
                    };
                    if let Some(base) = base {
                        self.follow(base, &tokens[at + 1..]);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Follows what comes after `crate`, `self` or `super`, until the top-level module is known.
    fn follow(&mut self, mut base: Vec<String>, rest: &[TokenTree]) {
        let Some(after) = rest.get(2..).filter(|_| is_path_separator(rest)) else { return };
        match after.first() {
            Some(TokenTree::Ident(ident)) if *ident == "super" => {
                base.pop();
                self.follow(base, &after[1..]);
            }
            Some(TokenTree::Ident(ident)) => {
                let first = base.into_iter().next().unwrap_or_else(|| ident.to_string());
                self.top_level.insert(first);
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let tree: Vec<TokenTree> = group.stream().into_iter().collect();
                for branch in tree.split(|token| is_punctuation(token, ',')) {
                    match branch.first() {
                        Some(TokenTree::Ident(ident)) if *ident == "super" => {
                            let parent = base[..base.len().saturating_sub(1)].to_vec();
                            self.follow(parent, &branch[1..]);
                        }
                        Some(TokenTree::Ident(ident)) if *ident != "self" => {
                            let first = base.first().cloned();
                            self.top_level.insert(first.unwrap_or_else(|| ident.to_string()));
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

fn is_punctuation(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

fn is_path_separator(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [first, second, ..] if is_punctuation(first, ':') && is_punctuation(second, ':'))
}

/// Whether the token at this place is the first part of a path and not a later one.
fn starts_a_path(tokens: &[TokenTree], at: usize) -> bool {
    at < 2 || !is_path_separator(&tokens[at - 2..])
}

fn is_ident(token: Option<&TokenTree>, name: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if *ident == name)
}

/// The name of the module whose body is the group at this place, if it is one.
fn name_of_inline_module(tokens: &[TokenTree], at: usize) -> Option<String> {
    let keyword = at.checked_sub(2)?;
    match &tokens[at - 1] {
        TokenTree::Ident(name) if is_ident(tokens.get(keyword), "mod") => Some(name.to_string()),
        _ => None,
    }
}

/// The name in `mod name;`.
fn module_in_a_file(item: &[TokenTree]) -> Option<String> {
    let keyword = item.iter().position(|token| is_ident(Some(token), "mod"))?;
    let ends = item.get(keyword + 2).is_some_and(|token| is_punctuation(token, ';'));
    item.get(keyword + 1).filter(|_| ends).map(ToString::to_string)
}

/// Where the item behind `#[cfg(test)]` ends, if that attribute is at this place.
pub(super) fn end_of_test_item(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let is_attribute = is_punctuation(tokens.get(at)?, '#')
        && matches!(tokens.get(at + 1), Some(TokenTree::Group(group))
            if group.stream().to_string().replace(' ', "") == "cfg(test)");
    let ends_item = |token: &TokenTree| {
        is_punctuation(token, ';')
            || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
    };
    let rest = tokens.get(at + 2..).filter(|_| is_attribute)?;
    Some(rest.iter().position(ends_item).map_or(tokens.len(), |end| at + 2 + end + 1))
}

/// What each top-level module of a crate imports, with one file that does.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

fn imports(folder: &Path) -> Imports {
    let mut sources = Vec::new();
    let mut test_modules = BTreeSet::new();
    for path in files(folder, "rs") {
        let relative = path.strip_prefix(folder).expect("below it").with_extension("");
        let module: Vec<String> =
            relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if ["lib", "main"].contains(&module[0].as_str()) {
            continue;
        }
        let names = Names::from_source(&fs::read_to_string(&path).expect("a source"), &module);
        test_modules.extend(names.test_modules.iter().map(|name| {
            let mut test_module = module.clone();
            test_module.push(name.clone());
            test_module
        }));
        sources.push((module, names.top_level));
    }
    let is_test = |module: &[String]| {
        (1..=module.len()).any(|length| test_modules.contains(&module[..length]))
    };
    let mut imports = Imports::new();
    for (module, names) in sources.into_iter().filter(|(module, _)| !is_test(module)) {
        let own = imports.entry(module[0].clone()).or_default();
        for name in names.into_iter().filter(|name| *name != module[0]) {
            own.entry(name).or_insert_with(|| module.join("/"));
        }
    }
    imports
}

/// The imports of a module that is not before it in the order, as `file imports module`.
fn upward_imports(order: &[String], imports: &Imports) -> Vec<String> {
    let place = |module: &str| order.iter().position(|known| known == module);
    let mut upward = Vec::new();
    for (module, imported) in imports {
        for (name, file) in imported {
            // A name that is not a module is an item of `lib.rs`, which is above all of them.
            if place(name) >= place(module) || place(name).is_none() {
                upward.push(format!("{file} imports {name}"));
            }
        }
    }
    upward
}

/// Pairs of modules that lead to each other by any number of imports.
fn cycles(imports: &Imports) -> Vec<String> {
    let reachable = |start: &str| {
        let mut seen = BTreeSet::new();
        let mut next = vec![start.to_owned()];
        while let Some(module) = next.pop() {
            for name in imports.get(&module).into_iter().flat_map(BTreeMap::keys) {
                if seen.insert(name.clone()) {
                    next.push(name.clone());
                }
            }
        }
        seen
    };
    imports.keys().filter(|module| reachable(module).contains(*module)).cloned().collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts are of interest when the test passes, too")]
fn a_module_imports_only_those_before_it() {
    let architecture = fs::read_to_string(root().join("docs/architecture.md")).expect("the page");
    for (crate_name, most) in CRATES {
        let order = documented_order(&architecture, crate_name);
        let imports = imports(&root().join(crate_name).join("src"));
        let upward = upward_imports(&order, &imports);
        let cycles = cycles(&imports);
        println!(
            "{crate_name}: {} modules, {} upward imports, {} cycles",
            imports.len(),
            upward.len(),
            cycles.len()
        );
        let documented: BTreeSet<&String> = order.iter().collect();
        let existing: BTreeSet<&String> = imports.keys().collect();
        assert_eq!(documented, existing, "the table of {crate_name} in docs/architecture.md");
        assert_eq!(documented.len(), order.len(), "{crate_name} has a module twice");
        assert!(order.len() <= most, "{crate_name} has more than {most} top-level modules");
        assert_eq!(upward, Vec::<String>::new(), "{crate_name}");
        assert_eq!(cycles, Vec::<String>::new(), "{crate_name}");
    }
}

fn top_level_of(source: &str, module: &[&str]) -> Vec<String> {
    let module: Vec<String> = module.iter().map(|&part| part.to_owned()).collect();
    Names::from_source(source, &module).top_level.into_iter().collect()
}

#[test]
fn imports_are_found_wherever_they_are_written() {
    for (source, expected) in [
        ("use crate::a::b;", vec!["a"]),
        ("use crate::{a, b::{c, d}, e as f};", vec!["a", "b", "e"]),
        ("use super::super::a::X;", vec!["a"]),
        ("use super::{super::a, b};", vec!["a", "own"]),
        ("fn f() -> crate::a::X { g(crate::b::y()) }", vec!["a", "b"]),
        ("macro_rules! m { () => { $crate::a::x!() } }", vec!["a"]),
        ("fn f() { println!(\"{}\", crate::a::X); }", vec!["a"]),
        ("mod inner { use super::super::super::a; use super::b; }", vec!["a", "own"]),
        ("use other::crate_name; // crate::a\n/// [`crate::b`]\nfn f() { \"crate::c\"; }", vec![]),
        ("#[cfg(test)]\nmod tests { use crate::a; }\nuse crate::b;", vec!["b"]),
        ("#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests;\nuse crate::b;", vec!["b"]),
        ("pub(crate) fn f(&self) { self.x(); Self::y(); }", vec![]),
    ] {
        assert_eq!(top_level_of(source, &["own", "child"]), expected, "{source}");
    }
    let names = Names::from_source("#[cfg(test)]\npub(crate) mod fixture;", &["own".to_owned()]);
    assert_eq!(names.test_modules, BTreeSet::from(["fixture".to_owned()]));
}

#[test]
fn an_upward_import_and_a_cycle_are_reported() {
    let import = |name: &str, file: &str| BTreeMap::from([(name.to_owned(), file.to_owned())]);
    let order = ["low", "high"].map(str::to_owned);
    let mut imports = Imports::from([("high".to_owned(), import("low", "high/x"))]);
    assert_eq!(upward_imports(&order, &imports), Vec::<String>::new());
    assert_eq!(cycles(&imports), Vec::<String>::new());
    imports.insert("low".to_owned(), import("high", "low/y"));
    assert_eq!(upward_imports(&order, &imports), ["low/y imports high"]);
    assert_eq!(cycles(&imports), ["high", "low"]);
    imports.insert("low".to_owned(), import("run", "low/y"));
    assert_eq!(upward_imports(&order, &imports), ["low/y imports run"]);
}
