//! A description as a reference for people: operations and schemas in words, before they are rendered as HTML or Markdown.

mod example;
mod kind;

use serde_json::Value;
use utoipa::openapi::OpenApi;

use crate::api::openapi::errors;

pub(super) use self::kind::TypeLabel;

/// A description, made ready to be shown.
pub(super) struct Reference {
    pub(super) about: String,
    /// How to show who one is.
    pub(super) bearer: String,
    pub(super) groups: Vec<Group>,
    pub(super) schemas: Vec<SchemaPart>,
}

/// Operations that belong together.
pub(super) struct Group {
    pub(super) operations: Vec<OperationPart>,
}

/// One operation.
pub(super) struct OperationPart {
    pub(super) id: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) summary: String,
    pub(super) description: String,
    /// Whether nothing is to be shown.
    pub(super) is_public: bool,
    /// Whether it is an extension of the contract.
    pub(super) is_extension: bool,
    pub(super) parameters: Vec<TableRow>,
    pub(super) body: Option<RequestBody>,
    pub(super) responses: Vec<ResponsePart>,
    /// A command that asks for it.
    pub(super) command: String,
}

/// A parameter, or a member of an object.
pub(super) struct TableRow {
    pub(super) name: String,
    /// Where a parameter is: path, query or header.
    pub(super) location: Option<String>,
    pub(super) kind: TypeLabel,
    pub(super) is_required: bool,
    pub(super) description: String,
}

/// What is sent.
pub(super) struct RequestBody {
    pub(super) media_type: String,
    pub(super) kind: TypeLabel,
    pub(super) description: String,
    pub(super) example: String,
}

/// What is answered with a status.
pub(super) struct ResponsePart {
    pub(super) status: String,
    pub(super) description: String,
    pub(super) kind: Option<TypeLabel>,
    pub(super) headers: Vec<String>,
    /// Whether any operation may answer so, for the same reasons.
    pub(super) is_common: bool,
    /// An example of a success.
    pub(super) example: Option<String>,
}

/// One schema: an object with members, or a word out of several.
pub(super) struct SchemaPart {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) rows: Vec<TableRow>,
    pub(super) values: Vec<String>,
}

/// The header that all answers have.
const EVERYWHERE: &str = "X-Request-Id";

/// A description and where the service is.
struct Source<'a> {
    api: &'a Value,
    url: String,
}

impl Reference {
    /// The reference of a description.
    pub(super) fn from_openapi(openapi: &OpenApi) -> Self {
        let api = serde_json::to_value(openapi).unwrap_or_default();
        let url = text(&api, "/servers/0/url");
        let source = Source { api: &api, url };
        let groups = list(&api, "/tags").iter().map(|tag| source.group(tag)).collect();
        let schemas = api.pointer("/components/schemas").and_then(Value::as_object);
        Self {
            about: text(&api, "/info/description"),
            bearer: text(&api, "/components/securitySchemes/bearer/description"),
            groups,
            schemas: schemas
                .into_iter()
                .flatten()
                .map(|(name, schema)| schema_part(&api, name, schema))
                .collect(),
        }
    }
}

impl Source<'_> {
    fn group(&self, tag: &Value) -> Group {
        let name = text(tag, "/name");
        let paths = self.api.get("paths").and_then(Value::as_object);
        let operations = paths.into_iter().flatten().flat_map(|(path, item)| {
            let methods = item.as_object().into_iter().flatten();
            methods.map(move |(method, operation)| (path, method, operation))
        });
        let of_group = operations
            .filter(|(_, _, operation)| text(operation, "/tags/0") == name)
            .map(|(path, method, operation)| self.operation(path, method, operation));
        Group { operations: of_group.collect() }
    }

    fn operation(&self, path: &str, method: &str, operation: &Value) -> OperationPart {
        let method = method.to_uppercase();
        let responses = operation.get("responses").and_then(Value::as_object).into_iter().flatten();
        OperationPart {
            id: text(operation, "/operationId"),
            summary: text(operation, "/summary"),
            description: text(operation, "/description"),
            is_public: operation.get("security").is_some(),
            is_extension: operation.get("x-service-extension").is_some(),
            parameters: list(operation, "/parameters").iter().map(parameter).collect(),
            body: operation.get("requestBody").and_then(body),
            responses: responses.map(|(status, answer)| self.response(status, answer)).collect(),
            command: self.command(path, &method, operation),
            path: path.to_owned(),
            method,
        }
    }

    fn response(&self, status: &str, response: &Value) -> ResponsePart {
        let content = response.pointer("/content/application~1json");
        let schema = content.and_then(|content| content.get("schema"));
        let example = content.and_then(|content| content.get("example"));
        let headers = response
            .get("headers")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone());
        let description = text(response, "/description");
        ResponsePart {
            status: status.to_owned(),
            kind: schema.map(TypeLabel::from_schema),
            headers: headers.filter(|name| name != EVERYWHERE).collect(),
            is_common: description.split("\n\n").all(errors::is_common),
            description,
            example: schema
                .zip(example)
                .map(|(schema, value)| example::ordered(self.api, schema, value)),
        }
    }

    /// The operation as a call of curl, with its examples filled in.
    fn command(&self, path: &str, method: &str, operation: &Value) -> String {
        let mut path = path.to_owned();
        let mut words = Vec::new();
        if operation.get("security").is_none() {
            words.push("-H \"Authorization: Bearer $TOKEN\"".to_owned());
        }
        for parameter in list(operation, "/parameters") {
            let name = text(parameter, "/name");
            let example = text(parameter, "/example");
            match text(parameter, "/in").as_str() {
                "path" => path = path.replace(&format!("{{{name}}}"), &example),
                "header" if is_true(parameter, "/required") => {
                    words.push(format!("-H '{name}: {example}'"));
                }
                _ => {}
            }
        }
        if let Some(body) = operation.get("requestBody").and_then(body) {
            words.push(format!("-H 'Content-Type: {}'", body.media_type));
            let is_json = body.media_type == "application/json";
            let data = if is_json {
                format!("-d '{}'", body.example)
            } else {
                "--data-binary @batch.ndjson".to_owned()
            };
            words.push(data);
        } else if method != "GET" {
            words.push(format!("-X {method}"));
        }
        words.insert(0, format!("curl {}{path}", self.url));
        words.join(" \\\n  ")
    }
}

fn parameter(parameter: &Value) -> TableRow {
    TableRow {
        name: text(parameter, "/name"),
        location: Some(text(parameter, "/in")),
        kind: TypeLabel::from_schema(parameter.get("schema").unwrap_or(&Value::Null)),
        is_required: is_true(parameter, "/required"),
        description: text(parameter, "/description"),
    }
}

fn body(body: &Value) -> Option<RequestBody> {
    let (media_type, content) = body.get("content")?.as_object()?.iter().next()?;
    let example = content.get("example").cloned().unwrap_or_default();
    Some(RequestBody {
        media_type: media_type.clone(),
        kind: TypeLabel::from_schema(content.get("schema")?),
        description: text(body, "/description"),
        example: example.as_str().map_or_else(|| example.to_string(), str::to_owned),
    })
}

fn schema_part(api: &Value, name: &str, schema: &Value) -> SchemaPart {
    SchemaPart {
        name: name.to_owned(),
        description: text(schema, "/description"),
        rows: members(api, schema).into_iter().map(row).collect(),
        values: list(schema, "/enum").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}

/// The members of an object with their schemas, and whether they are always there: those that are in
/// their order, then the others.
fn members<'a>(api: &'a Value, schema: &'a Value) -> Vec<(&'a str, &'a Value, bool)> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = reference.strip_prefix('#').and_then(|pointer| api.pointer(pointer));
        return target.map(|schema| members(api, schema)).unwrap_or_default();
    }
    let parts = list(schema, "/allOf");
    let mut found: Vec<(&str, &Value, bool)> =
        parts.iter().flat_map(|part| members(api, part)).collect();
    let Some(all) = schema.get("properties").and_then(Value::as_object) else { return found };
    let required = list(schema, "/required");
    for name in required.iter().filter_map(Value::as_str) {
        found.extend(all.get(name).map(|member| (name, member, true)));
    }
    let others = all.iter().filter(|(name, _)| !required.iter().any(|known| known == *name));
    found.extend(others.map(|(name, member)| (name.as_str(), member, false)));
    found
}

fn row((name, member, is_required): (&str, &Value, bool)) -> TableRow {
    TableRow {
        name: name.to_owned(),
        location: None,
        kind: TypeLabel::from_schema(member),
        is_required,
        description: described(member),
    }
}

/// What a member says of itself; one that may be null says it beside its reference.
fn described(member: &Value) -> String {
    let own = text(member, "/description");
    if own.is_empty() { text(member, "/oneOf/0/description") } else { own }
}

/// A text at a place of a description; empty if it is missing.
fn text(value: &Value, pointer: &str) -> String {
    match value.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn is_true(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).and_then(Value::as_bool).unwrap_or(false)
}
