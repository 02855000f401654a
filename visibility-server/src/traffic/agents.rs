//! Each agent: how often it came, what it got, and whether it still comes.

use std::collections::BTreeMap;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::{Agent, Purpose, Registry};
use visibility_core::store::StoreError;
use visibility_core::text::locale::{Catalog, Lang};

use super::directory::AgentDirectory;
use super::errors::ErrorSums;
use super::page::Page;
use super::selection::{ConflictError, Grouping, Selection};
use super::{instant, optional_instant};
use crate::stores::Stores;
use crate::stores::state::counts::{AgentDay, HourCount, RecordFilter, SeenAgent, StatusSet};
use crate::stores::state::uncounted::UncountedDays;

/// Days before the last request of an agent that say how often it usually comes; after as many without one it is silent.
const USUAL_DAYS: i64 = 28;
/// Of how many usual gaps a silence is made.
const SILENT_GAPS: i32 = 3;
/// The shortest silence.
const MIN_SILENCE: TimeDelta = TimeDelta::hours(24);
/// Requests within the usual days without which nothing is usual.
const MIN_REQUESTS: u64 = 20;

/// What is counted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AgentsQuestion {
    /// Which records.
    pub selection: Selection,
    /// Whether to list agents outside of the matrix that never came, too.
    pub all: bool,
    /// The part of the list.
    pub page: Page,
    /// The language of notes.
    pub lang: Lang,
}

/// The agents.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct Agents {
    /// Whose records.
    #[schema(value_type = String)]
    pub tenant: TenantSlug,
    /// First day, UTC.
    #[schema(value_type = String, format = Date)]
    pub from: NaiveDate,
    /// Last day.
    #[schema(value_type = String, format = Date)]
    pub to: NaiveDate,
    /// The agents, the busiest first.
    pub agents: Vec<AgentRow>,
    /// `after` of the next part of the list.
    pub next: Option<String>,
    /// Days whose kinds of paths an earlier version has not counted.
    pub uncounted: Vec<UncountedDays>,
}

/// An agent.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct AgentRow {
    /// Its id.
    pub id: String,
    /// Its name; its id if the registry does not know it any more.
    pub name: String,
    /// Who runs it.
    pub vendor: Option<String>,
    /// What it is for.
    pub purpose: Purpose,
    /// Whether it still comes.
    pub state: AgentState,
    /// Its requests on the days.
    pub requests: u64,
    /// Those that were refused: 401, 403, 406, 429, 451.
    pub refused: u64,
    /// Those whose page was missing: 404, 410.
    pub missing: u64,
    /// Those at which the server failed: 5xx.
    pub failed: u64,
    /// Bytes of the responses.
    pub bytes: u64,
    /// When it came first, whatever the days.
    #[schema(format = DateTime)]
    pub first_seen: Option<String>,
    /// When it came last.
    #[schema(format = DateTime)]
    pub last_seen: Option<String>,
    /// The usual time between two hours with requests, in the four weeks before the last one: the median, in hours.
    pub usual_gap_hours: Option<u32>,
    /// What is to be known about it.
    pub note: Option<String>,
}

/// Whether an agent still comes.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// It came first on the days that were asked for.
    New,
    /// It came before, and still comes.
    Steady,
    /// It came at least 20 times in four weeks and then not for three times its usual gap, and for 24 hours; or it has not
    /// come for four weeks.
    Silent,
    /// It never came.
    Never,
    /// It is a name in robots.txt alone, and sends no requests.
    TokenOnly,
}

impl AgentState {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Steady => "steady",
            Self::Silent => "silent",
            Self::Never => "never",
            Self::TokenOnly => "token_only",
        }
    }
}

impl AgentsQuestion {
    /// Refuses what the stored counts cannot say.
    ///
    /// # Errors
    ///
    /// When it asks for a kind of path with a single status.
    pub fn check(&self) -> Result<(), ConflictError> {
        self.selection.table(Grouping::default()).map(|_table| ())
    }
}

/// Counts the records of each agent.
///
/// # Errors
///
/// When the database cannot be read.
pub fn agents(
    stores: &Stores,
    question: &AgentsQuestion,
    now: DateTime<Utc>,
) -> Result<Agents, StoreError> {
    let selection = &question.selection;
    let state_store = stores.state_store();
    let days = selection.days();
    let mut rows = listed(stores, question)?;
    let filter = selection.filter(&days);
    state_store.for_each_agent_day(&filter, selection.day_table(), &mut |_day, sums| {
        if let Some(row) = rows.get_mut(&sums.agent) {
            row.add(&sums);
        }
    })?;
    let mut errors: BTreeMap<String, ErrorSums> = BTreeMap::new();
    state_store.for_each_error(&filter, selection.day_table(), &mut |error| {
        errors.entry(error.agent).or_default().add(error.status, error.records);
    })?;
    for (id, sums) in errors {
        if let Some(row) = rows.get_mut(&id) {
            (row.refused, row.missing, row.failed) = (sums.refused, sums.missing, sums.failed);
        }
    }
    let seen = state_store.seen_agents(&selection.tenant, selection.host.as_deref())?;
    let active_hours = active_hours(stores, selection, &seen, now)?;
    for agent in &seen {
        if let Some(row) = rows.get_mut(&agent.agent) {
            let hours = active_hours.get(&agent.agent);
            row.note_seen(agent, hours.map_or(&[], Vec::as_slice), (selection.from, now));
        }
    }
    let uncounted = if selection.kind.is_some() {
        state_store.uncounted_days(&selection.tenant, &days)?
    } else {
        Vec::new()
    };
    let place = |row: &AgentRow| (row.requests, row.id.clone());
    let (agents, next) = question.page.take(rows.into_values().collect(), place);
    let (tenant, from, to) = (selection.tenant.clone(), selection.from, selection.to);
    Ok(Agents { tenant, from, to, agents, next, uncounted })
}

/// The agents that are listed, before anything is counted.
fn listed(
    stores: &Stores,
    question: &AgentsQuestion,
) -> Result<BTreeMap<String, AgentRow>, StoreError> {
    let AgentsQuestion { selection, all, lang, .. } = question;
    let directory = AgentDirectory::new();
    let catalog = Catalog::for_lang(*lang);
    let registry = Registry::embedded().agents.iter();
    let known = registry.filter(|agent| agent.in_matrix || (*all && agent.in_log_allowlist));
    let mut rows: BTreeMap<String, AgentRow> = known
        .map(|agent| (agent.id.clone(), AgentRow::new(&agent.id, Some(agent), catalog)))
        .collect();
    let seen = stores.state_store().seen_agents(&selection.tenant, None)?;
    for SeenAgent { agent: id, .. } in seen {
        let row = || AgentRow::new(&id, directory.agent(&id), catalog);
        rows.entry(id.clone()).or_insert_with(row);
    }
    rows.retain(|id, _row| {
        selection.has_agent(&directory, id)
            && selection.agent.as_ref().is_none_or(|only| only == id)
    });
    Ok(rows)
}

/// The hours with requests of each agent, for as many days as say what is usual, with the number of its requests.
fn active_hours(
    stores: &Stores,
    selection: &Selection,
    seen: &[SeenAgent],
    now: DateTime<Utc>,
) -> Result<BTreeMap<String, Vec<(i64, u64)>>, StoreError> {
    let mut hours: BTreeMap<String, Vec<(i64, u64)>> = BTreeMap::new();
    let silent_since = now - TimeDelta::days(USUAL_DAYS);
    let recent = seen.iter().map(|agent| agent.last).filter(|last| *last >= silent_since);
    let Some(earliest) = recent.min() else { return Ok(hours) };
    let usual = Days::new(USUAL_DAYS.unsigned_abs());
    let first_day = earliest.date_naive().checked_sub_days(usual).unwrap_or(NaiveDate::MIN);
    let days = first_day..=now.date_naive().succ_opt().unwrap_or(NaiveDate::MAX);
    let filter = RecordFilter {
        agent: selection.agent.as_deref(),
        host: selection.host.as_deref(),
        tenant: &selection.tenant,
        days: &days,
        statuses: StatusSet::ALL,
        kind: None,
    };
    let state_store = stores.state_store();
    state_store.for_each_hour_count(&filter, HourCount::All, false, &mut |count| {
        hours.entry(count.agent).or_default().push((count.time, count.records));
    })?;
    Ok(hours)
}

impl AgentRow {
    fn new(id: &str, agent: Option<&Agent>, catalog: &Catalog) -> Self {
        let is_token = agent.is_some_and(|agent| agent.robots_only);
        Self {
            id: id.to_owned(),
            name: agent.map_or(id, |agent| agent.name.as_str()).to_owned(),
            vendor: agent.map(|agent| agent.vendor.clone()),
            purpose: agent.map_or(Purpose::Other, |agent| agent.purpose),
            state: if is_token { AgentState::TokenOnly } else { AgentState::Never },
            requests: 0,
            refused: 0,
            missing: 0,
            failed: 0,
            bytes: 0,
            first_seen: None,
            last_seen: None,
            usual_gap_hours: None,
            note: is_token.then(|| catalog.text(&["traffic", "token-only"])),
        }
    }

    fn add(&mut self, sums: &AgentDay) {
        self.requests = self.requests.saturating_add(sums.records);
        self.bytes = self.bytes.saturating_add(sums.bytes);
    }

    /// Takes in when it came, and says whether it still does.
    fn note_seen(
        &mut self,
        seen: &SeenAgent,
        active_hours: &[(i64, u64)],
        (from, now): (NaiveDate, DateTime<Utc>),
    ) {
        self.first_seen = Some(instant(seen.first));
        self.last_seen = optional_instant(Some(seen.last));
        let usual = UsualVisits::of(active_hours, seen.last);
        self.usual_gap_hours = usual.gap_hours;
        let first_day = from.and_time(NaiveTime::MIN).and_utc();
        self.state = if usual.is_over(now - seen.last) {
            AgentState::Silent
        } else if seen.first >= first_day {
            AgentState::New
        } else {
            AgentState::Steady
        };
    }
}

/// How often an agent came in the four weeks before its last request.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct UsualVisits {
    requests: u64,
    gap_hours: Option<u32>,
}

impl UsualVisits {
    /// `active_hours` are in their order.
    fn of(active_hours: &[(i64, u64)], last: DateTime<Utc>) -> Self {
        let first_hour = (last - TimeDelta::days(USUAL_DAYS)).timestamp().div_euclid(3600);
        let usual = active_hours.iter().filter(|(hour, _requests)| *hour >= first_hour);
        let requests = usual.clone().map(|(_hour, requests)| requests).sum();
        let hours: Vec<i64> = usual.map(|(hour, _requests)| *hour).collect();
        let gaps = hours.iter().zip(hours.iter().skip(1)).map(|(earlier, later)| later - earlier);
        let mut gaps: Vec<i64> = gaps.collect();
        gaps.sort_unstable();
        let median = gaps.get(gaps.len().saturating_sub(1) / 2).copied();
        Self { requests, gap_hours: median.and_then(|gap| u32::try_from(gap).ok()) }
    }

    /// Whether a time without requests is a silence.
    fn is_over(self, without: TimeDelta) -> bool {
        if without > TimeDelta::days(USUAL_DAYS) {
            return true;
        }
        let Some(gap) = self.gap_hours.filter(|_| self.requests >= MIN_REQUESTS) else {
            return false;
        };
        let usual = TimeDelta::hours(i64::from(gap)) * SILENT_GAPS;
        without >= MIN_SILENCE && without >= usual
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests in each of some hours before the last one.
    fn visits(hours_before: &[i64], requests: u64) -> UsualVisits {
        let last = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let hour = last.timestamp() / 3600;
        let mut hours: Vec<(i64, u64)> =
            hours_before.iter().map(|before| (hour - before, requests)).collect();
        hours.sort_unstable();
        UsualVisits::of(&hours, last)
    }

    #[test]
    fn an_agent_is_silent_after_three_usual_gaps_and_a_day() {
        let hourly = visits(&[0, 1, 2, 3, 4], 4);
        assert_eq!(hourly, UsualVisits { requests: 20, gap_hours: Some(1) });
        assert!(!hourly.is_over(TimeDelta::hours(23)));
        assert!(hourly.is_over(TimeDelta::hours(24)));
        let weekly = visits(&[0, 168, 336, 504], 5);
        assert_eq!(weekly.gap_hours, Some(168));
        assert!(!weekly.is_over(TimeDelta::hours(503)));
        assert!(weekly.is_over(TimeDelta::hours(504)));
    }

    #[test]
    fn a_few_requests_say_nothing_about_what_is_usual() {
        let few = visits(&[0, 1, 2], 6);
        assert!(!few.is_over(TimeDelta::days(28)));
        assert!(few.is_over(TimeDelta::days(29)));
        let once = visits(&[0], 1000);
        assert_eq!(once.gap_hours, None);
        assert!(!once.is_over(TimeDelta::days(28)));
    }

    #[test]
    fn requests_before_the_last_four_weeks_do_not_count() {
        let old = visits(&[0, 1, 700, 800], 10);
        assert_eq!(old, UsualVisits { requests: 20, gap_hours: Some(1) });
    }

    #[test]
    fn the_median_of_two_gaps_is_the_smaller() {
        assert_eq!(visits(&[0, 2, 12], 10).gap_hours, Some(2));
    }
}
