//! JSON Schemas that every client can read.
//!
//! Some clients refuse a whole list of tools because of one `$ref`, `anyOf` or list of types, so the schemas
//! use none of them: an optional member is left out of a result and is never `null`.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::mcp::untrusted;

/// The schema of the arguments of a tool, with what its fields are for.
pub(crate) fn input_schema<T: JsonSchema>() -> JsonObject {
    let mut schema = generate::<T>();
    schema.remove("description");
    flatten_members(&mut schema, SchemaPurpose::Input);
    schema
}

/// The schema of what a tool returns: names and types, as every client pays for its length,
/// and what a site wrote itself.
pub(crate) fn output_schema<T: JsonSchema>() -> JsonObject {
    let mut schema = generate::<T>();
    flatten_members(&mut schema, SchemaPurpose::Output);
    schema
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum SchemaPurpose {
    Input,
    Output,
}

fn generate<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    match schema.to_value() {
        Value::Object(mut members) => {
            // Without fields there are none.
            members.entry("properties").or_insert_with(|| Value::Object(JsonObject::new()));
            members
        }
        _ => JsonObject::new(),
    }
}

fn flatten(schema: &mut Value, purpose: SchemaPurpose) {
    let Value::Object(members) = schema else { return };
    flatten_members(members, purpose);
}

fn flatten_members(members: &mut JsonObject, purpose: SchemaPurpose) {
    members.remove("title");
    // Widths of integers, which mean nothing outside Rust.
    members.remove("format");
    let is_mark = members.get("description").and_then(Value::as_str) == Some(untrusted::MARK);
    if purpose == SchemaPurpose::Output {
        for member in ["required", "minimum", "maximum"] {
            members.remove(member);
        }
        if !is_mark {
            members.remove("description");
        }
    }
    settle_enumeration(members);
    settle_nullable(members);
    members.remove("default");
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        for property in properties.values_mut() {
            flatten(property, purpose);
        }
    }
    for part in ["items", "additionalProperties"] {
        if let Some(part) = members.get_mut(part) {
            flatten(part, purpose);
        }
    }
    if purpose == SchemaPurpose::Output {
        name_rows(members);
    }
}

/// Rows are described by the names of their members: a schema for each would be most of the list.
fn name_rows(members: &mut JsonObject) {
    let Some(Value::Object(items)) = members.get_mut("items") else { return };
    let Some(Value::Object(properties)) = items.remove("properties") else { return };
    let names: Vec<String> = properties
        .iter()
        .map(|(name, schema)| {
            let mark = [Some(schema), schema.get("items")]
                .into_iter()
                .flatten()
                .find_map(|schema| schema.get("description"));
            match mark.and_then(Value::as_str) {
                Some(mark) => format!("{name} ({mark})"),
                None => name.clone(),
            }
        })
        .collect();
    members.insert("description".to_owned(), names.join(", ").into());
}

/// An enumeration whose values are described each is one of `const`s; here it is a list.
fn settle_enumeration(members: &mut JsonObject) {
    let Some(Value::Array(variants)) = members.get("oneOf") else { return };
    let values: Option<Vec<Value>> =
        variants.iter().map(|variant| variant.get("const").cloned()).collect();
    if let Some(values) = values {
        members.remove("oneOf");
        members.insert("type".to_owned(), "string".into());
        members.insert("enum".to_owned(), values.into());
    }
    if members.contains_key("enum") {
        // The values explain themselves.
        members.remove("description");
    }
}

/// Removes `null` from the types and values: an optional member is left out instead.
fn settle_nullable(members: &mut JsonObject) {
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            members.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(parts)) = members.get("anyOf") else { return };
    let real: Vec<&Value> =
        parts.iter().filter(|part| part.get("type") != Some(&"null".into())).collect();
    if let [Value::Object(only)] = real[..] {
        let only = only.clone();
        members.remove("anyOf");
        members.extend(only);
        settle_enumeration(members);
    }
}
