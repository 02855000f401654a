//! Text that is only in the data of scripts.

use crate::audit::page::AuditedPage;
use crate::page::content::Blob;

/// Bytes of data that are looked at, and texts in it.
const MAX_BYTES: usize = 2 * 1024 * 1024;
const MAX_TEXTS: usize = 500;
/// Bytes of a sentence, and spaces in it. Labels and messages of forms are shorter.
const MIN_BYTES: usize = 60;
const MIN_SPACES: usize = 8;
/// Bytes by which a text is found again.
const PROBE_BYTES: usize = 40;

/// What the data of a script has that the page does not.
#[derive(Debug, Default, PartialEq)]
pub(super) struct WithheldText {
    pub(super) words: usize,
    /// The first of it.
    pub(super) first: String,
}

/// Reads the sentences in a data block which are not in the page, shown or hidden.
pub(super) fn read(page: &AuditedPage<'_>, blob: &Blob) -> WithheldText {
    let streamed = page.page().scripts.iter().filter(|script| script.code.contains(&blob.name));
    let own = page.document.raw_text(blob.node);
    let pieces = std::iter::once(own).chain(streamed.map(|script| script.code.as_str()).skip(1));
    let mut room = MAX_BYTES;
    let mut withheld = WithheldText::default();
    let sentences = pieces.flat_map(|piece| {
        let piece = piece.get(..piece.floor_char_boundary(room)).unwrap_or_default();
        room -= piece.len();
        sentences(piece)
    });
    for sentence in sentences.take(MAX_TEXTS) {
        let probe = sentence.get(..sentence.floor_char_boundary(PROBE_BYTES)).unwrap_or_default();
        let is_hidden = || page.content.hidden.iter().any(|block| block.text.contains(probe));
        if page.page().visible_text.contains(probe) || is_hidden() {
            continue;
        }
        withheld.words += sentence.split_whitespace().count();
        if withheld.first.is_empty() {
            sentence.clone_into(&mut withheld.first);
        }
    }
    withheld
}

/// What reads like a sentence: a long run of words without the signs of code and markup.
fn sentences(data: &str) -> impl Iterator<Item = &str> {
    let is_code =
        |ch: char| matches!(ch, '"' | '\\' | '<' | '>' | '{' | '}' | '[' | ']' | '=' | '|' | ';');
    let runs = data.split(is_code).map(str::trim);
    runs.filter(|run| run.len() >= MIN_BYTES && run.matches(' ').count() >= MIN_SPACES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_known_from_code_and_labels() {
        let data = r#"{"id":7,"label":"Add to cart","body":"<p>The mill grinds two tonnes of rye each day, and it rests on Sundays.</p>","css":"a { color: red; b: c; d: e } f g h i j k l m n"}"#;
        let found: Vec<&str> = sentences(data).collect();
        assert_eq!(found, ["The mill grinds two tonnes of rye each day, and it rests on Sundays."]);
    }
}
