//! The pages and files of the site: whole, protected, and without a link that leads nowhere.

mod own;
mod trees;

use std::collections::BTreeSet;

use reqwest::StatusCode;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LINK, VARY,
};
use url::Url;
use visibility_core::documents::ai_catalog::AiCatalog;
use visibility_core::documents::api_catalog::ApiCatalog;
use visibility_core::documents::robots::RobotsTxt;
use visibility_core::documents::sitemap::Sitemap;
use visibility_core::page::Page;
use visibility_tests::server::Hosts;

use crate::api::browser::{ADA, make_user};
use crate::api::server::Server;

/// Pages, each with its Markdown.
const PAGES: [(&str, &str); 10] = [
    ("/", "/index.md"),
    ("/bot", "/bot.md"),
    ("/docs", "/docs.md"),
    ("/docs/api", "/docs/api.md"),
    ("/docs/checks", "/docs/checks.md"),
    ("/docs/errors", "/docs/errors.md"),
    ("/docs/ingestion", "/docs/ingestion.md"),
    ("/docs/scoring", "/docs/scoring.md"),
    ("/tr", "/tr.md"),
    ("/tr/bot", "/tr/bot.md"),
];

/// A body, with what it was answered.
struct Body {
    status: StatusCode,
    headers: reqwest::header::HeaderMap,
    text: String,
}

impl Body {
    fn header(&self, name: reqwest::header::HeaderName) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

async fn get(server: &Server, path: &str, fields: &[(reqwest::header::HeaderName, &str)]) -> Body {
    let mut request = server.client.get(server.url(path));
    for (name, value) in fields {
        request = request.header(name, *value);
    }
    let answer = request.send().await.unwrap();
    let (status, headers) = (answer.status(), answer.headers().clone());
    let bytes = answer.bytes().await.unwrap();
    Body { status, headers, text: String::from_utf8_lossy(&bytes).into_owned() }
}

/// A server that is not being tried for the first time: its home page has a form only for people who are signed in.
async fn server_with_a_user() -> Server {
    let server = Server::start().await;
    make_user(&server, ADA, &[]);
    server
}

/// Addresses of this server in a text of Markdown links or of plain lines.
fn own_links(server: &Server, text: &str) -> BTreeSet<String> {
    let base = server.url("");
    let is_end = |c: char| c.is_whitespace() || "()<>\"'`,;|".contains(c);
    let ends = text.split(base.as_str()).skip(1).filter_map(|rest| rest.split(is_end).next());
    ends.map(|path| path.trim_end_matches(['.', ':']).to_owned()).collect()
}

#[tokio::test]
async fn every_page_is_whole_and_protected() {
    let server = server_with_a_user().await;
    for (path, markdown) in PAGES {
        let body = get(&server, path, &[(ACCEPT, "text/html")]).await;
        assert_eq!(body.status, 200, "{path}");
        assert_eq!(body.header(CONTENT_TYPE), "text/html; charset=utf-8", "{path}");
        let policy = body.header(CONTENT_SECURITY_POLICY);
        assert!(policy.starts_with("default-src 'none'; style-src 'self'; "), "{path}: {policy}");
        let page = Page::parse(body.text.as_bytes(), Some("text/html; charset=utf-8"));
        assert_eq!(page.h1s().count(), 1, "{path}");
        assert!(page.title.is_some() && page.description.is_some() && page.lang_is_valid());
        let canonical: Vec<_> = page.links("canonical").map(|link| link.href.clone()).collect();
        assert_eq!(canonical, [server.url(path)]);
        assert!(page.scripts.is_empty() && page.forms.is_empty(), "{path}");
        for forbidden in [" style=", "<style", " onclick=", "javascript:", "<iframe"] {
            assert!(!body.text.contains(forbidden), "{path}: {forbidden}");
        }
        let levels: Vec<u8> = page.headings.iter().map(|heading| heading.level).collect();
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{path}: {levels:?}");
        let alternate = format!("<{markdown}>; rel=\"alternate\"; type=\"text/markdown\"");
        assert!(body.header(LINK).contains(&alternate), "{path}: {}", body.header(LINK));
    }
}

/// RFC 8631 and RFC 9727: who starts at the index finds the descriptions without reading it.
#[tokio::test]
async fn the_index_of_the_api_leads_to_the_descriptions() {
    let server = Server::start().await;
    for path in ["/api/v1", "/api/v1?lang=tr"] {
        let body = get(&server, path, &[]).await;
        for (target, relation) in [
            ("/api/v1/openapi.json", "service-desc"),
            ("/docs", "service-doc"),
            ("/.well-known/api-catalog", "api-catalog"),
        ] {
            let link = format!("<{target}>; rel=\"{relation}\"");
            assert!(body.header(LINK).contains(&link), "{path}: {}", body.header(LINK));
            assert_eq!(get(&server, target, &[]).await.status, 200, "{target}");
        }
    }
}

#[tokio::test]
async fn no_link_of_a_page_leads_nowhere() {
    let server = Server::start().await;
    let mut targets = BTreeSet::new();
    for (path, _) in PAGES {
        let html = get(&server, path, &[(ACCEPT, "text/html")]).await.text;
        let page = Page::parse(html.as_bytes(), Some("text/html; charset=utf-8"));
        let base = Url::parse(&server.url(path)).unwrap();
        let anchors = page.anchors.iter().map(|anchor| anchor.href.as_str());
        let links = page.links.iter().map(|link| link.href.as_str());
        let urls = anchors.chain(links).map(|href| base.join(href).unwrap());
        targets.extend(urls.filter(|url| url.origin() == base.origin()));
    }
    assert!(targets.len() > 40, "{targets:?}");
    let mut broken = Vec::new();
    for target in targets {
        let body = get(&server, target.path(), &[(ACCEPT, "text/html")]).await;
        let anchor = target.fragment().map(|anchor| format!("id=\"{anchor}\""));
        // The settings ask a stranger to sign in.
        let is_found = body.status == 200 || target.path() == "/settings" && body.status == 303;
        if !is_found || anchor.is_some_and(|anchor| !body.text.contains(&anchor)) {
            broken.push(target.to_string());
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[tokio::test]
async fn markdown_is_served_at_both_addresses_and_its_links_lead_somewhere() {
    let server = Server::start().await;
    let mut targets = BTreeSet::new();
    for (path, markdown) in PAGES {
        let negotiated =
            get(&server, path, &[(ACCEPT, "text/markdown, text/html;q=0.5, */*;q=0.1")]).await;
        assert_eq!(negotiated.header(CONTENT_TYPE), "text/markdown; charset=utf-8", "{path}");
        assert!(negotiated.header(VARY).contains("Accept"), "{path}");
        let twin = get(&server, markdown, &[]).await;
        assert_eq!(twin.header(CONTENT_TYPE), "text/markdown; charset=utf-8", "{path}");
        assert_eq!(twin.text, negotiated.text, "{path}");
        assert!(twin.text.starts_with("# "), "{path}");
        let canonical = format!("<{}>; rel=\"canonical\"", server.url(path));
        assert_eq!(twin.header(LINK), canonical);
        // The address and the placeholders of the source are filled.
        assert!(!twin.text.contains("visibility.example.com"), "{path}");
        for name in ["user_agent", "scan_seconds", "contact", "ingest_url"] {
            assert!(!twin.text.contains(&format!("{{{name}}}")), "{path}: {name}");
        }
        targets.extend(own_links(&server, &twin.text));
    }
    for target in targets {
        let (path, _) = target.split_once('#').unwrap_or((&target, ""));
        if path.is_empty() {
            continue;
        }
        let status = get(&server, path, &[]).await.status;
        // Texts also name what wants a key or a body, and an audit that is an example.
        let starts = |start: &str| path.starts_with(start);
        let wants_more = starts("/api/v1/agent-readiness") || starts("/v1/logs");
        let wants_more = wants_more || starts("/api/v1/logs/");
        let is_example = starts("/api/public/audit/aud_");
        let wants_more = wants_more || starts("/api/public/audit") || path == "/settings";
        assert!(status == 200 || is_example || (wants_more && status != 404), "{target}: {status}");
    }
}

#[tokio::test]
async fn every_address_of_the_sitemap_and_of_the_overviews_answers() {
    let server = Server::start().await;
    let sitemap = get(&server, "/sitemap.xml", &[]).await.text;
    let entries = Sitemap::parse(sitemap.as_bytes(), false).unwrap().entries;
    let mut targets: BTreeSet<String> = BTreeSet::new();
    for entry in &entries {
        targets.insert(entry.loc.strip_prefix(&server.url("")).unwrap().to_owned());
        assert!(entry.lastmod.is_some(), "{}", entry.loc);
    }
    let pages: BTreeSet<String> = PAGES.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert!(pages.is_subset(&targets), "{targets:?}");
    for path in ["/llms.txt", "/llms-full.txt"] {
        let body = get(&server, path, &[]).await;
        assert_eq!(body.header(CONTENT_TYPE), "text/plain; charset=utf-8");
        assert!(body.text.contains("# "), "{path}");
        if path == "/llms.txt" {
            assert!(own_links(&server, &body.text).len() > 10);
            targets.extend(own_links(&server, &body.text));
        }
    }
    for target in targets {
        let expected = match target.as_str() {
            // The MCP server is not a page: it wants to know who asks.
            "/mcp" | "/api/mcp/v1/mcp" => 401,
            // A stranger is asked to sign in.
            "/settings" => 303,
            _ => 200,
        };
        assert_eq!(get(&server, &target, &[]).await.status, expected, "{target}");
    }
}

#[tokio::test]
async fn robots_txt_has_nothing_to_fix() {
    let server = Server::start().await;
    let body = get(&server, "/robots.txt", &[]).await;
    assert_eq!(body.header(CONTENT_TYPE), "text/plain; charset=utf-8");
    let robots = RobotsTxt::parse(body.text.as_bytes());
    assert!(robots.lints.is_empty() && robots.junk_lines == 0, "{:?}", robots.lints);
    assert_eq!(robots.sitemaps[0].value, server.url("/sitemap.xml"));
    assert_eq!(robots.groups[0].content_signals.len(), 1);
    for token in ["GPTBot", "ClaudeBot", "Googlebot", "VisibilityBot"] {
        assert!(robots.decide(&[token], "/docs/checks").allowed, "{token}");
    }
}

#[tokio::test]
async fn the_catalogs_are_valid_and_lead_somewhere() {
    let server = Server::start().await;
    let body = get(&server, "/.well-known/api-catalog", &[]).await;
    assert_eq!(
        body.header(CONTENT_TYPE),
        "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\""
    );
    let catalog = ApiCatalog::parse(body.text.as_bytes()).unwrap();
    assert!(catalog.warnings.is_empty(), "{:?}", catalog.warnings);
    let linked = catalog.descriptions.iter().chain(&catalog.documentation).chain(&catalog.status);
    let mut targets: Vec<String> = linked.map(|link| link.href.clone()).collect();
    assert!(targets.len() >= 7, "{targets:?}");
    let body = get(&server, "/.well-known/ai-catalog.json", &[]).await;
    assert_eq!(body.header(CONTENT_TYPE), "application/ai-catalog+json");
    let catalog = AiCatalog::parse(body.text.as_bytes()).unwrap();
    assert!(catalog.warnings.is_empty(), "{:?}", catalog.warnings);
    targets.extend(catalog.entries.into_iter().filter_map(|entry| entry.url));
    for target in targets {
        let path = target.strip_prefix(&server.url("")).unwrap();
        assert_eq!(get(&server, path, &[]).await.status, 200, "{target}");
    }
    // RFC 9727 section 2: the field is there for HEAD, too.
    let head = server.client.head(server.url("/.well-known/api-catalog")).send().await.unwrap();
    assert!(head.headers()[LINK].to_str().unwrap().contains("rel=\"api-catalog\""));
}

#[tokio::test]
async fn security_txt_is_there_only_with_a_contact() {
    let server = Server::start().await;
    let body = get(&server, "/.well-known/security.txt", &[]).await;
    assert_eq!(body.status, 404);
    assert_eq!(body.header(CONTENT_TYPE), "application/json");
    let contact = "mailto:security@example.com";
    let server =
        Server::with(Hosts::default(), |settings| settings.contact = Some(contact.to_owned()))
            .await;
    let body = get(&server, "/.well-known/security.txt", &[]).await;
    assert_eq!(body.header(CONTENT_TYPE), "text/plain; charset=utf-8");
    assert!(body.text.starts_with("Contact: mailto:security@example.com\nExpires: 20"));
    let expires = body.text.lines().find_map(|line| line.strip_prefix("Expires: ")).unwrap();
    let expires: chrono::DateTime<chrono::Utc> = expires.parse().unwrap();
    let days = (expires - chrono::Utc::now()).num_days();
    assert!((300..366).contains(&days), "{days}");
    let bot = get(&server, "/bot.md", &[]).await.text;
    assert!(bot.contains("security@example.com"), "{bot}");
}

#[tokio::test]
async fn an_unknown_path_is_an_error_object_for_every_program() {
    let server = Server::start().await;
    let well_known = [
        "/.well-known/nothing",
        "/.well-known/mcp/none.json",
        "/.well-known/oauth-protected-resource/none",
        "/.well-known/openid-configuration",
        "/.well-known/agent-skills/none/SKILL.md",
    ];
    let pages = ["/nothing", "/docs/nothing", "/bot/", "/index.html"];
    for (path, accept) in well_known
        .into_iter()
        .map(|path| (path, "text/html"))
        .chain(pages.into_iter().map(|path| (path, "*/*")))
    {
        let body = get(&server, path, &[(ACCEPT, accept)]).await;
        assert_eq!(body.status, 404, "{path}");
        let object: serde_json::Value = serde_json::from_str(&body.text).unwrap();
        assert_eq!(object["error"]["code"], "NOT_FOUND", "{path}");
    }
}

#[tokio::test]
async fn a_page_is_sent_once_and_compressed() {
    let server = Server::start().await;
    let first = get(&server, "/docs/checks", &[(ACCEPT_ENCODING, "gzip")]).await;
    assert_eq!(first.header(CONTENT_ENCODING), "gzip");
    assert_eq!(first.header(CACHE_CONTROL), "public, max-age=300");
    let etag = first.header(ETAG).to_owned();
    assert!(etag.starts_with('"'), "{etag}");
    let fields = [(ACCEPT_ENCODING, "gzip"), (IF_NONE_MATCH, etag.as_str())];
    let again = get(&server, "/docs/checks", &fields).await;
    assert_eq!((again.status.as_u16(), again.text.as_str()), (304, ""));
    let plain = get(&server, "/docs/checks", &[(IF_NONE_MATCH, etag.as_str())]).await;
    assert_eq!(plain.status, 200);
    let length: usize = first.header(CONTENT_LENGTH).parse().unwrap();
    assert!(length < plain.text.len() / 3, "{length} of {}", plain.text.len());
    let head = server.client.head(server.url("/docs/checks")).send().await.unwrap();
    assert_eq!(head.status(), 200);
    assert_eq!(head.headers()[CONTENT_LENGTH], plain.header(CONTENT_LENGTH));
    assert_eq!(head.headers()[ETAG], plain.header(ETAG));
}

#[tokio::test]
async fn turkish_readers_find_their_pages() {
    let server = server_with_a_user().await;
    for (path, other) in [("/?lang=tr", "/tr"), ("/bot?lang=tr", "/tr/bot")] {
        let asked = get(&server, path, &[]).await.text;
        assert_eq!(asked, get(&server, other, &[]).await.text);
        assert!(asked.contains("<html lang=\"tr\">"), "{path}");
        assert!(asked.contains("hreflang=\"en\""), "{path}");
    }
    // What has no translation is shown in English.
    let page = get(&server, "/docs/scoring?lang=tr", &[]).await.text;
    assert!(page.contains("<html lang=\"en\">"));
}

#[tokio::test]
async fn a_service_below_a_path_links_below_it() {
    let base = "https://app.example.com/visibility/";
    let server =
        Server::with(Hosts::default(), |settings| settings.base_url = Some(base.to_owned())).await;
    let html = get(&server, "/", &[]).await.text;
    assert!(html.contains("href=\"/visibility/style.css\""), "{html}");
    assert!(html.contains("<link rel=\"canonical\" href=\"https://app.example.com/visibility\">"));
    assert!(!html.contains("href=\"/bot\""), "{html}");
}
