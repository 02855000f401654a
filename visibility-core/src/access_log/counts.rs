//! What became of each line of a log.

use crate::agents::ranges::Identity;
use crate::ingest::Reason;

/// Why a line is no record. Each line has one reason, or is a record.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum LineSkipReason {
    /// No agent of the registry has this user agent.
    NotAnAgent,
    /// There is no user agent.
    NoUserAgent,
    /// What was sent is no request of HTTP for a path.
    NoRequest,
    /// The connection ended without a status.
    NoStatus,
    /// The line is about something else.
    NotAccess,
    /// Another line is about the same request.
    Duplicate,
    /// It is older than what was asked for.
    TooOld,
    /// It does not come from the operator of the agent that it names, and such lines are left out.
    Impostor,
    /// It does not have the form of the log.
    Unreadable,
    /// It is longer than a line may be.
    TooLong,
    /// It is the last one, and its end has not come.
    CutOff,
    /// It is a part of a line whose end has come on another one.
    Part,
    /// There is nothing in it.
    Blank,
    /// It begins with `#`.
    Comment,
    /// A record was made of it, and the server would not keep it.
    Rejected(Reason),
}

impl LineSkipReason {
    const COUNT: usize = 14 + Reason::ALL.len();

    /// All, in the order in which they are shown.
    pub fn all() -> impl Iterator<Item = Self> {
        let own = [
            Self::NotAnAgent,
            Self::NoUserAgent,
            Self::NoRequest,
            Self::NoStatus,
            Self::NotAccess,
            Self::Duplicate,
            Self::TooOld,
            Self::Impostor,
            Self::Unreadable,
            Self::TooLong,
            Self::CutOff,
            Self::Part,
            Self::Blank,
            Self::Comment,
        ];
        own.into_iter().chain(Reason::ALL.map(Self::Rejected))
    }

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotAnAgent => "not_an_agent",
            Self::NoUserAgent => "no_user_agent",
            Self::NoRequest => "no_request",
            Self::NoStatus => "no_status",
            Self::NotAccess => "not_access",
            Self::Duplicate => "duplicate",
            Self::TooOld => "too_old",
            Self::Impostor => "impostor",
            Self::Unreadable => "unreadable",
            Self::TooLong => "too_long",
            Self::CutOff => "cut_off",
            Self::Part => "part",
            Self::Blank => "blank",
            Self::Comment => "comment",
            Self::Rejected(reason) => reason.as_str(),
        }
    }

    /// Whether the line should have been a record, so that someone has to look.
    pub fn is_trouble(self) -> bool {
        matches!(self, Self::Unreadable | Self::TooLong | Self::Rejected(_))
    }

    fn place(self) -> usize {
        Self::all().position(|reason| reason == self).unwrap_or_default()
    }
}

/// How many lines became records, and why the others did not: `lines` is `records` and all that were skipped.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct LineCounts {
    lines: u64,
    records: u64,
    skipped: [u64; LineSkipReason::COUNT],
    removed_parameters: u64,
    stripped_records: u64,
    verified: u64,
    impostors: u64,
}

impl LineCounts {
    /// All lines.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Those that became records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Those that did not, for a reason.
    pub fn skipped(&self, reason: LineSkipReason) -> u64 {
        self.skipped.get(reason.place()).copied().unwrap_or_default()
    }

    /// Those that should have been records.
    pub fn troubles(&self) -> u64 {
        LineSkipReason::all()
            .filter(|reason| reason.is_trouble())
            .map(|reason| self.skipped(reason))
            .sum()
    }

    /// Parameters that were taken out of requests that became records.
    pub fn removed_parameters(&self) -> u64 {
        self.removed_parameters
    }

    /// Records that they were taken out of.
    pub fn stripped_records(&self) -> u64 {
        self.stripped_records
    }

    /// Records whose address is in the list of their agent.
    pub fn verified(&self) -> u64 {
        self.verified
    }

    /// Records whose address should be in that list and is not.
    pub fn impostors(&self) -> u64 {
        self.impostors
    }

    /// Records about whose address nothing can be said.
    pub fn unchecked(&self) -> u64 {
        self.records.saturating_sub(self.verified + self.impostors)
    }

    /// What the address of a record says.
    pub(super) fn identity(&mut self, identity: Identity) {
        match identity {
            Identity::Verified => self.verified += 1,
            Identity::Impostor => self.impostors += 1,
            Identity::Unchecked => {}
        }
    }

    pub(super) fn skip(&mut self, reason: LineSkipReason) {
        self.lines += 1;
        if let Some(count) = self.skipped.get_mut(reason.place()) {
            *count += 1;
        }
    }

    /// A line whose parts are counted has no end: the last part is cut off.
    pub(super) fn cut_off_part(&mut self) {
        for (reason, is_more) in [(LineSkipReason::Part, false), (LineSkipReason::CutOff, true)] {
            if let Some(count) = self.skipped.get_mut(reason.place()) {
                *count = if is_more { *count + 1 } else { count.saturating_sub(1) };
            }
        }
    }

    pub(super) fn record(&mut self, removed_parameters: u32) {
        self.lines += 1;
        self.records += 1;
        self.removed_parameters += u64::from(removed_parameters);
        self.stripped_records += u64::from(removed_parameters > 0);
    }

    /// The counts as JSON, each reason with its name.
    pub fn to_json(&self) -> serde_json::Value {
        let skipped = LineSkipReason::all()
            .map(|reason| (reason.name().to_owned(), self.skipped(reason).into()))
            .collect::<serde_json::Map<_, _>>();
        serde_json::json!({
            "lines": self.lines,
            "records": self.records,
            "skipped": skipped,
            "removed_parameters": self.removed_parameters,
            "stripped_records": self.stripped_records,
            "identity": {
                "verified": self.verified,
                "impostor": self.impostors,
                "unchecked": self.unchecked(),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_place_and_a_name() {
        let mut counts = LineCounts::default();
        for reason in LineSkipReason::all() {
            counts.skip(reason);
        }
        counts.record(2);
        assert!(LineSkipReason::all().all(|reason| counts.skipped(reason) == 1));
        assert_eq!(counts.lines(), LineSkipReason::COUNT as u64 + 1);
        let json = counts.to_json();
        assert_eq!(json["skipped"].as_object().unwrap().len(), LineSkipReason::COUNT);
        assert_eq!(
            (counts.troubles(), counts.removed_parameters(), counts.stripped_records()),
            (10, 2, 1)
        );
    }
}
