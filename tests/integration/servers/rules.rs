//! What each rule promises, on each server.

use visibility_core::rubric::fix::{Edit, FileMode, Platform, ServerRule};

use crate::servers::program::Program;

const SERVERS: [Platform; 3] = [Platform::Nginx, Platform::Apache, Platform::Caddy];
const GZIP: &str = "Accept-Encoding: gzip";

fn rule(rule: ServerRule) -> Edit {
    Edit::Server { rule }
}

fn document(path: &str, media_type: &str, content: &str) -> Edit {
    Edit::Document {
        path: path.to_owned(),
        media_type: media_type.to_owned(),
        content: content.to_owned(),
    }
}

fn link() -> Edit {
    Edit::Header {
        mode: FileMode::Append,
        name: "Link".to_owned(),
        value: "</llms.txt>; rel=\"alternate\"; type=\"text/markdown\"".to_owned(),
    }
}

fn markdown() -> Edit {
    rule(ServerRule::Markdown { host: "example.com".to_owned() })
}

/// `Accept` and the media type of the home page that it gets.
fn assert_negotiates(server: &Program, platform: Platform) {
    for (accept, expected) in [
        ("text/markdown", "text/markdown; charset=utf-8"),
        ("text/html, text/markdown;q=0.5", "text/markdown; charset=utf-8"),
        ("text/markdown;q=0", "text/html"),
        ("text/markdown; q=0.0, text/html", "text/html"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html"),
    ] {
        let reply = server.ask("https://example.com/", &[&format!("Accept: {accept}")]);
        let media_type = reply.field("content-type");
        assert!(media_type.starts_with(expected), "{platform:?} {accept}: {media_type}");
        let vary = reply.field("vary");
        let varies = vary.split(',').any(|name| name.trim().eq_ignore_ascii_case("accept"));
        assert!(varies, "{platform:?} {accept}: {vary}");
    }
}

fn assert_honest(server: &Program, platform: Platform) {
    for (path, status) in [
        ("/", 200),
        ("/pricing", 200),
        ("/dashboard/settings?tab=1", 200),
        ("/index.html", 200),
        ("/missing.js", 404),
        ("/.well-known/x.json", 404),
        ("/.well-known/x", 404),
        ("/api/users", 200),
        ("/api/users.json", 200),
    ] {
        let reply = server.get(path);
        assert_eq!(reply.status, status, "{platform:?} {path}");
        assert_eq!(reply.body == "[]", path.starts_with("/api/"), "{platform:?} {path}");
    }
    assert!(server.get("/pricing").body.contains("<title>Home</title>"), "{platform:?}");
}

#[test]
#[ignore = "needs nginx, Apache and Caddy: tests/run servers"]
fn missing_files_are_not_found_and_routes_and_the_api_stay() {
    for platform in SERVERS {
        let server = Program::start(platform, &[rule(ServerRule::NotFound)]);
        assert_honest(&server, platform);
    }
}

#[test]
#[ignore = "needs nginx, Apache and Caddy: tests/run servers"]
fn names_and_plain_http_lead_to_one_host_with_path_and_query() {
    let names = vec!["example.com".to_owned(), "www.example.com".to_owned()];
    let redirects = ServerRule::Redirects { names, canonical: "example.com".to_owned() };
    for platform in SERVERS {
        let server = Program::start(platform, &[rule(redirects.clone())]);
        let moved = server.ask("https://www.example.com/a/b?c=d&e=f", &[]);
        assert_eq!(moved.status, 301, "{platform:?}");
        assert_eq!(moved.field("location"), "https://example.com/a/b?c=d&e=f", "{platform:?}");
        for name in ["example.com", "www.example.com"] {
            let plain = server.ask(&format!("http://{name}/a/b?c=d&e=f"), &[]);
            let location = plain.field("location");
            // Caddy does this by itself, host by host and with its port.
            if platform == Platform::Caddy {
                assert_eq!(plain.status, 308, "{name}");
                assert!(location.starts_with(&format!("https://{name}")), "{location}");
            } else {
                assert_eq!(plain.status, 301, "{platform:?} {name}");
                assert_eq!(location, "https://example.com/a/b?c=d&e=f", "{platform:?} {name}");
            }
        }
        assert_eq!(server.get("/").status, 200, "{platform:?}");
    }
}

#[test]
#[ignore = "needs nginx, Apache and Caddy: tests/run servers"]
fn markdown_goes_only_to_clients_that_accept_it() {
    for platform in SERVERS {
        let server = Program::start(platform, &[markdown()]);
        assert_negotiates(&server, platform);
    }
}

#[test]
#[ignore = "needs nginx, Apache and Caddy: tests/run servers"]
fn text_is_compressed_and_may_be_cached() {
    let edits = [rule(ServerRule::Compression), rule(ServerRule::Caching)];
    for platform in SERVERS {
        let server = Program::start(platform, &edits);
        let reply = server.ask("https://example.com/", &[GZIP]);
        assert_eq!(reply.field("content-encoding"), "gzip", "{platform:?}");
        assert!(reply.field("vary").contains("Accept-Encoding"), "{platform:?}");
        assert!(reply.field("cache-control").contains("s-maxage=600"), "{platform:?}");
        assert_eq!(server.get("/").field("content-encoding"), "", "{platform:?}");
    }
}

#[test]
#[ignore = "needs nginx, Apache and Caddy: tests/run servers"]
fn documents_have_their_media_types_and_may_be_read_by_other_origins() {
    let catalog = ("/.well-known/ai-catalog.json", "application/ai-catalog+json");
    let linkset = ("/.well-known/api-catalog", "application/linkset+json");
    let edits = [
        document(catalog.0, catalog.1, "{}"),
        document(linkset.0, linkset.1, "{}"),
        document("/llms.txt", "text/plain; charset=utf-8", "# Home\n"),
        document("/sitemap.xml", "application/xml", "<urlset/>"),
        Edit::Robots {
            mode: FileMode::Create,
            content: "User-agent: *\nAllow: /\n".to_owned(),
            replaces: None,
        },
    ];
    for platform in SERVERS {
        let server = Program::start(platform, &edits);
        for (path, media_type) in [catalog, linkset] {
            let reply = server.get(path);
            assert_eq!(reply.status, 200, "{platform:?} {path}");
            assert_eq!(reply.field("content-type"), media_type, "{platform:?} {path}");
            assert_eq!(reply.field("access-control-allow-origin"), "*", "{platform:?} {path}");
        }
        for (path, ends) in
            [("/robots.txt", "plain"), ("/llms.txt", "plain"), ("/sitemap.xml", "xml")]
        {
            let reply = server.get(path);
            let media_type = reply.field("content-type");
            let bare = media_type.split(';').next().unwrap_or_default();
            assert_eq!(reply.status, 200, "{platform:?} {path}");
            assert!(bare.ends_with(ends), "{platform:?} {path}: {media_type}");
        }
    }
}

#[test]
#[ignore = "needs nginx, Apache and Caddy: tests/run servers"]
fn all_rules_hold_together_and_the_link_is_on_the_home_page_alone() {
    let edits = [
        markdown(),
        rule(ServerRule::NotFound),
        link(),
        rule(ServerRule::Compression),
        document("/.well-known/ucp", "application/json", "{}"),
    ];
    for platform in SERVERS {
        let server = Program::start(platform, &edits);
        assert_honest(&server, platform);
        assert_negotiates(&server, platform);
        for path in ["/", "/?a=b"] {
            let link = server.get(path).field("link");
            assert_eq!(link.matches("rel=").count(), 1, "{platform:?} {path}: {link}");
        }
        for accept in ["text/markdown", "text/html"] {
            let reply = server.ask("https://example.com/", &[&format!("Accept: {accept}")]);
            assert!(reply.field("link").starts_with("</llms.txt>"), "{platform:?} {accept}");
        }
        for path in ["/pricing", "/api/users", "/.well-known/ucp"] {
            assert_eq!(server.get(path).field("link"), "", "{platform:?} {path}");
        }
        assert_eq!(server.get("/.well-known/ucp").field("content-type"), "application/json");
    }
}
