//! Gates of an audit: thresholds that set the exit code.

use std::collections::BTreeMap;

use visibility_core::audit::cap::AuditCap;
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::score::RUBRIC_VERSION;
use visibility_core::audit::status::Status;
use visibility_core::report::audit::diff::AuditDifference;
use visibility_core::report::junit::FailOn;
use visibility_core::report::labels::Labels;

use crate::args::AuditGateArgs;
use crate::console::repeat::Repeat;
use crate::error::CommandError;
use crate::run::page_input::PageInput;
use crate::saved_results;

/// Below this share of the weight, a score proves little.
const MIN_COVERAGE: f64 = 0.7;

/// What was asked for.
#[derive(Debug)]
pub(super) struct AuditGates {
    min_score: Option<u8>,
    fail_on: Option<FailOn>,
    /// Gates of the audit that have to be open.
    open: Option<Vec<AuditCap>>,
    baseline: Option<BTreeMap<String, AuditResult>>,
    unknown: usize,
    /// Pages so far, and whether the baseline knows any of them.
    met: usize,
    knows_any: bool,
}

impl AuditGates {
    /// The gates of the arguments; reads the baseline.
    pub(super) fn new(arguments: &AuditGateArgs) -> Result<Self, CommandError> {
        let mut baseline = None;
        if let Some(path) = &arguments.baseline {
            let results = saved_results::read_baseline::<AuditResult>(path, RUBRIC_VERSION)?;
            let by_url = results.into_iter().map(|result| (result.url.clone(), result));
            baseline = Some(by_url.collect());
        }
        let open = arguments.fail_on_gate.as_ref().map(|named| {
            let all: Option<Vec<AuditCap>> = named.iter().map(|gate| gate.0).collect();
            all.unwrap_or_else(|| AuditCap::ALL.to_vec())
        });
        Ok(Self {
            min_score: arguments.min_score,
            fail_on: arguments.fail_on.map(FailOn::from),
            open,
            baseline,
            unknown: 0,
            met: 0,
            knows_any: false,
        })
    }

    /// Whether a page that was named can be judged: a baseline without it is the wrong file.
    pub(super) fn check_known(
        &self,
        page: &PageInput,
        repeat: &Repeat,
    ) -> Result<(), CommandError> {
        let (Some(baseline), Some(asked)) = (&self.baseline, page.target()) else { return Ok(()) };
        if baseline.contains_key(asked.url().as_str()) {
            return Ok(());
        }
        Err(CommandError::usage_with(
            format!("the baseline has no result for {}", page.name),
            format!("create one with `{} --format json -o FILE`", repeat.command(&page.name)),
        ))
    }

    /// Takes note of a page that was audited, however that came out.
    pub(super) fn note_page(&mut self, result: &AuditResult) {
        self.met += 1;
        self.knows_any |=
            self.baseline.as_ref().is_some_and(|known| known.contains_key(&result.url));
    }

    /// Whether the baseline was about these pages: one that knows none of them proves nothing.
    pub(super) fn check_baseline(&self) -> Result<(), CommandError> {
        if self.baseline.is_none() || self.met == 0 || self.knows_any {
            return Ok(());
        }
        Err(CommandError::usage_with(
            "the baseline has no result for any of these pages",
            "files are matched by their path: run this in the folder where the \
                baseline was created, or use `--base-url URL` for both",
        ))
    }

    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        self.min_score.is_some()
            || self.fail_on.is_some()
            || self.open.is_some()
            || self.baseline.is_some()
    }

    /// Pages so far that the baseline does not know.
    pub(super) fn unknown(&self) -> usize {
        self.unknown
    }

    /// Why a result does not pass, in sentences; empty if it does. A page that the baseline does not
    /// know is new, and nothing about it can be worse.
    pub(super) fn failures(
        &mut self,
        name: &str,
        result: &AuditResult,
        labels: Labels,
    ) -> Vec<String> {
        let mut reasons = Vec::new();
        let score = result.gpt_visibility_score;
        if let Some(wanted) = self.min_score
            && score < wanted
        {
            reasons.push(labels.sentence(
                "gate-score",
                &[("domain", &name), ("score", &score), ("wanted", &wanted)],
            ));
        }
        if let Some(fail_on) = self.fail_on {
            let failed = result.signals.iter().filter(|signal| fail_on.includes(signal.status));
            let ids: Vec<&str> = failed.map(|signal| signal.id.as_str()).collect();
            if !ids.is_empty() {
                let ids = ids.join(", ");
                reasons
                    .push(labels.sentence("gate-checks", &[("domain", &name), ("checks", &ids)]));
            }
        }
        if let Some(open) = &self.open {
            let closed = result.gates.iter().filter(|gate| open.contains(&gate.id));
            let ids: Vec<&str> = closed.map(|gate| gate.id.as_str()).collect();
            if !ids.is_empty() {
                let ids = ids.join(", ");
                reasons.push(labels.sentence("gate-closed", &[("url", &name), ("gates", &ids)]));
            }
        }
        reasons.extend(self.regressions(name, result, labels));
        reasons
    }

    fn regressions(&mut self, name: &str, result: &AuditResult, labels: Labels) -> Option<String> {
        let Some(before) = self.baseline.as_ref()?.get(&result.url) else {
            self.unknown += 1;
            return None;
        };
        let difference = match AuditDifference::between(before, result) {
            Ok(difference) => difference,
            Err(error) => return Some(format!("{name}: {error}")),
        };
        if !difference.is_regression {
            return None;
        }
        let (from, to) = (difference.score.from, difference.score.to);
        let raw = difference.raw_score;
        let score = if to < from {
            Some(format!("{from} → {to}"))
        } else {
            let raw = raw.from.zip(raw.to).filter(|(from, to)| to < from);
            raw.map(|(from, to)| format!("raw_score {from} → {to}"))
        };
        let status = (!result.status.has_page()).then(|| result.status.as_str().to_owned());
        let signals = difference.signals.iter().filter(|change| change.is_regression);
        let worse: Vec<String> = score
            .into_iter()
            .chain(status)
            .chain(difference.closed_gates.iter().map(|gate| gate.as_str().to_owned()))
            .chain(signals.map(|change| change.id.clone()))
            .collect();
        Some(labels.sentence("gate-baseline", &[("domain", &name), ("worse", &worse.join(", "))]))
    }
}

/// Whether a result is about a part of the page only.
pub(super) fn proves_little(result: &AuditResult) -> bool {
    result.status == Status::Partial || result.coverage < MIN_COVERAGE
}
