//! Dates in the [profile of ISO 8601](https://www.w3.org/TR/NOTE-datetime) that the W3C noted.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};

/// The first instant of a year, month, day, minute or second.
pub(super) fn parse(text: &str) -> Option<DateTime<Utc>> {
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

#[cfg(test)]
mod tests {
    use super::parse;

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
            assert_eq!(parse(text).map(|time| time.to_rfc3339()).as_deref(), Some(time), "{text}");
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
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
