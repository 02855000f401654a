//! What a scan asks for.

use visibility_core::fetch::{FetchError, Resource};
use visibility_core::limits::{MAX_CONDITIONAL_PROBES, MAX_PROBES};
use visibility_tests::documents::{
    SKILL, a2a_card, ai_catalog, api_catalog, authorization_server, legacy_mcp_card, mcp_card,
    openapi, protected_resource, skills, ucp,
};
use visibility_tests::site::{Reply, Site, good, shop};

fn asked(site: &Site) -> Vec<(Resource, String)> {
    let snapshot = site.scan().expect("a snapshot");
    let probes = snapshot.exchanges().map(|exchange| &exchange.probe);
    probes.map(|probe| (probe.resource.clone(), probe.url.to_string())).collect()
}

fn url_of(site: &Site, resource: &Resource) -> Option<String> {
    asked(site).into_iter().find(|(asked, _)| asked == resource).map(|(_, url)| url)
}

/// A shop that has everything at once.
fn rich() -> Site {
    let robots = "User-agent: *\nAllow: /\nLicense: https://example.com/license.xml\n";
    let index = r#"<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://example.com/pages.xml</loc></sitemap></sitemapindex>"#;
    let issuer = "https://login.example.net";
    shop("example.com")
        .with("/robots.txt", Reply::text(robots))
        .with("/sitemap.xml", Reply::new("application/xml", index))
        .with("/.well-known/ai-catalog.json", Reply::json(ai_catalog("example.com")))
        .with("/.well-known/api-catalog", Reply::json(api_catalog("/v3/api.json")))
        .with("/mcp/server-card", Reply::json(mcp_card("example.com")))
        .with("/mcp", Reply::json("{}").status(401).header("www-authenticate", "Bearer"))
        .with("/.well-known/agent-card.json", Reply::json(a2a_card()))
        .with("/.well-known/agent-skills/index.json", Reply::json(skills()))
        .with("/.well-known/agent-skills/measure/SKILL.md", Reply::text(SKILL))
        .with(
            "/.well-known/oauth-protected-resource",
            Reply::json(protected_resource("https://example.com", issuer)),
        )
        .with(
            "https://login.example.net/.well-known/openid-configuration",
            Reply::json(authorization_server(issuer)),
        )
        .with("/.well-known/ucp", Reply::json(ucp("example.com")))
}

#[test]
fn a_content_site_is_asked_for_its_other_host_a_page_and_a_file_of_markdown() {
    // Its pages are from one template, and it answers nothing in Markdown.
    assert_eq!(asked(&good("example.com")).len(), 3 + 19 + 1 + 1 + 1);
}

#[test]
fn a_long_address_is_not_asked_for() {
    let path = |bytes: usize| format!("/{}", "x".repeat(bytes - "https://example.com/".len()));
    for (bytes, is_asked) in [(2_048, true), (2_049, false)] {
        let path = path(bytes);
        let robots = format!("Sitemap: https://example.com{path}\nAgentmap: {path}\n");
        let home = Reply::html("<!doctype html><h1>Hello</h1>")
            .header("link", &format!("<{path}>; rel=\"service-desc\""));
        let site =
            good("example.com").with("/", home).with("/robots.txt", Reply::text(robots.as_str()));
        for resource in [Resource::Sitemap, Resource::AiCatalog, Resource::OpenApi] {
            let url = url_of(&site, &resource).expect("a probe");
            assert_eq!(url.ends_with(&path), is_asked, "{resource:?} {bytes}");
        }
    }
}

#[test]
fn a_site_that_has_everything_stays_within_the_budget() {
    let probes = asked(&rich());
    assert_eq!(probes.len(), MAX_PROBES);
    assert_eq!(MAX_PROBES, 3 + 19 + MAX_CONDITIONAL_PROBES);
    // The endpoint that the card of the third wave names has its place in the fourth.
    assert_eq!(url_of(&rich(), &Resource::McpEndpoint).as_deref(), Some("https://example.com/mcp"));
    assert_eq!(
        url_of(&rich(), &Resource::SitemapChild).as_deref(),
        Some("https://example.com/pages.xml")
    );
}

/// Paths of the pages besides the home page that a site was asked for.
fn inner_pages(site: &Site) -> Vec<String> {
    let numbers = (1..=4).map(Resource::InnerPage);
    let urls = numbers.filter_map(|resource| url_of(site, &resource));
    urls.map(|url| url.replace("https://example.com", "")).collect()
}

fn with_sitemap(paths: &[&str]) -> Site {
    let urls: String = paths
        .iter()
        .map(|path| format!("<url><loc>https://example.com{path}</loc></url>"))
        .collect();
    let sitemap =
        format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{urls}</urlset>");
    Site::new("example.com")
        .with("/", Reply::html("<!doctype html><h1>Hello</h1>"))
        .with("/sitemap.xml", Reply::new("application/xml", sitemap))
}

#[test]
fn one_page_of_each_template_is_asked_for_and_at_most_three() {
    let paths = [
        "/",
        "/about",
        "/blog/first-post",
        "/blog/second-post",
        "/docs/a/b",
        "/docs/a/c",
        "/docs/a/d",
        "/products/item-1",
    ];
    assert_eq!(inner_pages(&with_sitemap(&paths)), ["/docs/a/b", "/blog/first-post", "/about"]);
}

#[test]
fn files_and_pages_of_one_visitor_are_not_asked_for() {
    let paths = ["/price-list.pdf", "/cart", "/account/orders", "/images/a.png", "/x?page=2"];
    assert_eq!(inner_pages(&with_sitemap(&paths)), [""; 0]);
}

#[test]
fn pages_that_robots_txt_closes_to_our_token_are_not_asked_for() {
    let robots = Reply::text("User-agent: VisibilityBot\nDisallow: /blog/\n");
    let site = with_sitemap(&["/blog/first-post", "/about"]).with("/robots.txt", robots);
    assert_eq!(inner_pages(&site), ["/about"]);
}

#[test]
fn pages_of_a_sitemap_index_are_asked_for_when_the_home_page_names_none() {
    let index = "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
         <sitemap><loc>https://example.com/pages.xml</loc></sitemap></sitemapindex>";
    let child = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
         <url><loc>https://example.com/about</loc></url></urlset>";
    let site = with_sitemap(&[])
        .with("/sitemap.xml", Reply::new("application/xml", index))
        .with("/pages.xml", Reply::new("application/xml", child));
    assert_eq!(inner_pages(&site), ["/about"]);
}

#[test]
fn the_plan_is_a_function_of_the_answers() {
    assert_eq!(asked(&rich()), asked(&rich()));
}

#[test]
fn the_card_is_asked_for_beside_the_endpoint_of_an_old_card() {
    let old = Reply::json(legacy_mcp_card("example.com"));
    let site = good("example.com").with("/.well-known/mcp/server-card.json", old);
    assert_eq!(
        url_of(&site, &Resource::McpCard).as_deref(),
        Some("https://example.com/mcp/server-card")
    );
}

#[test]
fn no_address_outside_of_the_web_is_asked_for() {
    for target in ["file:///etc/passwd", "ftp://example.com/a", "javascript:alert(1)", "data:,x"] {
        let catalog =
            ai_catalog("example.com").replace("https://example.com/mcp/server-card", target);
        let site = good("example.com")
            .with("/.well-known/ai-catalog.json", Reply::json(catalog))
            .with("/.well-known/api-catalog", Reply::json(api_catalog(target)));
        let schemes: Vec<String> = asked(&site).into_iter().map(|(_, url)| url).collect();
        assert!(schemes.iter().all(|url| url.starts_with("http")), "{target}: {schemes:?}");
    }
}

#[test]
fn old_places_are_asked_for_only_where_something_should_be() {
    let api = good("example.com").with("/openapi.json", Reply::json(openapi("")));
    let old = [Resource::LegacyAgentCard, Resource::LegacyMcpManifest, Resource::LegacySkills];
    for resource in &old {
        assert!(url_of(&api, resource).is_some(), "{resource:?}");
        assert!(url_of(&good("example.com"), resource).is_none(), "{resource:?}");
    }
    let new = api.with("/.well-known/agent-card.json", Reply::json(a2a_card()));
    assert!(url_of(&new, &Resource::LegacyAgentCard).is_none());
}

#[test]
fn metadata_of_another_server_are_asked_for_by_rfc_8414_section_3_1() {
    let resource = protected_resource("https://example.com", "https://login.example.net/tenant");
    let site =
        good("example.com").with("/.well-known/oauth-protected-resource", Reply::json(resource));
    assert_eq!(
        url_of(&site, &Resource::NamedAuthorizationServer).as_deref(),
        Some("https://login.example.net/.well-known/oauth-authorization-server/tenant")
    );
    assert_eq!(
        url_of(&site, &Resource::OpenIdConfiguration).as_deref(),
        Some("https://login.example.net/tenant/.well-known/openid-configuration")
    );
}

/// An apex that sends everything to `www.`, which serves this robots.txt.
fn moved(robots: &str) -> Site {
    let home = Reply::redirect(301, "https://www.example.com/");
    good("example.com")
        .with("/", home.clone())
        .with("/robots.txt", home)
        .with("https://www.example.com/", good_home_reply())
        .with("https://www.example.com/robots.txt", Reply::text(robots))
}

fn good_home_reply() -> Reply {
    Reply::html(visibility_tests::site::good_home("www.example.com"))
}

#[test]
fn robots_txt_of_the_final_host_is_read_when_the_first_one_leads_to_its_home_page() {
    let snapshot = moved("User-agent: *\nDisallow: /\n").scan().expect("a snapshot");
    let decision = snapshot.robots().decide(&["Googlebot"], "/");
    assert_eq!(decision.map(|decision| decision.allowed), Some(false));
}

#[test]
fn the_second_wave_obeys_robots_txt_of_the_final_host() {
    let snapshot = moved("User-agent: GPTBot\nUser-agent: VisibilityBot\nDisallow: /\n")
        .scan()
        .expect("a snapshot");
    let skipped = |resource: &Resource| {
        matches!(snapshot.fetch_result(resource), Some(Err(FetchError::Skipped { .. })))
    };
    assert!(skipped(&Resource::HomeAsAgent("openai-gptbot".to_owned())));
    assert!(!skipped(&Resource::HomeAsAgent("openai-oai-searchbot".to_owned())));
    assert!(skipped(&Resource::LlmsTxt));
}
