//! The registry of AI agents: operators, purposes, and how to identify an agent by its user agent.

pub(crate) mod lookup;
pub mod ranges;
mod user_agent;

pub use user_agent::UserAgentIndex;

use serde::{Deserialize, Serialize};

/// What an agent fetches pages for.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Builds an index that answers cite.
    Search,
    /// Fetches a page because a user asked, or acts for a user.
    User,
    /// Gathers text to train models, or is the token that controls it.
    Training,
    /// Anything else.
    Other,
}

impl Purpose {
    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::User => "user",
            Self::Training => "training",
            Self::Other => "other",
        }
    }
}

/// One agent of the registry.
#[expect(clippy::struct_excessive_bools, reason = "the fields of the data")]
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Agent {
    /// Stable id such as `openai-gptbot`.
    pub id: String,
    /// Name as the vendor writes it.
    pub name: String,
    /// Who runs it.
    pub vendor: String,
    /// What it is for.
    pub purpose: Purpose,
    /// Finer than the purpose: `search_index`, `user_fetch`, `agent`, `training_control` ...
    pub category: String,
    /// Product token in robots.txt.
    pub robots_token: String,
    /// Other tokens that name it.
    pub robots_token_aliases: Vec<String>,
    /// Tokens whose groups it follows when none names it, as its vendor documents.
    pub robots_fallback: Vec<String>,
    /// Whether it is a token without a crawler.
    pub robots_only: bool,
    /// Product tokens in its `User-Agent`.
    pub user_agent_tokens: Vec<String>,
    /// Whether a token may be followed by `-` and more.
    pub token_is_prefix: bool,
    /// Whether a token counts only with `/` and a digit behind it.
    pub version_required: bool,
    /// A whole `User-Agent`.
    pub example_user_agent: Option<String>,
    /// Where the example comes from: `vendor`, `observed`, `registry`, `token`.
    pub example_kind: Option<String>,
    /// `yes`, `no`, `may_not_apply` or `undocumented`.
    pub respects_robots_txt: String,
    /// `supported`, `not`, `ignored`, `undocumented` or `uncertain`.
    pub crawl_delay: String,
    /// Where its addresses are published.
    pub ip_ranges_url: Option<String>,
    /// Suffixes of its hosts in reverse DNS.
    pub reverse_dns_suffixes: Vec<String>,
    /// Whether it signs its requests: `yes`, `no`, `partial`, `unknown` or `undocumented`.
    pub web_bot_auth: String,
    /// The vendor's page about it.
    pub documentation_url: Option<String>,
    /// Whether the vendor documents it.
    pub vendor_documented: bool,
    /// What blocking it costs, in the words of the data; sentences in both languages are in
    /// `locales/` for the agents of the matrix.
    pub blocking_effect: Option<String>,
    /// Whether it is one of the 27 of the access matrix.
    pub in_matrix: bool,
    /// Its row in the matrix, from 1.
    #[serde(default)]
    pub matrix_position: Option<u8>,
    /// Whether its log records are accepted.
    pub in_log_allowlist: bool,
    /// Fields that are reports and not the vendor's word.
    pub uncertain_fields: Vec<String>,
    /// Date of the last review, `YYYY-MM-DD`.
    pub last_reviewed: String,
}

impl Agent {
    /// Tokens to look for in robots.txt, best first: own, aliases, fallbacks.
    pub fn robots_tokens(&self) -> Vec<&str> {
        let own = std::iter::once(&self.robots_token);
        own.chain(&self.robots_token_aliases)
            .chain(&self.robots_fallback)
            .map(String::as_str)
            .collect()
    }

    /// Whether robots.txt is only advice to it: its vendor says that rules may not apply.
    pub fn is_advisory(&self) -> bool {
        matches!(self.respects_robots_txt.as_str(), "no" | "may_not_apply")
    }
}

/// All agents.
#[derive(Debug)]
pub struct Registry {
    /// Version of the data, such as `2026-11-20.1`.
    pub version: String,
    /// Agents in the order of the data.
    pub agents: Vec<Agent>,
    /// Finds the agents by their product tokens; built when first used.
    pub user_agents: UserAgentIndex,
}

impl Registry {
    /// The registry that is built in.
    ///
    /// # Panics
    ///
    /// Never: a test parses the data.
    pub fn embedded() -> &'static Self {
        static REGISTRY: std::sync::OnceLock<Registry> = std::sync::OnceLock::new();
        REGISTRY.get_or_init(|| {
            #[derive(Deserialize)]
            struct File {
                version: String,
                agents: Vec<Agent>,
            }
            let file: Result<File, _> = serde_json::from_str(include_str!("../data/agents.json"));
            #[expect(clippy::expect_used, reason = "embedded data; a test parses it")]
            let file = file.expect("agents.json is valid");
            let user_agents = UserAgentIndex::default();
            Self { version: file.version, agents: file.agents, user_agents }
        })
    }

    /// The 27 of the access matrix, in their order.
    pub fn matrix(&self) -> Vec<&Agent> {
        let mut rows: Vec<&Agent> = self.agents.iter().filter(|agent| agent.in_matrix).collect();
        rows.sort_by_key(|agent| agent.matrix_position);
        rows
    }

    /// An agent by id, name or robots token, ASCII case-insensitively.
    pub fn find(&self, name: &str) -> Option<&Agent> {
        self.agents.iter().find(|agent| {
            [&agent.id, &agent.name, &agent.robots_token]
                .iter()
                .any(|n| n.eq_ignore_ascii_case(name))
        })
    }

    /// The agent that a `User-Agent` value claims to be, by its product token; `None` for people
    /// and for bots that are not listed. A claim only: nothing is verified.
    pub fn match_user_agent(&self, user_agent: &str) -> Option<&Agent> {
        self.user_agents.find(&self.agents, user_agent, |_| true)
    }

    /// The same among the agents whose log records are accepted, as if there were no others.
    pub fn match_listed_user_agent(&self, user_agent: &str) -> Option<&Agent> {
        self.user_agents.find(&self.agents, user_agent, |agent| agent.in_log_allowlist)
    }
}

#[cfg(test)]
mod tests;
