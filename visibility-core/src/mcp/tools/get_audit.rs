//! `get_audit`: an audit that took place.

use crate::accounts::scope::Scope;
use crate::error::{ErrorCode, Problem};
use crate::text::locale;
use schemars::JsonSchema;
use serde::Deserialize;

use super::audited::{self, Output};
use crate::mcp::host::Host;
use crate::mcp::input::LangInput;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Call, Tool, World};
use crate::mcp::tool_error::ToolError;

/// The tool.
pub(crate) struct GetAudit;

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Such as `aud_7aW…`.
    audit_id: String,
    /// Language.
    #[serde(default)]
    lang: LangInput,
}

impl Tool for GetAudit {
    const NAME: &'static str = "get_audit";
    const TITLE: &'static str = "Get an audit";
    const DESCRIPTION: &'static str = "Get a stored audit by its id.";
    const WORLD: World = World::Closed;
    const SCOPE: Option<Scope> = Some(Scope::AuditRead);

    type Input = Input;
    type Output = Output;

    fn lang(input: &Input) -> locale::Lang {
        input.lang.into()
    }

    async fn call<H: Host>(call: Call<'_, H>, input: Input) -> Result<Reply<Output>, ToolError> {
        let lang = input.lang.into();
        let Ok(id) = input.audit_id.trim().parse() else {
            return Err(Problem::at(ErrorCode::InvalidRequest, ["mcp", "audit-id"]).into());
        };
        let result = call.host.audited(call.caller, id, lang).await?;
        Ok(audited::reply(
            result.ok_or_else(|| Problem::at(ErrorCode::NotFound, ["mcp", "no-audit"]))?,
            lang,
        ))
    }
}
