//! Identifies anonymous clients by keyed hashes of their addresses.

use std::net::{IpAddr, Ipv6Addr};

use sha2::{Digest as _, Sha256};
use visibility_core::store::StoreError;

use super::subject::Subject;
use crate::stores::state::StateStore;

/// Bytes of a hash that are kept.
const HASH_BYTES: usize = 16;
/// The bits of an IPv6 address that one client has: its /64.
const NETWORK: u128 = !0 << 64;

/// The secret key of the hashes, without which an address cannot be found from its hash.
pub(crate) struct AddressKey([u8; 32]);

impl AddressKey {
    /// The key of a database, which is made if it has none.
    ///
    /// # Errors
    ///
    /// When the database fails, or the operating system gives no random numbers.
    pub(crate) fn load_or_create(state_store: &StateStore) -> Result<Self, StoreError> {
        state_store.secret("addresses").map(Self)
    }

    /// Whom limits count for an address: the address, or its /64 of IPv6.
    pub(crate) fn subject(&self, address: IpAddr) -> Subject {
        let bits = match network(address) {
            IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
            IpAddr::V6(address) => address.to_bits(),
        };
        // All parts have one length, so that the bytes are those of one key and one address alone.
        let digest = Sha256::new().chain_update(self.0).chain_update(bits.to_be_bytes()).finalize();
        let hash: String =
            digest.iter().take(HASH_BYTES).map(|byte| format!("{byte:02x}")).collect();
        Subject::anonymous(format!("address/{hash}"))
    }
}

/// What counts as one for limits: an address of IPv4, or the first of a /64 of IPv6.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & NETWORK).into(),
        address @ IpAddr::V4(_) => address,
    }
}

impl std::fmt::Debug for AddressKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("AddressKey").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::limiter::subject::SubjectKind;

    fn subject(key: u8, address: &str) -> Subject {
        AddressKey([key; 32]).subject(address.parse().unwrap())
    }

    #[test]
    fn a_client_is_its_address_or_its_network() {
        for (one, other, are_same) in [
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.1", "::ffff:192.0.2.1", true),
            ("2001:db8:1:2::3", "2001:db8:1:2:ffff::4", true),
            ("2001:db8:1:2::3", "2001:db8:1:3::3", false),
            ("::1", "0.0.0.0", false),
        ] {
            assert_eq!(subject(1, one) == subject(1, other), are_same, "{one} {other}");
        }
    }

    #[test]
    fn a_subject_tells_nothing_of_the_address_without_the_key() {
        let found = subject(1, "192.0.2.1");
        assert_ne!(found, subject(2, "192.0.2.1"));
        assert_eq!(found.as_str().len(), "address/".len() + 2 * HASH_BYTES);
        assert!(!found.as_str().contains("192") && found.kind() == SubjectKind::Address);
        assert!(!format!("{:?}", AddressKey([7; 32])).contains('7'));
    }
}
