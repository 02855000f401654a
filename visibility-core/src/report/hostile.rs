//! Results in which every text is hostile: no element and no attribute of a report comes from one.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::audit::result::AuditResult;
use crate::report::junit::FailedTarget;
use crate::report::tree::shape;
use crate::report::{audit, html};
use crate::scan::result::ScanResult;
use crate::text::locale::Lang;
use crate::text::markup::Markup;

const SCAN: &str = include_str!("../../testdata/reports/hostile.json");
const AUDIT: &str = include_str!("../../testdata/reports/hostile_audit.json");
const REFUSED: &str = include_str!("../../testdata/reports/refused_audit.json");

/// What strangers write, without a backtick: that one may move where code begins.
fn attacks() -> Vec<String> {
    let long = "x".repeat(8_192);
    [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "&#x3c;script&#x3e;",
        "</title></style></pre></summary></details></main><script>",
        "<!-- ",
        "]]><svg onload=alert(1)>",
        "javascript:alert(1)",
        "https://example.com/\"><script>alert(1)</script>",
        "a\u{202e}b\u{0}c\u{1b}[31m\r\n\u{2028}",
        &long,
    ]
    .map(str::to_owned)
    .to_vec()
}

/// A result with a text wherever one can be, and the number of places where it is. What must be a name of ours, such as
/// a verdict, stays.
fn with_text_everywhere<T: DeserializeOwned>(json: &str, lang: Lang, text: &str) -> (T, usize) {
    let mut value: Value = serde_json::from_str(json).expect("JSON");
    let mut places = BTreeSet::new();
    collect_places(&value, "", &mut places);
    let mut count = 0;
    for place in places {
        let mut changed = value.clone();
        replace(&mut changed, "", &place, text);
        if T::deserialize(&changed).is_ok() {
            value = changed;
            count += 1;
        }
    }
    value["lang"] = lang.to_string().into();
    (T::deserialize(&value).expect("a result"), count)
}

/// The places of texts, in which all members of a list are one.
fn collect_places(value: &Value, path: &str, places: &mut BTreeSet<String>) {
    match value {
        Value::String(_) => {
            places.insert(path.to_owned());
        }
        Value::Array(members) => {
            for one in members {
                collect_places(one, &format!("{path}/*"), places);
            }
        }
        Value::Object(members) => {
            for (name, one) in members {
                collect_places(one, &format!("{path}/{name}"), places);
            }
        }
        _ => {}
    }
}

fn replace(value: &mut Value, path: &str, place: &str, text: &str) {
    match value {
        Value::String(old) if path == place => text.clone_into(old),
        Value::Array(members) => {
            for one in members {
                replace(one, &format!("{path}/*"), place, text);
            }
        }
        Value::Object(members) => {
            for (name, one) in members {
                replace(one, &format!("{path}/{name}"), place, text);
            }
        }
        _ => {}
    }
}

/// The reports of a result: alone, and one of several beside a target that has none.
fn scan_reports(lang: Lang, text: &str) -> Vec<Markup> {
    let (result, count) = with_text_everywhere::<ScanResult>(SCAN, lang, text);
    assert!(count > 40, "{count}");
    let missing = missing(text);
    let several = html::render_several(&[Ok(&result), Err(&missing), Ok(&result)], lang);
    vec![html::render(&result), several]
}

fn audit_reports(lang: Lang, text: &str) -> Vec<Markup> {
    let (result, count) = with_text_everywhere::<AuditResult>(AUDIT, lang, text);
    assert!(count > 40, "{count}");
    let (refused, _) = with_text_everywhere::<AuditResult>(REFUSED, lang, text);
    let missing = missing(text);
    let several = audit::html::render_several(&[Ok(&result), Err(&missing), Ok(&refused)], lang);
    vec![audit::html::render(&result), audit::html::render(&refused), several]
}

fn missing(text: &str) -> FailedTarget {
    FailedTarget { name: text.to_owned(), code: text.to_owned(), message: text.to_owned() }
}

fn compare(reports: impl Fn(Lang, &str) -> Vec<Markup>) {
    for lang in Lang::ALL {
        let plain: Vec<Vec<String>> = reports(lang, "x").iter().map(|one| shape(&one.0)).collect();
        // What begins like an address becomes a link, as any address does.
        let linked: Vec<Vec<String>> =
            reports(lang, "https://example.com/").iter().map(|one| shape(&one.0)).collect();
        for attack in attacks() {
            let plain = if attack.starts_with("https://") { &linked } else { &plain };
            for (hostile, plain) in reports(lang, &attack).iter().zip(plain) {
                assert_eq!(&shape(&hostile.0), plain, "{lang}: {attack}");
                assert!(!hostile.0.contains(['\u{202e}', '\u{0}', '\u{1b}', '\u{2028}']));
                assert!(!hostile.0.contains("href=\"javascript"), "{lang}");
            }
        }
    }
}

#[test]
fn hostile_texts_of_a_scan_are_no_elements_and_no_attributes() {
    compare(scan_reports);
}

#[test]
fn hostile_texts_of_an_audit_are_no_elements_and_no_attributes() {
    compare(audit_reports);
}
