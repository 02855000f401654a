//! Shops.

use super::{Head, json_ld, site, sitemap, with_pages};
use crate::site::{Reply, Site};

/// A shop on Shopify, with the documents that the platform serves for agents.
pub(super) fn shopify() -> Site {
    let host = "north-wool.com";
    let more = format!(
        "<link rel=\"preconnect\" href=\"https://cdn.shopify.com\" crossorigin>\n\
         <script src=\"https://cdn.shopify.com/s/files/1/0600/theme.js\" defer></script>\n{}",
        json_ld(
            r#"{"@context":"https://schema.org","@type":"Organization","name":"North Wool","url":"https://north-wool.com","logo":"https://north-wool.com/cdn/shop/files/logo.png","sameAs":["https://www.instagram.com/northwool"]}"#
        )
    );
    let head = Head {
        host,
        lang: "en",
        title: "North Wool: sweaters knitted in the north",
        description: "Sweaters, hats and blankets of undyed wool, knitted in small numbers.",
        more: &more,
    };
    let robots = "# we use Shopify as our ecommerce platform\n\nUser-agent: *\nDisallow: /admin\n\
        Disallow: /cart\nDisallow: /orders\nDisallow: /checkouts/\nDisallow: /checkout\n\
        Disallow: /account\nDisallow: /search\n\nSitemap: https://north-wool.com/sitemap.xml\n";
    let ucp = r#"{"ucp":{"version":"2026-04-08","services":{"dev.ucp.shopping":[{"version":"2026-04-08","spec":"https://ucp.dev/2026-04-08/specification/overview","transport":"mcp","endpoint":"https://north-wool.com/api/ucp/mcp","schema":"https://ucp.dev/2026-04-08/services/shopping/mcp.openrpc.json"}]},"capabilities":{"dev.ucp.shopping.checkout":[{"version":"2026-04-08","spec":"https://ucp.dev/2026-04-08/specification/checkout"}],"dev.ucp.shopping.cart":[{"version":"2026-04-08"}]},"payment_handlers":{}},"signing_keys":[{"kid":"k1","kty":"EC","crv":"P-256","x":"WKn-ZIGevcwGIyyrzFoZNBdaq9_TsqzGl96oc0CWuis","y":"y77t-RvAHRKTsSGdIYUfweuOvwrvDD-Q3Hv5J0fSKbE"}]}"#;
    let card = r#"{"$schema":"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json","name":"com.north-wool/storefront","version":"1.0.0","title":"North Wool storefront","description":"Search the catalog and manage a cart.","remotes":[{"type":"streamable-http","url":"https://north-wool.com/api/mcp"}]}"#;
    let catalog = r#"{"specVersion":"1.0","host":{"displayName":"North Wool"},"entries":[{"identifier":"urn:air:north-wool.com:mcp:storefront","displayName":"North Wool storefront","type":"application/mcp-server-card+json","url":"https://north-wool.com/api/mcp/server-card","representativeQueries":["find a gray sweater in size M","what does shipping cost"]}]}"#;
    let card = Reply::new("application/mcp-server-card+json", card)
        .header("access-control-allow-origin", "*");
    with_pages(site(host, Reply::html(head.page(SHOP_BODY))), &PAGES)
        .with("/robots.txt", Reply::text(robots))
        .with("/sitemap.xml", shop_sitemap(host))
        .with("/api/ucp/mcp", Reply::json("{}").status(405))
        .with("/.well-known/ucp", Reply::json(ucp))
        .with(
            "/.well-known/ai-catalog.json",
            Reply::new("application/ai-catalog+json", catalog)
                .header("access-control-allow-origin", "*"),
        )
        .with("/api/mcp/server-card", card)
        .with("/api/mcp", Reply::json(r#"{"error":"Method not allowed"}"#).status(405))
}

/// A shop of ten years ago, well kept.
pub(super) fn classic_shop() -> Site {
    let host = "garden-tools-direct.com";
    let more = json_ld(
        r#"{"@context":"https://schema.org","@type":"OnlineStore","name":"Garden Tools Direct","url":"https://garden-tools-direct.com/","logo":"https://garden-tools-direct.com/logo.png"}"#,
    ) + &json_ld(
        r#"{"@context":"https://schema.org","@type":"Product","name":"Ash spade","image":"https://garden-tools-direct.com/spade.jpg","offers":{"@type":"Offer","price":"39.90","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}"#,
    ) + "<script src=\"/wp-content/plugins/woocommerce/assets/js/frontend/cart.min.js\" defer></script>";
    let head = Head {
        host,
        lang: "en",
        title: "Garden Tools Direct",
        description: "Spades, shears and watering cans that last, sent within two days.",
        more: &more,
    };
    let robots = "User-agent: *\nDisallow: /cart/\nDisallow: /checkout/\nDisallow: /my-account/\n\n\
        Sitemap: https://garden-tools-direct.com/sitemap.xml\n";
    with_pages(site(host, Reply::html(head.page(SHOP_BODY))), &PAGES)
        .with("/robots.txt", Reply::text(robots))
        .with("/sitemap.xml", shop_sitemap(host))
}

/// Pages that the shops link to.
const PAGES: [&str; 4] =
    ["/products/first", "/collections/all", "/pages/shipping", "/policies/privacy-policy"];

const SHOP_BODY: &str = r#"<header><nav><a href="/">Home</a> <a href="/collections/all">All products</a> <a href="/pages/shipping">Shipping</a>
<a href="/pages/about">About us</a> <a href="/cart">Cart</a> <a href="/account/login">Log in</a></nav></header>
<main>
<h1>Made to be used for thirty years</h1>
<p>We make few things and make them well. Everything here is made by people whom we know by name, from
material that we can trace to the farm or the forest. If something breaks we repair it, and if it cannot
be repaired we take it back. Orders leave the house within two working days and come in paper.</p>
<section><h2>Favorites of this season</h2>
<article><h3><a href="/products/first">The first one</a></h3><p>The one that everything began with, in three sizes.</p><p>$89.00</p></article>
<article><h3><a href="/products/second">The second one</a></h3><p>A little lighter, for those who travel.</p><p>$64.00</p></article>
<article><h3><a href="/products/third">The third one</a></h3><p>For children from four to ten, and for their dolls.</p><p>$42.50</p></article>
<article><h3><a href="/products/fourth">The fourth one</a></h3><p>Made from what is left over when the others are done.</p><p>$29.00</p></article>
</section>
<section><h2>Shipping and returns</h2><p>Shipping is free from one hundred dollars. You can send everything back within
sixty days, used or not, and we will ask only what we could have done better. The label is in the parcel.</p></section>
</main>
<footer><a href="/pages/imprint">Imprint</a> <a href="/policies/privacy-policy">Privacy</a></footer>"#;

fn shop_sitemap(host: &str) -> Reply {
    sitemap(
        host,
        &[
            ("/", "2026-11-15"),
            ("/products/first", "2026-11-15"),
            ("/products/second", "2026-10-02"),
            ("/products/third", "2026-08-21"),
        ],
    )
}
