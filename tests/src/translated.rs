//! Whether a Turkish result is Turkish: no prose in it is the same as in the English one.

use serde::Serialize;
use serde_json::Value;
use visibility_core::agents::Registry;
use visibility_core::finding::Evidence;
use visibility_core::locale::{Catalog, Lang};

/// Members that are prose for people.
const PROSE: [&str; 16] = [
    "applies_because",
    "detail",
    "hint",
    "impact",
    "label",
    "message",
    "missing",
    "note",
    "placement_label",
    "reason",
    "statement",
    "summary",
    "text",
    "tier_label",
    "title",
    "why",
];

/// Prose that is the same in both languages, and why.
const SAME: [&str; 9] = [
    // Names of files, formats and protocols.
    "llms.txt",
    "robots.txt",
    "Sitemap",
    "AI Catalog (ARD)",
    "MCP server",
    "Canonical URL",
    // Terms that Turkish documentation uses as they are.
    "Markdown negotiation",
    "Agentic commerce",
    "Agent-native",
];

/// Panics if prose of a result is the same in English and in Turkish, unless it is one of these
/// technical texts, which have no language.
///
/// # Panics
///
/// With the path and the text.
pub fn assert_translated<T: Serialize>(english: &T, turkish: &T, technical: &[String]) {
    let mut same = Vec::new();
    let value = |result| serde_json::to_value(result).expect("a result is JSON");
    compare("", false, &value(english), &value(turkish), &mut same);
    same.retain(|(_, text)| !SAME.contains(&text.as_str()) && !technical.contains(text));
    assert!(same.is_empty(), "not translated: {same:#?}");
}

fn compare(
    path: &str,
    is_prose: bool,
    english: &Value,
    turkish: &Value,
    same: &mut Vec<(String, String)>,
) {
    match (english, turkish) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, member) in one {
                let path = format!("{path}/{key}");
                // Text of the site: the line of robots.txt, and the title of the page.
                if matches!(key.as_str(), "rule" | "page") {
                    continue;
                }
                let is_prose = PROSE.contains(&key.as_str());
                let other = other.get(key).unwrap_or(&Value::Null);
                compare(&path, is_prose, member, other, same);
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            for (at, (member, other)) in one.iter().zip(other).enumerate() {
                compare(&format!("{path}/{at}"), is_prose, member, other, same);
            }
        }
        (Value::String(one), Value::String(other))
            if is_prose && one == other && !one.is_empty() =>
        {
            same.push((path.to_owned(), one.clone()));
        }
        _ => {}
    }
}

/// Ids of notes whose sentence has nothing to translate, and why.
const TECHNICAL_NOTES: [&str; 2] = [
    // A token, a directive or what a parser reported.
    "verbatim",
    // The name of an agent, and the header field of a challenge.
    "agent-challenged",
];

/// The sentences of those remarks on evidence that have no language, and the tokens of agents, which
/// are the remarks on what robots.txt says.
pub fn technical<'a>(evidence: impl IntoIterator<Item = &'a Evidence>) -> Vec<String> {
    let catalog = Catalog::of(Lang::En);
    let notes = evidence.into_iter().filter_map(|evidence| evidence.note.as_ref());
    let technical = notes.filter(|note| TECHNICAL_NOTES.contains(&note.id));
    let tokens = Registry::embedded().agents.iter().map(|agent| agent.robots_token.clone());
    let tokens = tokens.chain(std::iter::once("VisibilityBot".to_owned()));
    technical.map(|note| note.sentence(catalog)).chain(tokens).collect()
}
