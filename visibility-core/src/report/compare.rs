//! Scans beside each other: of several domains, or of two days of one.

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use maud::{Markup, html};
use serde::Serialize;

use crate::agents::Registry;
use crate::report::chart::{Tone, meter};
use crate::report::history::in_words;
use crate::report::labels::{Labels, points};
use crate::report::parts::matrix::effective_cell;
use crate::report::parts::{Column, Place, table, verdict_tag};
use crate::report::traffic::TrafficWords;
use crate::rubric::finding::Verdict;
use crate::scan::day::{CategoryPoints, DayAccess, ScanDay};
use crate::scan::facts::access::Effective;
use crate::scan::result::ScanResult;
use crate::text::markup::{sentence, shown};

/// A scan that is compared with others.
#[derive(Clone, Copy, Debug)]
pub struct ScanToCompare<'a> {
    /// The domain.
    pub domain: &'a str,
    /// When it was scanned.
    pub scanned_at: DateTime<Utc>,
    /// What is kept of it.
    pub scan: &'a ScanDay,
    /// The result, if there still is one: it says what each check has found.
    pub result: Option<&'a ScanResult>,
}

/// Scans beside each other. Every list about scans is in the order of [`scans`](Self::scans).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScanComparison {
    /// What is compared.
    pub scans: Vec<ComparedScan>,
    /// Whether all were judged by the same rules. If not, their scores and checks cannot be compared, and no check is listed.
    pub has_same_rules: bool,
    /// Checks that came to different verdicts, in the order of the rubric.
    pub checks: Vec<ComparedCheck>,
    /// Agents that meet something different, in the order of the matrix.
    pub agents: Vec<ComparedAgent>,
}

/// One of the scans.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedScan {
    /// The domain.
    pub domain: String,
    /// The day (UTC).
    pub day: NaiveDate,
    /// When it was scanned.
    pub scanned_at: String,
    /// The version of the rules that it was judged by.
    pub rubric_version: String,
    /// The score.
    pub score: Option<u8>,
    /// The tier.
    pub tier: Option<String>,
    /// The points of each category; `null` if they are not known.
    pub categories: Option<Vec<CategoryPoints>>,
}

/// A check that came to different verdicts.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct ComparedCheck {
    /// Its id.
    pub id: &'static str,
    /// The verdict on each scan; `null` if it was not run.
    pub verdicts: Vec<Option<Verdict>>,
    /// What it found on each scan, in the language of the result; `null` if there is no result any more.
    pub found: Vec<Option<String>>,
}

/// An agent that meets something different.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct ComparedAgent {
    /// Its id.
    pub id: &'static str,
    /// What robots.txt says to it, and what it meets; `null` if that is not in the result.
    pub meets: Vec<Option<DayAccess>>,
}

/// Whether what is known differs.
fn differs<T: PartialEq>(values: &[Option<T>]) -> bool {
    let mut known = values.iter().flatten();
    let first = known.next();
    known.any(|value| Some(value) != first)
}

/// The places of a value that fits on one scan and on no other, where all is known that has to be.
fn alone<T: Copy>(
    values: &[Option<T>],
    is_done: impl Fn(T) -> bool,
    is_undone: impl Fn(T) -> bool,
) -> Option<usize> {
    let mut done = None;
    for (place, value) in values.iter().enumerate() {
        match *value {
            Some(value) if is_done(value) && done.is_none() => done = Some(place),
            Some(value) if is_undone(value) => {}
            _ => return None,
        }
    }
    done
}

impl ScanComparison {
    /// Compares scans.
    pub fn new(scans: &[ScanToCompare<'_>]) -> Self {
        let has_same_rules =
            scans.windows(2).all(|pair| matches!(pair, [a, b] if a.scan.has_rules_of(b.scan)));
        let checks = ScanDay::check_ids().iter().filter(|_| has_same_rules);
        let checks = checks.map(|id| compare_check(id, scans));
        let agents = ScanDay::agent_ids().iter().map(|id| ComparedAgent {
            id,
            meets: scans.iter().map(|one| one.scan.agent(id)).collect(),
        });
        Self {
            scans: scans.iter().map(compared_scan).collect(),
            has_same_rules,
            checks: checks.filter(|check| differs(&check.verdicts)).collect(),
            agents: agents.filter(|agent| differs(&agent.meets)).collect(),
        }
    }

    /// Whether days of one domain are compared.
    fn is_of_days(&self) -> bool {
        let mut scans = self.scans.iter();
        let first = scans.next().map(|scan| &scan.domain);
        scans.all(|scan| Some(&scan.domain) == first)
    }
}

fn compared_scan(one: &ScanToCompare<'_>) -> ComparedScan {
    let ScanToCompare { domain, scanned_at, scan, result: _ } = one;
    ComparedScan {
        domain: (*domain).to_owned(),
        day: scanned_at.date_naive(),
        scanned_at: scanned_at.to_rfc3339_opts(SecondsFormat::Secs, true),
        rubric_version: scan.rubric.clone(),
        score: scan.score,
        tier: scan.tier.clone(),
        categories: scan.categories(),
    }
}

fn compare_check(id: &'static str, scans: &[ScanToCompare<'_>]) -> ComparedCheck {
    let found = |one: &ScanToCompare<'_>| {
        let check = one.result?.checks.iter().find(|check| check.id == id)?;
        Some(check.summary.clone()).filter(|summary| !summary.is_empty())
    };
    ComparedCheck {
        id,
        verdicts: scans.iter().map(|one| one.scan.check(id)).collect(),
        found: scans.iter().map(found).collect(),
    }
}

/// The scores beside each other, what differs in words, and the points, checks and agents in tables.
pub fn render(scans: &[ScanToCompare<'_>], place: &Place) -> Markup {
    let comparison = ScanComparison::new(scans);
    let words = Words::new(&comparison, place);
    html! {
        (words.scores())
        @if !comparison.has_same_rules {
            p.notice { (sentence(&words.labels.label("compare-other-rules"))) }
        }
        (words.differences(scans))
        (words.categories())
        (words.checks())
        (words.agents())
    }
}

/// A comparison, and the words for it.
struct Words<'a> {
    comparison: &'a ScanComparison,
    place: &'a Place,
    labels: Labels,
    days: TrafficWords,
    /// What each scan is called.
    names: Vec<String>,
}

impl<'a> Words<'a> {
    fn new(comparison: &'a ScanComparison, place: &'a Place) -> Self {
        let labels = place.labels();
        let days = TrafficWords::new(labels.lang());
        let is_of_days = comparison.is_of_days();
        let name = |scan: &ComparedScan| {
            if is_of_days { days.day(scan.day) } else { scan.domain.clone() }
        };
        let names = comparison.scans.iter().map(name).collect();
        Self { comparison, place, labels, days, names }
    }

    fn check(&self, id: &str) -> String {
        self.labels.catalog().find(&["checks", id, "title"]).unwrap_or(id).to_owned()
    }

    fn scores(&self) -> Markup {
        let scans = self.names.iter().zip(&self.comparison.scans);
        html! {
            section { ul.card.shares {
                @for (name, scan) in scans {
                    @let tier = scan.tier.as_deref().map(|tier| self.labels.tier(tier));
                    li {
                        span.eyebrow { (shown(name)) }
                        p.big {
                            @match scan.score { Some(score) => (score), None => "–" }
                            " " small { "/ 100" }
                        }
                        @if let Some(score) = scan.score { (meter(f64::from(score) / 100.0, Tone::Fair)) }
                        small {
                            (shown(tier.unwrap_or_else(|| self.labels.label("no-score"))))
                            " · "
                            time datetime=(shown(&scan.scanned_at)) { (shown(self.days.day(scan.day))) }
                        }
                    }
                }
            } }
        }
    }

    /// What differs, in words: what changed between two days, or what a domain does alone.
    fn differences(&self, scans: &[ScanToCompare<'_>]) -> Markup {
        let labels = self.labels;
        let (sentences, heading) = match scans {
            [before, now] if self.comparison.is_of_days() => {
                (in_words(&now.scan.changes_since(before.scan), labels), "history-changes")
            }
            _ => (self.done_alone(), "compare-differences"),
        };
        let is_same = self.comparison.checks.is_empty() && self.comparison.agents.is_empty();
        if sentences.is_empty() && !is_same {
            return html! {};
        }
        let body = html! {
            ul.plain {
                @for text in &sentences { li { (shown(text)) } }
                @if is_same { li { (labels.label("compare-nothing")) } }
            }
        };
        self.place.section("differences", &labels.label(heading), &html! {}, &body)
    }

    /// What each domain does that no other does; and of three or more, what all others do.
    fn done_alone(&self) -> Vec<String> {
        let has_passed = |verdict| verdict == Verdict::Pass;
        let has_missed = |verdict| matches!(verdict, Verdict::Warn | Verdict::Fail);
        let is_open =
            |met: DayAccess| matches!(met.effective, Effective::Reachable | Effective::Untested);
        let is_closed = |met: DayAccess| {
            matches!(met.effective, Effective::BlockedByRobots | Effective::BlockedByWall)
        };
        let mut sentences = Vec::new();
        for place in 0..self.names.len() {
            let passed = self.checks_of(place, has_passed, has_missed);
            sentences.extend(self.alone("compare-passes", place, &passed));
            let open = self.agents_of(place, is_open, is_closed);
            sentences.extend(self.alone("compare-open-to", place, &open));
            if self.names.len() > 2 {
                let missed = self.checks_of(place, has_missed, has_passed);
                sentences.extend(self.alone("compare-misses", place, &missed));
                let closed = self.agents_of(place, is_closed, is_open);
                sentences.extend(self.alone("compare-closed-to", place, &closed));
            }
        }
        sentences
    }

    /// The checks whose verdict is such at one place, and otherwise at all others.
    fn checks_of(
        &self,
        place: usize,
        is_here: impl Fn(Verdict) -> bool,
        is_elsewhere: impl Fn(Verdict) -> bool,
    ) -> Vec<String> {
        let checks = self.comparison.checks.iter();
        let alone =
            checks.filter(|check| alone(&check.verdicts, &is_here, &is_elsewhere) == Some(place));
        alone.map(|check| self.check(check.id)).collect()
    }

    /// The same of agents.
    fn agents_of(
        &self,
        place: usize,
        is_here: impl Fn(DayAccess) -> bool,
        is_elsewhere: impl Fn(DayAccess) -> bool,
    ) -> Vec<String> {
        let agents = self.comparison.agents.iter();
        let alone =
            agents.filter(|agent| alone(&agent.meets, &is_here, &is_elsewhere) == Some(place));
        alone.map(|agent| agent_name(agent.id).to_owned()).collect()
    }

    /// A sentence about one of the scans and what it does alone; none if that is nothing.
    fn alone(&self, sentence: &str, place: usize, done: &[String]) -> Option<String> {
        let name = self.names.get(place).filter(|_| !done.is_empty())?;
        let values: [(&'static str, &dyn ToString); 2] =
            [("name", name), ("done", &done.join(", "))];
        Some(self.labels.sentence(sentence, &values))
    }

    /// A table with a column for each scan. `labelled_by` is the id of its heading.
    fn table(&self, labelled_by: &str, of: &str, rows: &[Markup]) -> Markup {
        let mut columns = vec![Column::Text(self.labels.label(of))];
        columns.extend(self.names.iter().map(|name| Column::Text(name.clone())));
        table(labelled_by, &columns, &html! { @for row in rows { (row) } })
    }

    /// The same under a heading; nothing without rows.
    fn section(&self, id: &str, heading: &str, of: &str, rows: &[Markup]) -> Markup {
        if rows.is_empty() {
            return html! {};
        }
        let body = self.table(&self.place.id(id), of, rows);
        self.place.section(id, &self.labels.label(heading), &html! {}, &body)
    }

    fn categories(&self) -> Markup {
        let scans = &self.comparison.scans;
        let known = scans.iter().filter_map(|scan| scan.categories.as_ref());
        let Some(first) = known.clone().next().filter(|_| self.comparison.has_same_rules) else {
            return html! {};
        };
        let rows: Vec<Markup> = first
            .iter()
            .map(|category| {
                let cells = scans.iter().map(|scan| {
                    let mut all = scan.categories.iter().flatten();
                    all.find(|one| one.id == category.id).filter(|one| one.max_points > 0.0)
                });
                html! {
                    tr {
                        th scope="row" { (self.labels.category(category.id)) }
                        @for cell in cells { td.drawn { (share(cell)) } }
                    }
                }
            })
            .collect();
        let is_limited = scans.iter().any(|scan| {
            let earned = scan.categories.iter().flatten().map(|one| one.points).sum::<f64>();
            scan.score.is_some_and(|score| f64::from(score) + 1.0 < earned)
        });
        html! {
            (self.section("categories", "categories", "category", &rows))
            @if is_limited { p.note { (self.labels.label("compare-limited")) } }
        }
    }

    /// The checks: first those of which all is known, then the others, folded, as they say less.
    fn checks(&self) -> Markup {
        let is_known = |check: &&ComparedCheck| {
            let known =
                |verdict: &Option<Verdict>| !matches!(verdict, None | Some(Verdict::Unknown));
            check.verdicts.iter().all(known)
        };
        let (known, unknown): (Vec<_>, Vec<_>) = self.comparison.checks.iter().partition(is_known);
        let rows = |checks: &[&ComparedCheck]| -> Vec<Markup> {
            checks.iter().map(|check| self.check_row(check)).collect()
        };
        if unknown.is_empty() {
            return self.section("checks", "compare-checks", "check", &rows(&known));
        }
        let id = self.place.id("checks");
        let count = self.labels.sentence("compare-not-known", &[("count", &unknown.len())]);
        let body = html! {
            @if !known.is_empty() { (self.table(&id, "check", &rows(&known))) }
            details.more {
                summary { (count) }
                (self.table(&id, "check", &rows(&unknown)))
            }
        };
        self.place.section("checks", &self.labels.label("compare-checks"), &html! {}, &body)
    }

    fn check_row(&self, check: &ComparedCheck) -> Markup {
        html! {
            tr {
                th scope="row" { (shown(self.check(check.id))) }
                @for (verdict, found) in check.verdicts.iter().zip(&check.found) {
                    td.drawn {
                        @match verdict { Some(verdict) => (verdict_tag(*verdict, self.labels)), None => "–" }
                        @if let Some(found) = found { div { small { (sentence(found)) } } }
                    }
                }
            }
        }
    }

    /// The agents: those that meet the same share a row.
    fn agents(&self) -> Markup {
        let mut groups: Vec<(&[Option<DayAccess>], Vec<&str>)> = Vec::new();
        for agent in &self.comparison.agents {
            let name = agent_name(agent.id);
            match groups.iter_mut().find(|(meets, _)| *meets == agent.meets.as_slice()) {
                Some((_, names)) => names.push(name),
                None => groups.push((agent.meets.as_slice(), vec![name])),
            }
        }
        let rows: Vec<Markup> =
            groups.iter().map(|(meets, names)| self.agent_row(meets, names)).collect();
        self.section("agents", "compare-agents", "agent", &rows)
    }

    fn agent_row(&self, meets: &[Option<DayAccess>], names: &[&str]) -> Markup {
        html! {
            tr {
                th scope="row" { (shown(names.join(", "))) }
                @for met in meets {
                    td.drawn {
                        @match met {
                            Some(met) => {
                                (effective_cell(met.effective, self.labels))
                                div { small { "robots.txt: " (self.labels.access(met.access)) } }
                            }
                            None => "–"
                        }
                    }
                }
            }
        }
    }
}

/// The name of an agent, or its id if it is listed no more.
fn agent_name(id: &'static str) -> &'static str {
    Registry::embedded().find(id).map_or(id, |agent| agent.name.as_str())
}

/// The points of a category as a bar and as figures; a dash if nothing of it applies.
fn share(category: Option<&CategoryPoints>) -> Markup {
    let Some(CategoryPoints { points: earned, max_points, .. }) = category else {
        return html! { "–" };
    };
    html! {
        (points(*earned)) " " small { "/ " (points(*max_points)) }
        (meter(earned / max_points, Tone::Fair))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::scan::facts::access::Access;
    use crate::scan::score::RUBRIC_VERSION;
    use crate::text::locale::Lang;

    /// A scan where every check passes and every agent is let in.
    fn passing() -> ScanDay {
        ScanDay {
            rubric: RUBRIC_VERSION.to_owned(),
            score: Some(100),
            tier: Some("native".to_owned()),
            checks: vec![0; 21],
            agents: vec![0; 27],
        }
    }

    fn at<'a>(domain: &'a str, time: &str, scan: &'a ScanDay) -> ScanToCompare<'a> {
        ScanToCompare { domain, scanned_at: time.parse().unwrap(), scan, result: None }
    }

    const FIRST: &str = "2026-11-02T10:00:00Z";
    const SECOND: &str = "2026-11-05T10:00:00Z";

    fn page(scans: &[ScanToCompare<'_>], lang: Lang) -> String {
        render(scans, &Place::new(Labels::new(lang))).into_string()
    }

    #[test]
    fn only_what_differs_is_listed() {
        let (a, mut b) = (passing(), passing());
        b.checks[12] = 2;
        b.agents[19] = 2 | 2 << 2;
        let scans = [at("a.com", FIRST, &a), at("b.com", SECOND, &b)];
        let comparison = ScanComparison::new(&scans);
        assert_eq!(comparison.checks.len(), 1);
        assert_eq!(comparison.checks[0].id, "sitemap");
        assert_eq!(comparison.checks[0].verdicts, [Some(Verdict::Pass), Some(Verdict::Fail)]);
        assert_eq!(comparison.agents.len(), 1);
        assert_eq!(comparison.agents[0].id, "anthropic-claudebot");
        assert_eq!(comparison.agents[0].meets[1].unwrap().access, Access::Blocked);
        let page = page(&scans, Lang::En);
        assert!(page.contains("Only a.com passes: "), "{page}");
        assert!(page.contains("Only a.com is open to: ClaudeBot."), "{page}");
        assert!(!page.contains("Only b.com"), "{page}");
        assert!(!page.contains("GPTBot"), "{page}");
    }

    #[test]
    fn days_are_compared_in_the_words_of_the_history() {
        let (a, mut b) = (passing(), passing());
        b.agents[19] = 2 | 2 << 2;
        let page = page(&[at("a.com", FIRST, &a), at("a.com", SECOND, &b)], Lang::En);
        assert!(page.contains("ClaudeBot: let in, now disallowed by robots.txt"), "{page}");
        assert!(!page.contains("Only "), "{page}");
    }

    #[test]
    fn what_two_of_three_do_is_done_alone_by_none() {
        let (a, b, mut c) = (passing(), passing(), passing());
        c.checks[12] = 1;
        let scans = [at("a.com", FIRST, &a), at("b.com", FIRST, &b), at("c.com", FIRST, &c)];
        let page = page(&scans, Lang::En);
        assert!(!page.contains("Only "), "{page}");
        assert_eq!(ScanComparison::new(&scans).checks.len(), 1);
    }

    #[test]
    fn what_one_of_three_lacks_is_said() {
        let (a, b, mut c) = (passing(), passing(), passing());
        c.checks[12] = 2;
        c.agents[19] = 3 << 2;
        let scans = [at("a.com", FIRST, &a), at("b.com", FIRST, &b), at("c.com", FIRST, &c)];
        let page = page(&scans, Lang::En);
        assert!(page.contains("All but c.com pass: Sitemap."), "{page}");
        assert!(page.contains("All but c.com are open to: ClaudeBot."), "{page}");
    }

    #[test]
    fn what_is_not_known_of_one_is_said_of_none() {
        for byte in [3, 4, u8::MAX] {
            let (a, mut b) = (passing(), passing());
            b.checks[12] = byte;
            b.agents[19] = byte << 2;
            let page = page(&[at("a.com", FIRST, &a), at("b.com", FIRST, &b)], Lang::En);
            assert!(!page.contains("Only a.com passes"), "{byte}: {page}");
        }
    }

    #[test]
    fn other_rules_leave_what_agents_meet() {
        let (a, mut b) = (passing(), passing());
        b.rubric = "2027.01".to_owned();
        b.checks = vec![2; 21];
        b.agents[18] = 3 << 2;
        let scans = [at("a.com", FIRST, &a), at("b.com", FIRST, &b)];
        let comparison = ScanComparison::new(&scans);
        assert!(!comparison.has_same_rules && comparison.checks.is_empty());
        assert_eq!(comparison.agents.len(), 1);
        let page = page(&scans, Lang::En);
        assert!(page.contains("Judged by different rules"), "{page}");
        assert!(!page.contains("Categories") && !page.contains("Only a.com passes"), "{page}");
    }

    #[test]
    fn the_same_twice_differs_in_nothing() {
        let (a, b) = (passing(), passing());
        for lang in Lang::ALL {
            let page = page(&[at("a.com", FIRST, &a), at("b.com", FIRST, &b)], lang);
            assert!(!page.contains("interface.") && !page.contains("compare-"), "{page}");
            let nothing = Labels::new(lang).label("compare-nothing");
            assert!(page.contains(nothing.as_str()), "{page}");
        }
    }

    #[test]
    fn what_each_has_found_is_shown_if_there_is_a_result() {
        let result = sample::hostile();
        let (a, b) = (ScanDay::of(&result), passing());
        let a = ScanDay { rubric: RUBRIC_VERSION.to_owned(), ..a };
        let first = ScanToCompare { result: Some(&result), ..at("a.com", FIRST, &a) };
        let scans = [first, at("b.com", FIRST, &b)];
        let comparison = ScanComparison::new(&scans);
        let with_words = comparison.checks.iter().filter(|check| check.found[0].is_some());
        assert!(with_words.count() > 0);
        assert!(comparison.checks.iter().all(|check| check.found[1].is_none()));
        assert!(!page(&scans, Lang::En).contains("<script"));
    }
}
