//! The fix plan: each step evaluated on the site as it would be after the fix.

pub(super) mod whole;

use std::cmp::Reverse;

use crate::rubric::Effort;
use crate::rubric::finding::{Detection, Finding, Outcome, Verdict};
use crate::rubric::fix::Fix;
use crate::scan::check::Check;
use crate::scan::facts::platform;
use crate::scan::score::{self, EvaluatedCheck, ScanScore, Tier};
use crate::scan::simulation;
use crate::scan::snapshot::SiteSnapshot;

/// Further checks that one step may have to satisfy.
const MAX_INCLUDED: usize = 4;

/// One step of the fix plan.
#[derive(Clone, Debug)]
pub(super) struct PlannedFix {
    /// The check to fix.
    pub(super) check: &'static str,
    /// Tenths of a point that the step adds to the score, caps applied.
    pub(super) gain: u32,
    /// The same before caps.
    pub(super) gain_without_cap: u32,
    /// The score after this step alone, caps applied.
    pub(super) score_after: u8,
    /// The tier after this step alone.
    pub(super) tier_after: Tier,
    /// How much work it usually is.
    pub(super) effort: Effort,
    /// The cap that it lifts, if any.
    pub(super) lifts: Option<u8>,
    /// Checks that the step makes necessary, each with the detection that says what to do.
    pub(super) includes: Vec<(&'static Check, Detection)>,
    /// Other checks whose points the step raises, too.
    pub(super) raises: Vec<&'static Check>,
    /// Whether nothing is known of what the step brings to light, so that no gain is promised.
    pub(super) ends_in_scan: bool,
    /// Whether what it does on the platform of the site was tried, or is documented by the vendor.
    pub(super) is_promised: bool,
}

/// Caps of walls, and of a site at another name. What is behind one was not seen, so that the plan ends there.
const WALLS: [&str; 4] = ["challenged", "gate-page", "honest-bot-refused", "site-elsewhere"];

/// Checks that declare something and change nothing for readers: that of llms.txt last, as no large engine is known to
/// depend on the file.
const DECLARATIONS: [&str; 2] = ["usage-policy", "llms-txt"];

/// The steps: first what lifts a cap, hardest cap first, then by points for the effort, declarations after what is of more
/// use. The plan ends at a wall: to take it down is the last one.
pub(super) fn steps(
    site: &SiteSnapshot,
    evaluated: &[EvaluatedCheck],
    now: &ScanScore,
) -> Vec<PlannedFix> {
    let wall = at_wall(evaluated, now);
    let comes_before_wall = |step: &PlannedFix| match (&wall, step.lifts) {
        (Some(wall), lifts) => lifts.is_some() && lifts < wall.lifts,
        (None, _) => true,
    };
    let fixable = evaluated
        .iter()
        .filter(|one| matches!(one.finding.verdict(), Verdict::Warn | Verdict::Fail))
        .filter(|one| !waits_for_content(one));
    let mut steps: Vec<PlannedFix> =
        fixable.filter_map(|one| Attempt::new(site, evaluated, one).step(evaluated, now)).collect();
    steps.retain(comes_before_wall);
    // Tenths times 4 keep the quotients apart for every cost; the sort is stable, so the order of
    // the rubric breaks ties.
    steps.sort_by_key(|step| {
        let value = 4 * step.gain_without_cap / step.effort.cost();
        (step.lifts.unwrap_or(u8::MAX), !step.is_promised, Reverse(value))
    });
    declare_last(&mut steps);
    let mut steps = without_repetition(steps, evaluated);
    steps.extend(wall);
    name_the_cause(&mut steps, evaluated, now);
    steps
}

/// Puts declarations behind the last step that is of more use and no project of weeks, and llms.txt never first.
fn declare_last(steps: &mut Vec<PlannedFix>) {
    let is_of_more_use = |step: &PlannedFix| {
        step.is_promised && step.effort != Effort::L && !DECLARATIONS.contains(&step.check)
    };
    for declaration in DECLARATIONS {
        let Some(at) = steps.iter().position(|step| step.check == declaration) else { continue };
        let behind = match steps.iter().rposition(is_of_more_use) {
            Some(last) => last,
            None if declaration == "llms-txt" && at == 0 && steps.len() > 1 => 1,
            None => continue,
        };
        let is_moved = steps.get(at).is_some_and(|step| step.lifts.is_none() && step.is_promised);
        if at < behind && is_moved {
            let step = steps.remove(at);
            steps.insert(behind, step);
        }
    }
}

/// Puts the step first that removes the hardest limit, where nothing is gained by any step alone: what comes of it cannot be
/// said, but without it nothing else counts.
fn name_the_cause(steps: &mut Vec<PlannedFix>, evaluated: &[EvaluatedCheck], now: &ScanScore) {
    let Some(cap) = now.caps.first() else { return };
    if steps.first().is_some_and(|step| step.gain > 0 || step.ends_in_scan) {
        return;
    }
    let Some(one) = evaluated.iter().find(|one| Some(one.check.id) == cap.check) else { return };
    steps.retain(|step| step.check != one.check.id);
    steps.insert(0, without_gain(one, cap.limit, now));
}

/// A step that removes a limit, and of which nothing else is known.
fn without_gain(one: &EvaluatedCheck, limit: u8, now: &ScanScore) -> PlannedFix {
    PlannedFix {
        check: one.check.id,
        gain: 0,
        gain_without_cap: 0,
        score_after: now.value,
        tier_after: now.tier,
        effort: one.check.effort,
        lifts: Some(limit),
        includes: Vec::new(),
        raises: Vec::new(),
        ends_in_scan: true,
        is_promised: true,
    }
}

/// Whether a check can pass only after the home page has more text, which is another step: a copy of a few words in
/// Markdown is not worth publishing.
fn waits_for_content(one: &EvaluatedCheck) -> bool {
    one.check.id == "markdown-negotiation" && one.finding.fix().is_none()
}

/// The step that takes down a wall; `None` without one.
fn at_wall(evaluated: &[EvaluatedCheck], now: &ScanScore) -> Option<PlannedFix> {
    let wall = now.caps.iter().find(|cap| WALLS.contains(&cap.id))?;
    let one = evaluated.iter().find(|one| Some(one.check.id) == wall.check)?;
    Some(without_gain(one, wall.limit, now))
}

/// The first of the steps that make the same edits: one line of robots.txt can satisfy two checks.
fn without_repetition(steps: Vec<PlannedFix>, evaluated: &[EvaluatedCheck]) -> Vec<PlannedFix> {
    let edits = |step: &PlannedFix| {
        let one = evaluated.iter().find(|one| one.check.id == step.check)?;
        one.finding.fix().map(|fix| &fix.edits)
    };
    let mut kept: Vec<PlannedFix> = Vec::with_capacity(steps.len());
    for step in steps {
        if !kept.iter().any(|other| {
            other.raises.iter().any(|check| check.id == step.check) && edits(other) == edits(&step)
        }) {
            kept.push(step);
        }
    }
    kept
}

/// One fix, and what becomes of the site with it.
struct Attempt {
    check: &'static Check,
    site: SiteSnapshot,
    judged: Vec<EvaluatedCheck>,
    includes: Vec<(&'static Check, Detection)>,
    /// Whether some of the fix cannot be made on the platform, as far as anyone has written down.
    is_partial: bool,
}

/// A fix without edits is work that only the owner knows: the check then passes, and all else stays.
const ASSUMED: Outcome = Outcome::pass("assumed");

impl Attempt {
    fn new(site: &SiteSnapshot, before: &[EvaluatedCheck], one: &EvaluatedCheck) -> Self {
        let edits = one.finding.fix().map(|fix| fix.edits.as_slice()).unwrap_or_default();
        let mut attempt = Self {
            check: one.check,
            site: site.clone(),
            judged: Vec::new(),
            includes: Vec::new(),
            is_partial: !edits.iter().all(|edit| platform::can_make(site, edit)),
        };
        if let Some(fix) = one.finding.fix() {
            attempt.make(before, fix);
        } else {
            attempt.judged = before.to_vec();
            for evaluated in &mut attempt.judged {
                if evaluated.check.id == one.check.id {
                    evaluated.finding = Finding::new(ASSUMED.detected());
                }
            }
        }
        attempt
    }

    /// Makes the edits, and then those that they make necessary.
    fn make(&mut self, before: &[EvaluatedCheck], fix: &Fix) {
        self.site = simulation::after(&self.site, &[fix]);
        self.judged = score::reevaluate(&self.site, before);
        for _ in 0..MAX_INCLUDED {
            let Some((check, signal, fix)) = self.regression(before) else { break };
            self.includes.push((check, signal));
            self.site = simulation::after(&self.site, &[&fix]);
            self.judged = score::reevaluate(&self.site, before);
        }
    }

    /// A check that lost points by the fix, and has one of its own.
    fn regression(&self, before: &[EvaluatedCheck]) -> Option<(&'static Check, Detection, Fix)> {
        self.judged.iter().zip(before).find_map(|(now, then)| {
            let is_worse = matches!(now.finding.verdict(), Verdict::Warn | Verdict::Fail)
                && !matches!(then.finding.verdict(), Verdict::Warn | Verdict::Fail);
            let is_included = self.includes.iter().any(|(check, _)| check.id == now.check.id);
            if !is_worse || is_included || now.check.id == self.check.id {
                return None;
            }
            let signal = now.finding.detections().first()?.clone();
            // One that the platform cannot make stays undone.
            let is_possible = |fix: &&Fix| !platform::possible(&self.site, &fix.edits).is_empty();
            let fix = now.finding.fix().filter(is_possible)?;
            Some((now.check, signal, fix.clone()))
        })
    }

    /// The step; `None` if nothing is gained.
    fn step(self, before: &[EvaluatedCheck], now: &ScanScore) -> Option<PlannedFix> {
        let mut after = score::score(&self.judged, &self.site);
        // A cap is lifted by the step that is for it. That a heading makes words of a page without any is
        // no reason to write nothing but the heading.
        let kept = now.caps.iter().filter(|cap| cap.check != Some(self.check.id));
        after.keep_caps(kept);
        let gain_without_cap = after.raw_tenths.saturating_sub(now.raw_tenths);
        let lifts = now
            .caps
            .iter()
            .find(|cap| cap.check == Some(self.check.id))
            .filter(|cap| after.caps.iter().all(|still| still.id != cap.id))
            .map(|cap| cap.limit);
        let gains = gain_without_cap > 0 || lifts.is_some();
        if !gains && self.is_partial {
            return Some(self.advice(now));
        }
        let raises = self.raises(before);
        (gains && after.value >= now.value).then_some(PlannedFix {
            check: self.check.id,
            gain: after.tenths().saturating_sub(now.tenths()),
            gain_without_cap,
            score_after: after.value,
            tier_after: after.tier,
            effort: self.check.effort,
            lifts,
            includes: self.includes,
            raises,
            ends_in_scan: false,
            is_promised: true,
        })
    }

    /// The step as advice: what it would bring is not known.
    fn advice(self, now: &ScanScore) -> PlannedFix {
        PlannedFix {
            check: self.check.id,
            gain: 0,
            gain_without_cap: 0,
            score_after: now.value,
            tier_after: now.tier,
            effort: self.check.effort,
            lifts: None,
            includes: Vec::new(),
            raises: Vec::new(),
            ends_in_scan: false,
            is_promised: false,
        }
    }

    /// Checks besides its own, and besides those that it makes necessary, that earn more.
    fn raises(&self, before: &[EvaluatedCheck]) -> Vec<&'static Check> {
        let pairs = self.judged.iter().zip(before);
        pairs
            .filter(|(now, then)| {
                let is_named = now.check.id == self.check.id
                    || self.includes.iter().any(|(check, _)| check.id == now.check.id);
                !is_named && now.half_points() > then.half_points()
            })
            .map(|(now, _)| now.check)
            .collect()
    }
}
