//! What is written as SARIF keeps to the specification, and to what GitHub takes of it.
//!
//! The schema is our own extract of <https://docs.oasis-open.org/sarif/sarif/v2.1.0/>: the parts that are
//! written, and nothing beside them.

use chrono::DateTime;
use jsonschema::Validator;
use serde_json::{Value, json};
use visibility_core::audit::audit;
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::snapshot::{AuditId, PageSnapshot};
use visibility_core::report::audit::Audited;
use visibility_core::report::junit::FailedTarget;
use visibility_core::report::sarif;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::result::ScanResult;
use visibility_core::text::locale::Lang;
use visibility_tests::typical;

use super::{files, root};

/// An object with these members, of which some may be absent.
fn object(members: &Value, optional: &[&str]) -> Value {
    let required: Vec<&String> = members
        .as_object()
        .map(|members| members.keys().filter(|key| !optional.contains(&key.as_str())).collect())
        .unwrap_or_default();
    json!({
        "type": "object", "additionalProperties": false, "required": required, "properties": members
    })
}

fn text() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": 1000 })
}

fn message() -> Value {
    object(&json!({ "text": text() }), &[])
}

fn level() -> Value {
    json!({ "enum": ["error", "warning", "note"] })
}

fn location() -> Value {
    let snippet = object(&json!({ "text": { "type": "string" } }), &[]);
    let region = json!({ "startLine": { "type": "integer", "minimum": 1 }, "snippet": snippet });
    let artifact = json!({
        "uri": { "type": "string", "format": "uri-reference", "minLength": 1 },
        "uriBaseId": { "const": "%SRCROOT%" }
    });
    let physical = json!({
        "artifactLocation": object(&artifact, &["uriBaseId"]), "region": object(&region, &["snippet"])
    });
    let location = json!({
        "id": { "type": "integer", "minimum": 0 }, "physicalLocation": object(&physical, &["region"])
    });
    object(&location, &["id"])
}

fn locations(max: usize) -> Value {
    json!({ "type": "array", "minItems": 1, "maxItems": max, "items": location() })
}

fn rule() -> Value {
    let help = json!({ "text": text(), "markdown": { "type": "string", "minLength": 1 } });
    let tags = json!({ "tags": {
        "type": "array", "minItems": 1, "maxItems": 20, "uniqueItems": true,
        "items": { "type": "string", "minLength": 1 }
    } });
    let rule = json!({
        "id": { "type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$" },
        "name": { "type": "string", "pattern": "^[A-Z][A-Za-z0-9]*$" },
        "shortDescription": message(),
        "fullDescription": message(),
        "helpUri": { "type": "string", "format": "uri", "pattern": "^https://" },
        "help": object(&help, &[]),
        "properties": object(&tags, &[]),
    });
    object(&rule, &["helpUri"])
}

fn result() -> Value {
    let prints = json!({
        "primaryLocationLineHash": { "type": "string", "pattern": "^[0-9a-f]{16}:1$" },
        "finding/v1": { "type": "string", "pattern": "^[0-9a-f]{16}$" }
    });
    let properties = json!({
        "about": { "type": "string" }, "css": { "type": "string" }, "points": { "type": "number" }
    });
    let result = json!({
        "ruleId": { "type": "string" },
        "ruleIndex": { "type": "integer", "minimum": 0 },
        "level": level(),
        "message": message(),
        "locations": locations(1),
        "relatedLocations": locations(10),
        "partialFingerprints": object(&prints, &[]),
        "properties": object(&properties, &["css"]),
    });
    object(&result, &["relatedLocations"])
}

fn invocation() -> Value {
    let notification = json!({ "level": level(), "message": message(), "locations": locations(1) });
    let notification = object(&notification, &["locations"]);
    let invocation = json!({
        "executionSuccessful": { "type": "boolean" },
        "toolExecutionNotifications": { "type": "array", "minItems": 1, "items": notification }
    });
    object(&invocation, &["toolExecutionNotifications"])
}

fn schema() -> Value {
    let driver = json!({
        "name": { "const": "visibility" },
        "semanticVersion": { "type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+" },
        "informationUri": { "type": "string", "format": "uri" },
        "rules": { "type": "array", "items": rule() }
    });
    let category = json!({ "id": { "enum": ["visibility/audit/", "visibility/scan/"] } });
    let run = json!({
        "tool": object(&json!({ "driver": object(&driver, &[]) }), &[]),
        "language": { "enum": ["en", "tr"] },
        "invocations": { "type": "array", "minItems": 1, "maxItems": 1, "items": invocation() },
        "automationDetails": object(&category, &[]),
        "columnKind": { "enum": ["utf16CodeUnits", "unicodeCodePoints"] },
        "results": { "type": "array", "items": result() }
    });
    let log = json!({
        "$schema": { "const": "https://json.schemastore.org/sarif-2.1.0.json" },
        "version": { "const": "2.1.0" },
        "runs": { "type": "array", "minItems": 1, "maxItems": 1, "items": object(&run, &[]) }
    });
    object(&log, &[])
}

fn validator() -> Validator {
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&schema()).expect("the schema can be used")
}

fn complaints(log: &str) -> Vec<String> {
    let log: Value = serde_json::from_str(log).expect("JSON");
    let found = validator();
    found.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn sample<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = root().join("visibility-core/testdata/reports").join(name);
    let text = std::fs::read_to_string(path).expect("a sample");
    serde_json::from_str(&text).expect("a result")
}

#[test]
fn scans_of_all_typical_sites_keep_to_the_schema() {
    let mut results: Vec<ScanResult> = vec![sample("hostile.json")];
    for typical in typical::all() {
        let site = typical.site.scan().expect("it can be scanned");
        let report = ScanReport::evaluate(&site, &Selection::all());
        results.extend(Lang::ALL.map(|lang| report.result(lang)));
    }
    for result in &results {
        let log = sarif::scans(&[Ok(result)]).expect("a log");
        assert_eq!(complaints(&log), Vec::<String>::new(), "{}", result.domain);
    }
    let all: Vec<_> = results.iter().map(Ok).collect();
    assert_eq!(complaints(&sarif::scans(&all).expect("a log")), Vec::<String>::new());
}

#[test]
fn audits_keep_to_the_schema_whatever_pages_and_paths_hold() {
    let pages: [AuditResult; 2] = [sample("hostile_audit.json"), sample("refused_audit.json")];
    let missing = FailedTarget {
        name: "<gone> {0}".to_owned(),
        code: "X".to_owned(),
        message: "\u{1b}[31m[x](y)".to_owned(),
    };
    let files =
        [None, Some("a.html"), Some("a b/ç:%.html"), Some("../x"), Some("/srv/x"), Some("\n")];
    for file in files {
        let mut results: Vec<Result<Audited<'_>, &FailedTarget>> =
            pages.iter().map(|result| Ok(Audited { result, file })).collect();
        results.push(Err(&missing));
        let log = sarif::audits(&results).expect("a log");
        assert_eq!(complaints(&log), Vec::<String>::new(), "{file:?}");
    }
    assert_eq!(complaints(&sarif::audits(&[]).expect("a log")), Vec::<String>::new());
}

#[test]
fn audits_of_real_pages_keep_to_the_schema() {
    let folder = root().join("tests/src/pages");
    let pages = files(&folder, "html");
    assert!(!pages.is_empty(), "{}", folder.display());
    for page in pages {
        let name = page.strip_prefix(root()).unwrap_or(&page).to_string_lossy().into_owned();
        let body = std::fs::read(&page).expect("a page");
        let id = AuditId::from_content([body.as_slice()]);
        let snapshot = PageSnapshot::from_file(id, &name, None, body, DateTime::UNIX_EPOCH);
        let report = audit(&snapshot);
        for lang in Lang::ALL {
            let result = report.result(lang);
            let log = sarif::audits(&[Ok(Audited { result: &result, file: Some(&name) })]);
            assert_eq!(complaints(&log.expect("a log")), Vec::<String>::new(), "{name}");
        }
    }
}

#[test]
fn a_log_that_breaks_the_schema_is_found() {
    let page: AuditResult = sample("hostile_audit.json");
    let good = sarif::audits(&[Ok(Audited { result: &page, file: None })]).expect("a log");
    for (from, to) in [
        ("\"2.1.0\"", "\"2.0.0\""),
        ("\"level\": \"error\"", "\"level\": \"fatal\""),
        ("\"startLine\": 12", "\"startLine\": 0"),
        ("\"ruleIndex\"", "\"rule\""),
    ] {
        assert!(good.contains(from), "{from}");
        assert!(!complaints(&good.replace(from, to)).is_empty(), "{from}");
    }
}
