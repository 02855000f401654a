//! Signs of something to buy.

use url::Url;

use crate::fetch::{Resource, Response};
use crate::page::Page;
use crate::scan::facts::profile::SurfaceReason;
use crate::scan::facts::published;
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;

/// Parts of the addresses that pages of a platform load from.
const PLATFORM_ADDRESSES: [(&str, &str); 21] = [
    ("cdn.shopify.com", "Shopify"),
    ("/cdn/shop/", "Shopify"),
    ("/plugins/woocommerce/", "WooCommerce"),
    ("/wc-blocks/", "WooCommerce"),
    ("/static/frontend/magento/", "Magento"),
    ("/mage/", "Magento"),
    ("bigcommerce.com", "BigCommerce"),
    ("/modules/ps_", "PrestaShop"),
    ("/themes/prestashop", "PrestaShop"),
    ("catalog/view/javascript", "OpenCart"),
    ("demandware.static", "Salesforce Commerce Cloud"),
    ("vteximg.com", "VTEX"),
    ("vtexassets.com", "VTEX"),
    ("/bundles/storefront/", "Shopware"),
    ("ideacdn.net", "ideasoft"),
    ("ideasoft.com.tr", "ideasoft"),
    ("ticimax", "Ticimax"),
    ("tsoftapps", "T-Soft"),
    ("tsoft.com.tr", "T-Soft"),
    ("myikas.com", "ikas"),
    ("nopcommerce", "nopCommerce"),
];

/// Parts of `<meta name=generator>`, in lower case.
const GENERATORS: [(&str, &str); 10] = [
    ("woocommerce", "WooCommerce"),
    ("shopify", "Shopify"),
    ("magento", "Magento"),
    ("prestashop", "PrestaShop"),
    ("opencart", "OpenCart"),
    ("nopcommerce", "nopCommerce"),
    ("shopware", "Shopware"),
    ("ideasoft", "ideasoft"),
    ("ticimax", "Ticimax"),
    ("ikas", "ikas"),
];

/// Header fields that only these platforms send.
const HEADERS: [(&str, &str); 6] = [
    ("x-shopid", "Shopify"),
    ("x-shopify-stage", "Shopify"),
    ("x-magento-vary", "Magento"),
    ("x-magento-cache-debug", "Magento"),
    ("x-magento-tags", "Magento"),
    ("x-bc-store-version", "BigCommerce"),
];

/// Parts of the addresses of payment scripts.
const PAYMENT_SCRIPTS: [&str; 17] = [
    "js.stripe.com",
    "paypal.com/sdk/js",
    "paypalobjects.com",
    "braintreegateway.com",
    "checkoutshopper-live.adyen.com",
    "klarnacdn.net",
    "klarnaservices.com",
    "squarecdn.com",
    "js.squareup.com",
    "checkout.razorpay.com",
    "js.mollie.com",
    "pay.google.com/gp/p/js",
    "applepay.cdn-apple.com",
    "iyzipay.com",
    "iyzico.com",
    "paytr.com",
    "craftgate.io",
];

/// Path segments of carts and checkouts.
const CART_SEGMENTS: [&str; 13] = [
    "cart",
    "basket",
    "checkout",
    "shopping-cart",
    "sepet",
    "sepetim",
    "alisveris-sepeti",
    "alisveris-sepetim",
    "odeme",
    "warenkorb",
    "panier",
    "carrito",
    "carrello",
];

/// Kinds of signs that make a shop together.
const SIGNS_OF_A_SHOP: usize = 2;
/// Prices on a home page that count as a sign.
const PRICES_OF_A_SHOP: usize = 3;

/// All signs if they make a shop, else none.
pub(super) fn reasons(site: &SiteSnapshot) -> Vec<SurfaceReason> {
    let proofs = proofs(site);
    let signs = site.page().map(|page| signs(site, page)).unwrap_or_default();
    let is_shop = !proofs.is_empty() || signs.len() >= SIGNS_OF_A_SHOP;
    if is_shop { proofs.into_iter().chain(signs).collect() } else { Vec::new() }
}

/// Documents that only a shop has.
fn proofs(site: &SiteSnapshot) -> Vec<SurfaceReason> {
    let ucp = published::ucp(site).is_valid().then_some("ucp-profile");
    let acp = published::acp(site).is_valid().then_some("acp-profile");
    ucp.into_iter().chain(acp).map(|id| SurfaceReason::new(Surface::Commerce, id)).collect()
}

/// At most one sign of each kind.
fn signs(site: &SiteSnapshot, page: &Page) -> Vec<SurfaceReason> {
    let sign = |id| SurfaceReason::new(Surface::Commerce, id);
    let home = site.response(&Resource::Home);
    let platform = platform(page, home).map(|name| sign("platform").with("name", name));
    let payment = payment_script(page).map(|src| sign("payment-script").with("src", src));
    let cart = cart_link(site, page).map(|href| sign("cart-link").with("href", href));
    let product = product_type(page).map(|kind| sign("product-data").with("type", &kind));
    let prices =
        page.prices.first().filter(|_| page.prices.len() >= PRICES_OF_A_SHOP).map(|first| {
            sign("prices").with("count", &page.prices.len().to_string()).with("first", first)
        });
    [platform, payment, cart, product, prices].into_iter().flatten().collect()
}

fn platform(page: &Page, home: Option<&Response>) -> Option<&'static str> {
    let header =
        HEADERS.iter().find(|(name, _)| home.is_some_and(|r| r.headers.first(name).is_some()));
    if let Some((_, platform)) = header {
        return Some(platform);
    }
    let generators = page.metas("generator").map(|meta| meta.content.to_lowercase());
    let scripts = page.scripts.iter().filter_map(|script| script.src.as_deref());
    let addresses = scripts.chain(page.links.iter().map(|link| link.href.as_str()));
    let named = |table: &'static [(&'static str, &'static str)], text: &str| {
        table.iter().find(|(part, _)| text.contains(part)).map(|(_, platform)| *platform)
    };
    let mut by_generator = generators.filter_map(|text| named(&GENERATORS, &text));
    let mut by_address =
        addresses.filter_map(|address| named(&PLATFORM_ADDRESSES, &address.to_ascii_lowercase()));
    by_generator.next().or_else(|| by_address.next())
}

fn payment_script(page: &Page) -> Option<&str> {
    let mut sources = page.scripts.iter().filter_map(|script| script.src.as_deref());
    sources.find(|src| PAYMENT_SCRIPTS.iter().any(|part| src.contains(part)))
}

fn cart_link<'a>(site: &SiteSnapshot, page: &'a Page) -> Option<&'a str> {
    let mut anchors = page.resolved_anchors(site.origin());
    let cart = anchors.find(|(_, url)| site.owns(url) && leads_to_cart(url));
    cart.map(|(anchor, _)| anchor.href.as_str())
}

fn leads_to_cart(url: &Url) -> bool {
    let route = url
        .query_pairs()
        .find(|(key, _)| key == "route")
        .map(|(_, value)| value)
        .unwrap_or_default();
    let mut segments = url.path().split('/').chain(route.split('/'));
    segments.any(|segment| {
        let name = segment.split('.').next().unwrap_or_default();
        CART_SEGMENTS.iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// The first product or top-level offer in JSON-LD or microdata. Offers inside of events and
/// applications are not goods.
fn product_type(page: &Page) -> Option<String> {
    let nodes = page.json_ld.iter().filter_map(|block| block.nodes.as_ref().ok()).flatten();
    let mut types = nodes.flat_map(|node| node.types.iter().map(move |kind| (node.depth, kind)));
    let in_json = types.find(|(depth, kind)| match kind.as_str() {
        "Product" | "ProductGroup" | "IndividualProduct" => true,
        "Offer" | "AggregateOffer" => *depth == 0,
        _ => false,
    });
    let mut microdata = page.microdata_types.iter().map(|kind| kind.value.as_str());
    let in_markup = microdata.find(|kind| kind.ends_with("schema.org/Product"));
    in_json.map(|(_, kind)| kind.clone()).or_else(|| in_markup.map(|_| "Product".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carts_are_found_by_whole_segments() {
        let cases = [
            ("https://example.com/cart", true),
            ("https://example.com/tr/sepetim/", true),
            ("https://example.com/Sepet.aspx", true),
            ("https://example.com/index.php?route=checkout/cart", true),
            ("https://example.com/cartography", false),
            ("https://example.com/blog/basketball", false),
        ];
        for (url, expected) in cases {
            assert_eq!(leads_to_cart(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
