//! A chart over days or hours, with the same numbers as a table.

use std::collections::BTreeSet;
use std::ops::Range;

use chrono::NaiveDate;
use maud::{Markup, html};

use crate::report::chart::{self, DataTable, Plot, PlotColumn, Series};
use crate::report::traffic::TrafficWords;

/// Parts that are drawn and listed one by one; the rest is one.
const MAX_PARTS: usize = 8;
/// Days from which each column is a week.
const MIN_DAYS_OF_WEEKS: usize = 120;
/// Days from which the columns are of several years.
const MIN_DAYS_OF_YEARS: usize = 300;
const WEEK: usize = 7;

/// How long a column is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TimeUnit {
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A week, or the days that are left of one.
    Week,
}

/// The columns of a chart.
#[derive(Clone, Debug)]
pub struct TimeSpans {
    /// How long each is.
    pub unit: TimeUnit,
    /// What is below each, and the places of its values.
    pub spans: Vec<(String, Range<usize>)>,
}

impl TimeSpans {
    /// Columns for days that follow each other: weeks, if there are many.
    pub fn of_days(days: &[NaiveDate], words: TrafficWords) -> Self {
        let (unit, step) = match days.len() {
            MIN_DAYS_OF_WEEKS.. => (TimeUnit::Week, WEEK),
            _ => (TimeUnit::Day, 1),
        };
        let has_years = days.len() >= MIN_DAYS_OF_YEARS;
        let label = |day| if has_years { words.day(day) } else { words.short_day(day) };
        let spans = days.iter().enumerate().step_by(step);
        let spans = spans
            .map(|(place, day)| (label(*day), place..(place + step).min(days.len())))
            .collect();
        Self { unit, spans }
    }

    /// The sums of values in each column; `None` where none of them has data.
    pub fn sums(&self, values: &[u64], without_data: &BTreeSet<usize>) -> Vec<Option<u64>> {
        let sum = |places: &Range<usize>| {
            let has_data = places.clone().any(|place| !without_data.contains(&place));
            let values = values.get(places.clone()).unwrap_or_default();
            has_data.then(|| values.iter().fold(0, |sum: u64, value| sum.saturating_add(*value)))
        };
        self.spans.iter().map(|(_, places)| sum(places)).collect()
    }
}

/// What is drawn in one color.
#[derive(Clone, Debug)]
pub struct TimePart<'a> {
    /// A class of the style sheet, such as `s-search`.
    pub class: &'a str,
    /// Its name.
    pub name: String,
    /// A value for each hour or day.
    pub values: &'a [u64],
}

/// How a chart is drawn.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ChartForm {
    /// Stacked bars, for parts of a whole.
    Bars,
    /// Lines.
    Lines,
}

/// A chart over time.
#[derive(Clone, Debug)]
pub struct TimeChart<'a> {
    /// What it shows.
    pub title: &'a str,
    /// How it is drawn.
    pub form: ChartForm,
    /// Its columns.
    pub spans: &'a TimeSpans,
    /// Its parts, the lowest first.
    pub parts: &'a [TimePart<'a>],
    /// The places of values that are not known.
    pub without_data: &'a BTreeSet<usize>,
    /// The sentence that says what can be seen, by its name in `locales/`.
    pub about: &'a str,
}

impl TimeChart<'_> {
    /// The chart and its table, with something between the two.
    pub fn render(&self, words: TrafficWords, between: &Markup) -> Markup {
        let values = self.values();
        let series: Vec<Series<'_>> = self
            .parts
            .iter()
            .map(|part| Series { class: part.class, label: part.name.as_str() })
            .collect();
        let columns: Vec<PlotColumn<'_>> = self
            .spans
            .spans
            .iter()
            .zip(&values)
            .map(|((label, _), values)| PlotColumn {
                label: label.as_str(),
                values: values.clone(),
            })
            .collect();
        let (rest, no_data) = (words.text("rest"), words.text("no-data"));
        let plot = Plot {
            title: self.title,
            description: &self.description(words, &values),
            series: &series,
            columns: &columns,
            marks: &[],
            rest: rest.as_str(),
            no_data: no_data.as_str(),
            lang: words.lang(),
        };
        html! {
            @match self.form {
                ChartForm::Bars => (chart::bars(&plot)),
                ChartForm::Lines => (chart::lines(&plot)),
            }
            (between)
            (self.table(words, &values))
        }
    }

    /// A value of each part for each column.
    fn values(&self) -> Vec<Option<Vec<u64>>> {
        let sums = self.parts.iter().map(|part| self.spans.sums(part.values, self.without_data));
        let sums: Vec<Vec<Option<u64>>> = sums.collect();
        let column = |at: usize| sums.iter().map(|sums| sums.get(at).copied().flatten()).collect();
        (0..self.spans.spans.len()).map(column).collect()
    }

    /// What can be seen, in a sentence.
    fn description(&self, words: TrafficWords, values: &[Option<Vec<u64>>]) -> String {
        let sum = |values: &Option<Vec<u64>>| -> u64 { values.iter().flatten().sum() };
        let highest = values.iter().map(sum).zip(&self.spans.spans).max_by_key(|(sum, _)| *sum);
        let Some((most, (label, _))) = highest else { return String::new() };
        let all: u64 = values.iter().map(sum).sum();
        words
            .fill(
                self.about,
                [("all", words.number(all)), ("most", words.number(most)), ("when", label.clone())],
            )
            .as_str()
            .to_owned()
    }

    fn table(&self, words: TrafficWords, values: &[Option<Vec<u64>>]) -> Markup {
        let first = match self.spans.unit {
            TimeUnit::Hour => "hour",
            TimeUnit::Day => "day",
            TimeUnit::Week => "week",
        };
        let mut columns = vec![words.text(first).as_str().to_owned()];
        columns.extend(self.parts.iter().take(MAX_PARTS).map(|part| part.name.clone()));
        if self.parts.len() > MAX_PARTS {
            columns.push(words.text("rest").as_str().to_owned());
        }
        let numbers = |values: &Vec<u64>| {
            let mut numbers: Vec<u64> = values.iter().take(MAX_PARTS).copied().collect();
            if values.len() > MAX_PARTS {
                numbers.push(values.iter().skip(MAX_PARTS).sum());
            }
            numbers
        };
        let spans = self.spans.spans.iter().zip(values);
        let rows: Vec<(String, Option<Vec<u64>>)> = spans
            .map(|((label, _), values)| (label.clone(), values.as_ref().map(numbers)))
            .collect();
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let (summary, no_data) = (words.text("same-numbers"), words.text("no-data"));
        chart::data_table(&DataTable {
            summary: summary.as_str(),
            columns: &columns,
            rows: &rows,
            no_data: no_data.as_str(),
            lang: words.lang(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::locale::Lang;

    fn days(count: usize) -> Vec<NaiveDate> {
        NaiveDate::from_ymd_opt(2026, 1, 1).unwrap().iter_days().take(count).collect()
    }

    #[test]
    fn many_days_are_weeks() {
        let words = TrafficWords::new(Lang::En);
        let few = TimeSpans::of_days(&days(119), words);
        assert_eq!((few.unit, few.spans.len()), (TimeUnit::Day, 119));
        let many = TimeSpans::of_days(&days(365), words);
        assert_eq!((many.unit, many.spans.len()), (TimeUnit::Week, 53));
        assert_eq!(many.spans.last(), Some(&("31 Dec 2026".to_owned(), 364..365)));
    }

    #[test]
    fn a_week_has_data_if_one_of_its_days_has() {
        let words = TrafficWords::new(Lang::En);
        let spans = TimeSpans::of_days(&days(140), words);
        let values = vec![1; 140];
        let without_data: BTreeSet<usize> = (7..20).collect();
        let sums = spans.sums(&values, &without_data);
        assert_eq!(sums.get(..4), Some(&[Some(7), None, Some(7), Some(7)][..]));
    }
}
