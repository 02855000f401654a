//! Which addresses are public.
//!
//! By the special-purpose registries of IANA for
//! [IPv4](https://www.iana.org/assignments/iana-ipv4-special-registry) and
//! [IPv6](https://www.iana.org/assignments/iana-ipv6-special-registry). IPv4 refuses a list of
//! blocks. IPv6 allows one block and refuses parts of it: whatever embeds an IPv4 address, or is
//! not allocated, lies outside, and no embedded address is ever taken out and looked at.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// Whether an address is a global unicast one that strangers' names may lead to.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !DENIED_V4.iter().any(|block| block.contains(&address)),
        IpAddr::V6(address) => {
            GLOBAL_V6.contains(&address) && !DENIED_V6.iter().any(|block| block.contains(&address))
        }
    }
}

const DENIED_V4: [Ipv4Net; 16] = [
    v4([0, 0, 0, 0], 8),        // this network; Linux connects 0.0.0.0 to itself
    v4([10, 0, 0, 0], 8),       // private
    v4([100, 64, 0, 0], 10),    // shared, carrier-grade NAT
    v4([127, 0, 0, 0], 8),      // loopback
    v4([168, 63, 129, 16], 32), // platform endpoint of Azure, inside a public block
    v4([169, 254, 0, 0], 16),   // link-local, metadata of clouds
    v4([172, 16, 0, 0], 12),    // private
    v4([192, 0, 0, 0], 24),     // protocol assignments
    v4([192, 0, 2, 0], 24),     // documentation
    v4([192, 88, 99, 0], 24),   // 6to4 relays, deprecated
    v4([192, 168, 0, 0], 16),   // private
    v4([198, 18, 0, 0], 15),    // benchmarks
    v4([198, 51, 100, 0], 24),  // documentation
    v4([203, 0, 113, 0], 24),   // documentation
    v4([224, 0, 0, 0], 4),      // multicast
    v4([240, 0, 0, 0], 4),      // reserved, broadcast
];

/// The only block from which global unicast addresses have been allocated.
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0], 3);

const DENIED_V6: [Ipv6Net; 4] = [
    v6([0x2001, 0], 23),     // protocol assignments: Teredo, benchmarks, ORCHID
    v6([0x2001, 0xdb8], 32), // documentation
    v6([0x2002, 0], 16),     // 6to4, embeds IPv4
    v6([0x3fff, 0], 20),     // documentation
];

const fn v4(bytes: [u8; 4], length: u8) -> Ipv4Net {
    let [a, b, c, d] = bytes;
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6(start: [u16; 2], length: u8) -> Ipv6Net {
    let [a, b] = start;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0), length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn public(text: &str) -> bool {
        is_public(text.parse().unwrap_or_else(|error| panic!("{text}: {error}")))
    }

    #[test]
    fn every_vector_gets_its_answer() {
        let file: Value =
            serde_json::from_str(include_str!("../../../testdata/ip_vectors.json")).unwrap();
        let vectors = file["vectors"].as_array().unwrap();
        assert!(vectors.len() > 60, "{}", vectors.len());
        for vector in vectors {
            let expected = vector["expect"] == "allow";
            assert_eq!(public(vector["ip"].as_str().unwrap()), expected, "{vector}");
        }
    }

    /// First and last address of each block that is refused, and whether the neighbors outside are
    /// public: below, above.
    #[test]
    fn each_block_is_refused_to_its_edges_and_no_further() {
        for (first, last, below, above) in [
            ("0.0.0.0", "0.255.255.255", None, Some("1.0.0.0")),
            ("10.0.0.0", "10.255.255.255", Some("9.255.255.255"), Some("11.0.0.0")),
            ("100.64.0.0", "100.127.255.255", Some("100.63.255.255"), Some("100.128.0.0")),
            ("127.0.0.0", "127.255.255.255", Some("126.255.255.255"), Some("128.0.0.0")),
            ("168.63.129.16", "168.63.129.16", Some("168.63.129.15"), Some("168.63.129.17")),
            ("169.254.0.0", "169.254.255.255", Some("169.253.255.255"), Some("169.255.0.0")),
            ("172.16.0.0", "172.31.255.255", Some("172.15.255.255"), Some("172.32.0.0")),
            ("192.0.0.0", "192.0.0.255", Some("191.255.255.255"), Some("192.0.1.0")),
            ("192.0.2.0", "192.0.2.255", Some("192.0.1.255"), Some("192.0.3.0")),
            ("192.88.99.0", "192.88.99.255", Some("192.88.98.255"), Some("192.88.100.0")),
            ("192.168.0.0", "192.168.255.255", Some("192.167.255.255"), Some("192.169.0.0")),
            ("198.18.0.0", "198.19.255.255", Some("198.17.255.255"), Some("198.20.0.0")),
            ("198.51.100.0", "198.51.100.255", Some("198.51.99.255"), Some("198.51.101.0")),
            ("203.0.113.0", "203.0.113.255", Some("203.0.112.255"), Some("203.0.114.0")),
            ("224.0.0.0", "255.255.255.255", Some("223.255.255.255"), None),
            ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", None, Some("2000::")),
            (
                "2001::",
                "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
                Some("2000:ffff::"),
                Some("2001:200::"),
            ),
            (
                "2001:db8::",
                "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
                Some("2001:db7:ffff::"),
                Some("2001:db9::"),
            ),
            (
                "2002::",
                "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                Some("2001:ffff::"),
                Some("2003::"),
            ),
            (
                "3fff::",
                "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
                Some("3ffe:ffff::"),
                Some("3fff:1000::"),
            ),
            (
                "4000::",
                "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                Some("3fff:ffff:ffff:ffff::"),
                None,
            ),
        ] {
            assert!(!public(first), "{first}");
            assert!(!public(last), "{last}");
            assert!(below.is_none_or(public), "{below:?}");
            assert!(above.is_none_or(public), "{above:?}");
        }
    }

    #[test]
    fn no_form_that_embeds_ipv4_is_public_whatever_it_embeds() {
        for prefix in ["::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::", "2002:", "2001:0:"]
        {
            for embedded in ["0808:0808", "7f00:1", "a9fe:a9fe"] {
                let tail =
                    if prefix.ends_with("::") || prefix.contains("ffff") { "" } else { "::" };
                assert!(!public(&format!("{prefix}{embedded}{tail}")), "{prefix}{embedded}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_the_standard_library_calls_local_is_never_public(bits in any::<u32>(), six in any::<u128>()) {
            let four = Ipv4Addr::from_bits(bits);
            if four.is_private() || four.is_loopback() || four.is_link_local() || four.is_multicast()
                || four.is_broadcast() || four.is_documentation() || four.is_unspecified()
            {
                prop_assert!(!is_public(four.into()));
            }
            prop_assert!(!is_public(four.to_ipv6_mapped().into()));
            let six = Ipv6Addr::from_bits(six);
            if six.is_unique_local() || six.is_unicast_link_local() || six.is_multicast() {
                prop_assert!(!is_public(six.into()));
            }
        }
    }
}
