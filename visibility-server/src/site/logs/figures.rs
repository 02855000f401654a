//! The key figures against those of the days before.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use maud::{Markup, html};
use visibility_core::report::traffic::{FigureChange, TrafficWords};
use visibility_core::store::StoreError;
use visibility_core::text::markup::Shown;

use super::address::{KeyFigure, LogsAddress};
use super::view::LogsView;
use crate::stores::Stores;
use crate::traffic::period::NotWhole;
use crate::traffic::summary::{CountedSummary, PeriodSummary, Summary, summaries};

/// The numbers of the days of a page, and those of the days that are over if the last one is not.
pub(super) struct Figures {
    pub(super) summary: Summary,
    compared: Option<Summary>,
    /// Requests of each agent on the days that are compared, by id.
    agents: BTreeMap<String, u64>,
    /// Those of the days before.
    agents_before: BTreeMap<String, u64>,
}

impl Figures {
    pub(super) fn load(
        stores: &Stores,
        address: &LogsAddress,
        today: NaiveDate,
    ) -> Result<Self, StoreError> {
        let selection = &address.selection;
        let days = selection.from..=selection.to;
        let Some(whole) = address.whole_days() else {
            let [counted] = summaries(stores, selection, [days], today)?;
            return Ok(Self::new(counted, None));
        };
        let [counted, compared] =
            summaries(stores, selection, [days, whole.from..=whole.to], today)?;
        Ok(Self::new(counted, Some(compared)))
    }

    fn new(counted: CountedSummary, compared: Option<CountedSummary>) -> Self {
        let CountedSummary { summary, agents, agents_before } = counted;
        match compared {
            None => Self { summary, compared: None, agents, agents_before },
            Some(CountedSummary { summary: compared, agents, agents_before }) => {
                Self { summary, compared: Some(compared), agents, agents_before }
            }
        }
    }

    /// Whether an agent came on the days before.
    pub(super) fn came_before(&self, id: &str) -> bool {
        self.agents_before.contains_key(id)
    }

    /// How the requests of some agents have changed; nothing if the days cannot be compared.
    pub(super) fn change_of(&self, words: TrafficWords, ids: &[&str]) -> Option<String> {
        let Summary { period, before, .. } = self.compared();
        let sum = |agents: &BTreeMap<String, u64>| -> u64 {
            ids.iter().filter_map(|id| agents.get(*id)).sum()
        };
        (is_comparable(period) && is_comparable(before)).then(|| {
            FigureChange::of_number(words, sum(&self.agents), sum(&self.agents_before)).text
        })
    }

    /// Those that are compared with the days before.
    fn compared(&self) -> &Summary {
        self.compared.as_ref().unwrap_or(&self.summary)
    }
}

/// The figures, each a link to its chart.
pub(super) fn figures(view: &LogsView, figures: &Figures) -> Markup {
    let selection = &view.address.selection;
    // With a purpose, or one agent, it is all of the requests or none.
    let has_purpose = selection.purpose.is_some() || selection.agent.is_some();
    let shown =
        KeyFigure::ALL.into_iter().filter(|figure| *figure != KeyFigure::ForPerson || !has_purpose);
    html! {
        ul.shares {
            @for figure in shown {
                @let link = view.address.figure_link(figure);
                li {
                    a href=(view.href(&link)) aria-current=[(figure == view.address.figure).then_some("true")] {
                        span.eyebrow { (view.text(figure.name())) }
                        span.big { (value(view.words, figure, &figures.summary.period)) }
                        (change(view, figure, figures.compared()))
                    }
                }
            }
        }
    }
}

/// Why the figures are not compared, or with what they are.
pub(super) fn comparison(view: &LogsView, figures: &Figures) -> Shown<'static> {
    let words = view.words;
    let Summary { period, before, .. } = figures.compared();
    let days = words.days(before.from, before.to);
    if is_comparable(period) && is_comparable(before) {
        let own = words.days(period.from, period.to);
        return match figures.compared {
            Some(_) => words.fill("compared-whole", [("days", own), ("before", days)]),
            None => words.fill("compared", [("before", days)]),
        };
    }
    if period.not_whole.contains(&NotWhole::NotOver) {
        return words.text("not-compared-open");
    }
    words.text("not-compared")
}

/// Whether all records of the days are here, whatever their kinds.
fn is_comparable(period: &PeriodSummary) -> bool {
    period.not_whole.iter().all(|reason| *reason == NotWhole::KindsUncounted)
}

/// Those of the requests that a figure counts; none if they are not known.
fn count(figure: KeyFigure, period: &PeriodSummary) -> Option<u64> {
    match figure {
        KeyFigure::Requests => Some(period.requests),
        KeyFigure::ForPerson => Some(period.asked_by_person),
        KeyFigure::Pages => {
            period.pages.filter(|_| !period.not_whole.contains(&NotWhole::KindsUncounted))
        }
        KeyFigure::Refused => Some(period.refused),
        KeyFigure::Missing => Some(period.missing),
    }
}

fn is_share(figure: KeyFigure) -> bool {
    matches!(figure, KeyFigure::Refused | KeyFigure::Missing)
}

fn value(words: TrafficWords, figure: KeyFigure, period: &PeriodSummary) -> Markup {
    html! {
        @match count(figure, period) {
            None => "–",
            Some(count) if is_share(figure) => {
                (words.share(count, period.requests)) " " small { (words.number(count)) }
            }
            Some(count) => (words.number(count)),
        }
    }
}

/// How much more or less it is than before.
fn change(view: &LogsView, figure: KeyFigure, summary: &Summary) -> Markup {
    let Summary { period, before, .. } = summary;
    let words = view.words;
    let (Some(now), Some(earlier)) = (count(figure, period), count(figure, before)) else {
        return html! { span.soft { (words.text("kinds-uncounted")) } };
    };
    if !is_comparable(period) || !is_comparable(before) {
        return html! { span.soft { (words.text(&format!("{}-about", figure.name()))) } };
    }
    let change = if is_share(figure) {
        FigureChange::of_share(words, (now, period.requests), (earlier, before.requests))
    } else {
        FigureChange::of_number(words, now, earlier)
    };
    html! {
        span.soft { b class=(change.class()) { (change.text) } " " (words.text(&format!("{}-about", figure.name()))) }
    }
}
