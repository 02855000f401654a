//! The rubric of audits, its files and its texts agree.

use std::collections::BTreeSet;
use std::fs;

use chrono::DateTime;
use visibility_core::audit::audit;
use visibility_core::audit::cap::AuditCap;
use visibility_core::audit::profile::Profile;
use visibility_core::audit::profile::features::FEATURES;
use visibility_core::audit::profile::model::ModelFile;
use visibility_core::audit::score::Band;
use visibility_core::audit::signal::{Grade, Pillar};
use visibility_core::audit::signals;
use visibility_core::audit::snapshot::{AuditId, PageSnapshot};
use visibility_core::audit::status::Status;
use visibility_core::rubric::finding::Verdict;
use visibility_core::rubric::fix::Placement;
use visibility_core::text::locale::{Catalog, Lang};

use visibility_tests::features_table;

use super::rubric::{GLOSSARY, lost_terms, walk};
use super::{files, root};

#[test]
fn no_id_and_no_code_is_there_twice() {
    let ids: BTreeSet<&str> = signals::all().map(|signal| signal.id).collect();
    let codes: BTreeSet<&str> = signals::all().map(|signal| signal.code).collect();
    assert_eq!(ids.len(), signals::all().count());
    assert_eq!(codes.len(), signals::all().count());
    for name in ids.iter().chain(&codes) {
        assert!(signals::find(name).is_some(), "{name}");
    }
}

#[test]
fn each_signal_is_in_the_file_with_its_name_and_each_such_file_is_registered() {
    let folder = root().join("visibility-core/src/audit/signals");
    let declared: BTreeSet<String> = files(&folder, "rs")
        .iter()
        .filter(|file| fs::read_to_string(file).is_ok_and(|text| text.contains("SIGNAL: Signal =")))
        .filter_map(|file| Some(file.strip_prefix(&folder).ok()?.to_string_lossy().into_owned()))
        .collect();
    let registered: BTreeSet<String> = signals::all()
        .map(|signal| format!("{}/{}.rs", signal.pillar.as_str(), signal.id.replace('-', "_")))
        .collect();
    assert_eq!(declared, registered);
}

#[test]
fn the_documentation_has_the_features_of_the_model() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect(path);
    let model: ModelFile =
        serde_json::from_str(&read("visibility-core/data/page_kinds/model.json")).expect("a model");
    let known: BTreeSet<&str> = FEATURES.iter().map(|feature| feature.id).collect();
    assert_eq!(model.features.keys().map(String::as_str).collect::<BTreeSet<_>>(), known);
    let table = features_table::table(&model);
    assert!(read("docs/audit.md").contains(&table), "docs/audit.md lacks this table:\n{table}");
}

#[test]
fn each_signal_has_sources_outcomes_and_a_grade_that_is_scored() {
    for signal in signals::all() {
        let id = signal.id;
        assert!(signal.grade < Grade::D, "{id}: folklore is never scored");
        assert!(!signal.sources.is_empty(), "{id} has no source");
        assert!(signal.sources.iter().all(|source| source.url.starts_with("https://")), "{id}");
        let ids: BTreeSet<&str> = signal.outcomes.iter().map(|outcome| outcome.id).collect();
        assert_eq!(ids.len(), signal.outcomes.len(), "{id} has an outcome twice");
        let verdicts: BTreeSet<Verdict> =
            signal.outcomes.iter().map(|outcome| outcome.verdict).collect();
        assert!(verdicts.contains(&Verdict::Pass), "{id} can never pass");
        assert!(verdicts.iter().any(|one| is_mendable(*one)), "{id} can never ask for work");
    }
}

fn is_mendable(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Warn | Verdict::Fail)
}

/// Signals that decide by several parts: those of their outcomes that tell a part never decide, so that
/// they have no fix of their own.
const WITH_PARTS: [&str; 3] = ["delivery", "key-facts", "page-language"];

#[test]
fn both_languages_have_the_texts_of_each_signal_and_outcome_and_no_others() {
    for catalog in Lang::ALL.map(Catalog::for_lang) {
        for signal in signals::all() {
            for key in ["title", "why"] {
                let text = catalog.find(&["signals", signal.id, key]).unwrap_or_default();
                assert!(!text.is_empty(), "{} {key}", signal.id);
            }
            let declared: BTreeSet<&str> = signal.outcomes.iter().map(|one| one.id).collect();
            let written = catalog.keys(&["signals", signal.id, "outcomes"]);
            assert_eq!(BTreeSet::from_iter(written), declared, "{}", signal.id);
            for outcome in signal.outcomes {
                let path = ["signals", signal.id, "outcomes", outcome.id];
                let keys = catalog.keys(&path);
                assert!(keys.contains(&"text"), "{path:?} has no text");
                let may_lack_fix = !is_mendable(outcome.verdict) || WITH_PARTS.contains(&signal.id);
                assert!(may_lack_fix || keys.contains(&"fix"), "{path:?} has no fix");
            }
        }
    }
}

#[test]
fn both_languages_have_a_text_for_each_part_of_the_result_and_no_others() {
    let sections: [(&str, Vec<&str>); 8] = [
        ("bands", Band::ALL.map(Band::as_str).to_vec()),
        ("gates", AuditCap::ALL.map(AuditCap::as_str).to_vec()),
        ("grades", [Grade::A, Grade::B, Grade::C, Grade::D].map(Grade::as_str).to_vec()),
        ("pillars", Pillar::ALL.map(Pillar::as_str).to_vec()),
        ("placements", Placement::ALL.map(Placement::as_str).to_vec()),
        ("profiles", Profile::ALL.map(Profile::as_str).into_iter().chain(["unknown"]).collect()),
        ("profile_words", Profile::ALL.map(Profile::as_str).to_vec()),
        ("profile_reasons", FEATURES.iter().map(|feature| feature.sentence).collect()),
    ];
    for catalog in Lang::ALL.map(Catalog::for_lang) {
        for (section, ids) in &sections {
            let expected: BTreeSet<&str> = ids.iter().copied().collect();
            assert_eq!(BTreeSet::from_iter(catalog.keys(&[section])), expected, "{section}");
        }
        let statuses = Status::ALL.map(Status::as_str);
        assert_eq!(BTreeSet::from_iter(catalog.keys(&["statuses"])), BTreeSet::from(statuses));
        for status in statuses {
            assert_eq!(catalog.keys(&["statuses", status]), ["label", "text"], "{status}");
        }
    }
}

#[test]
fn terms_of_the_glossary_stand_unchanged_in_turkish_audits() {
    let english = Catalog::for_lang(Lang::En);
    let mut sentences = Vec::new();
    let sections = ["audit", "audit_status_reasons", "gates", "placements", "signals", "statuses"];
    for section in sections {
        walk(english, &mut vec![section], &mut sentences);
    }
    assert!(sentences.len() > 100, "{}", sentences.len());
    let lost = lost_terms(&sentences, &GLOSSARY);
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn what_signals_say_of_real_pages_are_sentences_in_both_languages() {
    for page in files(&root().join("tests/src/pages"), "html") {
        let body = fs::read(&page).expect("a page");
        let id = AuditId::from_content([body.as_slice()]);
        let name = page.to_string_lossy();
        let report = audit(&PageSnapshot::from_file(id, name, None, body, DateTime::UNIX_EPOCH));
        for lang in Lang::ALL {
            let result = report.result(lang);
            assert!(!result.signals.is_empty(), "{}", page.display());
            for signal in &result.signals {
                let texts = signal.details.iter().map(|detail| &detail.text);
                for text in texts.chain([&signal.title, &signal.why, &signal.summary]) {
                    assert!(!text.is_empty(), "{lang}: {}", signal.id);
                    let is_filled = !text.contains("signals.") && !text.contains(['{', '}']);
                    assert!(is_filled, "{lang}: {}: {text}", signal.id);
                }
            }
            for fix in &result.fixes {
                assert!(!fix.hint.is_empty(), "{lang}: {} has no fix", fix.signal);
            }
        }
    }
}

#[test]
fn there_are_35_signals_in_seven_pillars_in_the_order_of_the_rubric() {
    let count = |pillar| signals::all().filter(|signal| signal.pillar == pillar).count();
    assert_eq!(Pillar::ALL.map(count), [5, 5, 6, 5, 6, 4, 4]);
    let codes: Vec<&str> = signals::all().map(|signal| signal.code).collect();
    let prefixes = ["AC", "RD", "ST", "SD", "EV", "TR", "ML"];
    let expected: Vec<String> = prefixes
        .into_iter()
        .zip(Pillar::ALL.map(count))
        .flat_map(|(prefix, count)| (1..=count).map(move |number| format!("{prefix}0{number}")))
        .collect();
    assert_eq!(codes, expected);
}

#[test]
fn the_signals_are_worth_100_points_for_each_kind_of_page() {
    for profile in Profile::ALL {
        let tenths: u32 = signals::all().map(|signal| signal.weights.for_profile(profile)).sum();
        assert_eq!(tenths, 1_000, "{profile:?}");
    }
}

#[test]
fn both_languages_have_the_registered_signals_and_no_others() {
    let ids: BTreeSet<&str> = signals::all().map(|signal| signal.id).collect();
    for catalog in Lang::ALL.map(Catalog::for_lang) {
        assert_eq!(BTreeSet::from_iter(catalog.keys(&["signals"])), ids);
    }
}
