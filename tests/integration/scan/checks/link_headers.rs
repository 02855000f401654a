//! Sites for `link-headers`.

use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

const HOST: &str = "example.com";

/// The good site with this `Link` field.
fn linking(field: &str) -> Site {
    good(HOST).with("/", Reply::html(good_home(HOST)).header("link", field))
}

fn without_documents() -> Site {
    good(HOST).with("/llms.txt", Reply::error(404))
}

pub(crate) fn cases() -> Vec<Case> {
    let catalog = r#"{"linkset":[{"anchor":"https://example.com/api"}]}"#;
    let element = r#"<link rel="service-doc" href="/docs">"#;
    let with_element = good_home(HOST).replace("</head>", &format!("{element}</head>"));
    let api = || {
        linking("</.well-known/api-catalog>; rel=\"api-catalog\"")
            .with("/.well-known/api-catalog", Reply::new("application/linkset+json", catalog))
    };
    let home = Reply::html(good_home(HOST));
    let negotiated = linking("</>; rel=alternate; type=\"text/markdown\"").accepting(
        "/",
        "text/markdown",
        Reply::new("text/markdown", "# A\n"),
    );
    let alternate = linking("</index.md>; rel=\"alternate\"; type=text/markdown");
    vec![
        case("an API catalog", "answered", api()),
        case("llms.txt", "answered", linking("</llms.txt>; rel=\"describedby\"")),
        case("two relations", "answered", linking("<llms.txt>; rel=\"index describedby\"")),
        case("a fragment", "answered", linking("</llms.txt#top>; rel=describedby")),
        case("Markdown at the same address", "answered", negotiated),
        case(
            "Markdown at another address",
            "answered",
            alternate.clone().with("/index.md", Reply::new("text/markdown", "# A\n")),
        ),
        case(
            "a live and a dead target",
            "answered",
            linking("</llms.txt>; rel=describedby, </.well-known/api-catalog>; rel=api-catalog"),
        )
        .also(&["dead-target"]),
        case(
            "a dead target",
            "dead-target",
            linking("</.well-known/api-catalog>; rel=\"api-catalog\""),
        ),
        case(
            "a license alone",
            "not-advertised",
            linking("</license.xml>; rel=\"license\"")
                .with("/license.xml", Reply::new("application/rsl+xml", "<rsl/>")),
        ),
        case("dead Markdown", "dead-target", alternate),
        case("a target of no use", "unverified", linking("</docs>; rel=\"service-doc\"")),
        case(
            "a target that was refused",
            "unverified",
            linking("</openapi.json>; rel=service-desc").with("/openapi.json", Reply::error(403)),
        ),
        case("an element only", "elements-only", good(HOST).with("/", Reply::html(with_element))),
        case("llms.txt that nothing names", "not-advertised", good(HOST)),
        case(
            "other relations",
            "not-advertised",
            linking("</style.css>; rel=preload, </fr>; rel=alternate; hreflang=fr"),
        ),
        case(
            "a link about another site",
            "not-advertised",
            linking("</llms.txt>; rel=describedby; anchor=\"https://example.org/\""),
        ),
        case("nothing to name", "nothing", without_documents()),
        case(
            "a text for every path",
            "nothing",
            without_documents().otherwise(Reply::text("Hello")).with("/", home),
        ),
        case("refused", "unreadable", good(HOST).with("/", Reply::error(403))),
    ]
}

tests_of!("link-headers");
