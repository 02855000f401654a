//! `page-metadata`: what a page says about itself before its text begins.
//!
//! Six items count: title, description, language, canonical URL, Open Graph title and image, and
//! one first-level heading.

use std::collections::BTreeSet;

use url::Url;

use crate::fetch::{BodyEnd, Resource, Response};
use crate::page::language::Language;
use crate::page::{Located, Page, language_tag};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::{Edit, Fix, ReplacedText};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::draft;
use crate::scan::home;
use crate::scan::snapshot::SiteSnapshot;
use crate::text::excerpt::excerpt;
use crate::text::note::Note;
use crate::text::placeholder;

pub(super) const CHECK: Check = Check {
    id: "page-metadata",
    category: Category::Content,
    weight: 4,
    maturity: Maturity::Standard,
    effort: Effort::S,
    surfaces: &[],
    outcomes: &[
        API_HOST,
        COMPLETE,
        PARTIAL,
        POOR,
        NO_TITLE,
        NO_DESCRIPTION,
        NO_LANG,
        BAD_LANG,
        NO_CANONICAL,
        RELATIVE_CANONICAL,
        SEVERAL_CANONICALS,
        FOREIGN_CANONICAL,
        NO_OPEN_GRAPH,
        NO_HEADING,
        SEVERAL_HEADINGS,
        BAD_HREFLANG,
        CUT,
        UNREADABLE,
    ],
    covers: &["Open Graph"],
    specs: &[
        Spec {
            name: "HTML",
            url: "https://html.spec.whatwg.org/multipage/semantics.html#document-metadata",
        },
        Spec { name: "RFC 6596", url: "https://www.rfc-editor.org/rfc/rfc6596" },
        Spec { name: "RFC 5646", url: "https://www.rfc-editor.org/rfc/rfc5646" },
        Spec { name: "Open Graph", url: "https://ogp.me/" },
    ],
    evaluate,
};

const API_HOST: Outcome = Outcome::not_applicable("api-host");
const COMPLETE: Outcome = Outcome::pass("complete");
const PARTIAL: Outcome = Outcome::warn("partial");
const POOR: Outcome = Outcome::fail("poor");
const NO_TITLE: Outcome = Outcome::warn("no-title");
const NO_DESCRIPTION: Outcome = Outcome::warn("no-description");
const NO_LANG: Outcome = Outcome::warn("no-lang");
const BAD_LANG: Outcome = Outcome::warn("bad-lang");
const NO_CANONICAL: Outcome = Outcome::warn("no-canonical");
const RELATIVE_CANONICAL: Outcome = Outcome::warn("relative-canonical");
const SEVERAL_CANONICALS: Outcome = Outcome::warn("several-canonicals");
const FOREIGN_CANONICAL: Outcome = Outcome::warn("foreign-canonical");
const NO_OPEN_GRAPH: Outcome = Outcome::warn("no-open-graph");
const NO_HEADING: Outcome = Outcome::warn("no-heading");
const SEVERAL_HEADINGS: Outcome = Outcome::warn("several-headings");
const BAD_HREFLANG: Outcome = Outcome::warn("bad-hreflang");
const CUT: Outcome = Outcome::unknown("cut");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

/// What the end of a page can still bring.
const ABSENCES: [Outcome; 6] =
    [NO_TITLE, NO_DESCRIPTION, NO_LANG, NO_CANONICAL, NO_OPEN_GRAPH, NO_HEADING];

/// Items that count.
const ITEMS: usize = 6;
/// Items that make a page complete, if title and canonical URL are among them.
const ENOUGH_ITEMS: usize = 5;
/// Items that are worth half.
const SOME_ITEMS: usize = 3;
/// Canonical URLs that are compared.
const MAX_CANONICALS: usize = 100;

fn evaluate(site: &SiteSnapshot) -> Finding {
    if home::is_for_programs(site) {
        return Finding::new(API_HOST.detected()).with_evidence(site.evidence(&Resource::Home));
    }
    let (Some(home), Some(page)) = (site.home(), site.page()) else {
        return Finding::new(UNREADABLE.detected()).with_evidence(site.evidence(&Resource::Home));
    };
    let items = [
        ("title", title(page)),
        ("description", description(page)),
        ("lang", lang(page)),
        ("canonical", canonical(site, home, page)),
        ("og:title, og:image", open_graph(page)),
        ("h1", heading(page)),
    ];
    let is_whole = home.body_end == BodyEnd::Complete;
    let is_unseen = |problem: &Detection| !is_whole && ABSENCES.contains(&problem.outcome);
    let names = |counts: &dyn Fn(&Detection) -> bool| -> Vec<&'static str> {
        let problems = items.iter().filter(|(_, problem)| problem.as_ref().is_some_and(counts));
        problems.map(|(name, _)| *name).collect()
    };
    let missing = names(&|_| true);
    let wrong = names(&|problem| !is_unseen(problem));
    // What a person has still to fill in is not done, however much else is.
    let is_unfilled = has_placeholder(page);
    let rank = |missing: &[&str]| match rank(missing) {
        COMPLETE if is_unfilled => PARTIAL,
        outcome => outcome,
    };
    let outcome = rank(&missing);
    let is_certain = outcome == rank(&wrong);
    let absent = names(&|problem| ABSENCES.contains(&problem.outcome));
    let faulty = names(&|problem| !ABSENCES.contains(&problem.outcome));
    let named = if missing.is_empty() { "-".to_owned() } else { missing.join(", ") };
    let cut = || CUT.with("bytes", home.body.len());
    let decisive = if is_certain { outcome.detected() } else { cut() };
    let decisive = decisive.with("count", items.len() - missing.len()).with("missing", named);
    let decisive = decisive.with_note("lacking", lacking(&absent, &faulty));
    let fix = fix(site, home, page, &wrong);
    let mut finding = Finding::new(decisive);
    for problem in items.into_iter().filter_map(|(_, problem)| problem) {
        finding =
            finding.with_detection_if_any(Some(problem).filter(|problem| !is_unseen(problem)));
    }
    finding =
        finding.with_detection_if_any(hreflang(home, page)).with_evidence(evidence(home, page));
    finding.with_fix_if_any(fix.filter(|_| is_certain))
}

/// The items that are not there, and those that are there and wrong.
fn lacking(absent: &[&str], faulty: &[&str]) -> Note {
    let note = match (absent.is_empty(), faulty.is_empty()) {
        (true, true) => return Note::new("items-all-right"),
        (false, true) => Note::new("items-missing"),
        (true, false) => Note::new("items-faulty"),
        (false, false) => Note::new("items-missing-and-faulty"),
    };
    note.with("missing", absent.join(", ")).with("faulty", faulty.join(", "))
}

/// What a page is worth that lacks these of the six items.
fn rank(missing: &[&str]) -> Outcome {
    let basics = !missing.iter().any(|name| matches!(*name, "title" | "canonical"));
    match ITEMS.saturating_sub(missing.len()) {
        ENOUGH_ITEMS.. if basics => COMPLETE,
        SOME_ITEMS.. => PARTIAL,
        _ => POOR,
    }
}

fn title(page: &Page) -> Option<Detection> {
    present(page.title.as_ref()).is_none().then(|| NO_TITLE.detected())
}

fn description(page: &Page) -> Option<Detection> {
    present(page.description.as_ref()).is_none().then(|| NO_DESCRIPTION.detected())
}

fn lang(page: &Page) -> Option<Detection> {
    match present(page.lang.as_ref()) {
        None => Some(NO_LANG.detected()),
        Some(lang) if language_tag::is_known(&lang.value) => None,
        Some(lang) => Some(BAD_LANG.with("value", &lang.value)),
    }
}

/// RFC 6596: one canonical URL, absolute here, and of this site.
fn canonical(site: &SiteSnapshot, home: &Response, page: &Page) -> Option<Detection> {
    let named = canonicals(site, page);
    let Some(first) = named.first() else { return Some(NO_CANONICAL.detected()) };
    let resolve = page.resolver(&home.url);
    let targets: BTreeSet<Url> =
        named.iter().take(MAX_CANONICALS).filter_map(|reference| resolve(reference)).collect();
    if targets.len() > 1 {
        return Some(SEVERAL_CANONICALS.with("count", targets.len()));
    }
    match Url::parse(first) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            Some(FOREIGN_CANONICAL.with("url", first))
        }
        Ok(url) => (!site.owns(&url)).then(|| FOREIGN_CANONICAL.with("url", first)),
        Err(_) => Some(RELATIVE_CANONICAL.with("url", first)),
    }
}

/// Canonical URLs as written, of `<link>` elements and of `Link` fields.
fn canonicals(site: &SiteSnapshot, page: &Page) -> Vec<String> {
    let elements = page.canonicals().map(|link| link.href.clone());
    let header = site.home_links().iter().filter(|link| link.rels.iter().any(|r| r == "canonical"));
    elements.chain(header.map(|link| link.target.clone())).filter(|url| !url.is_empty()).collect()
}

fn open_graph(page: &Page) -> Option<Detection> {
    let missing = missing_open_graph(page);
    (!missing.is_empty()).then(|| NO_OPEN_GRAPH.with("missing", missing.join(", ")))
}

fn missing_open_graph(page: &Page) -> Vec<&'static str> {
    ["og:title", "og:image"]
        .into_iter()
        .filter(|key| page.metas(key).all(|meta| !is_filled(&meta.content)))
        .collect()
}

fn heading(page: &Page) -> Option<Detection> {
    match page.h1s().count() {
        0 => Some(NO_HEADING.detected()),
        1 => None,
        count => Some(SEVERAL_HEADINGS.with("count", count)),
    }
}

/// Language versions are optional; those that are named must be right.
fn hreflang(home: &Response, page: &Page) -> Option<Detection> {
    let resolve = page.resolver(&home.url);
    let bad = page.hreflangs().find(|link| {
        let Some(tag) = link.hreflang.as_deref() else { return false };
        let known = tag.eq_ignore_ascii_case("x-default") || language_tag::is_version(tag);
        !known || link.href.is_empty() || resolve(&link.href).is_none()
    })?;
    let tag = bad.hreflang.as_deref().unwrap_or_default();
    Some(BAD_HREFLANG.with("value", tag).with("line", bad.line))
}

fn present(value: Option<&Located<String>>) -> Option<&Located<String>> {
    value.filter(|located| is_filled(&located.value))
}

/// Whether a fix was pasted before its placeholders were filled.
fn has_placeholder(page: &Page) -> bool {
    let located = [&page.title, &page.description, &page.lang].into_iter().flatten();
    let metas = page.metas("og:title").chain(page.metas("og:image"));
    located
        .map(|located| located.value.as_str())
        .chain(metas.map(|meta| meta.content.as_str()))
        .any(placeholder::is_placeholder)
}

/// Whether a value says something: it is not empty and not a placeholder of a fix.
fn is_filled(value: &str) -> bool {
    !value.trim().is_empty() && !placeholder::is_placeholder(value)
}

/// What was read, item by item, with lines and lengths.
fn evidence(home: &Response, page: &Page) -> Vec<Evidence> {
    let located = |name, value: Option<&Located<String>>| {
        value.map(|located| (name, located.line, located.value.clone()))
    };
    let meta = |key| page.metas(key).next().map(|meta| (key, meta.line, meta.content.clone()));
    let link = page.canonicals().next();
    let h1 = page.h1s().next();
    let items = [
        located("title", page.title.as_ref()),
        located("description", page.description.as_ref()),
        located("lang", page.lang.as_ref()),
        link.map(|link| ("canonical", link.line, link.href.clone())),
        meta("og:title"),
        meta("og:image"),
        h1.map(|heading| ("h1", heading.line, heading.text.clone())),
    ];
    let found: Vec<Evidence> = items
        .into_iter()
        .flatten()
        .map(|(name, line, value)| {
            let chars = value.chars().count();
            let note =
                Note::new("metadata").with("name", name).with("line", line).with("chars", chars);
            Evidence::from_response(home).note(note).quote(&value)
        })
        .collect();
    if found.is_empty() { vec![Evidence::from_response(home)] } else { found }
}

/// Elements for the items that are missing, from what the page says; placeholders for what it does
/// not say.
fn fix(site: &SiteSnapshot, home: &Response, page: &Page, missing: &[&str]) -> Option<Fix> {
    let name = draft::escaped(&draft::site_name(site));
    let mut fix = Fix::default();
    let mut head = HeadElements::new(home);
    for item in missing {
        match *item {
            "title" => {
                let line = page.title.as_ref().map(|old| old.line);
                head.put(format!("<title>{name}</title>"), "", line);
            }
            "description" => {
                let text = draft::description_or_text(site);
                let text = if text.is_empty() {
                    fix = fix.with_input("DESCRIPTION", "What the site is about, in one sentence.");
                    placeholder::placeholder("DESCRIPTION")
                } else {
                    draft::escaped(&text)
                };
                let line = page.description.as_ref().map(|old| old.line);
                head.put(format!(r#"<meta name="description" content="{text}">"#), item, line);
            }
            "lang" => {
                let known = language(page);
                if known.is_none() {
                    fix = fix.with_input("LANGUAGE", "en");
                }
                let code =
                    known.map_or_else(|| placeholder::placeholder("LANGUAGE"), str::to_owned);
                fix = fix.and(Edit::HtmlElement { content: format!(r#"<html lang="{code}">"#) });
            }
            "canonical" => {
                let url = draft::escaped(&excerpt(home.url.as_str()));
                let line = page.links(item).next().map(|old| old.line);
                head.put(format!(r#"<link rel="canonical" href="{url}">"#), item, line);
            }
            // One of several headings has to be chosen, and the others made smaller, by hand.
            "h1" if page.h1s().next().is_some() => {}
            "h1" => fix = fix.and(Edit::Main { content: format!("<h1>{name}</h1>\n") }),
            _ => fix = with_open_graph(fix, site, page, &name, &mut head),
        }
    }
    let rest = std::mem::take(&mut fix.edits);
    fix.edits = head.edits().chain(rest).collect();
    (!fix.edits.is_empty()).then_some(fix)
}

/// The Open Graph properties that are missing.
fn with_open_graph(
    mut fix: Fix,
    site: &SiteSnapshot,
    page: &Page,
    name: &str,
    head: &mut HeadElements,
) -> Fix {
    for key in missing_open_graph(page) {
        let content = if key == "og:title" {
            name.to_owned()
        } else {
            let example = format!("{}preview.png", site.origin());
            fix = fix.with_input("PREVIEW_IMAGE_URL", example);
            placeholder::placeholder("PREVIEW_IMAGE_URL")
        };
        let line = page.metas(key).next().map(|old| old.line);
        head.put(format!(r#"<meta property="{key}" content="{content}">"#), key, line);
    }
    fix
}

/// Elements for a head: each in the place of one of its kind, or together at its end.
struct HeadElements {
    html: String,
    added: String,
    replacing: Vec<Edit>,
}

impl HeadElements {
    fn new(home: &Response) -> Self {
        let html = home.text().into_owned();
        Self { html, added: String::new(), replacing: Vec::new() }
    }

    /// Adds an element, or puts it in the place of the one on this line that has this value of an attribute.
    fn put(&mut self, element: String, value: &str, line: Option<usize>) {
        let name = element.trim_start_matches('<').split([' ', '>']).next().unwrap_or_default();
        let old = match line {
            None if name == "title" => ReplacedText::empty_title(&self.html),
            line => line.and_then(|line| ReplacedText::element(&self.html, line, name, value)),
        };
        match old {
            Some(_) => self.replacing.push(Edit::replace_in_head(element, old)),
            None => self.added.extend([element.as_str(), "\n"]),
        }
    }

    fn edits(self) -> impl Iterator<Item = Edit> {
        let added = (!self.added.is_empty()).then(|| Edit::add_to_head(self.added));
        added.into_iter().chain(self.replacing)
    }
}

/// The language that the visible text is written in, as far as it can be recognized.
fn language(page: &Page) -> Option<&'static str> {
    Language::detect_in_text(&page.visible_text).code
}
