//! Lines to records, RFC 9309 section 2.2.

use super::pattern::Pattern;
use super::{Group, Lint, LintKind, Record, RobotsTxt, Rule, RuleKind};
use crate::limits::MAX_ROBOTS_BYTES;
use crate::text::excerpt::excerpt;

/// Lints that are kept; a file of junk has one for each line.
const MAX_LINTS: usize = 200;
/// Records of a kind other than rules that a group keeps.
const MAX_GROUP_RECORDS: usize = 100;
/// Bytes of a line that Google's parser reads: 8 x 2,083.
const MAX_LINE_BYTES: usize = 16_664;

/// Parses a body. `cut` says that there was more of it than is here.
pub(super) fn parse(body: &[u8], cut: bool) -> RobotsTxt {
    let (text, truncated) = whole_lines(body, cut);
    let mut parser =
        Parser { robots: RobotsTxt { truncated, ..RobotsTxt::default() }, open: false };
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        parser.lint(LintKind::Utf16, 1, text);
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    for (line, number) in Lines(text).zip(1..) {
        parser.line(line, number);
    }
    parser.robots
}

/// Applies the cap. A last line that is not whole is dropped: what is left of it may say the
/// opposite, as `Allow: /` does of `Allow: /private`.
fn whole_lines(body: &[u8], cut: bool) -> (&[u8], bool) {
    let (head, over) = body.split_at(body.len().min(MAX_ROBOTS_BYTES));
    let truncated = cut || !over.is_empty();
    if !truncated || over.first().is_some_and(|byte| is_line_end(*byte)) {
        return (head, truncated);
    }
    let end = head.iter().rposition(|byte| is_line_end(*byte)).map_or(0, |at| at + 1);
    (head.get(..end).unwrap_or_default(), truncated)
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Lines that end in LF, CR or CRLF.
struct Lines<'a>(&'a [u8]);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let end = self.0.iter().position(|byte| is_line_end(*byte)).unwrap_or(self.0.len());
        let (line, rest) = self.0.split_at(end);
        self.0 = match rest {
            [b'\r', b'\n', rest @ ..] | [b'\r' | b'\n', rest @ ..] => rest,
            _ => rest,
        };
        Some(line)
    }
}

/// Keys that mean something here.
#[derive(Clone, Copy)]
enum Key {
    UserAgent,
    Rule(RuleKind),
    CrawlDelay,
    ContentSignal,
    ContentUsage,
    Sitemap,
    License,
    Agentmap,
    /// Known to some crawler, and of no use here.
    Elsewhere,
}

const KEYS: [(&str, Key); 15] = [
    ("user-agent", Key::UserAgent),
    ("allow", Key::Rule(RuleKind::Allow)),
    ("disallow", Key::Rule(RuleKind::Disallow)),
    ("crawl-delay", Key::CrawlDelay),
    ("content-signal", Key::ContentSignal),
    ("content-usage", Key::ContentUsage),
    ("sitemap", Key::Sitemap),
    ("license", Key::License),
    ("agentmap", Key::Agentmap),
    ("host", Key::Elsewhere),
    ("clean-param", Key::Elsewhere),
    ("noindex", Key::Elsewhere),
    ("request-rate", Key::Elsewhere),
    ("visit-time", Key::Elsewhere),
    ("robot-version", Key::Elsewhere),
];

/// Beginnings of a key that Google's parser takes for one of the standard.
const GOOGLE_KEYS: [&str; 11] = [
    "user-agent",
    "useragent",
    "user agent",
    "allow",
    "disallow",
    "dissallow",
    "dissalow",
    "disalow",
    "diasllow",
    "disallaw",
    "site-map",
];

fn google_reads(key: &[u8]) -> bool {
    GOOGLE_KEYS.iter().any(|start| {
        key.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
    })
}

struct Parser {
    robots: RobotsTxt,
    /// Whether a `User-agent` line would join the last group.
    open: bool,
}

impl Parser {
    fn line(&mut self, raw: &[u8], number: usize) {
        if raw.len() > MAX_LINE_BYTES {
            self.lint(LintKind::LongLine, number, raw);
        }
        let text = trim(raw.split(|byte| *byte == b'#').next().unwrap_or_default());
        if text.is_empty() {
            return;
        }
        self.robots.content_lines += 1;
        let Some(colon) = text.iter().position(|byte| *byte == b':') else {
            return self.line_without_colon(text, number);
        };
        let (key, value) = text.split_at(colon);
        let (key, value) = (trim(key), trim(value.strip_prefix(b":").unwrap_or(value)));
        let known = KEYS.iter().find(|(name, _)| key.eq_ignore_ascii_case(name.as_bytes()));
        match known {
            Some((_, key)) => self.record(*key, value, number, raw),
            None if google_reads(key) => self.lint(LintKind::Typo, number, raw),
            None if is_plain_key(key) => self.lint(LintKind::UnknownKey, number, raw),
            None => self.robots.junk_lines += 1,
        }
    }

    /// Google's parser takes white space for the colon when there are two words.
    fn line_without_colon(&mut self, text: &[u8], number: usize) {
        self.robots.junk_lines += 1;
        let mut words = text.split(|byte| is_space(*byte)).filter(|word| !word.is_empty());
        let (key, value, more) = (words.next(), words.next(), words.next());
        if key.is_some_and(google_reads) && value.is_some() && more.is_none() {
            self.lint(LintKind::MissingColon, number, text);
        }
    }

    fn record(&mut self, key: Key, value: &[u8], line: usize, raw: &[u8]) {
        match key {
            Key::UserAgent => self.user_agent(value, line, raw),
            Key::Rule(kind) => self.rule(kind, value, line, raw),
            Key::CrawlDelay | Key::ContentSignal | Key::ContentUsage => {
                self.group_member(key, value, line, raw);
            }
            Key::Sitemap | Key::License => {
                if !is_absolute(value) {
                    self.lint(LintKind::BadValue, line, raw);
                }
                let records = match key {
                    Key::Sitemap => &mut self.robots.sitemaps,
                    _ => &mut self.robots.licenses,
                };
                records.push(record(value, line));
            }
            Key::Agentmap => self.robots.agentmaps.push(record(value, line)),
            Key::Elsewhere => {}
        }
    }

    fn user_agent(&mut self, value: &[u8], line: usize, raw: &[u8]) {
        if !self.open {
            self.robots.groups.push(Group::default());
            self.robots.index.patterns.push(Vec::new());
            self.open = true;
        }
        let (token, extras) = match value {
            [b'*', rest @ ..] if rest.first().is_none_or(|byte| is_space(*byte)) => {
                (b"*".as_slice(), !rest.is_empty())
            }
            _ => {
                let token = product_token(value);
                (token, token.len() < value.len())
            }
        };
        if token.is_empty() {
            let is_quoted = text(value).starts_with(['"', '\'', '“', '‘', '«', '`']);
            let kind = if is_quoted { LintKind::QuotedAgent } else { LintKind::BadValue };
            return self.lint(kind, line, raw);
        }
        if extras {
            let kind = if is_list(value) { LintKind::AgentList } else { LintKind::AgentWithExtras };
            self.lint(kind, line, raw);
        }
        let agent = record(token, line);
        let key = agent.value.to_ascii_lowercase();
        let number = self.robots.groups.len().saturating_sub(1);
        if let Some(group) = self.robots.groups.last_mut() {
            group.agents.push(agent);
            let groups = self.robots.index.groups_by_token.entry(key).or_default();
            if groups.last() != Some(&number) {
                groups.push(number);
            }
        }
    }

    fn rule(&mut self, kind: RuleKind, value: &[u8], line: usize, raw: &[u8]) {
        self.open = false;
        let pattern = Pattern::new(value);
        if pattern.is_none() && !value.is_empty() {
            let kind =
                if is_absolute(value) { LintKind::UrlPattern } else { LintKind::RelativePattern };
            self.lint(kind, line, raw);
        } else if value.is_empty() && kind == RuleKind::Allow {
            self.lint(LintKind::BadValue, line, raw);
        }
        let lists = self.robots.groups.last_mut().zip(self.robots.index.patterns.last_mut());
        match lists {
            Some((group, patterns)) => {
                group.rules.push(Rule { kind, pattern: text(value).into(), line });
                patterns.push(pattern);
            }
            None => self.lint(LintKind::RuleOutsideGroup, line, raw),
        }
    }

    fn group_member(&mut self, key: Key, value: &[u8], line: usize, raw: &[u8]) {
        let usable = match key {
            Key::CrawlDelay => is_seconds(value),
            _ => !value.is_empty(),
        };
        if !usable {
            self.lint(LintKind::BadValue, line, raw);
        }
        let Some(group) = self.robots.groups.last_mut() else {
            return self.lint(LintKind::RuleOutsideGroup, line, raw);
        };
        let records = match key {
            Key::CrawlDelay => &mut group.crawl_delays,
            Key::ContentSignal => &mut group.content_signals,
            _ => &mut group.content_usages,
        };
        if records.len() < MAX_GROUP_RECORDS {
            records.push(record(value, line));
        }
    }

    fn lint(&mut self, kind: LintKind, line: usize, raw: &[u8]) {
        if self.robots.lints.len() < MAX_LINTS {
            // Four bytes a character are enough for the excerpt.
            let start = raw.get(..raw.len().min(1024)).unwrap_or_default();
            self.robots.lints.push(Lint { kind, line, text: excerpt(&text(start)) });
        }
    }
}

/// The longest run of `[A-Za-z0-9_-]` at the start: RFC 9309 section 2.2.1, and digits.
pub(super) fn product_token(value: &[u8]) -> &[u8] {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let end = value.iter().position(|byte| !is_token(byte)).unwrap_or(value.len());
    value.get(..end).unwrap_or_default()
}

/// Whether a `User-agent` line has several names, with commas or semicolons between them.
fn is_list(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| matches!(byte, b',' | b';')).map(trim);
    let names = parts.by_ref().filter(|part| *part == b"*" || !product_token(part).is_empty());
    names.count() > 1
}

fn record(value: &[u8], line: usize) -> Record {
    Record { value: text(value), line }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn trim(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_space(*byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_space(*byte)).map_or(start, |at| at + 1);
    text.get(start..end).unwrap_or_default()
}

fn is_plain_key(key: &[u8]) -> bool {
    (1..=64).contains(&key.len())
        && key.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_'))
}

fn is_absolute(value: &[u8]) -> bool {
    [b"http://".as_slice(), b"https://"].iter().any(|scheme| {
        value.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    })
}

fn is_seconds(value: &[u8]) -> bool {
    let seconds = std::str::from_utf8(value).ok().and_then(|text| text.parse::<f64>().ok());
    seconds.is_some_and(|seconds| seconds.is_finite() && seconds >= 0.0)
}
