//! The tools: each kind of content, an error, progress, and what needs a capability of the client.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, ProgressNotificationParam,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{input, of, result};

/// A red pixel, as PNG in Base64.
pub(super) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// No sound at all, as WAV in Base64.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
/// Time between two words about the progress.
const PAUSE: Duration = Duration::from_millis(50);

const NAMES: [&str; 10] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_logging_tool",
    "test_missing_capability",
    "test_streaming_elicitation",
];

/// The tool with an argument that travels as a header too (SEP-2243).
const HEADER: &str = "test_header_argument";
/// The tool whose schema nothing may be taken from (SEP-2106).
const SCHEMA: &str = "json_schema_2020_12_tool";

/// The tools as they are listed.
pub(super) fn all() -> Vec<Tool> {
    let none = json!({ "type": "object", "properties": {} });
    let names = NAMES.iter().chain(&input::TOOLS);
    let plain = names.map(|name| fixture(name, &none));
    let header = json!({
        "type": "object",
        "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
    });
    plain.chain([fixture(HEADER, &header), fixture(SCHEMA, &schema())]).collect()
}

fn fixture(name: &str, schema: &Value) -> Tool {
    of(json!({
        "name": name,
        "description": "A fixture of the conformance suite",
        "inputSchema": schema,
    }))
}

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "city": { "type": "string" } },
            },
        },
        "properties": {
            "address": { "$ref": "#/$defs/address" },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "required": ["phone"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// Calls one of them.
pub(super) async fn call(
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let content = match request.name.as_ref() {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image()]),
        "test_audio_content" => json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }]),
        "test_embedded_resource" => {
            let words = "This is an embedded resource content.";
            json!([resource("test://embedded-resource", "text/plain", words)])
        }
        "test_multiple_content_types" => {
            let data = json!({ "test": "data", "value": 123 }).to_string();
            json!([
                text("Multiple content types test:"),
                image(),
                resource("test://mixed-content-resource", "application/json", &data),
            ])
        }
        "test_error_handling" => {
            let content = json!([text("This tool intentionally returns an error for testing")]);
            let failed = json!({ "content": content, "isError": true });
            return Ok(result::<CallToolResult>(failed).into());
        }
        "test_tool_with_progress" => {
            tell_progress(context).await?;
            json!([text("Done in three steps")])
        }
        HEADER | SCHEMA => json!([text("The arguments are read")]),
        "test_logging_tool" => json!([text("Logged nothing, as nothing was asked for")]),
        "test_missing_capability" => {
            let has_sampling =
                context.client_capabilities().is_some_and(|has| has.sampling.is_some());
            if !has_sampling {
                let required = of(json!({ "sampling": {} }));
                return Err(ErrorData::missing_required_client_capability(required));
            }
            json!([text("The client can sample")])
        }
        // What the client is asked for is in the result, and the stream ends with it.
        "test_streaming_elicitation" => return Ok(input::name_of_the_user().into()),
        _ => return input::call(&request, context),
    };
    Ok(result::<CallToolResult>(json!({ "content": content })).into())
}

async fn tell_progress(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    for (step, progress) in [0.0, 50.0, 100.0].into_iter().enumerate() {
        if step > 0 {
            sleep(PAUSE).await;
        }
        let Some(token) = context.meta.get_progress_token() else { continue };
        let mut said = ProgressNotificationParam::new(token, progress);
        said.total = Some(100.0);
        let sent = context.peer.notify_progress(said).await;
        sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    }
    Ok(())
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn image() -> Value {
    json!({ "type": "image", "data": PNG, "mimeType": "image/png" })
}

fn resource(uri: &str, media_type: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": media_type, "text": text } })
}
