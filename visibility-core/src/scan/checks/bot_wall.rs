//! `bot-wall`: agents get the page that a browser gets.
//!
//! The home page is asked for as a browser, as ourselves and in the names of five agents. Our
//! address is not one of theirs, so a refusal of a borrowed name may be protection against impostors:
//! only a refusal of our own name is certain.

mod answer;

use crate::agents::{Purpose, Registry};
use crate::fetch::{FetchError, Resource, Response, SkipReason};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::{Edit, Fix, WallVendor};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::access::{self, ProbeResult, ProbeVerdict};
use crate::scan::home;
use crate::scan::plan::PROBED_AGENTS;
use crate::scan::snapshot::SiteSnapshot;
use crate::text::note::Note;

pub(super) const CHECK: Check = Check {
    id: "bot-wall",
    category: Category::Access,
    weight: 9,
    maturity: Maturity::Adopted,
    effort: Effort::M,
    surfaces: &[],
    outcomes: &[
        API_HOST,
        PARITY,
        HONEST_REFUSED,
        AGENTS_REFUSED,
        PAYWALLED,
        SOME_REFUSED,
        TRAINING_REFUSED,
        REDUCED,
        BROWSER_REFUSED,
        EVERYBODY_PAYS,
        NO_PAGE,
        SWITCHED_OFF,
        NO_CONTROL,
        NONE_PROBED,
        NONE_ANSWERED,
        SERVED,
        AGENT_REFUSED,
        AGENT_REDUCED,
        UNANSWERED,
        NOT_PROBED,
    ],
    covers: &["Web Bot Auth", "Pay Per Crawl"],
    specs: &[
        Spec { name: "RFC 9110", url: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.4" },
        Spec {
            name: "Web Bot Auth",
            url: "https://datatracker.ietf.org/doc/draft-ietf-webbotauth-httpsig-protocol/",
        },
    ],
    evaluate,
};

const API_HOST: Outcome = Outcome::not_applicable("api-host");
const PARITY: Outcome = Outcome::pass("parity");
const HONEST_REFUSED: Outcome = Outcome::fail("honest-refused");
const AGENTS_REFUSED: Outcome = Outcome::fail("agents-refused");
const PAYWALLED: Outcome = Outcome::fail("paywalled");
const SOME_REFUSED: Outcome = Outcome::warn("some-refused");
const TRAINING_REFUSED: Outcome = Outcome::warn("training-refused");
const REDUCED: Outcome = Outcome::warn("reduced");
const EVERYBODY_PAYS: Outcome = Outcome::fail("everybody-pays");
const BROWSER_REFUSED: Outcome = Outcome::unknown("browser-refused");
const NO_PAGE: Outcome = Outcome::unknown("no-page");
const SWITCHED_OFF: Outcome = Outcome::unknown("switched-off");
const NO_CONTROL: Outcome = Outcome::unknown("no-control");
const NONE_PROBED: Outcome = Outcome::unknown("none-probed");
const NONE_ANSWERED: Outcome = Outcome::unknown("none-answered");
// What single names met.
const SERVED: Outcome = Outcome::pass("served");
const AGENT_REFUSED: Outcome = Outcome::warn("agent-refused");
const AGENT_REDUCED: Outcome = Outcome::warn("agent-reduced");
const UNANSWERED: Outcome = Outcome::unknown("unanswered");
const NOT_PROBED: Outcome = Outcome::not_applicable("not-probed");

/// Percent of the browser's text that a name must get at least.
const MIN_TEXT_PERCENT: usize = 50;

/// One name under which the page was asked for, and what it met.
struct Visit<'a> {
    name: String,
    /// `None` for ourselves.
    purpose: Option<Purpose>,
    met: Met,
    response: Option<&'a Response>,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Met {
    Parity,
    Reduced,
    Refused,
    Paywalled,
    Unanswered,
    NotProbed,
}

fn evaluate(site: &SiteSnapshot) -> Finding {
    if home::is_for_programs(site) {
        return Finding::new(API_HOST.detected()).with_evidence(site.evidence(&Resource::Home));
    }
    let control = match site.fetch_result(&Resource::HomeAsBrowser) {
        Some(Ok(response)) if is_served(site, response) => response,
        // We get the page, and neither the browser nor an agent does: a wall that was seen counts.
        Some(Ok(_)) if let Some(own) = only_ours(site) => own,
        Some(Ok(response)) => {
            let outcome = match response.status {
                402 => EVERYBODY_PAYS,
                _ if site.refuses(response) => BROWSER_REFUSED,
                _ => NO_PAGE,
            };
            let found = outcome.with("status", response.status);
            return Finding::new(answer::add_to(found, site, Some(response)))
                .with_evidence(evidence(site));
        }
        Some(Err(FetchError::Skipped { reason: SkipReason::SwitchedOff })) => {
            return Finding::new(SWITCHED_OFF.detected());
        }
        _ => return Finding::new(NO_CONTROL.detected()).with_evidence(evidence(site)),
    };
    let honest = honest(site, control);
    let agents: Vec<Visit<'_>> = PROBED_AGENTS.iter().filter_map(|id| agent(site, id)).collect();
    let decisive = decide(site, &honest, &agents);
    let wall = matches!(
        decisive.outcome,
        HONEST_REFUSED | AGENTS_REFUSED | PAYWALLED | SOME_REFUSED | TRAINING_REFUSED
    );
    let mut finding = Finding::new(decisive).with_evidence(evidence(site));
    for visit in std::iter::once(&honest).chain(&agents) {
        finding = finding.with_detection(row(site, visit));
    }
    if !wall {
        return finding;
    }
    let refused = |visit: &&Visit<'_>| matches!(visit.met, Met::Refused | Met::Paywalled);
    let refused: Vec<&Visit<'_>> =
        std::iter::once(&honest).chain(&agents).filter(refused).collect();
    let agents: Vec<String> = refused.iter().map(|visit| visit.name.clone()).collect();
    let vendor = refused
        .iter()
        .find_map(|visit| visit.response)
        .map_or(WallVendor::Unknown, WallVendor::from_response);
    finding.with_fix(Fix::new(Edit::Firewall { vendor, agents }))
}

/// The verdict of the row: the worst of what was met, and how sure it is.
fn decide(site: &SiteSnapshot, honest: &Visit<'_>, agents: &[Visit<'_>]) -> Detection {
    if honest.met == Met::Refused {
        let found = HONEST_REFUSED.with("status", status(honest.response));
        return answer::add_to(found, site, honest.response);
    }
    let main: Vec<&Visit<'_>> =
        agents.iter().filter(|visit| visit.purpose != Some(Purpose::Training)).collect();
    let names = |wanted: &[Met], visits: &[&Visit<'_>]| -> Vec<String> {
        let met = visits.iter().filter(|visit| wanted.contains(&visit.met));
        met.map(|visit| visit.name.clone()).collect()
    };
    let everybody: Vec<&Visit<'_>> = std::iter::once(honest).chain(agents).collect();
    let reduced = names(&[Met::Reduced], &everybody);
    let payers: Vec<&Visit<'_>> = std::iter::once(honest).chain(main.iter().copied()).collect();
    let paywalled = names(&[Met::Paywalled], &payers);
    let refused = names(&[Met::Refused], &main);
    // Who got no answer may well be let in: then not all are known to be refused.
    let others = names(&[Met::Parity, Met::Reduced, Met::Unanswered], &main);
    let all: Vec<&Visit<'_>> = agents.iter().collect();
    let unanswered = names(&[Met::Unanswered], &all).len();
    let probed = agents.iter().filter(|visit| visit.met != Met::NotProbed).count();
    let most_answered = unanswered * 2 < probed;
    let training = names(&[Met::Refused, Met::Paywalled], &all);
    let listed = |outcome: Outcome, names: &[String]| outcome.with("agents", names.join(", "));
    if !paywalled.is_empty() {
        listed(PAYWALLED, &paywalled)
    } else if !refused.is_empty() && others.is_empty() {
        let mut met = main.iter().filter(|visit| visit.met == Met::Refused);
        let response = met.find_map(|visit| visit.response);
        answer::add_to(listed(AGENTS_REFUSED, &refused), site, response)
    } else if !refused.is_empty() {
        listed(SOME_REFUSED, &refused)
    } else if !training.is_empty() && most_answered {
        listed(TRAINING_REFUSED, &training)
    } else if !reduced.is_empty() {
        listed(REDUCED, &reduced)
    } else if probed == 0 {
        NONE_PROBED.detected()
    } else if !most_answered {
        NONE_ANSWERED.detected()
    } else {
        let served = names(&[Met::Parity], &everybody);
        listed(PARITY, &served).with("count", served.len())
    }
}

/// Ourselves, compared with the browser.
fn honest<'a>(site: &'a SiteSnapshot, control: &Response) -> Visit<'a> {
    let exchange = site.exchange(&Resource::Home);
    let user_agent = exchange.map_or("", |exchange| exchange.probe.user_agent.as_str());
    let response = site.response(&Resource::Home);
    // The browser got the page at the same time, and each was asked twice.
    let is_cut_off =
        matches!(site.fetch_result(&Resource::Home), Some(Err(FetchError::Protocol { .. })));
    let met = match response {
        None if is_cut_off => Met::Refused,
        None => Met::Unanswered,
        Some(response) if is_to_wait(response) => Met::Unanswered,
        Some(response) if response.status == 402 => Met::Paywalled,
        Some(response) if !is_served(site, response) => Met::Refused,
        Some(response) if is_reduced(site, response, control) => match response.body_end {
            end if end.is_broken_off() => Met::Unanswered,
            _ => Met::Reduced,
        },
        Some(_) => Met::Parity,
    };
    let name = user_agent.split('/').next().unwrap_or_default().to_owned();
    Visit { name, purpose: None, met, response }
}

/// Whether a response names a time to come back: a rate limit, which may be one for everyone.
fn is_to_wait(response: &Response) -> bool {
    response.status == 429 && response.headers.first("retry-after").is_some()
}

/// An agent, compared with the browser.
fn agent<'a>(site: &'a SiteSnapshot, id: &str) -> Option<Visit<'a>> {
    let agent = Registry::embedded().find(id)?;
    let ProbeResult { verdict, status } = access::probe_result(site, id);
    // A page that broke off has a status of success, and is not a refusal.
    let status = status.filter(|status| !(200..300).contains(status));
    let met = match verdict {
        ProbeVerdict::Ok => Met::Parity,
        ProbeVerdict::Reduced => Met::Reduced,
        ProbeVerdict::Paywalled => Met::Paywalled,
        ProbeVerdict::Blocked | ProbeVerdict::Challenged | ProbeVerdict::NeedsSignature => {
            Met::Refused
        }
        ProbeVerdict::Error if status.is_some() => Met::Refused,
        ProbeVerdict::RateLimited | ProbeVerdict::Error => Met::Unanswered,
        ProbeVerdict::NotProbed => Met::NotProbed,
    };
    Some(Visit {
        name: agent.name.clone(),
        purpose: Some(agent.purpose),
        met,
        response: site.response(&Resource::HomeAsAgent(agent.id.clone())),
    })
}

/// What one name met, as a signal of its own.
fn row(site: &SiteSnapshot, visit: &Visit<'_>) -> Detection {
    let outcome = match visit.met {
        Met::Parity => SERVED,
        Met::Reduced => AGENT_REDUCED,
        Met::Refused | Met::Paywalled => AGENT_REFUSED,
        Met::Unanswered => UNANSWERED,
        Met::NotProbed => NOT_PROBED,
    };
    let marker = visit.response.and_then(|response| site.challenge_note(response));
    outcome
        .with("agent", &visit.name)
        .with("status", status(visit.response))
        .with("bytes", visit.response.map_or(0, |response| response.body.len()))
        .with_note("marker", marker.unwrap_or_else(|| Note::verbatim("-")))
}

fn status(response: Option<&Response>) -> String {
    response.map_or_else(|| "-".to_owned(), |response| response.status.to_string())
}

/// Our own page, if every agent that was tried was refused.
fn only_ours(site: &SiteSnapshot) -> Option<&Response> {
    let own = site.response(&Resource::Home).filter(|own| is_served(site, own))?;
    let agents = PROBED_AGENTS.iter().filter_map(|id| agent(site, id));
    let tried: Vec<Visit<'_>> = agents.filter(|visit| visit.met != Met::NotProbed).collect();
    let are_refused = tried.iter().all(|visit| visit.met == Met::Refused);
    (!tried.is_empty() && are_refused).then_some(own)
}

fn is_served(site: &SiteSnapshot, response: &Response) -> bool {
    response.is_success() && site.challenge(response).is_none()
}

/// Whether we got much less text than the browser.
fn is_reduced(site: &SiteSnapshot, response: &Response, control: &Response) -> bool {
    let chars = |resource| site.visible_chars(&resource).unwrap_or(0);
    response.body != control.body
        && chars(Resource::Home) * 100 < chars(Resource::HomeAsBrowser) * MIN_TEXT_PERCENT
}

/// The remark on a response that was a challenge.
fn challenged(name: Note) -> Note {
    let note = Note::new(match name.id {
        "own-user-agent" => "own-user-agent-challenged",
        "browser-user-agent" => "browser-user-agent-challenged",
        _ => "agent-challenged",
    });
    Note { values: name.values, ..note }
}

fn evidence(site: &SiteSnapshot) -> Vec<Evidence> {
    let own = [
        (Resource::Home, Note::new("own-user-agent")),
        (Resource::HomeAsBrowser, Note::new("browser-user-agent")),
    ];
    let agents = PROBED_AGENTS.iter().filter_map(|id| Registry::embedded().find(id));
    let agents =
        agents.map(|agent| (Resource::HomeAsAgent(agent.id.clone()), Note::verbatim(&agent.name)));
    let mut evidence = Vec::new();
    for (resource, name) in own.into_iter().chain(agents) {
        let marker = site.response(&resource).and_then(|response| site.challenge_note(response));
        let skipped = matches!(site.fetch_result(&resource), Some(Err(FetchError::Skipped { .. })));
        let note = match marker {
            None => name,
            Some(marker) => challenged(name).with_note("sign", marker),
        };
        evidence.extend(site.evidence(&resource).filter(|_| !skipped).map(|e| e.note(note)));
    }
    evidence
}
