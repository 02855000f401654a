//! Addresses as keyed hashes, so that no address leaves the machine.
//!
//! A key is made for each period from the key of the source, so that the same client has another hash in another period:
//!
//! ```text
//! k    = HMAC-SHA256(key, "visibility/ip/v1|" + period)     period: "day:2026-11-20", or "90d:230"
//! hash = HMAC-SHA256(k, address), 64 hexadecimal digits
//! ```
//!
//! `230` is the number of whole spans of 90 days since 1970. The period is that of the record's own time, so a log that is
//! read twice gives the same records twice.

use std::fmt;

use chrono::DateTime;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::client::Client;

/// Bytes that a key has at least. Our choice: 128 bits.
pub const MIN_KEY_BYTES: usize = 16;

const MILLIS_PER_DAY: i64 = 24 * 60 * 60 * 1_000;
const HEX: &[u8; 16] = b"0123456789abcdef";

/// The secret that addresses are hashed with. It is not shown.
#[derive(Clone)]
pub struct HashKey(Box<[u8]>);

/// A key has too few bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the key has {0} bytes, and needs {MIN_KEY_BYTES} at least")]
pub struct ShortKey(usize);

impl HashKey {
    /// A key, for example the content of a file. A line end behind it is not a part of it.
    ///
    /// # Errors
    ///
    /// When it is shorter than [`MIN_KEY_BYTES`].
    pub fn new(bytes: &[u8]) -> Result<Self, ShortKey> {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if bytes.len() < MIN_KEY_BYTES {
            return Err(ShortKey(bytes.len()));
        }
        Ok(Self(bytes.into()))
    }
}

impl fmt::Debug for HashKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HashKey(..)")
    }
}

/// For how long an address has the same hash.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum HashPeriod {
    /// As long as records are kept.
    #[default]
    NinetyDays,
    /// A day, UTC.
    Day,
}

impl HashPeriod {
    /// The number of the period of a time, in milliseconds since 1970.
    fn number(self, millis: i64) -> i64 {
        let day = millis.div_euclid(MILLIS_PER_DAY);
        match self {
            Self::NinetyDays => day.div_euclid(90),
            Self::Day => day,
        }
    }

    fn name(self, number: i64) -> String {
        match self {
            Self::NinetyDays => format!("90d:{number}"),
            Self::Day => {
                let day = DateTime::from_timestamp_millis(number.saturating_mul(MILLIS_PER_DAY));
                format!("day:{}", day.unwrap_or_default().format("%Y-%m-%d"))
            }
        }
    }
}

/// Hashes addresses.
#[derive(Clone, Debug)]
pub(super) struct IpHasher {
    key: HashKey,
    period: HashPeriod,
    /// Whether the addresses of a network of 64 bits have the same hash.
    joins_ipv6_networks: bool,
    /// The key of the period that was used last.
    derived: Option<(i64, Hmac<Sha256>)>,
}

impl IpHasher {
    pub(super) fn new(key: HashKey, period: HashPeriod, joins_ipv6_networks: bool) -> Self {
        Self { key, period, joins_ipv6_networks, derived: None }
    }

    /// The hash of a client at a time, as 64 digits.
    pub(super) fn hash(&mut self, client: &Client<'_>, millis: i64) -> String {
        let text = match client {
            Client::Address(address) => match address {
                std::net::IpAddr::V6(v6) if self.joins_ipv6_networks => {
                    let network = v6.to_bits() >> 64 << 64;
                    format!("{}/64", std::net::Ipv6Addr::from_bits(network))
                }
                address => address.to_string(),
            },
            Client::Name(name) => name.to_lowercase(),
            Client::Unknown => "unknown".to_owned(),
        };
        let mut mac = self.key_at(millis);
        mac.update(text.as_bytes());
        hex(&mac.finalize().into_bytes())
    }

    fn key_at(&mut self, millis: i64) -> Hmac<Sha256> {
        let number = self.period.number(millis);
        if let Some((derived, mac)) = &self.derived
            && *derived == number
        {
            return mac.clone();
        }
        let mut mac = keyed(&self.key.0);
        mac.update(b"visibility/ip/v1|");
        mac.update(self.period.name(number).as_bytes());
        let derived = keyed(&mac.finalize().into_bytes());
        self.derived = Some((number, derived.clone()));
        derived
    }
}

#[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("a key of any length")
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(HEX.get(usize::from(value)).copied().unwrap_or(b'0'));
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &[u8] = b"visibility-test-key";
    /// 2026-11-20T23:20:36Z.
    const TIME: i64 = 1_795_216_836_000;

    fn hasher(period: HashPeriod, joins_ipv6_networks: bool) -> IpHasher {
        IpHasher::new(HashKey::new(KEY).unwrap(), period, joins_ipv6_networks)
    }

    fn address(text: &str) -> Client<'_> {
        Client::Address(text.parse().unwrap())
    }

    #[test]
    fn the_hash_is_that_of_the_documented_schedule() {
        // With openssl: docs/ingestion.md, "Computing client_ip_hash".
        let hash = hasher(HashPeriod::NinetyDays, false).hash(&address("203.0.113.9"), TIME);
        assert_eq!(hash, "880df3267226deb3867089d778e409ee3ab966a2991e7107d156f645747df004");
        let hash = hasher(HashPeriod::Day, false).hash(&address("203.0.113.9"), TIME);
        assert_eq!(hash, "1c4e7e542109eec35ee6775bc1685d1ef6366850c8565ef899f2680e88e16c91");
    }

    #[test]
    fn a_client_has_one_hash_in_a_period() {
        let mut hasher = hasher(HashPeriod::Day, true);
        let day = 24 * 60 * 60 * 1_000;
        let first = hasher.hash(&address("2001:db8::1"), TIME);
        assert_eq!(hasher.hash(&address("2001:db8:0:0:ffff::1"), TIME), first);
        assert_ne!(hasher.hash(&address("2001:db8:0:1::1"), TIME), first);
        assert_ne!(hasher.hash(&address("2001:db8::1"), TIME + day), first);
        assert_eq!(hasher.hash(&address("2001:db8::1"), TIME), first);
        let name = hasher.hash(&Client::Name("Crawler.example.com"), TIME);
        assert_eq!(hasher.hash(&Client::Name("crawler.example.com"), TIME), name);
    }

    #[test]
    fn a_key_is_not_short_and_not_shown() {
        assert_eq!(HashKey::new(b"0123456789abcde\r\n").unwrap_err(), ShortKey(15));
        let with_end = HashKey::new(b"0123456789abcdef\n").unwrap();
        assert_eq!(&*with_end.0, b"0123456789abcdef");
        assert_eq!(format!("{with_end:?}"), "HashKey(..)");
    }
}
