//! `visibility robots check`.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use url::Url;
use visibility_core::agents::{Agent, Registry};
use visibility_core::documents::robots::{RobotsDecision, RobotsFile, RobotsState};
use visibility_core::fetch::domain::Domain;
use visibility_core::fetch::{Fetch, FetchError, FetchResult, Probe};
use visibility_core::limits::MAX_ROBOTS_BYTES;
use visibility_core::report::labels::Labels;
use visibility_core::scan::problem::Stage;

use crate::args::{ListFormat, RobotsCheckArgs};
use crate::console::json::print_json;
use crate::console::style::{BAD, DIM, GOOD, UNKNOWN};
use crate::console::table::{Cell, Table};
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::error::target_error::{TargetError, TargetErrorKind};
use crate::exit_code::Exit;
use crate::run::file_argument::is_file;
use crate::run::network::{self, Threads};
use crate::run::robots_file;

/// What was decided for one agent and one path.
#[derive(Clone, Debug, Serialize)]
struct AgentDecision<'a> {
    agent: &'a str,
    path: &'a str,
    /// Absent when it cannot be known.
    allowed: Option<bool>,
    state: &'static str,
    group_line: Option<usize>,
    line: Option<usize>,
    /// Why the file could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<Value>,
    #[serde(skip)]
    rule: Option<String>,
}

/// An agent that is asked about: how it is shown, and what robots.txt may call it.
#[derive(Clone, Debug, Eq, PartialEq)]
struct RequestedAgent<'a> {
    name: &'a str,
    tokens: Vec<&'a str>,
}

/// The agents that an argument names: several with commas between them, or a user agent, which may
/// have commas of its own.
fn agents(text: &str) -> Result<Vec<RequestedAgent<'_>>, CommandError> {
    let each: Option<Vec<RequestedAgent<'_>>> =
        text.split(',').map(|part| agent(part.trim())).collect();
    if let Some(each) = each {
        return Ok(each);
    }
    let whole = text.contains('/').then(|| claimed(text)).flatten();
    whole.map(|one| vec![one]).ok_or_else(|| {
        CommandError::usage_with(
            format!("`{text}` is neither a known agent nor a robots.txt token"),
            "give a token such as `GPTBot`, an id from `visibility agents list \
                --all`, a user agent, or `*`",
        )
    })
}

/// An agent by id, name, token or user agent; or any other token, as it is.
fn agent(text: &str) -> Option<RequestedAgent<'_>> {
    if let Some(agent) = Registry::embedded().find(text) {
        return Some(RequestedAgent { name: text, tokens: agent.robots_tokens() });
    }
    let is_token = text == "*"
        || (!text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')));
    if is_token { Some(RequestedAgent { name: text, tokens: vec![text] }) } else { claimed(text) }
}

/// The agent that a user agent claims to be.
fn claimed(user_agent: &str) -> Option<RequestedAgent<'static>> {
    let agent: &'static Agent = Registry::embedded().match_user_agent(user_agent)?;
    Some(RequestedAgent { name: &agent.name, tokens: agent.robots_tokens() })
}

/// Runs the command.
pub(super) fn check(arguments: &RobotsCheckArgs, console: &Console) -> Result<Exit, CommandError> {
    for target in &arguments.targets {
        check_target(target, &arguments.source)?;
    }
    let mut asked = Vec::new();
    for text in &arguments.agents {
        asked.extend(agents(text)?);
    }
    let mut failed = None;
    let file = if is_file(&arguments.source) {
        from_file(&arguments.source)?
    } else {
        let (file, target_error) = from_domain(arguments, console)?;
        failed = target_error;
        file
    };
    if arguments.list.format == ListFormat::Human
        && let Some(target_error) = failed
    {
        return Err(target_error.into_command_error());
    }
    let mut answers = Vec::new();
    for RequestedAgent { name, tokens } in &asked {
        for target in &arguments.targets {
            let mut answer = decisions(&file, name, tokens, target);
            answer.failed = failed.as_ref().map(TargetError::error_object);
            answers.push(answer);
        }
    }
    match (arguments.list.format, answers.as_slice()) {
        (ListFormat::Json, [one]) => print_json(one, console)?,
        (ListFormat::Json, all) => print_json(&all, console)?,
        (ListFormat::Human, all) => console.print(&table(all, &file, console))?,
    }
    if let Some(target_error) = failed {
        console.show_error(&target_error.into_command_error());
        return Ok(Exit::Unreachable);
    }
    let all_allowed = answers.iter().all(|answer| answer.allowed == Some(true));
    Ok(if all_allowed { Exit::Ok } else { Exit::GateFailed })
}

/// A path, or an address on the site that is asked about.
fn check_target(target: &str, source: &str) -> Result<(), CommandError> {
    if target.starts_with('/') {
        return Ok(());
    }
    let Ok(url) = Url::parse(target) else {
        return Err(CommandError::usage_with(
            format!("`{target}` is neither a path nor a URL"),
            format!("a path starts with a slash: `/{target}`"),
        ));
    };
    let host = url.host_str().unwrap_or_default();
    // What is not a domain is said about the source itself, later.
    let Ok(domain) = source.parse::<Domain>() else { return Ok(()) };
    if is_file(source) || host.parse::<Domain>().is_ok_and(|host| host == domain) {
        return Ok(());
    }
    Err(CommandError::usage_with(
        format!("the robots.txt of `{source}` does not apply to `{target}`"),
        format!("check `{host}` instead: each host has a robots.txt of its own"),
    ))
}

fn decisions<'a>(
    file: &RobotsFile,
    agent: &'a str,
    tokens: &[&str],
    target: &'a str,
) -> AgentDecision<'a> {
    let decision = file.decide(tokens, target);
    let rule = decision.as_ref().and_then(|decision| decision.rule.as_ref());
    AgentDecision {
        agent,
        path: target,
        allowed: decision.as_ref().map(|decision: &RobotsDecision| decision.allowed),
        state: file.state.as_str(),
        group_line: decision.as_ref().and_then(|decision| decision.group_line),
        line: rule.map(|rule| rule.line),
        failed: None,
        rule: rule.map(visibility_core::documents::robots::Rule::text),
    }
}

fn from_file(source: &str) -> Result<RobotsFile, CommandError> {
    if source == "-" { robots_file::from_stdin() } else { robots_file::read(Path::new(source)) }
}

/// The robots.txt of a domain, and why it could not be read, if it could not.
fn from_domain(
    arguments: &RobotsCheckArgs,
    console: &Console,
) -> Result<(RobotsFile, Option<TargetError>), CommandError> {
    let domain: Domain = arguments.source.parse().map_err(|error| {
        TargetError::from_domain_error(&error, console.labels()).into_command_error()
    })?;
    let url = domain
        .https_root()
        .join("/robots.txt")
        .map_err(|error| CommandError::internal("no address of robots.txt", error))?;
    let probe = Probe::new(url, network::USER_AGENT, MAX_ROBOTS_BYTES + 1);
    let client = network::client(&arguments.network)?;
    let answer: FetchResult =
        network::block_on(Threads::One, async { Ok(client.session().fetch(&probe).await) })?;
    let file = RobotsFile::from_result(Some(&answer));
    let target_error = match &answer {
        // A name without an address is a typing error first, and a complete disallow second.
        Err(error) if file.state == RobotsState::Failed || is_dns(error) => {
            let message = format!("cannot read the robots.txt of `{domain}`: {error}");
            let stage = Stage::from_error(error).as_str();
            Some(
                TargetError::new(TargetErrorKind::Unreachable, "UPSTREAM_SCAN_FAILED", message)
                    .detail("stage", stage),
            )
        }
        _ => None,
    };
    Ok((file, target_error))
}

fn is_dns(error: &FetchError) -> bool {
    matches!(error, FetchError::Dns { .. })
}

fn table(answers: &[AgentDecision<'_>], file: &RobotsFile, console: &Console) -> String {
    let labels = console.labels();
    let titles = ["agent", "path", "result", "line", "group", "rule"].map(|id| labels.label(id));
    let mut table = Table::new(&titles.each_ref().map(String::as_str));
    for answer in answers {
        let (label, style) = match answer.allowed {
            Some(true) => ("✓ ", GOOD),
            Some(false) => ("✗ ", BAD),
            None => ("? ", UNKNOWN),
        };
        let verdict = match answer.allowed {
            Some(true) => labels.label("allowed"),
            Some(false) => labels.label("not-allowed"),
            None => labels.label("not-known"),
        };
        table.push([
            Cell::from(answer.agent),
            Cell::from(answer.path),
            Cell::styled(format!("{label}{verdict}"), style),
            Cell::from(number(answer.line)),
            Cell::from(number(answer.group_line)),
            Cell::styled(reason(answer, file, labels), DIM),
        ]);
    }
    table.render(0, console::width())
}

fn number(line: Option<usize>) -> String {
    line.map_or_else(|| "–".to_owned(), |line| line.to_string())
}

/// The rule that decided, or the reason why none did.
fn reason(answer: &AgentDecision<'_>, file: &RobotsFile, labels: Labels) -> String {
    if !matches!(file.state, RobotsState::Parsed | RobotsState::ParsedTruncated) {
        return labels.catalog().text(&["interface", "states", file.state.as_str()]);
    }
    match (&answer.rule, answer.group_line) {
        (Some(rule), _) => rule.clone(),
        (None, Some(_)) => labels.label("no-rule"),
        (None, None) => labels.label("no-group"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_agent_is_resolved_and_lists_are_split() {
        let openai = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; \
                      +https://openai.com/gptbot)";
        let cases: [(&str, &[&str]); 6] = [
            ("GPTBot", &["GPTBot"]),
            ("gptbot, unknown_1,*", &["gptbot", "unknown_1", "*"]),
            (openai, &["GPTBot"]),
            ("GPTBot/1.3,ClaudeBot/1.0", &["GPTBot", "ClaudeBot"]),
            ("Applebot-Extended", &["Applebot-Extended"]),
            ("*", &["*"]),
        ];
        for (text, expected) in cases {
            let agents = agents(text).unwrap();
            let names: Vec<&str> = agents.iter().map(|agent| agent.name).collect();
            assert_eq!(names, expected, "{text}");
            assert!(agents.iter().all(|agent| !agent.tokens.is_empty()), "{text}");
        }
    }

    #[test]
    fn what_names_no_agent_is_refused() {
        for text in ["", " ", "GPTBot,", "Claude Bot", "Mozilla/5.0 (X11)", "a:b", "GPTBot,b c"] {
            assert!(matches!(agents(text), Err(CommandError::Usage { .. })), "{text}");
        }
    }

    #[test]
    fn hosts_are_compared_as_domains() {
        for (source, target, is_right) in [
            ("münchen.de", "https://münchen.de/x", true),
            ("xn--mnchen-3ya.de", "https://münchen.de/x", true),
            ("Example.COM", "https://example.com/", true),
            ("example.com.", "https://example.com/", true),
            ("example.com", "https://example.com./", true),
            ("example.com", "https://www.example.com/", false),
            ("example.com", "https://127.0.0.1/", false),
        ] {
            assert_eq!(check_target(target, source).is_ok(), is_right, "{source} {target}");
        }
    }
}
