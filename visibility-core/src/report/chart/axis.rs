//! The scale of an axis: where its lines are, and what is beside them.

use crate::text::locale::Lang;

/// Spaces between the lines of an axis that there should be.
const SPACES: u128 = 4;
/// Round numbers in tenths: 1, 1.5, 2, 3, 5, 7.5 and 10.
const ROUND_TENTHS: [u128; 7] = [10, 15, 20, 30, 50, 75, 100];

/// Lines of an axis that begins at 0 and ends at or above a value, the lowest first: as little above it as three, four or
/// five round steps allow.
pub(super) fn lines(highest: u128) -> Vec<u128> {
    let highest = highest.max(1);
    let fitting = (SPACES - 1..=SPACES + 1).map(|spaces| {
        let step = round_step(highest.div_ceil(spaces));
        // Fewer spaces may do with a step that had to be rounded up.
        (step, highest.div_ceil(step))
    });
    let best = fitting.min_by_key(|(step, spaces)| (step * spaces, spaces.abs_diff(SPACES)));
    let (step, spaces) = best.unwrap_or((highest, 1));
    (0..=spaces).map(|line| line * step).collect()
}

/// The lowest round number times a power of ten that is whole and not below a value.
fn round_step(value: u128) -> u128 {
    let mut power = 1;
    while power * 10 < value {
        power *= 10;
    }
    ROUND_TENTHS
        .into_iter()
        .map(|tenths| tenths * power)
        .filter(|tenths| tenths % 10 == 0)
        .map(|tenths| tenths / 10)
        .find(|step| *step >= value)
        .unwrap_or(value)
}

/// `15k`, `1.2M`: a number in at most five characters, or with the digits of 10^18 if it is larger than that.
pub(super) fn short(number: u128, lang: Lang) -> String {
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
    let mark = match lang {
        Lang::En => '.',
        Lang::Tr => ',',
    };
    let tenths = number * 10 / unit;
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole}{letter}"),
        (whole, _) if whole >= 100 => format!("{whole}{letter}"),
        (whole, tenth) => format!("{whole}{mark}{tenth}{letter}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_at_a_round_number_above_its_highest_value() {
        for (highest, shown) in [
            (0, &[0, 1][..]),
            (1, &[0, 1]),
            (3, &[0, 1, 2, 3]),
            (5, &[0, 1, 2, 3, 4, 5]),
            (7, &[0, 2, 4, 6, 8]),
            (11, &[0, 3, 6, 9, 12]),
            (137, &[0, 50, 100, 150]),
            (290, &[0, 75, 150, 225, 300]),
            (52_000, &[0, 15_000, 30_000, 45_000, 60_000]),
            (60_001, &[0, 15_000, 30_000, 45_000, 60_000, 75_000]),
        ] {
            assert_eq!(lines(highest), shown, "{highest}");
        }
        for highest in 1..20_000 {
            let lines = lines(highest);
            let last = *lines.last().unwrap();
            assert!(last >= highest && last * 2 <= highest * 3, "{highest}: {last}");
            assert!((2..=6).contains(&lines.len()), "{highest}: {lines:?}");
        }
        let highest = u128::from(u64::MAX) * 8;
        assert!(lines(highest).last().is_some_and(|last| *last >= highest));
    }

    #[test]
    fn the_steps_of_an_axis_are_round_and_whole() {
        for value in 1..20_000_u128 {
            let step = round_step(value);
            assert!(step >= value && step <= value * 2, "{value}: {step}");
            let digits = step.to_string();
            let digits = digits.trim_end_matches('0');
            assert!(["1", "15", "2", "3", "5", "75"].contains(&digits), "{value}: {step}");
        }
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
            assert_eq!(short(number, Lang::En), text);
        }
        assert_eq!(short(1_500, Lang::Tr), "1,5k");
    }
}
