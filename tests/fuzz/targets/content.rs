//! Content of a page: bounded by the page, its blocks in order and with paths, as Markdown too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visibility_core::page::Document;

fuzz_target!(|body: &[u8]| {
    let document = Document::parse(body, Some("text/html; charset=utf-8"));
    let content = document.content();
    // A broken byte becomes three.
    let bytes = 3 * body.len();
    let lines = document.html().lines().count() + 1;
    assert!(content.blocks.len() <= 20_000 && content.pairs.len() <= 500);
    assert!(content.items.len() <= 500 && content.heavy.len() <= 3);
    assert!(content.bytes_before <= document.html().len());
    let mut text = 0;
    for block in &content.blocks {
        assert!(!block.text.is_empty() && !block.text.contains('\n'));
        assert!((1..=lines).contains(&block.line));
        assert!(!document.element_name(block.node).is_empty());
        let path = document.css_path(block.node);
        assert!(path.len() <= 512);
        text += block.text.len();
    }
    // Elements part words with a space.
    assert!(text <= 2 * bytes + 64);
    assert_eq!(content.blocks.iter().map(|block| block.words()).sum::<usize>(), content.words);
    assert!(content.hidden_chars <= 2 * bytes + 64);
    let _ = content.markdown();
});
