//! How a check is fixed on a platform: the steps in sentences, and the command that shows the result.

use crate::fetch::domain::Domain;
use crate::rubric::fix::{
    Edit, FixFile, Platform, ServerRule, is_promised, needs_htaccess, next, vendor_pages,
};
use crate::scan::facts::access::ProbeVerdict;
use crate::scan::result::AgentResult;
use crate::text::locale::{Catalog, Values};

/// What kind of work fixes a check.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum WorkKind {
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

/// What fixes each check.
const WORK: [(&str, WorkKind); 21] = [
    ("https-and-redirects", WorkKind::Redirects),
    ("bot-wall", WorkKind::Firewall),
    ("honest-404", WorkKind::NotFound),
    ("robots-txt", WorkKind::Robots),
    ("ai-crawler-rules", WorkKind::Robots),
    ("usage-policy", WorkKind::Robots),
    ("index-directives", WorkKind::Directives),
    ("content-without-js", WorkKind::Rendering),
    ("response-budget", WorkKind::Delivery),
    ("page-metadata", WorkKind::Head),
    ("structured-data", WorkKind::Head),
    ("markdown-negotiation", WorkKind::Negotiation),
    ("sitemap", WorkKind::Sitemap),
    ("llms-txt", WorkKind::Llms),
    ("link-headers", WorkKind::LinkHeader),
    ("ai-catalog", WorkKind::Document),
    ("api-description", WorkKind::Document),
    ("mcp-server", WorkKind::Document),
    ("agent-auth", WorkKind::Document),
    ("agent-interfaces", WorkKind::Document),
    ("agentic-commerce", WorkKind::Document),
];

impl WorkKind {
    /// What fixes a check.
    fn for_check(check: &str) -> Option<Self> {
        WORK.into_iter().find(|(id, _)| *id == check).map(|(_, work)| work)
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
    let publish = if platform.is_hosted() { "hosted" } else { platform.as_str() };
    let steps = [
        Some(hint.to_owned()),
        how(check, platform, catalog).map(str::to_owned),
        catalog.find(&["mcp", "fix", "publish", publish]).map(str::to_owned),
        Some(catalog.fill(&["mcp", "fix", "prove"], &values)),
    ];
    steps.into_iter().flatten().filter(|step| !step.is_empty()).collect()
}

/// How the work for a check is done on a platform. What is the same for all site builders is written once.
fn how<'c>(check: &str, platform: Platform, catalog: &'c Catalog) -> Option<&'c str> {
    let kind = WorkKind::for_check(check)?.as_str();
    let on = |place: &str| catalog.find(&["mcp", "fix", "how", kind, place]);
    let of_builders = || if platform.is_hosted() { on(Platform::Hosted.as_str()) } else { None };
    on(platform.as_str()).or_else(of_builders)
}

/// Where certbot keeps certificates.
const CERTBOT: &str = "/etc/letsencrypt/";

/// What to know before the files of a fix are pasted.
pub(crate) fn note(
    check: &str,
    edits: &[Edit],
    files: &[FixFile],
    platform: Platform,
    catalog: &Catalog,
) -> Option<String> {
    let rules = files.iter().filter(|file| {
        let path = file.path.as_deref().unwrap_or_default();
        matches!(path, "nginx.conf" | ".htaccess" | "Caddyfile") || path.starts_with("certbot-")
    });
    let mut sentences = Vec::new();
    // There are no files that say what to do.
    if platform.is_hosted() {
        sentences.extend(how(check, platform, catalog).map(str::to_owned));
    }
    if edits.iter().any(|edit| matches!(edit, Edit::Build { .. })) {
        sentences.push(catalog.text(&["fix_notes", "after-built"]));
    }
    if rules.count() > 1 {
        sentences.push(catalog.text(&["fix_notes", "one-server"]));
    }
    let has = |path: &str| files.iter().any(|file| file.path.as_deref() == Some(path));
    if has(next::APP_PAGE) && has(next::ROUTER_PAGE) {
        sentences.push(catalog.text(&["fix_notes", "one-router"]));
    }
    if edits.iter().any(|edit| matches!(edit, Edit::Server { rule: ServerRule::Markdown { .. } })) {
        sentences.push(catalog.text(&["fix_notes", "page-of-today"]));
    }
    if files.iter().any(|file| file.content.contains("certbot ") || file.content.contains(CERTBOT))
    {
        sentences.push(catalog.text(&["fix_notes", "certbot-not-tried"]));
    }
    if edits.iter().any(|edit| needs_htaccess(edit, platform)) {
        sentences.push(catalog.text(&["fix_notes", "htaccess"]));
    }
    let is_advice = pages(edits, files, platform).is_empty();
    if is_advice && edits.iter().any(|edit| !is_promised(edit, platform)) {
        let values = Values::from([("platform", platform.name().to_owned())]);
        let id = if platform.is_hosted() { "no-points" } else { "not-tried" };
        sentences.push(catalog.fill(&["fix_notes", id], &values));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// Pages of the vendor that say what the files of a fix do on a platform.
pub(crate) fn pages(edits: &[Edit], files: &[FixFile], platform: Platform) -> Vec<String> {
    let has_work = !files.is_empty() || platform.is_hosted();
    let pages = vendor_pages(edits, files, platform).into_iter().filter(|_| has_work);
    pages.map(str::to_owned).collect()
}

/// The sentence that names such pages; `None` without one.
pub(crate) fn documented(
    pages: &[String],
    platform: Platform,
    catalog: &Catalog,
) -> Option<String> {
    let values =
        Values::from([("pages", pages.join(", ")), ("platform", platform.name().to_owned())]);
    (!pages.is_empty()).then(|| catalog.fill(&["fix_notes", "documented"], &values))
}

/// A command that shows whether the check passes now; it uses the name of the first agent that was
/// refused, if one was.
pub(crate) fn verify_command(check: &str, domain: &Domain, agents: &[AgentResult]) -> String {
    let get = |path: &str| format!("curl -sSi https://{domain}{path}");
    let status = |options: &str, path: &str| {
        format!("curl -sS -o /dev/null -w '%{{http_code}}\\n' {options}https://{domain}{path}")
    };
    let scan = || format!("visibility scan {domain} --only {check}");
    match WorkKind::for_check(check) {
        Some(WorkKind::Redirects) => format!("curl -sSIL http://{domain}/"),
        Some(WorkKind::Firewall) => {
            refused(agents).map_or_else(scan, |name| status(&format!("-A '{name}/1.0' "), "/"))
        }
        Some(WorkKind::NotFound) => status("", "/.well-known/no-such-file"),
        Some(WorkKind::Robots) => get("/robots.txt"),
        Some(WorkKind::Sitemap) => get("/sitemap.xml"),
        Some(WorkKind::Llms) => get("/llms.txt"),
        Some(WorkKind::LinkHeader) => format!("curl -sSI https://{domain}/"),
        Some(WorkKind::Negotiation) => {
            format!("curl -sSi -H 'Accept: text/markdown' https://{domain}/")
        }
        _ => scan(),
    }
}

/// The first agent under whose name a request was refused.
fn refused(agents: &[AgentResult]) -> Option<&str> {
    // It is in quotes in a shell.
    let is_token = |name: &&str| name.chars().all(|ch| ch.is_ascii_alphanumeric() || ch == '-');
    agents
        .iter()
        .filter(|agent| {
            matches!(
                agent.probe.verdict,
                ProbeVerdict::Blocked
                    | ProbeVerdict::Challenged
                    | ProbeVerdict::Paywalled
                    | ProbeVerdict::NeedsSignature
            )
        })
        .map(|agent| agent.name.as_str())
        .find(is_token)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rubric::fix::files;
    use crate::scan::checks::CHECKS;
    use crate::scan::report::{ScanReport, Selection};
    use crate::scan::snapshot::SiteSnapshot;
    use crate::text::locale::Lang;

    #[test]
    fn each_check_is_fixed_by_a_kind_of_work() {
        let ids: Vec<&str> = WORK.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, CHECKS.map(|check| check.id));
    }

    #[test]
    fn each_kind_of_work_is_explained_for_each_platform_in_both_languages() {
        for lang in Lang::ALL {
            let catalog = Catalog::for_lang(lang);
            let kinds: BTreeSet<&str> = WORK.iter().map(|(_, work)| work.as_str()).collect();
            let known: BTreeSet<&str> = catalog.keys(&["mcp", "fix", "how"]).into_iter().collect();
            assert_eq!(known, kinds);
            // What is the same for all builders is there once.
            let is_written =
                |platform: &Platform| !platform.is_hosted() || *platform == Platform::Hosted;
            let written = Platform::ALL.into_iter().filter(is_written).map(Platform::as_str);
            let places: BTreeSet<&str> = written.collect();
            for kind in kinds {
                let known = catalog.keys(&["mcp", "fix", "how", kind]);
                let known: BTreeSet<&str> = known.into_iter().collect();
                assert!(known.is_superset(&places), "{lang} {kind}");
                assert!(known.iter().all(|name| Platform::from_wire(name).is_some()), "{kind}");
            }
            let known = catalog.keys(&["mcp", "fix", "publish"]);
            assert_eq!(known.into_iter().collect::<BTreeSet<_>>(), places, "{lang}");
        }
    }

    #[test]
    fn what_takes_certbot_says_that_it_was_not_tried() {
        let name = |name: &str| name.to_owned();
        let certificate =
            Edit::Server { rule: ServerRule::Certificate { names: vec![name("example.com")] } };
        let redirect = Edit::Server {
            rule: ServerRule::Redirects {
                names: vec![name("example.com"), name("www.example.com")],
                canonical: name("example.com"),
            },
        };
        for lang in Lang::ALL {
            let note = |edit: &Edit, platform| {
                let edits = std::slice::from_ref(edit);
                let files = files(edits, platform);
                note("https-and-redirects", edits, &files, platform, Catalog::for_lang(lang))
                    .unwrap_or_default()
            };
            for platform in [Platform::Nginx, Platform::Apache, Platform::Generic] {
                assert!(note(&certificate, platform).contains("`certbot`"), "{platform:?}");
            }
            assert!(note(&redirect, Platform::Nginx).contains("`certbot`"));
            assert!(!note(&redirect, Platform::Apache).contains("certbot"));
            assert!(!note(&certificate, Platform::Caddy).contains("certbot"));
        }
    }

    #[test]
    fn steps_are_sentences() {
        for lang in Lang::ALL {
            for (check, _) in WORK {
                for platform in Platform::ALL {
                    let steps = steps(check, platform, "Do it.", "then", Catalog::for_lang(lang));
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
                    let fix = Catalog::for_lang(lang).find(&path).unwrap_or_default();
                    assert!(!fix.contains('{'), "{path:?}: {fix}");
                }
            }
        }
    }

    #[test]
    fn commands_name_the_domain_and_need_no_quotes_for_it() {
        let domain: Domain = "example.com".parse().expect("a domain");
        for (check, _) in WORK {
            let command = verify_command(check, &domain, &[]);
            assert!(command.contains("example.com"), "{command}");
            assert!(command.starts_with("curl ") || command.starts_with("visibility scan "));
        }
    }

    #[test]
    fn a_wall_is_asked_in_the_name_of_who_was_refused() {
        let domain: Domain = "example.com".parse().expect("a domain");
        let site = SiteSnapshot::new(domain.clone(), chrono::DateTime::UNIX_EPOCH);
        let mut agents = ScanReport::evaluate(&site, &Selection::all()).result(Lang::En).agents;
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
