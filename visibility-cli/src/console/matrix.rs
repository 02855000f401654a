//! The access matrix as a table of the terminal.

use anstyle::Style;
use visibility_core::report::labels::Labels;
use visibility_core::scan::facts::access::{Access, Effective, ProbeVerdict};
use visibility_core::scan::result::AgentResult;

use crate::console::style::{BAD, DIM, FAIR, GOOD, PLAIN, UNKNOWN};
use crate::console::table::{Cell, Table};

/// Draws the rows.
pub(crate) fn render(agents: &[AgentResult], labels: Labels, width: usize) -> String {
    let titles = [
        labels.label("agent"),
        labels.label("purpose"),
        "robots.txt".to_owned(),
        labels.label("probe"),
        labels.label("result"),
    ];
    let mut table = Table::new(&titles.each_ref().map(String::as_str));
    for agent in agents {
        table.push([
            Cell::from(&agent.name),
            Cell::styled(labels.purpose(agent.purpose), DIM),
            access(agent, labels),
            probe(agent, labels),
            Cell::styled(labels.effective(agent.effective), effective_style(agent.effective)),
        ]);
    }
    table.render(2, width)
}

/// `blocked, line 12`, with a star where robots.txt is only advice.
fn access(agent: &AgentResult, labels: Labels) -> Cell {
    let star = if agent.advisory { "*" } else { "" };
    let line = agent.rule.as_ref().map(|rule| rule.line.unwrap_or(rule.group_line));
    let line = line.map(|line| format!(", {}", labels.sentence("line", &[("line", &line)])));
    let style = match agent.access {
        Access::Allowed => GOOD,
        Access::Partial => FAIR,
        Access::Blocked => BAD,
        Access::Unknown => UNKNOWN,
    };
    let text = format!("{}{star}{}", labels.access(agent.access), line.unwrap_or_default());
    Cell::styled(text, style)
}

fn probe(agent: &AgentResult, labels: Labels) -> Cell {
    let style = match agent.probe.verdict {
        ProbeVerdict::NotProbed => return Cell::styled("–", DIM),
        ProbeVerdict::Ok => GOOD,
        ProbeVerdict::Reduced | ProbeVerdict::RateLimited | ProbeVerdict::NeedsSignature => FAIR,
        ProbeVerdict::Blocked | ProbeVerdict::Challenged | ProbeVerdict::Paywalled => BAD,
        ProbeVerdict::Error => UNKNOWN,
    };
    let status = agent.probe.status.map_or_else(String::new, |status| format!(" {status}"));
    Cell::styled(format!("{}{status}", labels.probe(agent.probe.verdict)), style)
}

fn effective_style(effective: Effective) -> Style {
    match effective {
        Effective::Reachable => GOOD,
        Effective::BlockedByRobots | Effective::BlockedByWall => BAD,
        Effective::OptOutToken | Effective::Untested => PLAIN,
        Effective::Unknown => UNKNOWN,
    }
}
