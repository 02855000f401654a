//! `visibility scan`.

mod lists;
mod output;
mod typed;
