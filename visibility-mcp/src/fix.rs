//! How a check is mended: what kind of change it is, and how that is made on a platform.
//!
//! What is to be said and pasted comes from the result of a scan; here it gets its place.

mod config;
mod files;
mod platform;
mod section;

use visibility_core::domain::Domain;
use visibility_core::locale::{Catalog, Values};
use visibility_core::scan::access::ProbeVerdict;
use visibility_core::scan::result::AgentResult;

pub(crate) use self::files::{Mode, files};
pub(crate) use self::platform::Platform;

/// What kind of change mends a check.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Change {
    /// TLS, and redirects between hosts and schemes.
    Redirects,
    /// Rules of a firewall.
    Firewall,
    /// What answers where there is nothing.
    NotFound,
    /// Lines of robots.txt.
    Robots,
    /// Directives for crawlers in the page or in the header.
    Directives,
    /// Where the page gets its text.
    Rendering,
    /// How the page is sent: compression, caches.
    Delivery,
    /// Elements of the head.
    Head,
    /// Markdown at the address of the page.
    Negotiation,
    /// The sitemap.
    Sitemap,
    /// llms.txt.
    Llms,
    /// The `Link` header.
    LinkHeader,
    /// JSON documents, most of them below `/.well-known/`.
    Document,
}

/// What mends each check.
const CHANGES: [(&str, Change); 21] = [
    ("https-and-redirects", Change::Redirects),
    ("bot-wall", Change::Firewall),
    ("honest-404", Change::NotFound),
    ("robots-txt", Change::Robots),
    ("ai-crawler-rules", Change::Robots),
    ("usage-policy", Change::Robots),
    ("index-directives", Change::Directives),
    ("content-without-js", Change::Rendering),
    ("response-budget", Change::Delivery),
    ("page-metadata", Change::Head),
    ("structured-data", Change::Head),
    ("markdown-negotiation", Change::Negotiation),
    ("sitemap", Change::Sitemap),
    ("llms-txt", Change::Llms),
    ("link-headers", Change::LinkHeader),
    ("ai-catalog", Change::Document),
    ("api-description", Change::Document),
    ("mcp-server", Change::Document),
    ("agent-auth", Change::Document),
    ("agent-interfaces", Change::Document),
    ("agentic-commerce", Change::Document),
];

impl Change {
    /// What mends a check.
    pub(crate) fn of(check: &str) -> Option<Self> {
        CHANGES.into_iter().find(|(id, _)| *id == check).map(|(_, change)| change)
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Redirects => "redirects",
            Self::Firewall => "firewall",
            Self::NotFound => "not-found",
            Self::Robots => "robots",
            Self::Directives => "directives",
            Self::Rendering => "rendering",
            Self::Delivery => "delivery",
            Self::Head => "head",
            Self::Negotiation => "negotiation",
            Self::Sitemap => "sitemap",
            Self::Llms => "llms",
            Self::LinkHeader => "link-header",
            Self::Document => "document",
        }
    }
}

/// What to do on a platform, in order: the advice of the check, how it is done there, how it goes live,
/// and how it is proved.
pub(crate) fn steps(
    check: &str,
    platform: Platform,
    hint: &str,
    expires_at: &str,
    catalog: &Catalog,
) -> Vec<String> {
    let values = Values::from([("expires_at", expires_at.to_owned())]);
    let place = platform.as_str();
    let how = Change::of(check)
        .and_then(|change| catalog.find(&["mcp", "fix", "how", change.as_str(), place]));
    let steps = [
        Some(hint.to_owned()),
        how.map(str::to_owned),
        catalog.find(&["mcp", "fix", "publish", place]).map(str::to_owned),
        Some(catalog.fill(&["mcp", "fix", "prove"], &values)),
    ];
    steps.into_iter().flatten().filter(|step| !step.is_empty()).collect()
}

/// A command that shows whether the check is mended; the first agent that was refused asks, if one was.
pub(crate) fn verify_command(check: &str, domain: &Domain, agents: &[AgentResult]) -> String {
    let get = |path: &str| format!("curl -sSi https://{domain}{path}");
    let status = |options: &str, path: &str| {
        format!("curl -sS -o /dev/null -w '%{{http_code}}\\n' {options}https://{domain}{path}")
    };
    let scan = || format!("visibility scan {domain} --only {check}");
    match Change::of(check) {
        Some(Change::Redirects) => format!("curl -sSIL http://{domain}/"),
        Some(Change::Firewall) => {
            refused(agents).map_or_else(scan, |name| status(&format!("-A '{name}/1.0' "), "/"))
        }
        Some(Change::NotFound) => status("", "/.well-known/no-such-file"),
        Some(Change::Robots) => get("/robots.txt"),
        Some(Change::Sitemap) => get("/sitemap.xml"),
        Some(Change::Llms) => get("/llms.txt"),
        Some(Change::LinkHeader) => format!("curl -sSI https://{domain}/"),
        Some(Change::Negotiation) => {
            format!("curl -sSi -H 'Accept: text/markdown' https://{domain}/")
        }
        _ => scan(),
    }
}

/// The first agent under whose name a request was refused.
fn refused(agents: &[AgentResult]) -> Option<&str> {
    let is_refused = |agent: &&AgentResult| {
        matches!(
            agent.probe.verdict,
            ProbeVerdict::Blocked
                | ProbeVerdict::Challenged
                | ProbeVerdict::Paywalled
                | ProbeVerdict::NeedsSignature
        )
    };
    // It stands in quotes in a shell.
    let is_token = |name: &&str| name.chars().all(|ch| ch.is_ascii_alphanumeric() || ch == '-');
    agents.iter().filter(is_refused).map(|agent| agent.name.as_str()).find(is_token)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use visibility_core::locale::Lang;
    use visibility_core::scan::checks::CHECKS;
    use visibility_core::scan::report::{ScanReport, Selection};
    use visibility_core::scan::snapshot::SiteSnapshot;

    #[test]
    fn each_check_is_mended_by_a_kind_of_change() {
        let ids: Vec<&str> = CHANGES.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, CHECKS.map(|check| check.id));
    }

    #[test]
    fn each_change_is_told_for_each_platform_in_both_languages() {
        for lang in Lang::ALL {
            let catalog = Catalog::of(lang);
            let changes: BTreeSet<&str> =
                CHANGES.iter().map(|(_, change)| change.as_str()).collect();
            let told: BTreeSet<&str> = catalog.keys(&["mcp", "fix", "how"]).into_iter().collect();
            assert_eq!(told, changes);
            let places: BTreeSet<&str> = Platform::ALL.map(Platform::as_str).into();
            for change in changes {
                let told = catalog.keys(&["mcp", "fix", "how", change]);
                assert_eq!(told.into_iter().collect::<BTreeSet<_>>(), places, "{lang} {change}");
            }
            let told = catalog.keys(&["mcp", "fix", "publish"]);
            assert_eq!(told.into_iter().collect::<BTreeSet<_>>(), places, "{lang}");
        }
    }

    #[test]
    fn steps_are_sentences() {
        for lang in Lang::ALL {
            for (check, _) in CHANGES {
                for platform in Platform::ALL {
                    let steps = steps(check, platform, "Do it.", "then", Catalog::of(lang));
                    assert_eq!(steps.len(), 4, "{check} {platform:?}");
                    for step in steps {
                        assert!(step.ends_with('.') && !step.contains("  "), "{step}");
                        assert_eq!(step.matches('`').count() % 2, 0, "{step}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_advice_of_checks_is_ours_alone() {
        // Advice is shown as our own words, so nothing of a site may be filled into it.
        for lang in Lang::ALL {
            for check in CHECKS {
                for outcome in check.outcomes {
                    let path = ["checks", check.id, "outcomes", outcome.id, "fix"];
                    let fix = Catalog::of(lang).find(&path).unwrap_or_default();
                    assert!(!fix.contains('{'), "{path:?}: {fix}");
                }
            }
        }
    }

    #[test]
    fn commands_name_the_domain_and_need_no_quotes_for_it() {
        let domain: Domain = "example.com".parse().expect("a domain");
        for (check, _) in CHANGES {
            let command = verify_command(check, &domain, &[]);
            assert!(command.contains("example.com"), "{command}");
            assert!(command.starts_with("curl ") || command.starts_with("visibility scan "));
        }
    }

    #[test]
    fn a_wall_is_asked_in_the_name_of_who_was_refused() {
        let domain: Domain = "example.com".parse().expect("a domain");
        let site = SiteSnapshot::new(domain.clone(), chrono::DateTime::UNIX_EPOCH);
        let mut agents = ScanReport::of(&site, &Selection::all()).result(Lang::En).agents;
        let command = verify_command("bot-wall", &domain, &agents);
        assert_eq!(command, "visibility scan example.com --only bot-wall");
        for (name, verdict) in [
            ("Claude-User", ProbeVerdict::Challenged),
            ("GPTBot", ProbeVerdict::Blocked),
            ("OAI-SearchBot", ProbeVerdict::Ok),
        ] {
            let agent = agents.iter_mut().find(|agent| agent.name == name).expect("an agent");
            agent.probe.verdict = verdict;
        }
        let refused = ["Claude-User", "GPTBot"];
        let first = agents.iter().find(|agent| refused.contains(&agent.name.as_str()));
        let name = first.map(|agent| agent.name.clone()).unwrap_or_default();
        let command = verify_command("bot-wall", &domain, &agents);
        assert!(command.contains(&format!(" -A '{name}/1.0' https://example.com/")), "{command}");
    }
}
