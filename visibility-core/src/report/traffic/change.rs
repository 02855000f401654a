//! How much more or less something is than before.

use crate::report::chart::Tone;
use crate::report::traffic::TrafficWords;

/// A change in words.
#[derive(Clone, Debug)]
pub struct FigureChange {
    /// Such as `▲ 12 %`.
    pub text: String,
    /// Whether it is good.
    pub tone: Tone,
}

impl FigureChange {
    /// The class of the style sheet for the text.
    pub fn class(&self) -> &'static str {
        match self.tone {
            Tone::Good => "pass",
            Tone::Bad => "fail",
            _ => "line",
        }
    }

    /// The change of a number in percent: more requests are neither good nor bad.
    pub fn of_number(words: TrafficWords, now: u64, before: u64) -> Self {
        percent(words, now, before)
    }

    /// The change of a share, which is a part and its whole, in points: more trouble is bad.
    pub fn of_share(words: TrafficWords, now: (u64, u64), before: (u64, u64)) -> Self {
        points(words, now, before)
    }
}

fn percent(words: TrafficWords, now: u64, before: u64) -> FigureChange {
    let tone = Tone::Fair;
    if now == before {
        return FigureChange { text: words.text("no-change").as_str().to_owned(), tone };
    }
    if before == 0 {
        return FigureChange { text: words.text("none-before").as_str().to_owned(), tone };
    }
    let difference = u128::from(now.abs_diff(before)) * 100;
    let percent = (difference + u128::from(before) / 2) / u128::from(before);
    let number = match percent {
        0 => "<1".to_owned(),
        percent => words.number(u64::try_from(percent).unwrap_or(u64::MAX)),
    };
    FigureChange { text: format!("{} {}", arrow(now > before), words.with_percent(number)), tone }
}

/// With one digit behind the point.
fn points(
    words: TrafficWords,
    (now, whole): (u64, u64),
    (before, whole_before): (u64, u64),
) -> FigureChange {
    let tenths = |part: u64, whole: u64| match u128::from(whole) {
        0 => 0,
        whole => (u128::from(part) * 1000 + whole / 2) / whole,
    };
    let (now, before) = (tenths(now, whole), tenths(before, whole_before));
    if now == before {
        let text = words.text("no-change").as_str().to_owned();
        return FigureChange { text, tone: Tone::Fair };
    }
    let difference = now.abs_diff(before);
    let mark = words.text("decimal-mark");
    let number = format!("{}{}{}", difference / 10, mark.as_str(), difference % 10);
    let text = words.fill("points", [("number", number)]);
    let tone = if now > before { Tone::Bad } else { Tone::Good };
    FigureChange { text: format!("{} {}", arrow(now > before), text.as_str()), tone }
}

fn arrow(is_more: bool) -> &'static str {
    if is_more { "▲" } else { "▼" }
}

#[cfg(test)]
mod tests {
    use crate::text::locale::Lang;

    use super::*;

    #[test]
    fn changes_are_rounded_and_small_ones_are_there() {
        let words = TrafficWords::new(Lang::En);
        for (now, before, text) in [
            (112, 100, "▲ 12 %"),
            (97, 100, "▼ 3 %"),
            (1001, 1000, "▲ <1 %"),
            (0, 10, "▼ 100 %"),
            (5, 5, "no change"),
            (5, 0, "none before"),
            (u64::MAX, 1, "▲ 18,446,744,073,709,551,615 %"),
        ] {
            assert_eq!(percent(words, now, before).text, text);
        }
        for (now, before, text) in [
            ((30, 1000), (19, 1000), "▲ 1.1 points"),
            ((19, 1000), (22, 1000), "▼ 0.3 points"),
            ((1, 10_000), (0, 10), "no change"),
            ((0, 0), (5, 10), "▼ 50.0 points"),
        ] {
            assert_eq!(points(words, now, before).text, text);
        }
        assert_eq!(points(words, (2, 4), (1, 4)).tone, Tone::Bad);
        assert_eq!(points(TrafficWords::new(Lang::Tr), (2, 4), (1, 4)).text, "▲ 25,0 puan");
    }
}
