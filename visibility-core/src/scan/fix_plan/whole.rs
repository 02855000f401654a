//! The whole plan made at once: one file for each path, with what all steps put into it.
//!
//! People apply a folder and not a step. Lines of robots.txt that several steps add or replace are therefore worked into
//! the text that was read, and what the steps together make necessary is a part of it.

use std::collections::BTreeSet;

use crate::fetch::{BodyEnd, Response};
use crate::rubric::finding::Verdict;
use crate::rubric::fix::{self, Edit, FileMode, Fix, FixFile, FixInput, Platform, Task};
use crate::scan::facts::platform;
use crate::scan::fix_plan::PlannedFix;
use crate::scan::score::{self, EvaluatedCheck};
use crate::scan::simulation;
use crate::scan::snapshot::{DocumentState, SiteSnapshot};
use crate::text::placeholder::placeholder;

/// Further fixes that all steps together may make necessary.
const MAX_FOLLOW_UPS: usize = 6;

/// Bytes of an example that nothing but its placeholder can have brought into a fix.
const DISTINCT_EXAMPLE_BYTES: usize = 8;

/// Bytes of a file that is written whole with what was read of it.
const MAX_READ_BYTES: usize = 512 * 1024;

/// A file of the whole plan, or a piece for one that was not read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct PlanFile {
    pub(crate) file: FixFile,
    /// The checks that it is for, in the order of the plan.
    pub(crate) checks: Vec<&'static str>,
    /// Whether it is the whole file: a new one, or one with all that was read of it.
    pub(crate) is_whole: bool,
}

/// The edits of a check, in the order of the plan.
struct Step {
    check: &'static str,
    edits: Vec<Edit>,
}

/// All steps that are promised, made at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct WholePlan {
    pub(crate) files: Vec<PlanFile>,
    /// The score with all of them made; `None` without a step, and where one of them brings to light what no scan has seen.
    pub(crate) score: Option<u8>,
}

/// Makes all steps that are promised.
pub(crate) fn whole(
    site: &SiteSnapshot,
    evaluated: &[EvaluatedCheck],
    planned: &[PlannedFix],
) -> WholePlan {
    let fixes: Vec<(&'static str, &Fix)> = planned
        .iter()
        .filter(|step| step.is_promised)
        .filter_map(|step| Some((step.check, fix_of(evaluated, step.check)?)))
        .collect();
    let mut steps = Vec::new();
    // Of one line of robots.txt, the next step has to see what the one before made of it.
    let mut now = site.clone();
    for (check, fix) in &fixes {
        let lines = robots_edits(&now, evaluated, check, fix);
        if !lines.is_empty() {
            now = simulation::after(&now, &[&Fix::from_edits(lines.clone())]);
        }
        let others = fix.edits.iter().filter(|edit| !is_robots(edit)).cloned();
        steps.push(Step { check, edits: lines.into_iter().chain(others).collect() });
    }
    let others: Vec<Fix> = fixes.iter().map(|(_, fix)| without_robots(fix)).collect();
    now = simulation::after(&now, &others.iter().collect::<Vec<_>>());
    let is_text_unknown = fixes.iter().any(|(_, fix)| fix.edits.iter().any(adds_unknown_text));
    let is_known = |fix: &Fix| !is_text_unknown || fix.edits.iter().all(is_rule);
    let inputs: Vec<&FixInput> = fixes.iter().flat_map(|(_, fix)| &fix.inputs).collect();
    add_follow_ups(&mut steps, &mut now, evaluated, &inputs, is_known);
    let robots = robots_text(site, &now);
    let is_seen = !is_text_unknown && !planned.iter().any(|step| step.ends_in_scan);
    let score_of_all = || score::score(&score::reevaluate(&now, evaluated), &now).value;
    WholePlan {
        files: summed(&steps, site, robots.as_deref()),
        score: (is_seen && !fixes.is_empty()).then(score_of_all),
    }
}

fn fix_of<'e>(evaluated: &'e [EvaluatedCheck], check: &str) -> Option<&'e Fix> {
    evaluated.iter().find(|one| one.check.id == check)?.finding.fix()
}

fn is_robots(edit: &Edit) -> bool {
    matches!(edit, Edit::Robots { .. })
}

fn is_rule(edit: &Edit) -> bool {
    matches!(edit, Edit::Server { .. })
}

/// Whether an edit brings text to light that no scan has seen, so that only rules are known to go with it.
fn adds_unknown_text(edit: &Edit) -> bool {
    matches!(edit, Edit::Code { task: Task::RenderOnServer })
}

fn without_robots(fix: &Fix) -> Fix {
    let edits = fix.edits.iter().filter(|edit| !is_robots(edit)).cloned().collect();
    Fix { edits, inputs: fix.inputs.clone() }
}

/// The edits of robots.txt that a check wants on the site as it is by now.
fn robots_edits(
    now: &SiteSnapshot,
    evaluated: &[EvaluatedCheck],
    check: &str,
    fix: &Fix,
) -> Vec<Edit> {
    if !fix.edits.iter().any(is_robots) {
        return Vec::new();
    }
    let Some(one) = evaluated.iter().find(|one| one.check.id == check) else { return Vec::new() };
    let finding = (one.check.evaluate)(now);
    let is_open = matches!(finding.verdict(), Verdict::Warn | Verdict::Fail);
    let edits = finding.fix().filter(|_| is_open).map(|fix| fix.edits.clone()).unwrap_or_default();
    edits.into_iter().filter(is_robots).collect()
}

/// Makes what the steps together make necessary, as long as it is of use.
fn add_follow_ups(
    steps: &mut Vec<Step>,
    now: &mut SiteSnapshot,
    evaluated: &[EvaluatedCheck],
    inputs: &[&FixInput],
    is_known: impl Fn(&Fix) -> bool,
) {
    let is_open = |verdict| matches!(verdict, Verdict::Warn | Verdict::Fail);
    let mut tried = BTreeSet::new();
    for _ in 0..MAX_FOLLOW_UPS {
        let judged = score::reevaluate(now, evaluated);
        let next = judged.iter().zip(evaluated).find_map(|(after, before)| {
            let id = after.check.id;
            let was_planned = steps.iter().any(|step| step.check == id);
            let is_due = was_planned || !is_open(before.finding.verdict());
            let fix = after.finding.fix().filter(|_| is_open(after.finding.verdict()) && is_due)?;
            let is_possible = is_known(fix) && !platform::possible(now, &fix.edits).is_empty();
            (is_possible && tried.insert(id)).then_some((after, fix))
        });
        let Some((one, fix)) = next else { break };
        let fixed = simulation::after(now, &[fix]);
        let improved = score::score(&score::reevaluate(&fixed, evaluated), &fixed);
        if improved.raw_tenths > score::score(&judged, now).raw_tenths {
            let edits = fix.edits.iter().map(|edit| with_placeholders(edit, inputs)).collect();
            steps.push(Step { check: one.check.id, edits });
            *now = fixed;
        }
    }
}

/// An edit whose texts have the placeholder again where an example of another fix was read.
fn with_placeholders(edit: &Edit, inputs: &[&FixInput]) -> Edit {
    let distinct = inputs.iter().filter(|input| input.example.len() >= DISTINCT_EXAMPLE_BYTES);
    distinct.fold(edit.clone(), |edit, input| {
        edit.with_texts(|text| text.replace(&input.example, &placeholder(&input.name)))
    })
}

/// robots.txt with the lines of all steps; `None` where it is there and not all of it could be read.
fn robots_text(before: &SiteSnapshot, after: &SiteSnapshot) -> Option<String> {
    let served = before.response(&before.robots_resource())?;
    let is_known = !served.is_success() || is_read(served);
    let made = after.response(&after.robots_resource())?;
    let is_short = made.body.len() <= MAX_READ_BYTES;
    String::from_utf8(made.body.to_vec()).ok().filter(|_| is_known && is_short)
}

/// Whether all of a document was read, as text.
fn is_read(response: &Response) -> bool {
    response.body_end == BodyEnd::Complete && std::str::from_utf8(&response.body).is_ok()
}

/// The files of all steps, each path once.
fn summed(steps: &[Step], site: &SiteSnapshot, robots: Option<&str>) -> Vec<PlanFile> {
    let platform = platform::detect(site);
    let edits = joined_edits(steps, platform, robots);
    let edits = platform::possible(site, &edits);
    let key = |file: &FixFile| (file.path.clone(), file.place);
    let keys_of: Vec<(&'static str, Vec<_>)> = steps
        .iter()
        .map(|step| {
            let files = fix::files(&step.edits, platform);
            (step.check, files.iter().map(key).collect())
        })
        .collect();
    let absent_page = platform::absent_page(site);
    let is_there = |file: &FixFile| absent_page.is_none() || file.path.as_deref() != absent_page;
    let mut planned: Vec<PlanFile> = Vec::new();
    for file in fix::files(&edits, platform).into_iter().filter(is_there) {
        let mut checks: Vec<&'static str> = Vec::new();
        for (check, keys) in &keys_of {
            if keys.contains(&key(&file)) && !checks.contains(check) {
                checks.push(check);
            }
        }
        let is_whole = is_whole(&file, platform, site, robots.is_some());
        planned.push(PlanFile { file, checks, is_whole });
    }
    planned
}

/// All edits, robots.txt as one and each document once: as the last step wants it, where the first has it.
fn joined_edits(steps: &[Step], platform: Platform, robots: Option<&str>) -> Vec<Edit> {
    let mut joined: Vec<Edit> = Vec::new();
    for edit in steps.iter().flat_map(|step| &step.edits) {
        let same = joined.iter_mut().find(|known| match (&**known, edit) {
            (Edit::Robots { .. }, Edit::Robots { .. }) => {
                robots.is_some() || platform == Platform::Shopify
            }
            (Edit::Document { path: known, .. }, Edit::Document { path, .. }) => known == path,
            (known, edit) => known == edit,
        });
        match (same, edit) {
            (Some(Edit::Robots { content, .. }), Edit::Robots { content: more, .. }) => {
                if platform == Platform::Shopify {
                    content.push_str(more);
                }
            }
            (Some(known), edit) => *known = edit.clone(),
            (None, Edit::Robots { .. }) if platform != Platform::Shopify && robots.is_some() => {
                let content = robots.unwrap_or_default().to_owned();
                joined.push(Edit::Robots { mode: FileMode::Create, content, replaces: None });
            }
            (None, edit) => joined.push(edit.clone()),
        }
    }
    joined
}

/// Whether a file can have its own name: nothing of this name is there, or all of it is in the file.
fn is_whole(file: &FixFile, platform: Platform, site: &SiteSnapshot, has_robots: bool) -> bool {
    let Some(path) = file.path.as_deref().filter(|_| file.mode == FileMode::Create) else {
        return false;
    };
    let Some(served) = fix::served_path(path, platform) else { return false };
    if served == "/robots.txt" {
        return has_robots;
    }
    let Ok(url) = site.origin().join(&served) else { return false };
    let mut asked = site.exchanges().filter(|exchange| exchange.probe.url == url).peekable();
    let is_asked = asked.peek().is_some();
    is_asked
        && asked.all(|exchange| match site.document(&exchange.probe.resource) {
            DocumentState::Present(response) => is_read(response) && keeps(file, response),
            DocumentState::SoftMissing(_)
            | DocumentState::Missing(_)
            | DocumentState::OffSite(_) => true,
            DocumentState::Refused(_)
            | DocumentState::Broken(_)
            | DocumentState::Failed(_)
            | DocumentState::NotAsked => false,
        })
}

/// Whether all that is served now is in the file.
fn keeps(file: &FixFile, served: &Response) -> bool {
    std::str::from_utf8(&served.body).is_ok_and(|old| file.content.contains(old.trim()))
}
