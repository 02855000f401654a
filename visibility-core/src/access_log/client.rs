//! Whose request it was, behind the proxies that are trusted.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

/// Who sent a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Client<'a> {
    Address(IpAddr),
    /// A name that the server has looked up, or something else in place of an address.
    Name(&'a str),
    Unknown,
}

/// The client of a connection: the right-most address that is not a trusted proxy's. Without proxies it is who connected,
/// since others may have written anything into the forwarded list.
pub(super) fn client<'a>(
    peer: Option<&'a str>,
    forwarded_for: Option<&str>,
    proxies: &[IpNet],
) -> Client<'a> {
    let Some(peer) = peer.filter(|peer| !peer.is_empty()) else { return Client::Unknown };
    let Some(mut address) = address(peer) else { return Client::Name(peer) };
    let is_proxy = |address: IpAddr| proxies.iter().any(|proxy| proxy.contains(&address));
    if !is_proxy(address) {
        return Client::Address(address);
    }
    for hop in forwarded_for.unwrap_or_default().rsplit(',') {
        let Some(before) = self::address(hop.trim()) else { break };
        address = before;
        if !is_proxy(address) {
            break;
        }
    }
    Client::Address(address)
}

/// An address, with or without brackets, port and zone.
pub(super) fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').map_or(text, |rest| rest.split(']').next().unwrap_or(rest));
    let bare = bare.split('%').next().unwrap_or(bare);
    let found =
        bare.parse().ok().or_else(|| bare.parse().ok().map(|socket: SocketAddr| socket.ip()));
    found.map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(peer: &str, forwarded_for: &str, proxies: &[&str]) -> String {
        let proxies: Vec<IpNet> = proxies.iter().map(|net| net.parse().unwrap()).collect();
        match client(Some(peer), Some(forwarded_for), &proxies) {
            Client::Address(address) => address.to_string(),
            Client::Name(name) => name.to_owned(),
            Client::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn the_right_most_address_that_is_no_proxy_is_the_client() {
        let proxies = ["10.0.0.0/8", "2001:db8::/32"];
        for (peer, forwarded_for, expected) in [
            ("203.0.113.9", "198.51.100.4", "203.0.113.9"),
            ("10.0.0.7", "198.51.100.4, 10.0.0.3", "198.51.100.4"),
            ("10.0.0.7", "192.0.2.1, 198.51.100.4", "198.51.100.4"),
            ("10.0.0.7", "10.0.0.9, 10.0.0.3", "10.0.0.9"),
            ("10.0.0.7", "", "10.0.0.7"),
            ("10.0.0.7", "unknown, 10.0.0.3", "10.0.0.3"),
            ("10.0.0.7", "[2001:db9::1]:443", "2001:db9::1"),
            ("::ffff:10.0.0.7", "198.51.100.4:5000", "198.51.100.4"),
            ("::ffff:203.0.113.9", "", "203.0.113.9"),
            ("fe80::1%eth0", "", "fe80::1"),
            ("crawler.example.com", "198.51.100.4", "crawler.example.com"),
            ("", "198.51.100.4", "unknown"),
        ] {
            assert_eq!(found(peer, forwarded_for, &proxies), expected, "{peer} {forwarded_for}");
        }
        assert_eq!(found("10.0.0.7", "198.51.100.4", &[]), "10.0.0.7");
    }
}
