//! Real pages with labels, and what an audit may propose for them.
//!
//! The pages stay outside of the repository: a folder has them as `html/ID.html.gz` and their labels as
//! `truth/ID.json`, in the form of the Web Content eXtraction Benchmark.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use chrono::DateTime;
use flate2::read::GzDecoder;
use serde_json::Value;
use visibility_core::audit::profile::Profile;
use visibility_core::audit::report::AuditReport;
use visibility_core::audit::request::AuditRequest;
use visibility_core::audit::result::{AuditFixResult, AuditResult};
use visibility_core::audit::snapshot::{AuditId, PageSnapshot};
use visibility_core::documents::robots::RobotsFile;
use visibility_core::fetch::Response;
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::page::Document;
use visibility_core::text::locale::Lang;

use crate::fixes::Inputs;
use crate::fixes::page::{Source, applied};

/// When the last pages were collected, about: 2026-03-15.
const COLLECTED: i64 = 1_773_532_800;

/// A page with its labels.
#[derive(Clone, Debug)]
pub struct LabelledPage {
    /// Name of its files.
    pub id: String,
    /// The kind that people gave it.
    pub kind: String,
    /// The URL of the page.
    pub url: String,
    /// The bytes of the page.
    pub html: Vec<u8>,
    /// All labels.
    pub labels: Value,
}

/// The pages of a folder whose labels need no review and have a text, by name.
///
/// # Errors
///
/// A folder or file that cannot be read, or labels that are no JSON.
pub fn pages(folder: &Path) -> io::Result<Vec<LabelledPage>> {
    let mut names: Vec<_> = fs::read_dir(folder.join("truth"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    names.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    names.sort();
    let read = |path: &Path| -> io::Result<LabelledPage> {
        let labels: Value = serde_json::from_slice(&fs::read(path)?)?;
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut html = Vec::new();
        let file = folder.join("html").join(format!("{id}.html.gz"));
        GzDecoder::new(File::open(file)?).read_to_end(&mut html)?;
        let text = |path| labels.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let kind = text("/_internal/page_type/primary").to_owned();
        let url = text("/url").to_owned();
        Ok(LabelledPage { id, kind, url, html, labels })
    };
    let mut pages = Vec::with_capacity(names.len());
    for path in &names {
        let page = read(path)?;
        let text = page.labels.pointer("/ground_truth/main_content").and_then(Value::as_str);
        let needs_review = page.labels.pointer("/_internal/needs_review") == Some(&true.into());
        if !needs_review && text.is_some_and(|text| !text.is_empty()) {
            pages.push(page);
        }
    }
    Ok(pages)
}

impl LabelledPage {
    /// What an audit says of it, as if it had been fetched from its address.
    pub fn audit(&self) -> AuditResult {
        audit(&self.url, &self.html, None)
    }

    /// What an audit says of it if a user chose its kind.
    pub fn audit_by_its_kind(&self) -> AuditResult {
        audit(&self.url, &self.html, self.profile())
    }

    /// Its kind by the name that audits have for it.
    pub fn profile(&self) -> Option<Profile> {
        Profile::from_wire(if self.kind == "service" { "landing" } else { &self.kind })
    }

    /// The page with a fix pasted into it, its placeholders filled; `None` for a fix that is not for the page
    /// itself, or that has no place in it which a program finds.
    #[must_use]
    pub fn with_fix(&self, result: &AuditResult, fix: &AuditFixResult) -> Option<Self> {
        let mut fix = fix.clone();
        let collected = DateTime::from_timestamp(COLLECTED, 0)?.date_naive().to_string();
        let name = result.page.as_ref()?.title.clone().unwrap_or_default();
        for file in &mut fix.files {
            for date in ["[DATE]", "[DATE_MODIFIED]", "[DATE_PUBLISHED]"] {
                file.content = file.content.replace(date, &collected);
            }
            file.content = file.content.replace("[NAME]", name.split(['|', '"']).next()?.trim());
        }
        let html = String::from_utf8(self.html.clone()).ok()?;
        let source = Source { html, headers: Vec::new(), robots: String::new(), lastmod: None };
        let fixed = applied(&source, &fix, Inputs::Filled).ok()?;
        (fixed.html != source.html).then(|| Self { html: fixed.html.into_bytes(), ..self.clone() })
    }

    /// What a fix for it says that it must not: a type that pages of this kind do not get, or a value that
    /// the page does not state.
    pub fn inventions(&self, result: &AuditResult) -> Vec<String> {
        let allowed = allowed_types(&self.kind);
        let mut found = Vec::new();
        for (code, object) in proposals(result) {
            let kind = object.get("@type").and_then(Value::as_str).unwrap_or_default();
            if code == "SD02" && !allowed.contains(&kind) {
                found.push(format!("{code} proposes {kind} for {}", self.kind));
            }
        }
        found.extend(unstated(&self.html, result));
        found
    }
}

/// What an audit says of a page that came from this address, of this kind if a user chose one.
fn audit(url: &str, html: &[u8], profile: Option<Profile>) -> AuditResult {
    let url: PageUrl =
        url.parse().unwrap_or_else(|_| "https://example.com/page".parse().expect("an address"));
    let mut response = Response::new(url.as_url().clone(), 200, html.to_vec())
        .with_header("content-type", "text/html; charset=utf-8");
    (response.ttfb_ms, response.total_ms) = (50, 80);
    let request = AuditRequest {
        id: AuditId::from_bits(1),
        url,
        taken_at: DateTime::from_timestamp(COLLECTED, 0).expect("a time"),
        user_agent: "VisibilityBot/0.1.0".to_owned(),
        profile,
    };
    let mut snapshot = PageSnapshot::new(&request, Ok(response));
    snapshot.robots = Some(RobotsFile::from_text(b"User-agent: *\nAllow: /\n"));
    AuditReport::evaluate(&snapshot).result(Lang::En)
}

/// Types that a page of a kind may be said to be.
pub fn allowed_types(kind: &str) -> &'static [&'static str] {
    match kind {
        "article" => &["Article"],
        // A manual may be one of an author.
        "documentation" => &["TechArticle", "Article"],
        "forum" => &["DiscussionForumPosting"],
        "product" => &["Product"],
        "collection" | "listing" => &["CollectionPage"],
        "service" | "landing" => &["Service", "SoftwareApplication"],
        _ => &[],
    }
}

/// JSON-LD that fixes propose as a whole, with the codes of their signals.
pub fn proposals(result: &AuditResult) -> Vec<(&str, Value)> {
    let whole = |snippet: &str| {
        let json = snippet.split_once('>')?.1.rsplit_once("</script>")?.0;
        let value: Value = serde_json::from_str(json).ok()?;
        Some(match value.get("@graph").and_then(Value::as_array) {
            Some(all) => all.clone(),
            None => vec![value],
        })
    };
    let scripts = result.fixes.iter().filter_map(|fix| {
        let snippet = fix.snippet.as_deref().filter(|text| text.starts_with("<script"))?;
        Some((fix.code.as_str(), whole(snippet)?))
    });
    scripts.flat_map(|(code, all)| all.into_iter().map(move |value| (code, value))).collect()
}

/// Values of proposed markup that are neither placeholders nor stated by the page.
pub fn unstated(html: &[u8], result: &AuditResult) -> Vec<String> {
    let document = Document::parse(html, Some("text/html; charset=utf-8"));
    let page = document.page();
    let metas = page.metas.iter().map(|meta| meta.content.as_str());
    let anchors = page.anchors.iter().map(|anchor| anchor.text.as_str());
    let source = String::from_utf8_lossy(html);
    let mut stated: String = [page.visible_text.as_str(), &source]
        .into_iter()
        .chain(metas)
        .chain(anchors)
        .chain(page.title.iter().map(|title| title.value.as_str()))
        .map(plain)
        .collect::<Vec<_>>()
        .join("\n");
    for block in &document.content().blocks {
        stated.push('\n');
        stated.push_str(&plain(&block.text));
    }
    let mut found = Vec::new();
    for (code, object) in proposals(result) {
        let mut open = vec![("", &object)];
        while let Some((key, value)) = open.pop() {
            match value {
                Value::Object(object) => {
                    open.extend(object.iter().map(|(key, value)| (key.as_str(), value)));
                }
                Value::Array(all) => open.extend(all.iter().map(|value| (key, value))),
                Value::String(text) if *text != result.url && !is_stated(key, text, &stated) => {
                    found.push(format!("{code} says {key} {text:?}, and the page does not"));
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether the page has a value, as far as a program can say.
fn is_stated(key: &str, text: &str, stated: &str) -> bool {
    let is_made =
        key.starts_with('@') || text.contains('[') || text.starts_with("https://schema.org/");
    // An address is made absolute; the page has its last part.
    let needle = match key {
        "url" | "image" | "logo" | "sameAs" | "mainEntityOfPage" | "item" => {
            let path = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            // What is encoded there may be unencoded here: the longest part of the rest is enough.
            let parts = path.split(['?', '%']).max_by_key(|part| part.len());
            parts.unwrap_or_default().to_owned()
        }
        "price" => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => text.to_owned(),
    };
    is_made
        || key == "url"
        || key == "priceCurrency"
        || stated.contains(&plain(&needle))
        // An offset gets the colon of its time.
        || (key.starts_with("date") && text.rsplit_once(':').is_some_and(|(before, after)| {
            stated.contains(&plain(&format!("{before}{after}")))
        }))
        || (key == "price" && stated.replace([',', '.'], "").contains(&needle.replace('.', "")))
}

/// A text without the differences that markup, encodings and white space make.
fn plain(text: &str) -> String {
    let text = text.replace("&amp;", "&");
    let text = text.replace(|ch: char| ch.is_control() || ch == '\u{ad}', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
