//! The rubric, its files, its texts and its page agree.

use std::collections::BTreeSet;
use std::{fmt, fs};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use visibility_core::rubric::finding::Verdict;
use visibility_core::scan::check::Category;
use visibility_core::scan::checks::CHECKS;
use visibility_core::text::locale::{Catalog, Lang};

use super::root;

#[test]
fn there_are_21_checks_worth_100_points() {
    assert_eq!(CHECKS.len(), 21);
    let ids: BTreeSet<&str> = CHECKS.iter().map(|check| check.id).collect();
    assert_eq!(ids.len(), 21);
    let of = |category| {
        let checks = CHECKS.iter().filter(|check| check.category == category);
        checks.map(|check| u32::from(check.weight)).sum()
    };
    let weights: Vec<u32> = Category::ALL.into_iter().map(of).collect();
    assert_eq!(weights, [16, 20, 29, 13, 22]);
}

#[test]
fn each_check_is_in_the_file_with_its_name() {
    let folder = root().join("visibility-core/src/scan/checks");
    let files =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let stems: BTreeSet<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap_or_default().to_string_lossy().replace('_', "-"))
        .collect();
    let ids: BTreeSet<String> = CHECKS.iter().map(|check| check.id.to_owned()).collect();
    assert_eq!(stems, ids);
}

#[test]
fn both_languages_have_the_registered_checks_and_outcomes_and_no_others() {
    for catalog in Lang::ALL.map(Catalog::for_lang) {
        let ids: BTreeSet<&str> = CHECKS.iter().map(|check| check.id).collect();
        assert_eq!(BTreeSet::from_iter(catalog.keys(&["checks"])), ids);
        for check in CHECKS {
            for key in ["title", "why", "logic"] {
                let text = catalog.find(&["checks", check.id, key]).unwrap_or_default();
                assert!(!text.is_empty(), "{} {key}", check.id);
            }
            let declared: BTreeSet<&str> = check.outcomes.iter().map(|one| one.id).collect();
            let written = catalog.keys(&["checks", check.id, "outcomes"]);
            assert_eq!(BTreeSet::from_iter(written), declared, "{}", check.id);
            for outcome in check.outcomes {
                let path = ["checks", check.id, "outcomes", outcome.id];
                let mendable = matches!(outcome.verdict, Verdict::Warn | Verdict::Fail);
                let keys = catalog.keys(&path);
                assert!(keys.contains(&"text"), "{path:?} has no text");
                assert!(!mendable || keys.contains(&"fix"), "{path:?} has no fix");
            }
        }
    }
}

/// Terms that stay as they are in Turkish.
pub(crate) const GLOSSARY: [&str; 15] = [
    "robots.txt",
    "sitemap",
    "llms.txt",
    "JSON-LD",
    "Markdown",
    "OpenAPI",
    "MCP",
    "OAuth",
    "HTTPS",
    "User-agent",
    "Content-Signal",
    "noindex",
    "WebMCP",
    "Vary",
    "RFC 9309",
];

#[test]
fn terms_of_the_glossary_stand_unchanged_in_turkish() {
    let (english, turkish) = (Catalog::for_lang(Lang::En), Catalog::for_lang(Lang::Tr));
    let mut lost = Vec::new();
    for check in CHECKS {
        for outcome in check.outcomes {
            for kind in ["text", "fix"] {
                let path = ["checks", check.id, "outcomes", outcome.id, kind];
                let original = english.find(&path).unwrap_or_default();
                let translated = turkish.find(&path).unwrap_or_default().to_lowercase();
                let terms = GLOSSARY.iter().filter(|term| original.contains(**term));
                lost.extend(
                    terms
                        .filter(|term| !translated.contains(&term.to_lowercase()))
                        .map(|term| format!("{}/{} {kind}: {term}", check.id, outcome.id)),
                );
            }
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
}

/// Parts of the catalog that the service tells beside the checks.
const SPOKEN: [&str; 3] = ["errors", "operations", "site"];

/// Terms that those parts leave as they are, too.
const SPOKEN_GLOSSARY: [&str; 4] = ["agent", "tenant", "token", "endpoint"];

/// Translations of those terms, and second words for what has one.
const FORBIDDEN: [&str; 13] = [
    "aracılar",
    "kiracı",
    "jeton",
    "uç nokta",
    "domain'",
    "crawler'",
    "sözcü",
    "oktet",
    "günlük kayd",
    "günlüğün",
    "servis",
    "paket",
    "site haritası",
];

#[test]
fn the_service_keeps_to_the_glossary_in_turkish() {
    let english = Catalog::for_lang(Lang::En);
    let mut sentences = Vec::new();
    for part in SPOKEN {
        walk(english, &mut vec![part], &mut sentences);
    }
    assert!(sentences.len() > 100, "{}", sentences.len());
    let terms: Vec<&str> = GLOSSARY.into_iter().chain(SPOKEN_GLOSSARY).collect();
    let lost = lost_terms(&sentences, &terms);
    assert!(lost.is_empty(), "{lost:#?}");
}

/// The terms that a sentence has in English and not in Turkish.
pub(crate) fn lost_terms(sentences: &[Vec<String>], terms: &[&str]) -> Vec<String> {
    let (english, turkish) = (Catalog::for_lang(Lang::En), Catalog::for_lang(Lang::Tr));
    let mut lost = Vec::new();
    for path in sentences {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let original = english.find(&path).unwrap_or_default();
        let translated = turkish.find(&path).unwrap_or_default().to_lowercase();
        lost.extend(
            terms
                .iter()
                .filter(|term| original.contains(**term))
                .filter(|term| !translated.contains(&term.to_lowercase()))
                .map(|term| format!("{}: {term}", path.join("."))),
        );
    }
    lost
}

/// The paths of all sentences below a path.
pub(crate) fn walk<'a>(
    catalog: &'a Catalog,
    path: &mut Vec<&'a str>,
    found: &mut Vec<Vec<String>>,
) {
    if catalog.find(path).is_some() {
        found.push(path.iter().map(|&key| key.to_owned()).collect());
    }
    for key in catalog.keys(path) {
        path.push(key);
        walk(catalog, path, found);
        path.pop();
    }
}

#[test]
fn each_thing_has_one_word_in_turkish() {
    let folder = root().join("visibility-server/src/site/pages/tr");
    let mut files = super::files(&folder, "md");
    assert!(files.len() >= 2, "{files:?}");
    files.push(root().join("visibility-core/locales/tr.json"));
    for part in ["audit", "mcp", "accounts"] {
        files.push(root().join("visibility-core/locales").join(part).join("tr.json"));
    }
    for file in files {
        let text = fs::read_to_string(&file).expect("a text").to_lowercase();
        for word in FORBIDDEN {
            let line = text.lines().find(|line| line.contains(word));
            assert_eq!(line, None, "{word} in {}", file.display());
        }
    }
}

#[test]
fn no_key_of_the_texts_is_there_twice() {
    for lang in Lang::ALL {
        let mut sections = BTreeSet::new();
        for folder in ["", "audit", "mcp", "accounts"] {
            let folder = root().join("visibility-core/locales").join(folder);
            let file = folder.join(format!("{lang}.json"));
            let text = fs::read_to_string(&file).expect("a text");
            let twice = Keys::twice(&text);
            assert!(twice.is_empty(), "{}: {twice:?}", file.display());
            let parsed: Map<String, Value> = serde_json::from_str(&text).expect("JSON");
            for (section, _) in parsed {
                assert!(sections.insert(section.clone()), "{lang}: {section} in two files");
            }
        }
    }
    let twice = Keys::twice(r#"{"a":{"b":"","b":""},"c":"","a":""}"#);
    assert_eq!(twice, ["b", "a"]);
}

/// Keys that one object of a JSON text has twice; parsers keep the last one and say nothing.
struct Keys(Vec<String>);

impl Keys {
    fn twice(text: &str) -> Vec<String> {
        serde_json::from_str::<Self>(text).expect("JSON of objects and strings").0
    }
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a string")
    }

    fn visit_str<E>(self, _: &str) -> Result<Keys, E> {
        Ok(Keys(Vec::new()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        let (mut seen, mut twice) = (BTreeSet::new(), Vec::new());
        while let Some((key, Keys(below))) = map.next_entry::<String, Keys>()? {
            twice.extend(below);
            if !seen.insert(key.clone()) {
                twice.push(key);
            }
        }
        Ok(Keys(twice))
    }
}
