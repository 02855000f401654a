//! Errors of headers and query parameters.

use visibility_core::error::{ErrorCode, Problem};
use visibility_core::text::note::Note;

/// What is wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ParameterError {
    /// It is missing.
    Missing,
    /// It appears more than once.
    Twice,
    /// It has characters that are not ASCII.
    NotAscii,
    /// It is not `chunked`.
    NotChunked,
    /// It is not a UUID.
    NotAUuid,
    /// It is missing, and `1` is its only value.
    NoSchema,
    /// It is not `1`.
    OtherSchema,
    /// It is not NDJSON in UTF-8.
    NotNdjson,
    /// It is neither `gzip` nor `identity`.
    OtherCoding,
    /// It is not `test`.
    NotTest,
    /// The route has no such parameter.
    Unknown,
    /// It is not a day.
    NotADay,
    /// It is not a number.
    NotANumber,
    /// It is neither a status nor a class of them.
    NotAStatus,
    /// It is not a purpose of agents.
    NotAPurpose,
    /// It is more paths than are counted.
    TooManyPaths,
    /// It is later than `to`.
    AfterTo,
    /// It is too long before `to`.
    TooManyDays,
    /// It is empty.
    Empty,
    /// It selects no statuses.
    NotAStatusOrClass,
    /// It is not a kind of path.
    NotAKind,
    /// No agent has this vendor.
    NotAVendor,
    /// It is neither a day nor an hour.
    NotAStep,
    /// Records are not grouped by it.
    NotAGroup,
    /// It is neither true nor false.
    NotTrueOrFalse,
    /// It is not a number of rows.
    NotALimit,
    /// It is not the place of a row.
    NotAPlace,
    /// It is not a period of the pages about logs.
    NotAPeriod,
    /// It is not a figure of those pages.
    NotAFigure,
}

impl ParameterError {
    /// What is wrong: behind the name it makes a sentence.
    pub(crate) fn note(self) -> Note {
        Note::new(match self {
            Self::Missing => "reason-missing",
            Self::Twice => "reason-twice",
            Self::NotAscii => "reason-not-ascii",
            Self::NotChunked => "reason-not-chunked",
            Self::NotAUuid => "reason-not-a-uuid",
            Self::NoSchema => "reason-no-schema",
            Self::OtherSchema => "reason-other-schema",
            Self::NotNdjson => "reason-not-ndjson",
            Self::OtherCoding => "reason-other-coding",
            Self::NotTest => "reason-not-test",
            Self::Unknown => "reason-unknown",
            Self::NotADay => "reason-not-a-day",
            Self::NotANumber => "reason-not-a-number",
            Self::NotAStatus => "reason-not-a-status",
            Self::NotAPurpose => "reason-not-a-purpose",
            Self::TooManyPaths => "reason-too-many-paths",
            Self::AfterTo => "reason-after-to",
            Self::TooManyDays => "reason-too-many-days",
            Self::Empty => "reason-empty",
            Self::NotAStatusOrClass => "reason-not-a-status-or-class",
            Self::NotAKind => "reason-not-a-kind",
            Self::NotAVendor => "reason-not-a-vendor",
            Self::NotAStep => "reason-not-a-step",
            Self::NotAGroup => "reason-not-a-group",
            Self::NotTrueOrFalse => "reason-not-true-or-false",
            Self::NotALimit => "reason-not-a-limit",
            Self::NotAPlace => "reason-not-a-place",
            Self::NotAPeriod => "reason-not-a-period",
            Self::NotAFigure => "reason-not-a-figure",
        })
    }

    /// The problem of the header or the parameter with this name.
    pub(crate) fn problem_for(self, name: &str) -> Problem {
        let problem = Problem::new(ErrorCode::InvalidRequest, "header-or-parameter");
        problem.value("name", name).value_note("reason", self.note())
    }
}

#[cfg(test)]
mod tests {
    use visibility_core::text::locale::{Catalog, Lang};

    use super::*;

    const ALL: [ParameterError; 29] = [
        ParameterError::Missing,
        ParameterError::Twice,
        ParameterError::NotAscii,
        ParameterError::NotChunked,
        ParameterError::NotAUuid,
        ParameterError::NoSchema,
        ParameterError::OtherSchema,
        ParameterError::NotNdjson,
        ParameterError::OtherCoding,
        ParameterError::NotTest,
        ParameterError::Unknown,
        ParameterError::NotADay,
        ParameterError::NotANumber,
        ParameterError::NotAStatus,
        ParameterError::NotAPurpose,
        ParameterError::TooManyPaths,
        ParameterError::AfterTo,
        ParameterError::TooManyDays,
        ParameterError::Empty,
        ParameterError::NotAStatusOrClass,
        ParameterError::NotAKind,
        ParameterError::NotAVendor,
        ParameterError::NotAStep,
        ParameterError::NotAGroup,
        ParameterError::NotTrueOrFalse,
        ParameterError::NotALimit,
        ParameterError::NotAPlace,
        ParameterError::NotAPeriod,
        ParameterError::NotAFigure,
    ];

    #[test]
    fn details_and_sentence_say_the_same() {
        for error in ALL {
            let [english, turkish] = Lang::ALL.map(|lang| {
                let reason = error.note().sentence(Catalog::for_lang(lang));
                assert_eq!(error.problem_for("X").object(lang).message, format!("`X` {reason}."));
                reason
            });
            assert_ne!(english, turkish, "{error:?}");
        }
    }
}
