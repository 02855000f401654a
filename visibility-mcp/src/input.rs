//! Arguments that several tools take.

use schemars::JsonSchema;
use serde::Deserialize;
use visibility_core::agents::{Agent, Registry};
use visibility_core::domain::Domain;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::locale;
use visibility_core::scan::check::Check;
use visibility_core::scan::checks::{self, CHECKS};

use crate::nearest::nearest;
use crate::refusal::Refusal;
use crate::untrusted::Untrusted;

/// Language of the texts.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Lang {
    /// English.
    #[default]
    En,
    /// Turkish.
    Tr,
}

impl From<Lang> for locale::Lang {
    fn from(lang: Lang) -> Self {
        match lang {
            Lang::En => Self::En,
            Lang::Tr => Self::Tr,
        }
    }
}

/// The domain that an argument names.
pub(crate) fn domain(text: &str) -> Result<Domain, Refusal> {
    text.parse().map_err(|error| Problem::from(&error).into())
}

/// The check that an argument names.
pub(crate) fn check(id: &str) -> Result<&'static Check, Refusal> {
    let known = || CHECKS.iter().map(|check| check.id);
    checks::find(id.trim()).ok_or_else(|| {
        let ids = known().collect::<Vec<_>>().join(", ");
        unknown(["mcp-check", "mcp-check-near"], id, nearest(id, known()))
            .value("known", ids)
            .into()
    })
}

/// A check that the host has left out of a result.
pub(crate) fn not_judged(check: &Check) -> Refusal {
    Problem::new(ErrorCode::NotFound, "mcp-not-judged").value("name", check.id).into()
}

/// The agent of the access matrix that an argument names: by id, by name, by a product token, or by a
/// whole `User-Agent`.
pub(crate) fn agent(name: &str) -> Result<&'static Agent, Refusal> {
    let name = name.trim();
    let registry = Registry::embedded();
    let is_token = |agent: &&Agent| {
        let mut tokens = agent.user_agent_tokens.iter().chain(&agent.robots_token_aliases);
        tokens.any(|token| token.eq_ignore_ascii_case(name))
    };
    let found = registry
        .find(name)
        .or_else(|| registry.agents.iter().find(is_token))
        .or_else(|| registry.match_user_agent(name))
        .filter(|agent| agent.in_matrix);
    found.ok_or_else(|| {
        let rows = registry.matrix();
        let names = rows.iter().flat_map(|agent| [agent.name.as_str(), agent.id.as_str()]);
        let meant = nearest(name, names);
        let known = rows.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>().join(", ");
        unknown(["mcp-agent", "mcp-agent-near"], name, meant).value("known", known).into()
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
            assert_eq!(agent(name).map(|agent| agent.id.as_str()), Ok("openai-gptbot"), "{name}");
        }
        for row in Registry::embedded().matrix() {
            for name in std::iter::once(&row.id).chain([&row.name, &row.robots_token]) {
                assert_eq!(
                    agent(&name.to_uppercase()).map(|found| &found.id),
                    Ok(&row.id),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_known_is_told_with_what_is() {
        for (refusal, meant) in [
            (check("robots.txt").map(|_| ()), Some("robots-txt")),
            (check("nothing at all").map(|_| ()), None),
            (agent("GPTBots").map(|_| ()), Some("GPTBot")),
            (agent("Firefox").map(|_| ()), None),
        ] {
            let refusal = refusal.expect_err("not known");
            for lang in locale::Lang::ALL {
                let object = refusal.problem().object(lang);
                assert_eq!(object.code, ErrorCode::NotFound);
                let said = object.details.get("did_you_mean").and_then(|name| name.as_str());
                assert_eq!(said, meant);
                let hint = object.hint.expect("a hint");
                assert!(hint.contains("sitemap") || hint.contains("Googlebot"), "{hint}");
                assert!(meant.is_none_or(|meant| hint.contains(&format!("`{meant}`"))), "{hint}");
            }
        }
    }
}
