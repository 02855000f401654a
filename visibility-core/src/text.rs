//! Text: languages and their sentences, words, excerpts, and escaping for each form of output.

pub(crate) mod base62;
pub mod escape;
pub mod excerpt;
pub mod locale;
pub mod nearest;
pub mod note;
pub mod placeholder;
pub(crate) mod prompt_injection;
pub mod syntax_error;
pub mod words;
