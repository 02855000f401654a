//! Text: languages and their sentences, words, excerpts, and escaping for each form of output.

pub(crate) mod base62;
pub(crate) mod demand;
// For the site of the service, which serves them, too.
#[doc(hidden)]
pub mod docs;
// For the two programs, which print what strangers wrote.
#[doc(hidden)]
pub mod escape;
pub(crate) mod excerpt;
pub(crate) mod fold;
pub mod locale;
pub(crate) mod machine_date;
pub mod markup;
// For the two programs: the name that may have been meant.
#[doc(hidden)]
pub mod nearest;
pub mod note;
pub mod number;
pub(crate) mod phrases;
pub(crate) mod placeholder;
pub(crate) mod sentence;
// What a `Note` may hold.
#[doc(hidden)]
pub mod syntax_error;
// For `tests/integration/audit/languages.rs`.
#[doc(hidden)]
pub mod words;
