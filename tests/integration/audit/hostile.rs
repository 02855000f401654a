//! Pages that want to do harm: they end, and cost what their size costs.

use visibility_core::audit::status::Status;
use visibility_core::report::audit::{badge, html, markdown, prompt};
use visibility_core::text::locale::Lang;
use visibility_tests::injection::{Depth, MARKERS, inject, outside_of_fences};
use visibility_tests::pages;
use visibility_tests::site::Reply;

use super::judged::Served;

fn page(body: impl Into<Vec<u8>>) -> Served {
    Served::new("https://example.com/a", body)
}

#[test]
fn hostile_pages_have_results() {
    let nested = format!("<!doctype html><title>a</title>{}", "<div><b>".repeat(100_000));
    let attribute = format!("<!doctype html><p title=\"{}\">a", "x".repeat(50_000_000));
    let nuls = format!("<!doctype html><h1>a\0b</h1>{}", "\0 word".repeat(50_000));
    let cells = format!("<!doctype html><table>{}", "<tr><th>a<td>1 kg".repeat(60_000));
    let links = format!("<!doctype html>{}", "<a href=/x>y</a> ".repeat(100_000));
    let json = format!(
        "<!doctype html><script type=application/ld+json>{}</script><p>a",
        "[".repeat(200_000)
    );
    let graph = format!(
        "<!doctype html><script type=application/ld+json>{{\"@graph\":[{}{{}}]}}</script><p>a",
        "{\"@type\":\"Product\",\"name\":\"a\",\"offers\":{\"price\":\"1\"}},".repeat(40_000)
    );
    let words = format!("<!doctype html><p>{}", "Bu 12 kg. ".repeat(100_000));
    let ids = format!(
        "<!doctype html>{}",
        "<p id=a class='nav nav nav' style='display:none'>x</p>".repeat(60_000)
    );
    let items = format!(
        "<!doctype html>{}",
        "<div itemscope itemprop=a itemtype=https://schema.org/Product>".repeat(50_000)
    );
    for body in [nested, attribute, nuls, cells, links, json, graph, words, ids, items] {
        let result = page(body).judged();
        assert!(
            result.status.has_page() || result.status == Status::NotFound,
            "{:?}",
            result.status
        );
        for text in
            [html::render(&result).into_string(), markdown::render(&result), badge::render(&result)]
        {
            assert!(text.len() < 1_000_000, "{}", text.len());
        }
    }
}

#[test]
fn a_wrong_charset_is_no_fault_of_ours() {
    let mut latin = page(
        b"<!doctype html><html lang=tr><title>\xc7ay</title><h1>\xc7ay</h1><p>\xfe\xfd\xf0"
            .to_vec(),
    );
    latin.headers = vec![("content-type".to_owned(), "text/html; charset=iso-8859-9".to_owned())];
    let result = latin.judged();
    assert_eq!(result.status, Status::Completed);
    assert_eq!(result.page.and_then(|page| page.title).as_deref(), Some("Çay"));
}

#[test]
fn strangers_text_stays_text_in_every_form() {
    let attack = "<script>alert(1)</script>";
    let body = format!(
        "<!doctype html><title>&lt;script>alert(1)&lt;/script></title><h1>&lt;script>alert(1)&lt;/script></h1>\
         <meta name=robots content=\"noindex, &lt;script>alert(1)&lt;/script>\"><p>Updated {attack}"
    );
    let result = page(body).judged();
    assert!(!html::render(&result).into_string().contains(attack));
    assert!(!badge::render(&result).contains(attack));
}

#[test]
fn what_a_page_wrote_is_never_outside_of_a_block_of_a_prompt() {
    let mut inside = 0;
    let bare =
        "<!doctype html><html><title>a</title><meta name=\"robots\" content=\"noindex\"><p>b"
            .to_owned();
    for body in [pages::product(), pages::landing(), pages::shell(), bare] {
        for depth in [Depth::Names, Depth::Everything] {
            let mut reply = Reply::html(body.clone());
            inject(&mut reply, depth);
            let mut served = page(reply.body);
            served.headers.extend(reply.headers.into_iter().skip(1));
            for lang in Lang::ALL {
                let text = prompt::render(&served.report().result(lang));
                inside += usize::from(text.contains(MARKERS[0]));
                let outside = outside_of_fences(&text);
                for marker in MARKERS {
                    assert!(!outside.contains(marker), "{lang} {depth:?}: {marker}\n{outside}");
                }
            }
        }
    }
    assert!(inside > 4, "the pages are not hostile: {inside}");
}
