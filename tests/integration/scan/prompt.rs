//! What a site writes stays in the fenced blocks of a prompt, and the prompt rewards no placeholders.

use visibility_core::report::prompt;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::result::ScanResult;
use visibility_core::text::locale::Lang;
use visibility_tests::injection::{Depth, MARKERS, inject, outside_of_fences};
use visibility_tests::site::{Site, shop};
use visibility_tests::typical;

/// Every typical site and a shop, with hostile text wherever it could put any.
fn hostile() -> Vec<Site> {
    let sites = typical::all().into_iter().map(|typical| typical.site);
    let sites: Vec<Site> = sites.chain([shop("shop.example.com")]).collect();
    let injected =
        |depth| sites.iter().map(move |site| site.clone().rewritten(|reply| inject(reply, depth)));
    injected(Depth::Names).chain(injected(Depth::Everything)).collect()
}

fn results() -> Vec<ScanResult> {
    let reports: Vec<ScanReport> = hostile()
        .iter()
        .filter_map(|site| Some(ScanReport::evaluate(&site.scan().ok()?, &Selection::all())))
        .collect();
    assert!(reports.len() > 20, "{}", reports.len());
    Lang::ALL.iter().flat_map(|lang| reports.iter().map(|report| report.result(*lang))).collect()
}

#[test]
fn what_a_site_wrote_is_never_outside_of_a_block() {
    let mut inside = 0;
    for result in results() {
        let fixes = result.checks.iter().filter_map(|check| check.fix.as_ref());
        let texts = fixes.map(|fix| fix.prompt.clone()).chain([prompt::render(&result)]);
        for text in texts {
            inside += usize::from(text.contains(MARKERS[0]));
            let outside = outside_of_fences(&text);
            for marker in MARKERS {
                assert!(
                    !outside.contains(marker),
                    "{} {}: {marker}\n{outside}",
                    result.domain,
                    result.lang
                );
            }
        }
    }
    assert!(inside > 20, "the sites are not hostile: {inside}");
}

#[test]
fn a_prompt_asks_for_facts_and_not_for_passing_checks() {
    let words = [("en", "skip the step"), ("tr", "adımı atlayın")];
    for result in results() {
        let text = prompt::render(&result);
        if result.fix_plan.is_empty() {
            continue;
        }
        let (_, asked) = words.iter().find(|(lang, _)| *lang == result.lang).expect("a language");
        assert!(text.contains(asked), "{text}");
        for promise in ["should then pass", "o zaman geçmelidir"] {
            assert!(!text.contains(promise), "{text}");
        }
    }
}
