//! Markup as shop systems write it.

use serde_json::json;

use crate::audit::page::fixture::fixture;
use crate::audit::profile::Profile;
use crate::audit::signal::Credit;
use crate::audit::signals;

fn credits(html: &str) -> Vec<(&'static str, Option<u32>)> {
    let snapshot = fixture(html).with_profile(Profile::Product);
    let codes = ["SD01", "SD02", "SD03", "SD04", "SD05"];
    let signals = codes.into_iter().filter_map(signals::find);
    signals
        .map(|signal| (signal.code, snapshot.read(signal).credit.map(Credit::per_mille)))
        .collect()
}

fn script(json: &serde_json::Value) -> String {
    format!("<script type=application/ld+json>\n{json:#}\n</script>")
}

#[test]
fn shopify() {
    let group = json!({
        "@context": "http://schema.org/", "@id": "/products/lamp#product", "@type": "ProductGroup",
        "brand": { "@type": "Brand", "name": "Acme" }, "category": "", "description": "A lamp.", "name": "Lamp",
        "productGroupID": "1", "url": "https://example.com/products/lamp",
        "hasVariant": [
            { "@id": "/products/lamp?variant=1#variant", "@type": "Product", "name": "Lamp - Blue", "image": "https://example.com/a.jpg",
              "sku": "L1", "offers": { "@id": "x", "@type": "Offer", "availability": "http://schema.org/InStock", "price": "49.90", "priceCurrency": "EUR", "url": "u" } },
            { "@id": "/products/lamp?variant=2#variant", "@type": "Product", "name": "Lamp - Red", "image": "https://example.com/b.jpg",
              "sku": "L2", "offers": { "@type": "Offer", "availability": "http://schema.org/OutOfStock", "price": "59.90", "priceCurrency": "EUR", "url": "u" } },
        ],
    });
    let organization = json!({ "@context": "http://schema.org", "@type": "Organization", "name": "Acme", "logo": "https://example.com/l.png",
        "sameAs": ["", "https://instagram.com/acme", "https://facebook.com/acme", ""], "url": "https://example.com" });
    let html = format!(
        "<meta property=og:type content=product><main><h1>Lamp</h1><div class=price><span>Regular price</span> <s>€69,90</s>\
         <span>Sale price</span> <span>€49,90</span></div><form action=/cart/add><button>Add to cart</button></form>\
         <p>In stock</p></main>{}{}",
        script(&group),
        script(&organization)
    );
    assert_eq!(
        credits(&html),
        [
            ("SD01", Some(1000)),
            ("SD02", Some(1000)),
            ("SD03", Some(871)),
            ("SD04", Some(1000)),
            ("SD05", Some(500))
        ]
    );
    let wrong = html.replace("\"price\": \"49.90\"", "\"price\": \"39.90\"");
    assert_eq!(credits(&wrong)[3], ("SD04", Some(667)));
}

#[test]
fn woocommerce_with_yoast() {
    let graph = json!({ "@context": "https://schema.org/", "@graph": [
        { "@type": "BreadcrumbList", "itemListElement": [
            { "@type": "ListItem", "position": 1, "item": { "name": "Ana sayfa", "@id": "https://example.com" } },
            { "@type": "ListItem", "position": 2, "item": { "name": "Lamba", "@id": "https://example.com/lamba/" } } ] },
        { "@type": "Product", "@id": "https://example.com/lamba/#product", "name": "Mavi Lamba", "url": "https://example.com/lamba/",
          "description": "Bir lamba", "image": "https://example.com/a.jpg", "sku": 4711,
          "offers": [{ "@type": "Offer", "priceSpecification": [
              { "@type": "UnitPriceSpecification", "price": "349.90", "priceCurrency": "TRY", "valueAddedTaxIncluded": false },
              { "@type": "UnitPriceSpecification", "price": "499.90", "priceCurrency": "TRY", "priceType": "https://schema.org/ListPrice" } ],
              "priceValidUntil": "2027-12-31", "availability": "http://schema.org/InStock", "url": "https://example.com/lamba/",
              "seller": { "@type": "Organization", "name": "Acme", "url": "https://example.com" } }],
          "aggregateRating": { "@type": "AggregateRating", "ratingValue": "4.50", "reviewCount": 2 } } ] });
    let html = format!(
        "<html lang=tr><meta property=og:type content=article><main><h1 class=product_title>Mavi Lamba</h1>\
         <div class=star-rating role=img aria-label='5 üzerinden 4.50 puan'><span style='width:90%'>5 üzerinden <strong>4.50</strong> puan</span></div>\
         <a href=#reviews>(2 müşteri değerlendirmesi)</a><p class=price><del><bdi>499,90&nbsp;<span>₺</span></bdi></del> <ins><bdi>349,90&nbsp;<span>₺</span></bdi></ins></p>\
         <p class='stock in-stock'>Stokta</p><form class=cart><button>Sepete Ekle</button></form></main>{}",
        script(&graph)
    );
    assert_eq!(
        credits(&html),
        [
            ("SD01", Some(1000)),
            ("SD02", Some(1000)),
            ("SD03", Some(871)),
            ("SD04", Some(1000)),
            ("SD05", Some(500))
        ]
    );
}

#[test]
fn microdata_alone() {
    let html = "<div itemscope itemtype=https://schema.org/Product><h1 itemprop=name>Lamp</h1><img itemprop=image src=/a.jpg>\
        <div itemprop=offers itemscope itemtype=https://schema.org/Offer><span itemprop=priceCurrency content=EUR>€</span>\
        <span itemprop=price content=49.90>49,90</span><link itemprop=availability href=https://schema.org/InStock> In stock</div>\
        <span itemprop=brand itemscope itemtype=https://schema.org/Brand><meta itemprop=name content=Acme></span></div>";
    assert_eq!(
        credits(html),
        [
            ("SD01", None),
            ("SD02", Some(1000)),
            ("SD03", Some(786)),
            ("SD04", Some(1000)),
            ("SD05", Some(0))
        ]
    );
    let wrong = html.replace("content=49.90", "content=39.90");
    assert_eq!(credits(&wrong)[3], ("SD04", Some(667)));
}
