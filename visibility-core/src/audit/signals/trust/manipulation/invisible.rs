//! Characters that carry a text which readers do not see.

use memchr::memchr3_iter;

use super::{Hit, TAG_CHARACTERS, ZERO_WIDTH_RUN};
use crate::audit::page::AuditedPage;

/// Tag characters that hide a text.
const MIN_TAGS: usize = 4;
/// Characters without width in a row that hide one.
const MIN_RUN: usize = 8;
/// Different characters in such a row: with one alone, nothing can be written.
const MIN_DISTINCT: usize = 2;
/// Characters that are shown before what was found, and of it.
/// Longest pattern that repeats in such a line.
const MAX_PATTERN: usize = 12;
const MAX_BEFORE: usize = 40;
const MAX_SHOWN: usize = 40;

/// The first text of the page that holds such characters.
///
/// A row counts within one text: libraries of placeholders put a single character into each of many
/// elements.
pub(super) fn find(page: &AuditedPage<'_>) -> Option<Hit> {
    let covert = page.content.covert.iter().map(|covert| (covert.node, covert.text.as_str()));
    page.document.texts().chain(covert).find_map(|(node, text)| {
        let found = Invisible::find(text);
        let (seen, start) = if found.tags >= MIN_TAGS {
            (TAG_CHARACTERS.with("count", found.tags), found.first_tag)
        } else if found.longest_run >= MIN_RUN && !is_padding(text) {
            (ZERO_WIDTH_RUN.with("count", found.longest_run), found.run_start)
        } else {
            return None;
        };
        let line = page.document.line_of(node);
        Some((seen, vec![page.evidence(&escaped(text, start), line, node)]))
    })
}

/// Whether a text ends in a pattern of characters without width, as the preview line of a newsletter
/// does to push out what follows: a pattern that repeats says nothing.
fn is_padding(text: &str) -> bool {
    let is_blank =
        |ch: char| is_empty(ch) || ch.is_whitespace() || matches!(ch, '\u{ad}' | '\u{34f}');
    let words = text.trim_end_matches(is_blank);
    let tail: Vec<char> =
        text.get(words.len()..).unwrap_or_default().chars().filter(|ch| is_empty(*ch)).collect();
    let is_before = Invisible::find(words).longest_run >= MIN_RUN;
    let repeats =
        |len: usize| tail.iter().zip(tail.iter().skip(len)).all(|(one, next)| one == next);
    !is_before && (1..=MAX_PATTERN).any(|len| tail.len() >= 2 * len && repeats(len))
}

/// The text around a place, with its invisible characters by their numbers.
fn escaped(text: &str, start: usize) -> String {
    let before = text.get(..start).unwrap_or_default();
    let skipped = before.chars().count().saturating_sub(MAX_BEFORE);
    let around = text.chars().skip(skipped).take(MAX_BEFORE + MAX_SHOWN);
    let mut out = String::new();
    for ch in around {
        if is_tag(ch) || is_empty(ch) {
            out.push_str(&format!("[U+{:04X}]", u32::from(ch)));
        } else {
            out.push(ch);
        }
    }
    out
}

/// Characters without a shape in one text.
#[derive(Clone, Copy, Debug, Default)]
struct Invisible {
    /// Tag characters outside of flags.
    tags: usize,
    /// Where the first of them is, in bytes.
    first_tag: usize,
    /// The longest row of characters without width that differ.
    longest_run: usize,
    /// Where it begins.
    run_start: usize,
}

fn is_tag(ch: char) -> bool {
    matches!(ch, '\u{e0000}'..='\u{e007f}')
}

fn is_empty(ch: char) -> bool {
    matches!(ch, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// An open row of characters without width.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    start: usize,
    len: usize,
    first: Option<char>,
    distinct: usize,
}

impl Run {
    fn add(&mut self, ch: char) {
        self.len += 1;
        match self.first {
            None => (self.first, self.distinct) = (Some(ch), 1),
            Some(first) if first != ch => self.distinct = MIN_DISTINCT,
            Some(_) => {}
        }
    }
}

impl Invisible {
    fn find(text: &str) -> Self {
        let mut found = Self::default();
        let mut run = Run::default();
        let (mut end, mut is_flag) = (0, false);
        // The first bytes of all characters that are looked for.
        for start in memchr3_iter(0xe2, 0xef, 0xf3, text.as_bytes()) {
            let Some(ch) = text.get(start..).and_then(|rest| rest.chars().next()) else { continue };
            if !is_tag(ch) && !is_empty(ch) {
                continue;
            }
            let is_next = start == end;
            let before = text.get(..start).unwrap_or_default();
            // Flags of regions are a black flag and tags that spell the region.
            is_flag = is_tag(ch) && (is_next && is_flag || before.ends_with('\u{1f3f4}'));
            if is_tag(ch) && !is_flag {
                found.first_tag = if found.tags == 0 { start } else { found.first_tag };
                found.tags += 1;
            }
            if !is_next || is_tag(ch) {
                run = Run { start, ..Run::default() };
            }
            if is_empty(ch) {
                run.add(ch);
            }
            end = start + ch.len_utf8();
            if run.distinct >= MIN_DISTINCT && run.len > found.longest_run {
                (found.longest_run, found.run_start) = (run.len, run.start);
            }
        }
        found
    }
}
