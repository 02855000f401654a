//! Scans real pages with labels as if each were the home page of its site, and prints those that the scan
//! takes for pages without anything to read. None with a main text of 50 words may be among them.
//!
//! `VISIBILITY_PAGES=FOLDER cargo run --release -p visibility-tests --bin labelled-home-pages`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is what it is for")]

use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;
use visibility_core::text::words;
use visibility_tests::fixes::scored;
use visibility_tests::labelled::{self, LabelledPage};
use visibility_tests::site::{Reply, Site};

/// Words of a main text from which on a page has something to read.
const MIN_WORDS: usize = 50;

/// Bytes of a home page that a scan reads.
const MAX_BODY: usize = 2 * 1024 * 1024;

/// The caps of a home page without anything to read.
const CAPS: [&str; 6] =
    ["parked", "nothing-to-read", "placeholder-page", "gate-page", "frames-only", "little-text"];

fn main() -> ExitCode {
    let Some(folder) = std::env::var_os("VISIBILITY_PAGES") else {
        eprintln!("labelled-home-pages: set VISIBILITY_PAGES to a folder with html/ and truth/");
        return ExitCode::FAILURE;
    };
    let pages = match labelled::pages(Path::new(&folder)) {
        Ok(pages) => pages,
        Err(error) => {
            eprintln!("labelled-home-pages: {}: {error}", folder.display());
            return ExitCode::FAILURE;
        }
    };
    let with_text: Vec<&LabelledPage> =
        pages.iter().filter(|page| main_words(page) >= MIN_WORDS && sends_text(page)).collect();
    let mut capped = 0;
    for page in &with_text {
        let home = Reply::html(page.html.clone());
        let alone = Site::new("brass-hinge.com").with("/", home.clone());
        let few = Site::new("brass-hinge.com").with("/", Reply::html(with_few_links(&page.html)));
        for site in [alone.clone(), few, alone.otherwise(home)] {
            let (score, judged) = scored(&site);
            if let Some(cap) = score.caps.iter().find(|cap| CAPS.contains(&cap.id)) {
                capped += 1;
                let content = judged.iter().find(|one| one.check.id == "content-without-js");
                let found = content.and_then(|one| one.finding.detections().first());
                println!("{} {}: {} {found:?}", page.id, page.url, cap.id);
            }
        }
    }
    println!("{} pages with {MIN_WORDS} words and more, {capped} capped", with_text.len());
    if capped == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Links of a small page.
const FEW_LINKS: usize = 6;

/// The page with its first links alone; the text of the others stays.
fn with_few_links(html: &[u8]) -> String {
    let html = String::from_utf8_lossy(html);
    let mut parts = html.split("<a ");
    let mut few: Vec<&str> = parts.by_ref().take(FEW_LINKS + 1).collect();
    let rest: Vec<&str> = parts.collect();
    let rest = rest.join("<span ");
    few.push(&rest);
    let (last, linked) = few.split_last().unwrap_or((&"", &[]));
    if last.is_empty() { linked.join("<a ") } else { format!("{}<span {last}", linked.join("<a ")) }
}

/// Whether the main text is in the HTML at all: that of some pages was labelled in a browser.
fn sends_text(page: &LabelledPage) -> bool {
    let html = String::from_utf8_lossy(page.html.get(..MAX_BODY).unwrap_or(&page.html));
    let text = page.labels.pointer("/ground_truth/main_content").and_then(Value::as_str);
    let mut words: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
    words.sort_unstable();
    words.dedup();
    let sent = words.iter().filter(|word| html.contains(**word)).count();
    2 * sent >= words.len()
}

fn main_words(page: &LabelledPage) -> usize {
    let text = page.labels.pointer("/ground_truth/main_content").and_then(Value::as_str);
    words::count(text.unwrap_or_default())
}
