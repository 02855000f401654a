//! The access matrix as a table.

use crate::agents::Purpose;
use crate::report::html::frame::{Frame, verdict};
use crate::report::labels::Labels;
use crate::report::reach::Reach;
use crate::scan::facts::access::{Access, Effective, ProbeVerdict};
use crate::scan::result::{AgentResult, ScanResult};
use crate::text::escape::{html, html_sentence};

/// Purposes in the order in which they matter to a site.
const PURPOSES: [Purpose; 4] = [Purpose::Search, Purpose::User, Purpose::Training, Purpose::Other];

pub(super) fn section(result: &ScanResult, frame: &Frame) -> String {
    if result.agents.is_empty() {
        return String::new();
    }
    let labels = frame.labels;
    let columns = [
        (labels.label("agent"), false),
        ("robots.txt".to_owned(), false),
        (labels.label("rule"), false),
        (labels.label("probe"), false),
        (labels.label("result"), false),
    ];
    let groups: Vec<String> = PURPOSES
        .map(|purpose| group(purpose, &result.agents, labels))
        .into_iter()
        .filter(|group| !group.is_empty())
        .collect();
    let note = if result.agents.iter().any(|agent| agent.advisory) {
        format!("<p class=\"note\">* {}</p>\n", html(&labels.label("advisory-note")))
    } else {
        String::new()
    };
    let table = format!(
        "{}{}</tbody></table></div>\n{note}",
        frame.table_start("agents", &columns),
        groups.join("</tbody>\n<tbody>\n")
    );
    // Where all agents get the same, the table says it once more for each of them.
    let is_same = Reach::from_agents(&result.agents, labels).exceptions.is_empty();
    let table = if is_same {
        let title = html(&labels.label("all-agents"));
        format!("<details class=\"plain\"><summary>{title}</summary>\n{table}</details>\n")
    } else {
        table
    };
    let body = format!("{}{table}", reach(result, labels));
    frame.section("agents", &labels.label("agents"), &body)
}

/// How many agents reach the site, and what keeps the others out.
fn reach(result: &ScanResult, labels: Labels) -> String {
    let reach = Reach::from_agents(&result.agents, labels);
    let items: String = reach
        .exceptions
        .iter()
        .map(|one| {
            format!(
                "<li>{} {}: {}</li>\n",
                verdict(one.verdict, labels),
                html(&one.reason),
                html(&one.names())
            )
        })
        .collect();
    let list =
        if items.is_empty() { items } else { format!("<ul class=\"signals\">\n{items}</ul>\n") };
    format!("<p>{}</p>\n{list}", html(&reach.sentence(labels)))
}

/// The agents of one purpose under a row of its own.
fn group(purpose: Purpose, agents: &[AgentResult], labels: Labels) -> String {
    let members = || agents.iter().filter(move |agent| agent.purpose == purpose);
    let count = members().count();
    if count == 0 {
        return String::new();
    }
    let rows: String = members().map(|agent| row(agent, labels)).collect();
    let title = html(&labels.purpose(purpose));
    format!(
        "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"5\">{title} ({count})</th></tr>\n{rows}"
    )
}

fn row(agent: &AgentResult, labels: Labels) -> String {
    let advisory = if agent.advisory { "*" } else { "" };
    let status = agent.probe.status.map_or_else(String::new, |status| format!(" ({status})"));
    let impact = if agent.effective == Effective::Reachable || agent.impact.is_empty() {
        String::new()
    } else {
        format!("<br><small>{}</small>", html_sentence(&agent.impact))
    };
    let notes: Vec<String> = agent.page.iter().chain(&agent.usage).map(|n| html(n)).collect();
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!("<br><small>{}</small>", notes.join(", "))
    };
    format!(
        "<tr><th scope=\"row\">{}<br><small>{}</small></th><td class=\"{}\">{}{advisory}</td><td>{}{notes}</td><td class=\"{}\">{}{status}</td><td class=\"{}\">{}{impact}</td></tr>\n",
        html(&agent.name),
        html(&agent.vendor),
        access_class(agent.access),
        html(&labels.access(agent.access)),
        rule(agent, labels),
        probe_class(agent.probe.verdict),
        html(&labels.probe(agent.probe.verdict)),
        effective_class(agent.effective),
        html(&labels.effective(agent.effective)),
    )
}

fn rule(agent: &AgentResult, labels: Labels) -> String {
    let basis = html(&labels.basis(agent.basis));
    let Some(rule) = &agent.rule else { return basis };
    let line = rule.line.unwrap_or(rule.group_line);
    let place = html(&labels.sentence("line", &[("line", &line)]));
    match &rule.text {
        Some(text) => format!("<code>{}</code><br><small>{basis}, {place}</small>", html(text)),
        None => format!("{basis}<br><small>{place}</small>"),
    }
}

fn access_class(access: Access) -> &'static str {
    match access {
        Access::Allowed => "pass",
        Access::Partial => "warn",
        Access::Blocked => "fail",
        Access::Unknown => "unknown",
    }
}

fn probe_class(verdict: ProbeVerdict) -> &'static str {
    match verdict {
        ProbeVerdict::Ok => "pass",
        ProbeVerdict::Reduced | ProbeVerdict::RateLimited | ProbeVerdict::NeedsSignature => "warn",
        ProbeVerdict::Blocked | ProbeVerdict::Challenged | ProbeVerdict::Paywalled => "fail",
        ProbeVerdict::Error => "unknown",
        ProbeVerdict::NotProbed => "not_applicable",
    }
}

fn effective_class(effective: Effective) -> &'static str {
    match effective {
        Effective::Reachable => "pass",
        Effective::BlockedByRobots | Effective::BlockedByWall => "fail",
        Effective::OptOutToken | Effective::Untested => "not_applicable",
        Effective::Unknown => "unknown",
    }
}
