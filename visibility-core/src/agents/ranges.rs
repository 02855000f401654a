//! The addresses that operators publish for their agents, and whether a request came from one of them.

mod list;

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};

pub use self::list::RangeListError;
use super::{Agent, Purpose, Registry};

/// For how long a list is used. Operators change theirs every few weeks, and give addresses back.
const MAX_AGE: TimeDelta = TimeDelta::days(45);
/// A list that says that it was fetched later than now by more than this has a clock that is not ours.
const MAX_SKEW: TimeDelta = TimeDelta::days(1);
/// The version of the file with all lists.
const SCHEMA_VERSION: u32 = 1;

/// What one address of the registry has published.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct RangeList {
    /// Where it is published: `ip_ranges_url` of an agent.
    pub source: String,
    /// When it was fetched.
    pub fetched_at: DateTime<Utc>,
    /// When the operator has made it, if the list says so.
    pub published_at: Option<DateTime<Utc>>,
    /// Its networks, in their order.
    pub prefixes: Vec<IpNet>,
}

impl RangeList {
    /// Reads a list as its operator publishes it: JSON with `prefixes`, or a network on each line.
    ///
    /// # Errors
    ///
    /// When it is something else, is empty, or has a part that is no network: agents in that part would be accused.
    pub fn read(
        source: &str,
        fetched_at: DateTime<Utc>,
        body: &[u8],
    ) -> Result<Self, RangeListError> {
        let list::Published { published_at, prefixes } = list::read(body)?;
        Ok(Self { source: source.to_owned(), fetched_at, published_at, prefixes })
    }

    /// Whether it says anything about requests now.
    pub fn is_current(&self, now: DateTime<Utc>) -> bool {
        let age = now - self.fetched_at;
        age <= MAX_AGE && age >= -MAX_SKEW
    }

    /// The agents that it is about.
    pub fn agents(&self) -> impl Iterator<Item = &'static Agent> {
        let of_list = |agent: &&Agent| agent.ip_ranges_url.as_deref() == Some(&self.source);
        Registry::embedded().agents.iter().filter(of_list)
    }
}

/// All lists that were fetched, as they are kept in a file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct AgentRanges {
    /// Sorted by source.
    pub lists: Vec<RangeList>,
}

#[derive(Deserialize, Serialize)]
struct RangeFile<L> {
    schema_version: u32,
    lists: L,
}

/// Why a file of lists cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RangeFileError {
    /// It is no such file.
    #[error("it is no file of address lists: {0}")]
    Json(#[from] serde_json::Error),
    /// A later version of the program has made it.
    #[error("it has schema version {0}, and this program knows {SCHEMA_VERSION}")]
    Version(u32),
    /// A list in it is one that would not have been written.
    #[error("the list of {0}: {1}")]
    List(String, RangeListError),
}

impl AgentRanges {
    /// Reads the file that [`AgentRanges::to_json`] makes.
    ///
    /// # Errors
    ///
    /// When it is another file.
    pub fn from_json(text: &[u8]) -> Result<Self, RangeFileError> {
        let file: RangeFile<Vec<RangeList>> = serde_json::from_slice(text)?;
        if file.schema_version != SCHEMA_VERSION {
            return Err(RangeFileError::Version(file.schema_version));
        }
        let mut ranges = Self::default();
        for list in file.lists {
            list::check(&list.prefixes)
                .map_err(|error| RangeFileError::List(list.source.clone(), error))?;
            ranges.put(list);
        }
        Ok(ranges)
    }

    /// All lists as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!(RangeFile { schema_version: SCHEMA_VERSION, lists: &self.lists })
    }

    /// Adds a list, in place of the one of the same source.
    pub fn put(&mut self, list: RangeList) {
        match self.lists.binary_search_by(|other| other.source.cmp(&list.source)) {
            Ok(at) => {
                if let Some(slot) = self.lists.get_mut(at) {
                    *slot = list;
                }
            }
            Err(at) => self.lists.insert(at, list),
        }
    }

    /// The addresses at which the agents of the registry have lists, sorted, each once.
    pub fn sources() -> Vec<&'static str> {
        let agents = Registry::embedded().agents.iter();
        let mut sources: Vec<_> =
            agents.filter_map(|agent| agent.ip_ranges_url.as_deref()).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }
}

/// Whether a request came from where its agent's operator has its machines.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Identity {
    /// The address is in the list of the agent.
    Verified,
    /// It is in no list of the operator, which has a complete one.
    Impostor,
    /// Nothing can be said.
    Unchecked,
}

/// Compares addresses with lists, as of a time.
#[derive(Clone, Debug)]
pub struct IdentityCheck {
    /// Lists that are current.
    lists: Vec<CurrentList>,
    /// The list of each agent of the registry.
    by_agent: Vec<Option<usize>>,
}

#[derive(Clone, Debug)]
struct CurrentList {
    vendor: String,
    /// Requests before this may have come from addresses that are not in the list any more.
    complete_since_millis: i64,
    /// First and last address of each network, which do not overlap.
    v4: Vec<(u32, u32)>,
    v6: Vec<(u128, u128)>,
}

impl CurrentList {
    fn new(list: &RangeList) -> Self {
        let vendor = list.agents().next().map(|agent| agent.vendor.clone()).unwrap_or_default();
        let (mut v4, mut v6) = (Vec::new(), Vec::new());
        for network in IpNet::aggregate(&list.prefixes) {
            match network {
                IpNet::V4(net) => v4.push((net.network().to_bits(), net.broadcast().to_bits())),
                IpNet::V6(net) => v6.push((net.network().to_bits(), net.broadcast().to_bits())),
            }
        }
        v4.sort_unstable();
        v6.sort_unstable();
        let complete_since_millis = (list.fetched_at - MAX_AGE).timestamp_millis();
        Self { vendor, complete_since_millis, v4, v6 }
    }

    fn contains(&self, address: IpAddr) -> bool {
        match address {
            IpAddr::V4(address) => is_within(&self.v4, address.to_bits()),
            IpAddr::V6(address) => is_within(&self.v6, address.to_bits()),
        }
    }
}

fn is_within<T: Copy + Ord>(networks: &[(T, T)], address: T) -> bool {
    let behind = networks.partition_point(|(first, _)| *first <= address);
    behind.checked_sub(1).and_then(|at| networks.get(at)).is_some_and(|(_, last)| address <= *last)
}

impl IdentityCheck {
    /// A check with the lists that are current at a time.
    pub fn new(ranges: &AgentRanges, now: DateTime<Utc>) -> Self {
        let current: Vec<_> = ranges.lists.iter().filter(|list| list.is_current(now)).collect();
        let of_agent = |agent: &Agent| {
            let url = agent.ip_ranges_url.as_deref()?;
            current.iter().position(|list| list.source == url)
        };
        let by_agent = Registry::embedded().agents.iter().map(of_agent).collect();
        Self { lists: current.into_iter().map(CurrentList::new).collect(), by_agent }
    }

    /// What the address of a request says about the agent with a number in the registry. The address is the client's, and
    /// no doubt is left about it.
    pub fn check(&self, agent_index: u16, address: IpAddr, time_millis: i64) -> Identity {
        let list = self.by_agent.get(usize::from(agent_index)).copied().flatten();
        let Some(list) = list.and_then(|at| self.lists.get(at)) else { return Identity::Unchecked };
        if list.contains(address) {
            return Identity::Verified;
        }
        let agent = Registry::embedded().agents.get(usize::from(agent_index));
        // What a person has asked for may come from that person's own machine.
        let has_complete_list = agent.is_some_and(|agent| agent.purpose != Purpose::User);
        let is_of_same_vendor = || {
            self.lists.iter().any(|other| other.vendor == list.vendor && other.contains(address))
        };
        if !has_complete_list || time_millis < list.complete_since_millis || is_of_same_vendor() {
            return Identity::Unchecked;
        }
        Identity::Impostor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPTBOT: &str = "https://openai.com/gptbot.json";
    const SEARCHBOT: &str = "https://openai.com/searchbot.json";
    const CHATGPT_USER: &str = "https://openai.com/chatgpt-user.json";

    fn at(text: &str) -> DateTime<Utc> {
        DateTime::parse_from_rfc3339(text).unwrap().to_utc()
    }

    fn list(source: &str, fetched_at: &str, prefixes: &[&str]) -> RangeList {
        RangeList::read(source, at(fetched_at), prefixes.join("\n").as_bytes()).unwrap()
    }

    fn number(id: &str) -> u16 {
        let agents = &Registry::embedded().agents;
        agents.iter().position(|agent| agent.id == id).unwrap().try_into().unwrap()
    }

    #[test]
    fn an_address_is_in_the_list_or_is_not() {
        let mut ranges = AgentRanges::default();
        let fetched = "2026-11-20T00:00:00Z";
        ranges.put(list(GPTBOT, fetched, &["192.0.2.0/28", "192.0.2.64/26", "2001:db8:1::/48"]));
        ranges.put(list(SEARCHBOT, fetched, &["198.51.100.7"]));
        ranges.put(list(CHATGPT_USER, fetched, &["203.0.113.0/24"]));
        let check = IdentityCheck::new(&ranges, at("2026-11-21T00:00:00Z"));
        let time = at("2026-11-20T12:00:00Z").timestamp_millis();
        for (agent, address, expected) in [
            ("openai-gptbot", "192.0.2.0", Identity::Verified),
            ("openai-gptbot", "192.0.2.15", Identity::Verified),
            ("openai-gptbot", "192.0.2.16", Identity::Impostor),
            ("openai-gptbot", "192.0.2.63", Identity::Impostor),
            ("openai-gptbot", "192.0.2.127", Identity::Verified),
            ("openai-gptbot", "192.0.1.255", Identity::Impostor),
            ("openai-gptbot", "2001:db8:1:ffff::1", Identity::Verified),
            ("openai-gptbot", "2001:db8:2::1", Identity::Impostor),
            // OpenAI's, but another agent's.
            ("openai-gptbot", "198.51.100.7", Identity::Unchecked),
            ("openai-oai-searchbot", "198.51.100.7", Identity::Verified),
            ("openai-oai-searchbot", "198.51.100.8", Identity::Impostor),
            ("openai-chatgpt-user", "203.0.113.9", Identity::Verified),
            // May act on the machine of a person.
            ("openai-chatgpt-user", "192.0.3.1", Identity::Unchecked),
            // No list.
            ("anthropic-claudebot", "192.0.2.1", Identity::Unchecked),
        ] {
            let found = check.check(number(agent), address.parse().unwrap(), time);
            assert_eq!(found, expected, "{agent} {address}");
        }
        let long_ago = at("2026-09-01T00:00:00Z").timestamp_millis();
        let stranger = "192.0.9.9".parse().unwrap();
        assert_eq!(check.check(number("openai-gptbot"), stranger, long_ago), Identity::Unchecked);
    }

    #[test]
    fn a_list_is_used_for_45_days() {
        let ranges =
            AgentRanges { lists: vec![list(GPTBOT, "2026-10-01T00:00:00Z", &["192.0.2.0/24"])] };
        for (now, expected) in [
            ("2026-11-15T00:00:00Z", Identity::Verified),
            ("2026-11-15T00:00:01Z", Identity::Unchecked),
            ("2027-10-01T00:00:00Z", Identity::Unchecked),
            ("2026-09-30T12:00:00Z", Identity::Verified),
            ("2026-09-01T00:00:00Z", Identity::Unchecked),
        ] {
            let check = IdentityCheck::new(&ranges, at(now));
            let address = "192.0.2.9".parse().unwrap();
            let found = check.check(number("openai-gptbot"), address, at(now).timestamp_millis());
            assert_eq!(found, expected, "{now}");
        }
    }

    #[test]
    fn a_file_of_lists_is_read_back() {
        let mut ranges = AgentRanges::default();
        ranges.put(list(SEARCHBOT, "2026-11-20T00:00:00Z", &["198.51.100.7/32"]));
        ranges.put(list(GPTBOT, "2026-11-20T00:00:00Z", &["192.0.2.0/28"]));
        ranges.put(list(GPTBOT, "2026-11-21T00:00:00Z", &["192.0.2.0/27", "2001:db8::/32"]));
        assert_eq!((ranges.lists.len(), ranges.lists[0].source.as_str()), (2, GPTBOT));
        let text = ranges.to_json().to_string();
        assert_eq!(AgentRanges::from_json(text.as_bytes()).unwrap(), ranges);
        for bad in
            ["", "{}", "[]", &text.replace("1,", "2,"), &text.replace("192.0.2.0/27", "0.0.0.0/0")]
        {
            if *bad != *text {
                assert!(AgentRanges::from_json(bad.as_bytes()).is_err(), "{bad}");
            }
        }
        assert!(AgentRanges::sources().len() >= 20);
        assert!(AgentRanges::sources().contains(&GPTBOT));
    }
}
