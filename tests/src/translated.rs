//! Whether a Turkish result is Turkish: no prose in it is the same as in the English one.

use serde::Serialize;
use serde_json::Value;

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
const SAME: [&str; 8] = [
    // Names of files, formats and protocols.
    "llms.txt",
    "robots.txt",
    "Sitemap",
    "AI catalog",
    "MCP server",
    "Link header",
    "Canonical URL",
    "JSON-LD",
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
                // The line of robots.txt itself.
                if key == "rule" {
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

/// The sentences of those remarks on evidence that have no language.
pub fn technical<'a>(
    evidence: impl IntoIterator<Item = &'a visibility_core::finding::Evidence>,
) -> Vec<String> {
    let catalog = visibility_core::locale::Catalog::of(visibility_core::locale::Lang::En);
    let notes = evidence.into_iter().filter_map(|evidence| evidence.note.as_ref());
    let technical = notes.filter(|note| TECHNICAL_NOTES.contains(&note.id));
    technical.map(|note| note.sentence(catalog)).collect()
}
