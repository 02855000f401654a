//! `get_agent_access`: which AI agents may read a site, and which of them can.

use crate::accounts::scope::Scope;
use crate::agents::Agent;
use crate::report::labels::Labels;
use crate::scan::facts::access::Effective;
use crate::scan::result::{AgentResult, ScanResult};
use crate::text::escape::MarkdownContext;
use crate::text::locale::{self, Catalog};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scan_domain::age;
use crate::mcp::host::Host;
use crate::mcp::input::{self, Agents, LangInput};
use crate::mcp::reply::{Reply, sentence, wire};
use crate::mcp::tool::{Call, Tool, World};
use crate::mcp::tool_error::ToolError;
use crate::mcp::untrusted::{self, Untrusted};

/// Directives and preferences that are quoted for one agent.
const MAX_QUOTED: usize = 5;
/// Paths that are named; a scan tests four.
const MAX_PATHS: usize = 4;

/// The tool.
pub(crate) struct GetAgentAccess;

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Such as example.com.
    domain: String,
    /// Only this one, such as GPTBot.
    #[serde(default)]
    agent: String,
    /// Language.
    #[serde(default)]
    lang: LangInput,
}

/// What it returns.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Output {
    domain: String,
    cached: bool,
    /// What the members below are.
    note: String,
    /// The paths that robots.txt was asked for.
    paths: Vec<Untrusted>,
    agents: Vec<AgentRow>,
    truncated: bool,
}

/// One agent. The last two are there if it alone was asked for.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct AgentRow {
    id: String,
    name: String,
    vendor: String,
    purpose: String,
    /// What robots.txt allows.
    robots: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<Untrusted>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked_paths: Vec<Untrusted>,
    /// What a request under its name was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    http_status: Option<u16>,
    /// All of it together.
    verdict: String,
    /// What the rules were read from, or what the request met.
    reason: String,
    /// Directives of the page and usage preferences that concern it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    directives: Vec<Untrusted>,
    /// What blocking it costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<String>,
}

impl Tool for GetAgentAccess {
    const NAME: &'static str = "get_agent_access";
    const TITLE: &'static str = "Get agent access";
    const DESCRIPTION: &'static str = "Show which of 27 AI agents robots.txt allows to read the tested paths, and how \
        the site responded to requests in their names. Use it when an assistant does \
        not see a site.";
    const WORLD: World = World::Open;
    const SCOPE: Option<Scope> = Some(Scope::ScanRead);

    type Input = Input;
    type Output = Output;

    fn lang(input: &Input) -> locale::Lang {
        input.lang.into()
    }

    async fn call<H: Host>(call: Call<'_, H>, input: Input) -> Result<Reply<Output>, ToolError> {
        let asked = input.agent.trim();
        let agent =
            if asked.is_empty() { None } else { Some(input::agent(asked, Agents::Matrix)?) };
        let domain = input::domain(&input.domain)?;
        let labels = Labels::new(input.lang.into());
        let result = call.scan(&domain, labels.lang()).await?;
        let output = output(&result, agent, labels.catalog());
        let reply = Reply::new(output, move |output| markdown(output, &result, labels));
        Ok(reply.link_to_scan(&domain, labels))
    }
}

fn output(result: &ScanResult, agent: Option<&Agent>, catalog: &Catalog) -> Output {
    let rows = result.agents.iter().filter(|row| agent.is_none_or(|agent| agent.id == row.id));
    // All agents are tried on the same paths.
    let tested = result.agents.first().map(|row| row.paths.as_slice()).unwrap_or_default();
    Output {
        domain: result.domain.clone(),
        cached: result.cached,
        note: untrusted::fields(&["paths", "rule", "blocked_paths", "directives"], catalog),
        paths: tested.iter().take(MAX_PATHS).map(|path| Untrusted::cell(&path.path)).collect(),
        agents: rows
            .map(|row| {
                if agent.is_some() {
                    AgentRow::whole(row)
                } else {
                    AgentRow::from_agent(row, Untrusted::cell)
                }
            })
            .collect(),
        truncated: false,
    }
}

impl AgentRow {
    fn from_agent(row: &AgentResult, quote: fn(&str) -> Untrusted) -> Self {
        let rule = row.rule.as_ref().and_then(|rule| rule.text.as_deref());
        let blocked = row.paths.iter().filter(|path| !path.allowed).take(MAX_PATHS);
        let is_walled = row.effective == Effective::BlockedByWall;
        Self {
            id: row.id.clone(),
            name: row.name.clone(),
            vendor: row.vendor.clone(),
            purpose: wire(&row.purpose),
            robots: wire(&row.access),
            rule: rule.map(quote),
            blocked_paths: blocked.map(|path| quote(&path.path)).collect(),
            http_status: row.probe.status,
            verdict: wire(&row.effective),
            reason: if is_walled { wire(&row.probe.verdict) } else { wire(&row.basis) },
            directives: Vec::new(),
            impact: None,
        }
    }

    /// With what is too long for a row among others.
    fn whole(row: &AgentResult) -> Self {
        let directives = row.page.iter().take(MAX_QUOTED).chain(row.usage.iter().take(MAX_QUOTED));
        Self {
            directives: directives.map(|text| Untrusted::quote(text)).collect(),
            impact: (!row.impact.is_empty()).then(|| row.impact.clone()),
            ..Self::from_agent(row, Untrusted::quote)
        }
    }
}

fn markdown(output: &Output, result: &ScanResult, labels: Labels) -> String {
    let note = untrusted::note(labels.catalog());
    let paths = sentence(labels, "paths", &[("texts", &codes(&output.paths))]);
    let mut text = format!("**{}**\n\n{}\n{note}\n{paths}\n\n", output.domain, age(result, labels));
    let heads =
        ["agent", "purpose", "robots-txt", "rule", "probe", "result"].map(|head| match head {
            "robots-txt" => "robots.txt".to_owned(),
            head => labels.label(head),
        });
    text.push_str(&format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len())));
    let shown = output.agents.iter().filter_map(|row| {
        let known = result.agents.iter().find(|known| known.id == row.id)?;
        Some((row, known))
    });
    for (row, known) in shown {
        let status = row.http_status.map(|status| format!(" {status}")).unwrap_or_default();
        let cells = [
            row.name.clone(),
            labels.purpose(known.purpose),
            labels.access(known.access),
            row.rule.as_ref().map(|rule| rule.code(MarkdownContext::Cell)).unwrap_or_default(),
            format!("{}{status}", labels.probe(known.probe.verdict)),
            labels.effective(known.effective),
        ];
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    if let [row] = output.agents.as_slice() {
        text.push_str(&format!("\n{}", more(row, labels)));
    }
    text
}

/// The part about a single agent.
fn more(row: &AgentRow, labels: Labels) -> String {
    let mut text = String::new();
    if let Some(impact) = &row.impact {
        text.push_str(&format!("{}\n", sentence(labels, "impact", &[("text", impact)])));
    }
    for (id, quoted) in [("blocked-paths", &row.blocked_paths), ("directives", &row.directives)] {
        if !quoted.is_empty() {
            text.push_str(&format!("{}\n", sentence(labels, id, &[("texts", &codes(quoted))])));
        }
    }
    text
}

fn codes(texts: &[Untrusted]) -> String {
    let codes = texts.iter().map(|text| text.code(MarkdownContext::Inline));
    codes.collect::<Vec<_>>().join(", ")
}
