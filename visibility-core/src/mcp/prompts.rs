//! Prompts that users can pick: fix a site, report on bots, compare sites.

use std::str::FromStr;

use crate::fetch::domain::Domain;
use crate::text::locale::{Catalog, Lang, Values};
use chrono::{Days, NaiveDate};
use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResult, JsonObject, Prompt, PromptArgument,
    PromptMessage, Role,
};
use serde_json::Value;

use crate::mcp::input::{self, Agents};
use crate::rubric::fix::Platform;

/// Domains that are compared, least and most.
const COMPARED: std::ops::RangeInclusive<usize> = 2..=5;
/// Days of a report.
const WEEK: u64 = 7;

/// A prompt that is offered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum PromptKind {
    FixAgentReadiness,
    WeeklyBotReport,
    CompareCompetitors,
}

/// An argument of a prompt.
#[derive(Clone, Copy, Debug)]
struct Argument {
    name: &'static str,
    is_required: bool,
    about: &'static str,
}

const fn required(name: &'static str, about: &'static str) -> Argument {
    Argument { name, is_required: true, about }
}

const fn optional(name: &'static str, about: &'static str) -> Argument {
    Argument { name, is_required: false, about }
}

const LANG: Argument = optional("lang", "Language of the text: `en` or `tr`.");
const FIX_AGENT_READINESS: [Argument; 3] = [
    required("domain", "The site, such as `example.com`."),
    optional("platform", "The platform of the site, such as `nginx` or `nextjs`."),
    LANG,
];
const WEEKLY_BOT_REPORT: [Argument; 3] = [
    required("host", "The host, such as `www.example.com`."),
    optional("agent", "Only this agent, such as `openai-gptbot`."),
    LANG,
];
const COMPARE_COMPETITORS: [Argument; 2] =
    [required("domains", "Two to five domains, separated by commas, your own first."), LANG];

impl PromptKind {
    const ALL: [Self; 3] =
        [Self::FixAgentReadiness, Self::WeeklyBotReport, Self::CompareCompetitors];

    fn name(self) -> &'static str {
        match self {
            Self::FixAgentReadiness => "fix_agent_readiness",
            Self::WeeklyBotReport => "weekly_bot_report",
            Self::CompareCompetitors => "compare_competitors",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::FixAgentReadiness => "Fix the agent readiness of a site",
            Self::WeeklyBotReport => "Weekly report on bots",
            Self::CompareCompetitors => "Compare sites",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::FixAgentReadiness => "Scan a site and fix what helps most in its project files.",
            Self::WeeklyBotReport => "Report what AI bots did on a host in the last seven days.",
            Self::CompareCompetitors => {
                "Compare two to five sites and find out what to learn from them."
            }
        }
    }

    fn arguments(self) -> &'static [Argument] {
        match self {
            Self::FixAgentReadiness => &FIX_AGENT_READINESS,
            Self::WeeklyBotReport => &WEEKLY_BOT_REPORT,
            Self::CompareCompetitors => &COMPARE_COMPETITORS,
        }
    }

    /// Whether it counts traffic, which not every host has.
    fn needs_traffic(self) -> bool {
        self == Self::WeeklyBotReport
    }

    fn find(name: &str, has_traffic: bool) -> Option<Self> {
        let mut offers = Self::ALL.into_iter();
        offers.find(|offer| offer.name() == name && (has_traffic || !offer.needs_traffic()))
    }

    fn listed(self) -> Prompt {
        let arguments = self.arguments().iter().map(|argument| {
            PromptArgument::new(argument.name)
                .with_description(argument.about)
                .with_required(argument.is_required)
        });
        Prompt::new(self.name(), Some(self.about()), Some(arguments.collect()))
            .with_title(self.title())
    }
}

/// The prompts that a host offers.
pub(crate) fn offered(has_traffic: bool) -> Vec<Prompt> {
    let offers = PromptKind::ALL.into_iter();
    offers.filter(|offer| has_traffic || !offer.needs_traffic()).map(PromptKind::listed).collect()
}

/// The names of the arguments of a prompt, if a host offers it.
pub(crate) fn arguments(
    name: &str,
    has_traffic: bool,
) -> Option<impl Iterator<Item = &'static str>> {
    let offer = PromptKind::find(name, has_traffic)?;
    Some(offer.arguments().iter().map(|argument| argument.name))
}

/// A prompt with its arguments filled in.
///
/// # Errors
///
/// When there is no such prompt, or an argument is missing or cannot be used.
pub(crate) fn get(
    request: &GetPromptRequestParams,
    has_traffic: bool,
    today: NaiveDate,
) -> Result<GetPromptResult, ErrorData> {
    let offer = PromptKind::find(&request.name, has_traffic).ok_or_else(|| unknown(has_traffic))?;
    let given = PromptArguments::new(offer, request.arguments.as_ref())?;
    let lang = given.lang()?;
    let (id, values) = match offer {
        PromptKind::FixAgentReadiness => ("fix-agent-readiness", fix_agent_readiness(&given)?),
        PromptKind::WeeklyBotReport => given.weekly_bot_report(today)?,
        PromptKind::CompareCompetitors => ("compare-competitors", compare_competitors(&given)?),
    };
    let catalog = Catalog::for_lang(lang);
    let text = format!(
        "{}\n\n{}",
        catalog.fill(&["mcp", "prompts", id], &values),
        catalog.text(&["mcp", "prompts", "care"])
    );
    let messages = vec![PromptMessage::new_text(Role::User, text)];
    Ok(GetPromptResult::new(messages).with_description(offer.about()))
}

fn unknown(has_traffic: bool) -> ErrorData {
    let offers = PromptKind::ALL.into_iter().filter(|offer| has_traffic || !offer.needs_traffic());
    let names: Vec<&str> = offers.map(PromptKind::name).collect();
    let message =
        format!("There is no prompt with this name. The prompts are {}.", names.join(", "));
    ErrorData::invalid_params(message, None)
}

/// The arguments that were given to a prompt.
struct PromptArguments<'a> {
    offer: PromptKind,
    values: Option<&'a JsonObject>,
}

impl<'a> PromptArguments<'a> {
    fn new(offer: PromptKind, values: Option<&'a JsonObject>) -> Result<Self, ErrorData> {
        let known: Vec<&str> = offer.arguments().iter().map(|argument| argument.name).collect();
        let mut names = values.into_iter().flat_map(JsonObject::keys);
        if names.any(|name| !known.contains(&name.as_str())) {
            let message = format!(
                "{} has no argument with this name. Its arguments are {}.",
                offer.name(),
                known.join(", ")
            );
            return Err(ErrorData::invalid_params(message, None));
        }
        Ok(Self { offer, values })
    }

    /// The text of an argument, if there is one.
    fn text(&self, name: &str) -> Result<Option<&'a str>, ErrorData> {
        match self.values.and_then(|values| values.get(name)) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
            Some(_) => Err(self.wrong(name, "is not text")),
        }
    }

    /// The text of an argument that must be there.
    fn required(&self, name: &str) -> Result<&'a str, ErrorData> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "is missing"))
    }

    fn domain(&self, name: &str, text: &str) -> Result<Domain, ErrorData> {
        Domain::from_str(text).map_err(|error| {
            let suggestion = error
                .suggestion()
                .map(|domain| format!("; did you mean {domain}?"))
                .unwrap_or_default();
            self.wrong(name, &format!("is not a domain such as example.com{suggestion}"))
        })
    }

    fn lang(&self) -> Result<Lang, ErrorData> {
        match self.text("lang")?.map(str::parse) {
            None => Ok(Lang::default()),
            Some(Ok(lang)) => Ok(lang),
            Some(Err(_)) => Err(self.wrong("lang", "is neither en nor tr")),
        }
    }

    fn wrong(&self, name: &str, why: &str) -> ErrorData {
        let end = if why.ends_with('?') { "" } else { "." };
        let message = format!("The argument `{name}` of {} {why}{end}", self.offer.name());
        ErrorData::invalid_params(message, None)
    }

    /// The days of the last week and of the one before it, and what is asked about them.
    fn weekly_bot_report(&self, today: NaiveDate) -> Result<(&'static str, Values), ErrorData> {
        let host = self.domain("host", self.required("host")?)?;
        let back = |days| today.checked_sub_days(Days::new(days)).unwrap_or(today).to_string();
        let mut values = Values::from([
            ("host", host.to_string()),
            ("from", back(WEEK - 1)),
            ("to", today.to_string()),
            ("from_before", back(2 * WEEK - 1)),
            ("to_before", back(WEEK)),
        ]);
        let Some(name) = self.text("agent")? else { return Ok(("weekly-bot-report", values)) };
        let agent = input::agent(name, Agents::All).map_err(|_refusal| {
            self.wrong("agent", "is not a known agent; visibility://agents lists them")
        })?;
        values.insert("agent", agent.id.clone());
        Ok(("weekly-agent-report", values))
    }
}

fn fix_agent_readiness(given: &PromptArguments<'_>) -> Result<Values, ErrorData> {
    let domain = given.domain("domain", given.required("domain")?)?;
    let platform = match given.text("platform")? {
        None => Platform::default(),
        Some(name) => Platform::from_wire(name).ok_or_else(|| {
            let known = Platform::ALL.map(Platform::as_str).join(", ");
            given.wrong("platform", &format!("is not one of {known}"))
        })?,
    };
    Ok(Values::from([("domain", domain.to_string()), ("platform", platform.as_str().to_owned())]))
}

fn compare_competitors(given: &PromptArguments<'_>) -> Result<Values, ErrorData> {
    let text = given.required("domains")?;
    let mut domains: Vec<String> = Vec::new();
    for part in text.split([',', ' ', '\n']).filter(|part| !part.is_empty()) {
        let domain = given.domain("domains", part)?.to_string();
        if !domains.contains(&domain) {
            domains.push(domain);
        }
        if domains.len() > *COMPARED.end() {
            break;
        }
    }
    if !COMPARED.contains(&domains.len()) {
        let why = format!("must name {} to {} sites", COMPARED.start(), COMPARED.end());
        return Err(given.wrong("domains", &why));
    }
    let own = domains.first().cloned().unwrap_or_default();
    Ok(Values::from([("domains", domains.join(", ")), ("own", own)]))
}
