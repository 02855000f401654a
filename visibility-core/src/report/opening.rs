//! How a report begins: two sentences for the owner of the site, the true cause first.

use crate::report::labels::Labels;
use crate::report::reach::Reach;
use crate::rubric::finding::Verdict;
use crate::scan::result::{CheckResult, ScanResult};

/// The sentences: what decides and what AI assistants get; empty for a result without a tier.
pub fn opening(result: &ScanResult, labels: Labels) -> String {
    let Some(tier) = result.tier.as_deref() else { return String::new() };
    let today = today(result, labels);
    if let Some(cause) = cause(result, labels, &today) {
        return cause;
    }
    format!("{} {today}", labels.tier_meaning(tier)).trim_end().to_owned()
}

/// What decides where one thing does: what holds the score, or where the text is.
fn cause(result: &ScanResult, labels: Labels, today: &str) -> Option<String> {
    result.score?;
    let decided_by = |id: &str, outcome: &str| {
        let decisive = check(result, id).and_then(|check| check.signals.first());
        decisive.is_some_and(|signal| signal.id == outcome)
    };
    let reach = Reach::from_agents(&result.agents, labels);
    let all_refused = reach.allowed == reach.fetching && reach.refused == reach.tried;
    let cap = result.caps.first().map(|cap| cap.id.as_str());
    let (id, by) = match cap {
        Some("site-elsewhere") => ("opening-site-elsewhere", "https-and-redirects"),
        Some("parked") => ("opening-parked", CONTENT),
        Some("home-undecodable") => ("opening-home-undecodable", CONTENT),
        Some("home-unreadable") => ("opening-home-unreadable", unreadable_by(result)),
        Some("nothing-to-read") => ("opening-nothing-to-read", CONTENT),
        Some("placeholder-page") => ("opening-placeholder-page", CONTENT),
        Some("gate-page") => ("opening-gate-page", CONTENT),
        Some("challenged") => ("opening-challenged", WALL),
        Some("robots-blocks-all") => ("opening-robots-blocks-all", "ai-crawler-rules"),
        Some("frames-only") => ("opening-frames-only", CONTENT),
        Some("honest-bot-refused") => ("opening-honest-bot-refused", WALL),
        Some("noindex") => ("opening-noindex", "index-directives"),
        Some("empty-shell") => ("opening-empty-shell", CONTENT),
        Some("little-text") => ("opening-little-text", CONTENT),
        Some("no-https") => ("opening-no-https", "https-and-redirects"),
        Some("agents-refused") if decided_by(WALL, "paywalled") => ("opening-paywalled", WALL),
        Some("agents-refused") if all_refused => ("opening-all-refused", WALL),
        Some("agents-refused") => ("opening-agents-refused", WALL),
        None if decided_by(CONTENT, "buried") => ("opening-buried", CONTENT),
        _ => return None,
    };
    let found = check(result, by).map_or("", |check| check.summary.as_str());
    let more: [(&'static str, &dyn ToString); 3] =
        [("found", &found), ("today", &today), ("domain", &result.domain)];
    Some(reach.say(labels, id, &more).trim_end().to_owned())
}

const CONTENT: &str = "content-without-js";
const WALL: &str = "bot-wall";

/// The check that says why the home page could not be loaded.
fn unreadable_by(result: &ScanResult) -> &'static str {
    let fails = |id: &str| check(result, id).is_some_and(|check| check.status == Verdict::Fail);
    if fails(CONTENT) { CONTENT } else { "https-and-redirects" }
}

/// Who gets in and what there is; empty for a result without a score or without agents.
fn today(result: &ScanResult, labels: Labels) -> String {
    if result.score.is_none() || result.agents.is_empty() {
        return String::new();
    }
    let reach = Reach::from_agents(&result.agents, labels);
    let view = labels.label(view(result));
    let id = match (reach.allowed, reach.unknown()) {
        _ if reach.refused > 0 && reach.refused == reach.tried => "today-refused",
        (_, unknown) if unknown > 0 => "today-unknown",
        (0, _) => "today-none",
        _ if reach.refused > 0 => "today-some-refused",
        (allowed, _) if allowed == reach.fetching => "today-all",
        _ => "today-some",
    };
    reach.say(labels, id, &[("view", &view)])
}

fn check<'r>(result: &'r ScanResult, id: &str) -> Option<&'r CheckResult> {
    result.checks.iter().find(|check| check.id == id)
}

/// What the home page shows to a reader without JavaScript.
fn view(result: &ScanResult) -> &'static str {
    match check(result, CONTENT).map(|check| check.status) {
        Some(Verdict::Pass) => "view-text",
        Some(Verdict::Warn) => "view-part",
        Some(Verdict::Fail) => "view-nothing",
        Some(Verdict::NotApplicable) => "view-program",
        Some(Verdict::Unknown) | None => "view-unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::scan::facts::access::Effective;
    use crate::text::locale::Lang;

    fn said(of: impl Fn(&mut ScanResult)) -> String {
        let mut result = sample::hostile();
        for agent in &mut result.agents {
            agent.effective = Effective::Reachable;
        }
        of(&mut result);
        today(&result, Labels::new(Lang::En))
    }

    fn content(result: &mut ScanResult, verdict: Verdict) {
        result.checks.retain(|check| check.id == "robots-txt");
        let check = result.checks.first_mut().expect("a check");
        "content-without-js".clone_into(&mut check.id);
        check.status = verdict;
    }

    #[test]
    fn an_owner_reads_who_gets_in_and_what_is_there() {
        let open = said(|result| content(result, Verdict::Pass));
        assert!(open.starts_with("All "), "{open}");
        assert!(open.ends_with("they find the text of your home page."), "{open}");
        let shell = said(|result| content(result, Verdict::Fail));
        assert!(shell.ends_with("they find no text of yours on the home page."), "{shell}");
        let shut = said(|result| {
            for agent in &mut result.agents {
                agent.effective = Effective::BlockedByRobots;
            }
        });
        assert!(shut.starts_with("Today no AI agent may read your pages"), "{shut}");
        let unknown = said(|result| {
            for agent in &mut result.agents {
                agent.effective = Effective::Unknown;
            }
        });
        assert!(unknown.contains("could not be found out"), "{unknown}");
        assert_eq!(said(|result| result.score = None), "");
    }
}
