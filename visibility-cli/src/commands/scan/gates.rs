//! Gates of a scan: thresholds that set the exit code.

use std::collections::BTreeMap;

use visibility_core::fetch::domain::Domain;
use visibility_core::report::diff::Difference;
use visibility_core::report::junit::FailOn;
use visibility_core::report::labels::Labels;
use visibility_core::scan::result::ScanResult;
use visibility_core::scan::score::{RUBRIC_VERSION, Tier};

use crate::args::GateArgs;
use crate::console::repeat::Repeat;
use crate::error::CommandError;
use crate::saved_results;

/// What was asked for.
#[derive(Debug)]
pub(super) struct ScanGates {
    min_score: Option<u8>,
    min_tier: Option<Tier>,
    fail_on: Option<FailOn>,
    baseline: Option<BTreeMap<String, ScanResult>>,
}

impl ScanGates {
    /// The gates of the arguments; reads the baseline.
    pub(super) fn new(arguments: &GateArgs) -> Result<Self, CommandError> {
        let mut baseline = None;
        if let Some(path) = &arguments.baseline {
            let results = saved_results::read_baseline::<ScanResult>(path, RUBRIC_VERSION)?;
            if let Some(partial) = results.iter().find(|result| result.score.is_none()) {
                return Err(CommandError::usage_with(
                    format!(
                        "the baseline `{}` has no score for {}: only some of the checks ran",
                        path.display(),
                        partial.domain
                    ),
                    "create a new baseline without `--only` and `--skip`",
                ));
            }
            let by_domain = results.into_iter().map(|result| (result.domain.clone(), result));
            baseline = Some(by_domain.collect());
        }
        Ok(Self {
            min_score: arguments.min_score,
            min_tier: arguments.min_tier.map(Tier::from),
            fail_on: arguments.fail_on.map(FailOn::from),
            baseline,
        })
    }

    /// Whether a domain can be judged: a baseline without it is the wrong file.
    pub(super) fn check_known(&self, domain: &Domain, repeat: &Repeat) -> Result<(), CommandError> {
        match &self.baseline {
            Some(baseline) if !baseline.contains_key(domain.as_str()) => {
                Err(CommandError::usage_with(
                    format!("the baseline has no result for {domain}"),
                    format!(
                        "create one with `{} --format json -o FILE`",
                        repeat.command(domain.as_str())
                    ),
                ))
            }
            _ => Ok(()),
        }
    }

    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        self.min_score.is_some()
            || self.min_tier.is_some()
            || self.fail_on.is_some()
            || self.baseline.is_some()
    }

    /// Why a result does not pass, in sentences; empty if it does.
    pub(super) fn failures(&self, result: &ScanResult, labels: Labels) -> Vec<String> {
        let domain: &str = &result.domain;
        let mut reasons = Vec::new();
        if let (Some(wanted), Some(score)) = (self.min_score, result.score)
            && score < wanted
        {
            reasons.push(labels.sentence(
                "gate-score",
                &[("domain", &domain), ("score", &score), ("wanted", &wanted)],
            ));
        }
        // Without a tier the confidence is low, which has an exit code of its own.
        let tier = result.tier.as_deref().and_then(Tier::from_wire);
        let tier = tier.filter(|tier| *tier != Tier::Unknown);
        if let (Some(wanted), Some(tier)) = (self.min_tier, tier)
            && tier < wanted
        {
            let (tier, wanted) = (labels.tier(tier.as_str()), labels.tier(wanted.as_str()));
            reasons.push(labels.sentence(
                "gate-tier",
                &[("domain", &domain), ("tier", &tier), ("wanted", &wanted)],
            ));
        }
        reasons.extend(self.failed_checks(result, labels));
        reasons.extend(self.regressions(result, labels));
        reasons
    }

    fn failed_checks(&self, result: &ScanResult, labels: Labels) -> Option<String> {
        let fail_on = self.fail_on?;
        let failed = result.checks.iter().filter(|check| fail_on.includes(check.status));
        let ids: Vec<&str> = failed.map(|check| check.id.as_str()).collect();
        (!ids.is_empty()).then(|| {
            let domain: &str = &result.domain;
            labels.sentence("gate-checks", &[("domain", &domain), ("checks", &ids.join(", "))])
        })
    }

    fn regressions(&self, result: &ScanResult, labels: Labels) -> Option<String> {
        let domain: &str = &result.domain;
        let Some(before) = self.baseline.as_ref()?.get(domain) else {
            return Some(labels.sentence("gate-no-baseline", &[("domain", &domain)]));
        };
        let difference = match Difference::between(before, result) {
            Ok(difference) => difference,
            Err(error) => return Some(format!("{domain}: {error}")),
        };
        if !difference.is_regression {
            return None;
        }
        let checks = difference.checks.iter().filter(|change| change.is_regression);
        let agents = difference.agents.iter().filter(|change| change.is_regression);
        let worse: Vec<&str> = checks
            .map(|change| change.id.as_str())
            .chain(agents.map(|change| change.id.as_str()))
            .chain(difference.new_caps.iter().map(String::as_str))
            .collect();
        Some(labels.sentence("gate-baseline", &[("domain", &domain), ("worse", &worse.join(", "))]))
    }
}
