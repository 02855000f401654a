//! `answer-bot-access`: robots.txt lets the bots of answer engines fetch the page.
//!
//! Bots that only train models are not asked about: blocking them costs nothing.

mod robots_fix;

use url::Url;

use crate::agents::{Agent, Registry};
use crate::audit::address;
use crate::audit::cap::AuditCap;
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::documents::robots::{RobotsDecision, RobotsFile, RobotsState};
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::{Effort, Spec};
use crate::text::note::Note;

pub(super) const SIGNAL: Signal = Signal {
    id: "answer-bot-access",
    code: "AC01",
    pillar: Pillar::Access,
    weights: Weights {
        product: 80,
        collection: 80,
        article: 80,
        landing: 80,
        documentation: 80,
        forum: 80,
        listing: 80,
    },
    grade: Grade::A,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[
        ALL_ALLOWED,
        NO_FILE,
        FEW_BLOCKED,
        SOME_BLOCKED,
        MOST_BLOCKED,
        LARGE_BLOCKED,
        UNREADABLE,
        NOT_ASKED,
    ],
    sources: &[
        Spec { name: "RFC 9309", url: "https://www.rfc-editor.org/rfc/rfc9309" },
        Spec { name: "OpenAI crawlers", url: "https://platform.openai.com/docs/bots" },
        Spec {
            name: "Google crawlers",
            url: "https://developers.google.com/search/docs/crawling-indexing/google-common-crawlers",
        },
        Spec { name: "Perplexity crawlers", url: "https://docs.perplexity.ai/guides/bots" },
    ],
    evaluate,
};

const ALL_ALLOWED: Outcome = Outcome::pass("all-allowed");
const NO_FILE: Outcome = Outcome::pass("no-file");
const FEW_BLOCKED: Outcome = Outcome::pass("few-blocked");
const SOME_BLOCKED: Outcome = Outcome::warn("some-blocked");
const MOST_BLOCKED: Outcome = Outcome::fail("most-blocked");
const LARGE_BLOCKED: Outcome = Outcome::fail("large-engines-blocked");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");
const NOT_ASKED: Outcome = Outcome::unknown("not-asked");

/// A bot whose answers may cite the page.
struct Bot {
    /// Its id in the registry.
    id: &'static str,
    /// What it counts, in tenths.
    weight: u32,
    /// Whether it is one of those without which hardly any answer engine is left.
    is_large: bool,
}

const fn large(id: &'static str, weight: u32) -> Bot {
    Bot { id, weight, is_large: true }
}

const fn small(id: &'static str, weight: u32) -> Bot {
    Bot { id, weight, is_large: false }
}

const BOTS: [Bot; 11] = [
    large("google-googlebot", 30),
    large("microsoft-bingbot", 20),
    large("openai-oai-searchbot", 30),
    small("openai-chatgpt-user", 10),
    large("perplexity-perplexitybot", 20),
    small("perplexity-user", 5),
    large("anthropic-claude-searchbot", 15),
    small("anthropic-claude-user", 10),
    small("apple-applebot", 5),
    small("duckduckgo-duckassistbot", 5),
    small("mistral-user", 5),
];

/// A bot that may not fetch the page.
struct Blocked {
    agent: &'static Agent,
    decision: RobotsDecision,
}

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let (Some(robots), Some(location)) = (&page.snapshot.robots, page.snapshot.location()) else {
        return ScoredFinding::unscored(Finding::new(NOT_ASKED.detected()));
    };
    let evidence = Evidence::for_url(address::robots_txt_url(location).as_str());
    match robots.state {
        RobotsState::Unavailable => {
            let finding = Finding::new(NO_FILE.detected()).with_evidence([evidence]);
            ScoredFinding::new(Credit::FULL, finding)
        }
        RobotsState::Unreachable
        | RobotsState::Challenged
        | RobotsState::Refused
        | RobotsState::Failed => {
            let unreadable = UNREADABLE.with_note("state", robots.state.note());
            ScoredFinding::unscored(
                Finding::new(unreadable).with_evidence([evidence.note(robots.state.note())]),
            )
        }
        RobotsState::Parsed | RobotsState::ParsedTruncated | RobotsState::NotText => {
            judge(robots, location, &evidence)
        }
    }
}

fn judge(robots: &RobotsFile, location: &Url, at: &Evidence) -> ScoredFinding {
    let (mut allowed, mut all) = (0, 0);
    let mut is_any_large_allowed = false;
    let mut blocked = Vec::new();
    for bot in &BOTS {
        let Some(agent) = agent(bot.id) else { continue };
        let Some(decision) = robots.decide(&agent.robots_tokens(), location.as_str()) else {
            continue;
        };
        all += bot.weight;
        if decision.allowed {
            allowed += bot.weight;
            is_any_large_allowed |= bot.is_large;
        } else {
            blocked.push(Blocked { agent, decision });
        }
    }
    let credit = Credit::from_share(f64::from(allowed) / f64::from(all));
    let names: Vec<&str> = blocked.iter().map(|bot| bot.agent.robots_token.as_str()).collect();
    let outcome = match (blocked.len(), is_any_large_allowed) {
        (0, _) => {
            return ScoredFinding::new(
                credit,
                Finding::new(ALL_ALLOWED.with("count", BOTS.len())).with_evidence([at.clone()]),
            );
        }
        (_, false) => LARGE_BLOCKED,
        _ => credit.pick([FEW_BLOCKED, SOME_BLOCKED, MOST_BLOCKED]),
    };
    let decisive = outcome.with("count", blocked.len()).with("bots", names.join(", "));
    let finding = Finding::new(decisive).with_evidence(blocked.iter().map(|bot| evidence(at, bot)));
    let fix = robots_fix::fix(robots, location, &blocked);
    if is_any_large_allowed {
        return ScoredFinding::new(credit, finding).with_fix_if_any(fix);
    }
    // Few bots that are left do not make up for all that are not.
    ScoredFinding::new(credit.min(Credit::FAIL), finding)
        .capped(AuditCap::AnswerBotsBlocked)
        .with_fix_if_any(fix)
}

fn agent(id: &str) -> Option<&'static Agent> {
    Registry::embedded().agents.iter().find(|agent| agent.id == id)
}

/// The rule that blocks a bot, with its line.
fn evidence(at: &Evidence, bot: &Blocked) -> Evidence {
    let token = &bot.agent.robots_token;
    let Some(rule) = &bot.decision.rule else { return at.clone().note(Note::verbatim(token)) };
    let group = match (&bot.decision.group_token, bot.decision.group_line) {
        (Some(group), Some(line)) => {
            Note::new("group").with("token", token).with("group", group).with("line", line)
        }
        _ => Note::verbatim(token),
    };
    at.clone().quote(&rule.text()).line(rule.line).note(group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;
    use crate::documents::robots::RobotsTxt;
    use crate::rubric::finding::Verdict;
    use crate::text::locale::{Catalog, Lang};

    fn read(robots: &str) -> ScoredFinding {
        fixture("<p>Text").robots_txt(robots).read(&SIGNAL)
    }

    fn id(scored: &ScoredFinding) -> &'static str {
        scored.finding.detections()[0].outcome.id
    }

    #[test]
    fn bots_count_by_their_weight() {
        for (robots, outcome, credit) in [
            ("", "all-allowed", 1000),
            ("User-agent: *\nDisallow: /admin\n", "all-allowed", 1000),
            ("User-agent: GPTBot\nDisallow: /\n", "all-allowed", 1000),
            ("User-agent: Perplexity-User\nDisallow: /\n", "few-blocked", 968),
            // Applebot follows the rules for Googlebot: 35 of 155 are gone.
            ("User-agent: Googlebot\nDisallow: /\n", "some-blocked", 774),
            ("User-agent: OAI-SearchBot\nDisallow: /page\n", "some-blocked", 806),
            ("User-agent: *\nDisallow: /\n\nUser-agent: Bingbot\nAllow: /\n", "most-blocked", 129),
            ("User-agent: *\nDisallow: /\n", "large-engines-blocked", 0),
        ] {
            let scored = read(robots);
            let found = (id(&scored), scored.credit.unwrap().per_mille());
            assert_eq!(found, (outcome, credit), "{robots}");
        }
    }

    #[test]
    fn blocking_training_bots_costs_nothing() {
        let tokens = [
            "GPTBot",
            "ClaudeBot",
            "Google-Extended",
            "CCBot",
            "Applebot-Extended",
            "meta-externalagent",
            "Bytespider",
            "Amazonbot",
        ];
        let robots =
            tokens.map(|token| format!("User-agent: {token}\n")).concat() + "Disallow: /\n";
        let scored = read(&robots);
        assert_eq!((id(&scored), scored.credit), ("all-allowed", Some(Credit::FULL)));
        assert_eq!(scored.fix, None);
    }

    #[test]
    fn the_gate_closes_when_all_large_engines_are_out() {
        let large = "User-agent: Googlebot\nUser-agent: bingbot\nUser-agent: OAI-SearchBot\n\
                     User-agent: PerplexityBot\nUser-agent: Claude-SearchBot\n";
        let all = format!("{large}Disallow: /\n");
        let scored = read(&format!("{all}User-agent: Applebot\nAllow: /\n"));
        assert_eq!(
            (id(&scored), scored.cap),
            ("large-engines-blocked", Some(AuditCap::AnswerBotsBlocked))
        );
        assert_eq!(scored.finding.verdict(), Verdict::Fail);
        let but_one = all.replace("User-agent: bingbot\n", "");
        assert_eq!(read(&but_one).cap, None);
    }

    #[test]
    fn what_robots_txt_does_not_say_is_allowed_or_not_known() {
        for (state, outcome) in [
            (RobotsState::Unavailable, "no-file"),
            (RobotsState::NotText, "all-allowed"),
            (RobotsState::Unreachable, "unreadable"),
            (RobotsState::Challenged, "unreadable"),
            (RobotsState::Failed, "unreadable"),
        ] {
            let scored = fixture("<p>Text").robots_state(state).read(&SIGNAL);
            assert_eq!(id(&scored), outcome);
            assert_eq!(scored.credit.is_none(), outcome == "unreadable");
        }
        assert_eq!(id(&fixture("<p>Text").file().read(&SIGNAL)), "not-asked");
    }

    #[test]
    fn evidence_is_the_line_and_the_rule() {
        let scored = read("# hi\nUser-agent: *\nAllow: /a\nDisallow: /p*e$\n");
        let evidence = &scored.finding.evidence()[0];
        assert_eq!(evidence.url, "https://example.com/robots.txt");
        assert_eq!(
            (evidence.line, evidence.excerpt.as_deref()),
            (Some(4), Some("Disallow: /p*e$"))
        );
        let note = evidence.note.as_ref().unwrap().sentence(Catalog::for_lang(Lang::En));
        assert_eq!(note, "Googlebot: User-agent: *, line 2");
        assert_eq!(scored.finding.evidence().len(), BOTS.len());
    }

    #[test]
    fn the_fix_lets_all_bots_in_and_changes_nothing_for_others() {
        for robots in [
            "User-agent: *\nDisallow: /\n",
            "User-agent: *\nDisallow: /admin\nDisallow: /page\nAllow: /admin/open\n",
            "User-agent: *\nDisallow: /p*e$\n",
            "User-agent: *\nDisallow: /*\n\nUser-agent: OAI-SearchBot\nDisallow: /\nDisallow: /b\n",
            "User-agent: OAI-SearchBot\nUser-agent: GPTBot\nDisallow: /\n",
            "User-agent: Googlebot\nDisallow: /page\nDisallow: /pag\n",
            "User-agent: PerplexityBot\nDisallow: /pa\n\nUser-agent: *\nDisallow: /\nAllow: /open\n",
        ] {
            let snippet = read(robots).fix.unwrap().snippet;
            let after = RobotsTxt::parse(format!("{robots}\n{snippet}").as_bytes());
            let before = RobotsTxt::parse(robots.as_bytes());
            for bot in &BOTS {
                let tokens = agent(bot.id).unwrap().robots_tokens();
                let is_allowed = |file: &RobotsTxt, path: &str| file.decide(&tokens, path).allowed;
                assert!(is_allowed(&after, "/page"), "{}: {robots}\n{snippet}", bot.id);
                for path in ["/admin/x", "/admin/open", "/b", "/open"] {
                    let opened = is_allowed(&after, path) != is_allowed(&before, path);
                    // Only where the whole site was closed is more opened than the page.
                    assert!(
                        !opened || robots.contains("Disallow: /\n") || robots.contains("/*"),
                        "{path}: {robots}\n{snippet}"
                    );
                }
            }
            for token in ["GPTBot", "CCBot", "AhrefsBot"] {
                for path in ["/page", "/admin/x", "/"] {
                    let is_allowed = |file: &RobotsTxt| file.decide(&[token], path).allowed;
                    assert_eq!(
                        is_allowed(&after),
                        is_allowed(&before),
                        "{token} {path}: {snippet}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_fix_of_a_closed_site_opens_it() {
        let snippet = read("User-agent: OAI-SearchBot\nDisallow: /\n").fix.unwrap().snippet;
        assert_eq!(snippet, "User-agent: OAI-SearchBot\nAllow: /");
    }
}
