//! Sites of builders: recognized by what only they write, and given nothing that their owners cannot use.

use visibility_core::rubric::fix::Platform;
use visibility_core::scan::result::ScanResult;
use visibility_tests::fixes::{hosts, judged};
use visibility_tests::site::{self, Reply, Site};
use visibility_tests::typical;

const BUILDERS: [Platform; 6] = [
    Platform::Wix,
    Platform::Squarespace,
    Platform::Webflow,
    Platform::Framer,
    Platform::GoogleSites,
    Platform::Hosted,
];

const TEXT: &str =
    "<h1>Tea house</h1><p>We serve green tea from Rize, and bake bread every morning.</p>";

/// A site whose home page has these elements in its head, behind a server of this name.
fn with_head(head: &str, server: &str) -> Site {
    let html = format!(
        "<!doctype html><html><head><title>Tea</title>{head}</head><body>{TEXT}</body></html>"
    );
    let mut reply = Reply::html(html);
    if !server.is_empty() {
        reply = reply.header("server", server);
    }
    Site::new("tea.example.com").with("/", reply)
}

fn platform(site: &Site) -> Platform {
    judged(site).1.platform
}

#[test]
fn a_builder_is_recognized_by_what_only_it_writes() {
    for (head, server, expected) in [
        ("<meta name=\"generator\" content=\"Wix.com Website Builder\">", "Pepyaka", Platform::Wix),
        (
            "<script src=\"https://static.parastorage.com/services/a.js\"></script>",
            "",
            Platform::Wix,
        ),
        ("<!-- This is Squarespace. -->", "Squarespace", Platform::Squarespace),
        (
            "<link rel=stylesheet href=\"https://static1.squarespace.com/a.css\">",
            "cloudflare",
            Platform::Squarespace,
        ),
        ("<meta name=\"generator\" content=\"Webflow\">", "cloudflare", Platform::Webflow),
        ("<meta name=\"generator\" content=\"Webflow\">", "openresty", Platform::Webflow),
        ("<meta name=\"generator\" content=\"Framer 4f2a\">", "Framer/7d3", Platform::Framer),
        (
            "<script src=\"https://www.gstatic.com/_/atari/_/js/a.js\"></script>",
            "ESF",
            Platform::GoogleSites,
        ),
        (
            "<meta name=\"generator\" content=\"Starfield Technologies; Go Daddy Website Builder 8.0\">",
            "DPS/2",
            Platform::Hosted,
        ),
        ("<meta name=\"generator\" content=\"Northwind Website Builder 3\">", "", Platform::Hosted),
        (
            "<script src=\"https://static.tildacdn.com/js/a.js\"></script>",
            "ddos-guard",
            Platform::Hosted,
        ),
    ] {
        assert_eq!(platform(&with_head(head, server)), expected, "{head}");
    }
}

#[test]
fn a_site_that_is_not_served_by_a_builder_is_not_taken_for_one() {
    for (head, server, expected) in [
        // Pages that were exported.
        ("<meta name=\"generator\" content=\"Webflow\">", "nginx/1.26", Platform::Nginx),
        ("<meta name=\"generator\" content=\"Webflow\">", "Netlify", Platform::Netlify),
        ("<meta name=\"generator\" content=\"Webflow\">", "GitHub.com", Platform::Generic),
        ("<meta name=\"generator\" content=\"Tilda\">", "Apache/2.4", Platform::Apache),
        // Pages about builders, and with pictures and frames from them.
        (
            "<meta name=\"description\" content=\"Wix or Squarespace: the best website builder\">",
            "nginx",
            Platform::Nginx,
        ),
        (
            "<meta property=\"og:image\" content=\"https://static.wixstatic.com/media/a.jpg\">",
            "nginx",
            Platform::Nginx,
        ),
        ("<link rel=\"canonical\" href=\"https://framerusercontent.com/\">", "", Platform::Generic),
        ("<meta name=\"generator\" content=\"Hugo 0.140\">", "nginx", Platform::Nginx),
        (
            "<meta name=\"generator\" content=\"WordPress 6.9\"><script src=\"https://img1.wsimg.com/a.js\"></script>",
            "",
            Platform::WordPress,
        ),
    ] {
        assert_eq!(platform(&with_head(head, server)), expected, "{head} {server}");
    }
    let article = "<p>A page of Squarespace has <code> data-wf-site=\"1\"</code> not in it.</p>";
    let html = format!("<!doctype html><html lang=en><title>Tea</title>{TEXT}{article}");
    assert_eq!(
        platform(&Site::new("a.example.com").with("/", Reply::html(html))),
        Platform::Generic
    );
}

/// What a report offers that needs a server.
fn server_files(result: &ScanResult) -> Vec<String> {
    let fixes = result.checks.iter().filter_map(|check| check.fix.as_ref());
    let files =
        fixes.flat_map(|fix| &fix.files).chain(result.plan_files.iter().map(|one| &one.file));
    // A field of Squarespace holds llms.txt.
    files.filter_map(|file| file.path.clone()).filter(|path| path != "/llms.txt").collect()
}

#[test]
fn no_builder_gets_files_for_a_server_and_every_step_says_what_its_owner_can_do() {
    let sites = typical::all().into_iter().map(|one| one.site).chain([
        site::good("good.example.com"),
        site::bare_shop("bare.example.com"),
        site::login("login.example.com"),
    ]);
    for site in sites.filter(|site| site.scan().is_ok()) {
        for builder in BUILDERS {
            let (_, result) = judged(&hosts::hosted(&site, builder));
            if result.platform != builder {
                continue;
            }
            assert_eq!(server_files(&result), Vec::<String>::new(), "{builder:?} {}", site.host);
            for step in result.fix_plan.iter().filter(|step| !step.ends_in_scan) {
                let check = result.checks.iter().find(|check| check.id == step.check);
                let fix = check.and_then(|check| check.fix.as_ref()).expect("a fix");
                assert!(fix.edits.is_empty() || fix.note.is_some(), "{builder:?} {}", step.check);
            }
        }
    }
}
