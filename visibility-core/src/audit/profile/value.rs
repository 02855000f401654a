//! The value of a feature: the number that the model weighs, and the one that a reader is shown.

/// The value of a feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureValue {
    /// What the model weighs: counts by their logarithm, shares from 0 to 1, and 1 for what is so.
    pub number: f64,
    /// What it was made of.
    pub shown: ValueText,
}

/// What a reader is shown of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueText {
    /// Nothing: something is so, or not.
    Sign,
    /// A count, or a mean.
    Number(f64),
    /// A share, from 0 to 1.
    Share(f64),
}

impl FeatureValue {
    /// The value as text; empty for what is only so.
    pub fn text(&self) -> String {
        match self.shown {
            ValueText::Sign => String::new(),
            ValueText::Number(number) => short(number),
            ValueText::Share(share) => short(100.0 * share),
        }
    }
}

impl std::ops::Mul<f64> for FeatureValue {
    type Output = Self;

    /// Weighs less, and is shown as it is.
    fn mul(self, factor: f64) -> Self {
        Self { number: self.number * factor, ..self }
    }
}

/// A number as a reader wants it: below ten with one decimal, unless it is a whole one.
fn short(number: f64) -> String {
    let tenths = (number * 10.0).round() / 10.0;
    if tenths < 10.0 && tenths.fract() > 0.0 {
        format!("{tenths:.1}")
    } else {
        format!("{number:.0}")
    }
}

pub(super) fn yes(is_so: bool) -> FeatureValue {
    FeatureValue { number: f64::from(u8::from(is_so)), shown: ValueText::Sign }
}

/// A number of signs; more than this many say no more.
pub(super) fn signs(number: u32, most: u32) -> FeatureValue {
    let number = f64::from(number.min(most));
    FeatureValue { number, shown: ValueText::Number(number) }
}

/// The logarithm of a count: the tenth of something says less than the second.
pub(super) fn count(number: usize) -> FeatureValue {
    size(u32::try_from(number).unwrap_or(u32::MAX))
}

pub(super) fn size(number: u32) -> FeatureValue {
    logarithm(f64::from(number))
}

pub(super) fn share(part: u32, whole: u32) -> FeatureValue {
    let share = if whole == 0 { 0.0 } else { (f64::from(part) / f64::from(whole)).min(1.0) };
    FeatureValue { number: share, shown: ValueText::Share(share) }
}

pub(super) fn part(part: usize, whole: usize) -> FeatureValue {
    share(u32::try_from(part).unwrap_or(u32::MAX), u32::try_from(whole).unwrap_or(u32::MAX))
}

pub(super) fn mean(sum: u32, number: u32) -> FeatureValue {
    logarithm(if number == 0 { 0.0 } else { f64::from(sum) / f64::from(number) })
}

pub(super) fn density(number: u32, chars: u32) -> FeatureValue {
    logarithm(f64::from(number) * 600.0 / f64::from(chars.max(600)))
}

fn logarithm(number: f64) -> FeatureValue {
    FeatureValue { number: libm::log1p(number), shown: ValueText::Number(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_sees_counts_and_percents() {
        for (value, text) in [
            (yes(true), ""),
            (count(12), "12"),
            (signs(5, 3), "3"),
            (share(1, 3), "33"),
            (share(1, 250), "0.4"),
            (share(3, 0), "0"),
            (mean(7, 2), "3.5"),
            (mean(7, 0), "0"),
            (density(3, 100), "3"),
            (share(1, 2) * 0.5, "50"),
        ] {
            assert_eq!(value.text(), text, "{value:?}");
        }
    }
}
