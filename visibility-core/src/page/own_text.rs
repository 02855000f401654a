//! The text of a page that is its own: without navigation, footers, banners of consent and the line of the copyright.

use std::ops::Range;

use crate::page::Page;
use crate::text::words;

/// Words of a line of navigation or of a footer, its links apart, from which on it says something.
pub(crate) const MIN_WORDS_OF_PROSE: usize = 25;
/// Words of a line that is the copyright and nothing else.
const MAX_WORDS_OF_COPYRIGHT: usize = 15;

/// A line that is a page's own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct OwnLine<'p> {
    pub(crate) text: &'p str,
    /// Where it begins in the visible text.
    pub(crate) start: usize,
    pub(crate) words: usize,
}

/// A part of the visible text.
struct Part {
    at: Range<usize>,
    is_navigation: bool,
}

impl Page {
    /// The lines of the visible text without navigation, footers, banners of consent and the copyright.
    pub(crate) fn own_lines(&self) -> impl Iterator<Item = OwnLine<'_>> {
        self.own_parts().into_iter().flat_map(move |part| {
            let lines = lines(&self.visible_text, part.at);
            lines.filter(move |line| {
                let says_something = if part.is_navigation {
                    line.words - self.words_of_links(line) >= MIN_WORDS_OF_PROSE
                } else {
                    line.words > 0
                };
                says_something && !is_copyright(*line)
            })
        })
    }

    /// The visible text without the banners of products that ask for consent, cut where navigation begins and ends.
    fn own_parts(&self) -> Vec<Part> {
        let consent = self.dialogs.iter().filter(|dialog| dialog.is_consent);
        let mut parts = Vec::new();
        let mut from = 0;
        for banner in consent.map(|dialog| dialog.text.clone()) {
            self.cut_at_navigation(from..banner.start, &mut parts);
            from = banner.end;
        }
        self.cut_at_navigation(from..self.visible_text.len(), &mut parts);
        parts
    }

    fn cut_at_navigation(&self, range: Range<usize>, parts: &mut Vec<Part>) {
        let mut from = range.start;
        for navigation in &self.navigation {
            let at = navigation.start.max(from)..navigation.end.min(range.end);
            if at.is_empty() {
                continue;
            }
            parts.push(Part { at: from..at.start, is_navigation: false });
            from = at.end;
            parts.push(Part { at, is_navigation: true });
        }
        parts.push(Part { at: from..range.end, is_navigation: false });
    }

    /// Words of the links of a line of navigation. A list of links is no prose, however long it is.
    fn words_of_links(&self, line: &OwnLine<'_>) -> usize {
        let end = line.start + line.text.len();
        let first = self.navigation_links.partition_point(|link| link.end <= line.start);
        let links = self.navigation_links.iter().skip(first).take_while(|link| link.start < end);
        let texts = links.filter_map(|link| {
            self.visible_text.get(link.start.max(line.start)..link.end.min(end))
        });
        texts.map(words::count).sum::<usize>().min(line.words)
    }
}

/// The lines of a part of a text.
fn lines(text: &str, part: Range<usize>) -> impl Iterator<Item = OwnLine<'_>> {
    let mut start = part.start;
    text.get(part).unwrap_or_default().split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        let text = line.trim_end_matches('\n');
        OwnLine { text, start: at, words: words::count(text) }
    })
}

fn is_copyright(line: OwnLine<'_>) -> bool {
    line.words <= MAX_WORDS_OF_COPYRIGHT && {
        let text = line.text.to_lowercase();
        text.starts_with(['©', 'ⓒ'])
            || text.starts_with("copyright")
            || text.starts_with("(c)")
            || text.contains("all rights reserved")
            || text.contains("tüm hakları saklıdır")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(html: &str) -> Vec<String> {
        let page = Page::parse(html.as_bytes(), None);
        page.own_lines().map(|line| line.text.to_owned()).collect()
    }

    #[test]
    fn a_long_list_of_links_is_no_prose() {
        let links = "<a href=/a>one two</a> ".repeat(20);
        assert_eq!(own(&format!("<nav>{links}</nav><p>a")), ["a"]);
        let prose = "word ".repeat(MIN_WORDS_OF_PROSE);
        assert_eq!(own(&format!("<footer>{prose}{links}</footer>")).len(), 1);
        assert!(own(&format!("<footer>word {links}</footer>")).is_empty());
    }

    #[test]
    fn banners_of_consent_are_not_the_page() {
        let prose = "word ".repeat(MIN_WORDS_OF_PROSE);
        let banner = format!("<div id=onetrust-banner-sdk><p>{prose}</p><a href=/>x</a></div>");
        assert_eq!(own(&format!("<p>a</p>{banner}<p>b</p>")), ["a", "b"]);
        assert_eq!(own(&format!("<footer>c{banner}</footer><p>b</p>")), ["b"]);
    }
}
