//! Sites that are too much: too large, too deep, too slow.

use std::fmt::Write;

use crate::server::{Hosts, Stream};
use crate::site::{Reply, Site, good};

/// Each of the sites below, by a host that tells what it does.
pub fn all() -> Hosts {
    let endless = "endless.visibility-fixture.com";
    let drip = "drip.visibility-fixture.com";
    let trickle = "trickle.visibility-fixture.com";
    let bomb = "bomb.visibility-fixture.com";
    Hosts::new([
        large_home("large.visibility-fixture.com"),
        large_sitemap("sitemap.visibility-fixture.com"),
        nested_tags("nested.visibility-fixture.com"),
        good(endless),
        good(drip),
        good(trickle),
        good(bomb),
    ])
    .streaming(endless, "/", Stream::Endless)
    .streaming(drip, "/", Stream::Drip)
    .streaming(trickle, "/", Stream::Drip)
    .streaming(bomb, "/", Stream::GzipBomb)
}

/// A home page of a little more than 2 MiB.
pub fn large_home(host: &str) -> Site {
    let mut html = String::from("<!doctype html><html lang=\"en\"><title>Large</title><main>");
    while html.len() <= 2 * 1024 * 1024 {
        html.push_str("<p>One more paragraph of the longest page of the whole site.</p>\n");
    }
    good(host).with("/", Reply::html(html))
}

/// A sitemap of a little more than 5 MiB, with fewer than 50,000 addresses.
pub fn large_sitemap(host: &str) -> Site {
    let mut xml = String::from(
        "<?xml version=\"1.0\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    let mut number = 0;
    while xml.len() <= 5 * 1024 * 1024 {
        number += 1;
        writeln!(
            xml,
            "<url><loc>https://{host}/catalog/instruments/laboratory/page-{number:06}</loc>\
             <lastmod>2026-10-{:02}</lastmod><changefreq>monthly</changefreq></url>",
            number % 28 + 1
        )
        .expect("a string takes everything");
    }
    xml.push_str("</urlset>\n");
    good(host).with("/sitemap.xml", Reply::new("application/xml", xml))
}

/// A home page with 100,000 elements inside one another.
pub fn nested_tags(host: &str) -> Site {
    let deep = "<div>".repeat(100_000);
    let html = format!("<!doctype html><html lang=\"en\"><title>Deep</title><main>{deep}text");
    good(host).with("/", Reply::html(html))
}
