//! Multinomial logistic regression with a quadratic penalty, for training: deterministic, on one thread.

/// What to learn from: the standardized values of one example, its class and its weight.
#[derive(Clone, Debug)]
pub struct Example {
    /// Values of the features.
    pub values: Vec<f64>,
    /// The class.
    pub class: usize,
    /// How much it counts.
    pub weight: f64,
}

/// What was learned.
#[derive(Clone, Debug)]
pub struct Learned {
    /// For each class.
    pub intercepts: Vec<f64>,
    /// For each class the weights of the features.
    pub weights: Vec<Vec<f64>>,
}

/// Steps of the descent: enough that another one changes no decimal that is kept.
const STEPS: usize = 400;

/// Learns from examples. `strength` is the inverse of the penalty, as scikit-learn's `C`.
pub fn learn(examples: &[Example], classes: usize, strength: f64) -> Learned {
    let features = examples.first().map_or(0, |example| example.values.len());
    let penalty = 1.0 / strength;
    let step = 1.0 / (penalty + curvature(examples, features));
    let mut now = vec![vec![0.0; features + 1]; classes];
    let mut ahead = now.clone();
    let mut momentum: f64 = 1.0;
    for _ in 0..STEPS {
        let gradient = gradient(examples, &ahead, penalty);
        let next_momentum = f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt());
        let push = (momentum - 1.0) / next_momentum;
        for ((now, ahead), slope) in now.iter_mut().zip(&mut ahead).zip(&gradient) {
            for ((now, ahead), slope) in now.iter_mut().zip(ahead).zip(slope) {
                let next = *ahead - step * slope;
                *ahead = next + push * (next - *now);
                *now = next;
            }
        }
        momentum = next_momentum;
    }
    let intercepts = now.iter_mut().map(|row| row.pop().unwrap_or_default()).collect();
    Learned { intercepts, weights: now }
}

/// An upper bound of the curvature: half of the largest eigenvalue of the weighted squares, by its power.
fn curvature(examples: &[Example], features: usize) -> f64 {
    const ROUNDS: usize = 50;
    let mut direction = vec![1.0; features + 1];
    let mut size = 0.0;
    for _ in 0..ROUNDS {
        let mut next = vec![0.0; features + 1];
        for example in examples {
            let along = example.weight * dot(&direction, &example.values);
            add(&mut next, along, &example.values);
        }
        size = next.iter().map(|value| value * value).sum::<f64>().sqrt();
        for value in &mut next {
            *value /= size.max(f64::MIN_POSITIVE);
        }
        direction = next;
    }
    0.55 * size
}

fn gradient(examples: &[Example], rows: &[Vec<f64>], penalty: f64) -> Vec<Vec<f64>> {
    let mut gradient: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| {
            let mut slope: Vec<f64> = row.iter().map(|weight| penalty * weight).collect();
            // The intercept is free.
            if let Some(last) = slope.last_mut() {
                *last = 0.0;
            }
            slope
        })
        .collect();
    for example in examples {
        let likely = probabilities(rows, &example.values);
        for (class, (slope, likely)) in gradient.iter_mut().zip(likely).enumerate() {
            let wanted = if class == example.class { 1.0 } else { 0.0 };
            add(slope, example.weight * (likely - wanted), &example.values);
        }
    }
    gradient
}

/// How likely each class is, by rows of weights that end with the intercept.
fn probabilities(rows: &[Vec<f64>], values: &[f64]) -> Vec<f64> {
    let scores: Vec<f64> = rows.iter().map(|row| dot(row, values)).collect();
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| libm::exp(score - most)).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// The product with values that end with 1.
fn dot(row: &[f64], values: &[f64]) -> f64 {
    let last = row.last().copied().unwrap_or_default();
    row.iter().zip(values).map(|(weight, value)| weight * value).sum::<f64>() + last
}

fn add(row: &mut [f64], factor: f64, values: &[f64]) {
    for (slot, value) in row.iter_mut().zip(values) {
        *slot += factor * value;
    }
    if let Some(last) = row.last_mut() {
        *last += factor;
    }
}
