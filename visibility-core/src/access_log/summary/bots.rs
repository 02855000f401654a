//! Programs that say so in their user agent, and are on no list of AI agents.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;

use super::paths::BoundedTable;

/// Names that are counted one by one.
const MAX_NAMES: usize = 1_000;
const MAX_NAME_BYTES: usize = 64;

/// Ends of names of programs that read the web.
const NAME_ENDS: [&str; 6] = ["bot", "crawler", "spider", "crawl", "scraper", "fetcher"];

/// What one of those user agents has somewhere, in the ways that it is written: most lines are of people, and a search
/// that does not care about letters takes three times as long.
const MARKS: [&str; 16] = [
    "bot", "Bot", "BOT", "crawl", "Crawl", "CRAWL", "spider", "Spider", "SPIDER", "scraper",
    "Scraper", "SCRAPER", "fetcher", "Fetcher", "FETCHER", "+http",
];

static MARK_SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(MARKS));

/// What one program has done.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct BotCounts {
    pub(super) requests: u64,
    pub(super) last_millis: i64,
}

/// Requests of programs by name.
#[derive(Debug)]
pub(super) struct Bots {
    pub(super) names: BoundedTable<BotCounts>,
    /// Requests of those that had no room.
    pub(super) folded: u64,
}

impl Default for Bots {
    fn default() -> Self {
        Self { names: BoundedTable::new(MAX_NAMES, MAX_NAMES * MAX_NAME_BYTES), folded: 0 }
    }
}

impl Bots {
    /// Counts a request by anyone whose user agent is no listed agent's, and says whether it is a program.
    pub(super) fn count(&mut self, user_agent: &str, time_millis: i64) -> bool {
        let Some(name) = name(user_agent) else { return false };
        match self.names.row(name, BotCounts::default) {
            Some(counts) => {
                counts.requests += 1;
                counts.last_millis = counts.last_millis.max(time_millis);
            }
            None => self.folded += 1,
        }
        true
    }
}

/// Whether a user agent is that of a program.
pub(super) fn is_bot(user_agent: &str) -> bool {
    name(user_agent).is_some()
}

/// The name of the program that a user agent says it is.
///
/// It is a product (RFC 9110, section 10.1.5) whose name ends like that of a crawler; or, where the user agent has the
/// address of a page about it, the product before that address. Telephones such as `CUBOT NOTE 20` are no products.
fn name(user_agent: &str) -> Option<&str> {
    MARK_SEARCHER.as_ref()?.find(user_agent)?;
    let words = || user_agent.split([' ', ';', '(', ')', ',']).filter(|word| !word.is_empty());
    let named = words().find(|word| is_named_like_a_crawler(word, user_agent));
    let name = named.or_else(|| {
        let before_page = user_agent.find("+http").and_then(|at| user_agent.get(..at))?;
        let mut before =
            before_page.split([' ', ';', '(', ')', ',']).filter(|word| is_product(word));
        before.rfind(|word| !is_of_browsers(word))
    })?;
    let length = name.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_NAME_BYTES);
    length.map_or(Some(name), |length| name.get(..length))
}

fn is_named_like_a_crawler(word: &str, user_agent: &str) -> bool {
    let (name, version) = word.split_once('/').unwrap_or((word, ""));
    let has_version = version.starts_with(|ch: char| ch.is_ascii_digit());
    // Without a version it is the first of `compatible; NAME; ...`, or all there is.
    let is_alone = version.is_empty()
        && (word.len() == user_agent.len() || user_agent.contains(&format!("compatible; {word}")));
    let name = name.to_ascii_lowercase();
    let ends = NAME_ENDS.iter().any(|end| {
        name.ends_with(end) || name.split(['-', '_', '.']).any(|part| part.ends_with(end))
    });
    ends && (has_version || is_alone) && is_printable(word)
}

/// Whether a word is a name with a version.
fn is_product(word: &str) -> bool {
    let Some((name, version)) = word.split_once('/') else { return false };
    let begins = name.starts_with(|ch: char| ch.is_ascii_alphabetic());
    begins && version.starts_with(|ch: char| ch.is_ascii_digit()) && is_printable(word)
}

fn is_of_browsers(word: &str) -> bool {
    let name = word.split('/').next().unwrap_or_default();
    matches!(
        name,
        "Mozilla"
            | "AppleWebKit"
            | "KHTML"
            | "Gecko"
            | "Chrome"
            | "Safari"
            | "Mobile"
            | "Version"
            | "Firefox"
            | "Edg"
    )
}

fn is_printable(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_named_and_browsers_are_not() {
        for (user_agent, expected) in [
            (
                "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
                Some("AhrefsBot/7.0"),
            ),
            ("Mozilla/5.0 (compatible; examplebot; +https://example.com)", Some("examplebot")),
            ("examplebot/2.1", Some("examplebot/2.1")),
            ("MJ12bot", Some("MJ12bot")),
            ("Mozilla/5.0 (compatible; Data-Crawler/1.0)", Some("Data-Crawler/1.0")),
            ("Foo-bot-images/2.0 (x)", Some("Foo-bot-images/2.0")),
            (
                "Mozilla/5.0 (compatible; Reader/3.1; +https://reader.example/about)",
                Some("Reader/3.1"),
            ),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Thing/1; +https://x.example) Chrome/1",
                Some("Thing/1"),
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; CUBOT NOTE 20) AppleWebKit/537.36 Chrome/120 Safari/537.36",
                None,
            ),
            ("Mozilla/5.0 (Linux; Android 10; CUBOT_X30 Build/QP1A) AppleWebKit/537.36", None),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", None),
            ("curl/8.5.0", None),
            ("not a bot", None),
            ("Mozilla/5.0 (+https://example.com)", None),
            ("", None),
            ("bot\u{202e}\u{7}/1.0", None),
        ] {
            assert_eq!(name(user_agent), expected, "{user_agent}");
        }
        let long = format!("{}bot/1.0", "a".repeat(500));
        assert_eq!(name(&long).map(str::len), Some(MAX_NAME_BYTES));
    }
}
