//! The outcome of fetching robots.txt (RFC 9309 section 2.3).

use super::pattern::Target;
use super::{RobotsDecision, RobotsTxt};
use crate::fetch::challenge;
use crate::fetch::{BodyEnd, FetchError, FetchResult, Response, looks_like_html};
use crate::text::note::Note;

/// How fetching robots.txt came out.
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
    /// A challenge page, whatever its status: it cannot be known.
    Challenged,
    /// Refused, like the home page: a wall keeps us out, and it cannot be known.
    Refused,
    /// 5xx, or the network failed before the answer was whole: everything is disallowed.
    Unreachable,
    /// The failure is ours, or one of TLS, or the probe was not sent: not known.
    Failed,
}

impl RobotsState {
    /// How fetching came out, for people.
    pub fn note(self) -> Note {
        Note::new(match self {
            Self::Parsed => "robots-parsed",
            Self::ParsedTruncated => "robots-parsed-truncated",
            Self::NotText => "robots-not-text",
            Self::Unavailable => "robots-unavailable",
            Self::Challenged => "robots-challenged",
            Self::Refused => "robots-refused",
            Self::Unreachable => "robots-unreachable",
            Self::Failed => "robots-failed",
        })
    }

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parsed => "parsed",
            Self::ParsedTruncated => "parsed-truncated",
            Self::NotText => "not-text",
            Self::Unavailable => "unavailable",
            Self::Challenged => "challenged",
            Self::Refused => "refused",
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
    ///
    /// RFC 9309 section 2.3.1.4 counts network errors as unreachable, and so does this: no answer in
    /// time, no connection, no address, an answer that breaks off. What says nothing about the site
    /// is [`RobotsState::Failed`]: a target that is refused here, the deadline of the scan, a probe
    /// that was not sent. So is trouble with TLS, which the scan reports as such. Decision 0003.
    pub fn from_result(answer: Option<&FetchResult>) -> Self {
        let state = match answer {
            Some(Ok(response)) => return Self::from_response(response),
            Some(Err(error)) => match error {
                FetchError::RedirectLoop { .. }
                | FetchError::TooManyRedirects { .. }
                | FetchError::BadRedirect { .. } => RobotsState::Unavailable,
                FetchError::Timeout { .. }
                | FetchError::Dns { .. }
                | FetchError::Connect { .. }
                | FetchError::Protocol { .. } => RobotsState::Unreachable,
                FetchError::Tls { .. }
                | FetchError::Denied { .. }
                | FetchError::Deadline
                | FetchError::NotRecorded
                | FetchError::Skipped { .. } => RobotsState::Failed,
            },
            None => RobotsState::Failed,
        };
        Self::without_rules(state)
    }

    fn from_response(response: &Response) -> Self {
        if challenge::marker(response).is_some() {
            return Self::without_rules(RobotsState::Challenged);
        }
        match response.status {
            200..=299 => {}
            500.. => return Self::without_rules(RobotsState::Unreachable),
            _ => return Self::without_rules(RobotsState::Unavailable),
        }
        let rules = match response.body_end {
            BodyEnd::Complete => RobotsTxt::parse(&response.body),
            BodyEnd::Capped => RobotsTxt::parse_start(&response.body),
            BodyEnd::TimedOut | BodyEnd::Broken | BodyEnd::Undecodable => {
                return Self::without_rules(RobotsState::Unreachable);
            }
        };
        Self::parsed(rules, response.looks_like_html())
    }

    /// A file that is at hand, judged as if it had been served.
    pub fn from_text(text: &[u8]) -> Self {
        Self::parsed(RobotsTxt::parse(text), looks_like_html(text))
    }

    fn parsed(rules: RobotsTxt, is_html: bool) -> Self {
        // Section 2.3.1.5: each line counts, even within what is not a robots.txt.
        let state = if is_html && rules.groups.is_empty() {
            RobotsState::NotText
        } else if rules.truncated {
            RobotsState::ParsedTruncated
        } else {
            RobotsState::Parsed
        };
        Self { state, rules }
    }

    /// A file behind a challenge page that is known by more than its own response.
    pub(crate) fn challenged() -> Self {
        Self::without_rules(RobotsState::Challenged)
    }

    /// A file of a site that refuses us everything.
    pub(crate) fn refused() -> Self {
        Self::without_rules(RobotsState::Refused)
    }

    fn without_rules(state: RobotsState) -> Self {
        Self { state, rules: RobotsTxt::default() }
    }

    /// Decides for an agent and a path, the state included: complete disallow when unreachable,
    /// everything allowed when unavailable. A file that failed, or that a wall kept from us, decides nothing: `None`.
    pub fn decide(&self, tokens: &[&str], target: &str) -> Option<RobotsDecision> {
        let mut decision = self.rules.decide(tokens, target);
        match self.state {
            RobotsState::Failed | RobotsState::Challenged | RobotsState::Refused => return None,
            RobotsState::Unreachable => decision.allowed = Target::new(target).is_robots_txt(),
            _ => {}
        }
        Some(decision)
    }
}
