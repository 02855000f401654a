//! `list_checks`: what a scan looks at.

use crate::accounts::scope::Scope;
use crate::error::{ErrorCode, Problem};
use crate::scan::check::Category;
use crate::scan::checks::CHECKS;
use crate::text::locale::{self, Catalog};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::host::Host;
use crate::mcp::input::LangInput;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Call, Tool, World};
use crate::mcp::tool_error::ToolError;
use crate::mcp::untrusted::Untrusted;

/// The tool.
pub(crate) struct ListChecks;

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Only this one, such as policy.
    #[serde(default)]
    category: String,
    /// Language.
    #[serde(default)]
    lang: LangInput,
}

/// What it returns.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Output {
    /// The checks.
    checks: Vec<CheckRow>,
}

/// One check.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct CheckRow {
    id: String,
    category: String,
    title: String,
    weight: u8,
}

impl Tool for ListChecks {
    const NAME: &'static str = "list_checks";
    const TITLE: &'static str = "List the checks";
    const DESCRIPTION: &'static str =
        "List the checks of a scan with their weights. Use it to learn check ids.";
    const WORLD: World = World::Closed;
    const SCOPE: Option<Scope> = None;

    type Input = Input;
    type Output = Output;

    fn lang(input: &Input) -> locale::Lang {
        input.lang.into()
    }

    async fn call<H: Host>(_: Call<'_, H>, input: Input) -> Result<Reply<Output>, ToolError> {
        let catalog = Catalog::for_lang(input.lang.into());
        let known = Category::ALL.map(Category::as_str);
        let category = input.category.trim();
        if !category.is_empty() && !known.contains(&category) {
            let name = Untrusted::quote(category);
            let problem = Problem::new(ErrorCode::InvalidRequest, "mcp-category")
                .value("name", name.as_str())
                .value("known", known.join(", "));
            return Err(problem.into());
        }
        let is_wanted = |id: &str| category.is_empty() || category == id;
        let checks: Vec<CheckRow> = CHECKS
            .iter()
            .filter(|check| is_wanted(check.category.as_str()))
            .map(|check| CheckRow {
                id: check.id.to_owned(),
                category: check.category.as_str().to_owned(),
                title: catalog.text(&["checks", check.id, "title"]),
                weight: check.weight,
            })
            .collect();
        Ok(Reply::new(Output { checks }, markdown))
    }
}

fn markdown(output: &Output) -> String {
    output
        .checks
        .iter()
        .map(|check| format!("- `{}` ({}): {}", check.id, check.weight, check.title))
        .collect::<Vec<_>>()
        .join("\n")
}
