//! The arguments of `keys`.

use std::net::IpAddr;

use clap::{Args, Subcommand};
use ipnet::IpNet;
use visibility_core::accounts::api_key::{KeyId, KeyName};
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;

use super::{DurationArg, FormatArgs, overlap, time_span};

const CREATE_HELP: &str = "\
The key alone goes to standard output. It is shown this once: the database keeps its SHA-256.

Examples:
  KEY=$(visibility-server keys create acme)
  visibility-server keys create acme --name ci --expires-in 90 --allow 192.0.2.0/24";

const ROTATE_HELP: &str = "\
The successor has the tenant, the name, the scopes, the networks and the lifetime of the key, and \
shares its limits. At most two keys of one name are active at a time.

Examples:
  visibility-server keys rotate key_01a1fe4747bf7280b1c22ae458fe527e
  visibility-server keys rotate key_01a1fe4747bf7280b1c22ae458fe527e --overlap 0";

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Makes an API key, and shows it this once
    #[command(after_help = CREATE_HELP)]
    Create(CreateKeyArgs),
    /// Makes the successor of a key, which works on for the overlap
    #[command(after_help = ROTATE_HELP)]
    Rotate {
        /// Id of the key, as `keys list` shows it
        id: KeyId,
        /// How long the old key works on: days, or `12h`, `30m`, `90s`; 0 ends it now
        #[arg(long, value_name = "DAYS", value_parser = time_span, default_value_t = overlap())]
        overlap: DurationArg,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Lists the keys of one tenant or of all, without the keys themselves
    List {
        /// Whose keys
        tenant: Option<TenantSlug>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Makes a key invalid: at once, for a service that runs within a second
    Revoke {
        /// Id of the key, as `keys list` shows it
        id: KeyId,
        #[command(flatten)]
        format: FormatArgs,
    },
}

#[derive(Args, Debug)]
pub(crate) struct CreateKeyArgs {
    /// Whose key
    pub(crate) tenant: TenantSlug,
    /// What it is called; a key and its successors have one name, and share their limits
    #[arg(long, default_value = "default")]
    pub(crate) name: KeyName,
    /// What it may be used for: `scan:read`, `audit:read` or `logs:read`; can be repeated
    #[arg(long, value_name = "SCOPE", default_value = "scan:read")]
    pub(crate) scope: Vec<Scope>,
    /// How long it works: days, or `12h`, `30m`, `90s`; without it until it is revoked
    #[arg(long, value_name = "DAYS", value_parser = time_span)]
    pub(crate) expires_in: Option<DurationArg>,
    /// A network from which it may be used, such as `192.0.2.0/24`; can be repeated; anywhere without it
    #[arg(long, value_name = "CIDR", value_parser = network)]
    pub(crate) allow: Vec<IpNet>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Reads a network, or an address as the network of itself.
fn network(text: &str) -> Result<IpNet, &'static str> {
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
            assert_eq!(network(text).unwrap().to_string(), shown);
        }
        for text in ["", "example.com", "192.0.2.0/33", "192.0.2.7/24", "192.0.2", "10.0.0.0/8,"] {
            assert!(network(text).is_err(), "{text}");
        }
    }
}
