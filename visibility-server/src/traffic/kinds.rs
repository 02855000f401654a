//! Requests and bytes by kind of path.

use visibility_core::store::StoreError;
use visibility_core::traffic::PathKind;

use super::selection::Selection;
use crate::stores::Stores;
use crate::stores::state::counts::{DayTable, RecordFilter};

/// Counts the requests for each kind of path, and the bytes of the responses; kinds without requests are left out.
///
/// # Errors
///
/// When the database cannot be read.
pub(crate) fn kinds(
    stores: &Stores,
    selection: &Selection,
) -> Result<Vec<(PathKind, u64, u64)>, StoreError> {
    let days = selection.days();
    let mut counts = Vec::new();
    for kind in PathKind::ALL {
        let filter = RecordFilter { kind: Some(kind), ..selection.filter(&days) };
        let (mut records, mut bytes) = (0_u64, 0_u64);
        stores.state_store().for_each_agent_day(&filter, DayTable::Kind, &mut |_day, sums| {
            records = records.saturating_add(sums.records);
            bytes = bytes.saturating_add(sums.bytes);
        })?;
        if records > 0 {
            counts.push((kind, records, bytes));
        }
    }
    Ok(counts)
}
