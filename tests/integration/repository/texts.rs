//! The conventions of `docs/glossary.md` for the sentences in `locales/`.

use serde_json::Value;
use visibility_core::text::locale::Lang;

use super::root;

/// The last key of a sentence decides what it is; of sections without such keys, the section does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    /// Full sentences with a full stop, or a value after a colon.
    Sentence,
    /// A name: no full stop.
    Title,
    /// Part of a line: lower case, no full stop.
    Note,
}

fn kind(path: &[String]) -> Option<Kind> {
    let section = path.first().map(String::as_str)?;
    let key = path.last().map(String::as_str)?;
    match (section, key) {
        (
            "checks" | "signals" | "errors" | "domain_errors",
            "text" | "fix" | "hint" | "why" | "logic",
        )
        | ("statuses", "text")
        | ("operations", "service") => Some(Kind::Sentence),
        ("checks" | "signals", "title") => Some(Kind::Title),
        (section, _) if SENTENCES.contains(&section) => Some(Kind::Sentence),
        (section, _) if TITLES.contains(&section) => Some(Kind::Title),
        ("notes", _) => Some(Kind::Note),
        _ => None,
    }
}

/// Sections with sentences only.
const SENTENCES: [&str; 12] = [
    "caps",
    "gates",
    "next_tier",
    "tier_meanings",
    "fix_notes",
    "observations",
    "agents",
    "access_notes",
    "profile_reasons",
    "audit_status_reasons",
    "information",
    "applies",
];

/// Sections with titles only.
const TITLES: [&str; 7] =
    ["tiers", "verdicts", "bands", "pillars", "categories", "profiles", "operations"];

/// What is wrong with a sentence of a kind, if anything is.
fn fault(kind: Kind, text: &str) -> Option<&'static str> {
    let ends_well = text.ends_with(['.', '?', '!', ':', '}', '`']);
    let first = text.chars().next()?;
    match kind {
        Kind::Sentence if !ends_well => Some("no full stop"),
        Kind::Sentence if first.is_lowercase() && !starts_with_name(text) => {
            Some("no capital letter")
        }
        Kind::Title | Kind::Note if text.ends_with('.') => Some("a full stop"),
        _ if text.contains("  ") || text.trim() != text => Some("spaces"),
        _ => None,
    }
}

/// Names that keep their lower case at the start of a sentence.
fn starts_with_name(text: &str) -> bool {
    [
        "robots.txt",
        "llms.txt",
        "llms-full.txt",
        "ai.txt",
        "ai-plugin.json",
        "security.txt",
        "example.com",
        "gzip",
    ]
    .iter()
    .any(|name| text.starts_with(name))
}

fn sentences(node: &Value, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
    match node {
        Value::Object(members) => {
            for (key, member) in members {
                path.push(key.clone());
                sentences(member, path, found);
                path.pop();
            }
        }
        Value::String(text) => found.push((path.clone(), text.clone())),
        _ => {}
    }
}

/// All sentences of a language, with their paths.
fn locale(lang: Lang) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    for folder in ["", "audit/", "mcp/", "accounts/"] {
        let path = root().join(format!("visibility-core/locales/{folder}{lang}.json"));
        let text = std::fs::read_to_string(path).expect("a locale");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        sentences(&value, &mut Vec::new(), &mut found);
    }
    found
}

#[test]
fn sentences_titles_and_notes_follow_the_conventions() {
    let mut faults = Vec::new();
    let mut judged = 0;
    for (path, text) in Lang::ALL.into_iter().flat_map(locale) {
        let Some(kind) = kind(&path) else { continue };
        judged += 1;
        faults.extend(fault(kind, &text).map(|what| format!("{}: {what}: {text}", path.join("/"))));
    }
    assert!(judged > 3_000, "{judged}");
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn numbers_are_part_of_the_sentence() {
    let mut tails = Vec::new();
    for (path, text) in locale(Lang::En) {
        let is_report = matches!(path[0].as_str(), "checks" | "signals" | "observations");
        // `Characters: {chars}`, also after another sentence: a label before a number.
        let labels = text.split(['.', ';', ',']).filter(|part| {
            let Some((label, value)) = part.trim().split_once(": {") else { return false };
            let Some((name, rest)) = value.split_once('}') else { return false };
            let name = name.split(':').next().unwrap_or_default();
            rest.is_empty() && NUMBERS.contains(&name) && label.split_whitespace().count() <= 3
        });
        if is_report && labels.count() > 0 {
            tails.push(format!("{}: {text}", path.join("/")));
        }
    }
    assert!(tails.is_empty(), "{tails:#?}");
}

/// Placeholders whose values are numbers.
const NUMBERS: [&str; 16] = [
    "chars",
    "words",
    "links",
    "headings",
    "count",
    "total",
    "bytes",
    "hops",
    "status",
    "days",
    "ms",
    "kib",
    "tokens",
    "entries",
    "read",
    "missing_count",
];

#[test]
fn faults_are_found() {
    assert_eq!(fault(Kind::Sentence, "The page has no title"), Some("no full stop"));
    assert_eq!(fault(Kind::Sentence, "there is no title."), Some("no capital letter"));
    assert_eq!(fault(Kind::Sentence, "robots.txt is fine: `{url}`"), None);
    assert_eq!(fault(Kind::Title, "A title."), Some("a full stop"));
    assert_eq!(fault(Kind::Note, "line {line}"), None);
}
