//! What asks the client back before it answers (SEP-2322): a result lists what is wanted, and the client
//! sends its request again with that and with the state, which only this server can have written.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, InputRequiredResult,
    InputResponses,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{of, result};

/// The prompt that asks back.
pub(super) const PROMPT: &str = "test_input_required_result_prompt";
/// The tools that do.
pub(super) const TOOLS: [&str; 8] = [
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];
/// Unknown to the test suite.
const SECRET: &str = "conformance";

/// Calls one of the tools.
pub(super) fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let state = request.request_state.as_deref().map(opened).transpose()?;
    let given = |name: &str| request.input_responses.as_ref().and_then(|given| given.get(name));
    let has = |name: &str| given(name).is_some_and(Value::is_object);
    let said = match request.name.as_ref() {
        "test_input_required_result_elicitation" => match member(given("user_name"), "name") {
            Some(name) => format!("Hello, {name}!"),
            None => return Ok(name_of_the_user().into()),
        },
        "test_input_required_result_sampling" if has("capital_question") => {
            given("capital_question").map(Value::to_string).unwrap_or_default()
        }
        "test_input_required_result_sampling" => {
            let question = sampling("What is the capital of France?");
            return Ok(wanted(json!({ "capital_question": question }), None).into());
        }
        "test_input_required_result_list_roots" if has("client_roots") => {
            given("client_roots").map(Value::to_string).unwrap_or_default()
        }
        "test_input_required_result_list_roots" => {
            return Ok(wanted(json!({ "client_roots": roots() }), None).into());
        }
        "test_input_required_result_multiple_inputs" => {
            let all = ["user_name", "greeting", "client_roots"];
            if state.is_none() || !all.into_iter().all(has) {
                return Ok(all_at_once().into());
            }
            "All three are there".to_owned()
        }
        "test_input_required_result_multi_round" => match state.as_deref() {
            Some("round-2") if has("step2") => "Both rounds are done".to_owned(),
            Some("round-1") if has("step1") => {
                let next = elicitation("Step 2: What is your favorite color?", "color", "string");
                return Ok(wanted(json!({ "step2": next }), Some("round-2")).into());
            }
            _ => {
                let first = elicitation("Step 1: What is your name?", "name", "string");
                return Ok(wanted(json!({ "step1": first }), Some("round-1")).into());
            }
        },
        "test_input_required_result_capabilities" => return Ok(within_capabilities(context).into()),
        // Both tools with a state: they differ in what the suite does to it.
        _ if state.is_some() && has("confirm") => "state-ok".to_owned(),
        _ => {
            let confirm = elicitation("Please confirm", "ok", "boolean");
            return Ok(wanted(json!({ "confirm": confirm }), Some("confirm")).into());
        }
    };
    let said = json!({ "content": [{ "type": "text", "text": said }] });
    Ok(result::<CallToolResult>(said).into())
}

/// What the prompt is about, or the question for it.
pub(super) fn context(given: Option<&InputResponses>) -> Result<String, InputRequiredResult> {
    let response = given.and_then(|given| given.get("user_context"));
    member(response, "context").ok_or_else(|| {
        let question = elicitation("What context should the prompt use?", "context", "string");
        wanted(json!({ "user_context": question }), None)
    })
}

/// Asks for a name.
pub(super) fn name_of_the_user() -> InputRequiredResult {
    let question = elicitation("What is your name?", "name", "string");
    wanted(json!({ "user_name": question }), None)
}

fn all_at_once() -> InputRequiredResult {
    let requests = json!({
        "user_name": elicitation("What is your name?", "name", "string"),
        "greeting": sampling("Generate a greeting"),
        "client_roots": roots(),
    });
    wanted(requests, Some("all"))
}

/// Asks only for what the client says it can do.
fn within_capabilities(context: &RequestContext<RoleServer>) -> InputRequiredResult {
    let has = context.client_capabilities().unwrap_or_default();
    let mut requests = serde_json::Map::new();
    if has.sampling.is_some() {
        requests.insert("greeting".to_owned(), sampling("Generate a greeting"));
    }
    if has.elicitation.is_some() {
        let question = elicitation("What is your name?", "name", "string");
        requests.insert("user_name".to_owned(), question);
    }
    wanted(requests.into(), Some("capabilities"))
}

fn wanted(requests: Value, state: Option<&str>) -> InputRequiredResult {
    InputRequiredResult::new(Some(of(requests)), state.map(sealed))
}

/// A member of the content of an accepted elicitation.
fn member(response: Option<&Value>, name: &str) -> Option<String> {
    let response = response.filter(|response| response["action"] == "accept")?;
    response.get("content")?.get(name)?.as_str().map(str::to_owned)
}

fn elicitation(message: &str, name: &str, kind: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": { name: { "type": kind } },
        "required": [name],
    });
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    json!({ "method": "elicitation/create", "params": params })
}

fn sampling(question: &str) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": question } });
    let params = json!({ "messages": [message], "maxTokens": 100 });
    json!({ "method": "sampling/createMessage", "params": params })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

fn sealed(state: &str) -> String {
    format!("{state}.{}", seal(state))
}

fn opened(sealed: &str) -> Result<String, ErrorData> {
    let parts = sealed.split_once('.');
    let whole = parts.filter(|(state, of_it)| seal(state) == *of_it).map(|(state, _)| state);
    whole.map(str::to_owned).ok_or_else(|| ErrorData::invalid_params("the state is not ours", None))
}

fn seal(state: &str) -> String {
    let digest = Sha256::digest(format!("{SECRET}:{state}"));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
