//! Pieces of text that fixes offer to paste, taken from the page.

use crate::audit::facts::stated;
use crate::audit::facts::subject;
use crate::audit::facts::text_language;
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::prose::opener;
use crate::audit::prose::review;
use crate::page::NodeId;
use crate::page::content::{Block, BlockKind};
use crate::text::fold::fold;
use crate::text::locale::{Catalog, Values};
use crate::text::sentence::{is_closed, is_statement, sentences, words};

/// Characters of a description that search results show.
const MAX_DESCRIPTION_CHARS: usize = 160;
/// Characters below which a description says too little.
const MIN_DESCRIPTION_CHARS: usize = 40;
/// Characters of a proposed title.
const MAX_TITLE_CHARS: usize = 90;
/// Words of a post, and blocks before one of another that are looked at.
const MIN_POST_WORDS: usize = 2;
const MAX_BEFORE: usize = 100;
/// Words of a paragraph that is not a label.
const MIN_LEAD_WORDS: usize = 8;

/// A title: the name or the heading, and who speaks if there is room.
pub(crate) fn title(page: &AuditedPage<'_>) -> Option<String> {
    let site = subject::brand(page).map(|brand| fold(&brand));
    let heading = subject::heading(page.page()).map(|heading| heading.text.as_str());
    let is_only = page.page().h1s().filter(|heading| !heading.text.is_empty()).nth(1).is_none();
    let heading =
        heading.filter(|heading| is_only && site.as_deref() != Some(fold(heading.trim()).as_str()));
    let subject = page.stated().name().or_else(|| subject::proven_name(page)).or_else(|| {
        heading
            .or_else(|| page.page().title.as_ref().map(|title| title.value.as_str()))
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    })?;
    let brand = subject::brand(page).filter(|brand| !subject.contains(brand.as_str()));
    let full = brand.map(|brand| format!("{subject} | {brand}"));
    let full = full.filter(|full| full.chars().count() <= MAX_TITLE_CHARS);
    stated::clean(&full.unwrap_or_else(|| shortened(&subject, MAX_TITLE_CHARS)))
}

/// A description: the first sentences of the text that say something.
pub(crate) fn description(page: &AuditedPage<'_>) -> Option<String> {
    let lead = statement(page)?;
    let mut text = String::new();
    for sentence in sentences(&lead.text) {
        let chars = text.chars().count() + sentence.chars().count() + 1;
        if !text.is_empty() && chars > MAX_DESCRIPTION_CHARS {
            break;
        }
        text.push_str(if text.is_empty() { "" } else { " " });
        text.push_str(sentence);
        if chars > MAX_DESCRIPTION_CHARS {
            break;
        }
    }
    let text = stated::clean(&shortened(&text, MAX_DESCRIPTION_CHARS))?;
    (text.chars().count() >= MIN_DESCRIPTION_CHARS).then_some(text)
}

/// The first paragraph that says what the page is about. What does not end as a sentence is a label, or a list of words.
pub(crate) fn statement<'a>(page: &'a AuditedPage<'_>) -> Option<&'a Block> {
    let mut leads = leads(page).filter(|block| {
        is_statement(&block.text) && !block.text.contains('•') && !opens_with_question(page, block)
    });
    // Where a page is a thread or a list, each of its parts speaks of itself.
    let may_have_parts =
        |profile| matches!(profile, Profile::Forum | Profile::Collection | Profile::Listing);
    let is_of_parts = page.profiles().as_slice().iter().any(|profile| may_have_parts(*profile));
    let lead = leads.next()?;
    if is_of_parts && is_in_later_part(page, lead.node, lead.line) {
        return None;
    }
    let is_of_list =
        matches!(page.profiles().certain(), Some(Profile::Collection | Profile::Listing));
    if is_of_list && page.document.has_like_siblings(lead.node) {
        return None;
    }
    Some(lead)
}

/// Whether a text begins with a question, which invites its readers, unless it is the one of a thread.
fn opens_with_question(page: &AuditedPage<'_>, block: &Block) -> bool {
    let first = sentences(&block.text).next().unwrap_or_default();
    !page.profiles().may_be(Profile::Forum) && first.ends_with('?')
}

/// Whether an element is in a later one of several like parts: text goes before it in a part like its own, as the
/// first post of a thread goes before its answers.
pub(crate) fn is_in_later_part(page: &AuditedPage<'_>, node: NodeId, line: usize) -> bool {
    let texts = page.content.blocks.iter().filter(|block| {
        block.kind == BlockKind::Paragraph && words(&block.text).nth(MIN_POST_WORDS - 1).is_some()
    });
    let mut before =
        texts.take_while(|block| block.line <= line && block.node != node).take(MAX_BEFORE);
    before.any(|block| block.node < node && page.document.are_in_like_siblings(block.node, node))
}

/// The first paragraph that is not a label, no line with a rating, no filler, and does not point back at another one.
pub(crate) fn lead<'a>(page: &'a AuditedPage<'_>) -> Option<&'a Block> {
    leads(page).next()
}

/// All paragraphs that may be the first one.
fn leads<'a>(page: &'a AuditedPage<'_>) -> impl Iterator<Item = &'a Block> {
    // What begins with the author's name is about them.
    let author = page.author().map(|author| author.name.as_str());
    page.content.blocks.iter().filter(move |block| {
        block.kind == BlockKind::Paragraph
            && !author.is_some_and(|author| block.text.starts_with(author))
            && words(&block.text).nth(MIN_LEAD_WORDS - 1).is_some()
            && (is_closed(&block.text) || review::rating(&block.text).is_none())
            && opener::filler(&block.text, page.language).is_none()
            && !opener::is_dangling(&block.text, page.language)
    })
}

/// What shows the text of a page: its first real paragraph, else its first text that is not a heading,
/// else its first block.
pub(crate) fn opening<'a>(page: &'a AuditedPage<'_>) -> Option<&'a Block> {
    let blocks = &page.content.blocks;
    lead(page)
        .or_else(|| blocks.iter().find(|block| !matches!(block.kind, BlockKind::Heading(_))))
        .or_else(|| blocks.first())
}

/// A text cut at the end of a word, with an ellipsis if it was.
pub(crate) fn shortened(text: &str, max_chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(max_chars) else { return text.to_owned() };
    let room = text.char_indices().nth(max_chars.saturating_sub(1)).map_or(end, |(at, _)| at);
    let start = text.get(..room).unwrap_or_default();
    let whole = start.rfind(' ').and_then(|at| start.get(..at)).unwrap_or(start);
    format!("{}…", whole.trim_end_matches([' ', ',', ';', '-']))
}

/// A sentence of the locales in the language of the page; `None` where that is not one of ours: a sentence in
/// another one is of no use.
pub(crate) fn sentence(page: &AuditedPage<'_>, path: &[&str], values: &Values) -> Option<String> {
    Some(Catalog::for_lang(text_language::locale(page)?).fill(path, values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    #[test]
    fn titles_and_descriptions_are_made_of_the_page() {
        let page = fixture(
            "<meta property=og:site_name content=Acme><main><h1>K2 Kettle</h1><p>Welcome to our shop, dear \
             friend, here is more.</p><p>The K2 boils 1.7 liters of water in four minutes. It switches itself \
             off and is made of steel. A third sentence follows that does not fit into the description that search results show.</p></main>",
        );
        let page = page.audited();
        assert_eq!(title(&page).as_deref(), Some("K2 Kettle | Acme"));
        assert_eq!(
            description(&page).as_deref(),
            Some(
                "The K2 boils 1.7 liters of water in four minutes. It switches itself off and is made of steel."
            )
        );
    }

    #[test]
    fn a_thread_is_described_by_its_first_post() {
        let post = |text: &str| format!("<div class=post><b>Ada</b><p>{text}</p></div>");
        let answer = post("For me it is a no brainer, take the Dornfeld with the long handle.");
        let read = |first: &str| {
            let html = format!("<main><h1>Which knife?</h1>{}{answer}</main>", post(first));
            description(&fixture(&html).with_profile(Profile::Forum).audited())
        };
        let asked =
            "I want to buy a knife for rye bread that keeps its edge. Which one would that be?";
        assert_eq!(read(asked).as_deref(), Some(asked));
        assert_eq!(read("Hello, which one?"), None);
    }

    #[test]
    fn a_description_is_made_of_sentences() {
        let said = "The K2 boils 1.7 liters of water in four minutes.";
        for label in [
            "You are now shopping in the currency of New Zealand",
            "Bars • Nightlife • Business • Food • Dining • Travel • Leisure.",
        ] {
            let page = fixture(&format!("<main><h1>K2</h1><p>{label}</p><p>{said}</p></main>"));
            assert_eq!(description(&page.audited()).as_deref(), Some(said), "{label}");
        }
    }

    #[test]
    fn a_rating_or_a_label_opens_no_page() {
        let said = "The K2 boils 1.7 liters of water in four minutes.";
        for (html, expected) in [
            (
                format!(
                    "<h1>K2</h1><p>Acme</p><p>Rated 4.6 out of 5 by 1,234 customers of ours</p><p>{said}</p>"
                ),
                said,
            ),
            (format!("<h1>K2</h1><p>★★★★☆ 4,6 (1.234 değerlendirme)</p><p>{said}</p>"), said),
            ("<h1>K2</h1><p>Acme</p>".to_owned(), "Acme"),
            ("<h1>K2</h1>".to_owned(), "K2"),
        ] {
            let page = fixture(&format!("<main>{html}</main>"));
            assert_eq!(opening(&page.audited()).unwrap().text, expected, "{html}");
        }
    }

    #[test]
    fn nothing_is_invented() {
        let page = fixture("<p>Short.</p>");
        assert_eq!((title(&page.audited()), description(&page.audited())), (None, None));
    }

    #[test]
    fn texts_are_cut_at_words() {
        assert_eq!(shortened("one two three", 13), "one two three");
        assert_eq!(shortened("one two three", 10), "one two…");
        assert_eq!(shortened("çççççç", 3), "çç…");
        assert_eq!(shortened("", 3), "");
    }
}
