//! Every check on sites that reach each of its outcomes.

/// The tests of a check with the cases of its module. Each case is scanned once for all of them.
macro_rules! tests_of {
    ($check:literal) => {
        static JUDGED: std::sync::LazyLock<Vec<crate::scan::checks::Judged>> =
            std::sync::LazyLock::new(|| crate::scan::checks::judged($check, cases()));

        #[test]
        fn each_case_is_decided_by_its_outcome() {
            crate::scan::checks::assert_each_is_decided($check, &JUDGED);
        }

        #[test]
        fn each_outcome_is_reached_by_a_site() {
            crate::scan::checks::assert_each_outcome_is_reached($check, &JUDGED);
        }

        #[test]
        fn each_signal_has_the_values_that_its_sentences_name() {
            crate::scan::checks::assert_each_signal_has_its_values($check, &JUDGED);
        }
    };
}

mod agent_auth;
mod agent_interfaces;
mod agentic_commerce;
mod ai_catalog;
mod ai_crawler_rules;
mod api_description;
mod bot_wall;
mod content_without_js;
mod honest_404;
mod https_and_redirects;
mod index_directives;
mod link_headers;
mod llms_txt;
mod markdown_negotiation;
mod mcp_server;
mod page_metadata;
mod response_budget;
mod robots_txt;
mod sitemap;
mod structured_data;
mod usage_policy;

use std::collections::BTreeSet;

use visibility_core::rubric::finding::{Detection, Finding, Verdict};
use visibility_core::scan::checks::{self, CHECKS};
use visibility_core::text::locale::{Catalog, Lang};
use visibility_tests::site::{Reply, Site};

/// A site, and what a check must say about it.
pub(crate) struct Case {
    /// What the site is like.
    name: &'static str,
    site: Site,
    /// The outcome that decides.
    decisive: &'static str,
    /// Other outcomes that must be among the signals.
    also: &'static [&'static str],
}

/// A case in which nothing but the decisive outcome is asserted.
pub(crate) fn case(name: &'static str, decisive: &'static str, site: Site) -> Case {
    Case { name, site, decisive, also: &[] }
}

impl Case {
    /// Asserts that these outcomes are among the signals, too.
    pub(crate) fn also(mut self, outcomes: &'static [&'static str]) -> Self {
        self.also = outcomes;
        self
    }

    /// Answers an address of another site.
    pub(crate) fn beside(mut self, url: &str, reply: Reply) -> Self {
        self.site = self.site.with(url, reply);
        self
    }
}

/// The cases of each check.
type Cases = fn() -> Vec<Case>;

const ALL: &[(&str, Cases)] = &[
    ("https-and-redirects", https_and_redirects::cases),
    ("bot-wall", bot_wall::cases),
    ("honest-404", honest_404::cases),
    ("robots-txt", robots_txt::cases),
    ("ai-crawler-rules", ai_crawler_rules::cases),
    ("usage-policy", usage_policy::cases),
    ("index-directives", index_directives::cases),
    ("content-without-js", content_without_js::cases),
    ("response-budget", response_budget::cases),
    ("page-metadata", page_metadata::cases),
    ("structured-data", structured_data::cases),
    ("markdown-negotiation", markdown_negotiation::cases),
    ("sitemap", sitemap::cases),
    ("llms-txt", llms_txt::cases),
    ("link-headers", link_headers::cases),
    ("ai-catalog", ai_catalog::cases),
    ("api-description", api_description::cases),
    ("mcp-server", mcp_server::cases),
    ("agent-auth", agent_auth::cases),
    ("agent-interfaces", agent_interfaces::cases),
    ("agentic-commerce", agentic_commerce::cases),
];

/// The sites of all cases, each with its check and its name.
pub(crate) fn sites() -> Vec<(&'static str, &'static str, Site)> {
    let all = ALL.iter().flat_map(|(check, cases)| cases().into_iter().map(|case| (*check, case)));
    all.map(|(check, case)| (check, case.name, case.site)).collect()
}

/// A case, and what its check found.
type Judged = (Case, Finding);

/// Scans the site of each case.
fn judged(check: &str, cases: Vec<Case>) -> Vec<Judged> {
    let check = checks::find(check).expect("a check");
    let judged = cases.into_iter().map(|case| {
        let site =
            case.site.scan().unwrap_or_else(|error| panic!("{}: {}: {error}", check.id, case.name));
        let finding = (check.evaluate)(&site);
        (case, finding)
    });
    judged.collect()
}

fn assert_each_is_decided(check: &str, judged: &[Judged]) {
    let mut wrong = Vec::new();
    for (case, finding) in judged {
        let found: Vec<&str> =
            finding.detections().iter().map(|signal| signal.outcome.id).collect();
        let is_decided = found.first() == Some(&case.decisive);
        if !is_decided || !case.also.iter().all(|wanted| found.contains(wanted)) {
            let (decisive, also) = (case.decisive, case.also);
            wrong.push(format!("{check}: {}: {decisive} {also:?}, found {found:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn assert_each_outcome_is_reached(check: &str, judged: &[Judged]) {
    let detections = judged.iter().flat_map(|(_, finding)| finding.detections());
    let reached: BTreeSet<&str> = detections.map(|signal| signal.outcome.id).collect();
    let declared = checks::find(check).expect("a check").outcomes.iter().map(|outcome| outcome.id);
    assert_eq!(reached, declared.collect::<BTreeSet<&str>>(), "{check}");
}

fn assert_each_signal_has_its_values(check: &str, judged: &[Judged]) {
    for (_, finding) in judged {
        for signal in finding.detections() {
            assert_values(check, signal);
        }
    }
}

/// Asserts that both languages have a text, a fix where there is something to fix, and a value for
/// each placeholder.
fn assert_values(check: &str, signal: &Detection) {
    let id = signal.outcome.id;
    let needs_fix = matches!(signal.outcome.verdict, Verdict::Fail | Verdict::Warn);
    for lang in Lang::ALL {
        let sentence =
            |part| Catalog::for_lang(lang).template(&["checks", check, "outcomes", id, part]);
        assert!(sentence("text").is_some(), "{check}: {id}: no {lang} text");
        assert!(sentence("fix").is_some() || !needs_fix, "{check}: {id}: no {lang} fix");
        for part in [sentence("text"), sentence("fix")].into_iter().flatten() {
            let names = part.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
            for (name, _) in names {
                assert!(
                    signal.values_in(Catalog::for_lang(lang)).contains_key(name),
                    "{check}: {id}: no {name} for {part}"
                );
            }
        }
    }
}

#[test]
fn each_check_has_cases() {
    let with_cases: Vec<&str> = ALL.iter().map(|(check, _)| *check).collect();
    let registered: Vec<&str> = CHECKS.iter().map(|check| check.id).collect();
    assert_eq!(with_cases, registered);
}
