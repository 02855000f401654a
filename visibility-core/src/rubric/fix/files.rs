//! The files of a fix, at the places that a platform requires.

use crate::rubric::fix::promise::{has_guessed_type, is_sitemap, realized};
use crate::rubric::fix::{
    Edit, FileMode, FixFile, Placement, Platform, ReplacedText, WallVendor, config, next, server,
};

pub(super) const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// What begins a block of JSON-LD.
pub(super) const JSON_LD: &str = "<script type=\"application/ld+json\">";

/// Groups that Shopify makes by itself; a template without them would lose them.
const SHOPIFY_GROUPS: &str = "{%- for group in robots.default_groups -%}\n  {{- group.user_agent }}\n  \
    {%- for rule in group.rules -%}\n    {{ rule }}\n  {%- endfor -%}\n  \
    {%- if group.sitemap != blank -%}\n    {{ group.sitemap }}\n  {%- endif -%}\n{% endfor %}\n";

const SHOPIFY_LLMS: &str = "templates/llms.txt.liquid";

/// Around what a layout of Shopify, the head of every page, shows on the home page alone.
const ON_HOME_PAGE: &str = "{%- if request.page_type == 'index' -%}\n";
const END_OF_IF: &str = "{%- endif -%}\n";

/// What edits become on a platform; nothing where it cannot be done with files.
pub fn files(edits: &[Edit], platform: Platform) -> Vec<FixFile> {
    let edits = realized(edits, platform);
    let page = (platform == Platform::NextJs).then(|| next::home_page(&edits));
    let files = edits.iter().flat_map(|edit| edit_files(edit, platform));
    let files = files.chain(page.into_iter().flatten());
    let mut kept: Vec<FixFile> = Vec::new();
    for file in files.filter(|file| has_effect(file) && is_inert(platform, file)) {
        // Pieces for the end of one file are one piece: they are all needed.
        let same = kept.iter_mut().find(|other| belong_together(other, &file));
        match same {
            // Two checks may want one document, and with it one rule.
            Some(other) if other.content.contains(&file.content) => {}
            Some(other) => other.content = joined(other, &file),
            None => kept.push(file),
        }
    }
    kept
}

/// Whether two pieces are for the end of the same file of a project.
fn belong_together(one: &FixFile, other: &FixFile) -> bool {
    let is_added = |file: &FixFile| {
        file.mode == FileMode::Append
            && file.path.as_deref().is_some_and(|path| !path.starts_with('/'))
    };
    one.path == other.path && is_added(one) && is_added(other) && one.place == other.place
}

/// Two pieces of a configuration as one.
fn joined(one: &FixFile, other: &FixFile) -> String {
    let path = one.path.as_deref().unwrap_or_default();
    let (one, other) = (&one.content, &other.content);
    config::joined_json(one, other)
        .or_else(|| config::joined_blocks(path, one, other))
        .unwrap_or_else(|| format!("{one}\n{other}"))
}

/// Whether a file does something. Without content it would take away what is there, which only one may
/// that says what goes.
fn has_effect(file: &FixFile) -> bool {
    file.replaces.is_some() || !file.content.trim().is_empty()
}

fn edit_files(edit: &Edit, platform: Platform) -> Vec<FixFile> {
    match edit {
        Edit::Document { path, media_type, content } => {
            document(platform, path, media_type, content)
        }
        Edit::Robots { mode, content, replaces } => {
            robots(platform, *mode, content, replaces.as_ref())
        }
        Edit::Head { mode, content, replaces } => head(platform, *mode, content, replaces.as_ref()),
        Edit::HtmlElement { content } => {
            vec![FixFile::placed(Placement::HtmlElement, HTML, FileMode::Replace, content)]
        }
        Edit::Main { content } => {
            vec![FixFile::placed(Placement::Main, HTML, FileMode::Append, content)]
        }
        Edit::Header { mode, name, value } => header(platform, *mode, name, value),
        Edit::Server { rule } => server::files(rule, platform),
        Edit::Firewall { vendor, agents } => firewall(platform, *vendor, agents),
        Edit::Build { .. } | Edit::Code { .. } => Vec::new(),
    }
}

/// Whether a file does on the platform what is written in it and no more: text of a site must not
/// run there.
fn is_inert(platform: Platform, file: &FixFile) -> bool {
    let content = &file.content;
    let in_page = content.strip_prefix(ON_HOME_PAGE).and_then(|rest| rest.strip_suffix(END_OF_IF));
    let from_site = in_page.or_else(|| content.strip_prefix(SHOPIFY_GROUPS)).unwrap_or(content);
    match platform {
        Platform::Shopify => !from_site.contains("{{") && !from_site.contains("{%"),
        // The declaration of XML is no PHP.
        Platform::WordPress => !from_site.replace("<?xml ", "").contains("<?"),
        _ => true,
    }
}

fn robots(
    platform: Platform,
    mode: FileMode,
    lines: &str,
    replaces: Option<&ReplacedText>,
) -> Vec<FixFile> {
    match platform {
        // Its lines are made by a template, which does not have them as they are served.
        Platform::Shopify if mode == FileMode::Replace => Vec::new(),
        Platform::Shopify => {
            let content = format!("{SHOPIFY_GROUPS}\n{lines}");
            vec![FixFile::at("templates/robots.txt.liquid", TEXT, FileMode::Create, content)]
        }
        // A switch, and no lines.
        Platform::Squarespace => Vec::new(),
        _ if platform.is_hosted() => {
            let file = FixFile::placed(Placement::RobotsTxt, TEXT, mode, lines);
            vec![file.replacing(replaces.cloned())]
        }
        _ => {
            let file = FixFile::at(public(platform, "/robots.txt"), TEXT, mode, lines);
            vec![file.replacing(replaces.cloned())]
        }
    }
}

/// A document at a path, and the rule that gives it its media type.
fn document(platform: Platform, path: &str, media_type: &str, content: &str) -> Vec<FixFile> {
    if !is_path(path) {
        return Vec::new();
    }
    let has_type = has_guessed_type(path, media_type);
    match platform {
        Platform::WordPress if is_sitemap(path) => vec![config::wordpress_sitemap()],
        Platform::Shopify if path == "/llms.txt" => {
            vec![FixFile::at(SHOPIFY_LLMS, media_type, FileMode::Create, content)]
        }
        Platform::Shopify => Vec::new(),
        Platform::NextJs if !has_type => vec![next::route(path, media_type, content)],
        _ => {
            let file = FixFile::at(public(platform, path), media_type, FileMode::Create, content);
            let rule = (!has_type).then(|| config::media_type(platform, path, media_type));
            std::iter::once(file).chain(rule.into_iter().flatten()).collect()
        }
    }
}

/// Where a project keeps what is served at a path.
fn public(platform: Platform, path: &str) -> String {
    match platform {
        Platform::Vercel | Platform::NextJs | Platform::Cloudflare | Platform::Netlify => {
            format!("public{path}")
        }
        _ => path.to_owned(),
    }
}

/// The path of the site that a whole file of a project is served at, if it is.
pub(crate) fn served_path(path: &str, platform: Platform) -> Option<String> {
    match platform {
        Platform::Vercel | Platform::NextJs | Platform::Cloudflare | Platform::Netlify => {
            let route = path.strip_prefix("app").and_then(|path| path.strip_suffix("/route.ts"));
            path.strip_prefix("public").or(route).map(str::to_owned)
        }
        // A template of robots.txt has lines that are not served.
        Platform::Shopify => (path == SHOPIFY_LLMS).then(|| "/llms.txt".to_owned()),
        _ => path.starts_with('/').then(|| path.to_owned()),
    }
}

fn head(
    platform: Platform,
    mode: FileMode,
    elements: &str,
    replaces: Option<&ReplacedText>,
) -> Vec<FixFile> {
    match platform {
        // React writes its own head, for which all elements are put together.
        Platform::NextJs => Vec::new(),
        Platform::WordPress => config::wordpress_head(mode, elements).into_iter().collect(),
        Platform::Shopify => {
            let content = format!("{ON_HOME_PAGE}{}\n{END_OF_IF}", elements.trim_end());
            let file = FixFile::at("layout/theme.liquid", HTML, mode, content);
            vec![FixFile { place: Some(Placement::Head), ..file }]
        }
        _ => {
            let file = FixFile::placed(Placement::Head, HTML, mode, elements);
            vec![file.replacing(replaces.cloned())]
        }
    }
}

fn header(platform: Platform, mode: FileMode, name: &str, value: &str) -> Vec<FixFile> {
    if mode == FileMode::Replace || value.is_empty() {
        let content = format!("{name}: {value}\n");
        return vec![FixFile::placed(Placement::Header, TEXT, FileMode::Replace, content)];
    }
    match platform {
        Platform::Generic => {
            let content = format!("{name}: {value}\n");
            vec![FixFile::placed(Placement::Header, TEXT, mode, content)]
        }
        _ => config::header(platform, name, value).into_iter().collect(),
    }
}

/// A rule for the wall of the platform, whichever wall the scan met; none where its rules are not files.
fn firewall(platform: Platform, met: WallVendor, agents: &[String]) -> Vec<FixFile> {
    let rule = |vendor: WallVendor, media_type: &str| {
        let content = vendor.allow(agents);
        FixFile::placed(Placement::Firewall, media_type, FileMode::Append, content)
    };
    match platform {
        Platform::Nginx => {
            let content = WallVendor::Unknown.allow(agents);
            vec![FixFile::at("nginx.conf", TEXT, FileMode::Append, content)]
        }
        Platform::Cloudflare => vec![rule(WallVendor::Cloudflare, TEXT)],
        Platform::Vercel => vec![rule(WallVendor::Vercel, JSON)],
        // What is in front is not known: the rule is for what the scan met.
        Platform::Generic if met == WallVendor::Aws => vec![rule(met, JSON)],
        Platform::Generic => vec![rule(met, TEXT)],
        Platform::Apache
        | Platform::Caddy
        | Platform::Netlify
        | Platform::NextJs
        | Platform::WordPress
        | Platform::Shopify
        | Platform::Wix
        | Platform::Squarespace
        | Platform::Webflow
        | Platform::Framer
        | Platform::GoogleSites
        | Platform::Hosted => match met {
            // A wall in front of the platform has rules of its own.
            WallVendor::Unknown => Vec::new(),
            _ => vec![rule(met, TEXT)],
        },
    }
}

/// Whether a text is a path that needs no quotes in any configuration.
pub(super) fn is_path(text: &str) -> bool {
    text.starts_with('/')
        && !text.contains("..")
        && text.chars().all(|ch| ch.is_ascii_alphanumeric() || "/._-".contains(ch))
}

/// Whether a text is the name of a host and nothing else.
pub(super) fn is_host(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|ch| ch.is_ascii_alphanumeric() || ch == '.' || ch == '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::fix::ServerRule;
    use crate::text::locale::{Catalog, Lang};

    const XML: &str = "application/xml";

    fn paths(edit: &Edit, platform: Platform) -> Vec<String> {
        files(std::slice::from_ref(edit), platform)
            .into_iter()
            .map(|file| {
                file.path.unwrap_or_else(|| file.place.map_or("", Placement::as_str).to_owned())
            })
            .collect()
    }

    fn doc(path: &str, media_type: &str, content: &str) -> Edit {
        Edit::Document {
            path: path.to_owned(),
            media_type: media_type.to_owned(),
            content: content.to_owned(),
        }
    }

    fn robots_lines(content: &str) -> Edit {
        Edit::Robots { mode: FileMode::Append, content: content.to_owned(), replaces: None }
    }

    fn head_of(content: &str) -> Edit {
        Edit::add_to_head(content)
    }

    fn wall(vendor: WallVendor) -> Edit {
        Edit::Firewall { vendor, agents: vec!["OAI-SearchBot".to_owned(), "GPTBot".to_owned()] }
    }

    #[test]
    fn a_file_goes_where_the_platform_keeps_it() {
        let robots = robots_lines("User-agent: *\n");
        let llms = doc("/llms.txt", TEXT, "# Shop\n");
        let sitemap = doc("/sitemap.xml", XML, "<urlset/>");
        let catalog = doc("/.well-known/ai-catalog.json", "application/ai-catalog+json", "{}");
        let ucp = doc("/.well-known/ucp", JSON, "{}");
        let agent = doc("/.well-known/agent-card.json", JSON, "{}");
        let linkset = doc("/.well-known/api-catalog", "application/linkset+json", "{}");
        for (edit, platform, expected) in [
            (&robots, Platform::Nginx, vec!["/robots.txt"]),
            (&robots, Platform::NextJs, vec!["public/robots.txt"]),
            (&robots, Platform::Shopify, vec!["templates/robots.txt.liquid"]),
            (&llms, Platform::Shopify, vec!["templates/llms.txt.liquid"]),
            (&llms, Platform::Vercel, vec!["public/llms.txt"]),
            (&sitemap, Platform::Generic, vec!["/sitemap.xml"]),
            (&sitemap, Platform::WordPress, vec!["functions.php"]),
            (&sitemap, Platform::Shopify, vec![]),
            (&catalog, Platform::Nginx, vec!["/.well-known/ai-catalog.json", "nginx.conf"]),
            (&catalog, Platform::Apache, vec!["/.well-known/ai-catalog.json", ".htaccess"]),
            (&catalog, Platform::Shopify, vec![]),
            (&ucp, Platform::NextJs, vec!["app/.well-known/ucp/route.ts"]),
            (&agent, Platform::NextJs, vec!["public/.well-known/agent-card.json"]),
            (
                &linkset,
                Platform::Cloudflare,
                vec!["public/.well-known/api-catalog", "public/_headers"],
            ),
            (
                &linkset,
                Platform::Netlify,
                vec!["public/.well-known/api-catalog", "public/_headers"],
            ),
            (&head_of("<script/>"), Platform::Shopify, vec!["layout/theme.liquid"]),
            (&head_of("<meta>"), Platform::WordPress, vec!["functions.php"]),
            (&head_of("<meta>"), Platform::Generic, vec!["head"]),
            (&wall(WallVendor::Akamai), Platform::Generic, vec!["firewall"]),
        ] {
            assert_eq!(paths(edit, platform), expected, "{edit:?} {platform:?}");
        }
    }

    #[test]
    fn a_rule_is_written_for_the_server_that_runs_and_for_all_where_that_is_not_known() {
        let rule = Edit::Server { rule: ServerRule::NotFound };
        assert_eq!(paths(&rule, Platform::Nginx), ["nginx.conf"]);
        assert_eq!(paths(&rule, Platform::Apache), [".htaccess"]);
        assert_eq!(paths(&rule, Platform::Generic), ["nginx.conf", ".htaccess", "Caddyfile"]);
        assert_eq!(paths(&rule, Platform::Vercel), Vec::<String>::new());
    }

    #[test]
    fn without_content_there_is_no_file() {
        for platform in Platform::ALL {
            for blank in ["", " \n\n"] {
                let edits = [robots_lines(blank), head_of(blank), doc("/a.txt", TEXT, blank)];
                for edit in &edits {
                    let files = files(std::slice::from_ref(edit), platform);
                    let kept = files.iter().filter(|file| {
                        file.path
                            .as_deref()
                            .is_none_or(|path| matches!(path, "/a.txt" | "public/a.txt"))
                    });
                    assert_eq!(kept.count(), 0, "{edit:?} {platform:?}");
                }
            }
        }
    }

    #[test]
    fn text_of_a_site_does_not_run_on_its_platform() {
        let liquid = robots_lines("Disallow: /{{ shop.secret }}\n");
        assert_eq!(paths(&liquid, Platform::Shopify), Vec::<String>::new());
        assert_eq!(paths(&liquid, Platform::Nginx), ["/robots.txt"]);
        let php = head_of("<script>{\"name\": \"<?php system('id') ?>\"}</script>");
        assert_eq!(paths(&php, Platform::WordPress), Vec::<String>::new());
        for bad in ["/.well-known/a;}evil", "/.well-known/../../etc", "no-slash"] {
            for platform in Platform::ALL {
                assert_eq!(files(&[doc(bad, JSON, "{}")], platform), [], "{bad}");
            }
        }
        for name in ["a.example; evil", "a.example {", ""] {
            let rule = ServerRule::Redirects {
                names: vec![name.to_owned()],
                canonical: "example.com".to_owned(),
            };
            assert_eq!(files(&[Edit::Server { rule }], Platform::Generic), [], "{name}");
        }
    }

    #[test]
    fn a_rule_fits_the_platform_and_not_the_wall_of_the_scan() {
        for vendor in [WallVendor::Akamai, WallVendor::Cloudflare, WallVendor::Unknown] {
            for (platform, part) in [
                (Platform::Nginx, "map $http_user_agent $is_agent {"),
                (Platform::Cloudflare, "cf.verified_bot_category"),
                (Platform::Vercel, "\"conditionGroup\""),
            ] {
                let files = files(&[wall(vendor)], platform);
                let [file] = files.as_slice() else { panic!("{files:?}") };
                for part in [part, "OAI-SearchBot", "GPTBot"] {
                    assert!(file.content.contains(part), "{vendor:?}: {}", file.content);
                }
            }
        }
        assert_eq!(files(&[wall(WallVendor::Unknown)], Platform::Shopify), []);
    }

    #[test]
    fn a_shop_has_elements_on_its_home_page_alone() {
        let files = files(&[head_of("<link rel=\"canonical\" href=\"/\">\n")], Platform::Shopify);
        let [file] = files.as_slice() else { panic!("{files:?}") };
        let expected = "{%- if request.page_type == 'index' -%}\n<link rel=\"canonical\" href=\"/\">\n{%- endif -%}\n";
        assert_eq!(file.content, expected);
        assert_eq!(paths(&head_of("<meta content=\"{% if %}\">"), Platform::Shopify), [""; 0]);
    }

    #[test]
    fn comments_of_rules_fit_a_terminal() {
        let host = "example.com".to_owned();
        let names = || vec![host.clone(), format!("www.{host}")];
        let rules = [
            ServerRule::NotFound,
            ServerRule::Redirects { names: names(), canonical: host.clone() },
            ServerRule::Certificate { names: names() },
            ServerRule::Markdown { host: host.clone() },
            ServerRule::Compression,
            ServerRule::Caching,
        ];
        let edits: Vec<Edit> = rules
            .into_iter()
            .map(|rule| Edit::Server { rule })
            .chain([doc("/.well-known/ucp", "application/json", "{}"), wall(WallVendor::Unknown)])
            .collect();
        for platform in Platform::ALL {
            for lang in Lang::ALL {
                for file in files(&edits, platform) {
                    let content = Catalog::for_lang(lang).with_comments(&file.content);
                    let is_comment = |line: &&str| line.trim_start().starts_with("# ");
                    let long =
                        content.lines().filter(is_comment).find(|line| line.chars().count() > 72);
                    assert_eq!(long, None, "{platform:?}");
                }
            }
        }
    }

    #[test]
    fn redirects_are_written_for_who_can_have_them_in_a_file() {
        let rule = ServerRule::Redirects {
            names: vec!["example.com".to_owned(), "www.example.com".to_owned()],
            canonical: "example.com".to_owned(),
        };
        let of = |platform| files(&[Edit::Server { rule: rule.clone() }], platform);
        let caddy = of(Platform::Caddy);
        assert!(caddy[0].content.contains("\nwww.example.com {\n\tredir https://example.com{uri}"));
        assert_eq!(of(Platform::Nginx).len(), 1);
        assert_eq!(of(Platform::Vercel), []);
        assert_eq!(of(Platform::Shopify), []);
    }
}
