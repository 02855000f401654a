//! What managed platforms make of the files of a fix. Each rule is one that the vendor documents, and the pages
//! are those that the fix itself names.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "a file that no rule knows should stop the test"
)]

use std::collections::BTreeMap;

use serde_json::Value;
use visibility_core::rubric::fix::{Edit, FileMode, FixFile, Placement, Platform, files};

use crate::fixes::{Inputs, edit_page, filled, pasted, replaced, set_header, with_edit, with_file};
use crate::site::{Reply, Site};
use visibility_core::scan::result::{PlanFileResult, ScanResult};

/// The site on a platform, as a scan sees that it is there.
#[must_use]
pub fn hosted(site: &Site, platform: Platform) -> Site {
    let mark = |reply: &mut Reply| match platform {
        Platform::Cloudflare => set_header(reply, "server", "cloudflare", true),
        Platform::Netlify => set_header(reply, "x-nf-request-id", "01J", true),
        Platform::Vercel => set_header(reply, "x-vercel-id", "fra1::x", true),
        Platform::NextJs => set_header(reply, "x-powered-by", "Next.js", true),
        Platform::Shopify => set_header(reply, "x-shopid", "1", true),
        Platform::WordPress => set_generator(reply, "WordPress 6.9"),
        Platform::Wix => set_generator(reply, "Wix.com Website Builder"),
        Platform::Squarespace => mark_head(reply, "<!-- This is Squarespace. -->"),
        Platform::Webflow => set_generator(reply, "Webflow"),
        Platform::Framer => set_generator(reply, "Framer 2f8b1c0"),
        Platform::GoogleSites => mark_head(
            reply,
            "<script src=\"https://www.gstatic.com/_/atari/_/js/k=atari.js\"></script>",
        ),
        Platform::Hosted => set_generator(reply, "Jimdo Creator"),
        Platform::Nginx | Platform::Apache | Platform::Caddy | Platform::Generic => {}
    };
    site.clone().editing_home(mark)
}

fn set_generator(reply: &mut Reply, name: &str) {
    mark_head(reply, &format!("<meta name=\"generator\" content=\"{name}\">\n"));
}

/// Adds an element to the head of a page; to its beginning, if the page does not say where its head ends.
fn mark_head(reply: &mut Reply, element: &str) {
    let html = String::from_utf8_lossy(&reply.body).into_owned();
    let doctype = || html.find("<!doctype html>").map(|at| at + "<!doctype html>".len());
    let at = html.find("</head>").or_else(doctype).unwrap_or_default();
    reply.body = format!("{}{element}{}", &html[..at], &html[at..]).into_bytes();
}

/// The site after a fix, made with the files for the platform and with nothing else.
#[must_use]
pub fn applied(site: &Site, edits: &[Edit], platform: Platform) -> Site {
    if platform == Platform::Generic {
        return crate::fixes::applied(site, edits, Inputs::Filled);
    }
    with_files(site, files(edits, platform), edits, platform)
}

/// The site after all steps of a plan at once, made with what its result has for each path.
#[must_use]
pub fn applied_files(
    site: &Site,
    plan_files: &[PlanFileResult],
    result: &ScanResult,
    platform: Platform,
) -> Site {
    let steps = result.fix_plan.iter().filter(|step| step.is_promised);
    let checks = steps.filter_map(|step| result.checks.iter().find(|one| one.id == step.check));
    let fixes = checks.filter_map(|check| check.fix.as_ref());
    let edits: Vec<Edit> = fixes.flat_map(|fix| fix.edits.clone()).collect();
    let files = plan_files.iter().map(|one| one.file.clone()).collect();
    with_files(site, files, &edits, platform)
}

/// The site with these files, and the work of these edits that no file does.
fn with_files(site: &Site, files: Vec<FixFile>, edits: &[Edit], platform: Platform) -> Site {
    let host = site.host.clone();
    let fill = |text: &str| filled(text, &host);
    let mut site = site.clone();
    let mut rules = Vec::new();
    for file in files {
        let file = FixFile { content: fill(&file.content), ..file };
        match file.path.clone() {
            // What has no path is for the page, its header or a setting, as on every other site.
            None => site = with_file(site, &file),
            Some(_) if platform == Platform::Generic => site = with_file(site, &file),
            Some(path) => match served_path(&path, platform) {
                Some(path) => site = with_document(site, &path, &file),
                None => rules.push((path, file)),
            },
        }
    }
    // Rules are read when files are served.
    for (path, file) in rules {
        site = match platform {
            Platform::Cloudflare | Platform::Netlify if path == "public/_headers" => {
                headers_file(site, &file.content)
            }
            Platform::Vercel if path == "vercel.json" => vercel(site, &file.content),
            Platform::NextJs => next(site, &path, &file.content),
            Platform::WordPress => wordpress(site, &path, &file.content),
            Platform::Shopify => shopify(site, &path, &file),
            _ => panic!("no rule says what {platform:?} does with {path}"),
        };
    }
    let is_work = |edit: &&Edit| {
        is_work(edit) || platform == Platform::Generic && matches!(edit, Edit::Server { .. })
    };
    for edit in edits {
        // The switch for AI crawlers, which takes their groups away.
        if let (
            Platform::Squarespace,
            Edit::Robots { mode: FileMode::Replace, content, replaces },
        ) = (platform, edit)
        {
            let file = FixFile::at("/robots.txt", "text/plain", FileMode::Replace, content);
            site = with_file(site, &file.replacing(replaces.clone()));
        }
    }
    for edit in edits.iter().filter(is_work) {
        site = with_edit(site, edit, &fill);
    }
    site
}

/// Work without files: what was built, rendered, or let through.
fn is_work(edit: &Edit) -> bool {
    matches!(edit, Edit::Build { .. } | Edit::Code { .. } | Edit::Firewall { .. })
}

/// The path of the site that a file of a project is served at, if it is.
///
/// - Cloudflare Pages, Netlify and Vercel serve the folder that a build leaves, into which frameworks copy
///   `public`; Next.js serves `public` itself (the pages on serving, publishing and the public folder).
/// - WordPress leaves files of the web root to the server (its `.htaccess`: `RewriteCond !-f`).
fn served_path(path: &str, platform: Platform) -> Option<String> {
    match platform {
        Platform::WordPress => path.starts_with('/').then(|| path.to_owned()),
        Platform::Shopify => None,
        // A field of the settings holds it.
        Platform::Squarespace => path.starts_with('/').then(|| path.to_owned()),
        _ => {
            let served = path.strip_prefix("public")?;
            (served != "/_headers").then(|| served.to_owned())
        }
    }
}

fn with_document(site: Site, path: &str, file: &FixFile) -> Site {
    let before = site.body_of(path).unwrap_or_default();
    let body = match file.mode {
        FileMode::Create => file.content.clone(),
        FileMode::Append => before + &file.content,
        FileMode::Replace => replaced(&before, file),
    };
    site.with(path, Reply::new(guessed_type(path), body))
}

/// The media type that servers of files give by the end of a name.
fn guessed_type(path: &str) -> &'static str {
    match path.rsplit('/').next().unwrap_or_default().rsplit_once('.').map(|(_, end)| end) {
        Some("txt") => "text/plain; charset=utf-8",
        Some("xml") => "application/xml",
        Some("json") => "application/json",
        Some("md") => "text/markdown; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        _ => "application/unknown",
    }
}

/// `_headers`: a path, and below it indented fields. They override what is sent otherwise; several of one name
/// are joined. <https://developers.cloudflare.com/pages/configuration/headers/>,
/// <https://docs.netlify.com/manage/routing/headers/>
fn headers_file(mut site: Site, text: &str) -> Site {
    let mut path = String::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with('/') {
            line.trim().clone_into(&mut path);
            continue;
        }
        let (name, value) = line.trim().split_once(": ").expect("a field");
        site = send(site, &path, name, value);
    }
    site
}

/// A field in the response to a path.
fn send(site: Site, path: &str, name: &str, value: &str) -> Site {
    let is_one = name.eq_ignore_ascii_case("content-type");
    if path == "/" {
        site.editing_home(|reply| set_header(reply, name, value, is_one))
    } else {
        site.editing(path, |reply| set_header(reply, name, value, is_one))
    }
}

/// `vercel.json`: `headers` by the path in `source`.
/// <https://vercel.com/docs/project-configuration/vercel-json>
fn vercel(mut site: Site, text: &str) -> Site {
    let value: Value = serde_json::from_str(text).expect("JSON");
    for rule in value["headers"].as_array().expect("a list") {
        let path = rule["source"].as_str().expect("a path");
        for field in rule["headers"].as_array().expect("a list") {
            let name = field["key"].as_str().expect("a name");
            site = send(site, path, name, field["value"].as_str().expect("a value"));
        }
    }
    site
}

/// Next.js: `route.ts` answers for the path of its folder; `headers` in `next.config.js` by `source`; a component
/// that the page renders. <https://nextjs.org/docs/app/api-reference/file-conventions/route>,
/// <https://nextjs.org/docs/app/api-reference/config/next-config-js/headers>,
/// <https://nextjs.org/docs/app/guides/json-ld>
fn next(site: Site, path: &str, text: &str) -> Site {
    let constant = |name: &str| -> String {
        let start = format!("const {name} = ");
        let line = text.lines().find_map(|line| line.strip_prefix(start.as_str())).expect(name);
        serde_json::from_str(line.trim_end_matches(';')).expect("a string")
    };
    if let Some(route) = path.strip_prefix("app").and_then(|path| path.strip_suffix("/route.ts")) {
        let fields = text.split("headers: ").nth(1).and_then(|rest| rest.split(" },").next());
        let fields: BTreeMap<String, String> =
            serde_json::from_str(&format!("{}}}", fields.expect("fields"))).expect("fields");
        let reply = Reply::new(&fields["Content-Type"], constant("DOCUMENT"));
        let reply = fields
            .iter()
            .filter(|(name, _)| *name != "Content-Type")
            .fold(reply, |reply, (name, value)| reply.header(&name.to_ascii_lowercase(), value));
        return site.with(route, reply);
    }
    match path {
        "app/page.tsx" => {
            let elements = metadata_elements(text);
            site.editing_home(|reply| {
                for element in &elements {
                    put_in_head(reply, element);
                }
            })
        }
        // The other file for the same elements; a project has one of the two.
        "pages/index.tsx" => site,
        "next.config.js" => {
            let member = |name: &str| first_string(text, &format!("{name}: "));
            send(site, &member("source"), &member("key"), &member("value"))
        }
        _ => panic!("no rule says what Next.js does with {path}"),
    }
}

/// The string behind a text.
fn first_string(text: &str, before: &str) -> String {
    let (_, rest) = text.split_once(before).expect(before);
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    values.next().expect(before).expect("a string")
}

/// The elements that Next.js makes of `metadata` and of the script in a page.
/// <https://nextjs.org/docs/app/api-reference/functions/generate-metadata>,
/// <https://nextjs.org/docs/app/guides/json-ld>
fn metadata_elements(text: &str) -> Vec<String> {
    let quoted =
        |value: String| value.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let meta = |attribute: &str, name: &str, value| {
        format!("<meta {attribute}=\"{name}\" content=\"{}\">\n", quoted(value))
    };
    let mut elements = Vec::new();
    for line in text.lines().map(str::trim) {
        let value = |before: &str| first_string(line, before);
        if line.starts_with("title: { absolute: ") {
            elements.push(format!("<title>{}</title>\n", quoted(value("absolute: "))));
        } else if line.starts_with("alternates: ") {
            let url = quoted(value("canonical: "));
            elements.push(format!("<link rel=\"canonical\" href=\"{url}\">\n"));
        } else if line.starts_with("description: ") || line.starts_with("robots: ") {
            let name = line.split(':').next().expect("a name");
            elements.push(meta("name", name, value(": ")));
        } else if line.starts_with("openGraph: ") {
            if line.contains("title: ") {
                elements.push(meta("property", "og:title", value("title: ")));
            }
            if line.contains("images: [") {
                elements.push(meta("property", "og:image", value("images: [")));
            }
        } else if line.starts_with("dangerouslySetInnerHTML") {
            let data = value("__html: ");
            elements.push(format!("<script type=\"application/ld+json\">{data}</script>\n"));
        }
    }
    elements
}

/// Puts an element in the place of the one of its kind, or at the end of the head.
fn put_in_head(reply: &mut Reply, element: &str) {
    let kind = element.split(" content=").next().and_then(|start| start.split(" href=").next());
    let kind = if element.starts_with("<title>") { "<title>" } else { kind.expect("a start") };
    let html = String::from_utf8(reply.body.clone()).expect("UTF-8");
    let is_data = element.starts_with("<script");
    let old = html.find(kind).filter(|_| !is_data).map(|at| {
        let end = if kind == "<title>" { "</title>" } else { ">" };
        at..at + html[at..].find(end).expect("an end") + end.len()
    });
    match old {
        Some(old) => {
            let text = format!("{}{}{}", &html[..old.start], element.trim(), &html[old.end..]);
            reply.body = text.into_bytes();
        }
        None => add_to_head(reply, element),
    }
}

fn add_to_head(reply: &mut Reply, elements: &str) {
    let file = FixFile::placed(Placement::Head, "text/html", FileMode::Append, elements);
    edit_page(reply, |html| pasted(html, &file));
}

/// WordPress: hooks in `functions.php`, and rules of Apache in `.htaccess`.
/// <https://developer.wordpress.org/reference/hooks/wp_head/>,
/// <https://developer.wordpress.org/reference/hooks/pre_get_document_title/>,
/// <https://developer.wordpress.org/reference/hooks/template_redirect/>,
/// <https://make.wordpress.org/core/2020/07/22/new-xml-sitemaps-functionality-in-wordpress-5-5/>,
/// <https://developer.wordpress.org/advanced-administration/server/web-server/httpd/>
fn wordpress(mut site: Site, path: &str, text: &str) -> Site {
    if path == ".htaccess" {
        return htaccess(site, text);
    }
    assert_eq!(path, "functions.php");
    for hook in text.split("add_").skip(1) {
        let literal = || {
            let rest = hook.split("<<<'VISIBILITY_HEAD'\n").nth(1).expect("a text");
            rest.split("\nVISIBILITY_HEAD").next().expect("an end").to_owned()
        };
        if hook.starts_with("action( 'wp_head'") {
            let elements = literal() + "\n";
            site = site.editing_home(|reply| add_to_head(reply, &elements));
        } else if hook.starts_with("filter( 'pre_get_document_title'") {
            let title = format!("<title>{}</title>", literal());
            site = site.editing_home(|reply| {
                let html = String::from_utf8(reply.body.clone()).expect("UTF-8");
                let (before, rest) = html.split_once("<title>").expect("a title");
                let (_, after) = rest.split_once("</title>").expect("its end");
                reply.body = format!("{before}{title}{after}").into_bytes();
            });
        } else if hook.starts_with("action( 'template_redirect'") {
            let field =
                hook.split("header( '").nth(1).and_then(|rest| rest.split("', false").next());
            let (name, value) = field.and_then(|field| field.split_once(": ")).expect("a field");
            site = send(site, "/", name, value);
        } else {
            assert!(hook.starts_with("filter( 'wp_sitemaps_enabled', '__return_true'"), "{hook}");
            let host = site.host.clone();
            let list = format!(
                "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
                 <url><loc>https://{host}/</loc></url></urlset>"
            );
            site = site.with("/wp-sitemap.xml", Reply::new("application/xml", list)).with(
                "/sitemap.xml",
                Reply::redirect(301, &format!("https://{host}/wp-sitemap.xml")),
            );
        }
    }
    site
}

fn htaccess(mut site: Site, text: &str) -> Site {
    for block in text.split("<Files \"").skip(1) {
        let (name, rest) = block.split_once("\">").expect("a name");
        let media_type = rest.split("ForceType \"").nth(1).and_then(|rest| rest.split('"').next());
        let end = format!("/{name}");
        for path in site.paths().into_iter().filter(|path| path.ends_with(&end)) {
            site = send(site, &path, "content-type", media_type.expect("a media type"));
            site = send(site, &path, "access-control-allow-origin", "*");
        }
    }
    if text.contains("RewriteRule ^$ index.md [L]") {
        let body = site.body_of("/index.md").unwrap_or_default();
        let reply = Reply::new("text/markdown; charset=utf-8", body).header("vary", "Accept");
        let home = site.home_path();
        site = site.editing_home(|reply| set_header(reply, "vary", "Accept", false)).accepting(
            &home,
            "text/markdown",
            reply,
        );
    }
    if text.contains("AddOutputFilterByType DEFLATE") {
        site = site.editing_home(|reply| set_header(reply, "content-encoding", "gzip", true));
    }
    site
}

/// Shopify: `robots.txt.liquid` gives the groups that the shop has, and then what follows in the template; templates
/// of text give their text; the layout gives the head of each page.
/// <https://shopify.dev/docs/storefronts/themes/seo/robots-txt>,
/// <https://shopify.dev/docs/storefronts/themes/architecture/templates>,
/// <https://shopify.dev/docs/storefronts/themes/architecture/layouts>
fn shopify(site: Site, path: &str, file: &FixFile) -> Site {
    match path {
        "templates/robots.txt.liquid" => {
            let (_, lines) = file.content.split_once("{% endfor %}\n").expect("the groups");
            // A page of HTML has no groups.
            let groups = site.body_of("/robots.txt").filter(|body| !body.trim().starts_with('<'));
            let before = groups.unwrap_or_default();
            site.with("/robots.txt", Reply::text(format!("{}\n{lines}", before.trim_end())))
        }
        "templates/llms.txt.liquid" => site.with("/llms.txt", Reply::text(file.content.clone())),
        _ => {
            assert_eq!(path, "layout/theme.liquid");
            let inside = file.content.strip_prefix("{%- if request.page_type == 'index' -%}\n");
            let inside = inside.and_then(|rest| rest.strip_suffix("{%- endif -%}\n"));
            let elements = inside.expect("for the home page alone");
            let file = FixFile { content: elements.to_owned(), ..file.clone() };
            site.editing_home(|reply| edit_page(reply, |html| pasted(html, &file)))
        }
    }
}
