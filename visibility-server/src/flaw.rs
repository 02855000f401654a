//! What is wrong with a header or with a parameter of the query.

use visibility_core::error::{ErrorCode, Problem};

/// What is wrong: in English for `details`, and as the name of a sentence in both languages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flaw {
    id: &'static str,
    /// Behind the name it makes a sentence.
    pub(crate) reason: &'static str,
}

macro_rules! flaws {
    ($($name:ident $id:literal $reason:literal;)*) => {
        $(pub(crate) const $name: Flaw = Flaw { id: $id, reason: $reason };)*

        #[cfg(test)]
        const ALL: &[Flaw] = &[$($name),*];
    };
}

flaws! {
    MISSING "missing" "is missing";
    TWICE "twice" "stands there twice";
    NOT_ASCII "not-ascii" "is not ASCII";
    NOT_CHUNKED "not-chunked" "is something else than `chunked`";
    NOT_A_UUID "not-a-uuid" "is not a UUID such as `6f1d2c3b-4a59-4687-9b0c-1d2e3f405162`";
    NO_SCHEMA "no-schema" "is missing; send `1`";
    OTHER_SCHEMA "other-schema" "is not `1`";
    NOT_NDJSON "not-ndjson" "is not `application/x-ndjson` in UTF-8";
    OTHER_CODING "other-coding" "is neither `gzip` nor `identity`";
    NOT_TEST "not-test" "is not `test`";
    UNKNOWN "unknown" "is no parameter of this route";
    NOT_A_DAY "not-a-day" "is not a day such as `2026-01-31`";
    NOT_A_NUMBER "not-a-number" "is not a number";
    NOT_A_STATUS "not-a-status" "is neither a status nor a class such as `4xx`";
    NOT_A_PURPOSE "not-a-purpose" "is none of `search`, `user`, `training` and `other`";
    TOO_MANY_PATHS "too-many-paths" "is larger than 1000";
    AFTER_TO "after-to" "is later than `to`";
    TOO_MANY_DAYS "too-many-days" "is more than 800 days before `to`";
}

impl Flaw {
    /// The problem of the header or the parameter with this name.
    pub(crate) fn of(self, name: &str) -> Problem {
        Problem::at(ErrorCode::InvalidRequest, ["flaws", self.id]).value("name", name)
    }
}

#[cfg(test)]
mod tests {
    use visibility_core::locale::{Catalog, Lang};

    use super::*;

    #[test]
    fn details_and_sentence_say_the_same() {
        for flaw in ALL {
            let sentence = flaw.of("X").object(Lang::En).message;
            assert_eq!(sentence, format!("`X` {}.", flaw.reason));
            let turkish = flaw.of("X").object(Lang::Tr).message;
            assert!(turkish.starts_with("`X`") && turkish != sentence, "{turkish}");
        }
        assert_eq!(Catalog::of(Lang::Tr).keys(&["flaws"]).len(), ALL.len());
    }
}
