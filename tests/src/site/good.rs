//! The site that nearly every fixture starts from.

use crate::site::{Reply, Site};

/// A good site: every later fixture is this one with something changed.
pub fn good(host: &str) -> Site {
    Site::new(host)
        .with("/", Reply::html(good_home(host)).header("content-encoding", "gzip"))
        .with(
            "/robots.txt",
            Reply::text(format!(
                "User-agent: *\nAllow: /\n\nSitemap: https://{host}/sitemap.xml\n"
            )),
        )
        .with("/sitemap.xml", Reply::new("application/xml", good_sitemap(host)))
        .with(
            "/llms.txt",
            Reply::new(
                "text/markdown",
                format!("# Example\n\n> What it is.\n\n- [Home](https://{host}/)\n"),
            ),
        )
        .with(&format!("https://www.{host}/"), Reply::redirect(301, &format!("https://{host}/")))
        .with("/guides", inner_page("Guides"))
        .with("/about", inner_page("About"))
        .with("/contact", inner_page("Contact"))
        .with("/news", inner_page("News"))
}

/// A page besides the home page with its text in the HTML.
pub fn inner_page(title: &str) -> Reply {
    let text = "Every instrument is measured against a standard before it leaves. ".repeat(15);
    Reply::html(format!(
        "<!doctype html>\n<html lang=\"en\"><head><title>{title}</title></head>\n\
         <body><main><h1>{title}</h1><p>{text}</p></main></body></html>\n"
    ))
}

/// A home page that every content check likes.
pub fn good_home(host: &str) -> String {
    let sentence =
        "We make measuring instruments for laboratories and deliver them with a certificate. ";
    let text = sentence.repeat(14);
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Example Instruments</title>
<meta name="description" content="Measuring instruments for laboratories, made and calibrated in one place.">
<link rel="canonical" href="https://{host}/">
<meta property="og:title" content="Example Instruments">
<meta property="og:image" content="https://{host}/cover.png">
<script type="application/ld+json">
{{"@context":"https://schema.org","@type":"Organization","name":"Example Instruments","url":"https://{host}/","logo":"https://{host}/logo.png"}}
</script>
</head>
<body>
<header><nav><a href="/">Home</a> <a href="/guides">Guides</a> <a href="/about">About</a> <a href="/contact">Contact</a> <a href="/news">News</a></nav></header>
<main>
<h1>Measuring instruments for laboratories</h1>
<p>{text}</p>
</main>
</body>
</html>
"#
    )
}

/// A sitemap with dates that differ.
pub fn good_sitemap(host: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://{host}/</loc><lastmod>2026-11-01</lastmod></url>
<url><loc>https://{host}/guides</loc><lastmod>2026-10-12</lastmod></url>
<url><loc>https://{host}/about</loc><lastmod>2026-03-05</lastmod></url>
</urlset>
"#
    )
}

/// A site with a form to log in.
pub fn login(host: &str) -> Site {
    let form = r#"<form action="/session" method="post"><input name="user"><input type="password" name="password"><button>Log in</button></form></main>"#;
    good(host).with("/", Reply::html(good_home(host).replace("</main>", form)))
}

/// A shop with complete product data and a cart.
pub fn shop(host: &str) -> Site {
    let product = r#"<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Scale","offers":{"@type":"Offer","price":"120.00","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}</script></main>"#;
    let home = shop_home(host).replace("</main>", product);
    good(host).with("/", Reply::html(home))
}

/// A shop with a cart and prices, and without product data.
pub fn bare_shop(host: &str) -> Site {
    good(host).with("/", Reply::html(shop_home(host)))
}

fn shop_home(host: &str) -> String {
    let goods = r#"<ul><li>Scale <b>€120.00</b></li><li>Gauge <b>€80.00</b></li><li>Ruler <b>€15.50</b></li></ul><a href="/cart">Cart</a></main>"#;
    good_home(host).replace("</main>", goods)
}
