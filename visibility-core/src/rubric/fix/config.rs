//! Rules in the words of a platform: a header field, a media type, a redirect.
//!
//! Values come from the result of a scan, and so from a site: what a language would read as more than
//! text is refused, and then there is no rule but only the steps.

use serde_json::{Value, json};

use crate::rubric::fix::files::TEXT;
use crate::rubric::fix::{FileMode, FixFile, Placement, Platform, next};

pub(super) const NGINX_CONF: &str = "nginx.conf";
pub(super) const CADDYFILE: &str = "Caddyfile";

/// Where pieces for nginx and Caddy belong: outside of the block of the site, or inside of it.
pub(super) const NGINX_OUTER: &str = "# http block\n";
const NGINX_INNER: &str = "# server block\n";
pub(super) const CADDY_OUTER: &str = "# outside of other blocks\n";
const CADDY_INNER: &str = "# block of the site\n";

const PHP: &str = "application/x-httpd-php";

/// Header fields of Cloudflare and Netlify: read from the folder of static assets, and from nowhere else.
const ASSET_HEADERS: &str = "public/_headers";

/// A rule that sends a header field with the home page.
pub(super) fn header(platform: Platform, name: &str, value: &str) -> Option<FixFile> {
    if !is_plain(value) {
        return None;
    }
    let (path, content) = match platform {
        Platform::Nginx => (
            NGINX_CONF,
            format!(
                "# http block\nmap $request_uri $home_field {{\n    \"~^/(\\?|$)\" '{value}';\n}}\n\n\
                 # server block\nadd_header {name} $home_field always;\n"
            ),
        ),
        Platform::Apache => (
            ".htaccess",
            format!(
                "<If \"%{{THE_REQUEST}} =~ m#^[A-Z]+ /([?][^ ]*)? #\">\n    \
                 Header add {name} '{value}'\n</If>\n"
            ),
        ),
        Platform::Caddy => (CADDYFILE, format!("header / +{name} `{value}`\n")),
        Platform::Cloudflare | Platform::Netlify => {
            (ASSET_HEADERS, format!("/\n  {name}: {value}\n"))
        }
        Platform::Vercel => ("vercel.json", vercel_headers("/", &[(name, value)])),
        Platform::NextJs => return Some(next::header("/", name, value)),
        Platform::WordPress => (
            "functions.php",
            format!(
                "add_action( 'template_redirect', function () {{\n    if ( is_front_page() ) {{\n        \
                 header( '{name}: {value}', false );\n    }}\n}} );\n"
            ),
        ),
        _ => return None,
    };
    Some(FixFile::at(path, TEXT, FileMode::Append, content))
}

/// A rule that serves a path with its media type, where a platform would guess another.
pub(super) fn media_type(platform: Platform, path: &str, media_type: &str) -> Option<FixFile> {
    const NAME: &str = "Content-Type";
    let (file, content) = match platform {
        Platform::Nginx => (
            NGINX_CONF,
            format!(
                "# Leave it out if this location is there already.\nlocation = {path} {{\n    types {{}}\n    default_type \"{media_type}\";\n    \
                 add_header Access-Control-Allow-Origin *;\n}}\n"
            ),
        ),
        Platform::Caddy => (
            CADDYFILE,
            format!(
                "header {path} {{\n    {NAME} \"{media_type}\"\n    Access-Control-Allow-Origin *\n}}\n"
            ),
        ),
        Platform::Cloudflare | Platform::Netlify => (
            ASSET_HEADERS,
            format!("{path}\n  {NAME}: {media_type}\n  Access-Control-Allow-Origin: *\n"),
        ),
        Platform::Vercel => {
            let fields = [(NAME, media_type), ("Access-Control-Allow-Origin", "*")];
            ("vercel.json", vercel_headers(path, &fields))
        }
        Platform::Apache | Platform::WordPress => {
            let name = path.rsplit('/').next().unwrap_or_default();
            (
                ".htaccess",
                format!(
                    "<Files \"{name}\">\n    ForceType \"{media_type}\"\n    \
                     Header set Access-Control-Allow-Origin \"*\"\n</Files>\n"
                ),
            )
        }
        Platform::Generic => {
            let content = format!("{NAME}: {media_type}\nAccess-Control-Allow-Origin: *\n");
            let file = FixFile::at(path, TEXT, FileMode::Append, content);
            return Some(FixFile { place: Some(Placement::Header), ..file });
        }
        _ => return None,
    };
    Some(FixFile::at(file, TEXT, FileMode::Append, content))
}

/// Sitemaps of WordPress, which may be turned off by a setting or a plugin.
pub(super) fn wordpress_sitemap() -> FixFile {
    let content = "add_filter( 'wp_sitemaps_enabled', '__return_true', 99 );\n";
    FixFile::at("functions.php", PHP, FileMode::Append, content)
}

/// Elements for the head of the front page; `None` where they would take the place of what a theme or a plugin
/// writes, the title apart.
pub(super) fn wordpress_head(mode: FileMode, elements: &str) -> Option<FixFile> {
    // A text that nothing of a site can end.
    const END: &str = "VISIBILITY_HEAD";
    if elements.contains(END) {
        return None;
    }
    let title =
        elements.trim().strip_prefix("<title>").and_then(|rest| rest.strip_suffix("</title>"));
    let content = match (mode, title) {
        (FileMode::Append, _) => format!(
            "add_action( 'wp_head', function () {{\n    if ( is_front_page() ) {{\n        echo <<<'{END}'\n\
             {}\n{END};\n    }}\n}} );\n",
            elements.trim_end()
        ),
        (_, Some(title)) => format!(
            "add_filter( 'pre_get_document_title', function ( $title ) {{\n    \
             return is_front_page() ? html_entity_decode( <<<'{END}'\n{title}\n{END}\n    ) : $title;\n}}, 99 );\n"
        ),
        (_, None) => return None,
    };
    Some(FixFile::at("functions.php", PHP, FileMode::Append, content))
}

/// Two pieces of `vercel.json` as one: their lists, one behind the other. `None` if they are no JSON.
pub(super) fn joined_json(one: &str, other: &str) -> Option<String> {
    let read = |text: &str| serde_json::from_str::<serde_json::Map<String, Value>>(text).ok();
    let (mut all, more) = (read(one)?, read(other)?);
    for (key, value) in more {
        match (all.get_mut(&key), value) {
            (Some(Value::Array(known)), Value::Array(new)) => known.extend(new),
            (_, value) => {
                all.insert(key, value);
            }
        }
    }
    Some(pretty(&Value::Object(all)))
}

/// Two pieces for a server as one: first what belongs outside of the block of the site, and then what belongs into
/// it. `None` if neither has a part for outside.
pub(super) fn joined_blocks(path: &str, one: &str, other: &str) -> Option<String> {
    let (outer, inner) = match path {
        NGINX_CONF => (NGINX_OUTER, NGINX_INNER),
        CADDYFILE => (CADDY_OUTER, CADDY_INNER),
        _ => return None,
    };
    let parts = |text: &str| {
        let (before, inside) = match text.split_once(inner) {
            Some((before, inside)) => (before, inside),
            None if text.starts_with(outer) => (text, ""),
            None => ("", text),
        };
        (before.strip_prefix(outer).unwrap_or(before).trim_end().to_owned(), inside.to_owned())
    };
    let ((one_outer, one_inner), (other_outer, other_inner)) = (parts(one), parts(other));
    let outside: Vec<&str> = [&one_outer, &other_outer]
        .into_iter()
        .map(String::as_str)
        .filter(|part| !part.is_empty())
        .collect();
    let outside = (!outside.is_empty()).then(|| outside.join("\n"))?;
    let inside = one_inner + &other_inner;
    Some(if inside.is_empty() {
        format!("{outer}{outside}\n")
    } else {
        format!("{outer}{outside}\n\n{inner}{inside}")
    })
}

fn vercel_headers(path: &str, fields: &[(&str, &str)]) -> String {
    let fields = fields.iter().map(|(name, value)| json!({ "key": name, "value": value }));
    let rule = json!({ "source": path, "headers": fields.collect::<Vec<_>>() });
    pretty(&json!({ "headers": [rule] }))
}

/// JSON as people write it.
fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// Whether a value is text alone in all of these languages.
fn is_plain(value: &str) -> bool {
    !value.is_empty()
        && value.chars().all(|ch| (ch.is_ascii_graphic() || ch == ' ') && !"'\\$`{}".contains(ch))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: &str = "</llms.txt>; rel=\"alternate\"; type=\"text/markdown\"";

    #[test]
    fn a_field_is_written_for_each_platform() {
        for (platform, path, line) in [
            (Platform::Nginx, NGINX_CONF, "add_header Link $home_field always;"),
            (Platform::Caddy, "Caddyfile", "header / +Link `</llms.txt>; rel=\"alternate\""),
            (Platform::Cloudflare, "public/_headers", "  Link: </llms.txt>; rel=\"alternate\""),
            (Platform::Vercel, "vercel.json", "\"key\": \"Link\""),
            (Platform::NextJs, "next.config.js", "key: \"Link\", value: \"</llms.txt>; rel=\\\""),
            (Platform::WordPress, "functions.php", "header( 'Link: </llms.txt>; rel="),
            (Platform::Apache, ".htaccess", "    Header add Link '</llms.txt>; rel="),
            (Platform::Netlify, "public/_headers", "  Link: </llms.txt>; rel="),
        ] {
            let file = header(platform, "Link", LINK).expect("a file");
            assert_eq!(file.path.as_deref(), Some(path));
            assert!(file.content.contains(line), "{}", file.content);
        }
        assert_eq!(header(Platform::Shopify, "Link", LINK), None);
    }

    #[test]
    fn a_value_that_a_language_would_run_is_refused() {
        for value in [
            "</x>; rel='a'",
            "<$request_body>",
            "`rm`",
            "{env.SECRET}",
            "a\\",
            "a\nb",
            "a\u{202e}",
            "",
        ] {
            for platform in Platform::ALL {
                assert_eq!(header(platform, "Link", value), None, "{value:?}");
            }
        }
    }

    #[test]
    fn pieces_for_a_server_are_joined_block_by_block() {
        let one = "# http block\nmap a b {}\n\n# server block\nadd_header A $b;\n";
        let other = "# http block\nmap c d {}\n\n# server block\nadd_header C $d;\n";
        let both = joined_blocks(NGINX_CONF, one, other).expect("one piece");
        assert_eq!(
            both,
            "# http block\nmap a b {}\nmap c d {}\n\n# server block\nadd_header A $b;\nadd_header C $d;\n"
        );
        let more = joined_blocks(NGINX_CONF, "location = /x {}\n", one).expect("one piece");
        assert!(more.ends_with("# server block\nlocation = /x {}\nadd_header A $b;\n"), "{more}");
        let redirect = "# http block\nserver {}\n";
        let beside = joined_blocks(NGINX_CONF, redirect, "gzip on;\n").expect("one piece");
        assert_eq!(beside, "# http block\nserver {}\n\n# server block\ngzip on;\n");
        let outside = "# outside of other blocks\nwww.example.com {\n}\n";
        let beside = joined_blocks(CADDYFILE, "encode gzip\n", outside).expect("one piece");
        assert_eq!(beside, format!("{outside}\n# block of the site\nencode gzip\n"));
        assert_eq!(joined_blocks(NGINX_CONF, "gzip on;\n", "location = /x {}\n"), None);
    }

    #[test]
    fn what_is_to_be_json_is_json() {
        let files = [
            header(Platform::Vercel, "Link", LINK),
            media_type(Platform::Vercel, "/.well-known/ucp", "application/json"),
        ];
        for file in files {
            let content = file.expect("a file").content;
            assert!(serde_json::from_str::<Value>(&content).is_ok(), "{content}");
        }
    }
}
