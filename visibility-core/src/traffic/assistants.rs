//! Visits of people who have followed a link in an answer of an AI assistant.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use memchr::memmem;
use serde::Deserialize;
use url::form_urlencoded;

/// An assistant that people come from.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[non_exhaustive]
pub struct Assistant {
    /// Stable id such as `chatgpt`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Who runs it.
    pub vendor: String,
    /// Hosts that browsers name as referrers; hosts below them count, too.
    pub hosts: Vec<String>,
    /// What it writes into `utm_source` of its links.
    #[serde(default)]
    pub utm_source: Vec<String>,
}

/// All assistants, and how to find one.
#[derive(Debug)]
pub struct AssistantIndex {
    /// In the order of the data.
    assistants: Vec<Assistant>,
    hosts: HashMap<String, usize, RandomState>,
    /// The last two labels of each host: most referrers are not below any of them.
    domains: HashSet<String, RandomState>,
}

/// The longest host that is looked at (RFC 1035, section 2.3.4).
const MAX_HOST_BYTES: usize = 253;

impl AssistantIndex {
    /// The list that is built in.
    ///
    /// # Panics
    ///
    /// Never: a test parses the data.
    pub fn embedded() -> &'static Self {
        static INDEX: OnceLock<AssistantIndex> = OnceLock::new();
        INDEX.get_or_init(|| {
            #[derive(Deserialize)]
            struct File {
                assistants: Vec<Assistant>,
            }
            let file: Result<File, _> =
                serde_json::from_str(include_str!("../../data/ai_referrers.json"));
            #[expect(clippy::expect_used, reason = "embedded data; a test parses it")]
            let assistants = file.expect("ai_referrers.json is valid").assistants;
            let mut hosts = HashMap::default();
            for (number, assistant) in assistants.iter().enumerate() {
                hosts.extend(assistant.hosts.iter().map(|host| (host.clone(), number)));
            }
            let domains = hosts.keys().map(|host| last_two_labels(host).to_owned()).collect();
            Self { assistants, hosts, domains }
        })
    }

    /// The assistant with a number.
    pub fn get(&self, number: usize) -> Option<&Assistant> {
        self.assistants.get(number)
    }

    /// The number of the assistant whose page a referrer is.
    pub fn by_referrer(&self, referrer: &str) -> Option<usize> {
        let (scheme, rest) = referrer.split_once("://")?;
        if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
            return None;
        }
        let host = host_of(rest)?;
        if host.len() > MAX_HOST_BYTES {
            return None;
        }
        let host = host.trim_end_matches('.');
        let has_capitals = host.bytes().any(|byte| byte.is_ascii_uppercase());
        let host =
            if has_capitals { Cow::Owned(host.to_ascii_lowercase()) } else { Cow::Borrowed(host) };
        let mut name = &*host;
        if !self.domains.contains(last_two_labels(name)) {
            return None;
        }
        loop {
            if let Some(at) = self.hosts.get(name) {
                return Some(*at);
            }
            name = name.split_once('.')?.1;
        }
    }

    /// The number of the assistant that has written `utm_source` into a target.
    pub fn by_utm_source(&self, target: &str) -> Option<usize> {
        let query = target.split('#').next()?.split_once('?')?.1;
        // Most queries have none, which is seen without decoding them.
        memmem::find(query.as_bytes(), b"utm_source")?;
        let mut parameters = form_urlencoded::parse(query.as_bytes());
        let (_, source) = parameters.find(|(name, _)| name == "utm_source")?;
        self.assistants.iter().position(|assistant| {
            assistant.utm_source.iter().any(|known| known.eq_ignore_ascii_case(&source))
        })
    }
}

/// The host of an address, behind its scheme. What is before an `@` is a name that only looks like a host.
fn host_of(rest: &str) -> Option<&str> {
    let (mut start, mut end) = (0, None);
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'/' | b'?' | b'#' | b'\\' => return rest.get(start..end.unwrap_or(at)),
            b'@' => (start, end) = (at + 1, None),
            b':' => end = end.or(Some(at)),
            _ => {}
        }
    }
    rest.get(start..end.unwrap_or(rest.len()))
}

/// `example.com` of `www.example.com`.
fn last_two_labels(host: &str) -> &str {
    let mut dots = host.bytes().enumerate().rev().filter(|(_, byte)| *byte == b'.');
    let dot = dots.nth(1).map(|(at, _)| at);
    dot.and_then(|at| host.get(at + 1..)).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(found: Option<usize>) -> Option<&'static str> {
        found.and_then(|at| AssistantIndex::embedded().get(at)).map(|it| it.id.as_str())
    }

    #[test]
    fn a_referrer_is_an_assistants_or_only_looks_like_it() {
        let index = AssistantIndex::embedded();
        for (referrer, expected) in [
            ("https://chatgpt.com/", Some("chatgpt")),
            ("https://ChatGPT.com.", Some("chatgpt")),
            ("http://www.perplexity.ai/search?q=x", Some("perplexity")),
            ("https://chatgpt.com:443/c/1", Some("chatgpt")),
            ("https://gemini.google.com/app", Some("gemini")),
            ("https://copilot.microsoft.com", Some("copilot")),
            ("https://google.com/", None),
            ("https://www.microsoft.com/", None),
            ("https://chatgpt.com.evil.example/", None),
            ("https://notchatgpt.com/", None),
            ("https://evil.example/chatgpt.com", None),
            ("https://evil.example?https://chatgpt.com", None),
            ("https://chatgpt.com@evil.example/", None),
            ("https://a:b@chatgpt.com:1/", Some("chatgpt")),
            ("android-app://com.openai.chatgpt/", None),
            ("chatgpt.com", None),
            ("", None),
            ("https://", None),
        ] {
            assert_eq!(id(index.by_referrer(referrer)), expected, "{referrer}");
        }
        let long = format!("https://{}chatgpt.com/", "a.".repeat(200));
        assert_eq!(index.by_referrer(&long), None);
    }

    #[test]
    fn a_link_may_name_its_assistant() {
        let index = AssistantIndex::embedded();
        for (target, expected) in [
            ("/p?utm_source=chatgpt.com", Some("chatgpt")),
            ("/p?a=1&utm_source=ChatGPT%2Ecom&b", Some("chatgpt")),
            ("/p?UTM_SOURCE=chatgpt.com", None),
            ("/p?utm_source=newsletter", None),
            ("/p?x_utm_source=chatgpt.com", None),
            ("/p?utm_source=chatgpt.com.evil.example", None),
            ("/p?utm_source", None),
            ("/p#?utm_source=chatgpt.com", None),
            ("/utm_source=chatgpt.com", None),
        ] {
            assert_eq!(id(index.by_utm_source(target)), expected, "{target}");
        }
    }

    #[test]
    fn every_host_is_of_one_assistant() {
        let index = AssistantIndex::embedded();
        let count: usize = index.assistants.iter().map(|assistant| assistant.hosts.len()).sum();
        assert_eq!(index.hosts.len(), count);
        assert!(index.hosts.keys().all(|host| *host == host.to_ascii_lowercase()));
    }
}
