//! Whether the logs are complete: when batches arrived, when none did, and what was rejected.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::page::Page;
use super::{instant, optional_instant};
use crate::stores::Stores;
use crate::stores::state::uncounted::UncountedDays;

/// Of how many usual gaps a gap is made.
const LONG_GAPS: i64 = 3;
/// The shortest time without a batch that is listed, as senders may hold lines back for an hour.
const MIN_GAP_SECONDS: i64 = 3600;

/// What is looked at.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SourcesQuestion {
    /// Whose batches.
    pub tenant: TenantSlug,
    /// The first day on which they arrived, UTC.
    pub from: NaiveDate,
    /// The last day.
    pub to: NaiveDate,
    /// The part of the list of gaps.
    pub page: Page,
}

/// The batches of some days.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct LogSources {
    /// Whose.
    #[schema(value_type = String)]
    pub tenant: TenantSlug,
    /// The first day on which they arrived, UTC.
    #[schema(value_type = String, format = Date)]
    pub from: NaiveDate,
    /// The last day.
    #[schema(value_type = String, format = Date)]
    pub to: NaiveDate,
    /// When the first batch arrived, whatever the days; none if that was forgotten with old batches.
    #[schema(format = DateTime)]
    pub first_batch: Option<String>,
    /// When the last batch arrived, whatever the days.
    #[schema(format = DateTime)]
    pub last_batch: Option<String>,
    /// Batches.
    pub batches: u64,
    /// Their lines that were accepted.
    pub accepted: u64,
    /// Their lines that were rejected.
    pub rejected: u64,
    /// The usual time between two batches: the median, in seconds.
    pub usual_gap_seconds: Option<u64>,
    /// Times without a batch that were three times as long as usual, and at least an hour; the longest first.
    pub gaps: Vec<Gap>,
    /// `after` of the next part of the list of gaps.
    pub next: Option<String>,
    /// Lines that were rejected, by reason, the most frequent first.
    pub rejections: Vec<ReasonCount>,
    /// Days whose kinds of paths and hours an earlier version has not counted.
    pub uncounted: Vec<UncountedDays>,
}

/// A time without a batch.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct Gap {
    /// When the batch before it arrived.
    #[schema(format = DateTime)]
    pub from: String,
    /// When the batch after it arrived; none if it has not ended.
    #[schema(format = DateTime)]
    pub to: Option<String>,
    /// How long it was, or is.
    pub seconds: u64,
}

/// How many lines were rejected for a reason.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct ReasonCount {
    /// The reason: its word in the answer to a batch.
    pub reason: String,
    /// Lines.
    pub lines: u64,
}

/// Looks at the batches.
///
/// # Errors
///
/// When the database cannot be read.
pub fn sources(
    stores: &Stores,
    question: &SourcesQuestion,
    now: DateTime<Utc>,
) -> Result<LogSources, StoreError> {
    let SourcesQuestion { tenant, from, to, page } = question;
    let state_store = stores.state_store();
    let days = *from..=*to;
    let mut arrivals = Arrivals::default();
    let (mut batches, mut accepted, mut rejected) = (0_u64, 0_u64, 0_u64);
    state_store.for_each_batch(tenant, &days, &mut |batch| {
        batches = batches.saturating_add(1);
        accepted = accepted.saturating_add(batch.accepted);
        rejected = rejected.saturating_add(batch.rejected);
        arrivals.add(batch.at);
    })?;
    let is_open = *to >= now.date_naive();
    let usual_gap = arrivals.usual_gap();
    let long = arrivals.long_gaps(is_open.then_some(now));
    let place = |gap: &Gap| (gap.seconds, gap.from.clone());
    let (gaps, next) = page.take(long, place);
    let rejections = state_store.rejections(tenant, &days)?;
    let [first_batch, last_batch] = state_store.first_and_last_batch(tenant)?;
    Ok(LogSources {
        tenant: tenant.clone(),
        from: *from,
        to: *to,
        first_batch: optional_instant(first_batch),
        last_batch: optional_instant(last_batch),
        batches,
        accepted,
        rejected,
        usual_gap_seconds: usual_gap,
        gaps,
        next,
        rejections: rejections
            .into_iter()
            .map(|(reason, lines)| ReasonCount { reason, lines })
            .collect(),
        uncounted: state_store.uncounted_days(tenant, &days)?,
    })
}

/// When batches arrived.
#[derive(Debug, Default)]
struct Arrivals {
    last: Option<DateTime<Utc>>,
    /// Seconds between two.
    seconds: Vec<u32>,
    /// Those of an hour and more.
    hours: Vec<(DateTime<Utc>, DateTime<Utc>)>,
}

impl Arrivals {
    /// Takes the next one.
    fn add(&mut self, at: DateTime<Utc>) {
        if let Some(before) = self.last.replace(at) {
            let gap = (at - before).num_seconds();
            self.seconds.push(u32::try_from(gap).unwrap_or(u32::MAX));
            if gap >= MIN_GAP_SECONDS {
                self.hours.push((before, at));
            }
        }
    }

    /// The median, of two the smaller.
    fn usual_gap(&mut self) -> Option<u64> {
        let middle = self.seconds.len().checked_sub(1)? / 2;
        let (_, median, _) = self.seconds.select_nth_unstable(middle);
        Some(u64::from(*median))
    }

    /// Gaps that are longer than usual, with the one that lasts until now.
    fn long_gaps(&mut self, now: Option<DateTime<Utc>>) -> Vec<Gap> {
        let Some(usual) = self.usual_gap() else { return Vec::new() };
        let usual = i64::try_from(usual).unwrap_or(i64::MAX);
        let least = usual.saturating_mul(LONG_GAPS).max(MIN_GAP_SECONDS);
        let is_long = |gap: TimeDelta| gap.num_seconds() >= least;
        let gap = |from: DateTime<Utc>, to: Option<DateTime<Utc>>, length: TimeDelta| Gap {
            from: instant(from),
            to: optional_instant(to),
            seconds: u64::try_from(length.num_seconds()).unwrap_or_default(),
        };
        let closed = self.hours.iter().filter(|(from, to)| is_long(*to - *from));
        let mut long: Vec<Gap> =
            closed.map(|(from, to)| gap(*from, Some(*to), *to - *from)).collect();
        if let (Some(last), Some(now)) = (self.last, now)
            && is_long(now - last)
        {
            long.push(gap(last, None, now - last));
        }
        long
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(minutes: &[i64]) -> Arrivals {
        let mut arrivals = Arrivals::default();
        for minute in minutes {
            arrivals.add(DateTime::from_timestamp(minute * 60, 0).unwrap());
        }
        arrivals
    }

    #[test]
    fn a_gap_is_three_times_as_long_as_usual_and_an_hour() {
        let mut regular = arrivals(&[0, 10, 20, 30, 89, 99, 160]);
        assert_eq!(regular.usual_gap(), Some(600));
        let now = DateTime::from_timestamp(300 * 60, 0).unwrap();
        let gaps = regular.long_gaps(Some(now));
        let lengths: Vec<u64> = gaps.iter().map(|gap| gap.seconds / 60).collect();
        assert_eq!(lengths, [61, 140]);
        assert!(gaps.first().unwrap().to.is_some());
        assert_eq!(gaps.last().unwrap().to, None);
        let mut nightly = arrivals(&[0, 1440, 2880, 4320]);
        assert_eq!(nightly.long_gaps(None), []);
    }

    #[test]
    fn one_batch_says_nothing_about_what_is_usual() {
        let now = DateTime::from_timestamp(9_000_000, 0).unwrap();
        assert_eq!(arrivals(&[0]).long_gaps(Some(now)), []);
        assert_eq!(arrivals(&[]).long_gaps(Some(now)), []);
    }
}
