//! What records come to, to compare what was read with what was written.

use serde::{Deserialize, Serialize};

/// What some records come to.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct RecordSums {
    /// Their number.
    pub records: u64,
    /// The sum of their `response_bytes`.
    pub response_bytes: u64,
}

impl RecordSums {
    /// Adds those of other records.
    pub fn add(&mut self, other: Self) {
        self.records = self.records.saturating_add(other.records);
        self.response_bytes = self.response_bytes.saturating_add(other.response_bytes);
    }
}
