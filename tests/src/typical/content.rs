//! Sites to read: documentation, a publisher, a blog, a bare page, an empty shell.

use std::fmt::Write;

use super::{Head, json_ld, site, sitemap, with_pages};
use crate::site::{Reply, Site};

const DOCS_TEXT: &str = "Ferrite is a small message queue that keeps its data in one file. These pages \
explain how to install it, how to publish and consume messages, and what happens when a machine stops \
in the middle of a write. Start with the quick start if you have five minutes. Read the guide on \
delivery before you put Ferrite into production: it explains acknowledgements, redelivery and dead \
letters with examples that you can run. The reference lists every command and every setting with its \
default and its unit. If something is not clear, open an issue and tell us which page you were on.";

const DOCS_MORE: &str = "A queue is created when the first message arrives and removed when it was \
empty for a day. Messages are kept in order for each key, and a consumer that falls behind is told how \
far. Backups are plain copies of the file, taken while the server runs. Version 3 reads the files of \
version 2 and writes them back in the new form when it compacts them.";

/// Documentation with `llms.txt`, Markdown on request, and everything else in order. What it
/// has is linked in the page and not in header fields, as generators of documentation do.
#[expect(clippy::too_many_lines, reason = "a site is a table")]
pub(super) fn docs() -> Site {
    let host = "ferrite-docs.com";
    let more = format!(
        "<link rel=\"alternate\" type=\"text/markdown\" href=\"/index.md\">\n{}",
        json_ld(
            r#"{"@context":"https://schema.org","@graph":[
{"@type":"WebSite","@id":"https://ferrite-docs.com/#site","name":"Ferrite documentation","url":"https://ferrite-docs.com/"},
{"@type":"Organization","name":"Ferrite project","url":"https://ferrite-docs.com/","logo":"https://ferrite-docs.com/logo.svg","sameAs":["https://github.com/ferrite-mq"]}]}"#
        )
    );
    let head = Head {
        host,
        lang: "en",
        title: "Ferrite documentation",
        description: "How to install, run and understand Ferrite, the one-file message queue.",
        more: &more,
    };
    let body = format!(
        r#"<nav><a href="/">Home</a> <a href="/quick-start">Quick start</a> <a href="/delivery">Delivery</a>
<a href="/settings">Settings</a> <a href="/backups">Backups</a> <a href="/changes">Changes</a></nav>
<main>
<h1>Ferrite documentation</h1>
<p>{DOCS_TEXT}</p>
<h2>What to expect</h2>
<p>{DOCS_MORE}</p>
<pre><code>ferrite serve --file queue.db</code></pre>
</main>
<footer><a href="/license">License</a></footer>"#
    );
    let markdown = format!(
        "# Ferrite documentation\n\n{DOCS_TEXT}\n\n## What to expect\n\n{DOCS_MORE}\n\n\
         ```sh\nferrite serve --file queue.db\n```\n"
    );
    let home = Reply::html(head.page(&body)).header("vary", "accept, accept-encoding");
    let as_markdown = Reply::new("text/markdown; charset=utf-8", markdown.clone())
        .header("vary", "accept, accept-encoding")
        .header("x-markdown-tokens", "240");
    let llms = "# Ferrite\n\n> A message queue that keeps its data in one file.\n\n## Docs\n\n\
        - [Quick start](https://ferrite-docs.com/quick-start.md): five minutes\n\
        - [Delivery](https://ferrite-docs.com/delivery.md): acknowledgements and redelivery\n\
        - [Settings](https://ferrite-docs.com/settings.md): every setting\n";
    with_pages(site(host, home), &["/quick-start", "/delivery", "/settings", "/backups"])
        .accepting("/", "text/markdown", as_markdown)
        .with("/index.md", Reply::new("text/markdown; charset=utf-8", markdown))
        .with("/llms.txt", Reply::text(llms))
        .with("/quick-start.md", Reply::text("# Quick start\n"))
        .with("/delivery.md", Reply::text("# Delivery\n"))
        .with("/settings.md", Reply::text("# Settings\n"))
        .with(
            "/robots.txt",
            Reply::text(
                "User-agent: *\nAllow: /\n\nSitemap: https://ferrite-docs.com/sitemap.xml\n",
            ),
        )
        .with(
            "/sitemap.xml",
            sitemap(
                host,
                &[
                    ("/", "2026-11-02"),
                    ("/quick-start", "2026-10-28"),
                    ("/delivery", "2026-09-14"),
                    ("/settings", "2026-11-02"),
                ],
            ),
        )
}

/// A newspaper: search and users welcome, training not. Its page carries its own data once more, in
/// a script that is longer than the text.
#[expect(clippy::too_many_lines, reason = "a site is a table")]
pub(super) fn publisher() -> Site {
    let host = "harbor-courier.com";
    let more = format!(
        "<meta name=\"robots\" content=\"max-image-preview:large\">\n\
         <link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml\">\n{}",
        json_ld(
            r#"{"@context":"https://schema.org","@type":"NewsMediaOrganization","name":"Harbor Courier","url":"https://harbor-courier.com/","logo":"https://harbor-courier.com/logo.png","sameAs":["https://mastodon.social/@harborcourier"]}"#
        )
    );
    let head = Head {
        host,
        lang: "en-GB",
        title: "Harbor Courier: news from the coast",
        description: "News, weather and reports from the harbor towns, every morning since 1911.",
        more: &more,
    };
    let stories = [
        (
            "ferry",
            "New ferry to the islands sails in spring",
            "The council signed the contract on Tuesday. The ship takes ninety cars and runs on batteries that are charged in port.",
        ),
        (
            "market",
            "Fish market moves back into the old hall",
            "After four years of repairs the traders return. The roof is new, the tiles are those of 1908, and rents stay as they were.",
        ),
        (
            "storm",
            "Storm breaks the pier at Eastcliff",
            "Nobody was hurt when the waves took forty meters of the pier on Sunday night. Engineers will say by Friday whether it can be mended.",
        ),
        (
            "school",
            "Sailing school opens its boats to everybody",
            "Children of the quarter pay nothing on Saturdays. The club hopes that some of them stay, and says that it needs two more teachers.",
        ),
        (
            "library",
            "Library lends tools, tents and telescopes",
            "What began with a drill has become a room of its own. The list of things to borrow is longer than that of new novels this month.",
        ),
    ];
    let mut body = String::from(
        "<header><a href=\"/\">Harbor Courier</a> <a href=\"/news\">News</a> <a href=\"/weather\">Weather</a> <a href=\"/sport\">Sport</a></header>\n<main>\n<h1>News from the coast</h1>\n",
    );
    for (path, title, text) in stories {
        writeln!(
            body,
            "<article><h2><a href=\"/news/{path}\">{title}</a></h2><p>{text}</p></article>"
        )
        .expect("a string takes everything");
    }
    body.push_str("</main>\n<footer><a href=\"/imprint\">Imprint</a></footer>\n");
    let teaser = r#"{"section":"news","teaser":{"kind":"story","image":null,"comments":0}},"#;
    let state = teaser.repeat(8_000);
    write!(body, "<script>window.__STATE__ = [{state}null];</script>")
        .expect("a string takes everything");
    let robots = "# Search engines and people's assistants are welcome, training is not.\n\
        User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\nAllow: /\n\n\
        User-agent: GPTBot\nUser-agent: ClaudeBot\nUser-agent: CCBot\nUser-agent: Google-Extended\n\
        User-agent: Applebot-Extended\nUser-agent: meta-externalagent\nUser-agent: Bytespider\n\
        User-agent: Amazonbot\nDisallow: /\n\n\
        Sitemap: https://harbor-courier.com/sitemap.xml\n";
    let pages = ["/news/ferry", "/news", "/weather", "/sport"];
    let site = with_pages(site(host, Reply::html(head.page(&body))), &pages);
    site.with("/robots.txt", Reply::text(robots)).with(
        "/sitemap.xml",
        sitemap(
            host,
            &[
                ("/news/ferry", "2026-11-19"),
                ("/news/market", "2026-11-18"),
                ("/news/storm", "2026-11-16"),
                ("/news/school", "2026-11-14"),
                ("/news/library", "2026-11-12"),
            ],
        ),
    )
}

/// A blog as WordPress and its most common SEO plugin make it, on a server that compresses nothing.
#[expect(clippy::too_many_lines, reason = "a site is a table")]
pub(super) fn wordpress_blog() -> Site {
    let host = "slow-bread.com";
    let more = format!(
        "<meta name=\"robots\" content=\"index, follow, max-image-preview:large, max-snippet:-1, max-video-preview:-1\">\n\
         <meta name=\"generator\" content=\"WordPress 6.9\">\n\
         <link rel=\"alternate\" type=\"application/rss+xml\" title=\"Slow Bread\" href=\"https://slow-bread.com/feed/\">\n{}",
        json_ld(
            r#"{"@context":"https://schema.org","@graph":[
{"@type":"CollectionPage","@id":"https://slow-bread.com/","url":"https://slow-bread.com/","name":"Slow Bread","isPartOf":{"@id":"https://slow-bread.com/#website"}},
{"@type":"WebSite","@id":"https://slow-bread.com/#website","url":"https://slow-bread.com/","name":"Slow Bread","inLanguage":"en-US"},
{"@type":["Person","Organization"],"@id":"https://slow-bread.com/#/schema/person/1","name":"Ines","url":"https://slow-bread.com/about/","logo":{"@id":"https://slow-bread.com/#/schema/person/image/"}}]}"#
        )
    );
    let head = Head {
        host,
        lang: "en-US",
        title: "Slow Bread - Bread that takes its time",
        description: "Recipes and notes on sourdough, rye and ovens that are never hot enough.",
        more: &more,
    };
    let body = r##"<a class="skip-link" href="#content">Skip to content</a>
<header id="masthead"><p class="site-title"><a href="https://slow-bread.com/">Slow Bread</a></p>
<nav><a href="https://slow-bread.com/recipes/">Recipes</a> <a href="https://slow-bread.com/about/">About</a> <a href="https://slow-bread.com/contact/">Contact</a></nav>
<form role="search" method="get" class="search-form" action="https://slow-bread.com/"><input type="search" name="s"><input type="submit" value="Search"></form></header>
<main id="content">
<h1 class="page-title">Bread that takes its time</h1>
<article class="post"><h2><a href="https://slow-bread.com/rye-in-winter/">Rye in winter</a></h2>
<p>The kitchen has sixteen degrees in the morning and the starter sleeps. This is how I wake it: a jar in
a cooler with a bottle of warm water, fed at seven, at noon and at six. By evening it smells of apples
and doubles in three hours. The dough itself needs less water than in summer, and a longer rest.</p></article>
<article class="post"><h2><a href="https://slow-bread.com/the-oven-lies/">The oven lies</a></h2>
<p>A thermometer on the stone said two hundred and ten when the display said two hundred and fifty. It
took forty minutes more to get there. Since then I bake by the stone and not by the clock, and the crust
is what it should be. Here is a table of what my oven says and what it means.</p></article>
<article class="post"><h2><a href="https://slow-bread.com/salt/">How much salt</a></h2>
<p>Two percent of the flour, weighed. Less tastes of nothing and ferments too fast, more slows everything
down. I tried every tenth of a percent between one and three so that you do not have to.</p></article>
</main>
<footer><a href="https://slow-bread.com/privacy-policy/">Privacy</a></footer>"##;
    let robots = "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n\n\
        Sitemap: https://slow-bread.com/sitemap_index.xml\n";
    let index = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
        <sitemap><loc>https://slow-bread.com/post-sitemap.xml</loc><lastmod>2026-11-09T06:12:41+00:00</lastmod></sitemap>\n\
        <sitemap><loc>https://slow-bread.com/page-sitemap.xml</loc><lastmod>2026-02-01T10:00:00+00:00</lastmod></sitemap>\n\
        </sitemapindex>\n";
    let home = Reply::html(head.page(body))
        .header("link", "<https://slow-bread.com/wp-json/>; rel=\"https://api.w.org/\"");
    let pages = ["/rye-in-winter/", "/the-oven-lies/", "/salt/", "/recipes/", "/about/"];
    with_pages(site(host, home.clone()), &pages)
        .with("/", home)
        .with("/robots.txt", Reply::text(robots))
        .with("/sitemap_index.xml", Reply::new("text/xml; charset=UTF-8", index))
        .with(
            "/post-sitemap.xml",
            sitemap(
                host,
                &[
                    ("/rye-in-winter/", "2026-11-09T06:12:41+00:00"),
                    ("/the-oven-lies/", "2026-10-20T18:03:10+00:00"),
                    ("/salt/", "2026-09-30T07:44:02+00:00"),
                ],
            ),
        )
}

/// One hand-written page on a good server, and nothing else.
pub(super) fn bare_page() -> Site {
    let host = "old-clocks.com";
    let html = "<!DOCTYPE html>\n<html>\n<head><title>Old clocks, repaired</title></head>\n<body>\n\
        <h1>Old clocks, repaired</h1>\n\
        <p>I have repaired clocks in Lower Street since 1987: wall clocks, table clocks, ship's clocks and, \
        when there is no other way, wrist watches. Bring yours on a weekday between nine and five, or write \
        to me first if it is too heavy to carry. An estimate costs nothing. Most repairs take three weeks, \
        because parts must be made and a clock must run for some days before I trust it again.</p>\n\
        <p>I do not buy or sell clocks, and I do not know what yours is worth. For that, ask the museum: \
        they have an open day on the first Thursday of the month. What I can tell you is when it was made, \
        by whom, and who worked on it before me, since we all leave a mark inside the case.</p>\n\
        <p>If you only want to look: there are forty clocks on the wall, all of them going, and at \
        noon it is worth being here. Children may wind the one beside the door. Please leave the \
        cuckoos alone, they are tired. Lower Street 14, second yard. The bell is broken, please knock. Closed in August.</p>\n\
        </body>\n</html>\n";
    site(host, Reply::html(html))
}

/// An application that answers every path with the same empty page.
pub(super) fn spa_shell() -> Site {
    let host = "taskloom-app.com";
    let shell = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"/>\
        <link rel=\"icon\" href=\"/favicon.ico\"/>\
        <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\
        <meta name=\"description\" content=\"Web site created using a template\"/>\
        <title>Taskloom</title>\
        <script defer=\"defer\" src=\"/static/js/main.4f1b6c0e.js\"></script>\
        <link href=\"/static/css/main.0c2b9a51.css\" rel=\"stylesheet\"></head>\
        <body><noscript>You need to enable JavaScript to run this app.</noscript>\
        <div id=\"root\"></div></body></html>";
    let page = Reply::html(shell).header("content-encoding", "gzip");
    site(host, Reply::html(shell)).otherwise(page)
}
