//! The key figures, with what has changed, over the requests by day.

use maud::{Markup, html};

use super::SitePart;
use crate::access_log::summary::{DayComparison, KeyFigures, PurposeRow};
use crate::agents::Purpose;
use crate::report::traffic::FigureChange;
use crate::text::markup::sentence;

/// A key figure.
#[derive(Clone, Copy)]
enum Figure {
    Requests,
    ForPerson,
    Pages,
    Refused,
    Missing,
    Visits,
}

impl Figure {
    const ALL: [Self; 6] =
        [Self::Requests, Self::ForPerson, Self::Pages, Self::Refused, Self::Missing, Self::Visits];

    /// Its name in `locales/`, where `{name}-about` says more.
    fn name(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::ForPerson => "for-person",
            Self::Pages => "pages-read",
            Self::Refused => "refused",
            Self::Missing => "missing",
            Self::Visits => "visits",
        }
    }

    fn of(self, figures: &KeyFigures) -> Option<u64> {
        match self {
            Self::Requests => Some(figures.requests),
            Self::ForPerson => Some(figures.asked_by_person),
            Self::Pages => figures.pages,
            Self::Refused => Some(figures.refused),
            Self::Missing => Some(figures.missing),
            Self::Visits => Some(figures.visits),
        }
    }

    /// Whether it is a share of the requests.
    fn is_share(self) -> bool {
        matches!(self, Self::Refused | Self::Missing)
    }
}

impl SitePart<'_> {
    pub(super) fn figures(&self) -> Markup {
        let figures = self.key_figures();
        let comparison = self.site.comparison.as_ref();
        html! {
            div.card.first {
                ul.shares {
                    @for figure in Figure::ALL {
                        li {
                            span.eyebrow { (self.words.text(figure.name())) }
                            span.big { (self.value(figure, &figures)) }
                            span.soft {
                                @if let Some(change) = comparison.and_then(|found| self.change(figure, found)) {
                                    b class=(change.class()) { (change.text) } " "
                                }
                                (self.words.text(&format!("{}-about", figure.name())))
                            }
                        }
                    }
                }
                (self.requests_by_day())
            }
            @if let Some(note) = self.compared() { p.note { (sentence(&note)) } }
        }
    }

    /// The figures of all days of the report.
    fn key_figures(&self) -> KeyFigures {
        let site = self.site;
        let sum = |count: fn(&PurposeRow) -> u64| site.purposes.iter().map(count).sum();
        let of_persons = site.purposes.iter().find(|row| row.purpose == Purpose::User);
        KeyFigures {
            requests: site.agent_requests,
            asked_by_person: of_persons.map_or(0, |row| row.requests),
            pages: Some(site.pages_read),
            refused: sum(|row| row.refused),
            missing: sum(|row| row.missing),
            visits: site.visits,
        }
    }

    fn value(&self, figure: Figure, figures: &KeyFigures) -> Markup {
        html! {
            @match figure.of(figures) {
                None => "–",
                Some(count) if figure.is_share() => {
                    (self.words.share(count, figures.requests)) " " small { (self.words.number(count)) }
                }
                Some(count) => (self.words.number(count)),
            }
        }
    }

    fn change(&self, figure: Figure, comparison: &DayComparison) -> Option<FigureChange> {
        let DayComparison { figures, before, .. } = comparison;
        let (now, earlier) = (figure.of(figures)?, figure.of(before)?);
        if figure.is_share() {
            let (now, earlier) = ((now, figures.requests), (earlier, before.requests));
            return Some(FigureChange::of_share(self.words, now, earlier));
        }
        Some(FigureChange::of_number(self.words, now, earlier))
    }

    /// What the changes are against; nothing for a report of everything.
    fn compared(&self) -> Option<String> {
        if !self.report.is_since {
            return None;
        }
        let Some(DayComparison { from, to, before_from, before_to, .. }) = self.site.comparison
        else {
            return Some(self.words.text("not-compared-files").as_str().to_owned());
        };
        let (days, before) = (self.words.days(from, to), self.words.days(before_from, before_to));
        let values = [("days", days), ("before", before)];
        Some(self.words.fill("compared-files", values).as_str().to_owned())
    }
}
