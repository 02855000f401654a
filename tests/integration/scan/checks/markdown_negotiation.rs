//! Sites for `markdown-negotiation`.

use visibility_core::fetch::FetchError;
use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

const HOST: &str = "example.com";
const MARKDOWN: &str = "# Example\n\nWe make and calibrate measuring instruments for laboratories, schools and small workshops, repair the ones that others have given up, and teach people how to use them, in Tampere since 1985.\n\nFor [laboratories](/labs).\n";

fn negotiating(reply: Reply) -> Site {
    good(HOST).accepting("/", "text/markdown", reply)
}

fn markdown(text: &str) -> Reply {
    Reply::new("text/markdown; charset=utf-8", text)
}

/// The good site, whose home page has this in its head.
fn naming(element: &str) -> Site {
    let html = good_home(HOST).replace("</head>", &format!("{element}</head>"));
    good(HOST).with("/", Reply::html(html))
}

pub(crate) fn cases() -> Vec<Case> {
    let fragment = "<div>\n<h1>Example</h1>\n<p>Text</p>\n</div>\n";
    let with_elements = "# Example\n\n<p align=\"center\">Logo</p>\n\nWe make and calibrate measuring instruments for laboratories, schools and small workshops, repair the ones that others have given up, and teach people how to use them, in Tampere since 1985.\n\nMore text.\n";
    let link = r#"<link rel="alternate" type="text/markdown" href="/index.md">"#;
    let anchored = good_home(HOST).replace("<main>", "<main><a href=\"/guide.md\">Markdown</a>");
    let html = || Reply::html(good_home(HOST));
    let timeout = FetchError::Timeout { after_ms: 10_000 };
    vec![
        case("the host of an API", "api-host", visibility_tests::typical::api_host()),
        case(
            "markdown with Vary",
            "negotiated",
            negotiating(markdown(MARKDOWN).header("vary", "Accept-Encoding, accept")),
        ),
        case(
            "Vary: *",
            "negotiated",
            negotiating(markdown(MARKDOWN).header("vary", "*").header("x-markdown-tokens", "14")),
        ),
        case(
            "headings alone",
            "no-text",
            negotiating(markdown("# App\n").header("vary", "Accept")),
        ),
        case(
            "a redirect that varies leads to Markdown",
            "negotiated",
            negotiating(Reply::redirect(302, "/raw/index.md").header("vary", "Accept"))
                .with("/raw/index.md", markdown(MARKDOWN)),
        ),
        case(
            "a redirect that varies not leads to Markdown",
            "no-vary",
            negotiating(Reply::redirect(302, "/raw/index.md"))
                .with("/raw/index.md", markdown(MARKDOWN)),
        ),
        case(
            "Markdown for browsers, too",
            "for-browsers-too",
            good(HOST).with("/", markdown(MARKDOWN).header("vary", "Accept")),
        ),
        case(
            "next to no words",
            "no-text",
            negotiating(markdown("# App\n\nOur app.\n\nSoon here.\n").header("vary", "Accept")),
        ),
        case(
            "a shell without Markdown",
            "nothing-to-offer",
            good(HOST)
                .with("/", Reply::html("<html><div id=\"root\"></div><script src=/a.js></script>"))
                .accepting("/", "text/markdown", html()),
        ),
        case(
            "elements within Markdown",
            "negotiated",
            negotiating(markdown(with_elements).header("vary", "Accept")),
        ),
        case("no Vary", "no-vary", negotiating(markdown(MARKDOWN))),
        case(
            "Vary names another field",
            "no-vary",
            negotiating(markdown(MARKDOWN).header("vary", "Accept-Encoding")),
        ),
        case("plain text", "wrong-type", negotiating(Reply::text(MARKDOWN))),
        case("HTML", "not-offered", good(HOST)),
        case("not acceptable", "not-offered", negotiating(Reply::error(406))),
        case("plain text that is not Markdown", "not-offered", negotiating(Reply::text("Hello"))),
        case(
            "away from the site",
            "not-offered",
            negotiating(Reply::redirect(302, "https://other.example/"))
                .with("https://other.example/", markdown(MARKDOWN)),
        ),
        case("HTML from a cache", "cached", negotiating(html().header("x-cache", "HIT from edge"))),
        case("HTML of some age", "cached", negotiating(html().header("age", "312"))),
        case("HTML of no age", "not-offered", negotiating(html().header("age", "0"))),
        case(
            "HTML from a cache that knows",
            "not-offered",
            negotiating(html().header("age", "312").header("vary", "Accept")),
        ),
        case(
            "relabeled HTML",
            "relabeled",
            negotiating(markdown(&good_home(HOST)).header("vary", "Accept")),
        ),
        case("a relabeled piece of HTML", "relabeled", negotiating(markdown(fragment))),
        case("nothing", "empty", negotiating(markdown("\n"))),
        case("a link to Markdown", "alternate", naming(link).with("/index.md", markdown(MARKDOWN)))
            .also(&["not-offered"]),
        case(
            "a link to Markdown in the header",
            "alternate",
            good(HOST)
                .with(
                    "/",
                    html().header("link", "</home.md>; rel=alternate; type=\"text/markdown\""),
                )
                .with("/home.md", Reply::text(MARKDOWN)),
        ),
        case(
            "a linked file",
            "alternate",
            good(HOST).with("/", Reply::html(anchored)).with("/guide.md", markdown(MARKDOWN)),
        ),
        case(
            "relabeled HTML beside Markdown",
            "relabeled",
            naming(link).with("/index.md", markdown(MARKDOWN)).accepting(
                "/",
                "text/markdown",
                markdown(&good_home(HOST)),
            ),
        ),
        case(
            "a refused alternate",
            "unseen-alternate",
            naming(link).with("/index.md", Reply::error(403)),
        ),
        case("a link to nothing", "not-offered", naming(link)).also(&["dead-alternate"]),
        case("a link to HTML", "not-offered", naming(link).with("/index.md", html()))
            .also(&["dead-alternate"]),
        case("refused", "unreadable", negotiating(Reply::error(403))),
        case("a server error", "unreadable", negotiating(Reply::error(500))),
        case("timed out", "unreadable", good(HOST).failing_for("/", "text/markdown", timeout)),
    ]
}

tests_of!("markdown-negotiation");
