//! The key figures against those of the days before.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use maud::{Markup, html};
use visibility_core::report::chart::Tone;
use visibility_core::store::StoreError;
use visibility_core::text::markup::Shown;

use super::address::{KeyFigure, LogsAddress};
use super::view::LogsView;
use super::words::Words;
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
    pub(super) fn change_of(&self, words: &Words, ids: &[&str]) -> Option<String> {
        let Summary { period, before, .. } = self.compared();
        let sum = |agents: &BTreeMap<String, u64>| -> u64 {
            ids.iter().filter_map(|id| agents.get(*id)).sum()
        };
        (is_comparable(period) && is_comparable(before))
            .then(|| percent(words, sum(&self.agents), sum(&self.agents_before)).text)
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
                        span.big { (value(&view.words, figure, &figures.summary.period)) }
                        (change(view, figure, figures.compared()))
                    }
                }
            }
        }
    }
}

/// Why the figures are not compared, or with what they are.
pub(super) fn comparison(view: &LogsView, figures: &Figures) -> Shown<'static> {
    let words = &view.words;
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

fn value(words: &Words, figure: KeyFigure, period: &PeriodSummary) -> Markup {
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
    let words = &view.words;
    let (Some(now), Some(earlier)) = (count(figure, period), count(figure, before)) else {
        return html! { span.soft { (words.text("kinds-uncounted")) } };
    };
    if !is_comparable(period) || !is_comparable(before) {
        return html! { span.soft { (words.text(&format!("{}-about", figure.name()))) } };
    }
    let change = if is_share(figure) {
        points(words, (now, period.requests), (earlier, before.requests))
    } else {
        percent(words, now, earlier)
    };
    let class = match change.tone {
        Tone::Good => "pass",
        Tone::Bad => "fail",
        _ => "line",
    };
    html! {
        span.soft { b class=(class) { (change.text) } " " (words.text(&format!("{}-about", figure.name()))) }
    }
}

struct Change {
    text: String,
    tone: Tone,
}

/// More requests are neither good nor bad.
fn percent(words: &Words, now: u64, before: u64) -> Change {
    let tone = Tone::Fair;
    if now == before {
        return Change { text: words.text("no-change").as_str().to_owned(), tone };
    }
    if before == 0 {
        return Change { text: words.text("none-before").as_str().to_owned(), tone };
    }
    let difference = u128::from(now.abs_diff(before)) * 100;
    let percent = (difference + u128::from(before) / 2) / u128::from(before);
    let number = match percent {
        0 => "<1".to_owned(),
        percent => words.number(u64::try_from(percent).unwrap_or(u64::MAX)),
    };
    Change { text: format!("{} {}", arrow(now > before), words.with_percent(number)), tone }
}

/// The change of a share in points, with one digit behind the point.
fn points(words: &Words, (now, whole): (u64, u64), (before, whole_before): (u64, u64)) -> Change {
    let tenths = |part: u64, whole: u64| match u128::from(whole) {
        0 => 0,
        whole => (u128::from(part) * 1000 + whole / 2) / whole,
    };
    let (now, before) = (tenths(now, whole), tenths(before, whole_before));
    if now == before {
        let text = words.text("no-change").as_str().to_owned();
        return Change { text, tone: Tone::Fair };
    }
    let difference = now.abs_diff(before);
    let mark = words.text("decimal-mark");
    let number = format!("{}{}{}", difference / 10, mark.as_str(), difference % 10);
    let text = words.fill("points", [("number", number)]);
    let tone = if now > before { Tone::Bad } else { Tone::Good };
    Change { text: format!("{} {}", arrow(now > before), text.as_str()), tone }
}

fn arrow(is_more: bool) -> &'static str {
    if is_more { "▲" } else { "▼" }
}

#[cfg(test)]
mod tests {
    use visibility_core::text::locale::Lang;

    use super::*;

    #[test]
    fn changes_are_rounded_and_small_ones_are_there() {
        let words = Words::new(Lang::En);
        for (now, before, text) in [
            (112, 100, "▲ 12 %"),
            (97, 100, "▼ 3 %"),
            (1001, 1000, "▲ <1 %"),
            (0, 10, "▼ 100 %"),
            (5, 5, "no change"),
            (5, 0, "none before"),
            (u64::MAX, 1, "▲ 18,446,744,073,709,551,615 %"),
        ] {
            assert_eq!(percent(&words, now, before).text, text);
        }
        for (now, before, text) in [
            ((30, 1000), (19, 1000), "▲ 1.1 points"),
            ((19, 1000), (22, 1000), "▼ 0.3 points"),
            ((1, 10_000), (0, 10), "no change"),
            ((0, 0), (5, 10), "▼ 50.0 points"),
        ] {
            assert_eq!(points(&words, now, before).text, text);
        }
        assert_eq!(points(&words, (2, 4), (1, 4)).tone, Tone::Bad);
        assert_eq!(points(&Words::new(Lang::Tr), (2, 4), (1, 4)).text, "▲ 25,0 puan");
    }
}
