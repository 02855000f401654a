//! Timestamps: RFC 3339 in UTC.
//!
//! `Z` or `+00:00` behind seconds with any fraction; `t` and `z` may be lower-case letters. What is
//! finer than a microsecond is cut off. A leap second (`23:59:60`) is the midnight that follows it,
//! as in POSIX time.

/// Reads timestamps one after the other. Those of a log are beside others of the same minute: the
/// last one is remembered.
#[derive(Debug)]
pub(super) struct TimestampParser {
    /// As written, to the colon before the seconds.
    minute: [u8; 17],
    micros: i64,
}

impl Default for TimestampParser {
    fn default() -> Self {
        Self { minute: *b"1970-01-01T00:00:", micros: 0 }
    }
}

impl TimestampParser {
    /// Microseconds since 1970, or nothing when a text is not a timestamp in UTC.
    pub(super) fn micros(&mut self, text: &str) -> Option<i64> {
        let (minute, rest) = text.as_bytes().split_first_chunk::<17>()?;
        let ([tens, ones], rest) = rest.split_first_chunk()?;
        // Not a leap second: it is in the next minute.
        if !matches!(tens, b'0'..=b'5') {
            return micros(text);
        }
        if *minute != self.minute {
            self.micros = micros(text)?.div_euclid(MINUTE) * MINUTE;
            self.minute = *minute;
        }
        Some(self.micros + number(&[*tens, *ones])? * 1_000_000 + end(rest)?)
    }
}

/// Microseconds of a minute.
const MINUTE: i64 = 60_000_000;

/// Microseconds since 1970, or nothing when a text is not a timestamp in UTC.
fn micros(text: &str) -> Option<i64> {
    let (date_and_time, rest) = text.as_bytes().split_first_chunk::<19>()?;
    #[rustfmt::skip]
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1, b'T' | b't', h0, h1, b':', n0, n1, b':', s0, s1] =
        *date_and_time else { return None };
    let days = days(number(&[y0, y1, y2, y3])?, number(&[m0, m1])?, number(&[d0, d1])?)?;
    let (hour, minute) = (number(&[h0, h1])?, number(&[n0, n1])?);
    let second = number(&[s0, s1])?;
    let is_leap = (hour, minute, second) == (23, 59, 60);
    if hour > 23 || minute > 59 || (second > 59 && !is_leap) {
        return None;
    }
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second;
    let fraction = end(rest)?;
    Some(seconds * 1_000_000 + if is_leap { 0 } else { fraction })
}

/// The microseconds of what follows the seconds.
fn end(text: &[u8]) -> Option<i64> {
    // What most logs have.
    if let [b'.', a, b, c, b'Z'] = text {
        return Some(number(&[*a, *b, *c])? * 1_000);
    }
    let (fraction, rest) = fraction(text)?;
    matches!(rest, b"Z" | b"z" | b"+00:00").then_some(fraction)
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
    })
}

/// The microseconds behind the seconds, and what follows them.
fn fraction(text: &[u8]) -> Option<(i64, &[u8])> {
    let Some(digits) = text.strip_prefix(b".") else { return Some((0, text)) };
    let count = digits.iter().take_while(|digit| digit.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    let (digits, rest) = digits.split_at_checked(count)?;
    let micros = (0..6).map(|place| digits.get(place).map_or(0, |digit| i64::from(digit - b'0')));
    Some((micros.fold(0, |micros, digit| micros * 10 + digit), rest))
}

/// Days from 1970 to a date of the Gregorian calendar, year 0 to 9999.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap_year),
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=last).contains(&day) {
        return None;
    }
    // Years that begin in March, so that a leap day is the last of its year.
    let year = year + 400 - i64::from(month < 3);
    let month = (month + 9) % 12;
    let days = year * 365 + year / 4 - year / 100 + year / 400;
    Some(days + (month * 153 + 2) / 5 + day - 1 - (719_468 + 146_097))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use proptest::prelude::*;

    use super::*;

    fn read(clock: &mut TimestampParser, text: &str) -> Option<i64> {
        let read = clock.micros(text);
        assert_eq!(read, micros(text), "{text}");
        read
    }

    #[test]
    fn timestamps_of_one_minute_are_read_alike() {
        let mut clock = TimestampParser::default();
        for (text, expected) in [
            ("1970-01-01T00:00:01.5Z", Some(1_500_000)),
            ("1970-01-01T00:00:02.123Z", Some(2_123_000)),
            ("1970-01-01T00:00:0xZ", None),
            ("1970-01-01T00:00:x0Z", None),
            ("1970-01-01T00:00:60Z", None),
            ("1970-01-01T00:00:59", None),
            ("1970-01-01T00:00:5", None),
            ("1970-01-01T00:61:00Z", None),
            ("1970-01-01T00:61:00Z", None),
            ("1969-12-31T23:59:60Z", Some(0)),
            ("1969-12-31T23:59:59.999Z", Some(-1_000)),
            ("1969-12-31T23:59:60.7Z", Some(0)),
            ("1969-12-31T23:59:01Z", Some(-59_000_000)),
            ("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x30\x30Z", None),
        ] {
            assert_eq!(read(&mut clock, text), expected, "{text}");
        }
    }

    #[test]
    fn timestamps_are_rfc_3339_in_utc() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1970-01-01t00:00:00z", Some(0)),
            ("1970-01-01T00:00:00+00:00", Some(0)),
            ("1970-01-01T00:00:00.1Z", Some(100_000)),
            ("1970-01-01T00:00:00.1234567899999Z", Some(123_456)),
            ("1969-12-31T23:59:59.999999Z", Some(-1)),
            ("2024-02-29T00:00:00Z", Some(1_709_164_800_000_000)),
            ("2016-12-31T23:59:60Z", Some(1_483_228_800_000_000)),
            ("2016-12-31T23:59:60.9Z", Some(1_483_228_800_000_000)),
            ("2016-12-31T23:58:60Z", None),
            ("2026-02-30T00:00:00Z", None),
            ("2026-02-29T00:00:00Z", None),
            ("1900-02-29T00:00:00Z", None),
            ("0000-00-00T00:00:00Z", None),
            ("2026-13-01T00:00:00Z", None),
            ("2026-01-01T24:00:00Z", None),
            ("2026-01-01T00:60:00Z", None),
            ("2026-01-01T00:00:00", None),
            ("2026-01-01T00:00:00.Z", None),
            ("2026-01-01T00:00:00,5Z", None),
            ("2026-01-01T00:00:00-00:00", None),
            ("2026-01-01T00:00:00+03:00", None),
            ("2026-01-01T00:00:00+0000", None),
            ("2026-01-01T00:00:00Z ", None),
            (" 2026-01-01T00:00:00Z", None),
            ("2026-01-01 00:00:00Z", None),
            ("2026-01-01T00:00Z", None),
            ("20260101T000000Z", None),
            ("+002026-01-01T00:00:00Z", None),
            ("20/Nov/2026:22:10:01 +0000", None),
            ("1763632800", None),
            ("２026-01-01T00:00:00Z", None),
            ("", None),
        ] {
            assert_eq!(read(&mut TimestampParser::default(), text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_chrono_reads_is_read_the_same(
            year in 0..=9999, month in 0..=13, day in 0..=32, hour in 0..=24, minute in 0..=60,
            second in 0..=59, fraction in "(\\.[0-9]{0,12})?", end in "Z|z|\\+00:00|\\+01:00|",
        ) {
            let text = format!(
                "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{end}"
            );
            let oracle = DateTime::parse_from_rfc3339(&text).ok();
            let oracle = oracle.filter(|time| time.offset().local_minus_utc() == 0);
            prop_assert_eq!(read(&mut TimestampParser::default(), &text), oracle.map(|time| time.timestamp_micros()), "{}", text);
        }

        #[test]
        fn every_day_is_where_chrono_has_it(day in -719_528_i64..=2_932_896) {
            let date = DateTime::from_timestamp(day * 86_400, 0).unwrap().format("%Y-%m-%dT00:00:00Z");
            prop_assert_eq!(micros(&date.to_string()), Some(day * 86_400_000_000));
        }
    }
}
