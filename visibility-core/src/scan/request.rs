//! What to scan, when, and as whom.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::agents::Agent;
use crate::documents::robots::own_token;
use crate::fetch::domain::{self, Domain};
use crate::fetch::{Probe, Redirects, Resource};
use crate::limits;
use crate::scan::surface::Surface;

const ACCEPT_ANY: &str = "*/*";

/// What to scan, when, and as whom. All that a scan takes from outside, answers apart.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ScanRequest {
    /// The domain; for a development server its authority, as of [`Domain::from_local_origin`].
    #[serde(deserialize_with = "domain::recorded")]
    pub domain: Domain,
    /// Root of the one origin that is scanned, for a site on this machine: its scheme, host and port.
    /// Without it, the scan begins with HTTPS and HTTP on their own ports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Url>,
    /// The time of the scan; the only clock that a check sees.
    pub taken_at: DateTime<Utc>,
    /// Makes the paths of the 404 probes hard to guess. Any number; recorded with the scan.
    pub nonce: u64,
    /// Our own `User-Agent`, such as `VisibilityBot/0.1.0 (+https://example.com/bot)`.
    pub user_agent: String,
    /// Whether the home page is also asked for in the names of agents.
    pub agent_probes: AgentProbes,
    /// The kind of site, if a user chose it.
    pub profile: Option<Surface>,
}

/// Whether a scan asks in the names of agents.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentProbes {
    /// Five agents and a browser, each once.
    On,
    /// Only ourselves; the bot-wall check is unknown then.
    Off,
}

impl ScanRequest {
    /// A request with the defaults: agent probes on, profile detected.
    pub fn new(domain: Domain, taken_at: DateTime<Utc>, user_agent: impl Into<String>) -> Self {
        Self {
            domain,
            origin: None,
            taken_at,
            nonce: 0,
            user_agent: user_agent.into(),
            agent_probes: AgentProbes::On,
            profile: None,
        }
    }

    /// A request for a development server on this machine; `None` if the address is of another one.
    pub fn local(
        origin: &Url,
        taken_at: DateTime<Utc>,
        user_agent: impl Into<String>,
    ) -> Option<Self> {
        let domain = Domain::from_local_origin(origin)?;
        let origin = Some(at(origin, "/"));
        Some(Self { origin, ..Self::new(domain, taken_at, user_agent) })
    }

    /// Root of the site before any redirect.
    pub fn root(&self) -> Url {
        self.origin.clone().unwrap_or_else(|| self.domain.https_root())
    }

    /// Our product token: what a robots.txt group would name.
    pub fn product_token(&self) -> &str {
        own_token(&self.user_agent)
    }

    pub(super) fn probe(&self, resource: Resource, url: Url) -> Probe {
        let max_body_bytes = match resource {
            Resource::Home
            | Resource::HttpHome
            | Resource::HomeMarkdown
            | Resource::HomeAsBrowser
            | Resource::HomeAsAgent(_)
            | Resource::InnerPage(_) => limits::MAX_HOME_BYTES,
            Resource::Sitemap | Resource::SitemapChild => limits::MAX_SITEMAP_BYTES,
            // One byte more than is parsed shows whether the file is longer.
            Resource::RobotsTxt | Resource::FinalRobotsTxt => limits::MAX_ROBOTS_BYTES + 1,
            _ => limits::MAX_DOCUMENT_BYTES,
        };
        Probe {
            resource,
            url,
            user_agent: self.user_agent.clone(),
            accept: ACCEPT_ANY.to_owned(),
            redirects: Redirects::Follow,
            max_body_bytes,
        }
    }

    pub(super) fn agent_user_agent(&self, agent: &Agent) -> String {
        let claimed = agent.example_user_agent.as_deref().unwrap_or(&agent.name);
        format!("{claimed} {}", self.user_agent)
    }
}

/// Whether an address that the site names is an `http(s)` URL that is not too long.
pub(crate) fn is_askable(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.as_str().len() <= limits::MAX_URL_BYTES
}

/// A path on the authority of `root`.
pub(super) fn at(root: &Url, path: &str) -> Url {
    let mut url = root.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    url
}
