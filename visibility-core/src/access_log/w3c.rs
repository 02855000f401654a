//! Lines of the extended log format of the W3C, whose fields a line `#Fields:` names: those of `CloudFront` and of IIS.

use std::borrow::Cow;

use memchr::memchr;
use percent_encoding::percent_decode;

use super::entry::{LogEntry, NoEntry, is_method, present, status};
use super::escape;
use super::time;

/// Fields that a log may have.
const MAX_FIELDS: usize = 128;
/// What a line with the names of fields begins with.
const DIRECTIVE: &[u8] = b"#fields:";

/// Who writes in this format.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum W3cDialect {
    /// Tabs between the fields; texts of the request are percent-encoded.
    CloudFront,
    /// Blanks between the fields; a blank of a text is `+`.
    Iis,
}

/// What a field of a line is read as.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Column {
    Date,
    Time,
    Method,
    Path,
    Query,
    Status,
    Bytes,
    UserAgent,
    Referrer,
    /// The site that was asked for.
    Site,
    /// The `Host` header, which is that of the distribution at `CloudFront`.
    Host,
    Address,
    ForwardedFor,
}

impl Column {
    const COUNT: usize = 13;

    fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "date" => Self::Date,
            "time" => Self::Time,
            "cs-method" => Self::Method,
            "cs-uri-stem" => Self::Path,
            "cs-uri-query" => Self::Query,
            "sc-status" => Self::Status,
            "sc-bytes" => Self::Bytes,
            "cs(user-agent)" => Self::UserAgent,
            "cs(referer)" | "cs(referrer)" => Self::Referrer,
            "x-host-header" => Self::Site,
            "cs-host" | "cs(host)" => Self::Host,
            "c-ip" => Self::Address,
            "x-forwarded-for" | "cs(x-forwarded-for)" => Self::ForwardedFor,
            _ => return None,
        })
    }
}

/// The fields of the lines that follow.
#[derive(Clone, Debug)]
pub(super) struct W3cFields {
    columns: Vec<Option<Column>>,
    dialect: W3cDialect,
}

impl W3cFields {
    /// Reads a line that begins with `#Fields:`.
    pub(super) fn from_directive(line: &[u8]) -> Option<Self> {
        let (start, names) = line.split_at_checked(DIRECTIVE.len())?;
        if !start.eq_ignore_ascii_case(DIRECTIVE) {
            return None;
        }
        let names = String::from_utf8_lossy(names);
        let names: Vec<&str> = names.split_ascii_whitespace().take(MAX_FIELDS + 1).collect();
        if names.len() > MAX_FIELDS {
            return None;
        }
        let is_edge = names.iter().any(|name| name.starts_with("x-edge-"));
        let dialect = if is_edge { W3cDialect::CloudFront } else { W3cDialect::Iis };
        Some(Self { columns: names.into_iter().map(Column::from_name).collect(), dialect })
    }
}

/// Reads a line with the fields that were named before it.
pub(super) fn parse<'a>(
    line: &'a [u8],
    fields: Option<&W3cFields>,
    dialect: W3cDialect,
) -> Result<LogEntry<'a>, NoEntry> {
    let fields = fields.filter(|fields| fields.dialect == dialect).ok_or(NoEntry::Unreadable)?;
    read(line, fields).ok_or(NoEntry::Unreadable)
}

fn read<'a>(line: &'a [u8], fields: &W3cFields) -> Option<LogEntry<'a>> {
    let mut found: [Option<&[u8]>; Column::COUNT] = [None; Column::COUNT];
    let separator = match fields.dialect {
        W3cDialect::CloudFront => b'\t',
        W3cDialect::Iis => b' ',
    };
    let mut values = line.split(|byte| *byte == separator);
    for column in &fields.columns {
        let value = values.next()?;
        if let Some(slot) = column.and_then(|column| found.get_mut(column as usize)) {
            *slot = Some(value);
        }
    }
    if values.next().is_some() {
        return None;
    }
    let value = |column: Column| found.get(column as usize).copied().flatten();
    let text = |column: Column| Some(text_of(value(column)?, fields.dialect));
    let plain =
        |column: Column| present(escape::text_of(value(column)?)).filter(|text| !text.is_empty());
    let status_text = std::str::from_utf8(value(Column::Status)?).ok()?;
    let method = std::str::from_utf8(value(Column::Method)?).ok()?;
    let is_number = !status_text.is_empty() && status_text.bytes().all(|ch| ch.is_ascii_digit());
    if !is_number && status_text != "-" {
        return None;
    }
    Some(LogEntry {
        time_millis: time::utc(value(Column::Date)?, value(Column::Time)?)?,
        user_agent: text(Column::UserAgent),
        method: is_method(method).then_some(Cow::Borrowed(method)),
        target: target(value(Column::Path)?, value(Column::Query)),
        status: status(status_text),
        response_bytes: value(Column::Bytes)
            .and_then(|bytes| std::str::from_utf8(bytes).ok()?.parse().ok())
            .filter(|bytes| *bytes >= 0),
        referrer: text(Column::Referrer),
        host: plain(Column::Site).or_else(|| plain(Column::Host)),
        peer: plain(Column::Address),
        forwarded_for: text(Column::ForwardedFor).filter(|list| !list.is_empty()),
    })
}

/// Path and query.
fn target<'a>(path: &'a [u8], query: Option<&'a [u8]>) -> Option<Cow<'a, str>> {
    if path.first() != Some(&b'/') {
        return None;
    }
    let path = escape::request_text_of(path);
    let Some(query) = query.filter(|query| !query.is_empty() && *query != b"-") else {
        return Some(path);
    };
    Some(Cow::Owned(format!("{path}?{}", escape::request_text_of(query))))
}

/// A text of the request as it was sent; `-` is an empty one.
fn text_of(value: &[u8], dialect: W3cDialect) -> Cow<'_, str> {
    if value == b"-" {
        return Cow::Borrowed("");
    }
    match dialect {
        W3cDialect::CloudFront => {
            let text = percent_decoded(value);
            // Older logs have it encoded twice.
            if text.contains("%20") && !text.contains(' ') {
                return Cow::Owned(percent_decoded(text.as_bytes()).into_owned());
            }
            text
        }
        W3cDialect::Iis if memchr(b'+', value).is_some() => {
            Cow::Owned(with_blanks(&escape::text_of(value)))
        }
        W3cDialect::Iis => escape::text_of(value),
    }
}

/// A text in which each blank was written as a plus sign. Those that were plus signs before are known where agents have
/// them: before the address of their page or operator, as in `(+https://` and `; +bot@`. Two blanks before a word are
/// rarer.
fn with_blanks(text: &str) -> String {
    let mut sent = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('+') {
        sent.push_str(before);
        let is_behind_sign = sent.ends_with([' ', '(']);
        let is_sign = is_behind_sign && behind.starts_with(char::is_alphabetic);
        sent.push(if is_sign { '+' } else { ' ' });
        rest = behind;
    }
    sent.push_str(rest);
    sent
}

fn percent_decoded(text: &[u8]) -> Cow<'_, str> {
    percent_decode(text).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    const IIS: &[u8] =
        b"#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) \
        cs(Referer) cs-host sc-status sc-bytes";
    const CLOUDFRONT: &[u8] = b"#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) \
        cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header x-forwarded-for";

    fn iis(line: &str) -> Option<LogEntry<'_>> {
        parse(line.as_bytes(), W3cFields::from_directive(IIS).as_ref(), W3cDialect::Iis).ok()
    }

    fn cloudfront(line: &str) -> Option<LogEntry<'_>> {
        let fields = W3cFields::from_directive(CLOUDFRONT);
        parse(line.as_bytes(), fields.as_ref(), W3cDialect::CloudFront).ok()
    }

    #[test]
    fn iis_writes_blanks_as_plus_signs() {
        let line = "2026-11-20 23:20:36 GET /docs a=1+2 203.0.113.8 CCBot/2.0+(https://a.example/) - www.example.com:443 200 991";
        let entry = iis(line).unwrap();
        assert_eq!(entry.time_millis, 1_795_216_836_000);
        assert_eq!(entry.user_agent.as_deref(), Some("CCBot/2.0 (https://a.example/)"));
        assert_eq!(entry.target.as_deref(), Some("/docs?a=1+2"));
        assert_eq!((entry.referrer.as_deref(), entry.status), (Some(""), Some(200)));
        assert_eq!(entry.host.as_deref(), Some("www.example.com:443"));
        assert_eq!((entry.peer.as_deref(), entry.response_bytes), (Some("203.0.113.8"), Some(991)));
    }

    #[test]
    fn plus_signs_before_the_address_of_an_agent_are_its_own() {
        for (written, sent) in [
            ("CCBot/2.0+(https://a.example/)", "CCBot/2.0 (https://a.example/)"),
            ("GPTBot/1.3;++https://a.example)", "GPTBot/1.3; +https://a.example)"),
            ("Bot/1.0+(+http://a.example)", "Bot/1.0 (+http://a.example)"),
            ("Bot/1.0;++bot@a.example)", "Bot/1.0; +bot@a.example)"),
            ("a+++b", "a  +b"),
            ("a++(b)", "a  (b)"),
            ("https://a.example/a+b", "https://a.example/a b"),
            ("+", " "),
        ] {
            assert_eq!(with_blanks(written), sent);
        }
    }

    #[test]
    fn cloudfront_names_the_site_beside_the_distribution() {
        let line = "2026-11-20\t23:20:36\tNRT57\t5120\t2001:db8::1\tGET\td1.cloudfront.net\t/a%20b\t200\t-\tMozilla/5.0%2520(GPTBot/1.3)\tpage=2\twww.example.com\t198.51.100.4";
        let entry = cloudfront(line).unwrap();
        assert_eq!(entry.host.as_deref(), Some("www.example.com"));
        assert_eq!(entry.user_agent.as_deref(), Some("Mozilla/5.0 (GPTBot/1.3)"));
        assert_eq!(entry.target.as_deref(), Some("/a%20b?page=2"));
        assert_eq!(entry.forwarded_for.as_deref(), Some("198.51.100.4"));
        let unnamed = line.replace("\twww.example.com\t", "\t-\t");
        let distribution = cloudfront(&unnamed).unwrap();
        assert_eq!(distribution.host.as_deref(), Some("d1.cloudfront.net"));
        // The viewer was gone before there was a status.
        assert_eq!(cloudfront(&line.replace("\t200\t", "\t000\t")).unwrap().status, None);
    }

    #[test]
    fn a_line_has_the_fields_that_were_named() {
        let line = "2026-11-20 23:20:36 GET /docs - 203.0.113.8 a - www.example.com 200 991";
        assert!(iis(line).is_some());
        assert!(cloudfront(line).is_none());
        assert!(parse(line.as_bytes(), None, W3cDialect::Iis).is_err());
        for wrong in [
            format!("{line} more"),
            line.replace(" 991", ""),
            line.replace("2026-11-20", "2026-13-20"),
            line.replace("2026-11-20", "20/Nov/2026"),
            line.replace(" 200 ", " OK "),
        ] {
            assert!(iis(&wrong).is_none(), "{wrong}");
        }
        let names = |names: &str| W3cFields::from_directive(format!("#Fields:{names}").as_bytes());
        assert!(W3cFields::from_directive(b"#Version: 1.0").is_none());
        assert!(names(&" x".repeat(1_000)).is_none());
        // Without a path no line says what was asked for.
        let fields = names(" date time cs-method sc-status");
        let line = b"2026-11-20 23:20:36 GET 200";
        assert!(parse(line, fields.as_ref(), W3cDialect::Iis).is_err());
    }
}
