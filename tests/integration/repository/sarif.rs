//! What is written as SARIF keeps to the specification, and to what GitHub takes of it.
//!
//! The schema is our own extract of <https://docs.oasis-open.org/sarif/sarif/v2.1.0/>: the parts that are
//! written, and nothing beside them.

use jsonschema::Validator;
use serde_json::{Value, json};
use visibility_core::audit::result::AuditResult;
use visibility_core::locale::Lang;
use visibility_core::report::audit::Audited;
use visibility_core::report::junit::Missing;
use visibility_core::report::sarif;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::result::ScanResult;
use visibility_tests::typical;

use super::root;

/// An object with these members, of which some may be absent.
fn object(members: Value, optional: &[&str]) -> Value {
    let required: Vec<&String> = members
        .as_object()
        .map(|members| members.keys().filter(|key| !optional.contains(&key.as_str())).collect())
        .unwrap_or_default();
    json!({
        "type": "object", "additionalProperties": false, "required": required, "properties": members
    })
}

fn schema() -> Value {
    let text = json!({ "type": "string", "minLength": 1, "maxLength": 1000 });
    let message = object(json!({ "text": text }), &[]);
    let snippet = object(json!({ "text": { "type": "string" } }), &[]);
    let region = object(
        json!({ "startLine": { "type": "integer", "minimum": 1 }, "snippet": snippet }),
        &["snippet"],
    );
    let artifact = object(
        json!({
            "uri": { "type": "string", "format": "uri-reference", "minLength": 1 },
            "uriBaseId": { "const": "%SRCROOT%" }
        }),
        &["uriBaseId"],
    );
    let physical = object(json!({ "artifactLocation": artifact, "region": region }), &["region"]);
    let location = object(
        json!({ "id": { "type": "integer", "minimum": 0 }, "physicalLocation": physical }),
        &["id"],
    );
    let places = json!({ "type": "array", "minItems": 1, "maxItems": 10, "items": location });
    let level = json!({ "enum": ["error", "warning", "note"] });
    let rule = object(
        json!({
            "id": { "type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$" },
            "name": { "type": "string", "pattern": "^[A-Z][A-Za-z0-9]*$" },
            "shortDescription": message,
            "fullDescription": message,
            "helpUri": { "type": "string", "format": "uri", "pattern": "^https://" },
            "help": object(json!({ "text": text, "markdown": { "type": "string", "minLength": 1 } }), &[]),
            "properties": object(
                json!({ "tags": {
                    "type": "array", "minItems": 1, "maxItems": 20, "uniqueItems": true,
                    "items": { "type": "string", "minLength": 1 }
                } }),
                &[],
            ),
        }),
        &["helpUri"],
    );
    let result = object(
        json!({
            "ruleId": { "type": "string" },
            "ruleIndex": { "type": "integer", "minimum": 0 },
            "level": level,
            "message": message,
            "locations": { "type": "array", "minItems": 1, "maxItems": 1, "items": location },
            "relatedLocations": places,
            "partialFingerprints": object(
                json!({
                    "primaryLocationLineHash": { "type": "string", "pattern": "^[0-9a-f]{16}:1$" },
                    "finding/v1": { "type": "string", "pattern": "^[0-9a-f]{16}$" }
                }),
                &[],
            ),
            "properties": object(
                json!({
                    "about": { "type": "string" }, "css": { "type": "string" }, "points": { "type": "number" }
                }),
                &["css"],
            ),
        }),
        &["relatedLocations"],
    );
    let notification =
        object(json!({ "level": level, "message": message, "locations": places }), &["locations"]);
    let invocation = object(
        json!({
            "executionSuccessful": { "type": "boolean" },
            "toolExecutionNotifications": { "type": "array", "minItems": 1, "items": notification }
        }),
        &["toolExecutionNotifications"],
    );
    let run = object(
        json!({
            "tool": object(json!({ "driver": object(
                json!({
                    "name": { "const": "visibility" },
                    "semanticVersion": { "type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+" },
                    "informationUri": { "type": "string", "format": "uri" },
                    "rules": { "type": "array", "items": rule }
                }),
                &[],
            ) }), &[]),
            "language": { "enum": ["en", "tr"] },
            "invocations": { "type": "array", "minItems": 1, "maxItems": 1, "items": invocation },
            "automationDetails": object(
                json!({ "id": { "enum": ["visibility/audit/", "visibility/scan/"] } }),
                &[],
            ),
            "columnKind": { "enum": ["utf16CodeUnits", "unicodeCodePoints"] },
            "results": { "type": "array", "items": result }
        }),
        &[],
    );
    object(
        json!({
            "$schema": { "const": "https://json.schemastore.org/sarif-2.1.0.json" },
            "version": { "const": "2.1.0" },
            "runs": { "type": "array", "minItems": 1, "maxItems": 1, "items": run }
        }),
        &[],
    )
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
        let report = ScanReport::of(&site, &Selection::all());
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
    let missing = Missing {
        name: "<gone> {0}".to_owned(),
        code: "X".to_owned(),
        message: "\u{1b}[31m[x](y)".to_owned(),
    };
    let files =
        [None, Some("a.html"), Some("a b/ç:%.html"), Some("../x"), Some("/srv/x"), Some("\n")];
    for file in files {
        let mut results: Vec<Result<Audited<'_>, &Missing>> =
            pages.iter().map(|result| Ok(Audited { result, file })).collect();
        results.push(Err(&missing));
        let log = sarif::audits(&results).expect("a log");
        assert_eq!(complaints(&log), Vec::<String>::new(), "{file:?}");
    }
    assert_eq!(complaints(&sarif::audits(&[]).expect("a log")), Vec::<String>::new());
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
