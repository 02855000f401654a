//! Sentences, numbers and days in the language of a page or a file.

use crate::agents::Purpose;
use crate::text::locale::{Catalog, Lang, Values};
use crate::text::markup::{Shown, shown};
use crate::text::number;
use chrono::{DateTime, Datelike as _, NaiveDate, Utc};

const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

/// The words of one language. All are in `locales/` under `traffic`.
#[derive(Clone, Copy, Debug)]
pub struct TrafficWords {
    catalog: &'static Catalog,
}

impl TrafficWords {
    /// The words of a language.
    pub fn new(lang: Lang) -> Self {
        Self { catalog: Catalog::for_lang(lang) }
    }

    /// The language.
    pub fn lang(self) -> Lang {
        self.catalog.lang()
    }

    /// A text without placeholders.
    pub fn text(self, id: &str) -> Shown<'static> {
        shown(self.catalog.text(&["traffic", id]))
    }

    /// A sentence with its placeholders filled.
    pub fn fill<const N: usize>(
        &self,
        id: &str,
        values: [(&'static str, String); N],
    ) -> Shown<'static> {
        shown(self.catalog.fill(&["traffic", id], &Values::from(values)))
    }

    /// What a rejected line lacked.
    pub fn rejection(self, reason: &str) -> Shown<'static> {
        let text = self.catalog.find(&["ingest", "reasons", reason, "text"]);
        shown(text.unwrap_or(reason).to_owned())
    }

    /// Why agents come.
    pub fn purpose(self, purpose: Purpose) -> Shown<'static> {
        self.text(&format!("purpose-{}", purpose.as_str()))
    }

    /// A whole number with marks between thousands.
    pub fn number(self, number: u64) -> String {
        number::grouped(number, self.lang())
    }

    /// `1.9 %`.
    pub fn share(self, part: u64, whole: u64) -> String {
        self.with_percent(number::percent(part, whole, self.lang()))
    }

    /// A number with the sign of percent at its place.
    pub fn with_percent(self, number: String) -> String {
        self.fill("percent", [("number", number)]).as_str().to_owned()
    }

    /// `28 Nov 2026`.
    pub fn day(self, day: NaiveDate) -> String {
        format!("{} {}", self.short_day(day), day.year())
    }

    /// `28 Nov`.
    pub fn short_day(self, day: NaiveDate) -> String {
        let months = self.text("months");
        let place = usize::try_from(day.month0()).unwrap_or_default();
        let month = months.as_str().split(' ').nth(place).unwrap_or_default();
        format!("{} {month}", day.day())
    }

    /// `30 Oct – 28 Nov 2026`.
    pub fn days(self, from: NaiveDate, to: NaiveDate) -> String {
        if from == to {
            return self.day(to);
        }
        let first = if from.year() == to.year() { self.short_day(from) } else { self.day(from) };
        format!("{first} – {}", self.day(to))
    }

    /// `28 Nov 2026, 15:20 UTC`, of a time as answers have it.
    pub fn moment(self, instant: &str) -> String {
        match instant.parse::<DateTime<Utc>>() {
            Ok(time) => format!("{}, {} UTC", self.day(time.date_naive()), time.format("%H:%M")),
            Err(_) => instant.to_owned(),
        }
    }

    /// `18 hours`: a length of time in its largest unit.
    pub fn duration(self, seconds: u64) -> String {
        let (id, length) = match seconds {
            ..120 => ("seconds", seconds),
            120..7_200 => ("minutes", seconds / 60),
            7_200..172_800 => ("hours", seconds / HOUR),
            _ => ("days", seconds / DAY),
        };
        self.fill(id, [("number", length.to_string())]).as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_lengths_are_words() {
        let (english, turkish) = (TrafficWords::new(Lang::En), TrafficWords::new(Lang::Tr));
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        assert_eq!(english.day(day("2026-11-08")), "8 Nov 2026");
        assert_eq!(turkish.short_day(day("2026-02-28")), "28 Şub");
        let (from, to) = (day("2025-12-31"), day("2026-01-01"));
        assert_eq!(english.days(from, to), "31 Dec 2025 – 1 Jan 2026");
        assert_eq!(english.days(to, to), "1 Jan 2026");
        assert_eq!(english.moment("2026-11-28T15:20:59Z"), "28 Nov 2026, 15:20 UTC");
        for (seconds, text) in [
            (1, "1 second"),
            (119, "119 seconds"),
            (120, "2 minutes"),
            (7_200, "2 hours"),
            (172_800, "2 days"),
        ] {
            assert_eq!(english.duration(seconds), text);
        }
        assert_eq!(turkish.share(19, 1000), "%1,9");
        assert_eq!(english.share(0, 0), "0 %");
        assert_eq!(english.rejection("no_such_reason").as_str(), "no_such_reason");
    }
}
