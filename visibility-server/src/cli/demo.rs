//! What `serve --demo` shows: a temporary folder with a story in it.

mod fill;
pub(crate) mod folder;
mod log;

pub(crate) use self::fill::{FillError, fill};
