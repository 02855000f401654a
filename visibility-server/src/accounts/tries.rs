//! How often somebody may try to sign in.
//!
//! Tries count before the password is looked at, so that many at the same time are no more than many in
//! a row; one that succeeds is taken back. They count for a name whether anybody has it or not, so that
//! nobody learns from a refusal who is known here. They are kept in memory: a restart forgets them, and
//! nobody else can restart the service than its operator.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::rate::SlidingWindow;
use visibility_core::token::TokenDigest;

use crate::limiter::network;

/// Failures of one name in [`NAME_SPAN`].
const MAX_OF_NAME: u32 = 5;
/// For how long a failure counts for its name.
const NAME_SPAN: TimeDelta = TimeDelta::minutes(15);
/// Failures of one address (IPv6: of one /64) in [`ADDRESS_SPAN`].
const MAX_OF_ADDRESS: u32 = 50;
/// For how long a failure counts for its address.
const ADDRESS_SPAN: TimeDelta = TimeDelta::hours(1);
/// Names that are remembered, and addresses: each failure costs a hash, so that it takes minutes to make
/// others forgotten, and gains five more tries.
const MAX_KEPT: usize = 16_384;

/// The failures of late.
#[derive(Debug)]
pub(crate) struct Tries(Mutex<Kept>);

/// What is remembered.
#[derive(Debug)]
struct Kept {
    names: Windows<[u8; 32]>,
    addresses: Windows<IpAddr>,
}

/// A try that was admitted. It counts as a failure unless it is taken back.
#[derive(Debug)]
#[must_use]
pub(crate) struct Try {
    name: [u8; 32],
    address: IpAddr,
    /// When it was counted, by the windows' own time.
    counted: (DateTime<Utc>, DateTime<Utc>),
}

impl Default for Tries {
    fn default() -> Self {
        Self(Mutex::new(Kept {
            names: Windows::new(MAX_OF_NAME, NAME_SPAN),
            addresses: Windows::new(MAX_OF_ADDRESS, ADDRESS_SPAN),
        }))
    }
}

impl Tries {
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
    ) -> Result<Try, Duration> {
        let name = *TokenDigest::of(name).as_bytes();
        let address = network(address);
        let mut kept = self.kept();
        let of_address = kept.addresses.admit(address, now)?;
        match kept.names.admit(name, now) {
            Ok(of_name) => Ok(Try { name, address, counted: (of_name, of_address) }),
            Err(wait) => {
                kept.addresses.take_back(&address, of_address);
                Err(wait)
            }
        }
    }

    /// Takes a try back that came to nothing: nobody has looked at the password.
    pub(crate) fn take_back(&self, tried: &Try) {
        let mut kept = self.kept();
        kept.names.take_back(&tried.name, tried.counted.0);
        kept.addresses.take_back(&tried.address, tried.counted.1);
    }

    /// Takes a try back that has succeeded, and forgets all other failures of its name.
    pub(crate) fn succeed(&self, tried: &Try) {
        let mut kept = self.kept();
        kept.names.kept.remove(&tried.name);
        kept.addresses.take_back(&tried.address, tried.counted.1);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nothing that is done with it can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Failures by what they count for.
#[derive(Debug)]
struct Windows<K> {
    limit: u32,
    span: TimeDelta,
    kept: HashMap<K, SlidingWindow>,
}

impl<K: Copy + Eq + std::hash::Hash> Windows<K> {
    fn new(limit: u32, span: TimeDelta) -> Self {
        Self { limit, span, kept: HashMap::new() }
    }

    /// Counts a failure, and says when by the window's own time.
    fn admit(&mut self, key: K, now: DateTime<Utc>) -> Result<DateTime<Utc>, Duration> {
        if !self.kept.contains_key(&key) {
            self.make_room(now);
        }
        let (limit, span) = (self.limit, self.span);
        let window = self.kept.entry(key).or_insert_with(|| SlidingWindow::new(limit, span));
        match window.admit(now) {
            Ok(()) => Ok(window.latest().unwrap_or(now)),
            Err(wait) => Err(wait.to_std().unwrap_or_default()),
        }
    }

    fn take_back(&mut self, key: &K, at: DateTime<Utc>) {
        if let Some(window) = self.kept.get_mut(key) {
            window.take_back(at);
        }
    }

    /// Forgets those without a failure that counts, or else the one that has failed least of late.
    fn make_room(&mut self, now: DateTime<Utc>) {
        if self.kept.len() < MAX_KEPT {
            return;
        }
        let limit = self.limit;
        self.kept.retain(|_, window| window.left(now).count < limit);
        if self.kept.len() < MAX_KEPT {
            return;
        }
        let least = |window: &mut SlidingWindow| {
            let left = window.left(now);
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
        std::net::Ipv4Addr::from_bits(number).into()
    }

    /// Tries of a name from addresses that differ.
    fn fail(tries: &Tries, name: &str, minutes: i64) -> Result<(), Duration> {
        let address = address(u32::try_from(minutes).unwrap());
        tries.admit(name, address, after(minutes)).map(|_counted| ())
    }

    #[test]
    fn a_name_has_five_failures_in_a_quarter_of_an_hour() {
        let tries = Tries::default();
        for minutes in 0..5 {
            fail(&tries, "ada", minutes).unwrap();
        }
        assert_eq!(fail(&tries, "ada", 5), Err(Duration::from_mins(10)));
        assert_eq!(fail(&tries, "bob", 5), Ok(()));
        assert_eq!(fail(&tries, "ada", 14), Err(Duration::from_mins(1)));
        assert_eq!(fail(&tries, "ada", 15), Ok(()));
        assert_eq!(fail(&tries, "ada", 15), Err(Duration::from_mins(1)));
    }

    #[test]
    fn a_success_forgets_the_failures_of_its_name() {
        let tries = Tries::default();
        for minutes in 0..4 {
            fail(&tries, "ada", minutes).unwrap();
        }
        let last = tries.admit("ada", address(9), after(4)).unwrap();
        assert!(fail(&tries, "ada", 4).is_err());
        tries.succeed(&last);
        for minutes in 5..10 {
            assert_eq!(fail(&tries, "ada", minutes), Ok(()), "{minutes}");
        }
        assert!(fail(&tries, "ada", 10).is_err());
    }

    #[test]
    fn an_address_or_a_network_has_fifty_failures_in_an_hour() {
        let tries = Tries::default();
        let of = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 0, last, 1, 2, 3]);
        for number in 0..50 {
            let _ = tries.admit(&format!("user{number}"), of(number), after(0)).unwrap();
        }
        let refused = tries.admit("ada", of(99), after(1)).unwrap_err();
        assert_eq!(refused, Duration::from_mins(59));
        let other: IpAddr = "2001:db8:0:1::1".parse().unwrap();
        assert!(tries.admit("ada", other, after(1)).is_ok());
        assert!(tries.admit("ada", of(99), after(60)).is_ok());
    }

    #[test]
    fn successes_do_not_count_for_an_address() {
        let tries = Tries::default();
        for _ in 0..200 {
            let tried = tries.admit("ada", address(1), after(0)).unwrap();
            tries.succeed(&tried);
        }
    }

    #[test]
    fn a_try_that_is_taken_back_or_refused_counts_for_nothing() {
        let tries = Tries::default();
        for _ in 0..200 {
            let tried = tries.admit("ada", address(1), after(0)).unwrap();
            tries.take_back(&tried);
        }
        for _ in 0..5 {
            let _ = tries.admit("ada", address(1), after(0)).unwrap();
        }
        for _ in 0..200 {
            assert!(tries.admit("ada", address(1), after(1)).is_err());
        }
        for number in 0..45 {
            let _ = tries.admit(&format!("user{number}"), address(1), after(1)).unwrap();
        }
        assert!(tries.admit("bob", address(1), after(1)).is_err());
    }

    #[test]
    fn memory_is_bounded_and_a_name_with_many_failures_stays() {
        let mut windows: Windows<usize> = Windows::new(MAX_OF_NAME, NAME_SPAN);
        for _ in 0..MAX_OF_NAME {
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
