//! The formats of access logs, and which of them a log has.

use super::alb;
use super::combined::{self, LineShape};
use super::entry::{LogEntry, NoEntry};
use super::json::{self, KeyMap};
use super::lines::{LineSplitter, SplitLine};
use super::w3c::{self, W3cDialect, W3cFields};
use super::wrapper::{Unwrapped, Unwrapper};

/// Lines that are looked at.
pub const SAMPLE_LINES: usize = 200;

/// A format of access logs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AccessLogFormat {
    /// A JSON record of Caddy.
    Caddy,
    /// A JSON record of Cloudflare's data set `http_requests`.
    Cloudflare,
    /// A JSON record as Fastly's documentation proposes it.
    Fastly,
    /// A JSON record of Traefik.
    TraefikJson,
    /// JSON with keys that someone chose, as nginx writes with `escape=json`.
    NginxJson,
    /// The extended log format of the W3C, as Amazon's `CloudFront` writes it.
    CloudFront,
    /// The extended log format of the W3C, as IIS writes it.
    Iis,
    /// Amazon's Application Load Balancer.
    Alb,
    /// The combined log format behind a host, as Debian's Apache has for several sites.
    VhostCombined,
    /// The combined log format of nginx and Apache.
    Combined,
    /// The common log format: no referrer and no user agent.
    Common,
}

/// What the bytes of an answer are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BytesKind {
    /// Its body.
    Body,
    /// Its body and its head.
    Total,
}

impl AccessLogFormat {
    /// All, the more specific ones first.
    pub const ALL: [Self; 11] = [
        Self::Caddy,
        Self::Cloudflare,
        Self::Fastly,
        Self::TraefikJson,
        Self::NginxJson,
        Self::CloudFront,
        Self::Iis,
        Self::Alb,
        Self::VhostCombined,
        Self::Combined,
        Self::Common,
    ];

    /// Its name on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Self::Caddy => "caddy",
            Self::Cloudflare => "cloudflare",
            Self::Fastly => "fastly",
            Self::TraefikJson => "traefik_json",
            Self::NginxJson => "nginx_json",
            Self::CloudFront => "cloudfront",
            Self::Iis => "iis",
            Self::Alb => "alb",
            Self::VhostCombined => "vhost_combined",
            Self::Combined => "combined",
            Self::Common => "common",
        }
    }

    /// The format with a name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.id() == id)
    }

    /// Whose it is.
    pub fn software(self) -> &'static str {
        match self {
            Self::Caddy => "Caddy",
            Self::Cloudflare => "Cloudflare Logpush",
            Self::Fastly => "Fastly, JSON",
            Self::TraefikJson => "Traefik, JSON",
            Self::NginxJson => "nginx, JSON",
            Self::CloudFront => "Amazon CloudFront",
            Self::Iis => "IIS",
            Self::Alb => "Amazon Application Load Balancer",
            Self::VhostCombined => "Apache",
            Self::Combined | Self::Common => "nginx, Apache",
        }
    }

    /// What the bytes of an answer are in it, as far as the format says.
    pub fn bytes(self) -> BytesKind {
        match self {
            Self::Cloudflare | Self::CloudFront | Self::Iis | Self::Alb | Self::VhostCombined => {
                BytesKind::Total
            }
            Self::Caddy
            | Self::Fastly
            | Self::TraefikJson
            | Self::NginxJson
            | Self::Combined
            | Self::Common => BytesKind::Body,
        }
    }

    /// Whether a line of the one may read as JSON with chosen keys, too: the specific one is meant.
    fn is_special_case_of(self, other: Self) -> bool {
        other == Self::NginxJson && (self == Self::Caddy || self.has_known_keys())
    }

    /// Whether it is JSON whose keys are those of a service.
    fn has_known_keys(self) -> bool {
        matches!(self, Self::Cloudflare | Self::Fastly | Self::TraefikJson)
    }
}

/// Reads the lines of one format.
#[derive(Clone, Debug)]
pub struct LineParser {
    format: AccessLogFormat,
    keys: KeyMap,
    /// What the last line `#Fields:` has named.
    fields: Option<W3cFields>,
}

impl LineParser {
    /// A reader for a format, with the keys of JSON lines.
    pub fn new(format: AccessLogFormat, keys: KeyMap) -> Self {
        Self { format, keys, fields: None }
    }

    /// The format that is read.
    pub fn format(&self) -> AccessLogFormat {
        self.format
    }

    /// Takes a line that begins with `#`: in some formats it names the fields of the lines behind it.
    pub fn read_comment(&mut self, line: &[u8]) {
        if let Some(fields) = W3cFields::from_directive(line) {
            self.fields = Some(fields);
        }
    }

    /// Reads a line without its end.
    ///
    /// # Errors
    ///
    /// When it describes no request.
    pub fn parse<'a>(&self, line: &'a [u8]) -> Result<LogEntry<'a>, NoEntry> {
        match self.format {
            AccessLogFormat::Caddy => json::parse_caddy(line),
            AccessLogFormat::Cloudflare => json::parse_known(line, &json::CLOUDFLARE),
            AccessLogFormat::Fastly => json::parse_known(line, &json::FASTLY),
            AccessLogFormat::TraefikJson => json::parse_known(line, &json::TRAEFIK),
            AccessLogFormat::NginxJson => json::parse_mapped(line, &self.keys),
            AccessLogFormat::CloudFront => {
                w3c::parse(line, self.fields.as_ref(), W3cDialect::CloudFront)
            }
            AccessLogFormat::Iis => w3c::parse(line, self.fields.as_ref(), W3cDialect::Iis),
            AccessLogFormat::Alb => alb::parse(line),
            AccessLogFormat::VhostCombined => combined::parse(line, LineShape::VhostCombined),
            AccessLogFormat::Combined => combined::parse(line, LineShape::Combined),
            AccessLogFormat::Common => combined::parse(line, LineShape::Common),
        }
    }
}

/// What the lines of a log have.
#[expect(clippy::struct_excessive_bools, reason = "each is one field of a line")]
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct LoggedFields {
    /// The site.
    pub host: bool,
    /// Who it said that it was.
    pub user_agent: bool,
    /// Where the request came from.
    pub referrer: bool,
    /// The bytes of the answer.
    pub response_bytes: bool,
    /// Who has connected.
    pub address: bool,
    /// `X-Forwarded-For`.
    pub forwarded_for: bool,
}

impl LoggedFields {
    fn add(&mut self, entry: &LogEntry<'_>) {
        self.host |= entry.host.is_some();
        self.user_agent |= entry.user_agent.is_some();
        self.referrer |= entry.referrer.is_some();
        self.response_bytes |= entry.response_bytes.is_some();
        self.address |= entry.peer.is_some();
        self.forwarded_for |= entry.forwarded_for.is_some();
    }
}

/// The format of a log.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct DetectedFormat {
    /// The format.
    pub format: AccessLogFormat,
    /// How many lines it reads.
    pub read: usize,
    /// Of how many.
    pub lines: usize,
    /// What they have.
    pub fields: LoggedFields,
}

/// Why the format of a log is not known.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DetectError {
    /// There is no line to look at.
    #[error("there is no line in it")]
    Empty,
    /// No format reads nearly all lines.
    #[error("no known format reads it, beginning with line {line}")]
    Unknown {
        /// The first line that the best format does not read.
        line: usize,
        /// The format that reads the most lines, and how many, of how many.
        best: Option<(AccessLogFormat, usize, usize)>,
    },
    /// Two formats read many lines.
    #[error("it could be `{}` ({} lines) or `{}` ({})", first.0.id(), first.1, second.0.id(), second.1)]
    Undecided {
        /// A format, and how many lines it reads.
        first: (AccessLogFormat, usize),
        /// Another one.
        second: (AccessLogFormat, usize),
    },
}

/// The first lines of a log, without layers and blank lines.
#[derive(Debug, Default)]
struct Sample {
    /// Lines with their numbers, without comments.
    lines: Vec<(usize, Vec<u8>)>,
    /// Comments that name fields, each with the place of the line behind it.
    directives: Vec<(usize, Vec<u8>)>,
}

impl Sample {
    fn read(bytes: &[u8], is_whole: bool) -> Self {
        let mut sample = Self::default();
        let (mut splitter, mut unwrapper) = (LineSplitter::default(), Unwrapper::default());
        let mut number = 0;
        let mut each = |line: SplitLine<'_>| {
            number += 1;
            if let SplitLine::Whole(line) | SplitLine::Unended(line) = line
                && sample.lines.len() < SAMPLE_LINES
                && let Unwrapped::Line(line) = unwrapper.unwrap(line)
                && !is_blank(&line)
            {
                if !is_comment(&line) {
                    sample.lines.push((number, line.into_owned()));
                } else if W3cFields::from_directive(&line).is_some() {
                    let place = sample.lines.len();
                    // The last one before a line counts.
                    sample.directives.pop_if(|(before, _)| *before == place);
                    sample.directives.push((place, line.into_owned()));
                }
            }
            Ok::<(), std::convert::Infallible>(())
        };
        let fed = splitter.feed(bytes, &mut each);
        let ended = if is_whole { splitter.end(&mut each) } else { Ok(()) };
        // A closure that never fails.
        let (Ok(()), Ok(())) = (fed, ended);
        sample
    }
}

pub(super) fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

pub(super) fn is_comment(line: &[u8]) -> bool {
    line.first() == Some(&b'#')
}

/// How many lines of a sample a format reads.
struct Votes {
    format: AccessLogFormat,
    read: usize,
    /// Lines that are of the same log and about something else.
    other: usize,
    fields: LoggedFields,
    /// The first line that is not read.
    unread: Option<usize>,
}

impl Votes {
    fn count(sample: &Sample, format: AccessLogFormat, keys: &KeyMap) -> Self {
        let mut parser = LineParser::new(format, keys.clone());
        let mut votes =
            Self { format, read: 0, other: 0, fields: LoggedFields::default(), unread: None };
        let mut directives = sample.directives.iter().peekable();
        for (place, (_, line)) in sample.lines.iter().enumerate() {
            if let Some((_, directive)) = directives.next_if(|(before, _)| *before == place) {
                parser.read_comment(directive);
            }
            match parser.parse(line) {
                Ok(entry) => {
                    votes.read += 1;
                    votes.fields.add(&entry);
                }
                Err(NoEntry::NotAccess | NoEntry::Duplicate) => votes.other += 1,
                Err(NoEntry::Unreadable) => votes.unread = votes.unread.or(Some(place)),
            }
        }
        votes
    }

    /// Whether it reads at least nine of ten lines that it could.
    fn reads_nearly_all(&self, lines: usize) -> bool {
        self.read > 0 && self.read * 10 >= (lines - self.other) * 9
    }
}

/// The format of a log, from its first bytes; `is_whole` says that there are no more. Looked at are
/// [`SAMPLE_LINES`] lines, and each format has a vote for each line that it reads.
///
/// # Errors
///
/// When no format reads nine of ten lines, or another one reads half as many.
///
/// ```
/// use visibility_core::access_log::{AccessLogFormat, KeyMap, detect};
///
/// let log = b"203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"GPTBot/1.3\"\n";
/// assert_eq!(detect(log, true, &KeyMap::default()).unwrap().format, AccessLogFormat::Combined);
/// ```
pub fn detect(bytes: &[u8], is_whole: bool, keys: &KeyMap) -> Result<DetectedFormat, DetectError> {
    let sample = Sample::read(bytes, is_whole);
    let lines = sample.lines.len();
    if lines == 0 {
        return Err(DetectError::Empty);
    }
    let mut votes: Vec<Votes> = AccessLogFormat::ALL
        .into_iter()
        // Keys that someone has chosen are what is meant.
        .filter(|format| !(keys.has_chosen() && format.has_known_keys()))
        .map(|format| Votes::count(&sample, format, keys))
        .collect();
    // The more specific ones stay first among equals.
    votes.sort_by_key(|votes| std::cmp::Reverse(votes.read));
    let Some(best) = votes.iter().find(|votes| votes.reads_nearly_all(lines)) else {
        return Err(undetected(&sample, &votes));
    };
    let rival = votes.iter().find(|other| {
        other.format != best.format
            && !best.format.is_special_case_of(other.format)
            && other.read * 2 >= best.read
    });
    if let Some(rival) = rival {
        let (first, second) = ((best.format, best.read), (rival.format, rival.read));
        return Err(DetectError::Undecided { first, second });
    }
    Ok(DetectedFormat { format: best.format, read: best.read, lines, fields: best.fields })
}

fn undetected(sample: &Sample, votes: &[Votes]) -> DetectError {
    let mut likely = votes.iter().filter(|votes| votes.read > 0);
    let first = likely.next();
    let second = likely
        .find(|other| first.is_some_and(|first| !first.format.is_special_case_of(other.format)));
    // A log of two halves.
    if let (Some(first), Some(second)) = (first, second)
        && second.read * 2 >= first.read
    {
        let (first, second) = ((first.format, first.read), (second.format, second.read));
        return DetectError::Undecided { first, second };
    }
    let place = first.and_then(|votes| votes.unread).unwrap_or_default();
    let line = sample.lines.get(place).map_or(0, |(line, _)| *line);
    let best = first.map(|votes| (votes.format, votes.read, sample.lines.len()));
    DetectError::Unknown { line, best }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMON: &str = r#"203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] "GET /p HTTP/1.1" 200 5"#;
    const JSON: &str = r#"{"time":1795216836,"status":200,"uri":"/p","method":"GET","ua":"a"}"#;
    const CADDY: &str = r#"{"ts":1795216836.6,"logger":"http","msg":"handled request","request":{"remote_ip":"203.0.113.9","method":"GET","host":"a.example","uri":"/p","headers":{}},"size":5,"status":200}"#;
    const CLOUDFLARE: &str = r#"{"EdgeStartTimestamp":1795216836,"EdgeResponseStatus":200,"ClientRequestURI":"/p","ClientRequestMethod":"GET","ClientRequestUserAgent":"a"}"#;
    const ALB: &str = r#"http 2026-11-20T23:20:36.18Z app/a/1 203.0.113.9:2817 10.0.0.1:80 0.0 0.1 0.0 200 200 34 366 "GET http://a.example:80/ HTTP/1.1" "a" - -"#;

    fn combined() -> String {
        format!(r#"{COMMON} "-" "a""#)
    }

    fn detected(lines: &[(&str, usize)]) -> Result<AccessLogFormat, DetectError> {
        let log: String =
            lines.iter().map(|(line, times)| format!("{line}\n").repeat(*times)).collect();
        detect(log.as_bytes(), true, &KeyMap::default()).map(|detected| detected.format)
    }

    #[test]
    fn each_format_is_known_from_its_lines() {
        let combined = combined();
        let vhost = format!("www.example.com:80 {combined}");
        for (line, expected) in [
            (COMMON, AccessLogFormat::Common),
            (combined.as_str(), AccessLogFormat::Combined),
            (vhost.as_str(), AccessLogFormat::VhostCombined),
            (JSON, AccessLogFormat::NginxJson),
            (CADDY, AccessLogFormat::Caddy),
            (CLOUDFLARE, AccessLogFormat::Cloudflare),
            (ALB, AccessLogFormat::Alb),
        ] {
            assert_eq!(detected(&[(line, 1)]), Ok(expected), "{line}");
            assert_eq!(
                detected(&[("", 3), ("# comment", 1), (line, 30), ("trouble", 3)]),
                Ok(expected)
            );
            assert_eq!(AccessLogFormat::from_id(expected.id()), Some(expected));
        }
    }

    #[test]
    fn the_fields_that_are_named_say_whose_log_it_is() {
        let iis = "#Fields: date time cs-method cs-uri-stem sc-status cs(User-Agent)";
        let line = "2026-11-20 23:20:36 GET /p 200 a";
        let cloudfront = format!("{iis} x-edge-location");
        let edge_line = "2026-11-20\t23:20:36\tGET\t/p\t200\ta\tNRT57";
        let version = ("#Version: 1.0", 1);
        assert_eq!(detected(&[version, (iis, 1), (line, 3)]), Ok(AccessLogFormat::Iis));
        assert_eq!(
            detected(&[version, (&cloudfront, 1), (edge_line, 3)]),
            Ok(AccessLogFormat::CloudFront)
        );
        // Other fields from then on.
        let more = format!("{iis} sc-bytes");
        let longer = format!("{line} 7");
        assert_eq!(
            detected(&[(iis, 1), (line, 3), (&more, 1), (&longer, 3)]),
            Ok(AccessLogFormat::Iis)
        );
        assert!(matches!(detected(&[(line, 3)]), Err(DetectError::Unknown { .. })));
        // The last ones count, however many there are.
        assert_eq!(detected(&[("#Fields: x", 300), (iis, 1), (line, 3)]), Ok(AccessLogFormat::Iis));
    }

    #[test]
    fn chosen_keys_win_over_known_ones() {
        let keys = KeyMap::new([
            (json::LogField::Time, "EdgeStartTimestamp"),
            (json::LogField::Status, "EdgeResponseStatus"),
            (json::LogField::Target, "ClientRequestURI"),
        ]);
        let found = detect(CLOUDFLARE.as_bytes(), true, &keys).unwrap();
        assert_eq!(found.format, AccessLogFormat::NginxJson);
    }

    #[test]
    fn caddy_logs_other_things_too() {
        let other = r#"{"ts":1795216836.6,"logger":"tls.obtain","msg":"certificate obtained"}"#;
        assert_eq!(detected(&[(other, 50), (CADDY, 2)]), Ok(AccessLogFormat::Caddy));
        assert!(matches!(detected(&[(other, 50)]), Err(DetectError::Unknown { .. })));
    }

    #[test]
    fn doubt_is_refused() {
        let combined = combined();
        assert_eq!(detected(&[]), Err(DetectError::Empty));
        assert_eq!(detected(&[("# only a comment", 3), ("", 1)]), Err(DetectError::Empty));
        assert_eq!(
            detected(&[(COMMON, 40), (&combined, 60)]),
            Err(DetectError::Undecided {
                first: (AccessLogFormat::Combined, 60),
                second: (AccessLogFormat::Common, 40)
            })
        );
        let unknown = detected(&[(&combined, 1), ("date=2026-11-20 level=info", 9)]);
        assert_eq!(
            unknown,
            Err(DetectError::Unknown { line: 2, best: Some((AccessLogFormat::Combined, 1, 10)) })
        );
    }

    #[test]
    fn a_cut_line_counts_only_at_the_end_of_a_log() {
        let log = format!("{}\n203.0.113.9 - - [20/Nov", combined());
        assert_eq!(detect(log.as_bytes(), false, &KeyMap::default()).unwrap().lines, 1);
        assert!(detect(log.as_bytes(), true, &KeyMap::default()).is_err());
    }
}
