//! Words and type names that make this project hard to read do not come back.
//!
//! `vocabulary.txt` beside this file lists them, and where they may occur. Words count in code, comments and
//! texts, also as parts of names: `told` is found in `is_told_by_name` and in `ToldOnce`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

use super::module_imports::end_of_test_item;
use super::{files, root};

/// Exceptions that code may have.
const MAX_EXCEPTIONS: usize = 20;
/// The crates in which no public type name may occur twice.
const CRATES: [&str; 3] = ["visibility-core", "visibility-server", "visibility-cli"];
/// Extensions of the files that are read.
const EXTENSIONS: [&str; 14] = [
    "rs", "md", "json", "html", "toml", "sql", "css", "js", "ts", "py", "sh", "yaml", "yml", "txt",
];
/// Scripts and settings without an extension.
const PLAIN_FILES: [&str; 11] = [
    ".ci/run",
    "deploy/Caddyfile",
    "deploy/Dockerfile",
    "deploy/s3-server",
    "tests/area",
    "tests/fuzz/run",
    "tests/outside/serve",
    "tests/outside/visitor-limit",
    "tests/postgres",
    "tests/run",
    "tests/s3",
];

/// A place where a listed word may occur: all of a file or folder, or the lines of a file with a text.
#[derive(Debug, PartialEq)]
struct Permission {
    path: String,
    fragment: Option<String>,
}

impl Permission {
    fn covers(&self, path: &str, line: &str) -> bool {
        let has_path = path.strip_prefix(&self.path).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with('/') || self.path.ends_with('/')
        });
        has_path && self.fragment.as_ref().is_none_or(|fragment| line.contains(fragment))
    }
}

/// The content of `vocabulary.txt`.
#[derive(Debug, Default)]
struct Vocabulary {
    /// Words, and phrases of several words, in lower case.
    phrases: Vec<Vec<String>>,
    type_names: BTreeSet<String>,
    /// Crate and name of public types that may occur more than once.
    repeated_types: BTreeSet<(String, String)>,
    exceptions: Vec<Permission>,
    samples: Vec<Permission>,
}

impl Vocabulary {
    fn parse(text: &str) -> Self {
        let mut vocabulary = Self::default();
        let mut section = "";
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = name;
                continue;
            }
            let columns: Vec<&str> = line.split(" | ").map(str::trim).collect();
            let permission = Permission {
                path: columns[0].to_owned(),
                fragment: columns.get(1).map(|&fragment| fragment.to_owned()),
            };
            match section {
                "words" => vocabulary.phrases.push(words(line)),
                "type names" => {
                    vocabulary.type_names.extend(line.split_whitespace().map(str::to_owned));
                }
                "repeated types" => {
                    assert!(columns.len() == 3, "crate, name and reason: {line}");
                    vocabulary
                        .repeated_types
                        .insert((columns[0].to_owned(), columns[1].to_owned()));
                }
                "exceptions" => {
                    assert!(columns.len() == 3, "file, text and reason: {line}");
                    vocabulary.exceptions.push(permission);
                }
                "samples" => vocabulary.samples.push(permission),
                other => assert_eq!(other, "", "an unknown section"),
            }
        }
        vocabulary
    }

    fn permissions(&self) -> impl Iterator<Item = &Permission> {
        self.exceptions.iter().chain(&self.samples)
    }

    /// The lines of a source with a listed phrase, as number and phrase.
    fn phrases_in(&self, source: &str) -> Vec<(usize, String)> {
        // The name of a function of the standard library.
        let source = source.replace(".octets()", "");
        let numbered: Vec<(usize, String)> = source
            .lines()
            .enumerate()
            .flat_map(|(index, line)| words(line).into_iter().map(move |word| (index + 1, word)))
            .collect();
        let mut found = Vec::new();
        for (at, (number, _)) in numbered.iter().enumerate() {
            let occurs = |phrase: &&Vec<String>| {
                let here = numbered.get(at..at + phrase.len());
                here.is_some_and(|here| here.iter().map(|(_, word)| word).eq(phrase.iter()))
            };
            found.extend(self.phrases.iter().find(occurs).map(|words| (*number, words.join(" "))));
        }
        found
    }
}

/// The words of a line in lower case; names are split at underscores and where a capital letter begins a word.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower_case = false;
    for character in line.chars() {
        let starts_word =
            !character.is_alphabetic() || character.is_uppercase() && after_lower_case;
        if starts_word && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if character.is_alphabetic() {
            let last = words.len() - 1;
            words[last].extend(character.to_lowercase());
        }
        after_lower_case = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The names in a source, as number of line and name. Comments have none.
fn identifiers(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                found.push((ident.span().start().line, ident.to_string()));
            }
            TokenTree::Group(group) => identifiers(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The names of types that a source defines for other modules; unit tests are left out.
fn public_types(tokens: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if let Some(end) = end_of_test_item(&tokens, at) {
            at = end;
            continue;
        }
        if let TokenTree::Group(group) = token {
            public_types(group.stream(), found);
        }
        at += 1;
        if !matches!(token, TokenTree::Ident(ident) if *ident == "pub") {
            continue;
        }
        let scope = usize::from(matches!(tokens.get(at), Some(TokenTree::Group(_))));
        if let (Some(TokenTree::Ident(kind)), Some(TokenTree::Ident(name))) =
            (tokens.get(at + scope), tokens.get(at + scope + 1))
            && ["struct", "enum", "trait", "type", "union"].contains(&kind.to_string().as_str())
        {
            found.push(name.to_string());
        }
    }
}

fn parsed(source: &str) -> TokenStream {
    source.parse().expect("a source that compiles")
}

/// Path below the root and text of each file that is read.
fn sources() -> Vec<(String, String)> {
    let own = ["tests/integration/repository/vocabulary.txt", "Cargo.lock"];
    let steps = fs::read_dir(root().join("tests/steps")).expect("the steps");
    let steps = steps.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
    let plain = PLAIN_FILES.iter().map(|path| root().join(path)).chain(steps);
    let with_extension = EXTENSIONS.iter().flat_map(|extension| files(root(), extension));
    let mut sources = Vec::new();
    for path in with_extension.chain(plain) {
        let relative = path.strip_prefix(root()).expect("below it").to_string_lossy().into_owned();
        if own.contains(&relative.as_str()) {
            continue;
        }
        // Bytes that are not UTF-8 are samples of such bytes.
        let source = String::from_utf8_lossy(&fs::read(&path).expect("a file")).into_owned();
        sources.push((relative, source));
    }
    sources
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts are of interest when the test passes, too")]
fn code_has_no_word_and_no_type_name_of_the_list() {
    let list = root().join("tests/integration/repository/vocabulary.txt");
    let vocabulary = Vocabulary::parse(&fs::read_to_string(list).expect("the list"));
    assert!(vocabulary.exceptions.len() <= MAX_EXCEPTIONS, "too many exceptions");
    let mut used = vec![false; vocabulary.permissions().count()];
    let mut refused = Vec::new();
    for (path, source) in sources() {
        let mut found = vocabulary.phrases_in(&source);
        if Path::new(&path).extension().is_some_and(|extension| extension == "rs") {
            let mut names = Vec::new();
            identifiers(parsed(&source), &mut names);
            found
                .extend(names.into_iter().filter(|(_, name)| vocabulary.type_names.contains(name)));
        }
        let lines: Vec<&str> = source.lines().collect();
        for (number, word) in found {
            let line = lines[number - 1];
            let mut is_permitted = false;
            for (permission, used) in vocabulary.permissions().zip(&mut used) {
                if permission.covers(&path, line) {
                    is_permitted = true;
                    *used = true;
                }
            }
            if !is_permitted {
                refused.push(format!("{path}:{number}: `{word}` in: {}", line.trim()));
            }
        }
    }
    let unused: Vec<&Permission> = vocabulary
        .permissions()
        .zip(&used)
        .filter_map(|(permission, used)| (!used).then_some(permission))
        .collect();
    let exceptions = vocabulary.exceptions.len();
    println!("{} lines outside of {exceptions} exceptions", refused.len());
    assert!(
        refused.is_empty(),
        "words to replace, see docs/glossary.md for those to use:\n{}",
        refused.join("\n")
    );
    assert!(unused.is_empty(), "entries of vocabulary.txt without an occurrence: {unused:#?}");
}

#[test]
fn no_public_type_name_occurs_twice_in_a_crate() {
    let list = root().join("tests/integration/repository/vocabulary.txt");
    let vocabulary = Vocabulary::parse(&fs::read_to_string(list).expect("the list"));
    let mut repeated = BTreeSet::new();
    let mut refused = Vec::new();
    for crate_name in CRATES {
        let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let folder = root().join(crate_name).join("src");
        for path in files(&folder, "rs") {
            if path.iter().any(|part| part == "tests" || part == "tests.rs") {
                continue;
            }
            let mut found = Vec::new();
            public_types(parsed(&fs::read_to_string(&path).expect("a source")), &mut found);
            for name in found {
                places.entry(name).or_default().push(path.display().to_string());
            }
        }
        assert!(places.len() > 20, "{crate_name} has only {} public types", places.len());
        for (name, places) in places.into_iter().filter(|(_, places)| places.len() > 1) {
            let entry = (crate_name.to_owned(), name);
            if !vocabulary.repeated_types.contains(&entry) {
                refused.push(format!("{entry:?}: {}", places.join(", ")));
            }
            repeated.insert(entry);
        }
    }
    assert!(refused.is_empty(), "types that are defined more than once:\n{}", refused.join("\n"));
    assert_eq!(
        repeated, vocabulary.repeated_types,
        "types in vocabulary.txt that are defined once"
    );
}

#[test]
fn words_and_names_are_found() {
    const LIST: &str = "[words]\ntold\nthose who\n[type names]\nKept Flaw\n[exceptions]\na.rs | \"told\" | a word of a test\n\
                [samples]\ndocs";
    let vocabulary = Vocabulary::parse(LIST);
    for (source, expected) in [
        ("fn is_told_by_name() {}", vec![1]),
        ("struct ToldOnce;\nconst MAX_TOLD: u8 = 1;", vec![1, 2]),
        ("// For those\n// who ask.", vec![1]),
        ("// Untold; those are who they are.", vec![]),
        ("let told = address.octets();", vec![1]),
    ] {
        let lines: Vec<usize> =
            vocabulary.phrases_in(source).into_iter().map(|(number, _)| number).collect();
        assert_eq!(lines, expected, "{source}");
    }
    let exception = &vocabulary.exceptions[0];
    assert!(exception.covers("a.rs", "let x = \"told\";"));
    assert!(!exception.covers("a.rs", "let told = 1;") && !exception.covers("b.rs", "\"told\""));
    let folder = &vocabulary.samples[0];
    assert!(folder.covers("docs/api.md", "told") && !folder.covers("docs2/api.md", "told"));

    let mut names = Vec::new();
    identifiers(parsed("/// Kept above.\nstruct A;\nfn f() -> Flaw { g(Kept) }"), &mut names);
    let listed = names.iter().filter(|(_, name)| vocabulary.type_names.contains(name));
    assert_eq!(listed.map(|(line, _)| *line).collect::<Vec<_>>(), [3, 3]);

    let mut types = Vec::new();
    let source = "pub struct A; mod m { pub(crate) enum A {} } struct B; #[cfg(test)] mod t { pub struct C; }";
    public_types(parsed(source), &mut types);
    assert_eq!(types, ["A", "A"]);
}
