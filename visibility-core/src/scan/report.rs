//! The report of a scan, independent of a language, and its result in one language.

mod next_tier;

use std::collections::BTreeSet;

use chrono::{DateTime, SecondsFormat, Utc};

use crate::fetch::{FetchError, Resource};
use crate::limits::SCAN_FRESH_FOR;
use crate::rubric::finding::{Detection, Evidence, Observation, Verdict};
use crate::rubric::fix::{self, Edit, Fix, FixFile, Platform};
use crate::scan::check::{Category, Check};
use crate::scan::checks::CHECKS;
use crate::scan::facts::access::{AgentAccess, Effective};
use crate::scan::facts::platform;
use crate::scan::facts::profile::SiteProfile;
use crate::scan::fix_plan::whole::{PlanFile, WholePlan, whole};
use crate::scan::fix_plan::{self, PlannedFix};
use crate::scan::guide;
use crate::scan::observation;
use crate::scan::result::{
    AgentResult, CapResult, CategoryResult, CheckResult, EvidenceResult, FixPlanItem, FixResult,
    FollowUp, ObservationResult, PathResult, PlanFileResult, ProfileResult, ReasonResult,
    RequestCount, ScanResult, SignalResult, SpecResult,
};
use crate::scan::score::{self, Confidence, EvaluatedCheck, RUBRIC_VERSION, ScanScore};
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;
use crate::text::escape::markdown_block;
use crate::text::locale::{Catalog, Lang, Values};

/// Which checks to run.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Selection {
    /// Only these ids; `None` for all.
    pub only: Option<BTreeSet<String>>,
    /// Not these ids.
    pub skip: BTreeSet<String>,
}

impl Selection {
    /// All checks.
    pub fn all() -> Self {
        Self::default()
    }

    /// Whether every check runs, so that there is a score.
    pub fn is_whole(&self) -> bool {
        self.only.is_none() && self.skip.is_empty()
    }

    /// Whether no check runs.
    pub fn is_empty(&self) -> bool {
        !CHECKS.iter().any(|check| self.has(check))
    }

    fn has(&self, check: &Check) -> bool {
        let wanted = self.only.as_ref().is_none_or(|only| only.contains(check.id));
        wanted && !self.skip.contains(check.id)
    }
}

/// A scan judged as a whole. Has no language: [`ScanReport::result`] gives it one.
#[derive(Clone, Debug)]
pub struct ScanReport {
    domain: String,
    taken_at: DateTime<Utc>,
    profile: SiteProfile,
    evaluated_checks: Vec<EvaluatedCheck>,
    matrix: Vec<AgentAccess>,
    score: Option<ScanScore>,
    confidence: Confidence,
    steps: Vec<PlannedFix>,
    platform: Platform,
    /// The file of a home page that the project does not have.
    absent_page: Option<&'static str>,
    whole_plan: WholePlan,
    observations: Vec<(Observation, Option<String>)>,
    requests: RequestCount,
}

impl ScanReport {
    /// Judges a snapshot. Pure: the same snapshot gives the same report.
    pub fn evaluate(site: &SiteSnapshot, selection: &Selection) -> Self {
        let selected = CHECKS.iter().filter(|check| selection.has(check));
        let evaluated: Vec<EvaluatedCheck> = selected
            .map(|check| EvaluatedCheck { check, finding: (check.evaluate)(site) })
            .collect();
        let address = |resource: &Option<Resource>| {
            resource.as_ref().and_then(|r| site.evidence(r)).map(|evidence| evidence.url)
        };
        let observations = observation::observe(site)
            .into_iter()
            .map(|seen| (address(&seen.resource), seen))
            .map(|(url, seen)| (seen, url))
            .collect();
        let score = selection.is_whole().then(|| score::score(&evaluated, site));
        let steps =
            score.as_ref().map(|now| fix_plan::steps(site, &evaluated, now)).unwrap_or_default();
        Self {
            domain: site.domain().to_string(),
            taken_at: site.taken_at(),
            profile: site.profile().clone(),
            confidence: Confidence::from_checks(&evaluated, site),
            whole_plan: whole(site, &evaluated, &steps),
            steps,
            score,
            platform: platform::detect(site),
            absent_page: platform::absent_page(site),
            matrix: site.matrix().to_vec(),
            evaluated_checks: evaluated,
            observations,
            requests: count(site),
        }
    }

    /// Score before and after caps, caps and tier; `None` when checks were left out.
    pub fn score(&self) -> Option<&ScanScore> {
        self.score.as_ref()
    }

    /// The checks and what they found.
    pub fn evaluated_checks(&self) -> &[EvaluatedCheck] {
        &self.evaluated_checks
    }

    /// The result in one language.
    pub fn result(&self, lang: Lang) -> ScanResult {
        let catalog = Catalog::for_lang(lang);
        let score = self.score.as_ref();
        let tier = score.map(|score| score.tier.as_str());
        ScanResult {
            cached: false,
            domain: self.domain.clone(),
            score: score.map(|score| score.value),
            tier: tier.map(str::to_owned),
            tier_label: tier.map(|tier| catalog.text(&["tiers", tier])),
            confidence: self.confidence.as_str().to_owned(),
            rubric_version: RUBRIC_VERSION.to_owned(),
            lang: lang.to_string(),
            scanned_at: timestamp(self.taken_at),
            expires_at: timestamp(self.taken_at + SCAN_FRESH_FOR),
            profile: self.profile_result(catalog),
            platform: self.platform,
            categories: self.categories(catalog),
            checks: self
                .evaluated_checks
                .iter()
                .map(|one| self.check_result(one, catalog))
                .collect(),
            agents: self.matrix.iter().map(|row| agent_result(row, catalog)).collect(),
            caps: score.map(|score| caps(score, catalog)).unwrap_or_default(),
            next_tier: score.and_then(|score| self.next_tier(score, catalog)),
            fix_plan: self.fix_plan(catalog),
            plan_files: self.whole_plan.files.iter().map(|one| plan_file(one, catalog)).collect(),
            plan_score: self.whole_plan.score,
            observations: self.observations(catalog),
            requests: self.requests.clone(),
        }
    }

    fn profile_result(&self, catalog: &Catalog) -> ProfileResult {
        let reasons = self.profile.reasons.iter().map(|reason| ReasonResult {
            surface: reason.surface,
            text: catalog.fill(&["surface_reasons", reason.id], &reason.values),
        });
        ProfileResult { surfaces: self.profile.surfaces(), reasons: reasons.collect() }
    }

    fn categories(&self, catalog: &Catalog) -> Vec<CategoryResult> {
        let of = |category| {
            self.evaluated_checks.iter().filter(move |one| one.check.category == category)
        };
        let present = Category::ALL.into_iter().filter(|category| of(*category).next().is_some());
        present
            .map(|id| CategoryResult {
                id,
                title: catalog.text(&["categories", id.as_str()]),
                weight: of(id).map(|one| u32::from(one.check.weight)).sum(),
                points: of(id).map(|one| points(one).0).sum(),
                max_points: of(id).map(|one| u32::from(points(one).1)).sum(),
                score_points: self.share(of(id).map(|one| points(one).0).sum()),
                max_score_points: self.share(of(id).map(|one| f64::from(points(one).1)).sum()),
            })
            .collect()
    }

    fn check_result(&self, one: &EvaluatedCheck, catalog: &Catalog) -> CheckResult {
        let EvaluatedCheck { check, finding } = one;
        let (earned, max_points) = points(one);
        let summary =
            finding.detections().first().map(|signal| sentence(check, signal, "text", catalog));
        let counts = max_points > 0;
        CheckResult {
            id: check.id.to_owned(),
            category: check.category,
            title: catalog.text(&["checks", check.id, "title"]),
            status: finding.verdict(),
            weight: check.weight,
            credit: counts.then(|| earned / f64::from(check.weight)),
            points: earned,
            max_points,
            score_points: self.share(earned),
            max_score_points: self.share(f64::from(max_points)),
            maturity: check.maturity,
            applies_because: self.applies_because(one, catalog),
            why: catalog.text(&["checks", check.id, "why"]),
            summary: summary.unwrap_or_default(),
            signals: finding
                .detections()
                .iter()
                .map(|signal| signal_result(check, signal, catalog))
                .collect(),
            evidence: finding
                .evidence()
                .iter()
                .map(|evidence| evidence_result(evidence, catalog))
                .collect(),
            fix: self.fix(one, catalog),
            covers: check.covers.iter().map(|name| (*name).to_owned()).collect(),
            specs: check
                .specs
                .iter()
                .map(|spec| SpecResult { name: spec.name.to_owned(), url: spec.url.to_owned() })
                .collect(),
        }
    }

    /// What weights are worth in points of the score, to a hundredth; 0 without a score.
    fn share(&self, weights: f64) -> f64 {
        let possible: f64 = self.evaluated_checks.iter().map(|one| f64::from(points(one).1)).sum();
        if self.score.is_none() || possible <= 0.0 {
            return 0.0;
        }
        (10_000.0 * weights / possible).round() / 100.0
    }

    /// Why a check concerns the site, by the surfaces that were found.
    fn applies_because(&self, one: &EvaluatedCheck, catalog: &Catalog) -> String {
        let EvaluatedCheck { check, finding } = one;
        if check.surfaces.is_empty() {
            let is_concerned = finding.verdict() != Verdict::NotApplicable;
            let reason = if is_concerned { "always" } else { "not-here" };
            return catalog.text(&["applies", reason]);
        }
        let reasons =
            self.profile.reasons.iter().filter(|reason| check.surfaces.contains(&reason.surface));
        let reasons: Vec<String> = reasons
            .map(|reason| catalog.fill(&["surface_reasons", reason.id], &reason.values))
            .collect();
        if reasons.is_empty() {
            let names = check
                .surfaces
                .iter()
                .map(|surface: &Surface| surface.as_str())
                .collect::<Vec<_>>()
                .join(", ");
            return catalog.fill(&["applies", "no-surface"], &Values::from([("surfaces", names)]));
        }
        reasons.join("; ")
    }

    fn fix(&self, one: &EvaluatedCheck, catalog: &Catalog) -> Option<FixResult> {
        let EvaluatedCheck { check, finding } = one;
        if !matches!(finding.verdict(), Verdict::Warn | Verdict::Fail) {
            return None;
        }
        let decisive = finding.detections().first()?;
        let hint = sentence(check, decisive, "fix", catalog);
        let fix = finding.fix();
        let files = fix.map(|fix| self.files(fix, catalog)).unwrap_or_default();
        let note =
            fix.and_then(|fix| guide::note(check.id, &fix.edits, &files, self.platform, catalog));
        // Where there are settings and no files, text without a file is of no use.
        let is_usable = !self.platform.is_hosted() || !files.is_empty();
        let snippet = fix
            .filter(|_| is_usable)
            .and_then(Fix::snippet)
            .map(|text| catalog.with_comments(&text));
        let values = Values::from([
            ("domain", self.domain.clone()),
            ("check", check.id.to_owned()),
            ("found", markdown_block(&sentence(check, decisive, "text", catalog), "untrusted")),
            ("hint", hint.clone()),
            ("snippet", markdown_block(snippet.as_deref().unwrap_or_default(), "untrusted")),
            ("spec", check.specs.first().map(|spec| spec.url.to_owned()).unwrap_or_default()),
        ]);
        let template = if snippet.is_some() { "with-snippet" } else { "plain" };
        Some(FixResult {
            hint,
            snippet,
            edits: fix.map(|fix| edits(fix, catalog)).unwrap_or_default(),
            needs_input: fix.map(|fix| fix.placeholders(&files)).unwrap_or_default(),
            pages: fix
                .map(|fix| guide::pages(&fix.edits, &files, self.platform))
                .unwrap_or_default(),
            files,
            note,
            prompt: catalog.fill(&["fix_prompt", template], &values),
            docs_url: check.specs.first().map(|spec| spec.url.to_owned()).unwrap_or_default(),
        })
    }

    /// The files of a fix, with their comments in the language of the result.
    fn files(&self, fix: &Fix, catalog: &Catalog) -> Vec<FixFile> {
        let files = fix::files(&fix.edits, self.platform).into_iter();
        let is_there = |file: &FixFile| file.path.as_deref() != self.absent_page;
        let files = files.filter(|file| self.absent_page.is_none() || is_there(file));
        files.map(|file| file.with_comments(catalog)).collect()
    }

    fn fix_plan(&self, catalog: &Catalog) -> Vec<FixPlanItem> {
        let items = self.steps.iter().map(|fix| {
            let one = self.evaluated_checks.iter().find(|one| one.check.id == fix.check);
            let hint = one.and_then(|one| {
                one.finding
                    .detections()
                    .first()
                    .map(|signal| sentence(one.check, signal, "fix", catalog))
            });
            FixPlanItem {
                check: fix.check.to_owned(),
                title: catalog.text(&["checks", fix.check, "title"]),
                points: f64::from(fix.gain) / 10.0,
                points_without_cap: f64::from(fix.gain_without_cap) / 10.0,
                effort: fix.effort,
                lifts_cap: fix.lifts,
                hint: hint.unwrap_or_default(),
                score_after: fix.score_after,
                tier_after: fix.tier_after.as_str().to_owned(),
                includes: fix
                    .includes
                    .iter()
                    .map(|(check, signal)| FollowUp {
                        check: check.id.to_owned(),
                        title: catalog.text(&["checks", check.id, "title"]),
                        hint: sentence(check, signal, "fix", catalog),
                    })
                    .collect(),
                raises: fix.raises.iter().map(|check| check.id.to_owned()).collect(),
                ends_in_scan: fix.ends_in_scan,
                is_promised: fix.is_promised,
            }
        });
        items.collect()
    }

    fn observations(&self, catalog: &Catalog) -> Vec<ObservationResult> {
        let results = self.observations.iter().map(|(seen, url)| ObservationResult {
            id: seen.id.to_owned(),
            text: catalog.fill(&["observations", seen.id], &seen.values),
            url: url.clone(),
        });
        results.collect()
    }
}

fn plan_file(one: &PlanFile, catalog: &Catalog) -> PlanFileResult {
    PlanFileResult {
        file: one.file.clone().with_comments(catalog),
        checks: one.checks.iter().map(|check| (*check).to_owned()).collect(),
        is_whole: one.is_whole,
    }
}

/// The edits of a fix, with their comments in the language of the result.
fn edits(fix: &Fix, catalog: &Catalog) -> Vec<Edit> {
    fix.edits.iter().cloned().map(|edit| edit.with_comments(catalog)).collect()
}

/// Points earned and points possible.
fn points(one: &EvaluatedCheck) -> (f64, u8) {
    let weight = one.check.weight;
    match one.finding.verdict() {
        Verdict::Pass => (f64::from(weight), weight),
        Verdict::Warn => (f64::from(weight) / 2.0, weight),
        Verdict::Fail => (0.0, weight),
        Verdict::NotApplicable | Verdict::Unknown => (0.0, 0),
    }
}

/// The `text` or the `fix` of an outcome.
fn sentence(check: &Check, signal: &Detection, kind: &str, catalog: &Catalog) -> String {
    let path = ["checks", check.id, "outcomes", signal.outcome.id, kind];
    catalog.fill_if_any(&path, &signal.values_in(catalog)).unwrap_or_default()
}

fn signal_result(check: &Check, signal: &Detection, catalog: &Catalog) -> SignalResult {
    SignalResult {
        id: signal.outcome.id.to_owned(),
        status: signal.outcome.verdict,
        detail: sentence(check, signal, "text", catalog),
    }
}

fn evidence_result(evidence: &Evidence, catalog: &Catalog) -> EvidenceResult {
    let Evidence { method, url, status, content_type, bytes, ms, note, excerpt, line, css: _ } =
        evidence.clone();
    EvidenceResult {
        method: method.to_owned(),
        url,
        status,
        content_type,
        bytes,
        ms,
        note: note.map(|note| note.sentence(catalog)),
        excerpt,
        line,
    }
}

fn agent_result(row: &AgentAccess, catalog: &Catalog) -> AgentResult {
    let path =
        |(path, allowed): &(String, bool)| PathResult { path: path.clone(), allowed: *allowed };
    AgentResult {
        id: row.agent.id.clone(),
        name: row.agent.name.clone(),
        vendor: row.agent.vendor.clone(),
        purpose: row.agent.purpose,
        access: row.access,
        basis: row.basis,
        rule: row.rule.clone(),
        advisory: row.advisory,
        note: row.note.map(|id| catalog.text(&["access_notes", id])),
        page: row.page_directives.clone(),
        usage: row.usage.clone(),
        paths: row.paths.iter().map(path).collect(),
        probe: row.probe.clone(),
        effective: row.effective,
        impact: if row.effective == Effective::Unknown {
            String::new()
        } else {
            catalog.text(&["agents", &row.agent.id])
        },
    }
}

fn caps(score: &ScanScore, catalog: &Catalog) -> Vec<CapResult> {
    let results = score.caps.iter().map(|cap| {
        let values = Values::from([("limit", cap.limit.to_string())]);
        CapResult {
            id: cap.id.to_owned(),
            limit: cap.limit,
            text: catalog.fill(&["caps", cap.id], &values),
        }
    });
    results.collect()
}

fn count(site: &SiteSnapshot) -> RequestCount {
    let sent = site.exchanges().filter(|e| !matches!(e.result, Err(FetchError::Skipped { .. })));
    let mut requests = RequestCount { count: 0, hops: 0, ms: 0 };
    for exchange in sent {
        requests.count += 1;
        match &exchange.result {
            Ok(response) => {
                requests.hops += response.hops.len();
                requests.ms += u64::from(response.total_ms);
            }
            Err(error) => requests.hops += error.hops().len(),
        }
    }
    requests
}

fn timestamp(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}
