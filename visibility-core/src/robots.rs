//! robots.txt by RFC 9309, with the lines that decided.
//!
//! The policy where the standard is silent stands in decision 0003. Leniencies of other parsers are
//! lint findings and never change a verdict.

use crate::fetch::{Answer, FetchError};

/// A parsed robots.txt.
#[derive(Clone, Debug, Default)]
pub struct RobotsTxt {
    /// Groups in order; rules before the first group are dropped.
    pub groups: Vec<Group>,
    /// `Sitemap` records, in order; they belong to no group.
    pub sitemaps: Vec<Record>,
    /// `License` records (RSL), in order.
    pub licenses: Vec<Record>,
    /// `Agentmap` records (agentic resource discovery), in order.
    pub agentmaps: Vec<Record>,
    /// What a reader should mend.
    pub lints: Vec<Lint>,
    /// Lines that are neither blank nor a comment.
    pub content_lines: usize,
    /// Of these, lines that are no record at all (no colon, or HTML).
    pub junk_lines: usize,
    /// Whether the file was longer than what is parsed.
    pub truncated: bool,
}

/// Consecutive `User-agent` lines and the rules below them.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// `User-agent` lines: the product token as compared, or `*`.
    pub agents: Vec<Record>,
    /// `Allow` and `Disallow` lines, in order.
    pub rules: Vec<Rule>,
    /// `Crawl-delay` lines, in order.
    pub crawl_delays: Vec<Record>,
    /// `Content-Signal` lines, in order.
    pub content_signals: Vec<Record>,
    /// `Content-Usage` lines, in order.
    pub content_usages: Vec<Record>,
}

/// A value and its line.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Record {
    /// The value, trimmed, comments removed.
    pub value: String,
    /// Line, counted from 1.
    pub line: usize,
}

/// An `Allow` or `Disallow` line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rule {
    /// Which of the two.
    pub kind: RuleKind,
    /// The pattern as written.
    pub pattern: String,
    /// Line, counted from 1.
    pub line: usize,
}

impl Rule {
    /// The line as a reader would write it: `Disallow: /private`.
    pub fn text(&self) -> String {
        let key = match self.kind {
            RuleKind::Allow => "Allow",
            RuleKind::Disallow => "Disallow",
        };
        format!("{key}: {}", self.pattern)
    }
}

/// `Allow` or `Disallow`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RuleKind {
    /// `Allow`.
    Allow,
    /// `Disallow`.
    Disallow,
}

/// Something that is legal or at least harmless, and probably not what the author meant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Lint {
    /// Which.
    pub kind: LintKind,
    /// Line, counted from 1.
    pub line: usize,
    /// The line as written, capped.
    pub text: String,
}

/// Kinds of [`Lint`].
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum LintKind {
    /// No colon between key and value; Google's parser would read it.
    MissingColon,
    /// A misspelled key that Google's parser accepts, such as `dissallow`.
    Typo,
    /// A rule before the first `User-agent` line.
    RuleOutsideGroup,
    /// A pattern that starts neither with `/` nor with `*`.
    RelativePattern,
    /// More than a product token in a `User-agent` line: a version, or a list.
    AgentWithExtras,
    /// A known key with an empty or unusable value.
    BadValue,
    /// A key that nobody knows.
    UnknownKey,
    /// A line longer than 16,664 octets, which Google's parser cuts.
    LongLine,
}

/// What was decided for one agent and one path.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Decision {
    /// Whether the path may be crawled.
    pub allowed: bool,
    /// Line of the `User-agent` record that selected the group; `None` if no group did.
    pub group_line: Option<usize>,
    /// The token of that record, as written: the agent's own, a fallback's, or `*`.
    pub group_token: Option<String>,
    /// The rule that decided; `None` if none matched.
    pub rule: Option<Rule>,
}

impl RobotsTxt {
    /// Parses the first [`crate::limits::MAX_ROBOTS_BYTES`] octets; a line cut by that cap is dropped.
    pub fn parse(body: &[u8]) -> Self {
        let _ = body;
        Self::default()
    }

    /// Decides for an agent by its tokens, best first: `[own token, aliases.., fallbacks..]`; the
    /// first token that any group names wins, its groups merged; else the groups for `*`.
    ///
    /// `target` is a URL or a path with query.
    pub fn decide(&self, tokens: &[&str], target: &str) -> Decision {
        let _ = (tokens, target);
        Decision { allowed: true, group_line: None, group_token: None, rule: None }
    }

    /// The groups that govern an agent, see [`RobotsTxt::decide`]; empty if none does.
    pub fn groups_for(&self, tokens: &[&str]) -> Vec<&Group> {
        let _ = tokens;
        Vec::new()
    }
}

/// How fetching robots.txt came out, RFC 9309 section 2.3.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RobotsState {
    /// 2xx and parsed.
    Parsed,
    /// 2xx and parsed up to the cap.
    ParsedTruncated,
    /// 2xx, but an HTML page: parsed, and nothing in it is a rule.
    NotText,
    /// 4xx, or redirects that lead nowhere: everything is allowed.
    Unavailable,
    /// 403, 429 or 503 with a challenge page: nobody can know.
    Challenged,
    /// 5xx, or no answer in time: everything is disallowed.
    Unreachable,
    /// DNS, TLS or the network failed on our side, or the probe was not sent: not known.
    Failed,
}

impl RobotsState {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parsed => "parsed",
            Self::ParsedTruncated => "parsed-truncated",
            Self::NotText => "not-text",
            Self::Unavailable => "unavailable",
            Self::Challenged => "challenged",
            Self::Unreachable => "unreachable",
            Self::Failed => "failed",
        }
    }
}

/// robots.txt as fetched: its state, and its rules if there are any.
#[derive(Clone, Debug)]
pub struct RobotsFile {
    /// How fetching came out.
    pub state: RobotsState,
    /// The rules; empty unless the state is one of the parsed ones.
    pub rules: RobotsTxt,
}

impl RobotsFile {
    /// Judges the answer to the request for `/robots.txt`; `None` if it was not asked for.
    pub fn from_answer(answer: Option<&Answer>) -> Self {
        let state = match answer {
            Some(Ok(response)) if response.is_success() => RobotsState::Parsed,
            Some(Ok(_)) => RobotsState::Unavailable,
            Some(Err(FetchError::Timeout { .. })) => RobotsState::Unreachable,
            _ => RobotsState::Failed,
        };
        Self { state, rules: RobotsTxt::default() }
    }

    /// Decides for an agent and a path, the state included: complete disallow when unreachable,
    /// everything allowed when unavailable. A failed or challenged file decides nothing: `None`.
    pub fn decide(&self, tokens: &[&str], target: &str) -> Option<Decision> {
        match self.state {
            RobotsState::Failed | RobotsState::Challenged => None,
            _ => Some(self.rules.decide(tokens, target)),
        }
    }
}
