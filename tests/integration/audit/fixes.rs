//! Every fix of an audit is applied to the page, which is audited again.

use std::collections::BTreeMap;

use visibility_core::audit::report::AuditReport;
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::snapshot::SitemapState;
use visibility_core::documents::sitemap::SitemapEntry;
use visibility_core::rubric::finding::Verdict;
use visibility_core::text::locale::Lang;
use visibility_tests::fixes::Inputs;
use visibility_tests::fixes::page::{Source, applied};
use visibility_tests::pages;

use super::judged::Served;

/// How far a promise and what comes of it may be apart, in points.
const TOLERANCE: f64 = 0.5;

/// A page of the fixtures without something, or with something that should not be there.
struct Case {
    name: String,
    url: &'static str,
    source: Source,
}

impl Case {
    fn new(name: &str, url: &'static str, html: String) -> Self {
        let source = Source {
            html,
            headers: vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())],
            robots: "User-agent: *\nAllow: /\n".to_owned(),
            lastmod: Some("2026-11-03T00:00:00Z".to_owned()),
        };
        Self { name: name.to_owned(), url, source }
    }

    fn judged(&self, source: &Source) -> AuditResult {
        let served = Served {
            headers: source.headers.clone(),
            ..Served::new(self.url, source.html.clone()).robots(&source.robots)
        };
        let mut snapshot = served.snapshot();
        let sitemap = "https://shop.example.com/sitemap.xml".to_owned();
        snapshot.sitemap = match &source.lastmod {
            None => SitemapState::Unlisted { url: sitemap },
            Some(lastmod) => {
                let day = || format!("{lastmod}T00:00:00Z").parse();
                let lastmod = lastmod.parse().or_else(|_| day()).ok();
                let bad_lastmod = lastmod.is_none();
                let entry = SitemapEntry { loc: self.url.to_owned(), lastmod, bad_lastmod };
                SitemapState::Listed { url: sitemap, entry }
            }
        };
        AuditReport::evaluate(&snapshot).result(Lang::En)
    }
}

/// The text without what is between two marks, each time.
fn without(html: &str, start: &str, end: &str) -> String {
    let mut html = html.to_owned();
    while let Some(at) = html.find(start) {
        let rest = html.get(at..).expect("a place in the text");
        let length = rest.find(end).expect("an end") + end.len();
        html.replace_range(at..at + length, "");
    }
    html
}

/// A change of a page.
type Change = (&'static str, fn(&mut Source));

const CHANGES: [Change; 36] = [
    ("whole", |_| {}),
    ("no JSON-LD", |page| {
        page.html = without(&page.html, "<script type=\"application", "</script>");
    }),
    ("broken JSON-LD", |page| page.html = page.html.replacen("\",\"", "\",,\"", 1)),
    ("no currency", |page| page.html = page.html.replace("\"priceCurrency\":\"EUR\",", "")),
    ("other price", |page| {
        page.html = page.html.replace("\"price\":\"349.00\"", "\"price\":\"299.00\"");
    }),
    ("no sku", |page| page.html = page.html.replace("\"sku\":\"NB-AUR-850\",", "")),
    ("no organization", |page| page.html = page.html.replace("\"Organization\"", "\"Thing\"")),
    ("no breadcrumbs", |page| page.html = page.html.replace("\"BreadcrumbList\"", "\"Thing\"")),
    ("no author", |page| {
        page.html = page.html.replace("\"author\":", "\"x\":");
        page.html = without(&page.html, "<p>By <a", "</p>");
    }),
    ("no title", |page| page.html = without(&page.html, "<title>", "</title>")),
    ("a title that says nothing", |page| {
        page.html = without(&page.html, "<title>", "</title>")
            .replace("</head>", "<title>Home</title></head>");
    }),
    ("no description", |page| page.html = without(&page.html, "<meta name=\"description\"", ">")),
    ("no canonical URL", |page| page.html = without(&page.html, "<link rel=\"canonical\"", ">")),
    ("another canonical URL", |page| {
        page.html = page
            .html
            .replace("rel=\"canonical\" href=\"https://", "rel=\"canonical\" href=\"https://www.");
    }),
    ("noindex", |page| {
        page.html =
            page.html.replace("content=\"max-snippet:-1", "content=\"noindex, max-snippet:-1");
    }),
    ("noindex in the header", |page| {
        page.headers.push(("x-robots-tag".to_owned(), "noindex".to_owned()));
    }),
    ("nosnippet", |page| {
        page.html = page.html.replace("content=\"max-snippet:-1", "content=\"nosnippet");
    }),
    ("short snippets", |page| page.html = page.html.replace("max-snippet:-1", "max-snippet:20")),
    ("bots kept out", |page| page.robots = "User-agent: *\nDisallow: /\n".into()),
    ("one bot kept out", |page| {
        page.robots = "User-agent: OAI-SearchBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n".into();
    }),
    ("not in the sitemap", |page| page.lastmod = None),
    ("no language", |page| page.html = page.html.replace("<html lang=\"en\">", "<html>")),
    ("another language", |page| {
        page.html = page
            .html
            .replace("<html lang=\"", "<html lang=\"fi-")
            .replace("fi-en", "fi")
            .replace("fi-tr", "fi");
    }),
    ("no card", |page| page.html = without(&page.html, "<meta property=\"og:", ">")),
    ("no heading", |page| page.html = without(&page.html, "<h1>", "</h1>")),
    ("filler first", |page| {
        page.html = page.html.replacen(
            "</h1>",
            "</h1><p>Welcome to our website, where we are always happy to see you again.</p>",
            1,
        );
    }),
    ("no tables", |page| page.html = without(&page.html, "<table>", "</table>")),
    ("lines", |page| {
        page.html = without(&without(&page.html, "<table>", "</table>"), "<ul>", "</ul>").replacen(
            "</main>",
            "<section><p class=\"line\">Weight: 480 g</p><p>Size: 3 liters</p><p>Color: blue</p>\
             <p>Shell: nylon</p></section></main>",
            1,
        );
    }),
    ("no price", |page| {
        page.html =
            page.html.replace("349.00 EUR", "a fair price").replace("\"price\":\"349.00\",", "");
    }),
    ("a price in the markup only", |page| {
        page.html = page.html.replace("349.00 EUR", "a fair price");
    }),
    ("no stock", |page| {
        page.html = page.html.replace("In stock", "Made well").replace("in stock", "made well");
    }),
    ("no dates", |page| {
        page.html = without(&page.html, "<time", "</time>");
        for key in [
            "\"dateModified\":",
            "\"datePublished\":",
            "article:modified_time",
            "article:published_time",
        ] {
            page.html = page.html.replace(key, "\"x\":");
        }
    }),
    ("old dates", |page| {
        page.html = page.html.replace("2026-", "2019-").replace(" 2026</time>", " 2019</time>");
    }),
    ("no alternative texts", |page| {
        page.html = page.html.replace("\" alt=\"", "\" data-x=\"");
    }),
    ("hidden text", |page| {
        let text = "The down comes from geese that are kept outside. ".repeat(36);
        page.html = page.html.replacen("</main>", &format!("<div hidden>{text}</div></main>"), 1);
    }),
    ("videos", |page| {
        page.html =
            page.html.replacen("</main>", "<video src=\"/aurora.mp4\" controls></video></main>", 1);
    }),
];

fn cases() -> Vec<Case> {
    let pages = [
        ("product", "https://shop.example.com/jackets/aurora", pages::product()),
        ("Turkish product", "https://kahve.example.com/filtre/yayla", pages::turkish_product()),
        ("landing page", "https://ledgerline.example.com/", pages::landing()),
        ("article", "https://coffee.example.com/espresso-by-numbers", pages::article()),
        (
            "bare page",
            "https://example.com/bare",
            "<!doctype html><html><head></head><body><main><p>Some words.</p></main></body></html>"
                .to_owned(),
        ),
    ];
    let mut cases = Vec::new();
    for (name, url, html) in pages {
        for (what, change) in CHANGES {
            let mut case = Case::new(&format!("{name}, {what}"), url, html.clone());
            let before = case.source.clone();
            change(&mut case.source);
            if what == "whole" || case.source != before {
                cases.push(case);
            }
        }
    }
    cases
}

/// The score before gates, to more digits than the result has.
fn raw(result: &AuditResult) -> f64 {
    let earned: f64 = result.signals.iter().map(|signal| signal.points).sum();
    let possible: f64 = result.signals.iter().map(|signal| signal.max_points).sum();
    100.0 * earned / possible
}

/// What changed between two results, for messages of failed tests.
fn changes(before: &AuditResult, after: &AuditResult) -> Vec<String> {
    let pairs = before.signals.iter().zip(&after.signals);
    pairs
        .filter(|(before, after)| before.credit != after.credit)
        .map(|(before, after)| format!("{} {:?} -> {:?}", before.id, before.credit, after.credit))
        .collect()
}

#[test]
fn the_gain_that_a_fix_promises_comes_and_no_fix_lowers_the_score() {
    let mut complaints = Vec::new();
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases() {
        let before = case.judged(&case.source);
        for fix in before.fixes.iter().filter(|fix| !fix.files.is_empty()) {
            let complain = |what: &str| {
                format!(
                    "{}: {}: {what}\n{}",
                    case.name,
                    fix.signal,
                    fix.snippet.clone().unwrap_or_default()
                )
            };
            let fixed = match applied(&case.source, fix, Inputs::Filled) {
                Ok(fixed) => fixed,
                Err(error) => {
                    complaints.push(complain(&error));
                    continue;
                }
            };
            *tried.entry(fix.signal.clone()).or_default() += 1;
            let after = case.judged(&fixed);
            let gained = raw(&after) - raw(&before);
            // What is not certain may be more, and is never less.
            let is_more = fix.note.is_some() && gained > fix.raw_points;
            let is_kept = is_more || (gained - fix.raw_points).abs() <= TOLERANCE;
            let is_lower = after.gpt_visibility_score < before.gpt_visibility_score;
            let reached = after.gpt_visibility_score.saturating_sub(before.gpt_visibility_score);
            let is_reached = is_more || reached.abs_diff(fix.points) <= 1;
            if !is_kept || is_lower || !is_reached {
                complaints.push(complain(&format!(
                    "promised {} ({}), gained {gained:.2} ({reached}); {:?}; includes {:?}",
                    fix.raw_points,
                    fix.points,
                    changes(&before, &after),
                    fix.includes
                )));
            }
        }
    }
    assert!(complaints.is_empty(), "{}\n{}", complaints.len(), complaints.join("\n\n"));
    let count: usize = tried.values().sum();
    assert!(count > 170 && tried.len() > 18, "{count} fixes were tried: {tried:?}");
}

#[test]
fn a_placeholder_that_is_pasted_as_it_is_does_not_pass() {
    let mut complaints = Vec::new();
    let mut count = 0;
    for case in cases() {
        let before = case.judged(&case.source);
        for fix in before.fixes.iter().filter(|fix| !fix.needs_input.is_empty()) {
            for placeholder in &fix.needs_input {
                let is_shown = fix.files.iter().any(|file| file.content.contains(placeholder));
                assert!(is_shown, "{}: {}: {placeholder}", case.name, fix.signal);
            }
            let Ok(pasted) = applied(&case.source, fix, Inputs::Unfilled) else { continue };
            count += 1;
            let after = case.judged(&pasted);
            let own = after.signals.iter().find(|signal| signal.id == fix.signal);
            if own.is_some_and(|own| own.status == Verdict::Pass) {
                complaints.push(format!("{}: {}: {:?}", case.name, fix.signal, fix.snippet));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(count > 60, "only {count} fixes with placeholders");
}
