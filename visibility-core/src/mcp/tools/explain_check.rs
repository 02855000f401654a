//! `explain_check`: what a check is about, without a site.

use crate::accounts::scope::Scope;
use crate::report::labels::Labels;
use crate::rubric::finding::Verdict;
use crate::scan::check::Check;
use crate::text::locale::{self, Catalog};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::host::Host;
use crate::mcp::input::{self, LangInput};
use crate::mcp::reply::{Reply, label, sentence};
use crate::mcp::tool::{Call, Tool, World};
use crate::mcp::tool_error::ToolError;

/// The tool.
pub(crate) struct ExplainCheck;

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Such as robots-txt.
    check_id: String,
    /// Language.
    #[serde(default)]
    lang: LangInput,
}

/// What it returns.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Output {
    title: String,
    /// What it looks at and how it decides.
    what: String,
    why: String,
    /// What to do, for each flaw that it knows.
    how: Vec<String>,
    /// Where its specifications stand.
    specs: Vec<String>,
}

impl Tool for ExplainCheck {
    const NAME: &'static str = "explain_check";
    const TITLE: &'static str = "Explain a check";
    const DESCRIPTION: &'static str = "Explain a check without a scan: what it looks at, why, and how to pass. Use it \
        when an id is not clear.";
    const WORLD: World = World::Closed;
    const SCOPE: Option<Scope> = None;

    type Input = Input;
    type Output = Output;

    fn lang(input: &Input) -> locale::Lang {
        input.lang.into()
    }

    async fn call<H: Host>(_: Call<'_, H>, input: Input) -> Result<Reply<Output>, ToolError> {
        let check = input::check(&input.check_id)?;
        let labels = Labels::new(input.lang.into());
        let output = output(check, labels.catalog());
        let reply = Reply::new(output, move |output| markdown(output, check, labels));
        Ok(reply.link_to_check(check.id, labels))
    }
}

fn output(check: &Check, catalog: &Catalog) -> Output {
    let flaws = check
        .outcomes
        .iter()
        .filter(|outcome| matches!(outcome.verdict, Verdict::Fail | Verdict::Warn))
        .filter_map(|outcome| {
            catalog.template(&["checks", check.id, "outcomes", outcome.id, "fix"])
        });
    let mut how: Vec<String> = Vec::new();
    for fix in flaws {
        // Some outcomes have the same fix.
        if !how.contains(&fix) {
            how.push(fix);
        }
    }
    Output {
        title: catalog.text(&["checks", check.id, "title"]),
        what: catalog.text(&["checks", check.id, "logic"]),
        why: catalog.text(&["checks", check.id, "why"]),
        how,
        specs: check.specs.iter().map(|spec| spec.url.to_owned()).collect(),
    }
}

fn markdown(output: &Output, check: &Check, labels: Labels) -> String {
    let mut text = format!("**{} (`{}`)**\n\n", output.title, check.id);
    text.push_str(&format!("{}\n", sentence(labels, "what", &[("text", &output.what)])));
    text.push_str(&format!("{}\n", sentence(labels, "why", &[("text", &output.why)])));
    text.push_str(&format!("\n### {}\n", label(labels, "how")));
    text.extend(output.how.iter().map(|fix| format!("- {fix}\n")));
    text.push('\n');
    for url in &output.specs {
        text.push_str(&format!("{}\n", sentence(labels, "spec", &[("url", url)])));
    }
    text
}
