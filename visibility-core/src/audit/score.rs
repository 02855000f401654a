//! The score of an audit: one rubric, frozen per version. All in whole numbers.

use crate::audit::gate::Gate;
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::signal::{Credit, Reading, Signal};
use crate::rubric::finding::{Finding, Outcome, Verdict};

/// Version of signals, weights, gates and bands.
pub const RUBRIC_VERSION: &str = "audit-2026.11.4";

/// A signal and what it read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The signal.
    pub signal: &'static Signal,
    /// What it read.
    pub reading: Reading,
}

impl Read {
    /// Evaluates a signal; one that is not asked of this kind of page does not count.
    pub(crate) fn of(signal: &'static Signal, page: &AuditedPage<'_>) -> Self {
        let is_asked = signal.weights.of(page.profile()) > 0;
        let not_asked = || Reading::uncounted(Finding::new(OTHER_KIND.found()));
        let reading = if is_asked { (signal.evaluate)(page) } else { not_asked() };
        Self { signal, reading }
    }
}

/// What a signal says of a kind of page that it is not asked of.
pub(crate) const OTHER_KIND: Outcome = Outcome::not_applicable("other-kind");

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
    pub fn of(score: u8) -> Self {
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
pub struct Score {
    /// 0 to 100, gates applied.
    pub value: u8,
    /// 0 to 100, before gates.
    pub raw: u8,
    /// Closed gates, hardest first.
    pub gates: Vec<(Gate, &'static Signal)>,
    /// Share of the weight of the signals that concern the page which could be read, in thousandths.
    pub coverage: u32,
    /// Band of [`Score::value`].
    pub band: Band,
}

/// What mending one signal brings.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Gain {
    /// Points that it adds to the score, found by scoring again: 0 while another gate is closed.
    pub points: u8,
    /// Tenths of a point that it adds to the score before gates.
    pub raw_tenths: u32,
    /// Whether the score before gates becomes less.
    pub is_loss: bool,
}

/// Scores the readings of a page.
pub fn score(reads: &[Read], profile: Profile) -> Score {
    let credits = reads.iter().map(|read| (read.signal, read.reading.credit));
    let raw = raw(credits, profile);
    let mut gates: Vec<(Gate, &'static Signal)> =
        reads.iter().filter_map(|read| Some((read.reading.gate?, read.signal))).collect();
    gates.sort_by_key(|(gate, _)| gate.limit());
    let value = capped(raw, gates.iter().map(|(gate, _)| *gate));
    Score {
        value,
        raw: rounded(raw),
        gates,
        coverage: coverage(reads, profile),
        band: Band::of(value),
    }
}

/// What a signal contributes to the score: its credit, and the gate that it closes.
pub type Contribution = (Option<Credit>, Option<Gate>);

/// What the score gains if one signal earns everything and closes no gate.
pub fn full_gain(reads: &[Read], profile: Profile, read: &Read) -> Gain {
    let credit = read.reading.credit.map(|_| Credit::FULL);
    gain(reads, profile, profile, |id| (id == read.signal.id).then_some((credit, None)))
}

/// What the score gains if signals contribute something else, and if the page is then of another kind.
pub fn gain(
    reads: &[Read],
    profile: Profile,
    profile_after: Profile,
    changed: impl Fn(&str) -> Option<Contribution>,
) -> Gain {
    let now = |read: &Read| (read.reading.credit, read.reading.gate);
    let then = |read: &Read| changed(read.signal.id).unwrap_or_else(|| now(read));
    let before = raw(reads.iter().map(|read| (read.signal, now(read).0)), profile);
    let after = raw(reads.iter().map(|read| (read.signal, then(read).0)), profile_after);
    let closed = reads.iter().filter_map(|read| now(read).1);
    let still = reads.iter().filter_map(|read| then(read).1);
    let points = capped(after, still).saturating_sub(capped(before, closed));
    let raw_tenths = (after.saturating_sub(before) + 5) / 10;
    Gain { points, raw_tenths, is_loss: after < before }
}

/// Hundredths of a point before gates, rounded; 0 if nothing counts.
fn raw(credits: impl Iterator<Item = (&'static Signal, Option<Credit>)>, profile: Profile) -> u32 {
    let (mut earned, mut possible) = (0, 0);
    for (signal, credit) in credits {
        let weight = signal.weights.of(profile);
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

fn capped(raw: u32, gates: impl IntoIterator<Item = Gate>) -> u8 {
    gates.into_iter().map(Gate::limit).fold(rounded(raw), u8::min)
}

fn coverage(reads: &[Read], profile: Profile) -> u32 {
    let weight = |read: &&Read| read.signal.weights.of(profile);
    let concerned =
        reads.iter().filter(|read| read.reading.finding.verdict() != Verdict::NotApplicable);
    let all: u32 = concerned.clone().map(|read| weight(&read)).sum();
    let measured: u32 =
        concerned.filter(|read| read.reading.credit.is_some()).map(|read| weight(&read)).sum();
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
            assert_eq!(Band::of(score).as_str(), band, "{score}");
        }
    }
}
