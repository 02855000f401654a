//! What a scan says is what the description promises.
#![expect(clippy::indexing_slicing, reason = "a test that panics fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use jsonschema::Validator;
use serde_json::{Map, Value, json};
use visibility_core::error::{ErrorCode, ErrorObject, Problem};
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::text::locale::Lang;
use visibility_tests::typical;

fn description() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
    serde_json::from_str(&fs::read_to_string(path).expect("docs/openapi.json")).expect("JSON")
}

/// A validator of one schema, which keeps formats too.
fn validator(name: &str) -> Validator {
    let mut schema = description();
    schema["$ref"] = json!(format!("#/components/schemas/{name}"));
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&schema).expect("the schema can be used")
}

fn complaints(validator: &Validator, value: &Value) -> Vec<String> {
    validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// The results of all typical sites in both languages, and one without a score.
fn results() -> Vec<Value> {
    let mut results = Vec::new();
    for typical in typical::all() {
        let site = typical.site.scan().expect("it can be scanned");
        for lang in Lang::ALL {
            let result = ScanReport::evaluate(&site, &Selection::all()).result(lang);
            results.push(serde_json::to_value(result).expect("JSON"));
        }
    }
    results
}

#[test]
fn every_result_is_as_described() {
    let validator = validator("ScanResult");
    for result in results() {
        let found = complaints(&validator, &result);
        assert!(found.is_empty(), "{} {}: {found:#?}", result["domain"], result["lang"]);
    }
}

#[test]
fn a_result_that_is_not_as_described_is_found() {
    let validator = validator("ScanResult");
    let result = results().remove(0);
    for (pointer, wrong) in [
        ("/score", json!(101)),
        ("/score", json!("90")),
        ("/tier", json!("good")),
        ("/cached", Value::Null),
        ("/scanned_at", json!("yesterday")),
        ("/checks/0/status", json!("passed")),
        ("/agents/0/probe", json!({})),
    ] {
        let mut changed = result.clone();
        *changed.pointer_mut(pointer).expect("it is there") = wrong;
        assert!(!complaints(&validator, &changed).is_empty(), "{pointer}");
    }
    let mut shorter = result.clone();
    shorter.as_object_mut().expect("an object").remove("next_tier");
    assert!(!complaints(&validator, &shorter).is_empty());
    let mut longer = result;
    longer["later"] = json!("extension");
    assert!(complaints(&validator, &longer).is_empty(), "more members may come at any time");
}

/// Collects for each schema the members that were seen, and those that were seen as null.
fn collect(api: &Value, schema: &Value, value: &Value, seen: &mut BTreeSet<(String, String)>) {
    let schema = schema.pointer("/oneOf/0").unwrap_or(schema);
    let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) else {
        for item in value.as_array().into_iter().flatten() {
            collect(api, &schema["items"], item, seen);
        }
        return;
    };
    let described = &api["components"]["schemas"][name];
    // Of a tagged object, each kind has members of its own; the validator compares them.
    if described.get("oneOf").is_some() {
        return;
    }
    let members = &described["properties"];
    for (member, value) in value.as_object().into_iter().flatten() {
        seen.insert((name.to_owned(), member.clone()));
        collect(api, &members[member], value, seen);
    }
}

#[test]
fn every_member_of_a_result_is_described() {
    let api = description();
    let mut seen = BTreeSet::new();
    let schema = json!({ "$ref": "#/components/schemas/ScanResult" });
    for result in results() {
        collect(&api, &schema, &result, &mut seen);
    }
    assert!(seen.contains(&("AgentResult".to_owned(), "probe".to_owned())), "{seen:?}");
    for (name, member) in &seen {
        let described = api["components"]["schemas"][name]["properties"].get(member);
        assert!(described.is_some(), "{name}.{member} is not described");
    }
}

#[test]
fn every_error_is_as_described() {
    let validator = validator("Error");
    for code in ErrorCode::ALL {
        for object in [
            ErrorObject::new(code, "Text."),
            ErrorObject::new(code, "Text.")
                .hint("Do this.")
                .detail("fields", json!([{ "field": "domain" }])),
            Problem::new(code, "internal").detail("stage", "dns").object(Lang::Tr),
        ] {
            let body = serde_json::to_value(object.into_body()).expect("JSON");
            let found = complaints(&validator, &body);
            assert!(found.is_empty(), "{body}: {found:?}");
        }
    }
    for wrong in [
        json!({}),
        json!({ "error": "text" }),
        json!({ "error": { "code": "OTHER", "message": "Text." } }),
        json!({ "error": { "code": "NOT_FOUND" } }),
        json!({ "error": { "code": "NOT_FOUND", "message": "Text.", "details": "text" } }),
        json!({ "error": { "code": "NOT_FOUND", "message": "Text.", "hint": null } }),
    ] {
        assert!(!complaints(&validator, &wrong).is_empty(), "{wrong}");
    }
}

#[test]
fn every_example_is_as_described() {
    for file in ["openapi.json", "openapi-ingestion.json"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(file);
        let api: Value =
            serde_json::from_str(&fs::read_to_string(path).expect(file)).expect("JSON");
        let mut count = 0;
        for content in contents(&api["paths"]) {
            let mut schema = api.clone();
            schema
                .as_object_mut()
                .expect("an object")
                .extend(content["schema"].as_object().cloned().unwrap_or_else(Map::new));
            let validator = jsonschema::validator_for(&schema).expect("a schema");
            let several = content["examples"].as_object().into_iter().flatten();
            let examples =
                several.map(|(_, example)| &example["value"]).chain(content.get("example"));
            for example in examples {
                count += 1;
                let found = complaints(&validator, example);
                assert!(found.is_empty(), "{file}: {example}: {found:?}");
            }
        }
        assert!(count > 10, "{file}: {count}");
    }
}

/// All media type objects: what has a schema and an example.
fn contents(value: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    if value.get("schema").is_some()
        && (value.get("example").is_some() || value.get("examples").is_some())
        && value.get("in").is_none()
    {
        found.push(value);
        return found;
    }
    match value {
        Value::Object(members) => found.extend(members.values().flat_map(contents)),
        Value::Array(items) => found.extend(items.iter().flat_map(contents)),
        _ => {}
    }
    found
}
