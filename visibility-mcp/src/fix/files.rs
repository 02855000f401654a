//! The files of a fix: what a check offers to paste, at the place where a platform wants it.

use serde_json::Value;
use visibility_core::scan::checks::{WallVendor, allowed_by_rule};

use super::Change;
use super::config;
use super::platform::Platform;
use super::section::{Section, sections};

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const XML: &str = "application/xml";
const SERVER_CARD: &str = "application/mcp-server-card+json";
/// Where a server card stands if its endpoint is not known.
const SERVER_CARD_PATH: &str = "/mcp/server-card";

/// What begins a block of JSON-LD.
const JSON_LD: &str = "<script type=\"application/ld+json\">";

/// Groups that Shopify makes by itself; a template without them would lose them.
const SHOPIFY_GROUPS: &str = "{%- for group in robots.default_groups -%}\n  {{- group.user_agent }}\n  \
    {%- for rule in group.rules -%}\n    {{ rule }}\n  {%- endfor -%}\n  \
    {%- if group.sitemap != blank -%}\n    {{ group.sitemap }}\n  {%- endif -%}\n{% endfor %}\n";

/// How a file gets its content.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Mode {
    /// It has this and nothing else.
    Create,
    /// This comes to what it has.
    Merge,
}

impl Mode {
    /// The value on the wire.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Merge => "merge",
        }
    }
}

/// A file of a fix.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct File {
    /// Its path on the site, if it begins with `/`; otherwise in the project or the configuration.
    pub(crate) path: String,
    pub(crate) content_type: &'static str,
    pub(crate) mode: Mode,
    pub(crate) content: String,
}

impl File {
    pub(super) fn new(
        path: impl Into<String>,
        content_type: &'static str,
        mode: Mode,
        content: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), content_type, mode, content: content.into() }
    }

    pub(super) fn text(path: &str, mode: Mode, content: impl Into<String>) -> Self {
        Self::new(path, TEXT, mode, content)
    }
}

/// The files that mend a check on a platform; none if it cannot be done with files there, or if there
/// is nothing to paste: a file without content would take away what is there.
pub(crate) fn files(check: &str, platform: Platform, snippet: &str) -> Vec<File> {
    let change = Change::of(check).filter(|_| !snippet.trim().is_empty());
    let Some(change) = change else { return Vec::new() };
    let files = match change {
        Change::Robots => robots(platform, snippet),
        Change::Llms => document(platform, "/llms.txt", TEXT, snippet),
        Change::Sitemap => sitemap(platform, snippet),
        Change::Document => documents(check, platform, snippet),
        Change::Head | Change::Directives => head(platform, snippet).into_iter().collect(),
        Change::LinkHeader => link_header(platform, snippet),
        Change::Redirects => redirects(platform, snippet),
        Change::NotFound => {
            server(platform, &[Section { head: "nginx".to_owned(), body: snippet.to_owned() }])
        }
        Change::Delivery | Change::Negotiation => server(platform, &sections(snippet)),
        Change::Firewall => firewall(platform, snippet),
        Change::Rendering => Vec::new(),
    };
    files.into_iter().filter(|file| is_inert(platform, file)).collect()
}

/// Whether a file does on the platform what stands in it and no more: text of a site must not run there.
fn is_inert(platform: Platform, file: &File) -> bool {
    let from_site = file.content.strip_prefix(SHOPIFY_GROUPS).unwrap_or(&file.content);
    match platform {
        Platform::Shopify => !from_site.contains("{{") && !from_site.contains("{%"),
        Platform::WordPress => !from_site.contains("<?"),
        _ => true,
    }
}

fn robots(platform: Platform, lines: &str) -> Vec<File> {
    match platform {
        Platform::Shopify => {
            let content = format!("{SHOPIFY_GROUPS}\n{lines}");
            vec![File::text("templates/robots.txt.liquid", Mode::Merge, content)]
        }
        _ => vec![File::text(&public(platform, "/robots.txt"), Mode::Merge, lines)],
    }
}

fn sitemap(platform: Platform, snippet: &str) -> Vec<File> {
    // These make their sitemaps themselves.
    let is_made = matches!(platform, Platform::Shopify | Platform::WordPress);
    let parts = sections(snippet).into_iter();
    parts
        .flat_map(|part| match part.head.as_str() {
            "robots.txt" if platform == Platform::Shopify => Vec::new(),
            "robots.txt" => robots(platform, &part.body),
            _ if is_made => Vec::new(),
            _ => document(platform, "/sitemap.xml", XML, &part.body),
        })
        .collect()
}

fn documents(check: &str, platform: Platform, snippet: &str) -> Vec<File> {
    let (path, content_type) = match check {
        "ai-catalog" => ("/.well-known/ai-catalog.json".to_owned(), "application/ai-catalog+json"),
        "api-description" => ("/.well-known/api-catalog".to_owned(), "application/linkset+json"),
        "mcp-server" => (server_card_path(snippet), SERVER_CARD),
        "agent-interfaces" => ("/.well-known/agent-card.json".to_owned(), JSON),
        "agentic-commerce" => ("/.well-known/ucp".to_owned(), JSON),
        _ => {
            let parts = sections(snippet).into_iter().filter(|part| is_path(&part.head));
            return parts
                .flat_map(|part| document(platform, &part.head, JSON, &part.body))
                .collect();
        }
    };
    document(platform, &path, content_type, snippet)
}

/// Beside the endpoint that a server card names.
fn server_card_path(card: &str) -> String {
    let card: Value = serde_json::from_str(card).unwrap_or_default();
    let endpoint = card.pointer("/remotes/0/url").and_then(Value::as_str).unwrap_or_default();
    let path = endpoint.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
    let path = path.map(|(_, path)| format!("/{}/server-card", path.trim_end_matches('/')));
    path.filter(|path| is_path(path) && path.len() > "//server-card".len())
        .unwrap_or_else(|| SERVER_CARD_PATH.to_owned())
}

/// A document at a path, and the rule that gives it its media type.
fn document(
    platform: Platform,
    path: &str,
    content_type: &'static str,
    content: &str,
) -> Vec<File> {
    let has_type = [(".txt", TEXT), (".xml", XML), (".json", JSON)]
        .iter()
        .any(|(end, known)| path.ends_with(end) && *known == content_type);
    match platform {
        Platform::Shopify if path == "/llms.txt" => {
            vec![File::text("templates/llms.txt.liquid", Mode::Create, content)]
        }
        Platform::Shopify => Vec::new(),
        Platform::NextJs if !has_type => vec![config::next_route(path, content_type, content)],
        _ => {
            let file = File::new(public(platform, path), content_type, Mode::Create, content);
            let rule = (!has_type).then(|| config::media_type(platform, path, content_type));
            std::iter::once(file).chain(rule.flatten()).collect()
        }
    }
}

/// Where a project keeps what is served at a path.
fn public(platform: Platform, path: &str) -> String {
    match platform {
        Platform::Vercel | Platform::NextJs | Platform::Cloudflare => format!("public{path}"),
        _ => path.to_owned(),
    }
}

fn head(platform: Platform, elements: &str) -> Option<File> {
    let path = match platform {
        // Elements of HTML are none of React: all but JSON-LD stands in `metadata`, as the steps say.
        Platform::NextJs => {
            let data = elements.trim().strip_prefix(JSON_LD)?.strip_suffix("</script>")?;
            return Some(config::next_json_ld(data.trim()));
        }
        Platform::WordPress => "header.php",
        Platform::Shopify => "layout/theme.liquid",
        _ => "index.html",
    };
    Some(File::new(path, HTML, Mode::Merge, elements))
}

fn link_header(platform: Platform, snippet: &str) -> Vec<File> {
    let line = snippet.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let Some((name @ "Link", value)) = line.split_once(": ") else { return Vec::new() };
    config::header(platform, name, value).into_iter().collect()
}

/// The parts for the server that runs; all of them for one that is not known.
fn server(platform: Platform, parts: &[Section]) -> Vec<File> {
    let (head, path) = match platform {
        Platform::Nginx => ("nginx", "nginx.conf"),
        Platform::Caddy => ("Caddy", "Caddyfile"),
        Platform::Generic => {
            let parts = parts.iter().map(|part| format!("# {}\n{}", part.head, part.body));
            let content = parts.collect::<Vec<_>>().join("\n");
            return vec![File::text("server.conf", Mode::Merge, content)];
        }
        _ => return Vec::new(),
    };
    let part = parts.iter().find(|part| part.head.starts_with(head));
    part.map(|part| File::text(path, Mode::Merge, part.body.clone())).into_iter().collect()
}

/// A rule for the wall of the platform, whichever wall the scan met; none where its rules are no files.
fn firewall(platform: Platform, rule: &str) -> Vec<File> {
    let (vendor, path, content_type) = match platform {
        Platform::Nginx => (WallVendor::Unknown, "nginx.conf", TEXT),
        Platform::Cloudflare => (WallVendor::Cloudflare, "firewall-rule.txt", TEXT),
        Platform::Vercel => (WallVendor::Vercel, "firewall-rule.json", JSON),
        // Nobody said what is in front: the rule is for what the scan met.
        Platform::Generic => return vec![File::text("firewall-rule.txt", Mode::Merge, rule)],
        Platform::Caddy | Platform::NextJs | Platform::WordPress | Platform::Shopify => {
            return Vec::new();
        }
    };
    let agents = allowed_by_rule(rule);
    if agents.is_empty() {
        return Vec::new();
    }
    vec![File::new(path, content_type, Mode::Merge, vendor.allow(&agents))]
}

fn redirects(platform: Platform, snippet: &str) -> Vec<File> {
    if snippet.starts_with("certbot ") {
        return match platform {
            Platform::Nginx => vec![File::text("certificate.sh", Mode::Create, snippet)],
            _ => Vec::new(),
        };
    }
    if matches!(platform, Platform::Nginx | Platform::Generic) {
        return vec![File::text("nginx.conf", Mode::Merge, snippet)];
    }
    let value = |start: &str, end: &str| {
        let (_, rest) = snippet.split_once(start)?;
        rest.split_once(end).map(|(value, _)| value)
    };
    let canonical = value("return 301 https://", "$request_uri").unwrap_or_default();
    let names = value("server_name ", ";").unwrap_or_default();
    let others: Vec<&str> =
        names.split(' ').filter(|name| !name.is_empty() && *name != canonical).collect();
    config::host_redirect(platform, &others, canonical).into_iter().collect()
}

/// Whether a text is a path that needs no quotes in any configuration.
fn is_path(text: &str) -> bool {
    let is_plain = |ch: char| ch.is_ascii_alphanumeric() || "/._-".contains(ch);
    text.starts_with('/') && !text.contains("..") && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use visibility_core::scan::checks::CHECKS;

    fn paths(check: &str, platform: Platform, snippet: &str) -> Vec<String> {
        files(check, platform, snippet).into_iter().map(|file| file.path).collect()
    }

    #[test]
    fn a_file_goes_where_the_platform_keeps_it() {
        let sitemap = "<urlset/>\n\n# robots.txt\nSitemap: https://example.com/sitemap.xml\n";
        for (check, platform, snippet, expected) in [
            ("robots-txt", Platform::Nginx, "User-agent: *\n", vec!["/robots.txt"]),
            ("robots-txt", Platform::NextJs, "User-agent: *\n", vec!["public/robots.txt"]),
            (
                "robots-txt",
                Platform::Shopify,
                "User-agent: *\n",
                vec!["templates/robots.txt.liquid"],
            ),
            ("llms-txt", Platform::Shopify, "# Shop\n", vec!["templates/llms.txt.liquid"]),
            ("llms-txt", Platform::Vercel, "# Site\n", vec!["public/llms.txt"]),
            ("sitemap", Platform::Generic, sitemap, vec!["/sitemap.xml", "/robots.txt"]),
            ("sitemap", Platform::WordPress, sitemap, vec!["/robots.txt"]),
            ("sitemap", Platform::Shopify, sitemap, vec![]),
            (
                "ai-catalog",
                Platform::Nginx,
                "{}",
                vec!["/.well-known/ai-catalog.json", "nginx.conf"],
            ),
            ("ai-catalog", Platform::Shopify, "{}", vec![]),
            ("agentic-commerce", Platform::NextJs, "{}", vec!["app/.well-known/ucp/route.ts"]),
            (
                "agent-interfaces",
                Platform::NextJs,
                "{}",
                vec!["public/.well-known/agent-card.json"],
            ),
            (
                "api-description",
                Platform::Cloudflare,
                "{}",
                vec!["public/.well-known/api-catalog", "public/_headers"],
            ),
            ("structured-data", Platform::Shopify, "<script/>", vec!["layout/theme.liquid"]),
            ("index-directives", Platform::WordPress, "<meta>", vec!["header.php"]),
            ("honest-404", Platform::Nginx, "location / {}\n", vec!["nginx.conf"]),
            ("honest-404", Platform::Vercel, "location / {}\n", vec![]),
            ("content-without-js", Platform::Generic, "", vec![]),
            ("bot-wall", Platform::Cloudflare, "rule", vec![]),
            ("bot-wall", Platform::Generic, "rule", vec!["firewall-rule.txt"]),
            ("nothing", Platform::Generic, "x", vec![]),
        ] {
            assert_eq!(paths(check, platform, snippet), expected, "{check} {platform:?}");
        }
    }

    #[test]
    fn without_something_to_paste_there_is_no_file() {
        for check in CHECKS {
            for platform in Platform::ALL {
                for blank in ["", " \n\n"] {
                    assert_eq!(files(check.id, platform, blank), [], "{} {platform:?}", check.id);
                }
            }
        }
    }

    #[test]
    fn text_of_a_site_does_not_run_on_its_platform() {
        let liquid = "Disallow: /{{ shop.secret }}\n";
        assert_eq!(paths("robots-txt", Platform::Shopify, liquid), Vec::<String>::new());
        assert_eq!(paths("robots-txt", Platform::Nginx, liquid), ["/robots.txt"]);
        let php = "<script>{\"name\": \"<?php system('id') ?>\"}</script>";
        assert_eq!(paths("structured-data", Platform::WordPress, php), Vec::<String>::new());
        let heads =
            "# /.well-known/a;}evil\n{}\n# /.well-known/../../etc\n{}\n# /.well-known/ok\n{}\n";
        assert_eq!(paths("agent-auth", Platform::Generic, heads), ["/.well-known/ok"]);
    }

    #[test]
    fn a_rule_fits_the_platform_and_not_the_wall_of_the_scan() {
        let walls =
            [WallVendor::Akamai, WallVendor::Cloudflare, WallVendor::Vercel, WallVendor::Unknown];
        for wall in walls {
            let rule = wall.allow(&["OAI-SearchBot", "GPTBot"]);
            for (platform, path, part) in [
                (Platform::Nginx, "nginx.conf", "map $http_user_agent $is_agent {"),
                (Platform::Cloudflare, "firewall-rule.txt", "cf.verified_bot_category"),
                (Platform::Vercel, "firewall-rule.json", "\"conditionGroup\""),
            ] {
                let files = files("bot-wall", platform, &rule);
                let [file] = files.as_slice() else { panic!("{files:?}") };
                assert_eq!(file.path, path);
                for part in [part, "OAI-SearchBot", "GPTBot"] {
                    assert!(file.content.contains(part), "{wall:?}: {}", file.content);
                }
            }
            for platform in
                [Platform::Caddy, Platform::NextJs, Platform::WordPress, Platform::Shopify]
            {
                assert_eq!(files("bot-wall", platform, &rule), [], "{platform:?}");
            }
            let given = files("bot-wall", Platform::Generic, &rule);
            assert_eq!(given.first().map(|file| &file.content), Some(&rule));
        }
        let verified = WallVendor::Aws.allow(&["GPTBot"]);
        assert_eq!(files("bot-wall", Platform::Nginx, &verified), []);
    }

    #[test]
    fn next_gets_a_component_and_no_elements_of_html() {
        for check in ["page-metadata", "index-directives"] {
            for elements in ["<title>Tea</title>", "<meta name=\"robots\" content=\"all\">\n"] {
                assert_eq!(files(check, Platform::NextJs, elements), [], "{check}");
                assert_eq!(paths(check, Platform::Vercel, elements), ["index.html"], "{check}");
            }
        }
        let block = "<script type=\"application/ld+json\">\n{\"name\": \"`${x}`\"}\n</script>";
        let files = files("structured-data", Platform::NextJs, block);
        let [file] = files.as_slice() else { panic!("{files:?}") };
        assert_eq!(file.path, "app/json-ld.tsx");
        let line = "const DATA = \"{\\\"name\\\": \\\"`${x}`\\\"}\";\n";
        assert!(file.content.starts_with(line), "{}", file.content);
    }

    #[test]
    fn a_server_card_stands_beside_its_endpoint() {
        for (url, path) in [
            ("https://example.com/api/mcp", "/api/mcp/server-card"),
            ("https://example.com/mcp/", "/mcp/server-card"),
            ("https://example.com/", SERVER_CARD_PATH),
            ("https://example.com", SERVER_CARD_PATH),
            ("https://example.com/a;b$c/mcp", SERVER_CARD_PATH),
            ("", SERVER_CARD_PATH),
        ] {
            let card = serde_json::json!({ "remotes": [{ "url": url }] }).to_string();
            assert_eq!(server_card_path(&card), path, "{url}");
        }
        assert_eq!(server_card_path("no json"), SERVER_CARD_PATH);
    }

    #[test]
    fn redirects_are_written_for_who_can_have_them_in_a_file() {
        let nginx = "server {\n    listen 80;\n    server_name example.com www.example.com;\n    \
            return 301 https://example.com$request_uri;\n}\n";
        let of = |platform| files("https-and-redirects", platform, nginx);
        assert!(of(Platform::Caddy).iter().all(|file| {
            file.content
                .starts_with("www.example.com {\n    redir https://example.com{uri} permanent")
        }));
        assert_eq!(of(Platform::Caddy).len(), 1);
        assert_eq!(of(Platform::Nginx).len(), 1);
        assert_eq!(of(Platform::Vercel), []);
        assert_eq!(of(Platform::Shopify), []);
        let certificate = "certbot --nginx -d example.com\n";
        assert_eq!(paths("https-and-redirects", Platform::Nginx, certificate), ["certificate.sh"]);
        assert_eq!(files("https-and-redirects", Platform::Caddy, certificate), []);
    }

    #[test]
    fn the_part_for_the_server_is_taken() {
        let both = "# nginx\ngzip on;\n\n# Caddy\nencode zstd gzip\n";
        let of = |platform| files("response-budget", platform, both);
        assert_eq!(
            of(Platform::Nginx).first().map(|file| file.content.as_str()),
            Some("gzip on;\n")
        );
        assert_eq!(
            of(Platform::Caddy).first().map(|file| file.content.as_str()),
            Some("encode zstd gzip\n")
        );
        assert!(of(Platform::Generic).iter().any(|file| file.content.contains("# Caddy\nencode")));
        assert_eq!(of(Platform::Vercel), []);
    }

    #[test]
    fn a_link_header_becomes_one_line() {
        let snippet = "Link: </a>; rel=\"api-catalog\",\n      </b>; rel=\"service-desc\"";
        let files = files("link-headers", Platform::Generic, snippet);
        assert_eq!(
            files.first().map(|file| file.content.as_str()),
            Some("Link: </a>; rel=\"api-catalog\", </b>; rel=\"service-desc\"\n")
        );
    }
}
