//! Networks from which a key may be used.

use std::net::IpAddr;

use ipnet::IpNet;

/// Reads a network, or an address as the network of itself.
pub(crate) fn parse(text: &str) -> Result<IpNet, &'static str> {
    let address = || text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
    let network = text.parse::<IpNet>().or_else(|_error| address());
    let network =
        network.map_err(|_error| "give a network such as `192.0.2.0/24`, or an address")?;
    if network.trunc() == network {
        Ok(network)
    } else {
        Err("the address has bits behind the network's prefix; give the first one")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_one_or_an_address() {
        for (text, shown) in [
            ("192.0.2.0/24", "192.0.2.0/24"),
            ("192.0.2.7", "192.0.2.7/32"),
            ("::ffff:192.0.2.7", "192.0.2.7/32"),
            ("2001:db8::/32", "2001:db8::/32"),
            ("0.0.0.0/0", "0.0.0.0/0"),
        ] {
            assert_eq!(parse(text).unwrap().to_string(), shown);
        }
        for text in ["", "example.com", "192.0.2.0/33", "192.0.2.7/24", "192.0.2", "10.0.0.0/8,"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
