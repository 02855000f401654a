//! The access matrix: for each of the 27 agents, what it may read and what it meets.

mod paths;
mod probe;
mod rules;
mod usage;

pub(crate) use paths::is_page;
pub use paths::sample_paths;

use serde::{Deserialize, Serialize};

use crate::agents::{Agent, Registry};
use crate::scan::snapshot::{SiteFact, SiteSnapshot};
use crate::text::excerpt::excerpt;

/// Directives, and usage preferences, that a row names.
const MAX_LISTED: usize = 20;

/// One row of the matrix, without prose.
#[derive(Clone, Debug)]
pub struct AgentAccess {
    /// The agent.
    pub agent: &'static Agent,
    /// What robots.txt allows.
    pub access: Access,
    /// What that was read from.
    pub basis: Basis,
    /// The group and rule that decided the first blocked path, or `/` if none is blocked.
    pub rule: Option<AccessRule>,
    /// Paths that were tested, with what came out.
    pub paths: Vec<(String, bool)>,
    /// Whether robots.txt is only advice to this agent.
    pub advisory: bool,
    /// How its vendor differs from RFC 9309 here: the id of a sentence in `locales/` under
    /// `access_notes`.
    pub note: Option<&'static str>,
    /// Directives of the page that concern it: `noindex`, `nosnippet` ... with their source; the
    /// first 20, as excerpts.
    pub page_directives: Vec<String>,
    /// Usage preferences that concern it, such as `ai-train=no`; the first 20, a path among
    /// them as an excerpt.
    pub usage: Vec<String>,
    /// What a request under its name met.
    pub probe: ProbeResult,
    /// All of it together.
    pub effective: Effective,
}

/// What robots.txt allows an agent.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// All tested paths.
    Allowed,
    /// Some of them.
    Partial,
    /// None of them.
    Blocked,
    /// robots.txt could not be read.
    Unknown,
}

/// What the access was read from.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// A group that names the agent.
    SpecificGroup,
    /// A group that names a token which the agent falls back to.
    FallbackGroup,
    /// The group for `*`.
    WildcardGroup,
    /// No group at all.
    NoMatchingGroup,
    /// There is no robots.txt.
    RobotsMissing,
    /// robots.txt is an HTML page.
    RobotsNotText,
    /// robots.txt answers 5xx or not at all.
    RobotsUnreachable,
    /// robots.txt is behind a challenge.
    RobotsChallenged,
    /// robots.txt and the home page both refuse us.
    RobotsRefused,
    /// The request failed on our side.
    FetchFailed,
}

/// The lines that decided.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AccessRule {
    /// Line of the `User-agent` record.
    pub group_line: usize,
    /// Line of the rule; absent when the group has no rule for the path.
    pub line: Option<usize>,
    /// The rule as an excerpt, such as `Disallow: /`.
    pub text: Option<String>,
}

/// What a request under an agent's name met.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProbeResult {
    /// Compared with the browser's answer.
    pub verdict: ProbeVerdict,
    /// Status code, if an answer came.
    pub status: Option<u16>,
}

/// How an answer compares with the one that a browser gets.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProbeVerdict {
    /// The same page.
    Ok,
    /// 401, 403, 406, 451; another error or a broken connection, where a browser gets the page and no agent does.
    Blocked,
    /// A challenge page.
    Challenged,
    /// 429, or 503 with `Retry-After`.
    RateLimited,
    /// 402, or `crawler-price`.
    Paywalled,
    /// `Accept-Signature`.
    NeedsSignature,
    /// Less than half of the visible text.
    Reduced,
    /// Another error, or no answer.
    Error,
    /// Not asked.
    NotProbed,
}

/// Everything together.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Effective {
    /// Allowed, and it got the page under its name.
    Reachable,
    /// Allowed, and not tried.
    Untested,
    /// robots.txt disallows it.
    BlockedByRobots,
    /// Allowed, but refused under its name.
    BlockedByWall,
    /// A token without a crawler.
    OptOutToken,
    /// Not known.
    Unknown,
}

/// The 27 rows, in their order; [`SiteSnapshot::matrix`] keeps them.
pub fn matrix(site: &SiteSnapshot) -> Vec<AgentAccess> {
    let agents = Registry::embedded().matrix();
    let verdicts = rules::verdicts(site.robots(), &agents, &sample_paths(site));
    let directives = site.directives();
    let mut usage = usage::Preferences::new(site);
    agents
        .into_iter()
        .zip(verdicts)
        .map(|(agent, verdict)| {
            let page_directives = directives
                .iter()
                .filter(|directive| {
                    directive.concerns(agent) && directive.is_restrictive() && !agent.robots_only
                })
                .take(MAX_LISTED);
            let probe = probe::result(site, &agent.id);
            AgentAccess {
                agent,
                access: verdict.access,
                basis: verdict.basis,
                rule: verdict.rule,
                paths: verdict.paths,
                advisory: agent.is_advisory(),
                note: rules::note(site.robots(), agent),
                page_directives: page_directives.map(|d| excerpt(&d.to_string())).collect(),
                usage: usage.for_agent(agent),
                effective: effective(site, agent, verdict.access, &probe),
                probe,
            }
        })
        .collect()
}

/// Judges what a request under another name met, against what the browser got.
pub fn probe_result(site: &SiteSnapshot, agent_id: &str) -> ProbeResult {
    probe::result(site, agent_id)
}

/// Rules and probe together. A probe never turns a rule around: it comes from our address, and a
/// refusal may be right for that and wrong for the vendor's.
fn effective(site: &SiteSnapshot, agent: &Agent, access: Access, probe: &ProbeResult) -> Effective {
    if agent.robots_only {
        return Effective::OptOutToken;
    }
    if access == Access::Blocked {
        return Effective::BlockedByRobots;
    }
    let home_is_open =
        || site.home().is_some_and(|home| home.is_success() && site.challenge(home).is_none());
    match probe.verdict {
        ProbeVerdict::Blocked
        | ProbeVerdict::Challenged
        | ProbeVerdict::Paywalled
        | ProbeVerdict::NeedsSignature => Effective::BlockedByWall,
        _ if access == Access::Unknown => Effective::Unknown,
        ProbeVerdict::Ok | ProbeVerdict::Reduced => Effective::Reachable,
        ProbeVerdict::NotProbed if home_is_open() => Effective::Untested,
        ProbeVerdict::NotProbed | ProbeVerdict::RateLimited | ProbeVerdict::Error => {
            Effective::Unknown
        }
    }
}

/// The access matrix as a fact.
#[derive(Debug)]
struct AccessMatrix(Vec<AgentAccess>);

impl SiteFact for AccessMatrix {
    fn derive(site: &SiteSnapshot) -> Self {
        Self(matrix(site))
    }
}

impl SiteSnapshot {
    /// The access matrix: its 27 rows, in their order.
    pub fn matrix(&self) -> &[AgentAccess] {
        &self.fact::<AccessMatrix>().0
    }
}

#[cfg(test)]
mod tests;
