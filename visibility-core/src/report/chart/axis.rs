//! The scale of an axis: where its lines are, and what is beside them.

/// Spaces between the lines of an axis.
const STEPS: u128 = 4;

/// Lines of an axis that begins at 0 and ends at or above a value, the lowest first.
pub(super) fn lines(highest: u128) -> Vec<u128> {
    let step = round_step(highest.div_ceil(STEPS).max(1));
    (0..=STEPS).map(|line| line * step).collect()
}

/// The lowest of 1, 2, 3, 5 and 10 times a power of ten that is not below a value.
fn round_step(value: u128) -> u128 {
    let mut power = 1;
    while power * 10 < value {
        power *= 10;
    }
    [1, 2, 3, 5, 10]
        .into_iter()
        .map(|times| times * power)
        .find(|step| *step >= value)
        .unwrap_or(value)
}

/// `15k`, `1.2M`: a number in at most five characters, or with the digits of 10^18 if it is larger than that.
pub(super) fn short(number: u128) -> String {
    const UNITS: [(u128, &str); 6] = [
        (1_000_000_000_000_000_000, "E"),
        (1_000_000_000_000_000, "P"),
        (1_000_000_000_000, "T"),
        (1_000_000_000, "G"),
        (1_000_000, "M"),
        (1_000, "k"),
    ];
    let Some((unit, letter)) = UNITS.into_iter().find(|(unit, _)| number >= *unit) else {
        return number.to_string();
    };
    let tenths = number * 10 / unit;
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole}{letter}"),
        (whole, _) if whole >= 100 => format!("{whole}{letter}"),
        (whole, tenth) => format!("{whole}.{tenth}{letter}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_at_a_round_number_above_its_highest_value() {
        for (highest, last) in
            [(0, 4), (1, 4), (4, 4), (5, 8), (11, 12), (38_021, 40_000), (52_000, 80_000)]
        {
            assert_eq!(lines(highest).last(), Some(&last), "{highest}");
        }
        let highest = u128::from(u64::MAX) * 8;
        assert!(lines(highest).last().is_some_and(|last| *last >= highest));
    }

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1k"),
            (1_250, "1.2k"),
            (15_000, "15k"),
            (123_456, "123k"),
            (1_200_000, "1.2M"),
            (u128::from(u64::MAX), "18.4E"),
        ] {
            assert_eq!(short(number), text);
        }
    }
}
