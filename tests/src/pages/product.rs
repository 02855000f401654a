//! Product pages with everything that an answer engine could wish for, but for llms.txt.

use serde_json::json;

/// A complete product page in English.
pub fn product() -> String {
    let json_ld = json!({
        "@context": "https://schema.org",
        "@graph": [
            {
                "@type": "Organization",
                "@id": "https://shop.example.com/#organization",
                "name": "Northbound Outfitters",
                "url": "https://shop.example.com/",
                "logo": "https://shop.example.com/logo.png",
                "sameAs": [
                    "https://www.instagram.com/northboundoutfitters",
                    "https://www.linkedin.com/company/northbound-outfitters",
                ],
            },
            {
                "@type": "BreadcrumbList",
                "itemListElement": [
                    {"@type": "ListItem", "position": 1, "name": "Jackets", "item": "https://shop.example.com/jackets"},
                    {"@type": "ListItem", "position": 2, "name": "Aurora down jacket", "item": "https://shop.example.com/jackets/aurora"},
                ],
            },
            {
                "@type": ["Product"],
                "name": "Aurora down jacket",
                "image": ["https://shop.example.com/images/aurora-front.jpg"],
                "description": "The Aurora down jacket is an 850-fill goose down jacket for temperatures down to -25 °C.",
                "sku": "NB-AUR-850",
                "gtin13": "4006381333931",
                "brand": {"@type": "Brand", "name": "Northbound Outfitters"},
                "dateModified": "2026-11-03",
                "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4.7", "reviewCount": "212"},
                "review": {
                    "@type": "Review",
                    "author": {"@type": "Person", "name": "Marta Lindqvist"},
                    "reviewRating": {"@type": "Rating", "ratingValue": "5"},
                    "reviewBody": "I slept in it on a glacier at minus eighteen and was never cold.",
                },
                "offers": {
                    "@type": "Offer",
                    "url": "https://shop.example.com/jackets/aurora",
                    "price": "349.00",
                    "priceCurrency": "EUR",
                    "availability": "https://schema.org/InStock",
                    "shippingDetails": {
                        "@type": "OfferShippingDetails",
                        "shippingRate": {"@type": "MonetaryAmount", "value": "4.90", "currency": "EUR"},
                    },
                    "hasMerchantReturnPolicy": {
                        "@type": "MerchantReturnPolicy",
                        "merchantReturnDays": 60,
                        "applicableCountry": "DE",
                    },
                },
            },
        ],
    });
    include_str!("product.html").replace("{json_ld}", &json_ld.to_string())
}

/// A complete product page in Turkish.
pub fn turkish_product() -> String {
    let json_ld = json!({
        "@context": "https://schema.org",
        "@graph": [
            {
                "@type": "Organization",
                "name": "Kuzey Kahve",
                "url": "https://kahve.example.com/",
                "logo": "https://kahve.example.com/logo.png",
                "sameAs": ["https://www.instagram.com/kuzeykahve", "https://www.facebook.com/kuzeykahve"],
            },
            {
                "@type": "BreadcrumbList",
                "itemListElement": [
                    {"@type": "ListItem", "position": 1, "name": "Filtre kahve", "item": "https://kahve.example.com/filtre"},
                    {"@type": "ListItem", "position": 2, "name": "Yayla filtre kahve", "item": "https://kahve.example.com/filtre/yayla"},
                ],
            },
            {
                "@type": "Product",
                "name": "Yayla filtre kahve",
                "image": "https://kahve.example.com/yayla.jpg",
                "description": "Yayla filtre kahve, 1.850 metrede yetişen çekirdeklerden kavrulan 500 gramlık bir filtre kahvedir.",
                "sku": "KK-YAY-500",
                "brand": {"@type": "Brand", "name": "Kuzey Kahve"},
                "dateModified": "2026-10-12",
                "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4.8", "reviewCount": "96"},
                "offers": {
                    "@type": "Offer",
                    "price": "349.90",
                    "priceCurrency": "TRY",
                    "availability": "https://schema.org/InStock",
                    "shippingDetails": {"@type": "OfferShippingDetails"},
                    "hasMerchantReturnPolicy": {"@type": "MerchantReturnPolicy", "merchantReturnDays": 14},
                },
            },
        ],
    });
    include_str!("turkish_product.html").replace("{json_ld}", &json_ld.to_string())
}
