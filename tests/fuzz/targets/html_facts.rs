//! Facts of a page: bounded by the page, with lines that exist.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visibility_core::page::Page;

fuzz_target!(|body: &[u8]| {
    // The first byte chooses the charset, so that all decoders are reached.
    let (content_type, body) = match body.split_first() {
        Some((b'1', rest)) => (Some("text/html; charset=windows-1254"), rest),
        Some((b'2', rest)) => (Some("text/html; charset=utf-16le"), rest),
        Some((b'3', rest)) => (None, rest),
        _ => (Some("text/html; charset=utf-8"), body),
    };
    let page = Page::parse(body, content_type);
    // A broken byte becomes three, a character reference never grows beyond its source by more.
    assert!(page.visible_text.len() <= 4 * body.len() + 64);
    assert!(page.anchors.len() <= 5_000 && page.headings.len() <= 1_000);
    assert!(page.forms.len() <= 200 && page.prices.len() <= 50);
    let hidden: usize = page.hidden_texts.iter().map(|text| text.value.chars().count()).sum();
    assert!(hidden <= 4 * body.len() + 20_064);
    let lines = 4 * body.len() + 1;
    assert!(page.anchors.iter().all(|anchor| (1..=lines).contains(&anchor.line)));
    assert!(page.metas.iter().all(|meta| (1..=lines).contains(&meta.line)));
    assert!(page.main_text_offset.is_none_or(|offset| offset <= page.html_bytes));
});
