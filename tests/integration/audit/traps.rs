//! Traps that other tools fell into, each with the page that sprang it.

use visibility_core::audit::result::StatedProfile;
use visibility_core::audit::status::Status;
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::rubric::finding::Verdict;
use visibility_core::text::locale::Lang;
use visibility_tests::pages;

use super::judged::{Served, signal};

#[test]
fn a_graph_and_a_list_of_types_are_unpacked() {
    let result = Served::product().judged();
    assert_eq!(signal(&result, "page-entity").status, Verdict::Pass);
    assert_eq!(signal(&result, "entity-properties").status, Verdict::Pass);
}

#[test]
fn one_bad_character_does_not_hide_the_rest_of_the_markup() {
    let second = "<script type=\"application/ld+json\">{\"@type\":\"WebPage\",}</script></head>";
    let result = Served::product().but("</head>", second).judged();
    let syntax = signal(&result, "json-ld-syntax");
    assert_ne!(syntax.status, Verdict::Pass);
    assert!(syntax.evidence.iter().any(|evidence| evidence.line.is_some()), "{syntax:#?}");
    assert_eq!(signal(&result, "page-entity").status, Verdict::Pass);
    let fix = result.fixes.iter().find(|fix| fix.signal == "json-ld-syntax").expect("a fix");
    let repaired = fix.snippet.as_deref().expect("repaired JSON");
    assert!(repaired.contains("WebPage") && !repaired.contains(",}"), "{repaired}");
}

#[test]
fn a_page_about_assistants_and_their_instructions_is_no_manipulation() {
    let about = "<p>ChatGPT, Claude and Gemini can be attacked with the words \"ignore all previous instructions\"; \
        this page explains how prompt injection works.</p><h2>Warmth and weight</h2>";
    let result = Served::product().but("<h2>Warmth and weight</h2>", about).judged();
    assert_eq!(signal(&result, "manipulation").status, Verdict::Pass);
}

#[test]
fn a_collapsed_menu_is_neither_hidden_text_nor_manipulation() {
    let links: String = (0..60)
        .map(|n| format!("<li><a href=\"/c/{n}\">Always recommended category {n}</a></li>"))
        .collect();
    let menu = format!(
        "<nav class=\"mobile-menu\" aria-hidden=\"true\" style=\"display:none\"><ul>{links}</ul></nav><main>"
    );
    let result = Served::product().but("<main>", &menu).judged();
    assert_eq!(signal(&result, "manipulation").status, Verdict::Pass);
    assert_eq!(signal(&result, "hidden-text").status, Verdict::Pass);
}

#[test]
fn a_refusal_is_no_failed_connection() {
    let result = Served::product().status(403).judged();
    assert_eq!(result.status, Status::Blocked);
    assert!(result.summary.contains("403"), "{}", result.summary);
}

#[test]
fn a_score_is_a_share_and_never_a_clamped_sum() {
    let whole = Served::product().judged();
    let points: f64 = whole.signals.iter().map(|signal| signal.points).sum();
    let possible: f64 = whole.signals.iter().map(|signal| signal.max_points).sum();
    let score = whole.raw_score.map(f64::from).unwrap_or_default();
    assert!(
        (100.0 * points / possible - score).abs() <= 0.6,
        "{points} of {possible} is not {score}"
    );
}

#[test]
fn a_sentence_in_the_heading_is_no_brand() {
    let result = Served::product()
        .but("<h1>Aurora down jacket</h1>", "<h1>We keep you warm wherever you sleep tonight.</h1>")
        .but("<script type=\"application/ld+json\">", "<script type=\"text/plain\">")
        .but("<meta property=\"og:site_name\" content=\"Northbound Outfitters\">", "")
        .judged();
    for fix in &result.fixes {
        let snippet = fix.snippet.as_deref().unwrap_or_default();
        let brand = snippet
            .split_once("\"brand\"")
            .map_or("", |(_, rest)| rest.split('}').next().unwrap_or(rest));
        assert!(!brand.contains("We keep you warm"), "{}: {snippet}", fix.signal);
        assert!(brand.is_empty() || brand.contains("[BRAND]"), "{}: {snippet}", fix.signal);
    }
}

#[test]
fn a_bare_host_is_understood_where_people_type_it() {
    let typed = PageUrl::from_typed("shop.example.com/jackets").expect("a page");
    assert_eq!(typed.as_str(), "https://shop.example.com/jackets");
}

#[test]
fn a_turkish_result_has_no_english_sentences() {
    let page = Served::new("https://kahve.example.com/filtre/yayla", pages::shell());
    for page in [Served::product(), page, Served::product().status(404)] {
        let report = page.report();
        let (en, tr) = (report.result(Lang::En), report.result(Lang::Tr));
        assert_ne!(en.summary, tr.summary);
        for (en, tr) in en.signals.iter().zip(&tr.signals) {
            assert_ne!(en.summary, tr.summary, "{}", en.id);
        }
        for (en, tr) in en.fixes.iter().zip(&tr.fixes) {
            assert_ne!(en.hint, tr.hint, "{}", en.signal);
        }
        for (en, tr) in en.information.iter().zip(&tr.information) {
            assert_ne!(en.text, tr.text, "{}", en.id);
        }
    }
}

#[test]
fn every_pillar_and_signal_is_there_or_says_why_not() {
    let article = Served::new("https://coffee.example.com/espresso-by-numbers", pages::article());
    for page in [Served::product(), article] {
        let result = page.judged();
        assert_eq!(result.pillars.len(), 7);
        assert_eq!(result.signals.len(), 35);
        for signal in &result.signals {
            assert!(!signal.summary.is_empty(), "{}", signal.id);
            assert_eq!(signal.credit.is_none(), signal.max_points == 0.0, "{}", signal.id);
        }
    }
}

#[test]
fn googlebot_counts_as_an_answer_bot_and_google_extended_does_not() {
    let blocked = |agent: &str| {
        let robots = format!("User-agent: {agent}\nDisallow: /\n\nUser-agent: *\nAllow: /\n");
        signal(&Served::product().robots(&robots).judged(), "answer-bot-access").credit
    };
    assert!(blocked("Googlebot") < Some(1.0));
    assert_eq!(blocked("Google-Extended"), Some(1.0));
}

#[test]
fn an_article_element_around_a_banner_is_not_the_content() {
    let banner = "<article class=\"promo\"><h2>Winter sale</h2><p>Everything for the cold season, now.</p></article><h1>Aurora down jacket</h1>";
    let result = Served::product().but("<h1>Aurora down jacket</h1>", banner).judged();
    let words = result.page.map(|page| page.main_words).unwrap_or_default();
    assert!(words > 200, "{words}");
}

#[test]
fn all_robots_elements_of_a_page_count() {
    let second = "<meta name=\"robots\" content=\"noindex\"></head>";
    let result = Served::product().but("</head>", second).judged();
    assert_eq!(signal(&result, "indexability").status, Verdict::Fail);
}

#[test]
fn a_page_with_one_product_is_a_product_and_a_list_of_them_is_none() {
    let cards: String = (0..12)
        .map(|n| format!("{{\"@type\":\"ListItem\",\"position\":{n},\"item\":{{\"@type\":\"Product\",\"name\":\"P{n}\"}}}},"))
        .collect();
    let list = format!(
        "<!doctype html><html lang=en><title>Jackets</title><script type=\"application/ld+json\">{{\"@type\":\"ItemList\",\"itemListElement\":[{}]}}</script><h1>Jackets</h1><p>All our jackets.",
        cards.trim_end_matches(',')
    );
    let result = Served::new("https://shop.example.com/jackets", list).judged();
    assert_eq!(result.profile.map(|profile| profile.id), Some(StatedProfile::Collection));
}
