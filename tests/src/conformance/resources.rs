//! The resources: a text, an image and a template.

use rmcp::model::{ReadResourceResult, Resource, ResourceTemplate};
use serde_json::{Value, json};

use super::tools::PNG;
use super::{of, result};

const TEMPLATE: [&str; 2] = ["test://template/", "/data"];

/// The resources as they are listed.
pub(super) fn all() -> Vec<Resource> {
    of(json!([
        {
            "uri": "test://static-text",
            "name": "static-text",
            "description": "A text",
            "mimeType": "text/plain",
        },
        {
            "uri": "test://static-binary",
            "name": "static-binary",
            "description": "An image",
            "mimeType": "image/png",
        },
    ]))
}

/// The template as it is listed.
pub(super) fn template() -> ResourceTemplate {
    of(json!({
        "uriTemplate": TEMPLATE.join("{id}"),
        "name": "template",
        "description": "Data about an id",
        "mimeType": "application/json",
    }))
}

/// The resource at an address.
pub(super) fn read(uri: &str) -> Option<ReadResourceResult> {
    let contents = match uri {
        "test://static-text" => json!({
            "uri": uri,
            "mimeType": "text/plain",
            "text": "This is the content of the static text resource.",
        }),
        "test://static-binary" => json!({ "uri": uri, "mimeType": "image/png", "blob": PNG }),
        _ => about_an_id(uri)?,
    };
    Some(result(json!({ "contents": [contents] })))
}

fn about_an_id(uri: &str) -> Option<Value> {
    let [before, after] = TEMPLATE;
    let id = uri.strip_prefix(before)?.strip_suffix(after)?;
    let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
    Some(json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() }))
}
