//! The features that the kind of a page is decided by, on a page of each kind.

use std::fmt::Write as _;

use visibility_core::audit::markup::Markup;
use visibility_core::audit::profile::features::{FEATURES, Facts};
use visibility_core::audit::profile::model::{KINDS, Model};
use visibility_core::page::Document;

const LANDING: &str = r#"<!doctype html><html><head><title>Our services</title><meta name="description" content="Roofs">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"RoofingContractor","name":"North Roofs"}</script></head>
<body class="page home"><section class="hero"><h1>Roofs that last</h1><a class="btn" href="/quote">Get a quote</a><a class="btn" href="/contact">Contact us</a></section>
<section class="features"><h2>Our promise</h2><p>We repair your roof within a week.</p><h2>Your house</h2><p>Our people look after you and your house.</p>
<ul><li>Slate</li><li>Tiles</li><li>Zinc</li></ul></section>
<section class="testimonials"><h2>Our customers</h2><p>They call us again.</p></section><a href="tel:+4712345678">Call us now</a></body></html>"#;

/// A page of each kind, small and with all that such pages have.
const PAGES: [(&str, &str, &str); 8] = [
    (
        "article",
        "https://news.example.com/blog/2026/03/how-we-measured-the-tide-at-night",
        r#"<!doctype html><html><head><title>How we measured the tide in 2026? | Harbor News</title>
<meta property="og:type" content="article"><meta property="article:published_time" content="2026-03-04">
<meta name="author" content="Ada Reed"><meta name="generator" content="WordPress 6.9">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"How we measured the tide"}</script></head>
<body class="single single-post postid-7"><nav><a href="/">Home</a></nav><article class="post"><h1>How we measured the tide</h1>
<p class="byline">By <a rel="author" href="/author/ada-reed">Ada Reed</a>, <time datetime="2026-03-04">March 4, 2026</time></p>
<div class="entry-content"><p>I went to the harbor on the evening of the fourth, with a rope, a lamp and a notebook, and I stayed there until the water had fallen by the height of a door, which took a little over six hours in all.</p>
<h2>What did the rope say?</h2><figure><img src="/rope.jpg" alt="Rope"></figure>
<p>The rope said what ropes say to a patient man: that the first hour is slow, the third is fast, and the sixth is slow again, and that my hands were colder than the water was by the end of it all.</p>
<p>As <a href="https://tides.example.org/atlas">the atlas</a> says, it was never measured better.</p>{MORE}</div></article></body></html>"#,
    ),
    (
        "product",
        "https://shop.example.com/products/oak-desk-4711",
        r#"<!doctype html><html><head><title>Oak desk</title><meta property="og:type" content="product">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Oak desk","offers":{"@type":"Offer","price":"349","priceCurrency":"EUR"}}</script></head>
<body class="product template-product"><main><nav class="breadcrumbs"><a href="/">Home</a> <a href="/desks">Desks</a></nav>
<h1>Oak desk</h1><p class="price">€349.00</p><div class="product-gallery"><img src="/1.jpg" alt="Front"><img src="/2.jpg" alt="Side"></div>
<form action="/cart/add"><select class="variant"><option>160 cm</option></select><input class="quantity" name="q"><button>Add to cart</button></form>
<div class="cart-note">Ships within two days.</div>
<table class="specs"><tr><td>Width</td><td>160 cm</td></tr><tr><td>Wood</td><td>Oak</td></tr></table>
<p>A desk of solid oak with two drawers that run on wooden rails, oiled by hand and delivered in one piece.</p></main></body></html>"#,
    ),
    (
        "collection",
        "https://store.example.com/collections/lamps.html",
        r#"<!doctype html><html><head><title>Lamps</title><link rel="next" href="?page=2">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"ItemList","itemListElement":[]}</script>
<script src="https://cdn.shopify.com/s/files/theme.js"></script></head>
<body class="collection"><main><h1>Lamps</h1><div class="filter">Sort by price</div><div class="grid">
<div class="product-card"><a href="/p/1"><img src="/1.jpg" alt="Lamp one"><h3>Lamp one in brass</h3></a><span class="price">$19.00</span><button>Add to cart</button></div>
<div class="product-card"><a href="/p/2"><img src="/2.jpg" alt="Lamp two"><h3>Lamp two in steel</h3></a><span class="price">$29.00</span><button>Add to cart</button></div>
<div class="product-card"><a href="/p/3"><img src="/3.jpg" alt="Lamp three"><h3>Lamp three in glass</h3></a><span class="price">$39.00</span><button>Add to cart</button></div>
<div class="product-card"><a href="/p/4"><img src="/4.jpg" alt="Lamp four"><h3>Lamp four in wood</h3></a><span class="price">$49.00</span><button>Add to cart</button></div>
</div></main></body></html>"#,
    ),
    ("landing", "https://example.com/services", LANDING),
    ("landing", "https://example.com/", LANDING),
    (
        "documentation",
        "https://docs.example.com/guide/configuration",
        r#"<!doctype html><html><head><title>Configuration reference</title><meta name="generator" content="Docusaurus 3.9">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"TechArticle","headline":"Configuration"}</script><link rel="edit" href="https://git.example.com/docs"></head>
<body class="docs"><main><h1>Configuration</h1><p>Set <code>limits.records</code> and <code>limits.bytes</code> in the file <code>service.toml</code> before you start the service for the first time on a machine.</p>
<pre><code>[limits]
records = 1000</code></pre><h2>Limits</h2><table class="doc-table"><tr><th>Name</th><td>Meaning</td></tr><tr><th>records</th><td>How many</td></tr></table>
<div class="admonition highlight">Restart after a change.</div></main></body></html>"#,
    ),
    (
        "forum",
        "https://forum.example.com/t/dripping-tap-at-night/48213",
        r#"<!doctype html><html><head><title>Dripping tap at night - forum</title><meta name="generator" content="Discourse 3.4">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"DiscussionForumPosting","headline":"Dripping tap"}</script></head>
<body class="topic"><main><h1>Dripping tap at night</h1>
<div class="topic-post"><a class="username" href="/u/ines">ines</a> <time datetime="2026-01-02">2 January 2026</time><p>My tap drips and I cannot sleep. I changed the washer, and still it drips into the basin all night long, which drives me mad.</p></div>
<div class="topic-post"><a class="username" href="/u/omar">omar</a> <time datetime="2026-01-03">3 January 2026</time><p>Look at the seat: mine was worn, and no washer of the world helped me until I had it cut again by a plumber.</p></div>
<div class="topic-post"><a class="username" href="/u/li">li</a> <time datetime="2026-01-04">4 January 2026</time><p>Same here, a new seat was the cure.</p></div></main></body></html>"#,
    ),
    (
        "listing",
        "https://example.org/topics/news",
        r#"<!doctype html><html><head><title>10 best topics</title><meta property="og:type" content="website"></head>
<body class="archive category"><main><h1>Topics</h1><ul class="list">
<li class="teaser"><h3><a href="/a/1">How the old bridge was moved twice</a></h3><span>3 March 2026</span></li>
<li class="teaser"><h3><a href="/a/2">Why the lighthouse keeper kept bees</a></h3><span>2 March 2026</span></li>
<li class="teaser"><h3><a href="/a/3">What the ferry carries in the winter</a></h3><span>1 March 2026</span></li>
<li class="teaser"><h3><a href="/a/4">Where all the salt of the town went</a></h3><span>28 February 2026</span></li></ul></main></body></html>"#,
    ),
];

fn values(html: &str, url: &str) -> Vec<f64> {
    let more = "<p>The rope is long, the night is longer, and the water takes the time that it takes, and a man waits for a sign of it and waits for it with a lamp in the hand, for years and for nothing.</p>".repeat(8);
    let html = html.replace("{MORE}", &more);
    let document = Document::parse(html.as_bytes(), Some("text/html; charset=utf-8"));
    let (content, shape) = document.content_and_shape();
    let markup = Markup::from_document(&document, &content);
    let url = url.parse().expect("an address");
    let facts = Facts::new(document.page(), &content, &shape, &markup, Some(&url));
    facts.values().iter().map(|value| value.number).collect()
}

#[test]
fn every_feature_is_what_its_definition_says() {
    let columns: Vec<Vec<f64>> = PAGES.iter().map(|(_, url, html)| values(html, url)).collect();
    let names: Vec<&str> = PAGES.iter().map(|(kind, ..)| *kind).collect();
    let mut same = Vec::new();
    let mut table = format!("{:<24} {}\n", "", names.join(" "));
    for (at, feature) in FEATURES.iter().enumerate() {
        let row: Vec<f64> = columns.iter().map(|values| values[at]).collect();
        let first = row[0];
        let is_same = row.iter().all(|value| (value - first).abs() < f64::EPSILON);
        if is_same {
            same.push(feature.id);
        }
        let cells: Vec<String> = row.iter().map(|value| format!("{value:.2}")).collect();
        writeln!(table, "{:<24} {}", feature.id, cells.join(" ")).expect("a string");
    }
    assert!(same.is_empty(), "these say the same of every page: {same:?}");
    insta::assert_snapshot!(table);
}

#[test]
fn the_model_knows_its_features_and_the_pages() {
    let model = Model::embedded();
    for (kind, url, html) in PAGES {
        let values = values(html, url);
        let judgment = model.judge(&values);
        let sum: f64 = judgment.probabilities.iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{kind}: {sum}");
        let most = judgment.probabilities.iter().copied().fold(0.0, f64::max);
        let said = judgment.probabilities.iter().position(|likely| *likely >= most);
        let said = said.and_then(|at| KINDS.get(at)).expect("a kind");
        assert_eq!(said.as_str(), kind, "{:?}", judgment.probabilities);
    }
}

#[test]
fn a_page_without_anything_has_finite_features() {
    for html in ["", "<p>", "<table><tr><td>", "\u{0}"] {
        let values = values(html, "https://example.com/");
        assert!(values.iter().all(|value| value.is_finite()), "{html:?}");
    }
}
