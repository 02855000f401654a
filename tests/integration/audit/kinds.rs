//! The kinds of pages in languages that no page is in that the model was learned from.

use std::collections::BTreeMap;

use visibility_core::audit::result::AuditResult;
use visibility_tests::labelled::LabelledPage;

/// A file for each language: pages of our own, two of each kind, each after a line with its kind and address.
const LANGUAGES: [(&str, &str); 5] = [
    ("German", include_str!("kinds/de.txt")),
    ("Turkish", include_str!("kinds/tr.txt")),
    ("Japanese", include_str!("kinds/ja.txt")),
    ("Chinese", include_str!("kinds/zh.txt")),
    ("Korean", include_str!("kinds/ko.txt")),
];

fn pages(text: &str) -> Vec<LabelledPage> {
    let parts = text.split("=== ").filter(|part| !part.is_empty());
    let page = |part: &str| {
        let (head, html) = part.split_once('\n').expect("a head");
        let (kind, url) = head.split_once(' ').expect("a kind and an address");
        LabelledPage {
            id: url.to_owned(),
            kind: kind.to_owned(),
            url: url.to_owned(),
            html: html.into(),
            labels: serde_json::Value::Null,
        }
    };
    parts.map(page).collect()
}

/// The likeliest kind.
fn likeliest(result: &AuditResult) -> &'static str {
    let profile = result.profile.as_ref().expect("a page");
    profile.likeliest.first().map_or("none", |likely| likely.id.as_str())
}

#[test]
fn kinds_are_known_in_languages_that_the_model_was_not_learned_from() {
    let mut mistakes = Vec::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (language, text) in LANGUAGES {
        for page in pages(text) {
            let result = page.audit();
            let said = likeliest(&result);
            *counts.entry(page.kind.clone()).or_default() += 1;
            if said != page.kind {
                let confidence = result.profile_confidence.unwrap_or_default();
                mistakes.push(format!(
                    "{language}: {} is said to be {said} ({confidence}): {}",
                    page.kind, page.url
                ));
            }
        }
    }
    assert!(counts.len() == 7 && counts.values().all(|count| *count == 10), "{counts:?}");
    assert!(mistakes.len() <= 7, "of 70: {mistakes:#?}");
}
