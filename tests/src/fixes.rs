//! Applies what a report offers to a fixture site, as its owner would: files at their places, rules
//! where the server is, placeholders filled with what is true of the site.

#![expect(
    clippy::panic,
    clippy::string_slice,
    reason = "a broken fixture should stop the test; the places in a page are those of ASCII tags"
)]

use visibility_core::fetch::Resource;
use visibility_core::rubric::fix::{
    self, Build, Edit, FileMode, FixFile, Placement, Platform, ServerRule, Task,
};
use visibility_core::scan::check::Check;
use visibility_core::scan::checks::CHECKS;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::result::ScanResult;
use visibility_core::scan::score::{self, EvaluatedCheck, ScanScore};
use visibility_core::scan::snapshot::SiteSnapshot;
use visibility_core::text::locale::Lang;

use crate::site::{Reply, Site};

pub mod hosts;
pub mod page;

/// Where the content of a page begins.
const MAIN: [&str; 2] = ["<main>", "<body>"];

/// Whether placeholders are filled before files are pasted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Inputs {
    /// With what is true of the site.
    Filled,
    /// Left as they are, by someone in a hurry.
    Unfilled,
}

/// A scan of a fixture: the report and its English result.
///
/// # Panics
///
/// If the site cannot be scanned.
pub fn judged(site: &Site) -> (ScanReport, ScanResult) {
    let snapshot = site.scan().unwrap_or_else(|error| panic!("{}: {error}", site.host));
    judged_snapshot(&snapshot)
}

/// The report of a scan, and its English result.
pub fn judged_snapshot(snapshot: &SiteSnapshot) -> (ScanReport, ScanResult) {
    let report = ScanReport::evaluate(snapshot, &Selection::all());
    let result = report.result(Lang::En);
    (report, result)
}

/// The score of a fixture and what its checks found, without a plan.
///
/// # Panics
///
/// If the site cannot be scanned.
pub fn scored(site: &Site) -> (ScanScore, Vec<EvaluatedCheck>) {
    let snapshot = site.snapshot().unwrap_or_else(|error| panic!("{}: {error}", site.host));
    let judged =
        |check: &&'static Check| EvaluatedCheck { check, finding: (check.evaluate)(&snapshot) };
    let judged: Vec<EvaluatedCheck> = CHECKS.iter().map(judged).collect();
    (score::score(&judged, &snapshot), judged)
}

/// The site after a fix.
pub fn applied(site: &Site, edits: &[Edit], inputs: Inputs) -> Site {
    let fill = |text: &str| match inputs {
        Inputs::Filled => filled(text, &site.host),
        Inputs::Unfilled => text.to_owned(),
    };
    let mut site = site.clone();
    // The fixture serves files at their paths, whatever platform its page shows.
    for file in fix::files(edits, Platform::Generic) {
        let file = FixFile { content: fill(&file.content), ..file };
        site = with_file(site, &file);
    }
    for edit in edits {
        site = with_edit(site, edit, &fill);
    }
    site
}

/// A text with its placeholders filled with what is true of the fixture sites, as their owners know it.
pub fn filled(text: &str, host: &str) -> String {
    let truth = [
        ("[MCP_ENDPOINT]", format!("https://{host}/agents/mcp")),
        ("[A2A_ENDPOINT]", format!("https://{host}/agents/a2a")),
        ("[UCP_ENDPOINT]", format!("https://{host}/agents/ucp")),
        ("[API_DESCRIPTION_URL]", format!("https://{host}/docs/api.json")),
        ("[AUTHORIZATION_ENDPOINT]", format!("https://{host}/oauth/authorize")),
        ("[TOKEN_ENDPOINT]", format!("https://{host}/oauth/token")),
        ("[VERSION]", "2.4.0".to_owned()),
        ("[DESCRIPTION]", "Orders, stock and delivery times for agents.".to_owned()),
        ("[LANGUAGE]", "en".to_owned()),
        ("[PREVIEW_IMAGE_URL]", format!("https://{host}/images/house.jpg")),
        ("[SKILL_ID]", "order".to_owned()),
        ("[SKILL_NAME]", "Order".to_owned()),
        ("[SKILL_DESCRIPTION]", "Takes an order.".to_owned()),
        ("[SKILL_TAG]", "shopping".to_owned()),
        ("[PAYMENT_HANDLER]", "com.example.bank".to_owned()),
        ("[PAYMENT_HANDLER_ID]", "bank".to_owned()),
        ("[PAYMENT_HANDLER_SPEC_URL]", format!("https://{host}/pay/spec")),
        ("[PAYMENT_HANDLER_SCHEMA_URL]", format!("https://{host}/pay/schema.json")),
    ];
    truth.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
}

fn with_file(site: Site, file: &FixFile) -> Site {
    match (file.path.as_deref(), file.place) {
        (Some(path), Some(Placement::Header)) if path.starts_with('/') => {
            file.content.lines().fold(site, |site, line| {
                let (name, value) = line.split_once(": ").expect("a header field");
                site.editing(path, |reply| set_header(reply, name, value, false))
            })
        }
        (Some(path), None) if path.starts_with('/') => {
            let before = site.body_of(path).unwrap_or_default();
            let body = match file.mode {
                FileMode::Create => file.content.clone(),
                FileMode::Append => before + &file.content,
                FileMode::Replace => replaced(&before, file),
            };
            site.with(path, Reply::new(&file.media_type, body))
        }
        // Rules of servers are applied by what they do; real servers run them in other tests.
        (Some(_), None) => site,
        // What the editor of a site builder holds.
        (None, Some(Placement::RobotsTxt)) => {
            let path = Some("/robots.txt".to_owned());
            with_file(site, &FixFile { path, place: None, ..file.clone() })
        }
        (None, Some(place)) => {
            let file = file.clone();
            let content = &file.content;
            site.editing_home(|reply| match place {
                Placement::Head | Placement::HtmlElement | Placement::Main => {
                    edit_page(reply, |html| pasted(html, &file));
                }
                Placement::Header => {
                    let line = content.trim();
                    let (name, value) = line.split_once(':').expect("a header field");
                    set_header(reply, name, value.trim(), file.mode == FileMode::Replace);
                }
                _ => {}
            })
        }
        other => panic!("a generic fix has no file like {other:?}"),
    }
}

fn with_edit(site: Site, edit: &Edit, fill: &impl Fn(&str) -> String) -> Site {
    match edit {
        Edit::Server { rule } => with_rule(site, rule),
        Edit::Firewall { .. } => site.without_wall(),
        Edit::Build { what, url } => {
            let url = fill(url);
            if url.starts_with('[') {
                return site;
            }
            match what {
                Build::ApiDescription => {
                    let body = r#"{"openapi":"3.1.0","info":{"title":"Orders","version":"4"},"paths":{"/orders":{"get":{"responses":{}}}}}"#;
                    site.with(&url, Reply::json(body))
                }
                Build::McpServer | Build::A2aAgent | Build::UcpService => {
                    site.with(&url, Reply::json("{}").status(405))
                }
                Build::AuthorizationServer => site.with(&url, Reply::html("<h1>Sign in</h1>")),
            }
        }
        Edit::Code { task: Task::RenderOnServer } => {
            let render = |reply: &mut Reply| edit_page(reply, rendered);
            // What renders one page renders all.
            site.rewritten(|reply| {
                let is_page = reply.status == 200 && is_html(reply);
                if is_page {
                    render(reply);
                }
            })
        }
        Edit::Code { task: Task::AnswerFaster } => site.answering_after(250),
        _ => site,
    }
}

fn with_rule(site: Site, rule: &ServerRule) -> Site {
    match rule {
        ServerRule::NotFound => site.with_honest_files(),
        ServerRule::Redirects { names, canonical } => {
            let target = format!("https://{canonical}/");
            names.iter().fold(site, |site, name| {
                let site = site.with(&format!("http://{name}/"), Reply::redirect(301, &target));
                if name == canonical {
                    site
                } else {
                    site.with(&format!("https://{name}/"), Reply::redirect(301, &target))
                }
            })
        }
        ServerRule::Certificate { names } => {
            let first = names.first().cloned().unwrap_or_default();
            site.with_certificate(&first)
        }
        ServerRule::Markdown { .. } => {
            let body = site.body_of("/index.md").unwrap_or_default();
            let reply = Reply::new("text/markdown; charset=utf-8", body).header("vary", "Accept");
            let home = site.home_path();
            site.editing_home(|reply| set_header(reply, "vary", "Accept", false)).accepting(
                &home,
                "text/markdown",
                reply,
            )
        }
        ServerRule::Compression => {
            site.editing_home(|reply| set_header(reply, "content-encoding", "gzip", true))
        }
        ServerRule::Caching => site,
    }
}

fn set_header(reply: &mut Reply, name: &str, value: &str, replace: bool) {
    if replace || name.eq_ignore_ascii_case("content-type") {
        reply.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
    }
    if !value.is_empty() {
        reply.headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
}

fn edit_page(reply: &mut Reply, edit: impl Fn(&str) -> String) {
    let html = std::str::from_utf8(&reply.body).expect("UTF-8");
    reply.body = edit(html).into_bytes();
}

/// A page with what a file says at the place that it names.
///
/// # Panics
///
/// If the file has another place than the page, or quotes what the page does not have.
pub fn pasted(html: &str, file: &FixFile) -> String {
    let content = &file.content;
    match file.place {
        Some(Placement::Head) if file.mode == FileMode::Replace => replaced(html, file),
        Some(Placement::Head) => {
            let at = html.find("</head>").or_else(|| html.find("<body")).unwrap_or_default();
            format!("{}{content}{}", &html[..at], &html[at..])
        }
        Some(Placement::HtmlElement) => match html.find("<html") {
            Some(start) => {
                let end = start + html[start..].find('>').expect("a whole tag") + 1;
                format!("{}{content}{}", &html[..start], &html[end..])
            }
            None => format!("{content}{html}"),
        },
        Some(Placement::Main) => after_tag(html, &MAIN, content),
        other => panic!("{other:?} is not in the page"),
    }
}

/// A text with what a file quotes replaced, on the line that it names.
///
/// # Panics
///
/// If the text does not have there what is quoted.
pub fn replaced(text: &str, file: &FixFile) -> String {
    let old = file.replaces.as_ref().unwrap_or_else(|| panic!("nothing is quoted: {file:?}"));
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let start = std::iter::once(0).chain(ends).nth(old.line - 1);
    let start = start.unwrap_or_else(|| panic!("no line {} in {text}", old.line));
    let at = text[start..].find(&old.content).map(|at| start + at);
    let at = at.unwrap_or_else(|| panic!("{:?} is not in {text}", old.content));
    let on_line = text[start..at].matches('\n').count();
    assert_eq!(on_line, 0, "{:?} does not begin on line {}", old.content, old.line);
    format!("{}{}{}", &text[..at], file.content, &text[at + old.content.len()..])
}

fn is_html(reply: &Reply) -> bool {
    let is_type =
        |(name, value): &(String, String)| name == "content-type" && value.starts_with("text/html");
    reply.headers.iter().any(is_type)
}

/// A page whose scripts are run by the server.
pub fn rendered(html: &str) -> String {
    let text = "<p>Everything that the scripts showed is now in the page. </p>\n".repeat(40);
    if html.contains(&text) { html.to_owned() } else { after_tag(html, &MAIN, &text) }
}

/// A page with a text behind the first of these tags, or at its end.
fn after_tag(html: &str, tags: &[&str], content: &str) -> String {
    let at = tags.iter().find_map(|tag| html.find(tag).map(|at| at + tag.len()));
    let (before, behind) = html.split_at(at.unwrap_or(html.len()));
    format!("{before}{content}{behind}")
}

/// The requests that a report rests on, for messages of tests.
pub fn statuses(site: &Site, resources: &[Resource]) -> String {
    let snapshot = site.scan().expect("a scan");
    let of = |resource: &Resource| match snapshot.fetch_result(resource) {
        Some(Ok(response)) => format!("{resource:?}: {}", response.status),
        Some(Err(error)) => format!("{resource:?}: {error}"),
        None => format!("{resource:?}: not sent"),
    };
    resources.iter().map(of).collect::<Vec<_>>().join(", ")
}
