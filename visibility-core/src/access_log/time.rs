//! Times as servers log them, in any zone that is written.

use chrono::{DateTime, NaiveDate};

/// Bytes of a time of the common log format.
pub(super) const CLF_BYTES: usize = 26;

const MONTHS: [&[u8; 3]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// Milliseconds since 1970 of a time such as `20/Nov/2026:23:20:36 +0000`.
pub(super) fn clf(text: &[u8]) -> Option<i64> {
    let text: &[u8; CLF_BYTES] = text.try_into().ok()?;
    #[rustfmt::skip]
    let [d0, d1, b'/', m0, m1, m2, b'/', y0, y1, y2, y3, b':', h0, h1, b':', n0, n1, b':', s0, s1,
        b' ', sign @ (b'+' | b'-'), z0, z1, z2, z3] = *text else { return None };
    let month = MONTHS.iter().position(|month| **month == [m0, m1, m2])?;
    let month = u32::try_from(month + 1).ok()?;
    let year = i32::try_from(number(&[y0, y1, y2, y3])?).ok()?;
    let date = NaiveDate::from_ymd_opt(year, month, u32::try_from(number(&[d0, d1])?).ok()?)?;
    let offset = number(&[z0, z1])? * 3_600 + number(&[z2, z3])? * 60;
    let offset = if sign == b'-' { -offset } else { offset };
    Some((seconds(date, [[h0, h1], [n0, n1], [s0, s1]])? - offset) * 1_000)
}

/// Milliseconds since 1970 of a date such as `2026-11-20` and a time such as `23:20:36` or `23:20:36.5`, UTC.
pub(super) fn utc(date: &[u8], time: &[u8]) -> Option<i64> {
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = *date else { return None };
    let [h0, h1, b':', n0, n1, b':', s0, s1, ref fraction @ ..] = *time else { return None };
    let year = i32::try_from(number(&[y0, y1, y2, y3])?).ok()?;
    let (month, day) = (number(&[m0, m1])?, number(&[d0, d1])?);
    let date = NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?)?;
    let thousandths = match fraction {
        [] => 0,
        [b'.', digits @ ..] => digits
            .iter()
            .chain(b"000")
            .take(3)
            .try_fold(0, |sum, digit| Some(sum * 10 + number(&[*digit])?))?,
        _ => return None,
    };
    Some(seconds(date, [[h0, h1], [n0, n1], [s0, s1]])? * 1_000 + thousandths)
}

/// Seconds since 1970 of an hour, a minute and a second of a day.
fn seconds(date: NaiveDate, [hour, minute, second]: [[u8; 2]; 3]) -> Option<i64> {
    let (hour, minute, second) = (number(&hour)?, number(&minute)?, number(&second)?);
    // A second of 60 is a leap second.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let midnight = date.signed_duration_since(NaiveDate::default()).num_seconds();
    Some(midnight + hour * 3_600 + minute * 60 + second)
}

/// Milliseconds since 1970 of a time in any form that programs log and that has a zone: RFC 3339, the common log format, or
/// a number of seconds, milliseconds, microseconds or nanoseconds.
pub(super) fn any(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Some(millis) = epoch(text) {
        return Some(millis);
    }
    if let Some(millis) = clf(text.trim_matches(['[', ']']).as_bytes()) {
        return Some(millis);
    }
    let time = DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"))
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f%z"))
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f %z"));
    time.ok().map(|time| time.timestamp_millis())
}

/// A number since 1970, with any fraction. It is read as text: a float would not keep all of its digits.
fn epoch(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let number: i64 = whole.parse().ok()?;
    let thousandths = || {
        let digits = fraction.bytes().chain(*b"000").take(3).map(|byte| i64::from(byte - b'0'));
        digits.fold(0, |number, digit| number * 10 + digit)
    };
    match whole.len() {
        ..=11 => Some(number * 1_000 + thousandths()),
        12..=14 => Some(number),
        15..=17 => Some(number / 1_000),
        _ => Some(number / 1_000_000),
    }
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_and_a_time_are_utc() {
        for (date, time, expected) in [
            ("2026-11-20", "23:20:36", Some(1_795_216_836_000)),
            ("2026-11-20", "23:20:36.5", Some(1_795_216_836_500)),
            ("2026-11-20", "23:20:36.123456", Some(1_795_216_836_123)),
            ("2026-02-30", "23:20:36", None),
            ("2026-11-20", "24:20:36", None),
            ("2026-11-20", "23:20", None),
            ("2026-11-20", "23:20:36Z", None),
            ("2026-11-20", "23:20:36.x", None),
            ("-", "-", None),
        ] {
            assert_eq!(utc(date.as_bytes(), time.as_bytes()), expected, "{date} {time}");
        }
    }

    #[test]
    fn times_of_all_zones_are_utc() {
        for (text, expected) in [
            ("20/Nov/2026:23:20:36 +0000", Some(1_795_216_836_000)),
            ("21/Nov/2026:00:20:36 +0100", Some(1_795_216_836_000)),
            ("20/Nov/2026:16:20:36 -0700", Some(1_795_216_836_000)),
            ("31/Dec/2026:23:30:00 -0100", Some(1_798_763_400_000)),
            ("01/Jan/2027:01:30:00 +0100", Some(1_798_763_400_000)),
            ("31/Dec/2026:23:59:60 +0000", Some(1_798_761_600_000)),
            ("29/Feb/2026:00:00:00 +0000", None),
            ("31/Nov/2026:00:00:00 +0000", None),
            ("00/Nov/2026:00:00:00 +0000", None),
            ("20/Nov/2026:24:00:00 +0000", None),
            ("20/nov/2026:23:20:36 +0000", None),
            ("20/Nov/2026:23:20:36 0000", None),
        ] {
            assert_eq!(clf(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn times_come_in_many_forms() {
        for (text, expected) in [
            ("1795216836.6089966", Some(1_795_216_836_608)),
            ("1795216836", Some(1_795_216_836_000)),
            ("1795216836.5", Some(1_795_216_836_500)),
            ("1795216836608", Some(1_795_216_836_608)),
            ("1795216836608996", Some(1_795_216_836_608)),
            ("1795216836608996612", Some(1_795_216_836_608)),
            ("2026-11-20T23:20:36+00:00", Some(1_795_216_836_000)),
            ("2026-11-20T23:20:36.9999Z", Some(1_795_216_836_999)),
            ("2026-11-21T00:20:36+0100", Some(1_795_216_836_000)),
            ("2026-11-21 00:20:36 +0100", Some(1_795_216_836_000)),
            ("[20/Nov/2026:23:20:36 +0000]", Some(1_795_216_836_000)),
            // Without a zone it may be any time of a day.
            ("2026-11-20T23:20:36", None),
            ("2026/11/20 23:20:36", None),
            ("", None),
            (".5", None),
            ("-5", None),
            ("1e9", None),
            ("99999999999999999999999999", None),
        ] {
            assert_eq!(any(text), expected, "{text}");
        }
    }
}
