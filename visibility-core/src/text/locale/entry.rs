//! A file of sentences as it is parsed: its texts are borrowed from it, since it is a part of the program.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// Sections and sentences by their names.
pub(super) type Section = BTreeMap<Text, Entry>;

/// What a name stands for.
#[derive(Debug)]
pub(super) enum Entry {
    Sentence(Text),
    Section(Section),
}

/// A text of the file; one with escapes is a copy.
#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Text(Cow<'static, str>);

impl Entry {
    /// What is at a path below it.
    pub(super) fn find(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |entry, name| match entry {
            Self::Section(section) => section.get(*name),
            Self::Sentence(_) => None,
        })
    }
}

impl Text {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl Deserialize<'static> for Entry {
    fn deserialize<D: Deserializer<'static>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

impl Deserialize<'static> for Text {
    fn deserialize<D: Deserializer<'static>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct EntryVisitor;

impl Visitor<'static> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sentence or a section")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'static str) -> Result<Entry, E> {
        TextVisitor.visit_borrowed_str(text).map(Entry::Sentence)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Entry, E> {
        TextVisitor.visit_str(text).map(Entry::Sentence)
    }

    fn visit_map<A: MapAccess<'static>>(self, mut members: A) -> Result<Entry, A::Error> {
        let mut section = Section::new();
        while let Some((name, entry)) = members.next_entry()? {
            section.insert(name, entry);
        }
        Ok(Entry::Section(section))
    }
}

struct TextVisitor;

impl Visitor<'static> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'static str) -> Result<Text, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}
