//! Lines that open: steps of a plan, and checks or signals.

use maud::{Markup, html};

use crate::report::parts::Place;
use crate::report::parts::piece::verdict_tag;
use crate::rubric::finding::Verdict;
use crate::text::markup::{sentence, shown};

/// A step of a plan: one line, with what to do in it.
pub(super) struct Step<'a> {
    pub(super) number: usize,
    pub(super) title: &'a str,
    /// What was found, if that is known.
    pub(super) found: Option<&'a str>,
    pub(super) gain: &'a str,
    pub(super) terms: &'a str,
}

impl Step<'_> {
    /// The line of the step; the first one is open.
    pub(super) fn render(&self, body: &Markup, place: &Place) -> Markup {
        html! {
            li {
                details open[self.number == 1] {
                    summary {
                        span.no { (self.number) }
                        span.t {
                            (place.item_heading(self.title))
                            @if let Some(found) = self.found { span { (sentence(found)) } }
                        }
                        span.tags {
                            span.tag.gain { (self.gain) }
                            span.tag { (shown(self.terms)) }
                        }
                    }
                    div.body { (body) }
                }
            }
        }
    }
}

/// A check or a signal: one line, with why in it.
pub(super) struct Judged<'a> {
    pub(super) id: &'a str,
    pub(super) verdict: Verdict,
    pub(super) title: &'a str,
    pub(super) summary: &'a str,
    /// The category or pillar that it belongs to.
    pub(super) group: &'a str,
    /// What was earned of what could be.
    pub(super) earned: &'a str,
    /// Points of the score that are lost.
    pub(super) lost: f64,
    pub(super) body: Markup,
}

impl Judged<'_> {
    fn render(&self, place: &Place) -> Markup {
        html! {
            li {
                details {
                    summary {
                        (verdict_tag(self.verdict, place.labels()))
                        span.t { (place.item_heading(self.title)) span { (sentence(self.summary)) } }
                        span.points { (shown(self.group)) " · " span.amount { (self.earned) } }
                    }
                    // A link to this id opens the line, since it is in what is closed.
                    div.body id=(shown(place.check_id(self.id))) { (self.body) }
                }
            }
        }
    }
}

/// Puts what fails first, and then what has lost more.
pub(super) fn sort_by_verdict(all: &mut [Judged<'_>]) {
    all.sort_by(|a, b| rank(a.verdict).cmp(&rank(b.verdict)).then(b.lost.total_cmp(&a.lost)));
}

/// Puts what has lost more first, and then what fails.
pub(super) fn sort_by_loss(all: &mut [Judged<'_>]) {
    all.sort_by(|a, b| b.lost.total_cmp(&a.lost).then(rank(a.verdict).cmp(&rank(b.verdict))));
}

/// Judgments in their order: what asks for work, then what passes and what does not count, folded.
pub(super) fn judged_list(all: &[Judged<'_>], place: &Place) -> Markup {
    let with = |verdicts: &[Verdict]| -> Vec<Markup> {
        let members = all.iter().filter(|one| verdicts.contains(&one.verdict));
        members.map(|one| one.render(place)).collect()
    };
    let open = with(&[Verdict::Fail, Verdict::Warn, Verdict::Unknown]);
    html! {
        div.card {
            @if !open.is_empty() { ul.checks { @for one in &open { (one) } } }
            (folded("passed", &with(&[Verdict::Pass]), place))
            (folded("not-counted", &with(&[Verdict::NotApplicable]), place))
        }
    }
}

fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Fail => 0,
        Verdict::Warn => 1,
        Verdict::Unknown => 2,
        Verdict::Pass => 3,
        Verdict::NotApplicable => 4,
    }
}

/// Lines that ask for no work, behind one that says how many they are.
fn folded(sentence: &str, members: &[Markup], place: &Place) -> Markup {
    html! {
        @if !members.is_empty() {
            details.fold {
                summary { (place.labels().sentence(sentence, &[("count", &members.len())])) }
                ul.checks { @for member in members { (member) } }
            }
        }
    }
}

/// How many there are of what asks for work: `3 fail · 1 warn`.
pub(super) fn counts(verdicts: &[Verdict], place: &Place) -> Markup {
    let of = |wanted: Verdict| verdicts.iter().filter(|one| **one == wanted).count();
    let found =
        [Verdict::Fail, Verdict::Warn, Verdict::Unknown].map(|verdict| (verdict, of(verdict)));
    let texts: Vec<String> = found
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| format!("{count} {}", place.labels().verdict(verdict)))
        .collect();
    html! { span.soft { (texts.join(" · ")) } }
}
