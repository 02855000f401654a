//! The names of the denylist, and the one form in which names are compared.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::conditions::{Condition, TargetFacts};
use crate::ingest::byte_class;

/// The lists, ready to be looked up.
#[derive(Debug)]
pub(super) struct DenylistNames {
    entries: HashMap<Box<str>, Entry, foldhash::fast::FixedState>,
    /// The first two bytes that an entry has, one bit for each pair: most names are no entries, which one look shows.
    starts: Vec<u64>,
    suffixes: AffixesByByte,
    prefixes: AffixesByByte,
}

/// Starts or ends of names by their outermost byte: most names have none, which one look shows.
#[derive(Debug)]
struct AffixesByByte(Vec<Vec<String>>);

/// What the lists say of a squashed name.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// Denied as a whole name.
    is_exact: bool,
    /// Denied as a whole name in the extended profile.
    is_extended: bool,
    /// Never denied for a part of it.
    is_allowed: bool,
    /// Denied as one segment of a name.
    is_segment: bool,
    facts: TargetFacts,
    condition: Option<Condition>,
}

/// What becomes of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameMatch {
    pub(super) is_denied: bool,
    pub(super) facts: TargetFacts,
    pub(super) condition: Option<Condition>,
}

#[derive(Deserialize)]
struct File {
    default_profile: Profile,
    extended_profile_additional_names: Additional,
    explicit_allow: Vec<String>,
}

#[derive(Deserialize)]
struct Profile {
    exact: Vec<Exact>,
    segment_names: Vec<String>,
    suffix_names: Vec<String>,
    prefix_names: Vec<String>,
}

#[derive(Deserialize)]
struct Exact {
    name: String,
}

#[derive(Deserialize)]
struct Additional {
    names: Vec<String>,
}

impl DenylistNames {
    /// The lists that are built in.
    ///
    /// # Panics
    ///
    /// Never: a test parses the data.
    pub(super) fn embedded() -> &'static Self {
        static NAMES: OnceLock<DenylistNames> = OnceLock::new();
        NAMES.get_or_init(|| {
            let file = serde_json::from_str(include_str!("../../../data/query_denylist.json"));
            #[expect(clippy::expect_used, reason = "embedded data; a test parses it")]
            let file: File = file.expect("query_denylist.json is valid");
            Self::from_file(&file)
        })
    }

    fn from_file(file: &File) -> Self {
        let profile = &file.default_profile;
        let suffixes = profile.suffix_names.iter().map(|name| squashed(name));
        let prefixes = profile.prefix_names.iter().map(|name| squashed(name));
        let mut names = Self {
            entries: HashMap::default(),
            starts: vec![0; 1 << 10],
            suffixes: AffixesByByte::new(suffixes, |name| name.last().copied()),
            prefixes: AffixesByByte::new(prefixes, |name| name.first().copied()),
        };
        for exact in &profile.exact {
            names.entry(&exact.name).is_exact = true;
        }
        for name in &file.extended_profile_additional_names.names {
            names.entry(name).is_extended = true;
        }
        for name in &file.explicit_allow {
            names.entry(name).is_allowed = true;
        }
        for name in &profile.segment_names {
            names.entry(name).is_segment = true;
        }
        for (name, facts) in TargetFacts::NAMES {
            names.entry(name).facts = facts;
        }
        for (name, condition) in Condition::ALL {
            names.entry(name).condition = Some(condition);
        }
        names
    }

    fn entry(&mut self, name: &str) -> &mut Entry {
        let name = squashed(name);
        let (word, bit) = start(&name);
        if let Some(word) = self.starts.get_mut(word) {
            *word |= bit;
        }
        self.entries.entry(name.into()).or_default()
    }

    /// What the lists say of a squashed name.
    fn get(&self, name: &str) -> Option<&Entry> {
        let (word, bit) = start(name);
        let may_be_there = self.starts.get(word).is_some_and(|word| word & bit != 0);
        if may_be_there { self.entries.get(name) } else { None }
    }

    /// Looks a decoded name up. `scratch` is scratch space.
    pub(super) fn find(
        &self,
        name: &str,
        scratch: &mut NameBuffer,
        is_extended: bool,
    ) -> NameMatch {
        // Most names are squashed already and have one segment.
        let is_plain = byte_class::all(name.as_bytes(), |byte| {
            u8::from(byte.is_ascii_lowercase() | byte.is_ascii_digit())
        });
        let is_segment = |segment: &str| self.get(segment).is_some_and(|entry| entry.is_segment);
        let has_segment = !is_plain && scratch.read(name, is_segment);
        let name = if is_plain { name } else { scratch.squashed.as_str() };
        let entry = self.get(name).copied().unwrap_or_default();
        let bytes = name.as_bytes();
        let is_part = || {
            let suffixes = bytes.last().map_or(&[][..], |last| self.suffixes.of(*last));
            let prefixes = bytes.first().map_or(&[][..], |first| self.prefixes.of(*first));
            has_segment
                || suffixes.iter().any(|suffix| name.ends_with(suffix))
                || prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        let is_denied = entry.is_exact
            || (is_extended && entry.is_extended)
            || (!entry.is_allowed && is_part());
        NameMatch { is_denied, facts: entry.facts, condition: entry.condition }
    }
}

impl AffixesByByte {
    fn new(affixes: impl Iterator<Item = String>, outermost: fn(&[u8]) -> Option<u8>) -> Self {
        let mut by_byte = vec![Vec::new(); 256];
        for affix in affixes {
            let place = outermost(affix.as_bytes()).map(usize::from);
            if let Some(affixes) = place.and_then(|place| by_byte.get_mut(place)) {
                affixes.push(affix);
            }
        }
        Self(by_byte)
    }

    fn of(&self, byte: u8) -> &[String] {
        self.0.get(usize::from(byte)).map_or(&[], Vec::as_slice)
    }
}

/// The place of the first two bytes of a name among those of the entries.
fn start(name: &str) -> (usize, u64) {
    let pair = match name.as_bytes() {
        [first, second, ..] => u16::from_be_bytes([*first, *second]),
        [only] => u16::from_be_bytes([*only, 0]),
        [] => 0,
    };
    (usize::from(pair / 64), 1 << (pair % 64))
}

fn squashed(name: &str) -> String {
    let mut scratch = NameBuffer::default();
    scratch.read(name, |_| false);
    scratch.squashed
}

/// Scratch space for a name in the form in which it is compared.
#[derive(Debug, Default)]
pub(super) struct NameBuffer {
    squashed: String,
    segment: String,
    normal: String,
}

impl NameBuffer {
    /// Squashes a name; says whether it has segments, and the test holds for one of them.
    fn read(&mut self, name: &str, is_denied: impl Fn(&str) -> bool) -> bool {
        let Self { squashed, segment, normal } = self;
        let name = if name.bytes().all(|byte| (b' '..0x7F).contains(&byte)) {
            name
        } else {
            normalize(name, normal);
            normal
        };
        squashed.clear();
        segment.clear();
        let (mut has_segments, mut is_found) = (false, false);
        let mut characters = name.chars().peekable();
        let mut before = '\0';
        while let Some(character) = characters.next() {
            let next = characters.peek().copied().unwrap_or('\0');
            let is_bracket = matches!(character, '[' | ']' | '.');
            if is_bracket || is_camel(before, character, next) {
                has_segments = true;
                is_found |= is_denied(segment);
                segment.clear();
            }
            before = character;
            if !is_bracket && !matches!(character, '_' | '-' | ':' | '$' | ' ') {
                if character.is_ascii() {
                    squashed.push(character.to_ascii_lowercase());
                    segment.push(character.to_ascii_lowercase());
                    continue;
                }
                for folded in character.to_lowercase() {
                    squashed.push(folded);
                    segment.push(folded);
                }
            }
        }
        has_segments && (is_found || is_denied(segment))
    }
}

/// Whether a word of a name in camel case begins at a character.
fn is_camel(before: char, character: char, next: char) -> bool {
    let is_word = before.is_lowercase() || before.is_numeric();
    character.is_uppercase() && (is_word || (before.is_uppercase() && next.is_lowercase()))
}

/// Decomposes a name as NFKC does, and drops marks and what cannot be seen.
fn normalize(name: &str, normal: &mut String) {
    normal.clear();
    // One character becomes up to 18 of another script there, which costs time and names nothing.
    for character in name.chars().filter(|character| !is_ligature(*character)).nfkd() {
        match character {
            'ı' => normal.push('i'),
            'ß' | 'ẞ' => normal.push_str("ss"),
            _ if character.is_control()
                || is_combining_mark(character)
                || is_invisible(character) => {}
            _ => normal.push(character),
        }
    }
}

/// Arabic words as one character.
fn is_ligature(character: char) -> bool {
    matches!(character, '\u{fdf0}'..='\u{fdfb}')
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}
