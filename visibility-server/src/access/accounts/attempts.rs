//! Limits on sign-in attempts.
//!
//! Tries count before the password is looked at, so that many at the same time are no more than many in
//! a row; one that succeeds is taken back. They count for a name whether a user has it or not, so that
//! a refusal does not reveal who has an account; and they count per network first, so that a stranger elsewhere
//! does not keep the owner of the name out. They are kept in memory: a restart forgets them, and only the
//! operator can restart the service. Nodes with one database count together, in there.

mod shared;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::accounts::sliding_window::SlidingWindow;
use visibility_core::accounts::token::TokenDigest;

pub(crate) use self::shared::{AttemptError, SharedAttempt};
use crate::access::limiter::network;

/// Failures of one name from one network (its /24, IPv6: its /64) in [`NAME_SPAN`].
const MAX_OF_PLACE: u32 = 5;
/// Failures of one name from all networks in [`NAME_SPAN`]: who has many of them guesses no faster than this.
const MAX_OF_NAME: u32 = 50;
/// For how long a failure counts for its name.
const NAME_SPAN: TimeDelta = TimeDelta::minutes(15);
/// Failures of one address (IPv6: of one /64) in [`ADDRESS_SPAN`].
const MAX_OF_ADDRESS: u32 = 50;
/// For how long a failure counts for its address.
const ADDRESS_SPAN: TimeDelta = TimeDelta::hours(1);
/// Names that are remembered, each with its networks, and addresses: each failure costs a hash, so that it
/// takes minutes to make others forgotten, and gains a few more tries.
const MAX_KEPT: usize = 16_384;

/// The failures of late.
#[derive(Debug)]
pub(crate) struct SignInAttempts(Mutex<AttemptWindows>);

/// What is remembered.
#[derive(Debug)]
struct AttemptWindows {
    places: FailureWindows<NameAndNetwork>,
    names: FailureWindows<[u8; 32]>,
    addresses: FailureWindows<IpAddr>,
}

/// The digest of a name, and the network that it is tried from.
type NameAndNetwork = ([u8; 32], IpAddr);

/// A try that was admitted. It counts as a failure unless it is taken back.
#[derive(Debug)]
#[must_use]
pub(crate) struct Attempt {
    place: NameAndNetwork,
    address: IpAddr,
    /// When it was counted, by the windows' own time.
    counted: CountedAt,
}

/// When a try was counted for each of what it counts for.
#[derive(Clone, Copy, Debug)]
struct CountedAt {
    place: DateTime<Utc>,
    name: DateTime<Utc>,
    address: DateTime<Utc>,
}

impl Default for SignInAttempts {
    fn default() -> Self {
        Self(Mutex::new(AttemptWindows {
            places: FailureWindows::new(MAX_OF_PLACE, NAME_SPAN),
            names: FailureWindows::new(MAX_OF_NAME, NAME_SPAN),
            addresses: FailureWindows::new(MAX_OF_ADDRESS, ADDRESS_SPAN),
        }))
    }
}

impl SignInAttempts {
    /// Admits a try.
    ///
    /// # Errors
    ///
    /// After what time one will be admitted.
    pub(crate) fn admit(
        &self,
        name: &str,
        address: IpAddr,
        now: DateTime<Utc>,
    ) -> Result<Attempt, Duration> {
        let name = *TokenDigest::new(name).as_bytes();
        let place = (name, network_of(address));
        let address = network(address);
        let mut kept = self.windows();
        let of_address = kept.addresses.admit(address, now)?;
        let of_place = kept.places.admit(place, now).inspect_err(|_wait| {
            kept.addresses.undo(&address, of_address);
        })?;
        let of_name = kept.names.admit(name, now).inspect_err(|_wait| {
            kept.places.undo(&place, of_place);
            kept.addresses.undo(&address, of_address);
        })?;
        Ok(Attempt {
            place,
            address,
            counted: CountedAt { place: of_place, name: of_name, address: of_address },
        })
    }

    /// Takes an attempt back whose password was not checked.
    pub(crate) fn undo(&self, attempt: &Attempt) {
        let mut kept = self.windows();
        kept.places.undo(&attempt.place, attempt.counted.place);
        kept.names.undo(&attempt.place.0, attempt.counted.name);
        kept.addresses.undo(&attempt.address, attempt.counted.address);
    }

    /// Takes a try back that has succeeded, and forgets all other failures of its name from its network.
    /// Those from elsewhere are not of the one who knows the password, and count on.
    pub(crate) fn succeed(&self, attempt: &Attempt) {
        let mut kept = self.windows();
        kept.places.kept.remove(&attempt.place);
        kept.names.undo(&attempt.place.0, attempt.counted.name);
        kept.addresses.undo(&attempt.address, attempt.counted.address);
    }

    fn windows(&self) -> MutexGuard<'_, AttemptWindows> {
        // Nothing that is done with it can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The network of an address, within which it costs nothing to change: its /24, or its /64 of IPv6.
fn network_of(address: IpAddr) -> IpAddr {
    match network(address) {
        IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() & 0xffff_ff00).into(),
        network @ IpAddr::V6(_) => network,
    }
}

/// Failures by what they count for.
#[derive(Debug)]
struct FailureWindows<K> {
    limit: u32,
    span: TimeDelta,
    kept: HashMap<K, SlidingWindow>,
}

impl<K: Copy + Eq + std::hash::Hash> FailureWindows<K> {
    fn new(limit: u32, span: TimeDelta) -> Self {
        Self { limit, span, kept: HashMap::new() }
    }

    /// Counts a failure, and says when by the window's own time.
    fn admit(&mut self, key: K, now: DateTime<Utc>) -> Result<DateTime<Utc>, Duration> {
        if !self.kept.contains_key(&key) {
            self.evict(now);
        }
        let (limit, span) = (self.limit, self.span);
        let window = self.kept.entry(key).or_insert_with(|| SlidingWindow::new(limit, span));
        match window.admit(now) {
            Ok(()) => Ok(window.latest().unwrap_or(now)),
            Err(wait) => Err(wait.to_std().unwrap_or_default()),
        }
    }

    fn undo(&mut self, key: &K, at: DateTime<Utc>) {
        if let Some(window) = self.kept.get_mut(key) {
            window.undo(at);
        }
    }

    /// Forgets those without a failure that counts, or else the one that has failed least of late.
    fn evict(&mut self, now: DateTime<Utc>) {
        if self.kept.len() < MAX_KEPT {
            return;
        }
        let limit = self.limit;
        self.kept.retain(|_, window| window.remaining(now).count < limit);
        if self.kept.len() < MAX_KEPT {
            return;
        }
        let least = |window: &mut SlidingWindow| {
            let left = window.remaining(now);
            (std::cmp::Reverse(left.count), left.frees_in)
        };
        let forgotten = self.kept.iter_mut().map(|(key, window)| (least(window), *key));
        if let Some((_, key)) = forgotten.min_by_key(|(least, _)| *least) {
            self.kept.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
    }

    fn address(number: u32) -> IpAddr {
        Ipv4Addr::from_bits(number).into()
    }

    /// Tries of a name from addresses of one network that differ.
    fn fail(attempts: &SignInAttempts, name: &str, minutes: i64) -> Result<(), Duration> {
        let address = address(u32::try_from(minutes).unwrap());
        attempts.admit(name, address, after(minutes)).map(|_counted| ())
    }

    #[test]
    fn a_name_has_five_failures_from_a_network_in_a_quarter_of_an_hour() {
        let attempts = SignInAttempts::default();
        for minutes in 0..5 {
            fail(&attempts, "ada", minutes).unwrap();
        }
        assert_eq!(fail(&attempts, "ada", 5), Err(Duration::from_mins(10)));
        assert_eq!(fail(&attempts, "bob", 5), Ok(()));
        assert_eq!(fail(&attempts, "ada", 14), Err(Duration::from_mins(1)));
        assert_eq!(fail(&attempts, "ada", 15), Ok(()));
        assert_eq!(fail(&attempts, "ada", 15), Err(Duration::from_mins(1)));
    }

    #[test]
    fn failures_of_one_network_keep_no_one_out_elsewhere() {
        let attempts = SignInAttempts::default();
        let admit = |text: &str, minutes| {
            attempts.admit("ada", text.parse().unwrap(), after(minutes)).map(|_counted| ())
        };
        for minutes in 0..5 {
            admit("198.51.100.1", minutes).unwrap();
            admit("2001:db8::1", minutes).unwrap();
        }
        for same in ["198.51.100.255", "::ffff:198.51.100.2", "2001:db8::ffff:1"] {
            assert!(admit(same, 5).is_err(), "{same}");
        }
        for other in ["198.51.101.1", "2001:db8:0:1::1"] {
            assert!(admit(other, 5).is_ok(), "{other}");
        }
    }

    #[test]
    fn a_name_has_fifty_failures_from_all_networks_in_a_quarter_of_an_hour() {
        let attempts = SignInAttempts::default();
        let admit =
            |name, number: u32, minutes| attempts.admit(name, address(number << 8), after(minutes));
        for number in 0..50 {
            let _ = admit("ada", number, 0).unwrap();
        }
        for number in 50..60 {
            assert_eq!(admit("ada", number, 1).unwrap_err(), Duration::from_mins(14));
        }
        assert!(admit("bob", 50, 1).is_ok());
        assert!(admit("ada", 50, 15).is_ok(), "a try that was refused counts for nothing");
    }

    #[test]
    fn who_knows_the_password_does_not_give_guessers_new_tries() {
        let attempts = SignInAttempts::default();
        for number in 1..50 {
            let _ = attempts.admit("ada", address(number << 8), after(0)).unwrap();
        }
        for _ in 0..3 {
            let own = attempts.admit("ada", address(0), after(1)).unwrap();
            attempts.succeed(&own);
        }
        let _ = attempts.admit("ada", address(50 << 8), after(2)).unwrap();
        assert!(attempts.admit("ada", address(51 << 8), after(2)).is_err());
    }

    #[test]
    fn a_success_forgets_the_failures_of_its_name_and_network() {
        let attempts = SignInAttempts::default();
        for minutes in 0..4 {
            fail(&attempts, "ada", minutes).unwrap();
        }
        let last = attempts.admit("ada", address(9), after(4)).unwrap();
        assert!(fail(&attempts, "ada", 4).is_err());
        attempts.succeed(&last);
        for minutes in 5..10 {
            assert_eq!(fail(&attempts, "ada", minutes), Ok(()), "{minutes}");
        }
        assert!(fail(&attempts, "ada", 10).is_err());
    }

    #[test]
    fn an_address_or_a_network_has_fifty_failures_in_an_hour() {
        let attempts = SignInAttempts::default();
        let of = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 0, last, 1, 2, 3]);
        for number in 0..50 {
            let _ = attempts.admit(&format!("user{number}"), of(number), after(0)).unwrap();
        }
        let refused = attempts.admit("ada", of(99), after(1)).unwrap_err();
        assert_eq!(refused, Duration::from_mins(59));
        let other: IpAddr = "2001:db8:0:1::1".parse().unwrap();
        assert!(attempts.admit("ada", other, after(1)).is_ok());
        assert!(attempts.admit("ada", of(99), after(60)).is_ok());
    }

    #[test]
    fn successes_do_not_count_for_an_address() {
        let attempts = SignInAttempts::default();
        for _ in 0..200 {
            let attempt = attempts.admit("ada", address(1), after(0)).unwrap();
            attempts.succeed(&attempt);
        }
    }

    #[test]
    fn a_try_that_is_taken_back_or_refused_counts_for_nothing() {
        let attempts = SignInAttempts::default();
        for _ in 0..200 {
            let attempt = attempts.admit("ada", address(1), after(0)).unwrap();
            attempts.undo(&attempt);
        }
        for _ in 0..5 {
            let _ = attempts.admit("ada", address(1), after(0)).unwrap();
        }
        for _ in 0..200 {
            assert!(attempts.admit("ada", address(1), after(1)).is_err());
        }
        for number in 0..45 {
            let _ = attempts.admit(&format!("user{number}"), address(1), after(1)).unwrap();
        }
        assert!(attempts.admit("bob", address(1), after(1)).is_err());
    }

    #[test]
    fn memory_is_bounded_and_a_name_with_many_failures_stays() {
        let mut windows: FailureWindows<usize> = FailureWindows::new(MAX_OF_PLACE, NAME_SPAN);
        for _ in 0..MAX_OF_PLACE {
            windows.admit(usize::MAX, after(0)).unwrap();
        }
        for key in 0..MAX_KEPT + 8 {
            windows.admit(key, after(1)).unwrap();
        }
        assert_eq!(windows.kept.len(), MAX_KEPT);
        assert!(windows.admit(usize::MAX, after(1)).is_err());
        windows.admit(usize::MAX - 1, after(20)).unwrap();
        assert_eq!(windows.kept.len(), 1, "what counts no longer is forgotten");
    }
}
