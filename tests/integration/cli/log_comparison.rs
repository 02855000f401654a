//! `visibility logs report` with a robots.txt and sitemaps, and its form for trackers and mails.

use std::collections::BTreeSet;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};
use visibility_core::agents::Registry;

use crate::cli::program::{Folder, Run, run, run_with_input};

const GPTBOT: &str = "openai-gptbot";
const CLAUDEBOT: &str = "anthropic-claudebot";
const BYTESPIDER: &str = "bytedance-bytespider";
const OAI_SEARCHBOT: &str = "openai-oai-searchbot";
const CHATGPT_USER: &str = "openai-chatgpt-user";
const PERPLEXITY_USER: &str = "perplexity-user";

fn user_agent(id: &str) -> &'static str {
    Registry::embedded().find(id).unwrap().example_user_agent.as_deref().unwrap()
}

/// A line of an agent, at noon.
fn line(day: u32, id: &str, target: &str, status: u16) -> String {
    let user_agent = user_agent(id);
    format!(
        "203.0.113.9 - - [{day:02}/Nov/2026:12:00:00 +0000] \"GET {target} HTTP/1.1\" {status} 5 \"-\" \"{user_agent}\"\n"
    )
}

fn report(arguments: &[&str]) -> Run {
    run(&[&["logs", "report", "--now", "2026-11-28T00:00:00Z"], arguments].concat())
}

/// The report for people, with one space where lines break.
fn text_of(arguments: &[&str]) -> String {
    let made = report(arguments);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    made.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn site_of(arguments: &[&str]) -> Value {
    let made = report(&[arguments, &["--format", "json"]].concat());
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let report: Value = serde_json::from_str(&made.stdout).unwrap();
    report["sites"][0].clone()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn sitemap(paths: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let url = |path: &str| format!("<url><loc>https://www.example.com{path}</loc></url>\n");
    let urls: String = paths.into_iter().map(|path| url(path.as_ref())).collect();
    format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{urls}</urlset>")
}

fn index(names: &[&str]) -> String {
    let entry =
        |name: &&str| format!("<sitemap><loc>https://www.example.com/{name}</loc></sitemap>");
    format!("<sitemapindex>{}</sitemapindex>", names.iter().map(entry).collect::<String>())
}

const ROBOTS: &str = "\
User-agent: *
Disallow: /private/
Disallow: /*?token=
Allow: /private/open

User-agent: GPTBot
Disallow: /docs/
Allow: /docs/api$
";

/// Agents and targets, with the line of [`ROBOTS`] that disallows them.
const REQUESTS: [(&str, &str, Option<u64>); 16] = [
    (CLAUDEBOT, "/private/a", Some(2)),
    (CLAUDEBOT, "/private/b?x=1", Some(2)),
    (CLAUDEBOT, "/private/open", None),
    (CLAUDEBOT, "/%70rivate/a", Some(2)),
    (CLAUDEBOT, "/docs/install", None),
    (CLAUDEBOT, "/robots.txt", None),
    (CLAUDEBOT, "/list?token=s3cr3t", Some(3)),
    (CLAUDEBOT, "/list", None),
    (GPTBOT, "/private/a", None),
    (GPTBOT, "/docs/install", Some(7)),
    (GPTBOT, "/docs/api", None),
    (GPTBOT, "/docs/api?x=1", Some(7)),
    (CHATGPT_USER, "/private/a", Some(2)),
    (CHATGPT_USER, "/", None),
    (BYTESPIDER, "/private/a", Some(2)),
    (PERPLEXITY_USER, "/private/a", Some(2)),
];

#[test]
fn each_request_is_held_against_the_line_that_decides() {
    let folder = Folder::new();
    // The status says nothing: who asked for what was refused has asked for it.
    let lines = REQUESTS.iter().zip([200, 403, 301].into_iter().cycle());
    let log: String = lines.map(|((id, target, _), status)| line(20, id, target, status)).collect();
    let log = folder.file("access.log", log.repeat(2));
    let robots = folder.file("robots.txt", ROBOTS);
    let site = site_of(&[&log, "--robots", &robots]);
    let found = |list: &str| -> BTreeSet<(String, u64, u64)> {
        let rows = site["robots"][list].as_array().unwrap().iter();
        rows.map(|row| {
            let number = |key: &str| row[key].as_u64().unwrap();
            (row["agent"].as_str().unwrap().to_owned(), number("line"), number("requests"))
        })
        .collect()
    };
    let row = |id: &str, line: u64, requests: u64| (id.to_owned(), line, requests);
    let disallowed =
        [row(CLAUDEBOT, 2, 6), row(CLAUDEBOT, 3, 2), row(GPTBOT, 7, 4), row(BYTESPIDER, 2, 2)];
    assert_eq!(found("disallowed"), BTreeSet::from(disallowed));
    let advisory = [row(CHATGPT_USER, 2, 2), row(PERPLEXITY_USER, 2, 2)];
    assert_eq!(found("advisory"), BTreeSet::from(advisory));
    assert_eq!(site["robots"]["disallowed_requests"], 14);
    let first = &site["robots"]["disallowed"][0];
    assert_eq!(first["paths"], json!([["/%70rivate/a", 2], ["/private/a", 2], ["/private/b", 2]]));
    assert_eq!((&first["rule"], &first["group"]), (&json!("Disallow: /private/"), &json!("*")));
    assert_eq!(first["robots_txt_read"], Value::Null, "its request got no file");

    let text = text_of(&[&log, "--robots", &robots]);
    assert!(text.contains("14 requests for what the robots.txt you gave disallows"), "{text}");
    assert!(text.contains("may have been another one then"), "{text}");
    assert!(!text.contains("s3cr3t") && !text.contains("x=1"), "{text}");
    let one_row = text_of(&[&log, "--robots", &robots, "--top", "1"]);
    assert!(one_row.contains("14 requests for what"), "{one_row}");
}

#[test]
fn a_change_of_robots_txt_shows_in_the_days() {
    let folder = Folder::new();
    // From the 20th on, after the agent has read it.
    let robots = folder.file("robots.txt", "User-agent: *\nDisallow: /old/\n");
    let log = [
        line(10, GPTBOT, "/old/a", 200),
        line(18, GPTBOT, "/old/b", 200),
        line(20, GPTBOT, "/robots.txt", 200),
        line(24, GPTBOT, "/new/a", 200),
    ];
    let log = folder.file("access.log", log.concat());
    let site = site_of(&[&log, "--robots", &robots]);
    let row = &site["robots"]["disallowed"][0];
    assert_eq!(
        (&row["first_seen"], &row["last_seen"], &row["robots_txt_read"]),
        (
            &json!("2026-11-10T12:00:00Z"),
            &json!("2026-11-18T12:00:00Z"),
            &json!("2026-11-20T12:00:00Z")
        )
    );
    let text = text_of(&[&log, "--robots", &robots]);
    assert!(text.contains("2026-11-10 to 11-18") && text.contains("--since"), "{text}");
    let since = text_of(&[&log, "--robots", &robots, "--since", "2026-11-20T00:00:00Z"]);
    assert!(since.contains("No request that the robots.txt you gave disallows"), "{since}");
}

#[test]
fn nothing_is_held_against_an_impostor_or_by_a_file_of_another_site() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", "User-agent: *\nDisallow: /\n");
    let list = json!({
        "source": "https://openai.com/gptbot.json",
        "fetched_at": "2026-11-27T00:00:00Z",
        "published_at": null,
        "prefixes": ["198.51.100.0/24"],
    });
    let ranges = json!({"schema_version": 1, "lists": [list]}).to_string();
    let ranges = folder.file("ranges.json", ranges);
    let log = folder.file("access.log", line(20, GPTBOT, "/a", 200).repeat(20));
    let site = site_of(&[&log, "--robots", &robots, "--ranges", &ranges]);
    assert_eq!((&site["impostor_requests"], &site["agent_requests"]), (&20.into(), &0.into()));
    assert_eq!(site["robots"]["disallowed"], json!([]));

    let of = |host: &str| format!("{host}:443 {}", line(20, GPTBOT, "/a", 200)).repeat(20);
    let log = folder.file("vhosts.log", of("www.example.com") + &of("shop.example.com"));
    let several = text_of(&[&log, "--robots", &robots]);
    assert!(several.contains("agents came to several"), "{several}");
    assert!(!several.contains("Disallow: /"), "{several}");
    let one = text_of(&[&log, "--robots", &robots, "--host", "shop.example.com"]);
    assert!(one.contains("20 requests for what the robots.txt"), "{one}");
}

#[test]
fn what_is_no_robots_txt_or_no_sitemap_is_refused() {
    let folder = Folder::new();
    let log = folder.file("access.log", line(20, GPTBOT, "/a", 200).repeat(20));
    let html = folder.file("page.html", "<!doctype html><title>Not found</title>");
    let empty = folder.file("empty.txt", "# all is allowed\n");
    let hosts = ["--host", "a.example", "--host", "b.example"];
    for (arguments, expected) in [
        (vec!["--robots", &html], "is no robots.txt"),
        (vec!["--robots", &log], "is no robots.txt"),
        (vec!["--robots", "none.txt"], "none.txt"),
        (vec!["--sitemap", &html], "an HTML page, not a sitemap"),
        (vec!["--sitemap", &log], "neither XML nor a list of URLs"),
        (vec!["--sitemap", "none.xml"], "none.xml"),
        (vec!["--sitemap", "-", "--sitemap", "-"], "standard input"),
        ([&["--robots", empty.as_str()], &hosts[..]].concat(), "for one site"),
    ] {
        let refused = report(&[&[log.as_str()], &arguments[..]].concat());
        assert_eq!(refused.code, Some(2), "{arguments:?}: {}", refused.stdout);
        assert!(refused.stderr.contains(expected), "{arguments:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("hint") || expected.contains("none"), "{}", refused.stderr);
    }
    let allowed = report(&[&log, "--robots", &empty]);
    assert!(allowed.stdout.contains("No request that the robots.txt"), "{}", allowed.stdout);
}

/// 50,000 pages in 100 folders. A training agent reads every second page, a search agent every tenth, and no agent the last
/// folder.
#[test]
fn pages_that_no_agent_has_read_are_those_of_the_sitemap_without_the_read_ones() {
    let folder = Folder::new();
    let path = |number: usize| format!("/folder-{:02}/page-{number}", number / 500);
    let paths: Vec<String> = (0..50_000).map(path).collect();
    let sitemap_file = folder.file("sitemap.xml.gz", gzip(&sitemap(&paths)));
    let mut log = String::new();
    for (number, path) in paths.iter().enumerate().take(49_500) {
        match number % 10 {
            0 => log.push_str(&line(20, OAI_SEARCHBOT, &format!("{path}?utm_source=x"), 200)),
            2 | 4 | 6 | 8 => log.push_str(&line(21, GPTBOT, path, 304)),
            1 => log.push_str(&line(21, GPTBOT, path, 404)),
            _ => {}
        }
    }
    let log = folder.file("access.log", log);
    let site = site_of(&[&log, "--sitemap", &sitemap_file, "--top", "200000"]);
    let found = &site["sitemap"];
    assert_eq!((&found["pages"], &found["read"]), (&50_000.into(), &24_750.into()));
    assert_eq!(found["purposes"], json!({"search": 4_950, "training": 19_800}));
    let folders = found["folders"].as_array().unwrap();
    assert_eq!(folders.len(), 100);
    for row in folders {
        let is_last = row["folder"] == "/folder-99/";
        assert_eq!(
            (&row["pages"], &row["read"]),
            (&500.into(), &if is_last { 0 } else { 250 }.into())
        );
        assert_eq!(row["purposes"]["search"].as_u64().unwrap_or(0), if is_last { 0 } else { 50 });
    }
    // No page was read for every purpose: all are in the list, those that none has read first.
    let unread = found["unread"].as_array().unwrap();
    assert_eq!(unread.len(), 50_000);
    let never: Vec<&str> = unread
        .iter()
        .take_while(|row| row["read_for"] == json!([]))
        .map(|row| row["path"].as_str().unwrap())
        .collect();
    let expected: Vec<&String> = paths
        .iter()
        .enumerate()
        .filter(|(number, _)| number % 2 == 1 || *number >= 49_500)
        .map(|(_, path)| path)
        .collect();
    assert_eq!(never, expected);
    let in_vain = unread.iter().filter(|row| row["last_status"] == 404).count();
    assert_eq!(in_vain, 4_950);

    let text = text_of(&[&log, "--sitemap", &sitemap_file]);
    let first = "24,750 of 50,000 pages of the sitemap were read by an AI agent (49.5 %)";
    assert!(text.contains(first), "{text}");
    assert!(!text.contains("utm_source"), "{text}");
}

#[test]
fn sitemaps_of_an_index_are_found_beside_it() {
    let folder = Folder::new();
    let log = folder.file("access.log", line(20, GPTBOT, "/a", 200).repeat(20));
    let main = folder.file("index.xml", index(&["maps/one.xml.gz", "two.xml?x=1", "three.xml"]));
    folder.file("one.xml", sitemap(["/a", "/b", "/a#top"]));
    folder.file("two.xml", sitemap(["/c", "/d?id=1", "/b"]));
    let made = report(&[&log, "--sitemap", &main, "--format", "json"]);
    let whole: Value = serde_json::from_str(&made.stdout).unwrap();
    assert_eq!(
        whole["sitemaps"],
        json!({"read": 3, "missing": ["https://www.example.com/three.xml"], "is_cut": false})
    );
    let found = &whole["sites"][0]["sitemap"];
    assert_eq!(
        (&found["pages"], &found["read"], &found["with_query"]),
        (&3.into(), &1.into(), &1.into())
    );
    let text = text_of(&[&log, "--sitemap", &main]);
    assert!(text.contains("1 sitemap of the index not found beside it"), "{text}");
    // Given by hand, under its own name or another one.
    for name in ["three.xml", "renamed.xml"] {
        let given = Folder::new();
        let third = given.file(name, sitemap(["/e"]));
        let site = report(&[&log, "--sitemap", &main, "--sitemap", &third, "--format", "json"]);
        let site: Value = serde_json::from_str(&site.stdout).unwrap();
        assert_eq!(site["sitemaps"]["missing"], json!([]), "{name}");
        assert_eq!(site["sites"][0]["sitemap"]["pages"], 4, "{name}");
    }
    let piped = ["logs", "report", &log, "--sitemap", "-"];
    let piped = run_with_input(&piped, sitemap(["/a", "/b"]));
    assert!(piped.stdout.contains("1 of 2 pages of the sitemap"), "{}", piped.stdout);
}

#[test]
fn pages_of_other_sites_are_not_said_to_be_unread() {
    let folder = Folder::new();
    let vhost = format!("example.com:443 {}", line(20, GPTBOT, "/a", 200)).repeat(20);
    let log = folder.file("access.log", vhost);
    let map = folder.file("sitemap.xml", sitemap(["/a", "/b"]));
    for host in [&[][..], &["--host", "example.com"]] {
        let text = text_of(&[&[log.as_str(), "--sitemap", &map], host].concat());
        assert!(text.contains("no page of a site that is in the log"), "{text}");
        assert!(
            text.contains("2 pages of the sitemap are of sites that are not in this report"),
            "{text}"
        );
        assert!(!text.contains("/b"), "{text}");
    }
}

/// The cells of each line of each table.
fn tables(markdown: &str) -> Vec<Vec<usize>> {
    let mut tables: Vec<Vec<usize>> = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        let is_foreign = matches!(
            event,
            Event::Html(_)
                | Event::InlineHtml(_)
                | Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_))
        );
        assert!(!is_foreign, "{event:?}");
        match event {
            Event::Start(Tag::Table(_)) => tables.push(Vec::new()),
            Event::Start(Tag::TableHead | Tag::TableRow) => tables.last_mut().unwrap().push(0),
            Event::End(TagEnd::TableCell) => *tables.last_mut().unwrap().last_mut().unwrap() += 1,
            _ => {}
        }
    }
    tables
}

#[test]
fn markdown_shows_strangers_texts_and_obeys_none() {
    let folder = Folder::new();
    let hostile = [
        "/a|b",
        "/`a`|b",
        "/</td><script>alert(1)</script>",
        "/[click](https://evil.example)",
        "/![x](https://evil.example/x.png)",
        "/@someone",
        "/*a*_b_~c~",
        "/\\|\\",
        "/www.evil.example",
    ];
    let paths: String = hostile.iter().map(|path| line(20, GPTBOT, path, 200).repeat(3)).collect();
    let missing: String = hostile.iter().map(|path| line(21, CLAUDEBOT, path, 404)).collect();
    let bots: String = hostile
        .iter()
        .map(|name| {
            line(22, GPTBOT, "/", 200).replace(user_agent(GPTBOT), &format!("{name} bot/1.0"))
        })
        .collect();
    let visits: String = hostile
        .iter()
        .map(|path| {
            line(22, GPTBOT, path, 200)
                .replace(
                    user_agent(GPTBOT),
                    "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0",
                )
                .replace("\"-\"", "\"https://chatgpt.com/\"")
        })
        .collect();
    let log = folder.file("access.log", [paths, missing, bots, visits].concat());
    let rules: String = hostile.iter().map(|path| format!("Disallow: {path}\n")).collect();
    let robots = folder.file("robots.txt", format!("User-agent: *\n{rules}"));
    let map = folder
        .file("urls.txt", hostile.map(|path| format!("https://www.example.com{path}x\n")).concat());
    let made = report(&[&log, "--robots", &robots, "--sitemap", &map, "--format", "markdown"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let tables = tables(&made.stdout);
    assert!(tables.len() >= 8, "{}", made.stdout);
    for table in tables {
        let columns = table[0];
        assert!(table.len() > 1 && table.iter().all(|cells| *cells == columns), "{}", made.stdout);
    }
    // A reader sees the paths as they are.
    let code: BTreeSet<String> = Parser::new_ext(&made.stdout, Options::ENABLE_TABLES)
        .filter_map(|event| match event {
            Event::Code(text) => Some(text.into_string()),
            _ => None,
        })
        .collect();
    for path in ["/a|b", "/`a`|b", "/@someone", "/*a*_b_~c~", "/www.evil.example"] {
        assert!(code.contains(path), "{path} in {code:?}");
    }
}

#[test]
fn markdown_has_the_figures_of_the_text() {
    let folder = Folder::new();
    let log = [line(19, GPTBOT, "/a", 200).repeat(1_234), line(20, CHATGPT_USER, "/b", 403)];
    let log = folder.file("access.log", log.concat());
    let output = folder.path("report.md");
    let made = report(&[&log, "--host", "www.example.com", "--format", "markdown", "-o", &output]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let markdown = std::fs::read_to_string(&output).unwrap();
    let start = "# AI agents at www\\.example.com, 2026-11-19 to 2026-11-20 (UTC)\n\n1,235 requests, 1,235 by AI agents";
    assert!(markdown.starts_with(start), "{markdown}");
    let row = "| GPTBot | 1,234 | 1 | – | – | – | 2026-11-19 |\n";
    assert!(markdown.contains(row), "{markdown}");
    assert!(markdown.contains("| `/a` | 1,234 |"), "{markdown}");
    assert!(!markdown.contains('\u{1b}') && markdown.ends_with('\n'), "{markdown:?}");
}
