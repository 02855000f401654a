//! Usage preferences that concern an agent.

use std::collections::BTreeMap;

use super::MAX_LISTED;
use crate::agents::Agent;
use crate::documents::robots::usage::{ContentSignal, ContentUsage};
use crate::documents::robots::{Group, RobotsTxt};
use crate::scan::snapshot::SiteSnapshot;
use crate::text::excerpt::excerpt;

/// The preferences of a site. A group is read once, however many agents it governs.
pub(super) struct Preferences<'a> {
    rules: &'a RobotsTxt,
    /// What a group says, by the line that it begins with.
    of_groups: BTreeMap<usize, Vec<String>>,
    of_header: Vec<String>,
}

impl<'a> Preferences<'a> {
    pub(super) fn new(site: &'a SiteSnapshot) -> Self {
        Self {
            rules: &site.robots().rules,
            of_groups: BTreeMap::new(),
            of_header: header_preferences(site),
        }
    }

    /// Preferences of the agent's groups in robots.txt, then those of the home page's header, each
    /// with its source: `ai-train=no (Content-Signal, line 4)`.
    pub(super) fn for_agent(&mut self, agent: &Agent) -> Vec<String> {
        let mut shown = Vec::new();
        for group in self.rules.groups_for(&agent.robots_tokens()) {
            let Some(first) = group.agents.first() else { continue };
            let said = self.of_groups.entry(first.line).or_insert_with(|| group_preferences(group));
            shown.extend(said.iter().take(MAX_LISTED - shown.len()).cloned());
            if shown.len() == MAX_LISTED {
                return shown;
            }
        }
        shown.extend(self.of_header.iter().take(MAX_LISTED - shown.len()).cloned());
        shown
    }
}

fn group_preferences(group: &Group) -> Vec<String> {
    let signals = group.content_signals.iter().flat_map(|record| {
        let signal = ContentSignal::from_record(record);
        let source = format!("(Content-Signal, line {})", record.line);
        signal.preferences().into_iter().map(move |said| format!("{said} {source}"))
    });
    let usages = group.content_usages.iter().flat_map(|record| {
        let usage = ContentUsage::from_record(record);
        let source = format!("(Content-Usage, line {})", record.line);
        let path = usage.path.as_ref().map(|path| excerpt(path) + " ").unwrap_or_default();
        usage.preferences().into_iter().map(move |said| format!("{path}{said} {source}"))
    });
    signals.chain(usages).take(MAX_LISTED).collect()
}

fn header_preferences(site: &SiteSnapshot) -> Vec<String> {
    let Some(home) = site.home().filter(|home| home.is_success()) else { return Vec::new() };
    let signals = home
        .headers
        .all("content-signal")
        .iter()
        .flat_map(|value| ContentSignal::from_header(value).preferences())
        .map(|said| format!("{said} (Content-Signal header)"));
    let usages = home
        .headers
        .all("content-usage")
        .iter()
        .flat_map(|value| ContentUsage::from_header(value).preferences())
        .map(|said| format!("{said} (Content-Usage header)"));
    signals.chain(usages).take(MAX_LISTED).collect()
}
