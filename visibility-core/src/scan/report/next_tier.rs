//! What the next tier needs, with the checks that would do.

use crate::rubric::finding::Verdict;
use crate::scan::report::ScanReport;
use crate::scan::result::NextTier;
use crate::scan::score::{self, ScanScore, TierRequirement};
use crate::text::locale::{Catalog, Values};

impl ScanReport {
    pub(super) fn next_tier(&self, score: &ScanScore, catalog: &Catalog) -> Option<NextTier> {
        let (tier, missing) = score.next.as_ref()?;
        Some(NextTier {
            tier: tier.as_str().to_owned(),
            label: catalog.text(&["tiers", tier.as_str()]),
            missing: missing.iter().map(|missing| self.missing(missing, score, catalog)).collect(),
        })
    }

    /// What keeps the site from a tier, with the checks that would do.
    fn missing(&self, missing: &TierRequirement, now: &ScanScore, catalog: &Catalog) -> String {
        if let Some(limited) = limited(missing, now, catalog) {
            return limited;
        }
        let (id, values) = match *missing {
            TierRequirement::Score { required: wanted, have } => (
                "score",
                Values::from([("wanted", wanted.to_string()), ("have", have.to_string())]),
            ),
            TierRequirement::Affordances { required: wanted, have } => {
                let needed = wanted.saturating_sub(have);
                let open = self.open(&score::AFFORDANCES);
                let (id, word) = match open.len() {
                    0 => ("affordances", "and"),
                    _ if needed == 1 => ("affordances-one", "or"),
                    _ => ("affordances-several", "and"),
                };
                let values = Values::from([
                    ("wanted", wanted.to_string()),
                    ("have", have.to_string()),
                    ("needed", needed.to_string()),
                    ("checks", listed(&open, word, catalog)),
                ]);
                (id, values)
            }
            TierRequirement::StrongAffordance => {
                let open = self.open(&score::STRONG_AFFORDANCES);
                let id =
                    if open.is_empty() { "strong-affordance" } else { "strong-affordance-one" };
                (id, Values::from([("checks", listed(&open, "or", catalog))]))
            }
            TierRequirement::SlowAnswers { wanted_ms, have_ms } => {
                let id = if have_ms.is_some() { "slow-answers" } else { "answers-without-end" };
                let have = have_ms.map(|ms| ms.to_string()).unwrap_or_default();
                (id, Values::from([("wanted", wanted_ms.to_string()), ("have", have)]))
            }
            TierRequirement::InnerPages => ("inner-pages", Values::new()),
            TierRequirement::FailedCheck { check } => {
                let title = catalog.text(&["checks", check, "title"]);
                ("failed-check", Values::from([("title", title), ("check", check.to_owned())]))
            }
        };
        catalog.fill(&["next_tier", id], &values)
    }

    /// Those of these checks that warn or fail, so that work on the site can pass them.
    fn open(&self, among: &[&str]) -> Vec<&'static str> {
        let open = self.evaluated_checks.iter().filter(|one| {
            among.contains(&one.check.id)
                && matches!(one.finding.verdict(), Verdict::Warn | Verdict::Fail)
        });
        open.map(|one| one.check.id).collect()
    }
}

/// Where a cap holds the score below what is wanted: no other work raises it before the cap is gone.
fn limited(missing: &TierRequirement, now: &ScanScore, catalog: &Catalog) -> Option<String> {
    let TierRequirement::Score { required, .. } = missing else { return None };
    let cap = now.caps.first().filter(|cap| cap.limit < *required)?;
    let title = catalog.text(&["checks", cap.check?, "title"]);
    let values = Values::from([("title", title), ("limit", cap.limit.to_string())]);
    Some(catalog.fill(&["next_tier", "score-limited"], &values))
}

/// `Markdown negotiation, llms.txt or Link headers`.
fn listed(checks: &[&str], word: &str, catalog: &Catalog) -> String {
    let titles: Vec<String> =
        checks.iter().map(|check| catalog.text(&["checks", check, "title"])).collect();
    let word = catalog.text(&["interface", "labels", word]);
    match titles.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} {word} {last}", rest.join(", ")),
        _ => titles.concat(),
    }
}
