//! What a page with few words is for: there is an address, a table, a form, a video or a list, and no more is needed.

use crate::audit::page::AuditedPage;
use crate::audit::prose::fact::{FactKind, facts};
use crate::page::Form;
use crate::page::content::BlockKind;

/// Items of a list, images of a gallery, lines of a poem, cells of a table, fields of a form.
const MIN_ITEMS: usize = 3;
const MIN_IMAGES: usize = 3;
const MIN_LINES: usize = 4;
const MIN_CELLS: usize = 4;
const MIN_FIELDS: usize = 2;
/// Words of a line of a poem.
const MIN_LINE_WORDS: usize = 3;

/// Whether a page has something that can be complete in few words.
pub(super) fn is_served(page: &AuditedPage<'_>) -> bool {
    has_data(page) || has_parts(page) || has_contact(page) || has_lines(page)
}

/// A date, an hour, a price, a phone number: a text with a number that is not just a year.
fn has_data(page: &AuditedPage<'_>) -> bool {
    let texts =
        page.content.blocks.iter().filter(|block| !matches!(block.kind, BlockKind::Heading(_)));
    let mut lines = texts.flat_map(|block| block.text.lines());
    lines.any(|line| {
        let mut years = facts(line).filter(|fact| fact.kind == FactKind::Year);
        let numbers = line.split(|ch: char| !ch.is_numeric()).filter(|part| !part.is_empty());
        numbers.count() > years.by_ref().count()
    })
}

/// A table, a list, terms with their meaning, media, a gallery, or a form to fill in.
fn has_parts(page: &AuditedPage<'_>) -> bool {
    let (content, facts) = (&page.content, page.page());
    let items = content.blocks.iter().filter(|block| block.kind == BlockKind::ListItem).count();
    items >= MIN_ITEMS
        || content.cells >= MIN_CELLS
        || !content.pairs.is_empty()
        || !content.media.is_empty()
        || content.images.len() >= MIN_IMAGES
        || !facts.frames.is_empty()
        || facts.forms.iter().any(is_to_fill_in)
}

/// Whether a form asks for more than a word to search for, or the address for a newsletter.
fn is_to_fill_in(form: &Form) -> bool {
    let fields =
        form.fields.iter().filter(|field| !matches!(field.kind.as_str(), "hidden" | "search"));
    fields.count() >= MIN_FIELDS
}

/// A link that calls or writes to someone.
fn has_contact(page: &AuditedPage<'_>) -> bool {
    let schemes = ["tel:", "mailto:"];
    page.page().anchors.iter().any(|anchor| {
        let href = anchor.href.trim_start();
        schemes.iter().any(|scheme| {
            href.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
        })
    })
}

/// Several lines that are set one below the other.
fn has_lines(page: &AuditedPage<'_>) -> bool {
    let lines = page.page().own_lines().filter(|line| line.words >= MIN_LINE_WORDS);
    lines.count() >= MIN_LINES
}
