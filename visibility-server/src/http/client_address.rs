//! The address of a client, also behind reverse proxies.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName};
use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// Where a proxy notes whom it has forwarded; each adds to the end.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Addresses in `X-Forwarded-For` that are looked at.
const MAX_HOPS: usize = 64;

/// The address that a request comes from: the peer, or if that is a trusted proxy, the last address in
/// `X-Forwarded-For` that is not a trusted proxy. The peer if anything but addresses is among those that
/// are looked at.
///
/// Whatever a client writes there itself comes before what the proxies add, and is ignored.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let peer = peer.to_canonical();
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(&address));
    let mut client = peer;
    let fields: Vec<_> = headers.get_all(X_FORWARDED_FOR).iter().collect();
    let hops = fields.into_iter().rev().flat_map(|field| field.as_bytes().rsplit(|o| *o == b','));
    for hop in hops.take(MAX_HOPS) {
        if !is_trusted(client) {
            break;
        }
        match address(hop) {
            Some(address) => client = address,
            None => return peer,
        }
    }
    client
}

fn address(hop: &[u8]) -> Option<IpAddr> {
    let address: IpAddr = str::from_utf8(hop).ok()?.trim_matches([' ', '\t']).parse().ok()?;
    Some(address.to_canonical())
}

/// The network of an address that may be kept: its /24, or its /48 of IPv6.
pub(crate) fn network_of(address: IpAddr) -> IpNet {
    let network = match address.to_canonical() {
        IpAddr::V4(address) => IpNet::V4(Ipv4Net::new_assert(address, 24)),
        IpAddr::V6(address) => IpNet::V6(Ipv6Net::new_assert(address, 48)),
    };
    network.trunc()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn client(peer: &str, fields: &[&'static str]) -> String {
        let trusted = ["127.0.0.0/8", "10.0.0.0/8", "fd00::/8"].map(|text| text.parse().unwrap());
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_static(field));
        }
        client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn a_peer_that_is_not_a_proxy_is_the_client_whatever_it_says() {
        assert_eq!(client("192.0.2.1", &[]), "192.0.2.1");
        assert_eq!(client("192.0.2.1", &["10.0.0.1"]), "192.0.2.1");
        assert_eq!(client("192.0.2.1", &["198.51.100.7, 10.0.0.1"]), "192.0.2.1");
    }

    #[test]
    fn the_last_address_that_is_not_a_proxy_is_the_client() {
        for (fields, expected) in [
            (&["192.0.2.9"][..], "192.0.2.9"),
            (&["198.51.100.7, 192.0.2.9"], "192.0.2.9"),
            (&["10.1.1.1, 192.0.2.9 ,\t10.0.0.2"], "192.0.2.9"),
            (&["192.0.2.9", "10.0.0.2"], "192.0.2.9"),
            (&["192.0.2.9,10.0.0.3", "10.0.0.2"], "192.0.2.9"),
            (&["nonsense, 192.0.2.9, 10.0.0.2"], "192.0.2.9"),
            (&["2001:db8::1"], "2001:db8::1"),
            (&["2001:db8::1, fd00::2"], "2001:db8::1"),
            (&["::ffff:192.0.2.9"], "192.0.2.9"),
            // Only proxies: the farthest of them.
            (&["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            (&[], "127.0.0.1"),
        ] {
            assert_eq!(client("127.0.0.1", fields), expected, "{fields:?}");
        }
        assert_eq!(client("::ffff:10.0.0.1", &["192.0.2.9"]), "192.0.2.9");
    }

    #[test]
    fn what_is_no_address_leaves_the_peer() {
        for field in ["", "unknown", "192.0.2.9:80", "192.0.2.9,", "192.0.2.9,,10.0.0.2", "[::1]"] {
            assert_eq!(client("127.0.0.1", &[field]), "127.0.0.1", "{field}");
        }
    }

    #[test]
    fn any_number_of_hops_is_read_to_a_bound() {
        let long: &'static str = "10.0.0.1,".repeat(MAX_HOPS + 1).leak();
        let long: &'static str = format!("192.0.2.9,{}", long.trim_end_matches(',')).leak();
        assert_eq!(client("127.0.0.1", &[long]), "10.0.0.1");
    }

    #[test]
    fn of_an_address_its_network_is_kept() {
        for (address, network) in [
            ("192.0.2.255", "192.0.2.0/24"),
            ("::ffff:192.0.2.255", "192.0.2.0/24"),
            ("2001:db8:1:2:3::4", "2001:db8:1::/48"),
        ] {
            assert_eq!(network_of(address.parse().unwrap()).to_string(), network);
        }
    }
}
