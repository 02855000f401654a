//! What may be typed where: values of arguments of prompts, and of variables in addresses.

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};
use visibility_core::agents::Registry;
use visibility_core::locale::Lang;
use visibility_core::scan::checks::CHECKS;

use crate::fix::Platform;
use crate::tools::page_profiles;
use crate::{prompts, resources};

/// Completes a value.
///
/// # Errors
///
/// When there is no such prompt and no such template.
pub(crate) fn complete(
    request: &CompleteRequestParams,
    has_traffic: bool,
) -> Result<CompleteResult, ErrorData> {
    let is_check = match &request.r#ref {
        Reference::Prompt(prompt) if prompts::is_offered(&prompt.name, has_traffic) => false,
        Reference::Resource(resource) => {
            let templates = resources::templates();
            let uri = templates.into_iter().map(|template| template.uri_template);
            if !uri.into_iter().any(|template| template == resource.uri) {
                return Err(unknown("resource template"));
            }
            resource.uri.contains("/check/")
        }
        _ => return Err(unknown("prompt")),
    };
    let values = values(&request.argument.name, is_check);
    let typed = request.argument.value.to_ascii_lowercase();
    let mut found: Vec<String> =
        values.into_iter().filter(|value| value.starts_with(&typed)).map(str::to_owned).collect();
    let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let has_more = found.len() > CompletionInfo::MAX_VALUES;
    found.truncate(CompletionInfo::MAX_VALUES);
    let completion = CompletionInfo::with_pagination(found, Some(total), has_more);
    let completion = completion.map_err(|why| ErrorData::internal_error(why, None))?;
    Ok(CompleteResult::new(completion))
}

fn unknown(what: &str) -> ErrorData {
    ErrorData::invalid_params(format!("There is no such {what} to complete."), None)
}

/// Everything that a value can be; nothing where it can be anything.
fn values(argument: &str, is_check: bool) -> Vec<&'static str> {
    match argument {
        "id" if is_check => CHECKS.iter().map(|check| check.id).collect(),
        "check_id" => CHECKS.iter().map(|check| check.id).collect(),
        "agent" => {
            let agents = &Registry::embedded().agents;
            agents.iter().map(|agent| agent.id.as_str()).collect()
        }
        "platform" => Platform::ALL.map(Platform::as_str).to_vec(),
        "profile" => page_profiles().collect(),
        "lang" => Lang::ALL.into_iter().map(Lang::as_str).collect(),
        _ => Vec::new(),
    }
}
