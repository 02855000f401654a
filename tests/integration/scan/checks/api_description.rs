//! Sites for `api-description`.

use visibility_tests::documents::{api_catalog, openapi};
use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

const CATALOG: &str = "/.well-known/api-catalog";
const MISSING_PAGE: &str = "/x-0000000000000000";

fn site() -> Site {
    good("example.com")
}

fn linkset(target: &str) -> Reply {
    Reply::new("application/linkset+json", api_catalog(target))
}

/// A site whose home page links to its API.
fn with_api() -> Site {
    let home = good_home("example.com").replace("/news", "/developers/api");
    site().with("/", Reply::html(home))
}

fn with_link(target: &str) -> Site {
    let link = format!("<{target}>; rel=\"service-desc\"");
    site().with("/", Reply::html(good_home("example.com")).header("link", &link))
}

#[expect(clippy::too_many_lines, reason = "a table of sites")]
pub(crate) fn cases() -> Vec<Case> {
    let json = Reply::json(openapi(""));
    let yaml = Reply::new(
        "application/yaml",
        "openapi: 3.1.0\ninfo:\n  title: Example\n  version: '1'\npaths:\n  /things:\n    get:\n      responses: {}\n",
    );
    let swagger =
        r#"{"swagger":"2.0","info":{"title":"A","version":"1"},"paths":{"/a":{"get":{}}}}"#;
    let shell = Reply::json(r#"{"error":"no such page"}"#);
    vec![
        case(
            "named by the catalog",
            "linked",
            site().with("/openapi.json", json.clone()).with(CATALOG, linkset("/openapi.json")),
        )
        .also(&["catalog"]),
        case(
            "named by a link",
            "linked",
            with_link("/v2/api.json").with("/v2/api.json", json.clone()),
        ),
        case(
            "elsewhere, named by the catalog",
            "linked",
            site().with(CATALOG, linkset("/v3/api.json")).with("/v3/api.json", json.clone()),
        ),
        case(
            "YAML named by a link",
            "linked",
            with_link("/api.yaml").with("/api.yaml", yaml.clone()),
        ),
        case("YAML at the second place", "unlinked", with_api().with("/openapi.yaml", yaml)),
        case(
            "at the third place",
            "unlinked",
            with_api().with("/.well-known/openapi.json", json.clone()),
        ),
        case("not linked", "unlinked", site().with("/openapi.json", json.clone())),
        case("a catalog that leads nowhere", "only-linked", site().with(CATALOG, linkset("/gone"))),
        case("a link that leads nowhere", "only-linked", with_link("/gone")),
        case(
            "Swagger 2",
            "swagger-2",
            with_link("/openapi.json").with("/openapi.json", Reply::json(swagger)),
        ),
        case(
            "a catalog of a wrong type",
            "catalog-type",
            site()
                .with("/openapi.json", json.clone())
                .with(CATALOG, Reply::json(api_catalog("/openapi.json"))),
        ),
        case(
            "broken, on a site without an API",
            "invalid",
            site().with("/openapi.json", Reply::json("{")),
        ),
        case(
            "no paths",
            "invalid",
            site()
                .with("/openapi.json", Reply::json(r#"{"openapi":"3.1.0","info":{"title":"A"}}"#)),
        ),
        case("a broken catalog", "catalog-invalid", site().with(CATALOG, Reply::json("[]"))),
        case(
            "off site",
            "off-site",
            with_api().with("/openapi.json", Reply::redirect(302, "https://other.example/api")),
        )
        .beside("https://other.example/api", json),
        case("an API without a description", "absent", with_api()),
        case("content only", "no-api", site()),
        case("a site that answers everything with JSON", "no-api", site().otherwise(shell.clone())),
        case(
            "a site that answers everything, each path with another JSON",
            "no-api",
            site()
                .otherwise(shell)
                .with("/openapi.json", Reply::json(r#"{"error":"no /openapi.json"}"#)),
        ),
        case(
            "pages that do not exist answer with JSON that names their path",
            "no-api",
            site()
                .with(MISSING_PAGE, Reply::json(r#"{"path":"\/x-0000000000000000"}"#))
                .with("/openapi.json", Reply::json(r#"{"path":"\/openapi.json"}"#)),
        ),
        case(
            "pages that do not exist answer with JSON that has a token",
            "no-api",
            site()
                .with(MISSING_PAGE, Reply::json(r#"{"request":"93a"}"#))
                .with("/openapi.json", Reply::json(r#"{"request":"5f1"}"#)),
        ),
        case(
            "broken, on a site that answers other paths with a shell",
            "invalid",
            site()
                .with(MISSING_PAGE, Reply::html(good_home("example.com")))
                .with("/openapi.json", Reply::json("{")),
        ),
        case(
            "a part of a page in its place",
            "no-api",
            site().with("/openapi.json", Reply::html("<div id=app>5f1</div>")),
        ),
        case(
            "a page in its place, behind a comment",
            "no-api",
            site().with("/openapi.json", Reply::json("<!-- 5f1 --><p>Not found</p>")),
        ),
        case("refused", "unreadable", with_api().with("/openapi.json", Reply::error(403))),
    ]
}

tests_of!("api-description");
