//! `visibility agents`.

mod ranges;

use serde::Serialize;
use visibility_core::agents::{Agent, Purpose, Registry};
use visibility_core::report::labels::Labels;
use visibility_core::text::nearest::nearest;

use crate::args::{AgentsCommand, ListArgs, ListFormat};
use crate::console::json::print_json;
use crate::console::style::{DIM, HEADING, paint};
use crate::console::table::{Cell, Table};
use crate::console::text::wrap;
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::exit_code::Exit;

/// Who a user agent claims to be.
#[derive(Debug, Serialize)]
struct Claim<'a> {
    id: &'a str,
    name: &'a str,
    purpose: Purpose,
}

/// Runs `agents`.
pub(super) fn run(command: &AgentsCommand, console: &Console) -> Result<Exit, CommandError> {
    match command {
        AgentsCommand::List { all, list } => self::list(*all, list, console),
        AgentsCommand::Show { agent, list } => show(agent, list, console),
        AgentsCommand::Match { user_agent, list } => matched(user_agent, list, console),
        AgentsCommand::Ranges(command) => ranges::run(command, console),
    }
}

/// `agents list`.
fn list(all: bool, arguments: &ListArgs, console: &Console) -> Result<Exit, CommandError> {
    let registry = Registry::embedded();
    let agents: Vec<&Agent> =
        if all { registry.agents.iter().collect() } else { registry.matrix() };
    if arguments.format == ListFormat::Json {
        print_json(&agents, console)?;
        return Ok(Exit::Ok);
    }
    let labels = console.labels();
    let titles = ["agent", "purpose", "id", "vendor"].map(|id| labels.label(id));
    let mut table = Table::new(&titles.each_ref().map(String::as_str));
    for agent in agents {
        table.push([
            Cell::styled(&agent.name, HEADING),
            Cell::from(labels.purpose(agent.purpose)),
            Cell::from(&agent.id),
            Cell::styled(&agent.vendor, DIM),
        ]);
    }
    console.print(&table.render(0, console::width()))?;
    Ok(Exit::Ok)
}

/// `agents show`.
fn show(name: &str, arguments: &ListArgs, console: &Console) -> Result<Exit, CommandError> {
    let Some(agent) = Registry::embedded().find(name) else {
        let hint = match meant(name) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "see `visibility agents list --all` for all known agents".to_owned(),
        };
        return Err(CommandError::usage_with(format!("there is no agent `{name}`"), hint));
    };
    if arguments.format == ListFormat::Json {
        print_json(agent, console)?;
    } else {
        console.print(&page(agent, console.labels(), console::width()))?;
    }
    Ok(Exit::Ok)
}

/// The agent that a name was probably meant for: the nearest one, else the first that begins with it.
fn meant(name: &str) -> Option<&'static str> {
    let agents = &Registry::embedded().agents;
    let names = || agents.iter().flat_map(|agent| [agent.name.as_str(), agent.id.as_str()]);
    nearest(name, names()).or_else(|| {
        names().find(|known| {
            let start = known.get(..name.len());
            name.len() > 1 && start.is_some_and(|start| start.eq_ignore_ascii_case(name))
        })
    })
}

fn page(agent: &Agent, labels: Labels, width: usize) -> String {
    let list = |values: &[String]| values.join(", ");
    let optional = |value: &Option<String>| value.clone().unwrap_or_default();
    let follows = format!("robots-{}", agent.respects_robots_txt.replace('_', "-"));
    let rows = [
        ("id", agent.id.clone()),
        ("vendor", agent.vendor.clone()),
        ("purpose", labels.purpose(agent.purpose)),
        ("token", agent.robots_token.clone()),
        ("fallback", list(&agent.robots_fallback)),
        ("robots", labels.label(&follows)),
        ("tokens", list(&agent.user_agent_tokens)),
        ("user-agent", optional(&agent.example_user_agent)),
        ("addresses", optional(&agent.ip_ranges_url)),
        ("reverse-dns", list(&agent.reverse_dns_suffixes)),
        ("documentation", optional(&agent.documentation_url)),
        ("blocking", impact(agent, labels)),
        ("uncertain", list(&agent.uncertain_fields)),
    ];
    let mut text = format!("{}\n", paint(HEADING, &agent.name));
    for (label, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        let label = labels.label(label);
        let label = if label.ends_with(':') { label } else { format!("{label}:") };
        let lines = wrap(&format!("{label} {value}"), width.saturating_sub(2)).join("\n    ");
        text.push_str(&format!("  {}\n", lines.replacen(&label, &paint(DIM, &label), 1)));
    }
    text
}

/// What blocking costs: for the matrix in both languages, for others as the data has it.
fn impact(agent: &Agent, labels: Labels) -> String {
    match labels.catalog().find(&["agents", &agent.id]) {
        Some(sentence) => sentence.to_owned(),
        None => agent.blocking_effect.clone().unwrap_or_default(),
    }
}

/// `agents match`.
fn matched(
    user_agent: &str,
    arguments: &ListArgs,
    console: &Console,
) -> Result<Exit, CommandError> {
    let found = Registry::embedded().match_user_agent(user_agent);
    let labels = console.labels();
    if arguments.format == ListFormat::Json {
        let claim =
            found.map(|agent| Claim { id: &agent.id, name: &agent.name, purpose: agent.purpose });
        print_json(&claim, console)?;
    } else {
        let text = match found {
            Some(agent) => format!(
                "{}  {}, {}  {}\n{}\n",
                paint(HEADING, &agent.name),
                agent.vendor,
                labels.purpose(agent.purpose),
                paint(DIM, &agent.id),
                paint(DIM, &labels.label("verified"))
            ),
            None => format!("{}\n", labels.label("no-agent")),
        };
        console.print(&text)?;
    }
    Ok(if found.is_some() { Exit::Ok } else { Exit::GateFailed })
}
