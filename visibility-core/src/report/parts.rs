//! Parts of a report in HTML, of which files and pages are made: each takes a result and gives markup.
//!
//! [`score`] comes first, with the points by category; then [`plan`], [`matrix`], [`checks`] and [`observations`] of a scan, or
//! [`plan`], [`reading`] and [`signals`] of an audit. Where a part is in its document is a [`Place`]. The classes are those
//! of [`style`](crate::report::style).

pub mod checks;
mod item;
pub mod matrix;
pub mod observations;
mod piece;
mod place;
pub mod plan;
pub mod reading;
pub mod score;
pub mod signals;

pub use piece::logo;
pub(super) use piece::{Column, source_link, table, verdict_tag};
pub use place::Place;
