//! Whether a request came from the operator of the agent that it names.

use std::net::IpAddr;

use ipnet::IpNet;

use super::client::{Client, address, client};
use super::entry::LogEntry;
use crate::agents::ranges::{Identity, IdentityCheck};

/// Compares the client of a request with the list of its agent. Wherever there is a doubt about the client, nothing is said
/// against it.
pub(super) fn identity(
    check: &IdentityCheck,
    agent_index: u16,
    entry: &LogEntry<'_>,
    proxies: &[IpNet],
) -> Identity {
    let client = client(entry.peer.as_deref(), entry.forwarded_for.as_deref(), proxies);
    let Client::Address(client) = client else { return Identity::Unchecked };
    if is_shortened(client) || is_local(client) || is_within(client, proxies) {
        return Identity::Unchecked;
    }
    match check.check(agent_index, client, entry.time_millis) {
        // A proxy that is not named may stand before the server: then it is the proxy's address that is in no list.
        Identity::Impostor if is_forwarded(entry, proxies) => Identity::Unchecked,
        found => found,
    }
}

fn is_within(address: IpAddr, networks: &[IpNet]) -> bool {
    networks.iter().any(|network| network.contains(&address))
}

/// Whether something has forwarded the request that is not trusted.
fn is_forwarded(entry: &LogEntry<'_>, proxies: &[IpNet]) -> bool {
    let peer = entry.peer.as_deref().and_then(address);
    let has_list = entry.forwarded_for.as_deref().is_some_and(|list| !matches!(list, "" | "-"));
    has_list && !peer.is_some_and(|peer| is_within(peer, proxies))
}

/// Whether the end of an address was cut off for privacy: it ends in zeros, as few real ones do.
fn is_shortened(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets()[3] == 0,
        IpAddr::V6(address) => address.to_bits().trailing_zeros() >= 64,
    }
}

/// Whether an address is of no machine in the Internet: it is a proxy's, or that of a test.
fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            // RFC 6598: what providers use between them and their customers.
            let is_shared = first == 100 && (64..128).contains(&second);
            address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || first == 0
                || is_shared
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use chrono::DateTime;

    use super::*;
    use crate::agents::Registry;
    use crate::agents::ranges::{AgentRanges, RangeList};

    fn found(peer: &str, forwarded_for: Option<&str>, proxies: &[&str]) -> Identity {
        let now = DateTime::parse_from_rfc3339("2026-11-20T00:00:00Z").unwrap().to_utc();
        let networks = b"198.51.100.0/24\n2001:db8:1::/48\n10.9.0.0/16";
        let list = RangeList::read("https://openai.com/gptbot.json", now, networks).unwrap();
        let check = IdentityCheck::new(&AgentRanges { lists: vec![list] }, now);
        let agents = &Registry::embedded().agents;
        let gptbot = agents.iter().position(|agent| agent.id == "openai-gptbot").unwrap();
        let entry = LogEntry {
            time_millis: now.timestamp_millis(),
            peer: Some(Cow::Borrowed(peer)),
            forwarded_for: forwarded_for.map(Cow::Borrowed),
            ..LogEntry::default()
        };
        let proxies: Vec<IpNet> = proxies.iter().map(|net| net.parse().unwrap()).collect();
        identity(&check, u16::try_from(gptbot).unwrap(), &entry, &proxies)
    }

    #[test]
    fn only_what_is_certain_is_said() {
        let proxy = &["10.0.0.0/8"][..];
        for (peer, forwarded_for, proxies, expected) in [
            ("198.51.100.7", None, &[][..], Identity::Verified),
            ("::ffff:198.51.100.7", None, &[], Identity::Verified),
            ("[2001:db8:1::7]:443", None, &[], Identity::Verified),
            ("203.0.113.9", None, &[], Identity::Impostor),
            ("203.0.113.9", Some("-"), &[], Identity::Impostor),
            ("2001:db8:2::7", None, &[], Identity::Impostor),
            // Shortened, local, a name, nothing.
            ("203.0.113.0", None, &[], Identity::Unchecked),
            ("198.51.100.0", None, &[], Identity::Unchecked),
            ("0.0.0.0", None, &[], Identity::Unchecked),
            ("2001:db8:2::", None, &[], Identity::Unchecked),
            ("10.0.0.7", None, &[], Identity::Unchecked),
            ("10.9.0.7", None, &[], Identity::Unchecked),
            ("127.0.0.1", None, &[], Identity::Unchecked),
            ("100.64.0.9", None, &[], Identity::Unchecked),
            ("fd00::7", None, &[], Identity::Unchecked),
            ("203.0.113.xxx", None, &[], Identity::Unchecked),
            ("crawl.example.com", None, &[], Identity::Unchecked),
            ("", None, &[], Identity::Unchecked),
            // A proxy that is trusted, and one that is not.
            ("10.0.0.7", Some("198.51.100.7"), proxy, Identity::Verified),
            ("10.0.0.7", Some("203.0.113.9"), proxy, Identity::Impostor),
            ("10.0.0.7", Some("198.51.100.7, 203.0.113.9"), proxy, Identity::Impostor),
            ("10.0.0.7", None, proxy, Identity::Unchecked),
            ("10.0.0.7", Some("unknown"), proxy, Identity::Unchecked),
            ("10.0.0.7", Some("198.51.100.7"), &[], Identity::Unchecked),
            ("203.0.113.9", Some("198.51.100.7"), proxy, Identity::Unchecked),
            ("198.51.100.7", Some("203.0.113.9"), &[], Identity::Verified),
        ] {
            let found = found(peer, forwarded_for, proxies);
            assert_eq!(found, expected, "{peer} {forwarded_for:?} {proxies:?}");
        }
    }
}
