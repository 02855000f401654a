//! The prompts: with arguments, a resource, an image, and one that asks back.

use rmcp::model::{
    CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Prompt, Reference,
};
use serde_json::{Value, json};

use super::tools::PNG;
use super::{input, of, result};

/// The prompts as they are listed.
pub(super) fn all() -> Vec<Prompt> {
    let argument = |name: &str| json!({ "name": name, "description": name, "required": true });
    of(json!([
        { "name": "test_simple_prompt", "description": "A text" },
        {
            "name": "test_prompt_with_arguments",
            "description": "A text with two arguments",
            "arguments": [argument("arg1"), argument("arg2")],
        },
        {
            "name": "test_prompt_with_embedded_resource",
            "description": "A resource and a text",
            "arguments": [argument("resourceUri")],
        },
        { "name": "test_prompt_with_image", "description": "An image and a text" },
        { "name": input::PROMPT, "description": "A text about what the client is asked for" },
    ]))
}

/// A prompt; `None` for any other name.
pub(super) fn get(request: &GetPromptRequestParams) -> Option<GetPromptResponse> {
    let given = |name: &str| {
        let argument = request.arguments.as_ref().and_then(|arguments| arguments.get(name));
        argument.and_then(Value::as_str).unwrap_or_default()
    };
    let contents = match request.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (arg1, arg2) = (given("arg1"), given("arg2"));
            vec![text(&format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let resource = json!({
                "uri": given("resourceUri"),
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            });
            let embedded = json!({ "type": "resource", "resource": resource });
            vec![embedded, text("Please process the embedded resource above.")]
        }
        "test_prompt_with_image" => vec![
            json!({ "type": "image", "data": PNG, "mimeType": "image/png" }),
            text("Please analyze the image above."),
        ],
        input::PROMPT => match input::context(request.input_responses.as_ref()) {
            Ok(context) => vec![text(&format!("Work with this context: {context}"))],
            Err(wanted) => return Some(wanted.into()),
        },
        _ => return None,
    };
    let messages: Vec<Value> =
        contents.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    Some(result::<GetPromptResult>(json!({ "messages": messages })).into())
}

/// Values for an argument of a prompt; `None` for any other name.
pub(super) fn complete(request: &CompleteRequestParams) -> Option<CompleteResult> {
    let Reference::Prompt(prompt) = &request.r#ref else { return None };
    let is_ours = all().iter().any(|ours| ours.name == prompt.name);
    is_ours.then(|| {
        let begun = &request.argument.value;
        result(json!({ "completion": { "values": [format!("{begun}-1"), format!("{begun}-2")] } }))
    })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}
