//! What kind of site it is.

use visibility_core::scan::surface::Surface;
use visibility_core::text::locale::{Catalog, Lang};
use visibility_tests::documents::{acp, api_catalog, mcp_card, openapi, ucp};
use visibility_tests::site::{Reply, Site, bare_shop, good, good_home, login};

fn with_markup(markup: &str) -> Site {
    let home = good_home("example.com").replace("</main>", &format!("{markup}</main>"));
    good("example.com").with("/", Reply::html(home))
}

/// Ids of the reasons beside `every-site`, with their surfaces.
fn reasons(site: &Site) -> Vec<(Surface, &'static str)> {
    let snapshot = site.scan().expect("a snapshot");
    let reasons = snapshot.profile().reasons.iter().skip(1);
    reasons.map(|reason| (reason.surface, reason.id)).collect()
}

#[test]
fn a_plain_site_has_content_only() {
    for markup in [
        "",
        r#"<form role="search" action="/search"><input type="search" name="q"></form>"#,
        r#"<form action="/newsletter"><input type="email" name="email"><button>Subscribe</button></form>"#,
        r#"<a href="https://developers.other.example/api">API of others</a>"#,
        r#"<a href="/capital">Capital</a><a href="/cartography">Maps</a>"#,
        // A means of payment alone is not a shop.
        r#"<script src="https://www.paypal.com/sdk/js"></script>"#,
        r#"<a href="https://www.paypal.com/donate">Donate</a><p>€5</p>"#,
    ] {
        assert_eq!(reasons(&with_markup(markup)), [], "{markup}");
    }
}

#[test]
fn each_sign_of_an_api_is_found() {
    let header = Reply::html(good_home("example.com"));
    let header = header.header("link", "</docs>; rel=\"service-doc\"");
    let cases = [
        ("openapi", good("example.com").with("/openapi.json", Reply::json(openapi("")))),
        (
            "api-catalog",
            good("example.com").with("/.well-known/api-catalog", Reply::json(api_catalog("/a"))),
        ),
        ("service-link", good("example.com").with("/", header)),
        ("api-host", with_markup(r#"<a href="https://api.example.com/v1">Base</a>"#)),
        ("api-anchor", with_markup(r#"<a href="/developers">Build</a>"#)),
        ("api-anchor", with_markup(r#"<a href="/x">Our API</a>"#)),
        ("api-anchor", with_markup(r#"<a href="/x">Geliştiriciler</a>"#)),
    ];
    for (wanted, site) in cases {
        assert_eq!(reasons(&site).first(), Some(&(Surface::Api, wanted)), "{wanted}");
    }
}

/// A card describes its tools itself: it must not make a description of an API necessary.
#[test]
fn a_card_of_an_mcp_server_is_no_sign_of_an_api() {
    let card = Reply::json(mcp_card("example.com"));
    let site = good("example.com").with("/.well-known/mcp/server-card.json", card);
    assert_eq!(reasons(&site), []);
}

#[test]
fn each_sign_of_an_app_is_found() {
    let cases = [
        ("login-form", login("example.com")),
        (
            "login-form",
            with_markup(
                r#"<form action="/uye"><input name="eposta"><button>Giriş yap</button></form>"#,
            ),
        ),
        (
            "booking-form",
            with_markup(
                r#"<a href="/account">Jane</a><form action="/rezervasyon"><input type="date" name="d"></form>"#,
            ),
        ),
        (
            "upload-form",
            with_markup(r#"<form action="/convert"><input type="file" name="f"></form>"#),
        ),
    ];
    for (wanted, site) in cases {
        assert_eq!(reasons(&site), [(Surface::App, wanted)], "{wanted}");
    }
}

#[test]
fn two_signs_of_different_kinds_make_a_shop() {
    let prices = "<b>120,00 TL</b> <b>80,00 TL</b> <b>15,50 TL</b>";
    let product = r#"<script type="application/ld+json">{"@type":"Product","name":"A"}</script>"#;
    let cases: [(&str, &[&str]); 5] = [
        (
            r#"<script src="https://cdn.shopify.com/s/a.js"></script><a href="/cart">Cart</a>"#,
            &["platform", "cart-link"],
        ),
        (
            r#"<script src="https://st1.myideasoft.com/ideacdn.net/a.js"></script><a href="/sepet">Sepet</a>"#,
            &["platform", "cart-link"],
        ),
        (
            r#"<script src="https://static.ticimax.cloud/a.js"></script><a href="/sepetim.aspx">Sepetim</a>"#,
            &["platform", "cart-link"],
        ),
        (
            r#"<script src="https://www.paytr.com/js/a.js"></script><a href="/odeme">Ödeme</a>"#,
            &["payment-script", "cart-link"],
        ),
        ("PRODUCT", &["product-data", "prices"]),
    ];
    for (markup, wanted) in cases {
        let markup = markup.replace("PRODUCT", &format!("{product}{prices}"));
        let found = reasons(&with_markup(&markup));
        let ids: Vec<&str> = found.iter().map(|(_, id)| *id).collect();
        assert_eq!(ids, wanted, "{markup}");
        assert!(found.iter().all(|(surface, _)| *surface == Surface::Commerce), "{markup}");
    }
}

#[test]
fn one_proof_makes_a_shop() {
    let api = good("example.com").with("/openapi.json", Reply::json(openapi("")));
    let cases = [
        ("ucp-profile", "/.well-known/ucp", ucp("example.com")),
        ("acp-profile", "/.well-known/acp.json", acp("example.com")),
    ];
    for (wanted, path, body) in cases {
        let site = api.clone().with(path, Reply::json(body));
        assert!(reasons(&site).contains(&(Surface::Commerce, wanted)), "{wanted}");
    }
}

#[test]
fn a_chosen_profile_is_not_detected() {
    let site = bare_shop("example.com");
    let mut request = site.request();
    request.profile = Some(Surface::Content);
    let snapshot = site.scan_as(&request).expect("a snapshot");
    assert_eq!(snapshot.profile().surfaces(), [Surface::Content]);
    request.profile = Some(Surface::App);
    let snapshot = site.scan_as(&request).expect("a snapshot");
    assert_eq!(snapshot.profile().surfaces(), [Surface::Content, Surface::App]);
}

#[test]
fn each_reason_has_a_sentence_with_its_values() {
    let shop = bare_shop("example.com").scan().expect("a snapshot");
    let app = login("example.com").scan().expect("a snapshot");
    for lang in Lang::ALL {
        let catalog = Catalog::for_lang(lang);
        for reason in shop.profile().reasons.iter().chain(&app.profile().reasons) {
            let text = catalog.fill(&["surface_reasons", reason.id], &reason.values);
            assert!(!text.contains(['{', '}']), "{lang}: {text}");
            assert!(!text.starts_with("surface_reasons"), "{lang}: {text}");
        }
    }
}
