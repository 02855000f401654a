//! `Content-Signal` and `Content-Usage`, from robots.txt and from the header of the home page.

use crate::agents::Agent;
use crate::robots::Group;
use crate::robots::usage::{ContentSignal, ContentUsage};
use crate::scan::snapshot::SiteSnapshot;

/// One record, in the words that both vocabularies share.
pub(super) struct Preference {
    /// Whether it is a `Content-Usage`.
    pub(super) is_usage: bool,
    /// `None` for a header field.
    pub(super) line: Option<usize>,
    /// The tokens of its group; `*` for a header field.
    pub(super) agents: String,
    /// What it says, `key=value` each.
    pub(super) says: Vec<String>,
    /// What it says in vain.
    pub(super) malformed: Vec<String>,
    /// Whether training is welcome on the whole site.
    pub(super) training: Option<bool>,
    /// Whether search is welcome on the whole site.
    pub(super) search: Option<bool>,
    /// The value as written.
    pub(super) raw: String,
}

impl Preference {
    /// Where it stands, in technical terms.
    pub(super) fn place(&self) -> String {
        let name = if self.is_usage { "Content-Usage" } else { "Content-Signal" };
        match self.line {
            Some(line) => format!("robots.txt:{line}"),
            None => format!("{name} header"),
        }
    }

    /// Whether it is meant for an agent: for all of them, or for its token.
    pub(super) fn concerns(&self, agent: &Agent) -> bool {
        self.agents
            .split(", ")
            .any(|token| token == "*" || token.eq_ignore_ascii_case(&agent.robots_token))
    }

    fn of_signal(signal: ContentSignal, agents: String, raw: &str) -> Self {
        let says = signal.preferences();
        let mut malformed = signal.malformed;
        if says.is_empty() && malformed.is_empty() {
            malformed.push(raw.to_owned());
        }
        Self {
            is_usage: false,
            line: signal.line,
            agents,
            says,
            malformed,
            training: signal.ai_train,
            search: signal.search,
            raw: raw.to_owned(),
        }
    }

    fn of_usage(usage: ContentUsage, agents: String, raw: &str) -> Self {
        let says = usage.preferences();
        let mut malformed = usage.malformed;
        malformed.extend(usage.wrong_vocabulary);
        if says.is_empty() && malformed.is_empty() {
            malformed.push(raw.to_owned());
        }
        let whole = usage.path.as_deref().is_none_or(|path| path == "/");
        Self {
            is_usage: true,
            line: usage.line,
            agents,
            says,
            malformed,
            training: usage.train_ai.filter(|_| whole),
            search: usage.search.filter(|_| whole),
            raw: raw.to_owned(),
        }
    }
}

/// All records: those of robots.txt in order, then those of the header.
pub(super) fn all(site: &SiteSnapshot) -> Vec<Preference> {
    let mut found = Vec::new();
    for group in &site.robots().rules.groups {
        for record in &group.content_signals {
            let signal = ContentSignal::from_record(record);
            found.push(Preference::of_signal(signal, agents(group), &record.value));
        }
        for record in &group.content_usages {
            let usage = ContentUsage::from_record(record);
            found.push(Preference::of_usage(usage, agents(group), &record.value));
        }
    }
    if let Some(home) = site.home().filter(|home| home.is_success()) {
        for value in home.headers.all("content-signal") {
            let signal = ContentSignal::from_header(value);
            found.push(Preference::of_signal(signal, "*".to_owned(), value));
        }
        for value in home.headers.all("content-usage") {
            let usage = ContentUsage::from_header(value);
            found.push(Preference::of_usage(usage, "*".to_owned(), value));
        }
    }
    found
}

fn agents(group: &Group) -> String {
    let tokens: Vec<&str> = group.agents.iter().map(|agent| agent.value.as_str()).collect();
    tokens.join(", ")
}
