//! What robots.txt and the header say about training, use and us.

use url::Url;

use super::{Information, MAX_EVIDENCE};
use crate::agents::{Agent, Purpose, Registry};
use crate::audit::address;
use crate::audit::page::AuditedPage;
use crate::documents::robots::usage::ContentSignal;
use crate::documents::robots::{self, RobotsDecision, RobotsFile, RobotsState};
use crate::rubric::finding::Evidence;
use crate::text::note::Note;

/// Preferences that are stated.
const MAX_PREFERENCES: usize = 10;

/// What the policy of a site says about a page, in a fixed order.
pub(super) fn all(page: &AuditedPage<'_>) -> Vec<Information> {
    let robots = page
        .snapshot
        .robots
        .as_ref()
        .filter(|robots| matches!(robots.state, RobotsState::Parsed | RobotsState::ParsedTruncated))
        .zip(page.snapshot.location());
    let training = robots.map(|(robots, location)| training_bots(robots, location));
    let own = robots.and_then(|(robots, location)| own_token(page, robots, location));
    let signal = content_signal(page, robots);
    [training, signal, own].into_iter().flatten().collect()
}

/// Which crawlers that gather text for training may fetch the page. Never scored, either way.
fn training_bots(robots: &RobotsFile, location: &Url) -> Information {
    let bots = Registry::embedded()
        .matrix()
        .into_iter()
        .filter(|agent| agent.purpose == Purpose::Training);
    let decided = bots.filter_map(|agent| {
        Some((agent, robots.decide(&agent.robots_tokens(), location.as_str())?))
    });
    let blocked: Vec<(&Agent, RobotsDecision)> =
        decided.filter(|(_, decision)| !decision.allowed).collect();
    if blocked.is_empty() {
        return Information::new(
            "training-bots-allowed",
            [Evidence::for_url(address::robots_txt_url(location).as_str())],
        );
    }
    let names: Vec<&str> = blocked.iter().map(|(agent, _)| agent.robots_token.as_str()).collect();
    let evidence = blocked
        .iter()
        .take(MAX_EVIDENCE)
        .map(|(agent, decision)| rule(location, &agent.robots_token, decision));
    Information::new("training-bots-blocked", evidence).with("bots", names.join(", "))
}

/// That robots.txt disallows the page for our own bot, and no group by name stopped the audit: the home
/// page, the end of a redirect, a group for everybody.
fn own_token(page: &AuditedPage<'_>, robots: &RobotsFile, location: &Url) -> Option<Information> {
    let token = robots::own_token(&page.snapshot.user_agent);
    let decision = robots.decide(&[token], location.as_str()).filter(|_| !token.is_empty())?;
    (!decision.allowed).then(|| {
        let evidence = rule(location, token, &decision);
        Information::new("own-token-forbidden", [evidence]).with("token", token)
    })
}

/// What `Content-Signal` says in robots.txt and in the header of the answer.
fn content_signal(
    page: &AuditedPage<'_>,
    robots: Option<(&RobotsFile, &Url)>,
) -> Option<Information> {
    let mut preferences: Vec<String> = Vec::new();
    let mut evidence = Vec::new();
    let records = robots.into_iter().flat_map(|(robots, location)| {
        let groups = robots.rules.groups.iter();
        groups.flat_map(|group| &group.content_signals).map(move |record| {
            let at = Evidence::for_url(address::robots_txt_url(location).as_str());
            let quote = format!("Content-Signal: {}", record.value);
            (ContentSignal::from_record(record), at.quote(&quote).line(record.line))
        })
    });
    let fields = page
        .response
        .headers
        .all("content-signal")
        .iter()
        .map(|value| (ContentSignal::from_header(value), page.header("Content-Signal", value)));
    for (signal, place) in records.chain(fields) {
        if preferences.len() >= MAX_PREFERENCES {
            break;
        }
        let said = signal.preferences().into_iter();
        let new: Vec<String> = said.filter(|one| !preferences.contains(one)).collect();
        if !new.is_empty() {
            preferences.extend(new);
            evidence.push(place);
        }
    }
    let said = preferences.join(", ");
    (!preferences.is_empty())
        .then(|| Information::new("content-signal", evidence).with("preferences", said))
}

fn rule(location: &Url, token: &str, decision: &RobotsDecision) -> Evidence {
    let at = Evidence::for_url(address::robots_txt_url(location).as_str());
    match &decision.rule {
        Some(rule) => at.quote(&rule.text()).line(rule.line).note(Note::verbatim(token)),
        None => at.note(Note::verbatim(token)),
    }
}
