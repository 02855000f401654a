//! Time to read a page: a typical one, and those that are made to take long.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use visibility_core::page::Page;

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
            bencher.iter(|| Page::parse(black_box(html.as_bytes()), None));
        });
    }
    group.finish();
}

criterion_group!(benches, typical, hostile);
criterion_main!(benches);
