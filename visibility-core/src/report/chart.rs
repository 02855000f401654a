//! Charts as SVG: numbers in, markup out.
//!
//! Coordinates are whole, colors and widths of lines come from the style sheet by classes, and every picture has a title
//! and a description, or is hidden from screen readers because its numbers are beside it. A [`data_table`] gives the same
//! numbers to people who would rather read than look.

mod axis;
mod bars;
mod heat;
mod lines;
mod plot;
mod ring;
mod spark;
mod split;
mod strip;
mod table;

pub use bars::bars;
pub use heat::{HeatCell, HeatRow, heat};
pub use lines::{lines, scores};
pub use plot::{Mark, Plot, PlotColumn, Series};
pub use ring::{meter, ring};
pub use spark::spark;
pub use split::split;
pub use strip::{StripRow, strip};
pub use table::{DataTable, data_table};

/// How good what is drawn is: a class of the style sheet.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Neither good nor bad.
    #[default]
    Fair,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
    /// Not known.
    Unsure,
    /// Of no account.
    None,
}

impl Tone {
    /// The class of the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Fair => "fair",
            Self::Warn => "warn",
            Self::Bad => "bad",
            Self::Unsure => "unsure",
            Self::None => "none",
        }
    }
}

/// `part` of `whole` on a line of this length, in whole units and never longer than the line.
fn scaled(part: u64, whole: u64, length: u32) -> u32 {
    if whole == 0 {
        return 0;
    }
    let length_of_part = u128::from(part.min(whole)) * u128::from(length) / u128::from(whole);
    u32::try_from(length_of_part).unwrap_or(length)
}

/// The position of an index on a line of this length.
fn position(index: usize, count: usize, length: u32) -> u32 {
    let index = u64::try_from(index).unwrap_or(u64::MAX);
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    scaled(index, count, length)
}

#[cfg(test)]
mod tests;
