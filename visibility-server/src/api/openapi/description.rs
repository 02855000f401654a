//! Parts that both OpenAPI descriptions share.

use utoipa::ToSchema;
use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::schema::{Schema, SchemaType};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Info, License, OpenApi, RefOr, Server, Tag, Type};
use visibility_core::error::ErrorCode;
use visibility_core::text::locale::{Catalog, Lang};

use super::headers;

/// Version of both APIs.
const VERSION: &str = "1.0.0";
/// Name of the way to show a token.
const BEARER: &str = "bearer";
/// Schemas whose members may be absent; of the others, all are always there.
const PARTIAL: [&str; 5] = ["AuditRequest", "ErrorObject", "Health", "Rejection", "Series"];

/// What a description says of itself.
pub(in crate::api) struct ApiInfo<'a> {
    pub(in crate::api) title: &'a str,
    pub(in crate::api) text: &'a str,
    pub(in crate::api) url: &'a str,
    pub(in crate::api) bearer: &'a str,
    pub(in crate::api) bearer_format: &'a str,
    pub(in crate::api) tags: Vec<Tag>,
}

/// Adds the schema of a type, and those of its parts.
pub(in crate::api) fn add<T: ToSchema>(openapi: &mut OpenApi) {
    let mut schemas = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut schemas);
    openapi.components.get_or_insert_default().schemas.extend(schemas);
}

/// Completes a description that has operations and schemas.
pub(in crate::api) fn finish(mut openapi: OpenApi, about: ApiInfo<'_>) -> OpenApi {
    let mut license = License::new("MIT OR Apache-2.0");
    license.identifier = Some("MIT OR Apache-2.0".to_owned());
    let mut info = Info::new(about.title, VERSION);
    info.description = Some(about.text.to_owned());
    info.license = Some(license);
    openapi.info = info;
    openapi.servers = Some(vec![Server::new(about.url)]);
    openapi.tags = Some(about.tags);
    openapi.security = Some(vec![SecurityRequirement::new(BEARER, [""; 0])]);
    let scheme = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format(about.bearer_format)
        .description(Some(about.bearer));
    let components = openapi.components.get_or_insert_default();
    components.add_security_scheme(BEARER, SecurityScheme::Http(scheme.build()));
    for (name, schema) in &mut components.schemas {
        if !PARTIAL.contains(&name.as_str()) {
            require_all(schema);
        }
    }
    for (_, operation) in operations_mut(&mut openapi) {
        // `[{}]` says that a token may be sent, `[]` that none is asked for.
        if operation.security.as_deref() == Some(&[SecurityRequirement::default()]) {
            operation.security = Some(Vec::new());
        }
        let id = operation.operation_id.clone().unwrap_or_default();
        operation.summary = Some(summary(&id, Lang::En));
        operation.parameters.iter_mut().flatten().for_each(complete_parameter);
    }
    list_codes(&mut openapi);
    headers::define(&mut openapi);
    openapi
}

/// A parameter is there or not, but never null.
fn complete_parameter(parameter: &mut RefOr<Parameter>) {
    let RefOr::T(parameter) = parameter else { return };
    let Some(RefOr::T(Schema::Object(schema))) = &mut parameter.schema else { return };
    if let SchemaType::Array(kinds) = &schema.schema_type {
        let kind = kinds.iter().find(|kind| **kind != Type::Null).cloned();
        schema.schema_type = kind.map_or(SchemaType::AnyValue, SchemaType::Type);
    }
    if parameter.name == "lang" {
        schema.default = Some(Lang::default().as_str().into());
    }
}

/// Says what each code means.
fn list_codes(openapi: &mut OpenApi) {
    let schemas = &mut openapi.components.get_or_insert_default().schemas;
    if let Some(RefOr::T(Schema::Object(codes))) = schemas.get_mut("ErrorCode") {
        let rows = ErrorCode::ALL.map(|code| format!("* `{}`: {}", code.as_str(), code.meaning()));
        codes.description = Some(format!("What went wrong.\n\n{}", rows.join("\n")));
    }
}

/// What an operation does, in a few words.
pub(crate) fn summary(operation_id: &str, lang: Lang) -> String {
    Catalog::for_lang(lang).text(&["operations", operation_id])
}

/// Says that all members of an object are always there, if only as null.
fn require_all(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => {
            object.required = object.properties.keys().cloned().collect();
        }
        RefOr::T(Schema::AllOf(all)) => all.items.iter_mut().for_each(require_all),
        RefOr::T(_) | RefOr::Ref(_) => {}
    }
}

/// The operations of a description with their methods and paths.
pub(crate) fn operations(openapi: &OpenApi) -> Vec<(&'static str, &str, &Operation)> {
    let mut operations = Vec::new();
    for (path, item) in &openapi.paths.paths {
        let both = [("GET", &item.get), ("POST", &item.post)];
        let there =
            both.into_iter().filter_map(|(method, operation)| Some((method, operation.as_ref()?)));
        operations.extend(there.map(|(method, operation)| (method, path.as_str(), operation)));
    }
    operations
}

fn operations_mut(openapi: &mut OpenApi) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let items = openapi.paths.paths.values_mut();
    items.flat_map(|item| {
        [("GET", &mut item.get), ("POST", &mut item.post)]
            .into_iter()
            .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
    })
}
