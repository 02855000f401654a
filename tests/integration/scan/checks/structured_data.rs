//! Sites for `structured-data`.

use visibility_core::fetch::BodyEnd;
use visibility_tests::site::{Reply, Site, good};

use super::{Case, case};

const HOST: &str = "example.com";

fn page(body: &str) -> Site {
    let html = format!(
        "<!doctype html>\n<html>\n<head><title>A</title></head>\n<body>{body}<p>Text</p></body>\n</html>"
    );
    good(HOST).with("/", Reply::html(html))
}

fn block(json: &str) -> String {
    format!("<script type=\"application/ld+json\">\n{json}\n</script>\n")
}

fn json_ld(json: &str) -> Site {
    page(&block(json))
}

/// A page of which no more came than this.
fn started(body: &str) -> Site {
    good(HOST).with("/", Reply::html(format!("<!doctype html>{body}")).ending(BodyEnd::TimedOut))
}

pub(crate) fn cases() -> Vec<Case> {
    let person = r#"{"@type":"Person","name":"Ada","sameAs":["https://example.org/ada"]}"#;
    let broken = r#"{"@type":"Organization","name":"A",}"#;
    let microdata =
        r#"<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">A</b></div>"#;
    let breadcrumbs = r#"{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","position":1,"name":"Home"}]}"#;
    let cut_block = "<script type=\"application/ld+json\">{\"@type\":\"Org";
    let late = format!("<!--{}-->{}", "x".repeat(2_200_000), block(person));
    vec![
        case("the host of an API", "api-host", visibility_tests::typical::api_host()),
        case("the good site", "identity", good(HOST)),
        case("a person", "identity", json_ld(person)),
        case("an array of nodes", "identity", json_ld(&format!("[{breadcrumbs},{person}]"))),
        case(
            "a graph",
            "identity",
            json_ld(&format!(
                r#"{{"@context":"https://schema.org","@graph":[{breadcrumbs},{person}]}}"#
            )),
        ),
        case(
            "a list of types, with their prefix",
            "identity",
            json_ld(
                r#"{"@type":["https://schema.org/Thing","https://schema.org/Dentist"],"name":"A","url":"/"}"#,
            ),
        ),
        case(
            "the publisher of a page",
            "identity",
            json_ld(
                r#"{"@type":"WebPage","publisher":{"@type":"NewsMediaOrganization","name":"A","logo":{"@type":"ImageObject","url":"/l.png"}}}"#,
            ),
        ),
        case("inside an HTML comment", "identity", json_ld(&format!("<!--\n{person}\n-->"))),
        case(
            "a name alone",
            "incomplete-identity",
            json_ld(r#"{"@type":"Organization","name":"A"}"#),
        ),
        case(
            "an address alone",
            "incomplete-identity",
            json_ld(r#"{"@type":"WebSite","url":"/"}"#),
        ),
        case(
            "an empty address",
            "incomplete-identity",
            json_ld(r#"{"@type":"WebSite","name":"A","url":"","sameAs":[]}"#),
        ),
        case("breadcrumbs", "no-identity", json_ld(breadcrumbs)),
        case(
            "a broken block beside a good one",
            "broken-block",
            page(&format!("{}{}", block(person), block(broken))),
        )
        .also(&["identity"]),
        case(
            "a broken block beside breadcrumbs",
            "no-identity",
            page(&format!("{}{}", block(breadcrumbs), block(broken))),
        )
        .also(&["broken-block"]),
        case(
            "a broken block beside microdata",
            "microdata-only",
            page(&format!("{microdata}{}", block(broken))),
        )
        .also(&["broken-block"]),
        case("a trailing comma", "all-broken", json_ld(broken)),
        case(
            "entities that HTML would expand",
            "all-broken",
            json_ld("{&quot;@type&quot;:&quot;Person&quot;}"),
        ),
        case("microdata", "microdata-only", page(microdata)),
        case("nothing", "absent", page("")),
        case("an empty object", "absent", json_ld("{}")),
        case("breaks off before it", "cut", started("<title>A</title>")),
        case("breaks off within it", "cut", started(cut_block)),
        case("breaks off between two blocks", "cut", started(&block(breadcrumbs))),
        case(
            "breaks off after an identity",
            "identity",
            started(&format!("{}{cut_block}", block(person))),
        ),
        case("after the first 2 MiB", "cut", page(&late)),
        case("refused", "unreadable", good(HOST).with("/", Reply::error(403))),
    ]
}

tests_of!("structured-data");
