//! `visibility-server audits`.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate, Utc};
use serde::Serialize;
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::audit::status::Status;
use visibility_core::report::audit::markdown;
use visibility_core::text::locale::Lang;

use super::stores;
use crate::cli::args::{AuditFormat, AuditsCommand, FormatArgs, GlobalArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::jobs::audit_usage::UsageEvent;
use crate::jobs::cache::gunzip;

/// Runs a command about audits.
pub(super) fn run(
    command: &AuditsCommand,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    match command {
        AuditsCommand::Usage { days, format } => usage(*days, *format, global, console),
        AuditsCommand::Show { id, format, lang } => show(*id, *lang, *format, global, console),
    }
}

/// What became of the wishes for audits of one day, or of all of them.
#[derive(Debug, Default, Serialize)]
struct EventCounts {
    /// Audits that took place.
    audits: u64,
    /// The same by how they came out; those that never did are left out.
    by_status: BTreeMap<&'static str, u64>,
    /// Answers from what is kept.
    cached: u64,
    /// Requests that joined a running audit.
    shared: u64,
    refused: RefusedCounts,
    /// Pages that may not be asked for.
    not_allowed: u64,
    /// Audits whose callers disconnected before the end.
    abandoned: u64,
    /// Faults of ours.
    internal: u64,
}

/// Wishes that were refused, by what was used up.
#[derive(Debug, Default, Serialize)]
struct RefusedCounts {
    minute: u64,
    day: u64,
    host: u64,
    /// What may run for one address.
    running: u64,
    /// Places to wait.
    queue: u64,
}

/// The counts of a day.
#[derive(Debug, Serialize)]
struct DayUsage {
    day: NaiveDate,
    #[serde(flatten)]
    counts: EventCounts,
}

/// All that `usage` says.
#[derive(Debug, Serialize)]
struct UsageReport {
    from: NaiveDate,
    to: NaiveDate,
    total: EventCounts,
    days: Vec<DayUsage>,
}

impl EventCounts {
    fn add(&mut self, event: &str, count: u64) {
        let status = Status::ALL.into_iter().find(|status| status.as_str() == event);
        if let Some(status) = status {
            self.audits += count;
            *self.by_status.entry(status.as_str()).or_default() += count;
            return;
        }
        let fields = [
            (UsageEvent::Cached, &mut self.cached),
            (UsageEvent::Shared, &mut self.shared),
            (UsageEvent::RefusedMinute, &mut self.refused.minute),
            (UsageEvent::RefusedDay, &mut self.refused.day),
            (UsageEvent::RefusedHost, &mut self.refused.host),
            (UsageEvent::RefusedRunning, &mut self.refused.running),
            (UsageEvent::Busy, &mut self.refused.queue),
            (UsageEvent::NotAllowed, &mut self.not_allowed),
            (UsageEvent::Abandoned, &mut self.abandoned),
            (UsageEvent::Internal, &mut self.internal),
        ];
        let field = fields.into_iter().find(|(known, _)| known.as_str() == event);
        if let Some((_, field)) = field {
            *field += count;
        }
    }

    fn row(&self, name: &str) -> Vec<String> {
        let RefusedCounts { minute, day, host, running, queue } = self.refused;
        let mut row = vec![name.to_owned(), self.audits.to_string()];
        row.extend(
            Status::ALL
                .map(|status| self.by_status.get(status.as_str()).copied().unwrap_or_default())
                .map(|count| count.to_string()),
        );
        let others = [
            self.cached,
            self.shared,
            minute + day + host + running + queue,
            self.not_allowed,
            self.abandoned + self.internal,
        ];
        row.extend(others.map(|count| count.to_string()));
        row
    }
}

/// The titles of a table: those of [`EventCounts::row`].
fn titles() -> Vec<&'static str> {
    let statuses = Status::ALL.map(Status::as_str);
    let others = ["cached", "shared", "refused", "not_allowed", "unfinished"];
    ["day", "audits"].into_iter().chain(statuses).chain(others).collect()
}

fn usage(
    days: u16,
    format: FormatArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let to = Utc::now().date_naive();
    let from = to.checked_sub_days(Days::new(u64::from(days).saturating_sub(1))).unwrap_or(to);
    let found = stores(global)?.state_store().audit_usage(from)?;
    let mut used = UsageReport { from, to, total: EventCounts::default(), days: Vec::new() };
    for ((day, event), count) in found {
        used.total.add(&event, count);
        if used.days.last().is_none_or(|last| last.day != day) {
            used.days.push(DayUsage { day, counts: EventCounts::default() });
        }
        if let Some(last) = used.days.last_mut() {
            last.counts.add(&event, count);
        }
    }
    if format.is_json() {
        console.print_json(&used)?;
    } else if used.days.is_empty() {
        console.say("There were no audit requests.");
    } else {
        let mut rows: Vec<Vec<String>> =
            used.days.iter().map(|day| day.counts.row(&day.day.to_string())).collect();
        rows.push(used.total.row("total"));
        console.print_table(&titles(), &rows)?;
    }
    Ok(Exit::Ok)
}

fn show(
    id: AuditId,
    lang: Lang,
    format: AuditFormat,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let found = stores(global)?.state_store().audit(&id.to_string(), lang)?.ok_or_else(|| {
        CommandError::usage(
            format!("there is no audit `{id}`"),
            "results are stored for `audits.keep_days`; a new audit of the page has another id",
        )
    })?;
    let damaged = |error| CommandError::internal("cannot read the audit", error);
    let json = gunzip(&found.body).map_err(damaged)?;
    let result: AuditResult =
        serde_json::from_slice(&json).map_err(|error| damaged(error.into()))?;
    match format {
        AuditFormat::Json => console.print_json(&result)?,
        AuditFormat::Human => console.print(&markdown::render(&result))?,
    }
    Ok(Exit::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_counted_somewhere() {
        let others = [
            UsageEvent::Cached,
            UsageEvent::Shared,
            UsageEvent::RefusedMinute,
            UsageEvent::RefusedDay,
            UsageEvent::RefusedHost,
            UsageEvent::RefusedRunning,
            UsageEvent::NotAllowed,
            UsageEvent::Busy,
            UsageEvent::Abandoned,
            UsageEvent::Internal,
        ];
        let all = Status::ALL.map(UsageEvent::Audited).into_iter().chain(others);
        let mut counts = EventCounts::default();
        let mut count = 0;
        for event in all {
            counts.add(event.as_str(), 1);
            count += 1;
        }
        counts.add("unknown", 100);
        let row = counts.row("x");
        assert_eq!(row.len(), titles().len());
        let numbers = row.iter().skip(2).map(|text| text.parse::<u64>().unwrap());
        assert_eq!(numbers.sum::<u64>(), count);
        assert_eq!(row[1], "7");
    }
}
