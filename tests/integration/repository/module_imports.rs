//! The top-level modules of each crate have an order, and each imports only those before it. So have the modules inside
//! some of them.
//!
//! The orders are those of the tables in `docs/architecture.md`. What a module imports is read from the tokens
//! of its files: `use` trees, paths in code and paths in macros. Unit tests may import what they like.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{files, root};

/// A crate, and how many top-level modules it may have.
const CRATES: [(&str, usize); 3] =
    [("visibility-core", 18), ("visibility-server", 18), ("visibility-cli", 8)];

/// Modules with a table of their own, and their crates.
const MODULES_WITH_A_TABLE: [(&str, &str); 2] =
    [("visibility-core", "scan"), ("visibility-core", "audit")];

/// The heading of the table of other modules: one row for each, with what is inside in its order.
const OTHER_MODULES: &str = "### Inside other modules";

/// The rows of the table below a heading.
fn rows<'a>(architecture: &'a str, heading: &str) -> impl Iterator<Item = &'a str> {
    let section = architecture.lines().skip_while(move |line| *line != heading).skip(1);
    section
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2)
}

/// What a row has between backticks.
fn names_in(row: &str) -> Vec<String> {
    row.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The names in the first column of the table below a heading.
fn documented_order(architecture: &str, heading: &str) -> Vec<String> {
    let first = |row: &str| names_in(row).into_iter().next();
    rows(architecture, heading).filter_map(first).collect()
}

/// Crates and modules in them, with the documented order of what is inside.
fn documented_orders(architecture: &str) -> Vec<(String, Option<String>, Vec<String>)> {
    let of_crate = |(name, _)| {
        let order = documented_order(architecture, &format!("### `{name}`"));
        (String::from(name), None, order)
    };
    let of_module = |(crate_name, module)| {
        let order = documented_order(architecture, &format!("### Inside `{module}`"));
        (String::from(crate_name), Some(String::from(module)), order)
    };
    let of_row = |row: &str| {
        let mut names = names_in(row).into_iter();
        let path = names.next().expect("a module");
        let (crate_name, module) = path.split_once("::").expect("a crate and a module");
        (format!("visibility-{crate_name}"), Some(module.to_owned()), names.collect())
    };
    let crates = CRATES.into_iter().map(of_crate);
    let modules = MODULES_WITH_A_TABLE.into_iter().map(of_module);
    crates.chain(modules).chain(rows(architecture, OTHER_MODULES).map(of_row)).collect()
}

/// What the source of one module names.
#[derive(Debug, Default, PartialEq)]
struct Names {
    /// Paths from the root of the crate.
    paths: BTreeSet<Vec<String>>,
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
                // The branches of a path were followed where it starts.
                TokenTree::Group(_) if !starts_a_path(&tokens, at) => {}
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
                    let rest = &tokens[at + 1..];
                    if let Some(base) = base
                        && is_path_separator(rest)
                    {
                        self.follow(base, &rest[2..]);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Follows a path, or each path of a `use` tree, to its end.
    fn follow(&mut self, mut path: Vec<String>, tokens: &[TokenTree]) {
        match tokens.first() {
            Some(TokenTree::Ident(ident)) => {
                match ident.to_string().as_str() {
                    "self" => {}
                    "super" => _ = path.pop(),
                    name => path.push(name.to_owned()),
                }
                let rest = &tokens[1..];
                if is_path_separator(rest) {
                    self.follow(path, &rest[2..]);
                } else {
                    self.paths.insert(path);
                }
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let tree: Vec<TokenTree> = group.stream().into_iter().collect();
                let branches = tree.split(|token| is_punctuation(token, ','));
                for branch in branches.filter(|branch| !branch.is_empty()) {
                    self.follow(path.clone(), branch);
                }
            }
            // `*`, or the type of a qualified path.
            _ => _ = self.paths.insert(path),
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

/// What each module imports of its siblings, with one file that does.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

/// The sources of a crate that are not tests: the path of each module, and what it names. Roots of crates have none.
type Sources = Vec<(Vec<String>, BTreeSet<Vec<String>>)>;

fn sources(folder: &Path) -> Sources {
    let mut sources = Sources::new();
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
        sources.push((module, names.paths));
    }
    let is_test = |module: &[String]| {
        (1..=module.len()).any(|length| test_modules.contains(&module[..length]))
    };
    sources.retain(|(module, _)| !is_test(module));
    sources
}

/// What the modules inside `parent` import of each other; without a parent, the top-level modules.
fn imports(sources: &Sources, parent: Option<&str>) -> Imports {
    let parent: Vec<String> = parent.map(str::to_owned).into_iter().collect();
    let depth = parent.len();
    let inside = |path: &Vec<String>| path.len() > depth && path.starts_with(&parent);
    let siblings: BTreeSet<&String> = sources
        .iter()
        .filter(|(module, _)| inside(module))
        .map(|(module, _)| &module[depth])
        .collect();
    // Items that the parent has of the modules inside it, by their names.
    let of_parent = sources.iter().find(|(module, _)| *module == parent);
    let reexports: BTreeMap<&String, &String> = of_parent
        .into_iter()
        .flat_map(|(_, paths)| paths)
        .filter(|path| inside(path) && path.len() == depth + 2)
        .map(|path| (&path[depth + 1], &path[depth]))
        .collect();
    let mut imports = Imports::new();
    for (module, paths) in sources.iter().filter(|(module, _)| inside(module)) {
        let own = imports.entry(module[depth].clone()).or_default();
        for name in paths.iter().filter(|path| inside(path)).map(|path| &path[depth]) {
            let name = reexports.get(name).copied().unwrap_or(name);
            // What else a parent has is declared there, for all modules inside it. A crate has nothing of that kind.
            let is_of_parent = depth > 0 && !siblings.contains(name);
            if *name != module[depth] && !is_of_parent {
                own.entry(name.clone()).or_insert_with(|| module.join("/"));
            }
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
    let sources = CRATES.map(|(name, _)| (name, sources(&root().join(name).join("src"))));
    let sources = BTreeMap::from(sources);
    for (crate_name, parent, order) in documented_orders(&architecture) {
        let imports = imports(&sources[crate_name.as_str()], parent.as_deref());
        let place = format!("{crate_name} {}", parent.unwrap_or_default());
        let upward = upward_imports(&order, &imports);
        let cycles = cycles(&imports);
        println!(
            "{place}: {} modules, {} upward imports, {} cycles",
            imports.len(),
            upward.len(),
            cycles.len()
        );
        let documented: BTreeSet<&String> = order.iter().collect();
        let existing: BTreeSet<&String> = imports.keys().collect();
        assert_eq!(documented, existing, "the modules of {place} in docs/architecture.md");
        assert_eq!(documented.len(), order.len(), "{place} has a module twice");
        assert_eq!(upward, Vec::<String>::new(), "{place}");
        assert_eq!(cycles, Vec::<String>::new(), "{place}");
    }
    for (crate_name, most) in CRATES {
        let modules = imports(&sources[crate_name], None).len();
        assert!(modules <= most, "{crate_name} has more than {most} top-level modules");
    }
}

fn paths_in(source: &str, module: &str) -> BTreeSet<Vec<String>> {
    let module: Vec<String> = module.split("::").map(str::to_owned).collect();
    Names::from_source(source, &module).paths
}

#[test]
fn imports_are_found_wherever_they_are_written() {
    for (source, expected) in [
        ("use crate::a::b;", vec!["a::b"]),
        ("use crate::{a, b::{c, self, d::X}, e as f};", vec!["a", "b", "b::c", "b::d::X", "e"]),
        ("use super::super::a::X;", vec!["a::X"]),
        ("use super::{super::a, b};", vec!["a", "own::b"]),
        ("use super::*;", vec!["own"]),
        ("fn f() -> crate::a::X { g(crate::b::y()) }", vec!["a::X", "b::y"]),
        ("macro_rules! m { () => { $crate::a::x!() } }", vec!["a::x"]),
        ("fn f() { println!(\"{}\", crate::a::X); }", vec!["a::X"]),
        ("mod inner { use super::super::super::a; use super::b; }", vec!["a", "own::child::b"]),
        ("use other::crate_name; // crate::a\n/// [`crate::b`]\nfn f() { \"crate::c\"; }", vec![]),
        ("#[cfg(test)]\nmod tests { use crate::a; }\nuse crate::b;", vec!["b"]),
        ("#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests;\nuse crate::b;", vec!["b"]),
        ("pub(crate) fn f(&self) { self.x(); Self::y(); }", vec![]),
    ] {
        let paths: Vec<String> =
            paths_in(source, "own::child").iter().map(|path| path.join("::")).collect();
        assert_eq!(paths, expected, "{source}");
    }
    let names = Names::from_source("#[cfg(test)]\npub(crate) mod fixture;", &["own".to_owned()]);
    assert_eq!(names.test_modules, BTreeSet::from(["fixture".to_owned()]));
}

#[test]
fn modules_inside_a_module_import_each_other_by_any_path() {
    let sources: Sources = [
        ("room", "mod low; mod high; pub use self::high::High; pub struct Own;"),
        ("room::low", "use super::Own; use crate::elsewhere::X;"),
        ("room::low::deep", "use crate::room::High;"),
        ("room::high", "use super::low::Low; use crate::room::high::part;"),
        ("elsewhere", "use crate::room::low;"),
    ]
    .map(|(module, source)| {
        (module.split("::").map(str::to_owned).collect(), paths_in(source, module))
    })
    .into();
    let import = |name: &str, file: &str| BTreeMap::from([(name.to_owned(), file.to_owned())]);
    let expected = Imports::from([
        ("low".to_owned(), import("high", "room/low/deep")),
        ("high".to_owned(), import("low", "room/high")),
    ]);
    assert_eq!(imports(&sources, Some("room")), expected);
    let top_level = Imports::from([
        ("room".to_owned(), import("elsewhere", "room/low")),
        ("elsewhere".to_owned(), import("room", "elsewhere")),
    ]);
    assert_eq!(imports(&sources, None), top_level);
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
