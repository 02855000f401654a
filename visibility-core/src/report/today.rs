//! What AI assistants see of a site today, in one sentence for its owner.

use crate::report::labels::Labels;
use crate::report::reach::Reach;
use crate::rubric::finding::Verdict;
use crate::scan::result::{CheckResult, ScanResult};

/// The sentence; `None` for a result without a score or without agents.
pub fn today(result: &ScanResult, labels: Labels) -> Option<String> {
    result.score?;
    if result.caps.iter().any(|cap| cap.id == "site-elsewhere") {
        return check(result, "https-and-redirects").map(|check| check.summary.clone());
    }
    if result.agents.is_empty() {
        return None;
    }
    let reach = Reach::from_agents(&result.agents, labels);
    let view = labels.label(view(result));
    let is_undecodable = result.caps.iter().any(|cap| cap.id == "home-undecodable");
    let id = match (reach.allowed, reach.unknown()) {
        _ if is_undecodable => "today-undecodable",
        _ if reach.refused > 0 && reach.refused == reach.tried => "today-refused",
        (_, unknown) if unknown > 0 => "today-unknown",
        (0, _) => "today-none",
        _ if reach.refused > 0 => "today-some-refused",
        (allowed, _) if allowed == reach.fetching => "today-all",
        _ => "today-some",
    };
    Some(reach.say(labels, id, &[("view", &view)]))
}

fn check<'r>(result: &'r ScanResult, id: &str) -> Option<&'r CheckResult> {
    result.checks.iter().find(|check| check.id == id)
}

/// What the home page shows to a reader without JavaScript.
fn view(result: &ScanResult) -> &'static str {
    let check = check(result, "content-without-js");
    let decisive = check.and_then(|check| check.signals.first());
    if decisive.is_some_and(|signal| signal.id == "language-choice") {
        return "view-languages";
    }
    match check.map(|check| check.status) {
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
        today(&result, Labels::new(Lang::En)).unwrap_or_default()
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
