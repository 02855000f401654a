//! The score of an audit: one rubric, frozen per version. All in whole numbers.

use crate::audit::gate::Gate;
use crate::audit::profile::Profile;
use crate::audit::signal::{Credit, Reading, Signal};
use crate::finding::Verdict;

/// Version of signals, weights, gates and bands.
pub const RUBRIC_VERSION: &str = "audit-2026.11.2";

/// A signal and what it read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The signal.
    pub signal: &'static Signal,
    /// What it read.
    pub reading: Reading,
}

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
        match score {
            0..35 => Self::Poor,
            35..55 => Self::Weak,
            55..75 => Self::Fair,
            75..90 => Self::Good,
            90.. => Self::Excellent,
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
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Gain {
    /// Points that it adds to the score, found by scoring again: 0 while another gate is closed.
    pub points: u8,
    /// Tenths of a point that it adds to the score before gates.
    pub raw_tenths: u32,
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

/// What the score becomes if one signal earns everything, gates of that signal opened.
pub fn gain(reads: &[Read], profile: Profile, mended: &'static str) -> Gain {
    let credit = |read: &Read| {
        let is_mended = read.signal.id == mended && read.reading.credit.is_some();
        if is_mended { Some(Credit::FULL) } else { read.reading.credit }
    };
    let before = raw(reads.iter().map(|read| (read.signal, read.reading.credit)), profile);
    let after = raw(reads.iter().map(|read| (read.signal, credit(read))), profile);
    let gates = |open: Option<&str>| {
        let closed = reads.iter().filter(|read| Some(read.signal.id) != open);
        closed.filter_map(|read| read.reading.gate).collect::<Vec<_>>()
    };
    let now = capped(before, gates(None));
    let then = capped(after, gates(Some(mended)));
    Gain { points: then.saturating_sub(now), raw_tenths: after.saturating_sub(before).div_ceil(10) }
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
