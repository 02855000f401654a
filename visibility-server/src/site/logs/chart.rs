//! The chart of a series, with the same numbers as a table and as files.

use std::ops::Range;

use chrono::{DateTime, Utc};
use maud::{Markup, html};
use visibility_core::agents::Purpose;
use visibility_core::report::chart::{self, Bar, BarChart};
use visibility_core::report::parts::matrix::purpose_class;
use visibility_core::text::markup::shown;
use visibility_core::traffic::ResponseClass;

use super::view::LogsView;
use super::words::Words;
use crate::traffic::series::{GroupSeries, Series, SeriesGroup};

/// Purposes from the bottom of a bar to its top.
const PURPOSES: [Purpose; 4] = [Purpose::Training, Purpose::Search, Purpose::User, Purpose::Other];
/// Groups that are drawn and listed one by one; the rest is one.
const MAX_GROUPS: usize = 8;
/// Colors of groups that are no purposes, by their place.
const CLASSES: [&str; MAX_GROUPS] =
    ["s-search", "s-user", "s-training", "s-5", "s-6", "s-7", "s-8", "s-other"];
/// Days from which each bar is a week.
const MIN_DAYS_OF_WEEKS: usize = 120;
/// Days from which the bars are of several years.
const MIN_DAYS_OF_YEARS: usize = 300;
const WEEK: usize = 7;

/// What a bar is of: its label, and the places of its values.
type Span = (String, Range<usize>);

/// A series on a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeriesChart<'a> {
    pub(super) series: &'a Series,
    /// What it shows.
    pub(super) title: &'a str,
    /// The addresses of CSV and JSON.
    pub(super) files: (&'a str, &'a str),
}

/// A group as it is drawn.
struct Part<'a> {
    class: &'static str,
    name: String,
    group: &'a GroupSeries,
}

impl SeriesChart<'_> {
    pub(super) fn render(&self, view: &LogsView) -> Markup {
        let words = &view.words;
        let parts = self.parts(words);
        let spans = self.spans(words);
        let rest = words.text("rest");
        let (csv, json) = self.files;
        if parts.iter().all(|part| part.group.requests == 0) {
            return html! {
                figure.pad { p { (words.text("no-requests")) } }
            };
        }
        let values: Vec<Vec<u64>> = spans
            .iter()
            .map(|(_, places)| {
                let sum = |part: &Part<'_>| -> u64 {
                    places.clone().filter_map(|place| part.group.values.get(place)).sum()
                };
                parts.iter().map(sum).collect()
            })
            .collect();
        let series: Vec<chart::Series<'_>> = parts
            .iter()
            .map(|part| chart::Series { class: part.class, label: part.name.as_str() })
            .collect();
        let bars: Vec<Bar<'_>> = spans
            .iter()
            .zip(&values)
            .map(|((label, _), values)| Bar { label: label.as_str(), values: values.clone() })
            .collect();
        let chart = BarChart {
            title: self.title,
            description: &self.description(words, &spans, &values),
            series: &series,
            bars: &bars,
            marks: &[],
            rest: rest.as_str(),
            lang: words.lang,
        };
        html! {
            figure.pad {
                (chart::bars(&chart))
                p.files {
                    a href=(view.link(csv)) { "CSV" } " · " a href=(view.link(json)) { "JSON" }
                }
                (self.table(words, &parts, (&spans, &values)))
            }
        }
    }

    /// The groups in the order in which they are drawn.
    fn parts(&self, words: &Words) -> Vec<Part<'_>> {
        let groups = &self.series.groups;
        if self.series.group == SeriesGroup::Purpose {
            let part = |purpose: Purpose| {
                let group = groups.iter().find(|group| group.key == purpose.as_str())?;
                let name = words.purpose(purpose).as_str().to_owned();
                Some(Part { class: purpose_class(purpose), name, group })
            };
            return PURPOSES.into_iter().filter_map(part).collect();
        }
        let classes = CLASSES.into_iter().chain(std::iter::repeat("s-rest"));
        let groups: Vec<(&GroupSeries, &'static str)> = match self.series.group {
            SeriesGroup::Status => groups.iter().zip(status_classes(groups)).collect(),
            _ => groups.iter().zip(classes).collect(),
        };
        let groups = groups.into_iter();
        groups.map(|(group, class)| Part { class, name: group.name.clone(), group }).collect()
    }

    /// What each bar is of: its label, and the places of its values.
    fn spans(&self, words: &Words) -> Vec<Span> {
        if let Some(hours) = &self.series.hours {
            let has_days = hours.len() > 24;
            let label = |hour: &String| match hour.parse::<DateTime<Utc>>() {
                Ok(time) if has_days => {
                    format!("{} {}", words.short_day(time.date_naive()), time.format("%H:%M"))
                }
                Ok(time) => time.format("%H:%M").to_string(),
                Err(_) => hour.clone(),
            };
            return hours
                .iter()
                .enumerate()
                .map(|(place, hour)| (label(hour), place..place + 1))
                .collect();
        }
        let days = self.series.days.as_deref().unwrap_or_default();
        let step = if days.len() >= MIN_DAYS_OF_WEEKS { WEEK } else { 1 };
        let has_years = days.len() >= MIN_DAYS_OF_YEARS;
        let label = |day| if has_years { words.day(day) } else { words.short_day(day) };
        days.iter()
            .enumerate()
            .step_by(step)
            .map(|(place, day)| (label(*day), place..(place + step).min(days.len())))
            .collect()
    }

    /// What can be seen, in a sentence.
    fn description(&self, words: &Words, spans: &[Span], values: &[Vec<u64>]) -> String {
        let sums = values.iter().map(|values| values.iter().sum::<u64>());
        let highest = sums.zip(spans).max_by_key(|(sum, _)| *sum);
        let Some((most, (label, _))) = highest else { return String::new() };
        let all: u64 = self.series.groups.iter().map(|group| group.requests).sum();
        words
            .fill(
                "chart-about",
                [("all", words.number(all)), ("most", words.number(most)), ("when", label.clone())],
            )
            .as_str()
            .to_owned()
    }

    fn table(
        &self,
        words: &Words,
        parts: &[Part<'_>],
        (spans, values): (&[Span], &[Vec<u64>]),
    ) -> Markup {
        let first = match (&self.series.hours, spans.first()) {
            (Some(_), _) => "hour",
            (None, Some((_, places))) if places.len() > 1 => "week",
            (None, _) => "day",
        };
        let mut columns = vec![words.text(first).as_str().to_owned()];
        columns.extend(parts.iter().take(MAX_GROUPS).map(|part| part.name.clone()));
        if parts.len() > MAX_GROUPS {
            columns.push(words.text("rest").as_str().to_owned());
        }
        let row = |((label, _), values): (&(String, _), &Vec<u64>)| {
            let mut numbers: Vec<u64> = values.iter().take(MAX_GROUPS).copied().collect();
            if values.len() > MAX_GROUPS {
                numbers.push(values.iter().skip(MAX_GROUPS).sum());
            }
            (label.clone(), numbers)
        };
        let rows: Vec<(String, Vec<u64>)> = spans.iter().zip(values).map(row).collect();
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let summary = words.text("same-numbers");
        chart::data_table(summary.as_str(), &columns, &rows, words.lang)
    }
}

/// Colors of statuses: each class of responses has one, and one more for its next status.
fn status_classes(groups: &[GroupSeries]) -> Vec<&'static str> {
    let mut left = CLASSES.to_vec();
    let class = |group: &GroupSeries| {
        let class = ResponseClass::of(group.key.parse().unwrap_or_default());
        let own: &[&str] = match class {
            ResponseClass::Served => &["s-training"],
            ResponseClass::Redirected => &["s-search"],
            ResponseClass::Refused => &["s-6", "s-8"],
            ResponseClass::Missing => &["s-user"],
            ResponseClass::Failed => &["s-5", "s-7"],
            ResponseClass::Other => &["s-other"],
        };
        let place = left.iter().position(|class| own.contains(class));
        match place.or((!left.is_empty()).then_some(0)) {
            Some(place) => left.remove(place),
            None => "s-rest",
        }
    };
    groups.iter().map(class).collect()
}

/// The small line of a row.
pub(super) fn spark(values: &[u64], name: &str) -> Markup {
    html! { td.trend { (chart::spark(values, shown(name).as_str())) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_color_is_of_one_status() {
        let group = |status: u16| GroupSeries {
            key: status.to_string(),
            name: status.to_string(),
            requests: 1,
            values: vec![1],
        };
        let some = [200, 403, 404, 503, 301].map(group);
        assert_eq!(status_classes(&some), ["s-training", "s-6", "s-user", "s-5", "s-search"]);
        let many: Vec<GroupSeries> = (400..420).map(group).collect();
        let classes = status_classes(&many);
        let mut drawn: Vec<&str> = classes.iter().take(MAX_GROUPS).copied().collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), MAX_GROUPS, "{classes:?}");
    }
}
