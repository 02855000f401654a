//! Pure renderers of results: what every face shows is written once, here.
//!
//! Each but those of a batch takes a [`ScanResult`](crate::scan::result::ScanResult), which is in one language, and gives
//! a text. Strangers' text in it is escaped for the form it goes to, whatever it holds.

pub mod badge;
pub mod batch;
pub mod diff;
pub mod escape;
pub mod html;
pub mod junit;
pub mod markdown;
pub mod prompt;
pub mod words;

#[cfg(test)]
mod sample;
