//! A cache of user agents that were looked up: most batches have few different ones.

use std::collections::HashMap;
use std::ptr;

use crate::agents::{Agent, Registry};

/// Longest user agent in bytes that is looked up; no known agent has a longer one. Our choice.
const MAX_BYTES: usize = 8 * 1024;
/// User agents that are remembered.
const MAX_ENTRIES: usize = 2_048;
/// Bytes of those.
const MAX_REMEMBERED_BYTES: usize = 1024 * 1024;
/// Lookups after which the hit rate is looked at.
const TRIAL: u32 = 8_192;

/// A listed agent and its number in the registry.
pub(crate) type ListedAgent<'a> = (u16, &'a Agent);

/// Tells agents by their user agents.
///
/// Senders choose what it remembers, so it takes a bounded number of entries and bytes, and none
/// once it has turned out to be of little use.
#[derive(Debug)]
pub(crate) struct AgentLookup<'a> {
    registry: &'a Registry,
    known: HashMap<Box<str>, Option<u16>, foldhash::fast::RandomState>,
    bytes: usize,
    lookups: u32,
    hits: u32,
}

impl<'a> AgentLookup<'a> {
    pub(crate) fn new(registry: &'a Registry) -> Self {
        Self { registry, known: HashMap::default(), bytes: 0, lookups: 0, hits: 0 }
    }

    /// The listed agent that a user agent claims to be.
    pub(crate) fn find(&mut self, user_agent: &str) -> Option<ListedAgent<'a>> {
        if user_agent.len() > MAX_BYTES {
            return None;
        }
        let number = self.number(user_agent)?;
        Some((number, self.registry.agents.get(usize::from(number))?))
    }

    fn number(&mut self, user_agent: &str) -> Option<u16> {
        self.lookups = self.lookups.saturating_add(1);
        if let Some(number) = self.known.get(user_agent) {
            self.hits = self.hits.saturating_add(1);
            return *number;
        }
        let number = self.lookup(user_agent);
        if self.has_room(user_agent) {
            self.bytes += user_agent.len();
            self.known.insert(user_agent.into(), number);
        }
        number
    }

    fn lookup(&self, user_agent: &str) -> Option<u16> {
        let agent = self.registry.match_listed_user_agent(user_agent)?;
        let number = self.registry.agents.iter().position(|other| ptr::eq(other, agent));
        number.and_then(|number| u16::try_from(number).ok())
    }

    fn has_room(&self, user_agent: &str) -> bool {
        self.known.len() < MAX_ENTRIES
            && self.bytes + user_agent.len() <= MAX_REMEMBERED_BYTES
            && (self.lookups < TRIAL || self.hits >= self.lookups / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visitors() -> AgentLookup<'static> {
        AgentLookup::new(Registry::embedded())
    }

    #[test]
    fn an_agent_comes_with_its_number() {
        let mut visitors = visitors();
        for _ in 0..2 {
            let (number, agent) = visitors.find("GPTBot/1.3").unwrap();
            assert_eq!(agent.id, "openai-gptbot");
            assert!(ptr::eq(&raw const Registry::embedded().agents[usize::from(number)], agent));
            assert!(visitors.find("curl/8.5.0").is_none());
        }
        assert_eq!(visitors.hits, 2);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut visitors = visitors();
        for number in 0..2 * TRIAL {
            assert!(visitors.find(&format!("GPTBot/{number}")).is_some());
        }
        assert_eq!(visitors.known.len(), MAX_ENTRIES);
        let mut visitors = self::visitors();
        for number in 0..1_000 {
            let user_agent = format!("GPTBot/{number} {}", "x".repeat(4_000));
            assert!(visitors.find(&user_agent).is_some());
        }
        assert!(visitors.bytes <= MAX_REMEMBERED_BYTES && visitors.known.len() > 100);
    }

    #[test]
    fn a_cache_that_does_not_hit_is_not_filled() {
        let mut visitors = visitors();
        visitors.lookups = TRIAL;
        assert!(visitors.find("GPTBot/1.0").is_some());
        assert!(visitors.known.is_empty());
    }

    #[test]
    fn a_user_agent_of_many_bytes_is_no_agents() {
        assert!(visitors().find(&format!("GPTBot/1.0 {}", "x".repeat(MAX_BYTES))).is_none());
        assert!(visitors().find(&format!("GPTBot{}", "x".repeat(20_000))).is_none());
    }
}
