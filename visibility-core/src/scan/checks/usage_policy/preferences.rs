//! `Content-Signal` and `Content-Usage`, from robots.txt and from the header of the home page.

use std::collections::BTreeSet;

use crate::agents::Agent;
use crate::documents::robots::Group;
use crate::documents::robots::usage::{ContentSignal, ContentUsage};
use crate::limits::MAX_EXCERPT_CHARS;
use crate::scan::snapshot::SiteSnapshot;
use crate::text::excerpt::excerpt;
use crate::text::note::Note;

/// One record, in the words that both vocabularies share.
pub(super) struct Preference {
    /// Whether it is a `Content-Usage`.
    pub(super) is_usage: bool,
    /// `None` for a header field.
    pub(super) line: Option<usize>,
    /// The tokens of its group, as an excerpt; `*` for a header field.
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
    /// Where it is, in technical terms.
    pub(super) fn location(&self) -> String {
        let name = if self.is_usage { "Content-Usage" } else { "Content-Signal" };
        match self.line {
            Some(line) => format!("robots.txt:{line}"),
            None => format!("{name} header"),
        }
    }

    /// Where it is, as a note.
    pub(super) fn note(&self) -> Note {
        let name = if self.is_usage { "Content-Usage" } else { "Content-Signal" };
        match self.line {
            Some(line) => Note::new("line").with("line", line),
            None => Note::new("header").with("name", name),
        }
    }

    fn from_content_signal(detection: ContentSignal, agents: String, raw: &str) -> Self {
        let says = detection.preferences();
        let mut malformed = detection.malformed;
        if says.is_empty() && malformed.is_empty() {
            malformed.push(raw.to_owned());
        }
        Self {
            is_usage: false,
            line: detection.line,
            agents,
            says,
            malformed,
            training: detection.ai_train,
            search: detection.search,
            raw: raw.to_owned(),
        }
    }

    fn from_content_usage(usage: ContentUsage, agents: String, raw: &str) -> Self {
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

/// The first preference with this value for an agent: in the header, or in the groups that govern it.
///
/// What its own groups say replaces what the group for `*` says; where they say nothing on the
/// matter, the rule for everyone applies (our choice, decision 0005).
pub(super) fn find<'a>(
    site: &SiteSnapshot,
    preferences: &'a [Preference],
    agent: &Agent,
    matter: fn(&Preference) -> Option<bool>,
    value: bool,
) -> Option<&'a Preference> {
    let lines_of = |tokens: &[&str]| -> BTreeSet<usize> {
        let groups = site.robots().rules.groups_for(tokens);
        let records = groups.iter().flat_map(|g| g.content_signals.iter().chain(&g.content_usages));
        records.map(|record| record.line).collect()
    };
    let says = |p: &&Preference, lines: &BTreeSet<usize>| {
        matter(p).is_some() && p.line.is_some_and(|line| lines.contains(&line))
    };
    let own = lines_of(&agent.robots_tokens());
    let is_own = preferences.iter().any(|preference| says(&preference, &own));
    let lines = if is_own { own } else { lines_of(&["*"]) };
    preferences.iter().find(|preference| {
        matter(preference) == Some(value) && (preference.line.is_none() || says(preference, &lines))
    })
}

/// All records: those of robots.txt in order, then those of the header.
pub(super) fn all(site: &SiteSnapshot) -> Vec<Preference> {
    let mut found = Vec::new();
    for group in &site.robots().rules.groups {
        let agents = agents(group);
        for record in &group.content_signals {
            let detection = ContentSignal::from_record(record);
            found.push(Preference::from_content_signal(detection, agents.clone(), &record.value));
        }
        for record in &group.content_usages {
            let usage = ContentUsage::from_record(record);
            found.push(Preference::from_content_usage(usage, agents.clone(), &record.value));
        }
    }
    if let Some(home) = site.home().filter(|home| home.is_success()) {
        for value in home.headers.all("content-signal") {
            let detection = ContentSignal::from_header(value);
            found.push(Preference::from_content_signal(detection, "*".to_owned(), value));
        }
        for value in home.headers.all("content-usage") {
            let usage = ContentUsage::from_header(value);
            found.push(Preference::from_content_usage(usage, "*".to_owned(), value));
        }
    }
    found
}

/// The tokens of a group as far as an excerpt shows them.
fn agents(group: &Group) -> String {
    let tokens: Vec<&str> =
        group.agents.iter().map(|agent| agent.value.as_str()).take(MAX_EXCERPT_CHARS).collect();
    excerpt(&tokens.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::robots::RobotsTxt;

    #[test]
    fn the_agents_of_a_group_are_an_excerpt() {
        for (count, expected) in [(1, 2), (3, 10), (10_000, MAX_EXCERPT_CHARS)] {
            let names: Vec<String> = (0..count).map(|n| format!("User-agent: a{n}")).collect();
            let robots = RobotsTxt::parse(names.join("\n").as_bytes());
            assert_eq!(agents(&robots.groups[0]).chars().count(), expected, "{count}");
        }
    }
}
