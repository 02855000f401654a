//! Every check on sites that reach each of its outcomes.

mod agent_auth;
mod agent_interfaces;
mod agentic_commerce;
mod ai_catalog;
mod api_description;
mod llms_txt;
mod mcp_server;

use std::collections::BTreeSet;

use visibility_core::finding::Finding;
use visibility_core::scan::checks::{self, CHECKS};
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
    ("llms-txt", llms_txt::cases),
    ("ai-catalog", ai_catalog::cases),
    ("api-description", api_description::cases),
    ("mcp-server", mcp_server::cases),
    ("agent-auth", agent_auth::cases),
    ("agent-interfaces", agent_interfaces::cases),
    ("agentic-commerce", agentic_commerce::cases),
];

fn finding(check: &str, case: &Case) -> Finding {
    let site = case.site.scan().unwrap_or_else(|error| panic!("{check}: {}: {error}", case.name));
    (checks::find(check).expect("a check").evaluate)(&site)
}

#[test]
fn each_case_is_decided_by_its_outcome() {
    for (check, cases) in ALL {
        for case in cases() {
            let finding = finding(check, &case);
            let found: Vec<&str> =
                finding.signals().iter().map(|signal| signal.outcome.id).collect();
            assert_eq!(found.first(), Some(&case.decisive), "{check}: {}: {found:?}", case.name);
            for wanted in case.also {
                assert!(found.contains(wanted), "{check}: {}: no {wanted} in {found:?}", case.name);
            }
        }
    }
}

#[test]
fn each_outcome_is_reached_by_a_site() {
    for (check, cases) in ALL {
        let mut reached = BTreeSet::new();
        for case in cases() {
            reached.extend(finding(check, &case).signals().iter().map(|signal| signal.outcome.id));
        }
        let declared: BTreeSet<&str> = checks::find(check)
            .expect("a check")
            .outcomes
            .iter()
            .map(|outcome| outcome.id)
            .collect();
        assert_eq!(reached, declared, "{check}");
    }
}

#[test]
fn each_check_has_cases() {
    let with_cases: Vec<&str> = ALL.iter().map(|(check, _)| *check).collect();
    let registered: Vec<&str> = CHECKS.iter().map(|check| check.id).collect();
    assert_eq!(with_cases, registered);
}
