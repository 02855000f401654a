//! The chart of a series, with the same numbers as a table and as files.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use maud::{Markup, html};
use visibility_core::agents::Purpose;
use visibility_core::report::chart;
use visibility_core::report::parts::matrix::purpose_class;
use visibility_core::report::traffic::{
    ChartForm, TimeChart, TimePart, TimeSpans, TimeUnit, TrafficWords,
};
use visibility_core::text::markup::shown;
use visibility_core::traffic::ResponseClass;

use super::view::LogsView;
use crate::traffic::series::{GroupSeries, Series, SeriesGroup};

/// Purposes from the bottom of a bar to its top.
const PURPOSES: [Purpose; 4] = [Purpose::Training, Purpose::Search, Purpose::User, Purpose::Other];
/// Groups that are drawn and listed one by one; the rest is one.
const MAX_GROUPS: usize = 8;
/// Colors of groups that are no purposes, by their place.
const CLASSES: [&str; MAX_GROUPS] =
    ["s-search", "s-user", "s-training", "s-5", "s-6", "s-7", "s-8", "s-other"];

/// A series on a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeriesChart<'a> {
    pub(super) series: &'a Series,
    /// What it shows.
    pub(super) title: &'a str,
    /// The addresses of CSV and JSON.
    pub(super) files: (&'a str, &'a str),
}

impl SeriesChart<'_> {
    pub(super) fn render(&self, view: &LogsView) -> Markup {
        let words = view.words;
        let parts = self.parts(words);
        if self.series.groups.iter().all(|group| group.requests == 0) {
            return html! {
                figure.pad { p { (words.text("no-requests")) } }
            };
        }
        let (csv, json) = self.files;
        let files = html! {
            p.files {
                a href=(view.link(csv)) { "CSV" } " · " a href=(view.link(json)) { "JSON" }
            }
        };
        let chart = TimeChart {
            title: self.title,
            form: ChartForm::Bars,
            spans: &self.spans(words),
            parts: &parts,
            without_data: &BTreeSet::new(),
            about: "chart-about",
        };
        html! { figure.pad { (chart.render(words, &files)) } }
    }

    /// The groups in the order in which they are drawn.
    fn parts(&self, words: TrafficWords) -> Vec<TimePart<'_>> {
        let groups = &self.series.groups;
        if self.series.group == SeriesGroup::Purpose {
            let part = |purpose: Purpose| {
                let group = groups.iter().find(|group| group.key == purpose.as_str())?;
                let name = words.purpose(purpose).as_str().to_owned();
                Some(TimePart { class: purpose_class(purpose), name, values: &group.values })
            };
            return PURPOSES.into_iter().filter_map(part).collect();
        }
        let classes = CLASSES.into_iter().chain(std::iter::repeat("s-rest"));
        let groups: Vec<(&GroupSeries, &'static str)> = match self.series.group {
            SeriesGroup::Status => groups.iter().zip(status_classes(groups)).collect(),
            _ => groups.iter().zip(classes).collect(),
        };
        let groups = groups.into_iter();
        groups
            .map(|(group, class)| TimePart {
                class,
                name: group.name.clone(),
                values: &group.values,
            })
            .collect()
    }

    /// What each bar is of.
    fn spans(&self, words: TrafficWords) -> TimeSpans {
        let Some(hours) = &self.series.hours else {
            return TimeSpans::of_days(self.series.days.as_deref().unwrap_or_default(), words);
        };
        let has_days = hours.len() > 24;
        let label = |hour: &String| match hour.parse::<DateTime<Utc>>() {
            Ok(time) if has_days => {
                format!("{} {}", words.short_day(time.date_naive()), time.format("%H:%M"))
            }
            Ok(time) => time.format("%H:%M").to_string(),
            Err(_) => hour.clone(),
        };
        let spans = hours.iter().enumerate();
        let spans = spans.map(|(place, hour)| (label(hour), place..place + 1)).collect();
        TimeSpans { unit: TimeUnit::Hour, spans }
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
    let values: Vec<Option<u64>> = values.iter().copied().map(Some).collect();
    html! { td.trend { (chart::spark(&values, shown(name).as_str())) } }
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
