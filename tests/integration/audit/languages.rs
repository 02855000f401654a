//! Pages in Chinese, Japanese, Thai, German and Turkish are read as their readers do.

use visibility_core::page::Document;
use visibility_core::text::words;
use visibility_tests::pages::languages::{LanguagePage, languages};

fn read(page: &LanguagePage) -> (Document, String) {
    let document = Document::parse(page.html().as_bytes(), Some("text/html; charset=utf-8"));
    let content = document.content();
    let texts: Vec<_> = content.blocks.into_iter().map(|block| block.text).collect();
    (document, texts.join("\n"))
}

#[test]
fn there_are_ten_pages_for_each_language() {
    for lang in ["zh", "ja", "th", "de", "tr"] {
        assert_eq!(languages().filter(|page| page.lang == lang).count(), 10, "{lang}");
    }
}

#[test]
fn title_and_sentences_are_the_main_text_and_the_chrome_is_not() {
    for page in languages() {
        let (document, text) = read(&page);
        let expected = [&[page.title][..], &page.sentences].concat().join("\n");
        let text = text.replace("A\n", "");
        assert_eq!(text, expected, "{page:?}");
        let dropped = document.content().dropped;
        assert_eq!(dropped.first().map(|dropped| dropped.rule), Some("nav"), "{page:?}");
    }
}

#[test]
fn every_page_has_words_and_sentences() {
    for page in languages() {
        let (document, text) = read(&page);
        let words = document.content().words;
        assert!((14..=60).contains(&words), "{page:?}: {words}");
        // Translations of one page have words of one order.
        let columns = words::columns(&text);
        assert!((3 * words..=9 * words).contains(&columns), "{page:?}: {columns} {words}");
        assert!(words::columns(page.title) >= 12, "{page:?}");
    }
}
