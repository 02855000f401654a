//! The score of an audit: one rubric, frozen per version. All in whole numbers.

use crate::audit::cap::AuditCap;
use crate::audit::page::AuditedPage;
use crate::audit::profile::PossibleProfiles;
use crate::audit::signal::{Credit, ScoredFinding, Signal};
use crate::rubric::finding::{Finding, Outcome, Verdict};

/// Version of signals, weights, gates and bands.
pub const RUBRIC_VERSION: &str = "audit-2026.11.12";

/// A signal and what it read.
#[derive(Clone, Debug)]
pub struct EvaluatedSignal {
    /// The signal.
    pub signal: &'static Signal,
    /// What it read.
    pub scored: ScoredFinding,
}

impl EvaluatedSignal {
    /// Evaluates a signal; one that is not asked of this kind of page, or that
    /// does not know its language, does not count.
    pub(crate) fn evaluate(signal: &'static Signal, page: &AuditedPage<'_>) -> Self {
        let is_asked = signal.weights.in_common(page.profiles()) > 0;
        let unscored = |outcome: Outcome| ScoredFinding::unscored(Finding::new(outcome.detected()));
        let scored = if !is_asked {
            unscored(OTHER_KIND)
        } else if !signal.languages.include(page) {
            unscored(OTHER_LANGUAGE)
        } else {
            (signal.evaluate)(page)
        };
        Self { signal, scored }
    }
}

/// What a signal says of a kind of page that it is not asked of.
pub(crate) const OTHER_KIND: Outcome = Outcome::not_applicable("other-kind");

/// What a signal says of a page whose language it does not know the words of.
pub(crate) const OTHER_LANGUAGE: Outcome = Outcome::not_applicable("other-language");

/// How good a score is.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Band {
    /// Below 35.
    Poor,
    /// From 35.
    Weak,
    /// From 55.
    Fair,
    /// From 75.
    Good,
    /// From 90.
    Excellent,
}

impl Band {
    /// All, lowest first.
    pub const ALL: [Self; 5] = [Self::Poor, Self::Weak, Self::Fair, Self::Good, Self::Excellent];

    /// The band of a score.
    pub fn for_score(score: u8) -> Self {
        let reached = Self::ALL.into_iter().rfind(|band| score >= band.from());
        reached.unwrap_or(Self::Poor)
    }

    /// The lowest score of the band.
    pub fn from(self) -> u8 {
        match self {
            Self::Poor => 0,
            Self::Weak => 35,
            Self::Fair => 55,
            Self::Good => 75,
            Self::Excellent => 90,
        }
    }

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Poor => "poor",
            Self::Weak => "weak",
            Self::Fair => "fair",
            Self::Good => "good",
            Self::Excellent => "excellent",
        }
    }
}

/// What all readings together say.
#[derive(Clone, Debug)]
pub struct AuditScore {
    /// 0 to 100, gates applied.
    pub value: u8,
    /// 0 to 100, before gates.
    pub raw: u8,
    /// Closed gates, hardest first.
    pub caps: Vec<(AuditCap, &'static Signal)>,
    /// Share of the weight of the signals that concern the page which could be read, in thousandths.
    pub coverage: u32,
    /// Band of [`AuditScore::value`].
    pub band: Band,
}

/// What fixing one signal brings.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Gain {
    /// Points that it adds to the score, found by scoring again: 0 while another gate is closed.
    pub points: u8,
    /// Tenths of a point that it adds to the score before gates.
    pub raw_tenths: u32,
    /// Whether the score before gates becomes less.
    pub is_loss: bool,
}

impl Gain {
    /// The smaller one in each respect.
    #[must_use]
    pub fn or_less(self, other: Self) -> Self {
        Self {
            points: self.points.min(other.points),
            raw_tenths: self.raw_tenths.min(other.raw_tenths),
            is_loss: self.is_loss || other.is_loss,
        }
    }
}

/// Scores the readings of a page.
pub fn score(evaluated: &[EvaluatedSignal], profiles: PossibleProfiles) -> AuditScore {
    let credits = evaluated.iter().map(|item| (item.signal, item.scored.credit));
    let raw = raw(credits, profiles);
    let mut caps: Vec<(AuditCap, &'static Signal)> =
        evaluated.iter().filter_map(|item| Some((item.scored.cap?, item.signal))).collect();
    caps.sort_by_key(|(cap, _)| cap.limit());
    let value = capped(raw, caps.iter().map(|(cap, _)| *cap));
    AuditScore {
        value,
        raw: rounded(raw),
        caps,
        coverage: coverage(evaluated, profiles),
        band: Band::for_score(value),
    }
}

/// What a signal contributes to the score: its credit, and the gate that it closes.
pub type Contribution = (Option<Credit>, Option<AuditCap>);

/// What the score gains if one signal earns everything and closes no gate.
pub fn full_gain(
    evaluated: &[EvaluatedSignal],
    profiles: PossibleProfiles,
    item: &EvaluatedSignal,
) -> Gain {
    let credit = item.scored.credit.map(|_| Credit::FULL);
    gain(evaluated, profiles, profiles, |id| (id == item.signal.id).then_some((credit, None)))
}

/// What the score gains if signals contribute something else, and if the page may then have other profiles.
pub fn gain(
    evaluated: &[EvaluatedSignal],
    profiles: PossibleProfiles,
    profiles_after: PossibleProfiles,
    changed: impl Fn(&str) -> Option<Contribution>,
) -> Gain {
    let now = |item: &EvaluatedSignal| (item.scored.credit, item.scored.cap);
    let then = |item: &EvaluatedSignal| changed(item.signal.id).unwrap_or_else(|| now(item));
    let before = raw(evaluated.iter().map(|item| (item.signal, now(item).0)), profiles);
    let after = raw(evaluated.iter().map(|item| (item.signal, then(item).0)), profiles_after);
    let closed = evaluated.iter().filter_map(|item| now(item).1);
    let still = evaluated.iter().filter_map(|item| then(item).1);
    let points = capped(after, still).saturating_sub(capped(before, closed));
    let raw_tenths = (after.saturating_sub(before) + 5) / 10;
    Gain { points, raw_tenths, is_loss: after < before }
}

/// Hundredths of a point before gates, rounded; 0 if nothing counts.
fn raw(
    credits: impl Iterator<Item = (&'static Signal, Option<Credit>)>,
    profiles: PossibleProfiles,
) -> u32 {
    let (mut earned, mut possible) = (0, 0);
    for (signal, credit) in credits {
        let weight = signal.weights.in_common(profiles);
        if let Some(credit) = credit {
            earned += weight * credit.per_mille();
            possible += weight;
        }
    }
    // Hundredths of 100 points: ten thousand, of which the thousandths of the credit are a tenth.
    (10 * earned + possible / 2).checked_div(possible).unwrap_or_default()
}

fn rounded(hundredths: u32) -> u8 {
    u8::try_from((hundredths + 50) / 100).unwrap_or(100).min(100)
}

fn capped(raw: u32, caps: impl IntoIterator<Item = AuditCap>) -> u8 {
    caps.into_iter().map(AuditCap::limit).fold(rounded(raw), u8::min)
}

fn coverage(evaluated: &[EvaluatedSignal], profiles: PossibleProfiles) -> u32 {
    let weight = |item: &&EvaluatedSignal| item.signal.weights.in_common(profiles);
    let concerned =
        evaluated.iter().filter(|item| item.scored.finding.verdict() != Verdict::NotApplicable);
    let all: u32 = concerned.clone().map(|item| weight(&item)).sum();
    let measured: u32 =
        concerned.filter(|item| item.scored.credit.is_some()).map(|item| weight(&item)).sum();
    (1000 * measured + all / 2).checked_div(all).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_begin_at_their_scores() {
        for (score, band) in [
            (0, "poor"),
            (34, "poor"),
            (35, "weak"),
            (54, "weak"),
            (55, "fair"),
            (75, "good"),
            (89, "good"),
            (90, "excellent"),
            (100, "excellent"),
        ] {
            assert_eq!(Band::for_score(score).as_str(), band, "{score}");
        }
    }
}
