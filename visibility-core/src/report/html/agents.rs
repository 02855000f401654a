//! The access matrix as a table.

use crate::report::escape::{html, html_sentence};
use crate::report::html::frame::{section as framed, table_start};
use crate::report::words::Words;
use crate::scan::access::{Access, Effective, ProbeVerdict};
use crate::scan::result::{AgentResult, ScanResult};

pub(super) fn section(result: &ScanResult, words: Words) -> String {
    if result.agents.is_empty() {
        return String::new();
    }
    let columns = [
        (words.label("agent"), false),
        (words.label("purpose"), false),
        ("robots.txt".to_owned(), false),
        (words.label("rule"), false),
        (words.label("probe"), false),
        (words.label("result"), false),
    ];
    let rows: String = result.agents.iter().map(|agent| row(agent, words)).collect();
    let note = if result.agents.iter().any(|agent| agent.advisory) {
        format!("<p>* {}</p>\n", html(&words.label("advisory-note")))
    } else {
        String::new()
    };
    let table = format!("{}{rows}</tbody></table></div>\n{note}", table_start("agents", &columns));
    framed("agents", &words.label("agents"), &table)
}

fn row(agent: &AgentResult, words: Words) -> String {
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
        "<tr><th scope=\"row\">{}<br><small>{}</small></th><td>{}</td><td class=\"{}\">{}{advisory}</td><td>{}{notes}</td><td class=\"{}\">{}{status}</td><td class=\"{}\">{}{impact}</td></tr>\n",
        html(&agent.name),
        html(&agent.vendor),
        html(&words.purpose(agent.purpose)),
        access_class(agent.access),
        html(&words.access(agent.access)),
        rule(agent, words),
        probe_class(agent.probe.verdict),
        html(&words.probe(agent.probe.verdict)),
        effective_class(agent.effective),
        html(&words.effective(agent.effective)),
    )
}

fn rule(agent: &AgentResult, words: Words) -> String {
    let basis = html(&words.basis(agent.basis));
    let Some(rule) = &agent.rule else { return basis };
    let line = rule.line.unwrap_or(rule.group_line);
    let place = html(&words.sentence("line", &[("line", &line)]));
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
        Effective::OptOutToken => "not_applicable",
        Effective::Unknown => "unknown",
    }
}
