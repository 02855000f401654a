//! The text of a page that is its own: without navigation, footers and the line of the copyright.

use crate::page::Page;
use crate::text::words;

/// Words of a line of navigation or of a footer from which on it says something.
pub(crate) const MIN_WORDS_OF_PROSE: usize = 25;
/// Words of a line that is the copyright and nothing else.
const MAX_WORDS_OF_COPYRIGHT: usize = 15;

/// A line that is a page's own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct OwnLine<'p> {
    pub(crate) text: &'p str,
    pub(crate) words: usize,
}

impl Page {
    /// The lines of the visible text without navigation, footers and the copyright.
    pub(crate) fn own_lines(&self) -> impl Iterator<Item = OwnLine<'_>> {
        let text = self.visible_text.as_str();
        let mut from = 0;
        let mut parts = Vec::new();
        for navigation in &self.navigation {
            parts.push((text.get(from..navigation.start), 1));
            parts.push((text.get(navigation.clone()), MIN_WORDS_OF_PROSE));
            from = navigation.end;
        }
        parts.push((text.get(from..), 1));
        parts.into_iter().flat_map(|(part, least)| {
            let lines = part.unwrap_or_default().lines();
            let counted = lines.map(|text| OwnLine { text, words: words::count(text) });
            counted.filter(move |line| line.words >= least && !is_copyright(*line))
        })
    }
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
