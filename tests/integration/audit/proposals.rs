//! What a fix proposes is of a type that pages of the kind get, and stated by the page.

use visibility_tests::labelled::{self, LabelledPage, allowed_types};
use visibility_tests::pages::{self, languages::languages};

/// The kind of a page, its address and its body.
const PAGES: [(&str, &str, &str); 9] = [
    (
        "documentation",
        "https://wiki.example.com/docs/portage",
        "<title>Portage</title><h1>Portage</h1><p>Set ACCEPT_KEYWORDS to ~amd64 on AMD64 machines, \
         or to ~x86 on others. The TOP 10 flags are below.</p><pre>emerge -av1 tool</pre>",
    ),
    (
        "forum",
        "https://forum.example.com/t/which-lamp/123",
        "<title>Which lamp?</title><h1>Which lamp?</h1><p>I would pay $300 for a good one. In stock \
         anywhere?</p><p>Mine cost 357 BOB.</p>",
    ),
    (
        "article",
        "https://kitchen.example.com/rezepte/suppe",
        "<title>Suppe</title><h1>Suppe</h1><p>By Ada Lovelace</p><ul><li>2 TL Salz<li>1 TL \
         Zucker</ul><p>Alles in Stock und Topf geben und eine Stunde kochen lassen.</p>",
    ),
    (
        "article",
        "https://news.example.com/2026/03/fine",
        "<title>Fine</title><meta property=article:published_time content=2026-03-02><h1>A fine</h1>\
         <p>The firm pays a fine of 50.000 Euro. Cybercrime costs $10.5 trillion a year.</p>",
    ),
    (
        "listing",
        "https://jobs.example.com/category/rust",
        "<title>Jobs</title><h1>Rust jobs</h1><ul><li><a href=/jobs/1>Engineer for storage, $95 an \
         hour</a><li><a href=/jobs/2>Engineer for networks and their friends</a></ul>",
    ),
    (
        "collection",
        "https://shop.example.com/collections/lamps",
        "<title>Lamps | Acme</title><h1>Lamps</h1><a href='#main'>Skip to main content</a>\
         <ul><li><a href=/products/a>Oak lamp with a long arm From €32</a>\
         <li><a href=/products/b>Desk lamp in blue enamel €49</a>\
         <li><a href=/products/c>Floor lamp of brass and linen €149</a></ul>\
         <button>Add to cart</button><button>Add to cart</button><button>Add to cart</button>\
         <button>Add to cart</button><a href=/cart>Cart</a><a href=/pages/terms>Terms</a>",
    ),
    (
        "product",
        "https://shop.example.com/products/oak-lamp",
        "<title>Oak lamp | Acme</title><meta property=og:site_name content=Acme><h1>Oak lamp</h1>\
         <p>€32.50</p><p>In stock</p><button>Add to cart</button><h2>Shipping</h2><p>€4.90</p>\
         <h2>You may also like</h2><p>Desk lamp €49</p>",
    ),
    (
        "service",
        "https://firm.example.com/services/security-consulting",
        "<title>Security consulting | Firm Software</title><h1>Security consulting</h1>\
         <p>Cybercrime costs the world $10.5T a year. In stock companies, more.</p>\
         <a href=/contact>Contact us</a><a href=/demo>Request a demo</a>",
    ),
    (
        "article",
        "https://park.example.com/webcams",
        "<title>Webcams (National Park Service)</title><h1>Open menu Close menu</h1><p>Four views \
         of the valley, new every minute.</p>",
    ),
];

fn labelled(kind: &str, url: &str, html: impl Into<Vec<u8>>) -> LabelledPage {
    LabelledPage {
        id: url.to_owned(),
        kind: kind.to_owned(),
        url: url.to_owned(),
        html: html.into(),
        labels: serde_json::Value::Null,
    }
}

#[test]
fn no_fix_invents_a_fact_or_a_type() {
    let own = [
        labelled("article", "https://example.com/blog/article", pages::article()),
        labelled("product", "https://shop.example.com/jackets/aurora", pages::product()),
        labelled("product", "https://shop.example.com/montlar/aurora", pages::turkish_product()),
        labelled("landing", "https://example.com/", pages::landing()),
    ];
    let small = PAGES.map(|(kind, url, html)| labelled(kind, url, html));
    let foreign =
        languages().map(|page| labelled("article", "https://example.com/blog/page", page.html()));
    let mut types = Vec::new();
    for page in own.into_iter().chain(small).chain(foreign) {
        for result in [page.audit(), page.audit_by_its_kind()] {
            assert_eq!(page.inventions(&result), [""; 0], "{}", page.url);
            types.extend(
                labelled::proposals(&result)
                    .into_iter()
                    .filter(|(code, _)| *code == "SD02")
                    .map(|(_, object)| (page.kind.clone(), object["@type"].clone())),
            );
        }
    }
    // The rule is tested on something.
    for (kind, expected) in
        [("product", "Product"), ("collection", "CollectionPage"), ("service", "Service")]
    {
        assert!(types.contains(&(kind.to_owned(), expected.into())), "{types:?}");
    }
}

#[test]
fn an_invented_fact_would_be_noticed() {
    let page = labelled("article", "https://example.com/blog/a", "<h1>A</h1>");
    let other = labelled("article", "https://example.com/blog/a", PAGES[3].2);
    let result = other.audit_by_its_kind();
    assert!(!labelled::unstated(&page.html, &result).is_empty());
    assert_eq!(allowed_types("forum"), ["DiscussionForumPosting"]);
    let product = labelled("forum", PAGES[6].1, PAGES[6].2);
    let sold = labelled("product", PAGES[6].1, PAGES[6].2).audit_by_its_kind();
    assert!(product.inventions(&sold).iter().any(|it| it.contains("Product")));
}
