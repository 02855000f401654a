//! The access matrix as a table.

use maud::{Markup, html};

use crate::agents::Purpose;
use crate::report::html::frame::{Frame, verdict};
use crate::report::labels::Labels;
use crate::report::reach::Reach;
use crate::scan::facts::access::{Access, Effective, ProbeVerdict};
use crate::scan::result::{AgentResult, ScanResult};
use crate::text::markup::{sentence, shown};

/// Purposes in the order in which they matter to a site.
const PURPOSES: [Purpose; 4] = [Purpose::Search, Purpose::User, Purpose::Training, Purpose::Other];

pub(super) fn section(result: &ScanResult, frame: &Frame) -> Markup {
    if result.agents.is_empty() {
        return html! {};
    }
    let labels = frame.labels;
    let columns = [
        (labels.label("agent"), false),
        ("robots.txt".to_owned(), false),
        (labels.label("rule"), false),
        (labels.label("probe"), false),
        (labels.label("result"), false),
    ];
    let groups: Vec<Markup> =
        PURPOSES.into_iter().filter_map(|purpose| group(purpose, &result.agents, labels)).collect();
    let has_advisory = result.agents.iter().any(|agent| agent.advisory);
    let table = html! {
        (frame.table("agents", &columns, &groups))
        @if has_advisory { p.note { "* " (labels.label("advisory-note")) } }
    };
    // Where all agents get the same, the table says it once more for each of them.
    let is_same = Reach::from_agents(&result.agents, labels).exceptions.is_empty();
    let body = html! {
        (reach(result, labels))
        @if is_same {
            details.plain { summary { (labels.label("all-agents")) } (table) }
        } @else {
            (table)
        }
    };
    frame.section("agents", &labels.label("agents"), &body)
}

/// How many agents reach the site, and what keeps the others out.
fn reach(result: &ScanResult, labels: Labels) -> Markup {
    let reach = Reach::from_agents(&result.agents, labels);
    html! {
        p { (shown(reach.sentence(labels))) }
        @if !reach.exceptions.is_empty() {
            ul.signals {
                @for one in &reach.exceptions {
                    li { (verdict(one.verdict, labels)) " " (shown(&one.reason)) ": " (shown(one.names())) }
                }
            }
        }
    }
}

/// The agents of one purpose under a row of its own.
fn group(purpose: Purpose, agents: &[AgentResult], labels: Labels) -> Option<Markup> {
    let members: Vec<&AgentResult> =
        agents.iter().filter(|agent| agent.purpose == purpose).collect();
    if members.is_empty() {
        return None;
    }
    Some(html! {
        tr.group {
            th scope="rowgroup" colspan="5" { (labels.purpose(purpose)) " (" (members.len()) ")" }
        }
        @for agent in members { (row(agent, labels)) }
    })
}

fn row(agent: &AgentResult, labels: Labels) -> Markup {
    let has_impact = agent.effective != Effective::Reachable && !agent.impact.is_empty();
    let notes: Vec<&str> = agent.page.iter().chain(&agent.usage).map(String::as_str).collect();
    html! {
        tr {
            th scope="row" { (shown(&agent.name)) br; small { (shown(&agent.vendor)) } }
            td class=(access_class(agent.access)) {
                (labels.access(agent.access)) @if agent.advisory { "*" }
            }
            td {
                (rule(agent, labels))
                @if !notes.is_empty() { br; small { (shown(notes.join(", "))) } }
            }
            td class=(probe_class(agent.probe.verdict)) {
                (labels.probe(agent.probe.verdict))
                @if let Some(status) = agent.probe.status { " (" (status) ")" }
            }
            td class=(effective_class(agent.effective)) {
                (labels.effective(agent.effective))
                @if has_impact { br; small { (sentence(&agent.impact)) } }
            }
        }
    }
}

fn rule(agent: &AgentResult, labels: Labels) -> Markup {
    let basis = labels.basis(agent.basis);
    let Some(rule) = &agent.rule else { return html! { (basis) } };
    let line = rule.line.unwrap_or(rule.group_line);
    let place = labels.sentence("line", &[("line", &line)]);
    html! {
        @match &rule.text {
            Some(text) => { code { (shown(text)) } br; small { (basis) ", " (place) } }
            None => { (basis) br; small { (place) } }
        }
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
