//! What pages and files about bot logs share: their words, changes against earlier days, and charts over time.

mod change;
mod striking;
mod time_chart;
mod words;

pub use change::FigureChange;
pub use striking::is_striking;
pub use time_chart::{ChartForm, TimeChart, TimePart, TimeSpans, TimeUnit};
pub use words::TrafficWords;
