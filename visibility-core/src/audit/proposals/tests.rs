//! Generated JSON-LD is accepted by our own signals.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::audit::facts::main_entity::MainEntity;
use crate::audit::facts::properties::Completeness;
use crate::audit::facts::stated::Offering;
use crate::audit::facts::stated::proven::{Proof, Proven};
use crate::audit::page::fixture::fixture;
use crate::audit::signal::Credit;
use crate::audit::signals;
use crate::page::Document;
use crate::page::json_ld::JsonLdBlock;

const KINDS: [Profile; 4] =
    [Profile::Product, Profile::Article, Profile::Landing, Profile::Collection];

/// What the page is offered for a kind, between the tags of its `script`.
fn generated(html: &str, kind: Profile) -> (String, Vec<String>) {
    let snapshot = fixture(html).with_profile(kind);
    let page = snapshot.audited();
    // A landing page shows what it offers in its address, a list has items.
    let mut facts = StatedFacts::from_page(&page);
    facts.offering = facts.offering.or(Some(Offering::Service));
    let item = |name: &str| (name.to_owned(), format!("https://example.com/{name}"));
    if facts.members.is_none() {
        let value = ["a", "b", "c"].map(item).into();
        facts.members = Some(Proven { value, proof: Proof::PricedList });
    }
    let fix = Draft::for_page(&facts, PossibleProfiles::One(kind)).and_then(Draft::script).unwrap();
    let inner = fix.snippet.strip_prefix("<script type=\"application/ld+json\">\n").unwrap();
    (inner.strip_suffix("\n</script>").unwrap().to_owned(), fix.placeholders())
}

fn value(html: &str, kind: Profile) -> Value {
    serde_json::from_str(&generated(html, kind).0).unwrap()
}

const SHOP: &str = "<html lang=en><head><title>Aurora | Northbound</title><meta name=description content='A \"warm\" jacket.'>\
    <link rel=canonical href=/aurora><meta property=og:image content=/a.jpg><meta property=og:site_name content=Northbound></head>\
    <main><h1>Aurora down jacket</h1><p>Only $349.00 today. In stock.</p><table><tr><th>Weight<td>480 g<tr><th>SKU<td>N-1\
    <tr><th>EAN<td>4006381333931</table><p>Rated 4.7 out of 5 by 212 owners</p></main>";

#[test]
fn a_product_is_made_of_what_the_page_says_and_has_no_rating() {
    let product = value(SHOP, Profile::Product);
    assert_eq!(product["name"], "Aurora down jacket");
    assert_eq!(product["image"], "https://example.com/a.jpg");
    assert_eq!(product["description"], "A \"warm\" jacket.");
    assert_eq!(product["brand"]["name"], "[BRAND]", "a shop is no brand");
    assert_eq!((&product["sku"], &product["gtin"]), (&"N-1".into(), &"4006381333931".into()));
    assert_eq!(product["additionalProperty"][0]["value"], "480 g");
    assert_eq!(product["offers"]["price"], "349.00");
    assert_eq!(product["offers"]["availability"], "https://schema.org/InStock");
    assert_eq!(product["offers"]["url"], "https://example.com/aurora");
    assert!(product.get("aggregateRating").is_none());
}

#[test]
fn what_the_page_does_not_say_is_a_placeholder_and_not_made_up() {
    // A dollar may be one of several.
    let (text, needs) = generated(SHOP, Profile::Product);
    assert!(text.contains("\"priceCurrency\": \"[CURRENCY]\""));
    assert_eq!(needs, ["[BRAND]", "[CURRENCY]"]);
    let with_currency =
        SHOP.replace("<head>", "<head><meta property=product:price:currency content=CAD>");
    assert_eq!(value(&with_currency, Profile::Product)["offers"]["priceCurrency"], "CAD");
    let (text, needs) = generated("<p>x", Profile::Product);
    for placeholder in [
        "[NAME]",
        "[IMAGE_URL]",
        "[DESCRIPTION]",
        "[BRAND]",
        "[SKU]",
        "[PRICE]",
        "[CURRENCY]",
        "[AVAILABILITY]",
    ] {
        assert!(needs.iter().any(|need| need == placeholder), "{placeholder}");
        assert!(text.contains(placeholder), "{placeholder}");
    }
}

#[test]
fn articles_services_and_collections_are_made_of_the_page() {
    let article = value(
        "<meta property=article:published_time content=2026-03-12T10:00:00Z><h1>On lamps</h1><p>By Ada Lovelace</p>",
        Profile::Article,
    );
    assert_eq!(
        (&article["headline"], &article["datePublished"]),
        (&"On lamps".into(), &"2026-03-12T10:00:00Z".into())
    );
    assert_eq!(article["author"]["name"], "Ada Lovelace");
    let software = value(
        "<h1>Ledgerline, yazılım</h1><p>Ayda 12 EUR</p><a href=/dene>Ücretsiz dene</a>",
        Profile::Landing,
    );
    assert_eq!(
        (&software["@type"], &software["offers"]["price"]),
        (&"SoftwareApplication".into(), &"[PRICE]".into()),
        "a price for a month is not the price"
    );
    let service = value(
        "<meta property=og:site_name content=Acme><h1>Roof repair service</h1>",
        Profile::Landing,
    );
    assert_eq!(
        (&service["@type"], &service["provider"]["name"]),
        (&"Service".into(), &"Acme".into())
    );
    let list = value(
        "<h1>Lamps</h1><p><a href='#main'>Skip to content</a> <a href=/help/size>Sizes</a></p>
        <div><a href=/lamps/a>Lamp A <span>From €32</span></a><a href=/lamps/a>Lamp A</a></div>
        <div><h3><a href=/lamps/b>Lamp B in blue</a></h3><p>€40</p><a href=/lamps/buy>Add to cart</a></div>
        <div><a href=/lamps/c><img src=c.jpg alt=c></a><a href=/lamps/c>Lamp C of oak</a> €50</div>",
        Profile::Collection,
    );
    let items = &list["mainEntity"]["itemListElement"];
    let named: Vec<_> = items.as_array().unwrap().iter().map(|item| &item["name"]).collect();
    assert_eq!(named, ["Lamp A", "Lamp B in blue", "Lamp C of oak"]);
    assert_eq!(items[1]["url"], "https://example.com/lamps/b");
}

#[test]
fn the_path_ends_with_the_page() {
    let page = fixture(
        "<nav aria-label=breadcrumb><a href=/>Home</a><a href=/page>Lamp</a><a href=/de/page>Deutsch</a></nav>",
    )
    .at("https://example.com/page");
    let steps = super::value(StatedFacts::from_page(&page.audited()).breadcrumbs.as_ref())
        .unwrap_or_default();
    assert_eq!(steps.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["Home"]);
}

#[test]
fn a_list_of_links_is_a_trail_only_if_it_leads_to_the_page() {
    let home = "<a href=/>Home</a>";
    for (links, expected) in [
        ("<a href=/lamps>Lamps</a><a href=/lamps/oak>Lamp of oak</a>", Some("Home, Lamps")),
        ("<a href=/lamps>Lamps</a><span>Lamp of oak</span>", Some("Home, Lamps")),
        // The page has another address: its name shows where the trail ends.
        ("<a href=/lamps>Lamps</a><a href=/p/17>Lamp of oak</a>", Some("Home, Lamps")),
        // Menus of languages, of accounts, and of the parts of a site.
        ("<a href=/de>Deutsch</a><a href=/fr>Français</a>", None),
        ("<a href=/login>Log in</a>", None),
        ("<a href=#main>Skip to content</a>", None),
        ("<a href=/lamps>Lamps</a><a href=/>Home</a>", None),
        ("<a href=/lamps>Lamps</a><a href=/lamps>Lamps</a>", None),
        ("<a href=https://other.example/lamps>Lamps</a>", None),
        ("<a href=/lamps><img alt='Lamps icon'></a>", None),
    ] {
        let html = format!(
            "<nav aria-label=breadcrumb>{home}{links}</nav><main><h1>Lamp of oak</h1>A lamp.</main>"
        );
        let page = fixture(&html).at("https://example.com/lamps/oak");
        let facts = StatedFacts::from_page(&page.audited());
        let names = facts.breadcrumbs.map(|trail| {
            let names: Vec<String> = trail.value.into_iter().map(|(name, _)| name).collect();
            names.join(", ")
        });
        assert_eq!(names.as_deref(), expected, "{html}");
    }
}

#[test]
fn a_logo_is_in_the_link_to_the_home_page() {
    for (html, expected) in [
        ("<a href=/><img class=logo src=/l.png></a>", Some("https://example.com/l.png")),
        ("<a href=/><b><img src=/img/logo.svg></b></a>", Some("https://example.com/img/logo.svg")),
        (
            "<a href=/><img class=logo src='data:,' data-src=/l.png></a>",
            Some("https://example.com/l.png"),
        ),
        ("<a href=/><img src=/photo.jpg></a>", None),
        ("<a href=/partners><img class=logo src=/l.png></a>", None),
        ("<a href=https://other.example/><img class=logo src=/l.png></a>", None),
        ("<img class=logo src=/l.png>", None),
    ] {
        let page = fixture(&format!("<h1>Lamp</h1>{html}")).at("https://example.com/lamps/oak");
        let logo = StatedFacts::from_page(&page.audited()).logo.map(|logo| logo.value);
        assert_eq!(logo.as_deref(), expected, "{html}");
    }
}

#[test]
fn a_picture_is_that_of_the_head_or_has_the_name_of_the_page() {
    let title = "<title>Lamp of oak</title>";
    for (html, expected) in [
        (
            "<meta property=og:image content=/a.jpg><h1>Lamp of oak</h1>",
            Some("https://example.com/a.jpg"),
        ),
        ("<meta property=og:image content=/logo.png><h1>Lamp of oak</h1>", None),
        (
            "<h1>Lamp of oak</h1><img src=/b.jpg alt='The lamp of oak on a desk'>",
            Some("https://example.com/b.jpg"),
        ),
        ("<h1>Lamp of oak</h1><img src=/cta.jpg alt='Our newsletter'>", None),
        ("<h1>Lamp of oak</h1><img src=/c.jpg alt='Lamp'>", None),
    ] {
        let page = fixture(&format!("{title}<main>{html}<p>It is a lamp.</p></main>"))
            .at("https://example.com/lamps/oak");
        let image = StatedFacts::from_page(&page.audited()).image.map(|image| image.value);
        assert_eq!(image.as_deref(), expected, "{html}");
    }
}

#[test]
fn a_menu_beside_a_price_lists_nothing() {
    let links = |path: &str| {
        ["a", "b", "c", "d", "e"]
            .map(|name| format!("<a href=/{path}/{name}>Things of {name}</a>"))
            .concat()
    };
    for (html, expected) in [
        (format!("<div>{} Free shipping over $50</div>", links("things")), 0),
        (links("things").replace("</a>", " $5</a>"), 5),
    ] {
        let page = fixture(&format!("<main><h1>Things</h1>{html}</main>"));
        let members = StatedFacts::from_page(&page.audited()).members;
        assert_eq!(members.map_or(0, |members| members.value.len()), expected, "{html}");
    }
}

#[test]
fn a_site_is_named_without_its_slogan() {
    for (name, expected) in [
        ("Acme", Some("Acme")),
        ("Acme |", Some("Acme")),
        ("Acme • Experience the next wave", Some("Acme")),
        ("cultivating-health", None),
        ("e-commerce shop", Some("e-commerce shop")),
        ("heise", Some("heise")),
    ] {
        let page = fixture(&format!("<meta property=og:site_name content='{name}'><h1>Lamp</h1>"));
        let site = StatedFacts::from_page(&page.audited()).site;
        assert_eq!(site.as_deref(), expected, "{name}");
    }
}

#[test]
fn an_offer_is_that_of_the_section_of_the_heading() {
    for (body, price, state) in [
        ("<h1>Lamp</h1><p>€349</p><p>In stock</p>", "349.00", "https://schema.org/InStock"),
        ("<h1>Lamp</h1><h2>Shipping</h2><p>€349</p><p>In stock</p>", "[PRICE]", "[AVAILABILITY]"),
        (
            "<h1>Lamps</h1><h3><a href=/a>Lamp A</a></h3><p>€349</p><p>In stock</p>",
            "[PRICE]",
            "[AVAILABILITY]",
        ),
        ("<h1>Lamps</h1><ul><li>Lamp A €349<li>Lamp B €249</ul>", "[PRICE]", "[AVAILABILITY]"),
        ("<p>€349</p><p>In stock</p>", "[PRICE]", "[AVAILABILITY]"),
        ("<h1>Lamp</h1><p>Text</p><button>Buy now for €349</button>", "349.00", "[AVAILABILITY]"),
    ] {
        let offer = &value(body, Profile::Product)["offers"];
        assert_eq!(offer["price"], price, "{body}");
        assert_eq!(
            offer["availability"].as_str().unwrap().replace("https://schema.org/[", "["),
            state
        );
    }
}

#[test]
fn a_name_is_not_that_of_the_site() {
    let site = "<meta property=og:site_name content=Acme>";
    for (html, expected) in [
        ("<title>Lamp – Acme</title><h1>Acme</h1><h1>Lamp</h1>", Some("Lamp")),
        ("<title>Lamp – Acme</title><h1>Acme</h1><main><h2>Lamp</h2></main>", Some("Lamp")),
        ("<title>Lamp – Acme</title><h1>Lamp of oak</h1>", Some("Lamp of oak")),
        ("<title>Reset – The Blog of Ada</title><h1>The Blog</h1>", None),
        ("<title>Lamp – Acme</title><h1>Acme</h1>", None),
        ("<title>Acme | Lamp</title>", None),
        ("<title>Acme</title><h1>Acme</h1>", None),
        ("<title>x</title><h1>Acme</h1><h1>Lamp</h1>", None),
        ("<h1>Lamp</h1>", Some("Lamp")),
        ("<h1>Lamp</h1><h1>Chair</h1>", None),
    ] {
        let page = fixture(&format!("{site}{html}"));
        let name = StatedFacts::from_page(&page.audited()).name();
        assert_eq!(name.as_deref(), expected, "{html}");
    }
}

#[test]
fn a_page_of_an_uncertain_kind_is_offered_no_type() {
    let snapshot = fixture(SHOP);
    let facts = StatedFacts::from_page(&snapshot.audited());
    let two = PossibleProfiles::Two([Profile::Product, Profile::Article]);
    for profiles in [two, PossibleProfiles::Any] {
        assert_eq!(Draft::for_page(&facts, profiles), None, "{profiles:?}");
    }
    assert!(Draft::for_page(&facts, PossibleProfiles::One(Profile::Product)).is_some());
}

#[test]
fn a_page_without_signs_of_an_offering_is_offered_no_type() {
    for html in [
        "<h1>Who is hiring?</h1><p>Acme | London</p>",
        "<h1>13 software alternatives</h1><p>The first one is good.</p>",
        "<h1>Portage</h1><p>ACCEPT_KEYWORDS=\"~amd64\"</p>",
    ] {
        let snapshot = fixture(html).with_profile(Profile::Landing);
        let facts = StatedFacts::from_page(&snapshot.audited());
        assert_eq!(facts.offering, None, "{html}");
        assert_eq!(
            Draft::for_page(&facts, PossibleProfiles::One(Profile::Landing)),
            None,
            "{html}"
        );
    }
    let snapshot = fixture(SHOP);
    let facts = StatedFacts::from_page(&snapshot.audited());
    for (kind, expected) in [
        (Profile::Documentation, "TechArticle"),
        (Profile::Forum, "DiscussionForumPosting"),
        (Profile::Listing, "CollectionPage"),
        (Profile::Collection, "CollectionPage"),
        (Profile::Article, "Article"),
        (Profile::Product, "Product"),
    ] {
        let draft = Draft::for_page(&facts, PossibleProfiles::One(kind)).unwrap();
        assert_eq!(draft.object["@type"], expected, "{kind:?}");
    }
}

#[test]
fn a_profile_has_the_shape_of_one_and_each_network_has_one() {
    let links = [
        "https://www.facebook.com/acme",
        "https://www.facebook.com/acme.berlin",
        "https://facebook.com/sharer.php?u=x",
        "https://en.wikipedia.org/wiki/Arthur_Samuel",
        "https://pinterest.com/pin/create/button",
        "https://raw.github.com/acme/tool/main/logo.png",
        "https://github.com/acme/tool",
        "https://www.linkedin.com/company/acme/",
        "https://www.linkedin.com/in/grace",
        "https://www.youtube.com/watch?v=1",
        "https://www.youtube.com/@acme",
        "https://x.com/intent/post",
        "https://twitter.com/acme/status/1",
        "https://x.com/acme",
        "https://t.me/share",
    ];
    let html: String = links.iter().map(|link| format!("<a href='{link}'>x</a>")).collect();
    let snapshot =
        fixture(&format!("<meta property=og:site_name content=Acme><footer>{html}</footer>"));
    let facts = StatedFacts::from_page(&snapshot.audited());
    assert_eq!(
        facts.profiles,
        [
            "https://www.facebook.com/acme",
            "https://www.linkedin.com/company/acme/",
            "https://www.youtube.com/@acme",
            "https://x.com/acme",
        ]
    );
}

#[test]
fn profiles_of_others_are_not_those_of_the_site() {
    let profiles = |html: &str| {
        let site = "<meta property=og:site_name content='Rye & Co'>";
        let snapshot = fixture(&format!("{site}{html}"));
        StatedFacts::from_page(&snapshot.audited()).profiles
    };
    let row = "<a href=https://x.com/a1>x</a><a href=https://github.com/b2>g</a>\
        <a href=https://www.instagram.com/c3>i</a>";
    for html in [
        "<article><p>Design by <a href=https://twitter.com/janedoe>Jane</a>.</article>".to_owned(),
        "<article>The talk of <a href=https://www.youtube.com/user/RyeFriend>her</a>.</article>"
            .to_owned(),
        "<footer>Site by <a href=https://twitter.com/pixelsmiths>Pixelsmiths</a></footer>"
            .to_owned(),
        format!("<article>Follow the makers: {row}</article>"),
        "<footer><a href=https://github.com/partner>Code of our partner</a></footer>".to_owned(),
    ] {
        assert_eq!(profiles(&html), Vec::<String>::new(), "{html}");
    }
    for (html, count) in [
        (format!("<footer>{row}</footer>"), 3),
        ("<footer><a href=https://www.facebook.com/ryeandco.leeds>f</a></footer>".to_owned(), 1),
        ("<main><a rel=me href=https://mastodon.social/@ada>m</a></main>".to_owned(), 1),
        (format!("<div class=site-header>{row}</div>"), 3),
    ] {
        assert_eq!(profiles(&html).len(), count, "{html}");
    }
}

#[test]
fn nothing_is_invented() {
    let software = value(
        "<h1>Payments</h1><p>Customers moved $2 billion through Acme, and we raised $30M.</p>",
        Profile::Landing,
    );
    assert!(software.get("offers").is_none());
    let (text, needs) = generated("<meta name=author content=admin><h1>x</h1>", Profile::Article);
    assert!(!text.contains("admin") && needs.iter().any(|need| need == "[AUTHOR]"));
    let (text, needs) = generated("<h1>x</h1><p>In stock</p><p>42: sold out</p>", Profile::Product);
    assert!(text.contains("[AVAILABILITY]") && needs.iter().any(|n| n == "[AVAILABILITY]"));
    let site = "<meta property=og:site_name content=Northbound>";
    for (html, brand) in [
        ("<title>Northbound Aurora | Shop</title><h1>Aurora</h1>", Some("Northbound")),
        ("<title>x</title><h1>Aurora by Northbound</h1>", Some("Northbound")),
        ("<title>Aurora | Northbound</title><h1>Aurora</h1>", None),
        ("<h1>Aurora</h1>", None),
    ] {
        let product = value(&format!("{site}{html}"), Profile::Product);
        assert_eq!(product["brand"]["name"], brand.unwrap_or("[BRAND]"), "{html}");
    }
}

#[test]
fn a_file_without_address_has_no_relative_addresses() {
    let snapshot = fixture(SHOP).file();
    let facts = StatedFacts::from_page(&snapshot.audited());
    assert_eq!((facts.image, facts.url, facts.home), (None, None, None));
}

#[test]
fn what_is_generated_passes_the_signal_that_asked_for_it() {
    for kind in KINDS {
        for html in [SHOP, "<h1>x</h1>", "", "<h1>Lamba</h1><p>349,90 TL, stokta"] {
            let (text, needs) = generated(html, kind);
            let page = format!("{html}<script type=\"application/ld+json\">{text}</script>");
            let scored = fixture(&page).with_profile(kind).read(signals::find("SD02").unwrap());
            let is_whole = needs.is_empty();
            assert_eq!(scored.credit == Some(Credit::FULL), is_whole, "{kind:?} {html}");
            let conflict = fixture(&page).with_profile(kind).read(signals::find("SD04").unwrap());
            assert_ne!(
                conflict.credit.map(|credit| credit < Credit::PASS),
                Some(true),
                "{kind:?} {html}"
            );
        }
    }
}

#[test]
fn nothing_in_a_value_ends_the_script() {
    let value = json!({ "name": "a </script><!-- \" \u{2028}" });
    let text = pretty(&value).unwrap();
    assert!(!text.contains("</") && !text.contains("<!--"));
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
}

#[test]
fn lines_have_no_braces_of_their_own() {
    let members = json!({ "a": 1, "b": { "c": "2" } }).as_object().cloned().unwrap();
    assert_eq!(lines(members).as_deref(), Some("\"a\": 1,\n\"b\": {\n  \"c\": \"2\"\n}"));
    assert_eq!(lines(Map::new()), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_the_page_says_the_markup_can_be_read_back(
        name in "\\PC{0,40}",
        odd in "(</script>|<!--|-->|\\\\|\"|&quot;|\u{2028}|x){0,8}",
        price in "(€|TL|\\$)?[0-9.,]{1,8}( TL| €)?",
    ) {
        let html = format!(
            "<meta property=og:site_name content='{odd}'><h1>{name}{odd}</h1><p>{price}</p><dl><dt>{odd}<dd>{name}</dl>"
        );
        for kind in KINDS {
            let (text, _) = generated(&html, kind);
            prop_assert!(!text.contains("</") && !text.contains("<!--"));
            prop_assert!(JsonLdBlock::parse(&text, 1).nodes.is_ok());
            let page = format!("<script type=\"application/ld+json\">{text}</script>");
            let document = Document::parse(page.as_bytes(), None);
            let markup = crate::audit::markup::Markup::from_document(&document, &document.content());
            let main = MainEntity::find(&markup, kind, &[]);
            prop_assert!(main.is_some(), "{}", text);
            prop_assert!(main.is_some_and(|main| Completeness::measure(&markup, &main).is_some()));
        }
    }
}

#[test]
fn an_object_has_no_member_without_a_value() {
    let html = "<meta property=og:site_name content=Acme><h1>Acme App</h1><a href=/a>Download</a>";
    for profile in [Profile::Landing, Profile::Product] {
        let page = fixture(html).with_profile(profile).file();
        let facts = StatedFacts::from_page(&page.audited());
        let fix = Draft::for_page(&facts, PossibleProfiles::One(profile))
            .and_then(Draft::script)
            .unwrap();
        assert!(!fix.snippet.contains("null"), "{}", fix.snippet);
    }
}
