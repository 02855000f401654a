//! The URL of a page, as far as it says what kind of page it is.

use url::Url;

use crate::audit::address;
use crate::audit::profile::words::{Topic, WORDS};

/// The parts of an address, in lower case.
#[derive(Debug, Default)]
pub(crate) struct Address {
    /// Labels of the host and their parts, the last label left out.
    labels: Vec<String>,
    /// Segments of the path, without language codes, names of index files and the ends of file names.
    segments: Vec<String>,
    query: String,
    has_extension: bool,
}

const EXTENSIONS: [&str; 7] = ["html", "htm", "php", "aspx", "asp", "jsp", "shtml"];

impl Address {
    pub(crate) fn new(url: Option<&Url>) -> Self {
        let Some(url) = url else { return Self::default() };
        let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
        let path = url.path().to_ascii_lowercase();
        let mut segments: Vec<String> =
            path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        if segments.first().is_some_and(|first| is_language(first)) {
            segments.remove(0);
        }
        segments.retain(|part| !part.starts_with("index."));
        let last = segments.last_mut();
        let mut has_extension = false;
        if let Some(last) = last
            && let Some((name, end)) = last.rsplit_once('.')
            && EXTENSIONS.contains(&end)
            && !name.is_empty()
        {
            has_extension = true;
            *last = name.to_owned();
        }
        let mut labels: Vec<String> = host.split(['.', '-']).map(str::to_owned).collect();
        labels.pop();
        Self { labels, segments, query: own_query(url.query().unwrap_or_default()), has_extension }
    }

    pub(crate) fn segments(&self) -> &[String] {
        &self.segments
    }

    fn last(&self) -> &str {
        self.segments.last().map(String::as_str).unwrap_or_default()
    }

    fn above(&self) -> &[String] {
        self.segments.split_last().map_or(&[], |(_, above)| above)
    }

    /// Whether it is known, and leads to the front page of a site or of one of its languages.
    pub(super) fn is_front_page(&self) -> bool {
        !self.labels.is_empty() && self.segments.is_empty() && self.query.is_empty()
    }

    /// Words of the last segment.
    fn slug(&self) -> impl Iterator<Item = &str> {
        self.last().split(['-', '_', '+', '%']).filter(|word| !word.is_empty())
    }

    pub(super) fn is_short(&self) -> bool {
        self.segments.len() == 1 && self.slug_words() == 1
    }

    pub(super) fn has_number(&self) -> bool {
        let mut parts = self.last().split(|ch: char| !ch.is_ascii_digit());
        parts.any(|digits| digits.len() >= 4)
    }

    pub(super) fn slug_words(&self) -> usize {
        self.slug().filter(|word| word.starts_with(char::is_alphabetic)).count()
    }

    pub(super) fn last_has(&self, topic: Topic) -> bool {
        self.slug().any(|word| WORDS.has_segment(topic, word))
    }

    pub(super) fn has_extension(&self) -> bool {
        self.has_extension
    }

    /// Whether a year with a month or a day is in the path, or in the last segment.
    pub(super) fn has_date(&self) -> bool {
        let is_year = |part: &str| part.len() == 4 && part.starts_with("20") && is_number(part);
        let is_day = |part: &str| (1..=2).contains(&part.len()) && is_number(part);
        let of_path = self.segments.windows(2).any(
            |pair| matches!(pair, [year, month] if is_year(year) && (is_day(month) || month.len() == 3)),
        );
        let words: Vec<&str> = self.slug().collect();
        let of_slug = words.windows(3).any(
            |three| matches!(three, [year, month, day] if is_year(year) && is_day(month) && is_day(day)),
        );
        of_path || of_slug
    }

    pub(crate) fn is_below(&self, topic: Topic) -> bool {
        self.above().iter().any(|segment| WORDS.has_segment(topic, segment))
    }

    pub(super) fn ends_in(&self, topic: Topic) -> bool {
        WORDS.has_segment(topic, self.last())
    }

    pub(super) fn has_category_form(&self) -> bool {
        const NAMES: [&str; 6] = ["c", "cat", "collections", "product-category", "zgbs", "catpage"];
        self.above().iter().any(|segment| NAMES.contains(&segment.as_str()))
            || self.last().contains("-c-")
            || self.segments.iter().any(|segment| segment.starts_with("best-sellers"))
    }

    pub(crate) fn has_product_form(&self) -> bool {
        const NAMES: [&str; 9] =
            ["dp", "p", "product", "products", "itm", "item", "ip", "pd", "prod"];
        self.above().iter().any(|segment| NAMES.contains(&segment.as_str()))
            || self.last().contains("-p-")
            || (self.has_extension
                && self
                    .last()
                    .rsplit(['-', '_'])
                    .next()
                    .is_some_and(|end| end.len() >= 6 && is_number(end)))
    }

    pub(super) fn has_thread_form(&self) -> bool {
        let begins_with_number = |text: &str| text.starts_with(|ch: char| ch.is_ascii_digit());
        let software = ["viewtopic", "showthread", "showtopic", "threads"];
        let is_software = self.segments.iter().any(|segment| {
            software.iter().any(|name| segment.starts_with(name)) || is_numbered(segment, "thread-")
        });
        let is_numbered = self.segments.windows(2).any(|pair| match pair {
            [name, next] => {
                let takes_number =
                    ["topic", "discussion", "discussions", "question", "questions", "boards"];
                takes_number.contains(&name.as_str()) && begins_with_number(next)
            }
            _ => false,
        });
        let is_discourse = self
            .segments
            .windows(3)
            .any(|three| matches!(three, [name, _, id] if name == "t" && begins_with_number(id)));
        let is_comments =
            self.above().iter().any(|segment| ["comments", "thread"].contains(&segment.as_str()));
        let is_query = self.query.split('&').any(|part| {
            ["t=", "tid=", "topic=", "threadid="].iter().any(|name| part.starts_with(name))
        });
        is_software || is_numbered || is_discourse || is_comments || is_query
    }

    pub(super) fn host_names(&self, topic: Topic) -> bool {
        self.labels.iter().any(|label| {
            WORDS.has_host(topic, label) || (topic == Topic::Forum && label.contains("forum"))
        })
    }
}

/// A query without what only tells where a visitor came from.
fn own_query(query: &str) -> String {
    let parts = query.split('&').map(str::to_ascii_lowercase);
    let is_origin = |part: &str| ["ref=", "cm_sp="].iter().any(|name| part.starts_with(name));
    let own = parts.filter(|part| !address::is_tracking(part) && !is_origin(part));
    own.collect::<Vec<_>>().join("&")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_numbered(segment: &str, start: &str) -> bool {
    segment.strip_prefix(start).is_some_and(|rest| rest.starts_with(|ch: char| ch.is_ascii_digit()))
}

/// Whether a segment is a code such as `en`, `en-us` or `pt_br`.
fn is_language(segment: &str) -> bool {
    let is_code = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_alphabetic());
    match segment.split_once(['-', '_']) {
        Some((language, country)) => is_code(language) && is_code(country),
        None => is_code(segment) && segment != "dp" && segment != "ip" && segment != "pd",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str) -> Address {
        Address::new(Some(&url.parse().unwrap()))
    }

    #[test]
    fn language_codes_index_files_and_ends_are_no_segments() {
        assert_eq!(address("https://example.com/de/").segments(), [] as [&str; 0]);
        assert_eq!(address("https://example.com/pt-br/a/index.html").segments(), ["a"]);
        assert_eq!(address("https://example.com/a/b.html").segments(), ["a", "b"]);
        assert_eq!(Address::new(None).segments(), [] as [&str; 0]);
    }

    #[test]
    fn threads_products_and_categories_have_their_forms() {
        for url in [
            "https://example.com/t/a-name/12",
            "https://example.com/viewtopic.php?f=1",
            "https://example.com/questions/9/why",
            "https://example.com/showthread.php?tid=4",
            "https://example.com/r/tea/comments/1x/oolong",
        ] {
            assert!(address(url).has_thread_form(), "{url}");
        }
        for url in [
            "https://example.com/t/sofas",
            "https://example.com/topics",
            "https://example.com/a?q=t",
        ] {
            assert!(!address(url).has_thread_form(), "{url}");
        }
        assert!(address("https://example.com/desk-p-471").has_product_form());
        assert!(address("https://example.com/dp/B01").has_product_form());
        assert!(!address("https://example.com/p").has_product_form());
        assert!(address("https://example.com/c/lamps").has_category_form());
        assert!(!address("https://example.com/lamps").has_category_form());
    }

    #[test]
    fn words_of_other_languages_speak_of_the_same() {
        for url in [
            "https://example.com/blog/a",
            "https://example.com/haber/a",
            "https://example.com/ratgeber/a",
        ] {
            assert!(address(url).is_below(Topic::Article), "{url}");
        }
        assert!(address("https://yardim.example.com/a").host_names(Topic::Documentation));
        assert!(address("https://hobbyforum.example.com/a").host_names(Topic::Forum));
        assert!(!address("https://example.forum/a").host_names(Topic::Forum));
    }
}
