//! The access matrix: what robots.txt allows each agent, and what the server does.

use maud::{Markup, html};

use crate::agents::Purpose;
use crate::report::chart::Tone;
use crate::report::labels::Labels;
use crate::report::parts::Place;
use crate::report::parts::piece::verdict_tag;
use crate::report::reach::Reach;
use crate::scan::facts::access::{Access, Effective, ProbeVerdict};
use crate::scan::result::{AgentResult, ScanResult};
use crate::text::markup::{sentence, shown};

/// Purposes in the order in which they matter to a site.
const PURPOSES: [Purpose; 4] = [Purpose::Search, Purpose::User, Purpose::Training, Purpose::Other];

/// The class of the style sheet that has the color of a purpose.
pub fn purpose_class(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Search => "s-search",
        Purpose::User => "s-user",
        Purpose::Training => "s-training",
        Purpose::Other => "s-other",
    }
}

/// All agents by purpose, behind a sentence of who gets in. Where all agents get the same, the table is folded: it would
/// say that once more for each of them.
pub fn render(result: &ScanResult, place: &Place) -> Markup {
    if result.agents.is_empty() {
        return html! {};
    }
    let labels = place.labels();
    let table = table(result, place);
    let is_same = Reach::from_agents(&result.agents, labels).exceptions.is_empty();
    let body = html! {
        (reach(result, labels))
        @if is_same {
            details.more { summary { (labels.label("all-agents")) } (table) }
        } @else {
            (table)
        }
    };
    place.section("agents", &labels.label("agents"), &html! {}, &body)
}

/// How many agents reach the site, and what keeps the others out.
fn reach(result: &ScanResult, labels: Labels) -> Markup {
    let reach = Reach::from_agents(&result.agents, labels);
    html! {
        p.below { (shown(reach.sentence(labels))) }
        @if !reach.exceptions.is_empty() {
            ul.verdicts {
                @for one in &reach.exceptions {
                    li {
                        (verdict_tag(one.verdict, labels)) " "
                        span { (shown(&one.reason)) ": " (shown(one.names())) }
                    }
                }
            }
        }
    }
}

fn table(result: &ScanResult, place: &Place) -> Markup {
    let labels = place.labels();
    html! {
        div.card.scroll tabindex="0" role="group" aria-labelledby=(place.id("agents")) {
            table.matrix {
                thead {
                    tr {
                        th scope="col" { (labels.label("agent")) }
                        th scope="col" { "robots.txt" }
                        th scope="col" { (labels.label("probe")) }
                        th scope="col" { (labels.label("result")) }
                    }
                }
                @for purpose in PURPOSES { (group(purpose, &result.agents, labels)) }
            }
        }
        @if result.agents.iter().any(|agent| agent.advisory) {
            p.note { "* " (labels.label("advisory-note")) }
        }
    }
}

/// The agents of one purpose under a row of its own; nothing if there are none.
fn group(purpose: Purpose, agents: &[AgentResult], labels: Labels) -> Markup {
    let members: Vec<&AgentResult> =
        agents.iter().filter(|agent| agent.purpose == purpose).collect();
    html! {
        @if !members.is_empty() {
            tbody {
                tr.group {
                    th scope="rowgroup" colspan="4" {
                        span class={ "dot " (purpose_class(purpose)) } {}
                        (labels.purpose(purpose)) " · " (members.len())
                    }
                }
                @for agent in members { (row(agent, labels)) }
            }
        }
    }
}

fn row(agent: &AgentResult, labels: Labels) -> Markup {
    let has_impact = agent.effective != Effective::Reachable && !agent.impact.is_empty();
    // Invited by robots.txt, and refused by the server.
    let is_conflict = agent.effective == Effective::BlockedByWall;
    html! {
        tr class=[is_conflict.then_some("conflict")] {
            th scope="row" { (shown(&agent.name)) small { (shown(&agent.vendor)) } }
            td { (rule(agent, labels)) }
            td {
                @let status = agent.probe.status.map(|status| format!(" ({status})")).unwrap_or_default();
                (cell(probe_tone(agent.probe.verdict), &format!("{}{status}", labels.probe(agent.probe.verdict))))
            }
            td {
                (effective_cell(agent.effective, labels))
                @if has_impact { small { (sentence(&agent.impact)) } }
            }
        }
    }
}

/// What an agent meets, on its color.
pub(in crate::report) fn effective_cell(effective: Effective, labels: Labels) -> Markup {
    cell(effective_tone(effective), &labels.effective(effective))
}

/// A word on its color, with a sign for readers who see no color.
fn cell(tone: Tone, text: &str) -> Markup {
    let sign = match tone {
        Tone::Good => "✓ ",
        Tone::Warn => "! ",
        Tone::Bad => "✗ ",
        Tone::Unsure => "? ",
        Tone::Fair | Tone::None => "– ",
    };
    html! { span class={ "cell " (tone.class()) } { (sign) (text) } }
}

/// What robots.txt allows, the line that decides it, and what else the site says to the agent.
fn rule(agent: &AgentResult, labels: Labels) -> Markup {
    let advisory = if agent.advisory { "*" } else { "" };
    let access = format!("{}{advisory}", labels.access(agent.access));
    let basis = labels.basis(agent.basis);
    html! {
        (cell(access_tone(agent.access), &access))
        small {
            @match &agent.rule {
                Some(rule) => {
                    @let line = rule.line.unwrap_or(rule.group_line);
                    @if let Some(text) = &rule.text { code { (shown(text)) } ", " }
                    (basis) ", " (labels.sentence("line", &[("line", &line)]))
                }
                None => { (basis) }
            }
            @for note in agent.page.iter().chain(&agent.usage) { ", " (shown(note)) }
        }
    }
}

fn access_tone(access: Access) -> Tone {
    match access {
        Access::Allowed => Tone::Good,
        Access::Partial => Tone::Warn,
        Access::Blocked => Tone::Bad,
        Access::Unknown => Tone::Unsure,
    }
}

fn probe_tone(verdict: ProbeVerdict) -> Tone {
    match verdict {
        ProbeVerdict::Ok => Tone::Good,
        ProbeVerdict::Reduced | ProbeVerdict::RateLimited | ProbeVerdict::NeedsSignature => {
            Tone::Warn
        }
        ProbeVerdict::Blocked | ProbeVerdict::Challenged | ProbeVerdict::Paywalled => Tone::Bad,
        ProbeVerdict::Error => Tone::Unsure,
        ProbeVerdict::NotProbed => Tone::None,
    }
}

fn effective_tone(effective: Effective) -> Tone {
    match effective {
        Effective::Reachable => Tone::Good,
        Effective::BlockedByRobots | Effective::BlockedByWall => Tone::Bad,
        Effective::OptOutToken | Effective::Untested => Tone::None,
        Effective::Unknown => Tone::Unsure,
    }
}
