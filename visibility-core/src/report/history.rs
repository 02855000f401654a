//! The history of a domain: its score on each day, and what has changed from one to the next.

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

use crate::agents::Registry;
use crate::report::chart::{self, Plot, PlotColumn, Series};
use crate::report::labels::Labels;
use crate::report::parts::{Column, Place, table};
use crate::report::traffic::TrafficWords;
use crate::scan::day::{DayAccess, DayChange, ScanDay};
use crate::scan::facts::access::{Access, Effective};
use crate::text::markup::shown;

/// The days of a domain, the oldest first.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ScanHistory {
    /// The domain.
    pub domain: String,
    /// Days with a scan.
    pub days: Vec<HistoryDay>,
}

/// The last scan of a day (UTC).
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HistoryDay {
    /// The day.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Date))]
    pub day: NaiveDate,
    /// When the site was scanned.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub scanned_at: String,
    /// The version of the rules that it was judged by.
    pub rubric_version: String,
    /// The score.
    pub score: Option<u8>,
    /// The tier.
    pub tier: Option<String>,
    /// The day before it in this history; `null` for the first.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = Date, required))]
    pub compared_with: Option<NaiveDate>,
    /// Whether both were judged by the same rules, so that scores and checks can be compared.
    pub has_same_rules: bool,
    /// What is another than on that day.
    pub changes: Vec<DayChange>,
}

impl ScanHistory {
    /// The history of these days, which follow each other.
    pub fn new(domain: &str, days: &[(NaiveDate, DateTime<Utc>, ScanDay)]) -> Self {
        let mut history = Vec::with_capacity(days.len());
        let mut before: Option<&(NaiveDate, DateTime<Utc>, ScanDay)> = None;
        for entry in days {
            let (day, scanned_at, scan) = entry;
            history.push(HistoryDay {
                day: *day,
                scanned_at: scanned_at.to_rfc3339_opts(SecondsFormat::Secs, true),
                rubric_version: scan.rubric.clone(),
                score: scan.score,
                tier: scan.tier.clone(),
                compared_with: before.map(|(day, ..)| *day),
                has_same_rules: before.is_some_and(|(_, _, before)| scan.has_rules_of(before)),
                changes: before
                    .map(|(_, _, before)| scan.changes_since(before))
                    .unwrap_or_default(),
            });
            before = Some(entry);
        }
        Self { domain: domain.to_owned(), days: history }
    }
}

/// What has changed, in words: agents that met the same are named together.
pub fn in_words(changes: &[DayChange], labels: Labels) -> Vec<String> {
    let mut words = Vec::new();
    let mut agents: Vec<(DayAccess, DayAccess, Vec<&str>)> = Vec::new();
    for change in changes {
        match change {
            DayChange::Check { id, from, to } => {
                let name = labels.catalog().find(&["checks", id, "title"]).unwrap_or(id);
                let (from, to) = (labels.verdict(*from), labels.verdict(*to));
                let values: [(&'static str, &dyn ToString); 3] =
                    [("check", &name), ("from", &from), ("to", &to)];
                words.push(labels.sentence("history-check", &values));
            }
            DayChange::Agent { id, from, to } => {
                let agent = Registry::embedded().find(id);
                let name = agent.map_or(id.as_ref(), |agent| agent.name.as_str());
                match agents.iter_mut().find(|(old, new, _)| (old, new) == (from, to)) {
                    Some((_, _, names)) => names.push(name),
                    None => agents.push((*from, *to, vec![name])),
                }
            }
        }
    }
    words.extend(agents.into_iter().map(|(from, to, names)| {
        let (from, to) = (met(from, labels), met(to, labels));
        let names = names.join(", ");
        labels.sentence("history-agent", &[("agent", &names), ("from", &from), ("to", &to)])
    }));
    words
}

/// What an agent met, in words that fit both sides of a change.
fn met(met: DayAccess, labels: Labels) -> String {
    labels.label(match (met.effective, met.access) {
        (Effective::Reachable, Access::Partial) => "history-let-in-partly",
        (Effective::Reachable, _) => "history-let-in",
        (Effective::Untested, Access::Partial) => "history-allowed-partly",
        (Effective::Untested, _) => "history-allowed",
        (Effective::BlockedByRobots, _) => "history-disallowed",
        (Effective::BlockedByWall, _) => "history-refused",
        (Effective::OptOutToken, Access::Blocked) => "history-opted-out",
        (Effective::OptOutToken, _) => "history-not-opted-out",
        (Effective::Unknown, _) => "history-unknown",
    })
}

/// The line of the score, and a table of the days, the newest first. `compare` gives the address where a day is compared with
/// the one before.
pub fn render(
    history: &ScanHistory,
    place: &Place,
    compare: impl Fn(NaiveDate, NaiveDate) -> String,
) -> Markup {
    let labels = place.labels();
    let words = TrafficWords::new(labels.lang());
    let columns = [
        Column::Text(labels.label("log-report-day")),
        Column::Number(labels.label("score")),
        Column::Text(labels.label("tier")),
        Column::Text(labels.label("history-changes")),
    ];
    let rows = html! {
        @for day in history.days.iter().rev() {
            tr {
                th scope="row" { (shown(words.day(day.day))) }
                td.number { @match day.score { Some(score) => (score), None => "–" } }
                td { @match &day.tier { Some(tier) => (shown(labels.tier(tier))), None => "–" } }
                td {
                    (changes(day, labels, words))
                    @if let Some(before) = day.compared_with.filter(|_| !day.changes.is_empty()) {
                        p {
                            a href=(compare(before, day.day)) {
                                (labels.sentence("history-compare", &[("day", &words.day(before))]))
                            }
                        }
                    }
                }
            }
        }
    };
    html! {
        section { (line(history, place)) }
        (place.section(
            "days",
            &labels.label("history-days"),
            &html! {},
            &table(&place.id("days"), &columns, &rows),
        ))
    }
}

/// What has changed on a day.
fn changes(day: &HistoryDay, labels: Labels, words: TrafficWords) -> Markup {
    let Some(before) = day.compared_with else {
        return html! { span.soft { (labels.label("history-first")) } };
    };
    html! {
        @if !day.has_same_rules {
            p { (shown(labels.sentence("history-new-rules", &[("rubric", &day.rubric_version)]))) }
        }
        @if day.changes.is_empty() {
            span.soft { (shown(labels.sentence("history-nothing", &[("day", &words.day(before))]))) }
        } @else {
            ul.plain { @for text in in_words(&day.changes, labels) { li { (shown(text)) } } }
        }
    }
}

/// The score over time; nothing for one day. No line leads from a score to one by other rules.
pub fn line(history: &ScanHistory, place: &Place) -> Markup {
    let labels = place.labels();
    let words = TrafficWords::new(labels.lang());
    let (Some(first), Some(last)) = (history.days.first(), history.days.last()) else {
        return html! {};
    };
    if first.day == last.day {
        return html! {};
    }
    let length = usize::try_from((last.day - first.day).num_days()).unwrap_or_default() + 1;
    let days: Vec<NaiveDate> = first.day.iter_days().take(length).collect();
    let names: Vec<String> = days.iter().map(|day| words.day(*day)).collect();
    let mut scans = history.days.iter().peekable();
    let mut breaks = Vec::new();
    let columns: Vec<PlotColumn<'_>> = days
        .iter()
        .zip(&names)
        .enumerate()
        .map(|(index, (day, label))| {
            let scan = scans.next_if(|scan| scan.day == *day);
            if scan.is_some_and(|scan| !scan.has_same_rules) {
                breaks.push(index);
            }
            let values = scan.and_then(|scan| scan.score).map(|score| vec![u64::from(score)]);
            PlotColumn { label, values }
        })
        .collect();
    let title = labels.sentence("history-title", &[("domain", &history.domain)]);
    let scores = |day: &HistoryDay| day.score.map_or("–".to_owned(), |score| score.to_string());
    let plot = Plot {
        title: &title,
        description: &labels.sentence(
            "history-about",
            &[
                ("first", &scores(first)),
                ("from", &words.day(first.day)),
                ("last", &scores(last)),
                ("to", &words.day(last.day)),
            ],
        ),
        series: &[Series { class: "s-5", label: &labels.label("score") }],
        columns: &columns,
        marks: &[],
        rest: "",
        no_data: "",
        lang: labels.lang(),
    };
    html! {
        div.card { figure.pad { (chart::scores(&plot, &breaks)) } }
        @if breaks.len() > 1 { p.note { (shown(labels.label("history-breaks"))) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tree::tree;
    use crate::text::locale::Lang;

    fn entry(day: &str, score: u8, rubric: &str, byte: u8) -> (NaiveDate, DateTime<Utc>, ScanDay) {
        let day: NaiveDate = day.parse().unwrap();
        let scan = ScanDay {
            rubric: rubric.to_owned(),
            score: Some(score),
            tier: Some("readable".to_owned()),
            checks: vec![byte; 21],
            agents: vec![byte << 2; 27],
        };
        (day, day.and_hms_opt(12, 0, 0).unwrap().and_utc(), scan)
    }

    fn history() -> ScanHistory {
        let mut third = entry("2026-11-20", 70, "2026.11", 0);
        third.2.checks[3] = 2;
        third.2.agents[19] = 3 << 2;
        let days = [
            entry("2026-10-02", 70, "2026.11", 0),
            entry("2026-10-03", 70, "2026.11", 0),
            third,
            entry("2026-11-21", 64, "2027.01", 0),
        ];
        ScanHistory::new("example.com", &days)
    }

    #[test]
    fn changes_are_in_words() {
        let history = history();
        let words = |day: usize, lang| -> Vec<String> {
            in_words(&history.days[day].changes, Labels::new(lang))
        };
        assert!(words(0, Lang::En).is_empty() && words(1, Lang::En).is_empty());
        let third = words(2, Lang::En);
        assert_eq!(third[1], "ClaudeBot: let in, now refused by your server");
        assert_eq!(third.len(), 2, "{third:?}");
        assert_eq!(words(3, Lang::En), ["ClaudeBot: refused by your server, now let in"]);
        assert!(!words(2, Lang::Tr)[1].contains("history-"));
        assert!(!history.days[3].has_same_rules);
    }

    #[test]
    fn a_line_does_not_join_scores_of_two_rubrics() {
        let page = render(&history(), &Place::new(Labels::new(Lang::En)), |from, to| {
            format!("/c?{from}+{to}")
        })
        .into_string();
        let tree = tree(&page);
        let path = tree.split(" d=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert_eq!(path.matches('M').count(), 2, "{path}");
        assert_eq!(path.matches('L').count(), 2, "{path}");
        assert!(page.contains("Judged by new rules (2027.01)"), "{page}");
        // Only days with changes are worth a comparison.
        assert_eq!(page.matches("href=").count(), 2, "{page}");
        assert!(page.contains("href=\"/c?2026-10-03+2026-11-20\""), "{page}");
        for missing in ["interface.", "history-"] {
            assert!(!page.contains(missing), "{missing}");
        }
    }

    #[test]
    fn no_day_and_one_day_have_no_line() {
        for days in [&[][..], &[entry("2026-11-20", 70, "1", 0)]] {
            let history = ScanHistory::new("example.com", days);
            let page = render(&history, &Place::new(Labels::new(Lang::Tr)), |_, _| String::new())
                .into_string();
            assert!(!page.contains("<svg"), "{page}");
        }
    }
}
