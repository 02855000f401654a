//! Attempts that all nodes count together, in their database.

use std::net::IpAddr;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::accounts::token::TokenDigest;
use visibility_core::store::StoreError;

use super::{ADDRESS_SPAN, MAX_OF_ADDRESS, MAX_OF_NAME, MAX_OF_PLACE, NAME_SPAN, network_of};
use crate::access::limiter::AddressKey;
use crate::stores::state::StateStore;
use crate::stores::state::hits::SubjectLimit;

/// The numbers of the limits in the database. Those of requests are below 10.
const PLACE: i64 = 10;
const NAME: i64 = 11;
const ADDRESS: i64 = 12;

/// A try that was admitted. It counts as a failure unless it is taken back.
#[derive(Debug)]
#[must_use]
pub(crate) struct SharedAttempt {
    /// The address first: a stranger who is out of tries must not use up those of a name.
    counted: Vec<CountedFailure>,
}

/// What a try counts for.
#[derive(Debug)]
struct CountedFailure {
    kind: i64,
    subject: String,
    at: DateTime<Utc>,
}

/// Why a try is not admitted.
#[derive(Debug)]
pub(crate) enum AttemptError {
    /// There were too many. So long it takes until there may be another one.
    TooMany(Duration),
    Store(StoreError),
}

impl SharedAttempt {
    /// Admits a try. Blocks.
    pub(crate) fn admit(
        state_store: &StateStore,
        key: &AddressKey,
        name: &str,
        address: IpAddr,
    ) -> Result<Self, AttemptError> {
        let name = hex(TokenDigest::new(name).as_bytes());
        let place = key.subject(network_of(address)).to_string();
        let limits: [(i64, String, u32, TimeDelta); 3] = [
            (ADDRESS, key.subject(address).to_string(), MAX_OF_ADDRESS, ADDRESS_SPAN),
            (PLACE, format!("{name}/{place}"), MAX_OF_PLACE, NAME_SPAN),
            (NAME, name, MAX_OF_NAME, NAME_SPAN),
        ];
        let mut attempt = Self { counted: Vec::new() };
        for (kind, subject, most, span) in limits {
            let limit = SubjectLimit { subject: &subject, kind, most, span };
            let answer = state_store.count_hit(&limit, true).map_err(AttemptError::Store)?;
            let Some(at) = answer.admitted_at else {
                attempt.undo(state_store).map_err(AttemptError::Store)?;
                return Err(AttemptError::TooMany(answer.frees_in.to_std().unwrap_or_default()));
            };
            attempt.counted.push(CountedFailure { kind, subject, at });
        }
        Ok(attempt)
    }

    /// Takes an attempt back whose password was not checked. Blocks.
    pub(crate) fn undo(&self, state_store: &StateStore) -> Result<(), StoreError> {
        self.counted.iter().try_for_each(|failure| {
            state_store.remove_hit(&failure.subject, failure.kind, failure.at)
        })
    }

    /// Takes a try back that has succeeded, and forgets all other failures of its name from its network. Blocks.
    pub(crate) fn succeed(&self, state_store: &StateStore) -> Result<(), StoreError> {
        self.undo(state_store)?;
        self.counted
            .iter()
            .filter(|failure| failure.kind == PLACE)
            .try_for_each(|failure| state_store.remove_hits(&failure.subject, failure.kind))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(all(test, feature = "postgres"))]
mod tests {
    use super::*;
    use crate::stores::state::testing::TestStore;

    #[test]
    #[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
    fn failures_on_one_node_count_on_the_others() {
        let nodes = TestStore::new().nodes(2);
        let key = AddressKey::load_or_create(&nodes[0]).unwrap();
        let admit = |node: usize, name: &str, address: [u8; 4]| {
            SharedAttempt::admit(&nodes[node], &key, name, address.into())
        };
        for number in 0..5 {
            let _failed = admit(number % 2, "ada", [192, 0, 2, 7]).unwrap();
        }
        let refused = admit(0, "ada", [192, 0, 2, 8]).unwrap_err();
        let AttemptError::TooMany(wait) = refused else { panic!("{refused:?}") };
        assert!(wait > Duration::from_mins(14), "{wait:?}");
        let own = admit(1, "ada", [198, 51, 100, 7]).unwrap();
        own.succeed(&nodes[1]).unwrap();
        for number in 0..5 {
            let _failed = admit(number % 2, "ada", [198, 51, 100, 7]).unwrap();
        }
        admit(0, "ada", [198, 51, 100, 7]).unwrap_err();
        let _other = admit(0, "eve", [192, 0, 2, 7]).unwrap();
    }
}
