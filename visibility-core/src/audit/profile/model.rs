//! The model of the kinds of pages: a multinomial logistic regression over [`FEATURES`].
//!
//! Its weights were learned from pages of the Web Content eXtraction Benchmark; `data/README.md` has the
//! attribution. The arithmetic is plain and every function of it is in `libm`, so that the same page has the same
//! probabilities on every machine.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::audit::profile::Profile;
use crate::audit::profile::features::FEATURES;

/// Kinds that the model tells apart.
pub const KINDS: [Profile; 7] = Profile::ALL;

/// Deviations from the mean beyond which a value says no more.
const MAX_DEVIATIONS: f64 = 3.0;

static MODEL: LazyLock<Model> = LazyLock::new(Model::read);

/// The model as its file has it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct ModelFile {
    /// Where it was learned.
    pub source: String,
    /// The kinds, in the order of the weights.
    pub kinds: Vec<String>,
    /// What the scores are multiplied by, so that four of five pages with a probability of .8 are of that kind.
    pub sharpness: f64,
    /// What each kind has without any feature.
    pub intercepts: Vec<f64>,
    /// Mean, deviation and the weight for each kind, by feature.
    pub features: BTreeMap<String, Vec<f64>>,
}

/// The model, its features in order.
#[derive(Clone, Debug, Default)]
pub struct Model {
    sharpness: f64,
    intercepts: [f64; KINDS.len()],
    features: Vec<Weights>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Weights {
    mean: f64,
    deviation: f64,
    by_kind: [f64; KINDS.len()],
}

/// How likely each kind is, and what speaks for it.
#[derive(Clone, Debug, Default)]
pub struct Judgment {
    /// Probabilities, in the order of [`KINDS`].
    pub probabilities: [f64; KINDS.len()],
    /// What each feature adds to each kind.
    pub contributions: Vec<[f64; KINDS.len()]>,
}

impl Model {
    /// The one that the core has.
    pub fn embedded() -> &'static Self {
        &MODEL
    }

    fn read() -> Self {
        const DATA: &str = include_str!("../../../data/page_kinds/model.json");
        let file: ModelFile = serde_json::from_str(DATA).unwrap_or_default();
        Self::from_file(&file)
    }

    /// The model of a file; features that it does not know weigh nothing.
    pub fn from_file(file: &ModelFile) -> Self {
        let order: Vec<Option<usize>> = KINDS
            .iter()
            .map(|kind| file.kinds.iter().position(|name| name == kind.as_str()))
            .collect();
        let by_kind = |values: &[f64]| -> [f64; KINDS.len()] {
            let mut sorted = [0.0; KINDS.len()];
            for (slot, at) in sorted.iter_mut().zip(&order) {
                *slot = at.and_then(|at| values.get(at)).copied().unwrap_or_default();
            }
            sorted
        };
        let features =
            FEATURES.iter().map(|feature| match file.features.get(feature.id).map(Vec::as_slice) {
                Some([mean, deviation, weights @ ..]) => {
                    Weights { mean: *mean, deviation: *deviation, by_kind: by_kind(weights) }
                }
                _ => Weights::default(),
            });
        Self {
            sharpness: file.sharpness,
            intercepts: by_kind(&file.intercepts),
            features: features.collect(),
        }
    }

    /// Judges the values of the features.
    pub fn judge(&self, values: &[f64]) -> Judgment {
        let mut scores = self.intercepts;
        let mut contributions = Vec::with_capacity(values.len());
        for (weights, value) in self.features.iter().zip(values) {
            let added = weights.contributions(*value);
            for (score, added) in scores.iter_mut().zip(&added) {
                *score += added;
            }
            contributions.push(added);
        }
        let probabilities = softmax(scores.map(|score| score * self.sharpness));
        Judgment { probabilities, contributions }
    }
}

impl Weights {
    fn contributions(&self, value: f64) -> [f64; KINDS.len()] {
        let standard = standardized(value, self.mean, self.deviation);
        self.by_kind.map(|weight| weight * standard)
    }
}

/// A value as deviations from the mean, at most three.
pub fn standardized(value: f64, mean: f64, deviation: f64) -> f64 {
    if deviation > 0.0 {
        ((value - mean) / deviation).clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS)
    } else {
        0.0
    }
}

/// Probabilities from scores.
pub fn softmax(scores: [f64; KINDS.len()]) -> [f64; KINDS.len()] {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers = scores.map(|score| libm::exp(score - most));
    let sum: f64 = powers.iter().sum();
    powers.map(|power| power / sum)
}
