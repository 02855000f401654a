//! Text as a reader sees it: white space collapsed, blocks on lines of their own.

/// The text between two words. The order is that of strength.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Gap {
    #[default]
    None,
    Space,
    Line,
}

/// Collects text up to a number of characters.
#[derive(Debug)]
pub(super) struct TextBuilder {
    text: String,
    gap: Gap,
    room: usize,
}

impl TextBuilder {
    pub(super) fn new(max_chars: usize) -> Self {
        Self { text: String::new(), gap: Gap::None, room: max_chars }
    }

    /// Bytes collected so far.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// What was collected after so many bytes.
    pub(super) fn since(&self, len: usize) -> &str {
        self.text.get(len..).unwrap_or_default()
    }

    /// Parts what was collected from what comes.
    pub(super) fn part(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Adds text with its white space collapsed.
    pub(super) fn push(&mut self, text: &str) {
        if self.room == 0 {
            return;
        }
        if text.starts_with(char::is_whitespace) {
            self.part(Gap::Space);
        }
        let mut words = text.split_whitespace().peekable();
        if words.peek().is_none() {
            return;
        }
        for word in words {
            self.word(word);
            self.gap = Gap::Space;
        }
        if !text.ends_with(char::is_whitespace) {
            self.gap = Gap::None;
        }
    }

    fn word(&mut self, word: &str) {
        let gap = match self.gap {
            _ if self.text.is_empty() => "",
            Gap::None => "",
            Gap::Space => " ",
            Gap::Line => "\n",
        };
        if self.room <= gap.len() {
            self.room = 0;
            return;
        }
        self.room -= gap.len();
        self.text.push_str(gap);
        let chars = if word.len() <= self.room { word.len() } else { word.chars().count() };
        if chars <= self.room {
            self.text.push_str(word);
            self.room -= word.chars().count();
        } else {
            self.text.extend(word.chars().take(self.room));
            self.room = 0;
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// Text on one line, at most this many characters of it.
pub(super) fn collapse(text: &str, max_chars: usize) -> String {
    let mut builder = TextBuilder::new(max_chars);
    builder.push(text);
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_gap_parts_two_words() {
        let mut text = TextBuilder::new(usize::MAX);
        text.part(Gap::Line);
        text.push("  a b");
        text.push("c");
        text.part(Gap::Line);
        text.push(" \n ");
        text.part(Gap::Space);
        text.push("d\u{a0}e ");
        text.push("f");
        assert_eq!(text.finish(), "a bc\nd e f");
    }

    #[test]
    fn no_more_than_the_given_characters_are_kept() {
        assert_eq!(collapse("çç dd ee", 4), "çç d");
        assert_eq!(collapse("çç dd ee", 3), "çç");
        assert_eq!(collapse("çç dd ee", 5), "çç dd");
        assert_eq!(collapse("a", 0), "");
    }
}
