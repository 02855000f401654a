//! Repair of JSON that a person wrote by hand or a template broke.

use serde_json::Value;

use super::unwrapped;

/// Bytes of a block that are looked at.
const MAX_BYTES: usize = 256 * 1024;

/// The text of a block with its usual mistakes repaired, if that makes it JSON.
///
/// Those are trailing commas, typographic quotes around strings, line breaks and control characters in strings, escapes that JSON
/// does not know, comments, `&quot;`, quotes within a string.
///
/// `None` if the text is JSON already, cannot be repaired, or has more than 256 KiB.
pub fn repaired(text: &str) -> Option<String> {
    let (_, json) = unwrapped(text);
    if json.is_empty() || json.len() > MAX_BYTES || is_json(json) {
        return None;
    }
    let decoded = json.contains("&quot;").then(|| {
        json.replace("&quot;", "\"")
            .replace("&#34;", "\"")
            .replace("&#39;", "'")
            .replace("&amp;", "&")
    });
    let json = decoded.as_deref().unwrap_or(json);
    let ways = [Quotes::Trusted, Quotes::Doubted];
    ways.into_iter()
        .map(|quotes| Repairer::new(quotes).repair(json))
        .find(|repaired_text| is_json(repaired_text))
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok()
}

/// Whether a quote within a string ends it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Quotes {
    /// It does.
    Trusted,
    /// Only before a colon, a comma, a bracket or the end.
    Doubted,
}

/// Writes a text again, repaired.
struct Repairer {
    quotes: Quotes,
    out: String,
    /// Bytes of the output up to a comma after which nothing but white space was written.
    comma: Option<usize>,
}

impl Repairer {
    fn new(quotes: Quotes) -> Self {
        Self { quotes, out: String::new(), comma: None }
    }

    fn repair(mut self, json: &str) -> String {
        let mut rest = json;
        while let Some(ch) = rest.chars().next() {
            let after = rest.get(ch.len_utf8()..).unwrap_or_default();
            rest = match ch {
                '"' | '“' | '”' | '„' | '″' => {
                    self.comma = None;
                    self.string(ch, after)
                }
                '/' if after.starts_with('/') => skip_past(after, "\n"),
                '/' if after.starts_with('*') => skip_past(after, "*/"),
                ',' => {
                    if self.comma.is_none() {
                        self.comma = Some(self.out.len());
                        self.out.push(',');
                    }
                    after
                }
                ']' | '}' => {
                    if let Some(at) = self.comma.take() {
                        self.out.remove(at);
                    }
                    self.out.push(ch);
                    after
                }
                _ if ch.is_whitespace() || ch == '\u{feff}' => {
                    self.out.push(if ch == '\n' { '\n' } else { ' ' });
                    after
                }
                _ if ch.is_control() => after,
                _ => {
                    self.comma = None;
                    self.out.push(ch);
                    after
                }
            };
        }
        self.out
    }

    /// Writes a string whose opening quote was read, and gives what follows it.
    fn string<'a>(&mut self, open: char, text: &'a str) -> &'a str {
        self.out.push('"');
        let mut rest = text;
        while let Some(ch) = rest.chars().next() {
            let after = rest.get(ch.len_utf8()..).unwrap_or_default();
            rest = match ch {
                '\\' => self.escape(after),
                _ if is_end(ch, open) && (self.quotes == Quotes::Trusted || ends(after)) => {
                    self.out.push('"');
                    return after;
                }
                '"' => {
                    self.out.push_str("\\\"");
                    after
                }
                '\n' => {
                    self.out.push_str("\\n");
                    after
                }
                '\t' => {
                    self.out.push_str("\\t");
                    after
                }
                _ if ch < ' ' => after,
                _ => {
                    self.out.push(ch);
                    after
                }
            };
        }
        rest
    }

    /// Writes an escape whose backslash was read, and gives what follows it.
    fn escape<'a>(&mut self, text: &'a str) -> &'a str {
        let Some(ch) = text.chars().next() else { return text };
        let after = text.get(ch.len_utf8()..).unwrap_or_default();
        let is_code =
            || after.get(..4).is_some_and(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match ch {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {
                self.out.push('\\');
                self.out.push(ch);
                after
            }
            'u' if is_code() => {
                self.out.push_str("\\u");
                after
            }
            // `\'` is JavaScript; before a line break the backslash continues the line.
            '\'' | '\n' | '`' => text,
            _ => {
                self.out.push_str("\\\\");
                text
            }
        }
    }
}

/// Whether a quote can end a string that another one opened.
fn is_end(ch: char, open: char) -> bool {
    ch == '"' || (open != '"' && matches!(ch, '”' | '“' | '″'))
}

/// Whether what follows a quote follows a string.
fn ends(after: &str) -> bool {
    after.trim_start().chars().next().is_none_or(|ch| matches!(ch, ',' | ':' | '}' | ']'))
}

fn skip_past<'a>(text: &'a str, end: &str) -> &'a str {
    text.find(end).and_then(|at| text.get(at + end.len()..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn common_mistakes_are_repaired() {
        for (text, expected) in [
            (r#"{"a":1,}"#, json!({ "a": 1 })),
            ("{\"a\":[1,2, ] ,\n}", json!({ "a": [1, 2] })),
            ("{\"a\":1,,\"b\":2}", json!({ "a": 1, "b": 2 })),
            ("{“a”: “b”}", json!({ "a": "b" })),
            ("{\"a\": “b \"c”}", json!({ "a": "b \"c" })),
            ("{\"a\":\"b\nc\td\u{1}\"}", json!({ "a": "b\nc\td" })),
            (r#"{"a":"it\'s \x C:\dir \u12"}"#, json!({ "a": "it's \\x C:\\dir \\u12" })),
            (r#"{"a":"a 24" screen","b":"x"}"#, json!({ "a": "a 24\" screen", "b": "x" })),
            ("{&quot;a&quot;: &quot;b &amp; c&quot;}", json!({ "a": "b & c" })),
            ("{ // note\n\"a\": /* x */ \"http://b\",}", json!({ "a": "http://b" })),
            ("<!-- {\"a\":1,} -->", json!({ "a": 1 })),
        ] {
            let repaired_text = repaired(text).unwrap_or_default();
            assert_eq!(
                serde_json::from_str::<Value>(&repaired_text).ok(),
                Some(expected),
                "{text}: {repaired_text}"
            );
        }
    }

    #[test]
    fn what_is_whole_or_lost_is_left_alone() {
        for text in ["{\"a\":1}", "", "{\"a\":", "<p>x</p>", "{a:1}", "{\"a\" \"b\"}", "[NaN]"] {
            assert_eq!(repaired(text), None, "{text}");
        }
        assert_eq!(repaired(&format!("[{}]", "1,".repeat(200_000))), None);
        assert_eq!(repaired(&format!("{}1,", "[".repeat(50_000))), None);
    }

    proptest! {
        #[test]
        fn what_is_repaired_is_json(text in "[{}\\[\\],:\"“”\\\\a1/*\n ü-]{0,60}", odd in ".{0,60}") {
            for text in [text, odd] {
                prop_assert!(repaired(&text).is_none_or(|repaired_text| is_json(&repaired_text)));
            }
        }
    }
}
