//! Pages to audit, as their sites would serve them.

mod article;
pub mod languages;
mod large;
mod product;

pub use self::article::article;
pub use self::large::{large_product, shop};
pub use self::product::{product, turkish_product};

/// A landing page of a small software company.
pub fn landing() -> String {
    include_str!("pages/landing.html").to_owned()
}

/// A single-page application before its scripts have run.
pub fn shell() -> String {
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
     <title>Northbound Outfitters: jackets and tents for cold places</title>\
     <meta name=\"description\" content=\"Down jackets, tents and sleeping bags for people who sleep outside at minus twenty degrees.\">\
     <link rel=\"canonical\" href=\"https://shop.example.com/jackets/aurora\">\
     <meta property=\"og:title\" content=\"Aurora down jacket\"><meta property=\"og:image\" content=\"https://shop.example.com/aurora.jpg\">\
     <meta property=\"og:description\" content=\"Aurora down jacket\">\
     <script type=\"module\" src=\"/assets/index-4f1c.js\"></script><link rel=\"stylesheet\" href=\"/assets/index-9c1d.css\"></head>\
     <body><noscript>You need to enable JavaScript to run this app.</noscript><div id=\"root\"></div></body></html>"
        .to_owned()
}
