//! `Crawl-delay` records that concern the agents of the matrix.

use std::collections::BTreeMap;

use super::observed;
use crate::agents::{Agent, Registry};
use crate::documents::robots::Record;
use crate::rubric::finding::Observation;
use crate::scan::snapshot::SiteSnapshot;

/// Records that are shown.
const MAX_RECORDS: usize = 5;
/// Names of agents that are shown for a record.
const MAX_NAMES: usize = 4;

/// One observation for each record that governs an agent of the matrix; of several in its groups the
/// first counts.
pub(super) fn observe(site: &SiteSnapshot) -> Vec<Observation> {
    let rules = &site.robots().rules;
    if rules.groups.iter().all(|group| group.crawl_delays.is_empty()) {
        return Vec::new();
    }
    let mut governed: BTreeMap<usize, (&Record, Vec<&Agent>)> = BTreeMap::new();
    for agent in Registry::embedded().matrix() {
        let groups = rules.groups_for(&agent.robots_tokens());
        if let Some(record) = groups.into_iter().flat_map(|group| &group.crawl_delays).next() {
            governed.entry(record.line).or_insert((record, Vec::new())).1.push(agent);
        }
    }
    governed
        .into_values()
        .take(MAX_RECORDS)
        .map(|(record, agents)| {
            let supported = agents.iter().copied().filter(|agent| agent.crawl_delay == "supported");
            let seen = observed("crawl-delay")
                .with("seconds", &record.value)
                .with("line", &record.line)
                .with("agents", &names(agents.iter().copied()));
            seen.with("supported", &names(supported)).on(site.robots_resource())
        })
        .collect()
}

/// The first names, and how many more there are; `-` for none.
fn names<'a>(agents: impl Iterator<Item = &'a Agent>) -> String {
    let names: Vec<&str> = agents.map(|agent| agent.name.as_str()).collect();
    let shown = names.iter().take(MAX_NAMES).copied().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(MAX_NAMES) {
        _ if names.is_empty() => "-".to_owned(),
        Some(more) if more > 0 => format!("{shown} +{more}"),
        _ => shown,
    }
}
