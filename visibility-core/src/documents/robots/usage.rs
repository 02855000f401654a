//! Usage preferences: `Content-Signal` (contentsignals.org) and `Content-Usage` (IETF AIPREF).
//!
//! Both are in groups of robots.txt and may be in a header field of the same name. Neither
//! allows or blocks anything: they say what may be done with what was read.

use super::Record;

/// A `Content-Signal` record: `search=yes, ai-train=no`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ContentSignal {
    /// `search`: an index, and links with excerpts.
    pub search: Option<bool>,
    /// `ai-input`: input to a model, as in retrieval for answers.
    pub ai_input: Option<bool>,
    /// `ai-train`: training of models.
    pub ai_train: Option<bool>,
    /// `use`: how much of the content may be shown.
    pub use_: Option<UseLevel>,
    /// Pairs with any other key, as written.
    pub unknown: Vec<String>,
    /// Pairs with a known key and a value that it does not have, such as `ai-train=disallow`, and
    /// what is not a pair at all, as written.
    pub malformed: Vec<String>,
    /// Line in robots.txt, counted from 1; `None` for a header field.
    pub line: Option<usize>,
}

/// The values of `use` in a `Content-Signal`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum UseLevel {
    /// `immediate`.
    Immediate,
    /// `reference`.
    Reference,
    /// `full`.
    Full,
}

impl UseLevel {
    /// The value as written in the record.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::Reference => "reference",
            Self::Full => "full",
        }
    }
}

impl ContentSignal {
    /// Reads a record of robots.txt.
    pub fn from_record(record: &Record) -> Self {
        Self { line: Some(record.line), ..Self::from_header(&record.value) }
    }

    /// Reads the value of a header field. Of a key that comes twice the last value counts.
    pub fn from_header(value: &str) -> Self {
        let mut signal = Self::default();
        for (pair, key, value) in pairs(value) {
            let answer = match value.to_ascii_lowercase().as_str() {
                "yes" => Some(true),
                "no" => Some(false),
                _ => None,
            };
            let slot = match key.as_str() {
                "search" => &mut signal.search,
                "ai-input" => &mut signal.ai_input,
                "ai-train" => &mut signal.ai_train,
                "use" => {
                    let levels = [UseLevel::Immediate, UseLevel::Reference, UseLevel::Full];
                    match levels
                        .into_iter()
                        .find(|level| value.eq_ignore_ascii_case(level.as_str()))
                    {
                        Some(level) => signal.use_ = Some(level),
                        None => signal.malformed.push(pair),
                    }
                    continue;
                }
                _ => {
                    let list =
                        if value.is_empty() { &mut signal.malformed } else { &mut signal.unknown };
                    list.push(pair);
                    continue;
                }
            };
            match answer {
                Some(answer) => *slot = Some(answer),
                None => signal.malformed.push(pair),
            }
        }
        signal
    }

    /// Whether nothing in it says anything.
    pub fn is_empty(&self) -> bool {
        self.preferences().is_empty()
    }

    /// What it says, one `key=value` for each key, in a fixed order.
    pub fn preferences(&self) -> Vec<String> {
        let answer = |yes: bool| if yes { "yes" } else { "no" };
        [
            ("search", self.search.map(answer)),
            ("ai-input", self.ai_input.map(answer)),
            ("ai-train", self.ai_train.map(answer)),
            ("use", self.use_.map(UseLevel::as_str)),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some(format!("{key}={}", value?)))
        .collect()
    }
}

/// A `Content-Usage` record: `train-ai=n`, or `/path train-ai=n`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ContentUsage {
    /// The path that it is for; `None` for the whole site.
    pub path: Option<String>,
    /// `train-ai`: training of models.
    pub train_ai: Option<bool>,
    /// `ai-use`: use by models.
    pub ai_use: Option<bool>,
    /// `search`: search.
    pub search: Option<bool>,
    /// Pairs in the words of `Content-Signal`, such as `ai-train=no`: here they do nothing.
    pub wrong_vocabulary: Vec<String>,
    /// Pairs with an unknown key, as written.
    pub unknown: Vec<String>,
    /// Pairs with a known key and a value other than `y` and `n`, as written.
    pub malformed: Vec<String>,
    /// Line in robots.txt, counted from 1; `None` for a header field.
    pub line: Option<usize>,
}

impl ContentUsage {
    /// Reads a record of robots.txt; a first word that starts with `/` or `*` is its path.
    pub fn from_record(record: &Record) -> Self {
        let value = record.value.trim_start();
        let (path, value) = if value.starts_with(['/', '*']) {
            let (path, value) = value.split_once([' ', '\t']).unwrap_or((value, ""));
            (Some(path.to_owned()), value)
        } else {
            (None, value)
        };
        Self { path, line: Some(record.line), ..Self::from_header(value) }
    }

    /// Reads the value of a header field: a dictionary of RFC 9651, read leniently. Of a key that
    /// comes twice the last value counts.
    pub fn from_header(value: &str) -> Self {
        let mut usage = Self::default();
        for (pair, key, value) in pairs(value) {
            let answer = match value.to_ascii_lowercase().as_str() {
                "y" => Some(true),
                "n" => Some(false),
                _ => None,
            };
            let is_signal = matches!(value.to_ascii_lowercase().as_str(), "yes" | "no");
            let slot = match key.as_str() {
                "train-ai" => &mut usage.train_ai,
                "ai-use" => &mut usage.ai_use,
                "search" => &mut usage.search,
                "ai-train" | "ai-input" | "use" => {
                    usage.wrong_vocabulary.push(pair);
                    continue;
                }
                _ => {
                    usage.unknown.push(pair);
                    continue;
                }
            };
            match answer {
                Some(answer) => *slot = Some(answer),
                None if is_signal => usage.wrong_vocabulary.push(pair),
                None => usage.malformed.push(pair),
            }
        }
        usage
    }

    /// Whether nothing in it says anything.
    pub fn is_empty(&self) -> bool {
        self.preferences().is_empty()
    }

    /// What it says, one `key=value` for each key, in a fixed order; the path is left out.
    pub fn preferences(&self) -> Vec<String> {
        let answer = |yes: bool| if yes { "y" } else { "n" };
        [("train-ai", self.train_ai), ("ai-use", self.ai_use), ("search", self.search)]
            .into_iter()
            .filter_map(|(key, value)| Some(format!("{key}={}", answer(value?))))
            .collect()
    }
}

/// Members of a comma-separated list: as written, the key in lower case, the value without
/// parameters and quotes.
fn pairs(list: &str) -> impl Iterator<Item = (String, String, &str)> {
    list.split(',').map(str::trim).filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = value.split(';').next().unwrap_or_default();
        (pair.to_owned(), key.trim().to_ascii_lowercase(), value.trim().trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(value: &str) -> Record {
        Record { value: value.to_owned(), line: 4 }
    }

    #[test]
    fn a_content_signal_says_yes_or_no() {
        let signal = ContentSignal::from_record(&record("search=yes,AI-Train=NO , use=reference"));
        assert_eq!(signal.preferences(), ["search=yes", "ai-train=no", "use=reference"]);
        assert_eq!((signal.ai_input, signal.line), (None, Some(4)));
        assert!(signal.malformed.is_empty() && signal.unknown.is_empty());
    }

    #[test]
    fn a_content_signal_with_other_values_says_nothing() {
        let signal = ContentSignal::from_header("ai-train=disallow, search, use=some, ads=no, x");
        assert!(signal.is_empty());
        assert_eq!(signal.malformed, ["ai-train=disallow", "search", "use=some", "x"]);
        assert_eq!(signal.unknown, ["ads=no"]);
        assert_eq!(signal.line, None);
    }

    #[test]
    fn a_content_usage_may_have_a_path() {
        for (value, path, preferences) in [
            ("train-ai=n", None, vec!["train-ai=n"]),
            ("/a train-ai=n, search=y", Some("/a"), vec!["train-ai=n", "search=y"]),
            ("/a\t ai-use=Y", Some("/a"), vec!["ai-use=y"]),
            ("/a", Some("/a"), vec![]),
            ("*.pdf search=n", Some("*.pdf"), vec!["search=n"]),
            ("train-ai=y, train-ai=n", None, vec!["train-ai=n"]),
            ("train-ai=n;x=1", None, vec!["train-ai=n"]),
            ("", None, vec![]),
        ] {
            let usage = ContentUsage::from_record(&record(value));
            assert_eq!(usage.path.as_deref(), path, "{value}");
            assert_eq!(usage.preferences(), preferences, "{value}");
        }
    }

    #[test]
    fn the_words_of_content_signal_are_wrong_in_content_usage() {
        let usage = ContentUsage::from_header("ai-train=no, search=yes, train-ai=maybe, foo=y");
        assert!(usage.is_empty());
        assert_eq!(usage.wrong_vocabulary, ["ai-train=no", "search=yes"]);
        assert_eq!(usage.malformed, ["train-ai=maybe"]);
        assert_eq!(usage.unknown, ["foo=y"]);
    }
}
