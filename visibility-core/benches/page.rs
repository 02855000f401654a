//! Time to read a page: a typical one, and those that are made to take long.

use std::fmt::Write as _;
use std::hint::black_box;

use chrono::DateTime;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use visibility_core::audit::audit;
use visibility_core::audit::snapshot::{AuditId, PageSnapshot};
use visibility_core::page::{Document, Page};
use visibility_core::text::locale::Lang;

const MIB: usize = 1024 * 1024;

/// A shop page of about 350 KB: head, inline state, menu, product cards, footer.
fn typical_page() -> String {
    let mut html = String::from(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Chairs</title>\
         <meta name=description content='Chairs for every room'>\
         <script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@graph\":[\
         {\"@type\":\"Organization\",\"name\":\"Chairs\",\"url\":\"https://example.com/\"}]}</script>",
    );
    html.push_str("<script>window.state={\"items\":[");
    for i in 0..900 {
        let _ =
            write!(html, "{{\"id\":{i},\"name\":\"Chair {i}\",\"price\":{i}.99,\"stock\":true}},");
    }
    html.push_str("]}</script></head><body><header><nav><ul>");
    for i in 0..150 {
        let _ = write!(
            html,
            "<li class=\"nav-item level-1\"><a class=\"link\" href=\"/c/{i}\">Category {i}</a></li>"
        );
    }
    html.push_str("</ul></nav></header><main><h1>Chairs</h1>");
    for i in 0..450 {
        let _ = write!(
            html,
            "<div class=\"card card--product\" data-id=\"{i}\" itemscope itemtype=\"https://schema.org/Product\">\n\
             <a href=\"/p/{i}\" class=\"card__link\" aria-label=\"Chair {i}\"><img src=\"/i/{i}.jpg\" alt=\"Chair {i}\" \
             width=400 height=400 loading=lazy srcset=\"/i/{i}@1x.jpg 1x, /i/{i}@2x.jpg 2x\"></a>\n\
             <h2 class=\"card__title\">Chair {i}</h2><p>A chair of <b>oak</b> &amp; linen for living rooms, \
             made in small numbers by hand. Ships in {i} days.</p>\n\
             <span class=\"price\">&euro;{i},99</span><!-- stock -->\
             <button type=button class=\"btn btn--primary\">Add to cart</button></div>\n"
        );
    }
    html.push_str("</main><footer><p hidden>menu</p><p>© Chairs</p></footer></body></html>");
    html
}

fn typical(criterion: &mut Criterion) {
    let html = typical_page();
    let mut group = criterion.benchmark_group("page");
    group.throughput(Throughput::Bytes(html.len() as u64));
    group.bench_function("typical", |bencher| {
        bencher.iter(|| Page::parse(black_box(html.as_bytes()), None));
    });
    group.finish();
}

/// The page of one product, of about 350 KB as the median of shops: mostly scripts and styles, a long
/// menu, a description, a table, reviews, other products.
fn product_page() -> String {
    let mut html = String::from(
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<title>Oak chair | Chairs</title>\n\
         <meta name=description content='A chair of oak, made by hand'>\n\
         <link rel=canonical href=https://example.com/p/1>\n\
         <script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\
         \"name\":\"Oak chair\",\"offers\":{\"@type\":\"Offer\",\"price\":\"149.00\",\"priceCurrency\":\"EUR\"}}\
         </script>\n<style>",
    );
    for i in 0..600 {
        let _ = writeln!(html, ".c{i}{{display:flex;margin:0 {i}px;color:#{i:06x}}}");
    }
    html.push_str("</style>\n<script>window.__INITIAL_STATE__={\"items\":[");
    for i in 0..1_200 {
        let _ = write!(
            html,
            "{{\"id\":{i},\"name\":\"Chair {i}\",\"price\":{i}.99,\"stock\":true,\"tags\":[\"a\",\"b\"]}},"
        );
    }
    html.push_str("]}</script>\n</head>\n<body class='template-product has-menu'>\n<header><nav class='site-nav'><ul>\n");
    for i in 0..250 {
        let _ = writeln!(
            html,
            "<li class=\"nav-item level-{}\"><a class=\"nav-link\" href=\"/c/{i}\"><span>Category {i}</span></a></li>",
            i % 3
        );
    }
    product_text(&mut html);
    related(&mut html);
    html.push_str("</footer>\n<script>");
    for i in 0..1_400 {
        let _ = writeln!(
            html,
            "function f{i}(a,b){{return a<b?a.x{i}:b[{i}]||__webpack_require__({i})}}"
        );
    }
    html.push_str("</script>\n</body></html>");
    html
}

/// What the page says of its product.
fn product_text(html: &mut String) {
    html.push_str(
        "</ul></nav></header>\n<main id=MainContent>\n<nav aria-label=breadcrumb class=breadcrumbs>\
         <a href=/>Home</a><a href=/c>Chairs</a></nav>\n<h1>Oak chair</h1>\n<div class=product__price>\
         <span class=price itemprop=price>&euro;149.00</span></div>\n<div class=product__media>\n",
    );
    for i in 0..12 {
        let _ = writeln!(
            html,
            "<figure class=\"media media--{i}\"><img src=\"/i/{i}.jpg\" alt=\"Oak chair, view {i}\" width=800 height=800 \
             srcset=\"/i/{i}@1x.jpg 1x, /i/{i}@2x.jpg 2x\" sizes=\"(min-width: 990px) 495px\" loading=lazy></figure>"
        );
    }
    html.push_str("</div>\n<div class='product__description rte'>\n");
    for i in 0..30 {
        let _ = writeln!(
            html,
            "<p>A chair of <b>oak</b> &amp; linen for living rooms, made in small numbers by hand in batch {i}. It \
             <a href=\"/care/{i}\">needs little care</a>, lasts for decades and can be repaired.</p>"
        );
    }
    html.push_str("</div>\n<table class=specs><tbody>\n");
    for i in 0..60 {
        let _ = writeln!(html, "<tr><th scope=row>Property {i}</th><td>{i} mm</td></tr>");
    }
    html.push_str("</tbody></table>\n<ul class=reviews>\n");
    for i in 0..80 {
        let _ = writeln!(
            html,
            "<li class=\"review\" itemprop=review itemscope itemtype=\"https://schema.org/Review\"><h3 itemprop=name>Good \
             chair {i}</h3><p itemprop=reviewBody>I have sat on it for {i} months and it does not creak.</p>\
             <time itemprop=datePublished datetime=\"2026-01-02\">2 January</time></li>"
        );
    }
}

/// What the page says of other products, and its footer.
fn related(html: &mut String) {
    html.push_str("</ul>\n<section class=related-products>\n");
    for i in 0..150 {
        let _ = writeln!(
            html,
            "<div class=\"card card--product\" data-id=\"{i}\"><a href=\"/p/{i}\" class=\"card__link\"><img \
             src=\"/i/{i}.jpg\" alt=\"Chair {i}\" width=400 height=400 loading=lazy></a><h2 class=\"card__title\">Chair \
             {i}</h2><svg viewBox=\"0 0 24 24\"><path d=\"M12 2l3 7h7l-5.5 4.5L18 21l-6-4-6 4 1.5-7.5L2 9h7z\"/></svg>\
             <span class=\"price\">&euro;{i}.99</span><button type=button class=\"btn btn--primary\">Add to \
             cart</button></div>"
        );
    }
    html.push_str("</section>\n</main>\n<footer>\n");
    for i in 0..80 {
        let _ = writeln!(html, "<a class=\"footer__link\" href=\"/about/{i}\">About us {i}</a>");
    }
}

/// What the page audit asks of a page.
fn content(criterion: &mut Criterion) {
    let html = product_page();
    let document = Document::parse(html.as_bytes(), None);
    let content = document.content();
    assert!(content.words > 1_000 && content.pairs.len() == 60);
    let mut group = criterion.benchmark_group("content");
    group.throughput(Throughput::Bytes(html.len() as u64));
    group.bench_function("parse", |bencher| {
        bencher.iter(|| Document::parse(black_box(html.as_bytes()), None));
    });
    group.bench_function("content", |bencher| bencher.iter(|| black_box(&document).content()));
    group.bench_function("parse-and-content", |bencher| {
        bencher.iter(|| Document::parse(black_box(html.as_bytes()), None).content());
    });
    group.bench_function("markdown", |bencher| bencher.iter(|| black_box(&content).markdown()));
    group.bench_function("css-paths", |bencher| {
        bencher.iter_batched(
            || Document::parse(html.as_bytes(), None),
            |document| {
                content
                    .blocks
                    .iter()
                    .map(|block| document.css_path(block.node).len())
                    .sum::<usize>()
            },
            criterion::BatchSize::LargeInput,
        );
    });
    group.finish();
}

/// A whole audit, from bytes to a report, and the report in one language.
fn audits(criterion: &mut Criterion) {
    let html = product_page();
    let id = AuditId::from_content([html.as_bytes()]);
    let url = "https://shop.example.com/chairs/oak".parse().ok();
    let size = html.len() as u64;
    let snapshot = PageSnapshot::from_file(id, "chair.html", url, html, DateTime::UNIX_EPOCH);
    let report = audit(&snapshot);
    let mut group = criterion.benchmark_group("audit");
    group.throughput(Throughput::Bytes(size));
    group.bench_function("report", |bencher| bencher.iter(|| audit(black_box(&snapshot))));
    group.bench_function("result", |bencher| bencher.iter(|| black_box(&report).result(Lang::En)));
    group.finish();
}

/// Pages of two mebibytes that are made to take long.
fn hostile_pages() -> Vec<(&'static str, String)> {
    let filled = |pattern: &str| pattern.repeat(2 * MIB / pattern.len());
    let numbered = |before: &str, after: &str| {
        let mut html = String::new();
        let mut number = 0;
        while html.len() < 2 * MIB {
            let _ = write!(html, "{before}{number}{after}");
            number += 1;
        }
        html
    };
    let attributes = (0..250).fold(String::new(), |all, i| all + &format!(" a{i}"));
    vec![
        ("div", filled("<div>")),
        ("b", filled("<b>")),
        ("a", filled("<a>")),
        ("table", filled("<table>")),
        ("table-text", filled("<table>x")),
        ("template", filled("<template>")),
        ("select", filled("<select><option>")),
        ("svg", filled("<svg><g>")),
        ("p-b", filled("<p><b>x</p>")),
        ("numbered-b", numbered("<b id=", ">x<p>")),
        ("numbered-style", numbered("<b style='display:none;a:", "'>x<p>")),
        ("misnested", filled("<b><p></b>")),
        ("misnested-table", filled("<table><a><tr></a>")),
        ("end-tags", format!("{}{}", "<div>".repeat(510), filled("</b>"))),
        ("end-p", format!("{}{}", "<i>".repeat(510), filled("</p>"))),
        ("start-p", format!("{}{}", "<span>".repeat(500), filled("<p>"))),
        ("li", format!("{}{}", "<span>".repeat(500), filled("<li>"))),
        ("attributes", format!("<p {}>", numbered(" a", ""))),
        ("tags-of-attributes", filled(&format!("<p{attributes}>"))),
        ("b-of-attributes", filled(&format!("<b{attributes}>"))),
        ("body-attributes", numbered("<body a", "=1>")),
        ("value", format!("<p title='{}'>", filled("x"))),
        ("less-than", filled("<")),
        ("slashes", filled("</")),
        ("quotes", format!("<p {}>", filled("\"'"))),
        ("references", filled("&;")),
        ("entities", filled("&notit;")),
        ("nul", filled("\0")),
        ("comment", format!("<!--{}", filled("-"))),
        ("comments", filled("<!---->")),
        ("script", format!("<script>{}", filled("<!--<script>"))),
        ("noscript", filled("<noscript><b></noscript>")),
        ("newlines", filled("\n")),
        ("words", filled("a ")),
        ("digits", filled("1 ")),
        ("prices", filled("1TL")),
        ("json-ld", format!("<script type=application/ld+json>{}", filled("["))),
        ("frameset", filled("<frameset>")),
        ("form", filled("<form><input>")),
    ]
}

fn hostile(criterion: &mut Criterion) {
    let pages = hostile_pages();
    let mut group = criterion.benchmark_group("hostile");
    group.sample_size(10).warm_up_time(std::time::Duration::from_millis(1));
    group.measurement_time(std::time::Duration::from_millis(10));
    for (name, html) in &pages {
        group.bench_function(*name, |bencher| {
            bencher.iter(|| Document::parse(black_box(html.as_bytes()), None).content());
        });
    }
    group.finish();
}

criterion_group!(benches, typical, content, audits, hostile);
criterion_main!(benches);
