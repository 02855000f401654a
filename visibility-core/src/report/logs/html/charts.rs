//! What is drawn over the days.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use maud::{Markup, html};

use super::{PURPOSES, SitePart};
use crate::access_log::summary::DayRow;
use crate::report::chart::spark;
use crate::report::parts::matrix::purpose_class;
use crate::report::traffic::{ChartForm, TimeChart, TimePart, TimeSpans};
use crate::text::markup::shown;

/// Days that are drawn: three years.
const MAX_DAYS: usize = 1_100;

/// The days from the first request to the last one.
pub(super) struct Days<'a> {
    drawn: Vec<NaiveDate>,
    rows: BTreeMap<NaiveDate, &'a DayRow>,
    /// Places of days without any request by anyone: of those the files say nothing.
    without_data: BTreeSet<usize>,
    /// Days before those that are drawn.
    earlier: usize,
}

impl<'a> Days<'a> {
    pub(super) fn new(rows: &'a [DayRow]) -> Self {
        let rows: BTreeMap<NaiveDate, &DayRow> = rows.iter().map(|row| (row.day, row)).collect();
        let span = rows.first_key_value().zip(rows.last_key_value());
        let Some(((first, _), (last, _))) = span else {
            return Self { drawn: Vec::new(), rows, without_data: BTreeSet::new(), earlier: 0 };
        };
        let all = usize::try_from((*last - *first).num_days()).unwrap_or_default() + 1;
        let mut drawn: Vec<NaiveDate> = std::iter::successors(Some(*last), NaiveDate::pred_opt)
            .take(all.min(MAX_DAYS))
            .collect();
        drawn.reverse();
        let without_data = (0..).zip(&drawn).filter(|(_, day)| !rows.contains_key(day));
        let without_data = without_data.map(|(place, _)| place).collect();
        Self { earlier: all - drawn.len(), drawn, rows, without_data }
    }

    /// A value for each day; 0 where there is no data.
    fn values(&self, value: impl Fn(&DayRow) -> u64) -> Vec<u64> {
        self.drawn.iter().map(|day| self.rows.get(day).map_or(0, |row| value(row))).collect()
    }
}

impl SitePart<'_> {
    /// Requests of agents by day and purpose.
    pub(super) fn requests_by_day(&self) -> Markup {
        let days = Days::new(&self.site.days);
        let values = PURPOSES.map(|purpose| {
            days.values(|row| row.purposes.get(&purpose).copied().unwrap_or_default())
        });
        let parts: Vec<TimePart<'_>> = PURPOSES
            .into_iter()
            .zip(&values)
            .filter(|(_, values)| values.iter().any(|value| *value > 0))
            .map(|(purpose, values)| TimePart {
                class: purpose_class(purpose),
                name: self.words.purpose(purpose).as_str().to_owned(),
                values,
            })
            .collect();
        let title = self.words.text("chart-requests");
        html! {
            figure.pad {
                figcaption.eyebrow { (title) }
                (self.chart(&days, title.as_str(), ChartForm::Bars, &parts))
            }
        }
    }

    /// Visits from assistants by day.
    pub(super) fn visits_by_day(&self) -> Markup {
        let days = Days::new(&self.site.days);
        let title = self.label("log-report-visits-back");
        let values = days.values(|row| row.visits);
        let part =
            TimePart { class: "s-5", name: self.label("log-report-visits"), values: &values };
        html! { figure.pad { (self.chart(&days, &title, ChartForm::Lines, &[part])) } }
    }

    fn chart(
        &self,
        days: &Days<'_>,
        title: &str,
        form: ChartForm,
        parts: &[TimePart<'_>],
    ) -> Markup {
        let about = match form {
            ChartForm::Bars => "chart-about",
            ChartForm::Lines => "chart-about-visits",
        };
        let spans = TimeSpans::of_days(&days.drawn, self.words);
        let without_data = &days.without_data;
        let chart = TimeChart { title, form, spans: &spans, parts, without_data, about };
        html! {
            (chart.render(self.words, &html! {}))
            @if days.earlier > 0 {
                @let last = self.words.number(days.drawn.len().try_into().unwrap_or(u64::MAX));
                @let all = days.drawn.len() + days.earlier;
                @let all = self.words.number(all.try_into().unwrap_or(u64::MAX));
                p.note {
                    (shown(self.place.labels().sentence("log-report-last-days", &[("last", &last), ("all", &all)])))
                }
            }
        }
    }

    /// The small line of each agent over the days, by its id.
    pub(super) fn sparks(&self) -> Sparks<'_> {
        let days = Days::new(&self.site.days);
        Sparks { spans: TimeSpans::of_days(&days.drawn, self.words), days }
    }
}

/// What small lines are drawn of.
pub(super) struct Sparks<'a> {
    days: Days<'a>,
    spans: TimeSpans,
}

impl Sparks<'_> {
    /// Whether there is more than a point to draw.
    pub(super) fn is_drawn(&self) -> bool {
        self.spans.spans.len() > 1
    }

    /// The line of an agent.
    pub(super) fn of(&self, id: &str, name: &str) -> Markup {
        let values = self.days.values(|row| row.agents.get(id).copied().unwrap_or_default());
        let sums = self.spans.sums(&values, &self.days.without_data);
        spark(&sums, name)
    }
}
