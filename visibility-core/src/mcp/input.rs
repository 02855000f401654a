//! Arguments that several tools take.

use crate::agents::{Agent, Registry};
use crate::error::{ErrorCode, Problem};
use crate::fetch::domain::Domain;
use crate::scan::check::Check;
use crate::scan::checks::{self, CHECKS};
use crate::text::locale;
use crate::text::nearest::nearest;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::tool_error::ToolError;
use crate::mcp::untrusted::Untrusted;

/// Language of the texts.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LangInput {
    /// English.
    #[default]
    En,
    /// Turkish.
    Tr,
}

impl From<LangInput> for locale::Lang {
    fn from(lang: LangInput) -> Self {
        match lang {
            LangInput::En => Self::En,
            LangInput::Tr => Self::Tr,
        }
    }
}

/// The domain that an argument names.
pub(crate) fn domain(text: &str) -> Result<Domain, ToolError> {
    text.parse().map_err(|error| Problem::from(&error).into())
}

/// The check that an argument names.
pub(crate) fn check(id: &str) -> Result<&'static Check, ToolError> {
    let known = || CHECKS.iter().map(|check| check.id);
    checks::find(id.trim()).ok_or_else(|| {
        let ids = known().collect::<Vec<_>>().join(", ");
        unknown(["mcp-check", "mcp-check-near"], id, nearest(id, known()))
            .value("known", ids)
            .into()
    })
}

/// A check that the host has left out of a result.
pub(crate) fn not_judged(check: &Check) -> ToolError {
    Problem::new(ErrorCode::NotFound, "mcp-not-judged").value("name", check.id).into()
}

/// Which agents may be named.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Agents {
    /// Those of the access matrix.
    Matrix,
    /// All that are known, as in logs.
    All,
}

/// The agent that an argument names: by id, by name, by a product token, or by a whole `User-Agent`.
pub(crate) fn agent(name: &str, of: Agents) -> Result<&'static Agent, ToolError> {
    let name = name.trim();
    let registry = Registry::embedded();
    let found = registry
        .find(name)
        .or_else(|| {
            registry.agents.iter().find(|agent| {
                let mut tokens = agent.user_agent_tokens.iter().chain(&agent.robots_token_aliases);
                tokens.any(|token| token.eq_ignore_ascii_case(name))
            })
        })
        .or_else(|| registry.match_user_agent(name))
        .filter(|agent| of == Agents::All || agent.in_matrix);
    found.ok_or_else(|| {
        let rows = match of {
            Agents::Matrix => registry.matrix(),
            Agents::All => registry.agents.iter().collect(),
        };
        let names = rows.iter().flat_map(|agent| [agent.name.as_str(), agent.id.as_str()]);
        let meant = nearest(name, names);
        match of {
            Agents::Matrix => {
                let known = rows.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>();
                let problem = unknown(["mcp-agent", "mcp-agent-near"], name, meant);
                problem.value("known", known.join(", ")).into()
            }
            // They are too many to be listed one by one.
            Agents::All => unknown(["mcp-bot", "mcp-bot-near"], name, meant).into(),
        }
    })
}

/// A name that nothing has; the second path is for one that is near to another.
fn unknown(ids: [&'static str; 2], name: &str, meant: Option<&str>) -> Problem {
    let [far, near] = ids;
    let name = Untrusted::quote(name);
    let problem = Problem::new(ErrorCode::NotFound, if meant.is_some() { near } else { far })
        .value("name", name.as_str());
    match meant {
        Some(meant) => problem.value("meant", meant).detail("did_you_mean", meant),
        None => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_found_by_any_of_their_names() {
        for name in [
            "openai-gptbot",
            "GPTBot",
            "gptbot",
            " gptBOT ",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
        ] {
            assert_eq!(
                agent(name, Agents::Matrix).map(|agent| agent.id.as_str()),
                Ok("openai-gptbot"),
                "{name}"
            );
        }
        for row in Registry::embedded().matrix() {
            for name in std::iter::once(&row.id).chain([&row.name, &row.robots_token]) {
                assert_eq!(
                    agent(&name.to_uppercase(), Agents::Matrix).map(|found| &found.id),
                    Ok(&row.id),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn an_agent_that_is_in_no_matrix_is_found_where_all_are_meant() {
        let other = Registry::embedded().agents.iter().find(|agent| !agent.in_matrix);
        let other = other.expect("one that is only in logs");
        assert_eq!(agent(&other.name, Agents::All).map(|found| &found.id), Ok(&other.id));
        assert!(agent(&other.name, Agents::Matrix).is_err());
    }

    #[test]
    fn what_is_unknown_is_reported_with_what_is_known() {
        for (error, meant) in [
            (check("robots.txt").map(|_| ()), Some("robots-txt")),
            (check("nothing at all").map(|_| ()), None),
            (agent("GPTBots", Agents::Matrix).map(|_| ()), Some("GPTBot")),
            (agent("Firefox", Agents::Matrix).map(|_| ()), None),
            (agent("GPTBots", Agents::All).map(|_| ()), Some("GPTBot")),
            (agent("Firefox", Agents::All).map(|_| ()), None),
        ] {
            let error = error.expect_err("not known");
            for lang in locale::Lang::ALL {
                let object = error.problem().object(lang);
                assert_eq!(object.code, ErrorCode::NotFound);
                let said = object.details.get("did_you_mean").and_then(|name| name.as_str());
                assert_eq!(said, meant);
                let hint = object.hint.expect("a hint");
                let known = ["sitemap", "Googlebot", "`visibility://agents`"];
                assert!(known.iter().any(|known| hint.contains(known)), "{hint}");
                assert!(meant.is_none_or(|meant| hint.contains(&format!("`{meant}`"))), "{hint}");
            }
        }
    }
}
