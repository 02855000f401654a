//! The agents of the registry by their ids.

use std::collections::HashMap;

use visibility_core::agents::{Agent, Purpose, Registry};

/// Finds agents by id.
#[derive(Debug)]
pub(crate) struct AgentDirectory {
    by_id: HashMap<&'static str, &'static Agent>,
}

impl AgentDirectory {
    pub(crate) fn new() -> Self {
        let agents = Registry::embedded().agents.iter();
        Self { by_id: agents.map(|agent| (agent.id.as_str(), agent)).collect() }
    }

    /// The agent; none if the registry does not know it any more.
    pub(crate) fn agent(&self, id: &str) -> Option<&'static Agent> {
        self.by_id.get(id).copied()
    }

    pub(crate) fn purpose(&self, id: &str) -> Purpose {
        self.agent(id).map_or(Purpose::Other, |agent| agent.purpose)
    }

    pub(crate) fn vendor(&self, id: &str) -> Option<&'static str> {
        self.agent(id).map(|agent| agent.vendor.as_str())
    }

    /// The name for people, or the id.
    pub(crate) fn name<'a>(&self, id: &'a str) -> &'a str
    where
        'static: 'a,
    {
        self.agent(id).map_or(id, |agent| agent.name.as_str())
    }
}

/// The vendor of the registry with a name, in any case.
pub fn known_vendor(name: &str) -> Option<&'static str> {
    let vendors = Registry::embedded().agents.iter().map(|agent| agent.vendor.as_str());
    vendors.into_iter().find(|vendor| vendor.eq_ignore_ascii_case(name))
}
