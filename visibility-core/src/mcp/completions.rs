//! Completions for arguments of prompts and for variables of resource URIs.

use crate::agents::Registry;
use crate::scan::checks::CHECKS;
use crate::text::locale::Lang;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};

use crate::mcp::{prompts, resources};
use crate::rubric::fix::Platform;

/// Completes a value.
///
/// # Errors
///
/// When there is no such prompt and no such template.
pub(crate) fn complete(
    request: &CompleteRequestParams,
    has_traffic: bool,
) -> Result<CompleteResult, ErrorData> {
    let argument = request.argument.name.as_str();
    let (has_argument, is_check) = match &request.r#ref {
        Reference::Prompt(prompt) => {
            let mut arguments =
                prompts::arguments(&prompt.name, has_traffic).ok_or_else(|| unknown("prompt"))?;
            (arguments.any(|name| name == argument), false)
        }
        Reference::Resource(resource) => {
            let mut templates = resources::templates().into_iter();
            if !templates.any(|template| template.uri_template == resource.uri) {
                return Err(unknown("resource template"));
            }
            (resource.uri.contains(&format!("{{{argument}}}")), resource.uri.contains("/check/"))
        }
        _ => return Err(unknown("prompt")),
    };
    let typed = request.argument.value.to_ascii_lowercase();
    let mut found = if has_argument { values(argument, is_check, &typed) } else { Vec::new() };
    let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let has_more = found.len() > CompletionInfo::MAX_VALUES;
    found.truncate(CompletionInfo::MAX_VALUES);
    let completion = CompletionInfo::with_pagination(found, Some(total), has_more)
        .map_err(|why| ErrorData::internal_error(why, None))?;
    Ok(CompleteResult::new(completion))
}

fn unknown(what: &str) -> ErrorData {
    ErrorData::invalid_params(format!("There is no {what} with this name to complete."), None)
}

/// What a value that begins like this can be; nothing where it can be anything.
fn values(argument: &str, is_check: bool, typed: &str) -> Vec<String> {
    let known: Vec<&str> = match argument {
        "id" if is_check => CHECKS.iter().map(|check| check.id).collect(),
        "agent" => return agents(typed),
        "platform" => Platform::ALL.map(Platform::as_str).to_vec(),
        "lang" => Lang::ALL.into_iter().map(Lang::as_str).collect(),
        _ => Vec::new(),
    };
    let found = known.into_iter().filter(|value| value.starts_with(typed));
    found.map(str::to_owned).collect()
}

/// The ids of agents that have this in the id or in the name: users rarely know how an id begins.
fn agents(typed: &str) -> Vec<String> {
    let has = |text: &str| text.to_ascii_lowercase().contains(typed);
    let agents = Registry::embedded().agents.iter();
    agents
        .filter(|agent| has(&agent.id) || has(&agent.name))
        .map(|agent| agent.id.clone())
        .collect()
}
