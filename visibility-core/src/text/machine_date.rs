//! Dates as programs write them: in markup, in header fields and in sitemaps.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};

/// The first instant of a year, month, day, minute or second in the
/// [profile of ISO 8601](https://www.w3.org/TR/NOTE-datetime) that the W3C noted, and in no other form.
pub(crate) fn w3c_instant(text: &str) -> Option<DateTime<Utc>> {
    if let Some((day, time)) = text.split_once('T') {
        let seconds = match time.find(['Z', '+', '-'])? {
            5 => ":00",
            8.. => "",
            _ => return None,
        };
        let (clock, zone) = time.split_at(time.find(['Z', '+', '-'])?);
        is_form(day, "0000-00-00").then_some(())?;
        let full = format!("{day}T{clock}{seconds}{zone}");
        return DateTime::parse_from_rfc3339(&full).ok().map(|time| time.to_utc());
    }
    let full = match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        _ => text.to_owned(),
    };
    is_form(&full, "0000-00-00").then_some(())?;
    let day: NaiveDate = full.parse().ok()?;
    Some(day.and_time(NaiveTime::MIN).and_utc())
}

/// Whether a text has digits where the form has zeros, and else the same characters.
fn is_form(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text.bytes().zip(form.bytes()).all(|(byte, wanted)| match wanted {
            b'0' => byte.is_ascii_digit(),
            _ => byte == wanted,
        })
}

/// A date as RFC 822, RFC 850 or ISO 8601 write it, the forms that Google names; a zone that is not
/// known is taken for UTC.
pub(crate) fn instant(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    let known = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text));
    if let Ok(time) = known {
        return Some(time.to_utc());
    }
    let bare = text.trim_end_matches(|ch: char| ch.is_ascii_alphabetic()).trim_end();
    let bare = bare.split_once(',').map_or(bare, |(_, rest)| rest.trim_start());
    let times = [
        "%d-%b-%y %H:%M:%S",
        "%d-%b-%Y %H:%M:%S",
        "%d %b %Y %H:%M:%S",
        "%Y-%m-%dT%H:%M:%S",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%dT%H:%M",
    ];
    let time = times.iter().find_map(|form| NaiveDateTime::parse_from_str(bare, form).ok());
    let days = ["%Y-%m-%d", "%d-%b-%Y", "%d %b %Y"];
    let day = || days.iter().find_map(|form| NaiveDate::parse_from_str(bare, form).ok());
    time.or_else(|| Some(day()?.and_time(NaiveTime::MIN))).map(|time| time.and_utc())
}

/// The day of a date in ISO 8601 or RFC 9110, in the zone that is written.
pub(crate) fn day(text: &str) -> Option<NaiveDate> {
    let day = text.get(..10).filter(|day| day.is_ascii()).and_then(|day| day.parse().ok());
    day.or_else(|| compact_day(text))
        .or_else(|| DateTime::parse_from_rfc2822(text).ok().map(|time| time.date_naive()))
}

/// `20261121`, or `2026-11`.
fn compact_day(text: &str) -> Option<NaiveDate> {
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (year, rest) = text.split_at_checked(4).filter(|(year, _)| is_digits(year))?;
    let (month, day) = match rest.len() {
        3 => (rest.strip_prefix('-')?, "1"),
        4 => rest.split_at_checked(2)?,
        _ => return None,
    };
    (is_digits(month) && is_digits(day)).then_some(())?;
    plausible_day(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
}

/// A day from 1990 on: what else has the form of a date in a page is not one.
pub(crate) fn plausible_day(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    (1990..=2200).contains(&year).then(|| NaiveDate::from_ymd_opt(year, month, day)).flatten()
}

#[cfg(test)]
mod tests {
    use super::{day, instant, w3c_instant};

    #[test]
    fn the_six_forms_are_read() {
        let cases = [
            ("1997", "1997-01-01T00:00:00+00:00"),
            ("1997-07", "1997-07-01T00:00:00+00:00"),
            ("1997-07-16", "1997-07-16T00:00:00+00:00"),
            ("1997-07-16T19:20+01:00", "1997-07-16T18:20:00+00:00"),
            ("1997-07-16T19:20:30Z", "1997-07-16T19:20:30+00:00"),
            ("1997-07-16T19:20:30.45-01:00", "1997-07-16T20:20:30.450+00:00"),
        ];
        for (text, time) in cases {
            assert_eq!(
                w3c_instant(text).map(|time| time.to_rfc3339()).as_deref(),
                Some(time),
                "{text}"
            );
        }
    }

    #[test]
    fn other_forms_are_not() {
        for text in [
            "",
            "97",
            "1997-7-16",
            "16.07.1997",
            "1997-13",
            "1997-02-30",
            "1997/07/16",
            "today",
            "1997-07-16T19:20:30",
            "1997-07-16 19:20:30Z",
            "1997-07-16T19Z",
            "19970716",
            "+1997",
            "1997-07-16T",
            "1997-07-16T19:20:30+1",
            "ı997",
            "1997-07-16Tü:20:30Z",
        ] {
            assert_eq!(w3c_instant(text), None, "{text}");
        }
    }

    #[test]
    fn forms_of_header_fields_are_read_too() {
        for text in [
            "2026-11-21T10:30:00Z",
            "Sat, 21 Nov 2026 10:30:00 GMT",
            "Saturday, 21-Nov-26 10:30:00 GMT",
            "2026-11-21T11:30:00+01:00",
            "2026-11-21 10:30:00",
        ] {
            let time = instant(text).map(|time| time.to_rfc3339());
            assert_eq!(time.as_deref(), Some("2026-11-21T10:30:00+00:00"), "{text}");
        }
        assert_eq!(instant("soon"), None);
    }

    #[test]
    fn a_day_is_that_of_the_zone_that_is_written() {
        for text in
            ["2026-11-21", "20261121", "2026-11-21T23:59:00-11:00", "21 Nov 2026 23:59:00 -1100"]
        {
            assert_eq!(
                day(text).map(|day| day.to_string()).as_deref(),
                Some("2026-11-21"),
                "{text}"
            );
        }
        assert_eq!(day("2026-11").map(|day| day.to_string()).as_deref(), Some("2026-11-01"));
        assert_eq!(day("1870-11-21").map(|day| day.to_string()).as_deref(), Some("1870-11-21"));
        assert_eq!(day("18701121"), None);
    }
}
