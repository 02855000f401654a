//! What an audit is held to.

use visibility_core::audit::cap::AuditCap;
use visibility_core::audit::result::StatedProfile;
use visibility_core::rubric::finding::Verdict;
use visibility_core::text::locale::Lang;
use visibility_tests::pages;

use super::judged::{Served, lost, signal};

#[test]
fn an_empty_shell_has_at_most_25_points() {
    let result = Served::new("https://shop.example.com/jackets/aurora", pages::shell()).judged();
    assert!(result.gpt_visibility_score <= 25, "{}", result.gpt_visibility_score);
    assert_eq!(result.gates.first().map(|gate| gate.id), Some(AuditCap::ScriptShell));
}

#[test]
fn a_complete_page_without_llms_txt_has_at_least_90_points() {
    let pages = [
        (Served::product(), StatedProfile::Product),
        (
            Served::new("https://kahve.example.com/filtre/yayla", pages::turkish_product()),
            StatedProfile::Product,
        ),
        (Served::new("https://ledgerline.example.com/", pages::landing()), StatedProfile::Landing),
        (
            Served::new("https://coffee.example.com/espresso-by-numbers", pages::article()),
            StatedProfile::Article,
        ),
    ];
    for (page, profile) in pages {
        let result = page.judged();
        assert_eq!(
            result.profile.as_ref().map(|profile| profile.id),
            Some(profile),
            "{}",
            page.url
        );
        let score = result.gpt_visibility_score;
        assert!(score >= 90, "{} has {score}: {:#?}", page.url, lost(&result));
        assert_eq!(result.status.as_str(), "completed");
        assert!(result.coverage >= 1.0, "{}", page.url);
    }
}

#[test]
fn a_price_in_the_markup_that_is_not_the_visible_price_is_found() {
    let result = Served::product().but("\"price\":\"349.00\"", "\"price\":\"299.00\"").judged();
    let found = signal(&result, "markup-consistency");
    assert_ne!(found.status, Verdict::Pass);
    let quotes: Vec<&str> = found.evidence.iter().filter_map(|e| e.quote.as_deref()).collect();
    assert!(quotes.iter().any(|quote| quote.contains("299.00")), "{quotes:?}");
    assert!(quotes.iter().any(|quote| quote.contains("349.00")), "{quotes:?}");
    assert!(found.evidence.iter().all(|evidence| evidence.line.is_some()), "{found:#?}");
}

#[test]
fn a_price_that_display_none_hides_is_found() {
    let result = Served::product()
        .but(
            "<p class=\"price\">Price: <strong>349.00 EUR</strong>",
            "<p>Price: <strong style=\"display:none\">349.00 EUR</strong>",
        )
        .but(". 349.00 EUR, in stock", ". In stock")
        .judged();
    let found = signal(&result, "markup-consistency");
    assert_ne!(found.status, Verdict::Pass, "{found:#?}");
    let price = signal(&result, "price-in-text");
    assert_ne!(price.status, Verdict::Pass, "{price:#?}");
}

#[test]
fn blocking_training_bots_costs_nothing() {
    let open = Served::product();
    let closed = open.clone().robots(
        "User-agent: GPTBot\nUser-agent: ClaudeBot\nUser-agent: Google-Extended\nUser-agent: CCBot\n\
         User-agent: Applebot-Extended\nUser-agent: meta-externalagent\nUser-agent: Bytespider\nDisallow: /\n\n\
         User-agent: *\nAllow: /\nSitemap: https://shop.example.com/sitemap.xml\n",
    );
    let (open, closed) = (open.judged(), closed.judged());
    assert_eq!(open.gpt_visibility_score, closed.gpt_visibility_score);
    assert_eq!(signal(&closed, "answer-bot-access").credit, Some(1.0));
}

#[test]
fn the_same_snapshot_gives_the_same_bytes() {
    let snapshot = Served::product().snapshot();
    for lang in Lang::ALL {
        let [one, two] = [0, 1].map(|_| {
            let result = visibility_core::audit::audit(&snapshot).result(lang);
            serde_json::to_string(&result).expect("JSON")
        });
        assert_eq!(one, two);
    }
}

#[test]
fn both_languages_have_the_same_numbers() {
    let report = Served::product().but("<h1>Aurora down jacket</h1>", "").report();
    let [en, tr] = Lang::ALL.map(|lang| report.result(lang));
    assert_eq!(en.gpt_visibility_score, tr.gpt_visibility_score);
    for (en, tr) in en.signals.iter().zip(&tr.signals) {
        assert_eq!(
            (en.credit, en.points, en.status),
            (tr.credit, tr.points, tr.status),
            "{}",
            en.id
        );
        assert_ne!(en.why, tr.why, "{}", en.id);
    }
}
