//! `agent-interfaces`: something that agents can use beside an API: an A2A card, skills, or forms
//! that are tools.
//!
//! One good interface is enough, so the best of them decides.

use serde_json::json;

use crate::documents::agent_skills::Skill;
use crate::fetch::{BodyEnd, Resource};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome, Verdict};
use crate::rubric::fix::{Build, Edit, Fix};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::published::endpoint::EndpointState;
use crate::scan::facts::published::{self, PublishedDocument};
use crate::scan::snapshot::{DocumentState, SiteSnapshot};
use crate::scan::surface::Surface;
use crate::text::placeholder;

pub(super) const CHECK: Check = Check {
    id: "agent-interfaces",
    category: Category::Action,
    weight: 4,
    maturity: Maturity::Draft,
    effort: Effort::L,
    surfaces: &SURFACES,
    outcomes: &[
        A2A,
        SKILLS,
        WEBMCP,
        A2A_LEGACY,
        A2A_DEAD,
        A2A_UNVERIFIED,
        A2A_INVALID,
        SKILLS_UNVERIFIED,
        SKILLS_MISMATCH,
        SKILLS_LEGACY,
        SKILLS_INVALID,
        WEBMCP_INCOMPLETE,
        WEBMCP_SCRIPT,
        OFF_SITE,
        ABSENT,
        NO_SURFACE,
        UNREADABLE,
    ],
    covers: &["A2A Agent Card", "Agent Skills", "WebMCP"],
    specs: &[
        Spec { name: "A2A 1.0", url: "https://a2a-protocol.org/latest/specification/" },
        Spec {
            name: "Agent Skills Discovery 0.2.0",
            url: "https://github.com/cloudflare/agent-skills-discovery-rfc",
        },
        Spec { name: "WebMCP", url: "https://github.com/webmachinelearning/webmcp" },
    ],
    evaluate,
};

const A2A: Outcome = Outcome::pass("a2a");
const SKILLS: Outcome = Outcome::pass("skills");
const WEBMCP: Outcome = Outcome::pass("webmcp");
const A2A_LEGACY: Outcome = Outcome::warn("a2a-legacy");
const A2A_DEAD: Outcome = Outcome::fail("a2a-dead-endpoint");
const A2A_UNVERIFIED: Outcome = Outcome::warn("a2a-unverified");
const A2A_INVALID: Outcome = Outcome::fail("a2a-invalid");
const SKILLS_UNVERIFIED: Outcome = Outcome::warn("skills-unverified");
const SKILLS_MISMATCH: Outcome = Outcome::warn("skills-mismatch");
const SKILLS_LEGACY: Outcome = Outcome::warn("skills-legacy");
const SKILLS_INVALID: Outcome = Outcome::fail("skills-invalid");
const WEBMCP_INCOMPLETE: Outcome = Outcome::warn("webmcp-incomplete");
const WEBMCP_SCRIPT: Outcome = Outcome::warn("webmcp-script");
const OFF_SITE: Outcome = Outcome::fail("off-site");
const ABSENT: Outcome = Outcome::fail("absent");
const NO_SURFACE: Outcome = Outcome::not_applicable("no-surface");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

const SURFACES: [Surface; 3] = [Surface::Api, Surface::App, Surface::Commerce];
/// Forms that are listed.
const MAX_FORMS: usize = 10;

fn evaluate(site: &SiteSnapshot) -> Finding {
    let mut detections: Vec<Detection> = Vec::new();
    detections.extend(a2a(site));
    detections.extend(skills(site));
    detections.extend(forms(site));
    detections.sort_by_key(|detection| detection.outcome.verdict);
    let mut detections = detections.into_iter();
    let finding = match detections.next() {
        Some(best) => detections.fold(Finding::new(best), Finding::with_detection),
        None => Finding::new(none(site)),
    };
    let finding = finding.with_evidence(evidence(site));
    match finding.verdict() {
        Verdict::Pass | Verdict::NotApplicable => finding,
        _ => finding.with_fix(fix(site)),
    }
}

fn none(site: &SiteSnapshot) -> Detection {
    let off_site = [Resource::AgentCard, Resource::AgentSkills].into_iter().find_map(|resource| {
        match site.document(&resource) {
            DocumentState::OffSite(response) => {
                Some(OFF_SITE.with("host", published::host(response)))
            }
            _ => None,
        }
    });
    let blind = published::a2a_card(site, &Resource::AgentCard).is_unreadable()
        || published::skills(site, &Resource::AgentSkills).is_unreadable()
        || site.home().is_none();
    off_site.unwrap_or_else(|| match (blind, site.profile().has_any(&SURFACES)) {
        (true, _) if published::is_missed(site, &SURFACES) => UNREADABLE.detected(),
        (_, true) => ABSENT.detected(),
        (_, false) => NO_SURFACE.detected(),
    })
}

fn a2a(site: &SiteSnapshot) -> Option<Detection> {
    match published::a2a_card(site, &Resource::AgentCard) {
        PublishedDocument::Valid(card, _) => {
            let outcome = if card.is_legacy { A2A_LEGACY } else { A2A };
            let named = published::a2a_endpoint(site);
            let endpoint = EndpointState::check(site, named.as_ref());
            let complaint = endpoint.complaint(A2A_DEAD, A2A_UNVERIFIED, named.as_ref());
            let found = complaint.unwrap_or_else(|| outcome.detected());
            Some(found.with("name", &card.name).with("path", "/.well-known/agent-card.json"))
        }
        PublishedDocument::Invalid(problem, _) => {
            Some(A2A_INVALID.with_note("problem", problem.note))
        }
        _ => match published::a2a_card(site, &Resource::LegacyAgentCard) {
            PublishedDocument::Valid(card, _) => {
                let found = A2A_LEGACY.with("name", &card.name);
                Some(found.with("path", "/.well-known/agent.json"))
            }
            PublishedDocument::Invalid(problem, _) => {
                Some(A2A_INVALID.with_note("problem", problem.note))
            }
            _ => None,
        },
    }
}

fn skills(site: &SiteSnapshot) -> Option<Detection> {
    match published::skills(site, &Resource::AgentSkills) {
        PublishedDocument::Valid(index, _) if index.is_legacy => Some(SKILLS_LEGACY.detected()),
        PublishedDocument::Valid(index, _) => {
            let outcome = published::artifact_of_skills(site)
                .map_or(SKILLS_UNVERIFIED, |(skill, _)| digest_outcome(site, &skill));
            Some(outcome.with("count", index.skills.len()))
        }
        PublishedDocument::Invalid(problem, _) => {
            Some(SKILLS_INVALID.with_note("problem", problem.note))
        }
        _ => {
            let legacy = published::skills(site, &Resource::LegacySkills);
            legacy.is_valid().then(|| SKILLS_LEGACY.detected())
        }
    }
}

/// Whether the one artifact that was read has the digest of the index.
fn digest_outcome(site: &SiteSnapshot, skill: &Skill) -> Outcome {
    let DocumentState::Present(response) = site.document(&Resource::SkillArtifact) else {
        return SKILLS_UNVERIFIED;
    };
    if response.body_end != BodyEnd::Complete {
        return SKILLS_UNVERIFIED;
    }
    if skill.has_digest_of(&response.body) { SKILLS } else { SKILLS_MISMATCH }
}

/// Forms that are tools, and scripts that register some.
fn forms(site: &SiteSnapshot) -> Vec<Detection> {
    let Some(page) = site.page() else { return Vec::new() };
    let mut found = Vec::new();
    for form in &page.forms {
        let filled = |text: &Option<String>| text.as_ref().is_some_and(|t| !t.trim().is_empty());
        let outcome = match (filled(&form.tool_name), filled(&form.tool_description)) {
            (true, true) => WEBMCP,
            (false, false) => continue,
            _ => WEBMCP_INCOMPLETE,
        };
        let name = form.tool_name.as_deref().unwrap_or("-");
        found.push(outcome.with("name", name).with("line", form.line));
    }
    found.truncate(MAX_FORMS);
    let script = page.scripts.iter().find(|script| registers_tools(&script.code));
    found.extend(script.map(|script| WEBMCP_SCRIPT.with("line", script.line)));
    found
}

fn registers_tools(code: &str) -> bool {
    code.contains("modelContext")
        && (code.contains("registerTool") || code.contains("provideContext"))
}

fn evidence(site: &SiteSnapshot) -> Vec<Evidence> {
    let resources = [
        Resource::AgentCard,
        Resource::LegacyAgentCard,
        Resource::A2aEndpoint,
        Resource::AgentSkills,
        Resource::SkillArtifact,
        Resource::LegacySkills,
    ];
    let mut seen: Vec<Evidence> = resources.iter().filter_map(|r| site.evidence(r)).collect();
    let form = site.page().and_then(|page| page.forms.iter().find(|form| form.tool_name.is_some()));
    seen.extend(form.and_then(|form| Some(site.evidence(&Resource::Home)?.line(form.line))));
    seen
}

/// An A2A card for an agent that has to be there first; what it can do only its owner knows.
fn fix(site: &SiteSnapshot) -> Fix {
    let domain = site.domain().as_str();
    let url = placeholder::placeholder("A2A_ENDPOINT");
    let card = published::pretty(&json!({
        "name": domain,
        "description": placeholder::placeholder("DESCRIPTION"),
        "version": placeholder::placeholder("VERSION"),
        "supportedInterfaces": [
            { "url": url, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" }
        ],
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{
            "id": placeholder::placeholder("SKILL_ID"),
            "name": placeholder::placeholder("SKILL_NAME"),
            "description": placeholder::placeholder("SKILL_DESCRIPTION"),
            "tags": [placeholder::placeholder("SKILL_TAG")]
        }],
    }));
    Fix::new(Edit::Build { what: Build::A2aAgent, url })
        .and(Edit::Document {
            path: "/.well-known/agent-card.json".to_owned(),
            media_type: "application/json".to_owned(),
            content: card,
        })
        .with_input("A2A_ENDPOINT", format!("{}a2a", site.origin()))
        .with_input("DESCRIPTION", "What the agent does.")
        .with_input("VERSION", "1.0.0")
        .with_input("SKILL_ID", "search")
        .with_input("SKILL_NAME", "Search")
        .with_input("SKILL_DESCRIPTION", "Finds pages of the site.")
        .with_input("SKILL_TAG", "search")
}
