//! Every signal in both directions, over the pages of the fixtures and pages that lack one thing.

use std::collections::{BTreeMap, BTreeSet};

use visibility_core::audit::signals;
use visibility_core::rubric::finding::Verdict;
use visibility_tests::pages;

use super::judged::Served;

/// Pages that together move every signal.
fn corpus() -> Vec<Served> {
    let bad = include_str!("bad.html");
    let mut slow = Served::new("http://shop.example.com/bad?a=1", bad);
    "User-agent: *\nDisallow: /\n".clone_into(&mut slow.robots);
    vec![
        Served::product(),
        Served::new("https://ledgerline.example.com/", pages::landing()),
        Served::new("https://coffee.example.com/espresso-by-numbers", pages::article()),
        Served::new("https://kahve.example.com/filtre/yayla", pages::turkish_product()),
        Served::new("https://shop.example.com/a", pages::shell()),
        film("<track kind=\"captions\" src=\"/film.vtt\">"),
        film(""),
        Served::new("https://shop.example.com/steps", steps()),
        Served::product().but("<table>", "<table hidden>"),
        slow,
        Served::new("https://shop.example.com/large", pages::large_product(1_500_000)),
        Served::product().but("<h2>Warmth and weight</h2>", &hidden_words()),
        Served::product().but("In stock, shipped", "Shipped"),
        Served::new("https://shop.example.com/long", long_sentences()),
    ]
}

/// A page whose video says what it is about.
fn film(track: &str) -> Served {
    let markup = "[{\"@context\":\"https://schema.org\",\"@type\":\"Article\",\"headline\":\"How a jacket is sewn\"},\
        {\"@context\":\"https://schema.org\",\"@type\":\"VideoObject\",\"name\":\"How a jacket is sewn\"}]";
    let html = format!(
        "<!doctype html><html lang=en><title>How a jacket is sewn</title><script type=application/ld+json>{markup}</script>\
         <main><h1>How a jacket is sewn</h1><p>By Ines Hale, 4 May 2026</p><video src=/film.mp4>{track}</video><p>A \
         film of nine minutes about the team in Porto that sews our jackets, from the first cut to the last seam. Of all jackets \
         that are sold in the country, 82 percent are sewn elsewhere.</p></main>"
    );
    Served::new("https://shop.example.com/film", html)
}

/// Steps that are no list.
fn steps() -> String {
    let step = |at| {
        format!(
            "<p>{at}. Fold the jacket once more and press the air out of it with both hands.</p>"
        )
    };
    let steps: String = (1..=6).map(step).collect();
    format!(
        "<!doctype html><html lang=en><title>How to pack a jacket</title><main><h1>How to pack a jacket</h1>{steps}</main>"
    )
}

/// More hidden words than the page has visible ones.
fn hidden_words() -> String {
    let words =
        "The jacket was sewn in Porto by a team of nine and tested on a glacier. ".repeat(60);
    format!("<div style=\"display:none\"><p>{words}</p></div><h2>Warmth and weight</h2>")
}

/// Sentences that are too long to read.
fn long_sentences() -> String {
    let sentence = "The jacket that we made for people who go out in winter and stay there for many nights in a row without \
        a fire or a hut or anything else that could keep them warm while they sleep under the open sky weighs little. ";
    format!(
        "<!doctype html><html lang=en><title>A jacket for winter nights</title><main><h1>A jacket</h1><p>{}</p></main>",
        sentence.repeat(8)
    )
}

#[test]
fn every_signal_passes_somewhere_and_loses_points_elsewhere() {
    let mut seen: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for page in corpus() {
        for signal in page.judged().signals {
            let direction = match signal.status {
                Verdict::Pass => "up",
                Verdict::Warn | Verdict::Fail => "down",
                Verdict::NotApplicable | Verdict::Unknown => continue,
            };
            seen.entry(signal.id).or_default().insert(direction);
        }
    }
    let one_way: Vec<&str> = signals::all()
        .map(|signal| signal.id)
        .filter(|id| seen.get(*id).is_none_or(|directions| directions.len() < 2))
        .collect();
    assert_eq!(one_way, Vec::<&str>::new());
}

#[test]
fn what_loses_points_says_where_and_what_to_do() {
    for page in corpus() {
        let result = page.judged();
        for signal in &result.signals {
            if !matches!(signal.status, Verdict::Warn | Verdict::Fail) {
                continue;
            }
            let fix = result.fixes.iter().find(|fix| fix.signal == signal.id);
            let fix = fix.unwrap_or_else(|| panic!("{} has no fix", signal.id));
            assert!(!fix.hint.is_empty() && !fix.hint.contains('{'), "{}: {}", signal.id, fix.hint);
            assert!(!signal.summary.contains('{'), "{}: {}", signal.id, signal.summary);
            assert!(!signal.sources.is_empty(), "{}", signal.id);
        }
    }
}

#[test]
fn fixing_a_signal_brings_what_was_promised() {
    let page = Served::product()
        .but("<link rel=\"canonical\" href=\"https://shop.example.com/jackets/aurora\">", "");
    let before = page.judged();
    let after = Served::product().judged();
    let fix = before.fixes.iter().find(|fix| fix.signal == "canonical-url").expect("a fix");
    assert_eq!(before.gpt_visibility_score + fix.points, after.gpt_visibility_score);
    assert_eq!(
        fix.snippet.as_deref().map(str::trim),
        Some("<link rel=\"canonical\" href=\"https://shop.example.com/jackets/aurora\">")
    );
}
