//! Which agents reach a site, and which do not and why: the access matrix in a few lines.

use crate::agents::Purpose;
use crate::report::labels::Labels;
use crate::rubric::finding::Verdict;
use crate::scan::facts::access::{Access, Effective, ProbeVerdict};
use crate::scan::result::AgentResult;

/// The access matrix in short.
#[derive(Clone, Debug)]
pub struct Reach<'a> {
    /// Agents that fetch pages; tokens that only opt out are not among them.
    pub fetching: usize,
    /// Those of them that robots.txt allows, as far as is known.
    pub allowed: usize,
    /// Those in whose name the page was asked for.
    pub tried: usize,
    /// Those of them that the server refused.
    pub refused: usize,
    /// Agents with something to say about them, by reason, in the order of the matrix.
    pub exceptions: Vec<ReachException<'a>>,
}

/// Agents that the same thing keeps out, in whole or in part.
#[derive(Clone, Debug)]
pub struct ReachException<'a> {
    /// How bad it is.
    pub verdict: Verdict,
    /// Why these agents do not reach the site.
    pub reason: String,
    /// The agents.
    pub agents: Vec<&'a AgentResult>,
}

impl<'a> Reach<'a> {
    /// The matrix of a result in short.
    pub fn from_agents(agents: &'a [AgentResult], labels: Labels) -> Self {
        let fetching = || agents.iter().filter(|one| one.effective != Effective::OptOutToken);
        let mut exceptions: Vec<ReachException<'a>> = Vec::new();
        for agent in agents {
            let Some((verdict, reason)) = reason(agent, labels) else { continue };
            match exceptions.iter_mut().find(|known| known.reason == reason) {
                Some(known) => known.agents.push(agent),
                None => exceptions.push(ReachException { verdict, reason, agents: vec![agent] }),
            }
        }
        Self {
            fetching: fetching().count(),
            allowed: fetching().filter(|one| is_allowed(one.effective)).count(),
            tried: fetching().filter(|one| one.probe.verdict != ProbeVerdict::NotProbed).count(),
            refused: fetching().filter(|one| one.effective == Effective::BlockedByWall).count(),
            exceptions,
        }
    }

    /// Agents of which it is not known whether they reach the site.
    pub fn unknown(&self) -> usize {
        let of_unknown = self.exceptions.iter().filter(|one| one.verdict == Verdict::Unknown);
        of_unknown.map(|one| one.agents.len()).sum()
    }

    /// How many agents are allowed in and what those met that were tried, as a sentence that leads to the exceptions.
    pub fn sentence(&self, labels: Labels) -> String {
        let id = match self.unknown() {
            0 if self.exceptions.is_empty() && self.tried > 0 => "reach",
            0 if self.exceptions.is_empty() => "reach-untested",
            0 if self.refused > 0 => "reach-refused",
            0 => "reach-exceptions",
            unknown if unknown >= self.fetching => "reach-unknown",
            // Nothing is said about those that may get in for all that is known.
            _ => "reach-partly-unknown",
        };
        self.say(labels, id, &[])
    }

    /// A sentence with the numbers of agents, and more values.
    pub(crate) fn say(
        &self,
        labels: Labels,
        id: &str,
        more: &[(&'static str, &dyn ToString)],
    ) -> String {
        let numbers: [(&'static str, &dyn ToString); 4] = [
            ("allowed", &self.allowed),
            ("fetching", &self.fetching),
            ("tried", &self.tried),
            ("refused", &self.refused),
        ];
        labels.sentence(id, &[&numbers, more].concat())
    }
}

impl ReachException<'_> {
    /// The names of the agents.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.agents.iter().map(|agent| agent.name.as_str()).collect();
        names.join(", ")
    }
}

/// Whether robots.txt allows an agent that fetches pages.
fn is_allowed(effective: Effective) -> bool {
    matches!(effective, Effective::Reachable | Effective::Untested | Effective::BlockedByWall)
}

/// What there is to say about an agent; nothing if it reaches everything.
fn reason(agent: &AgentResult, labels: Labels) -> Option<(Verdict, String)> {
    let line = agent.rule.as_ref().map(|rule| rule.line.unwrap_or(rule.group_line));
    let line = line.map(|line| format!(", {}", labels.sentence("line", &[("line", &line)])));
    let by_robots =
        || format!("robots.txt: {}{}", labels.access(agent.access), line.unwrap_or_default());
    match (agent.effective, agent.access) {
        (Effective::BlockedByRobots, _) if agent.purpose == Purpose::Training => Some((
            Verdict::NotApplicable,
            format!("{}, {}", by_robots(), labels.label("training-choice")),
        )),
        (Effective::BlockedByRobots, _) => Some((Verdict::Fail, by_robots())),
        (Effective::BlockedByWall, _) => {
            let status = agent.probe.status.map_or_else(String::new, |status| format!(" {status}"));
            let wall = labels.effective(agent.effective);
            Some((Verdict::Fail, format!("{wall}: {}{status}", labels.probe(agent.probe.verdict))))
        }
        (Effective::Unknown, _) => Some((Verdict::Unknown, labels.effective(agent.effective))),
        (Effective::OptOutToken, Access::Blocked | Access::Partial) => Some((
            Verdict::NotApplicable,
            format!("{}, {}", labels.effective(agent.effective), by_robots()),
        )),
        (Effective::Reachable | Effective::Untested, Access::Partial) => {
            Some((Verdict::Warn, by_robots()))
        }
        (Effective::Reachable, _) => match agent.probe.verdict {
            ProbeVerdict::Ok | ProbeVerdict::NotProbed => None,
            verdict => Some((Verdict::Warn, labels.probe(verdict))),
        },
        (Effective::OptOutToken | Effective::Untested, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn agents_with_the_same_reason_stand_together_and_tokens_do_not_fetch() {
        let result = sample::hostile();
        let labels = Labels::for_result(&result);
        let reach = Reach::from_agents(&result.agents, labels);
        assert!(reach.allowed <= reach.fetching && reach.fetching <= result.agents.len());
        let named: usize = reach.exceptions.iter().map(|one| one.agents.len()).sum();
        assert!(named <= result.agents.len());
        let mut reasons: Vec<&str> = reach.exceptions.iter().map(|one| &*one.reason).collect();
        let count = reasons.len();
        reasons.sort_unstable();
        reasons.dedup();
        assert_eq!(reasons.len(), count);
    }
}
