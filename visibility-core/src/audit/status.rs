//! The status of an audit: whether there was a page to evaluate.

mod missing_page;

use serde::{Deserialize, Serialize};

use crate::audit::page::AuditedPage;
use crate::audit::snapshot::{AuditTarget, PageSnapshot, SitemapState};
use crate::documents::robots::{RobotsState, own_token};
use crate::fetch::challenge;
use crate::fetch::{BodyEnd, FetchError, Response, SkipReason};
use crate::limits::MAX_REDIRECTS;
use crate::rubric::finding::{Detection, Outcome};

/// How the visit of a page came out. All but the first two have score 0.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The page was fetched and read.
    Completed,
    /// The page was read in part, or robots.txt or the sitemap could not be read.
    Partial,
    /// We were refused: a status such as 403 or 429, a challenge, or robots.txt that keeps our own token
    /// out.
    Blocked,
    /// There is no such page: 404, 410, or a page that says so.
    NotFound,
    /// The server failed.
    ServerError,
    /// Nothing answered.
    Unreachable,
    /// The answer is no HTML.
    NotHtml,
}

impl Status {
    /// All, in order.
    pub const ALL: [Self; 7] = [
        Self::Completed,
        Self::Partial,
        Self::Blocked,
        Self::NotFound,
        Self::ServerError,
        Self::Unreachable,
        Self::NotHtml,
    ];

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Partial => "partial",
            Self::Blocked => "blocked",
            Self::NotFound => "not_found",
            Self::ServerError => "server_error",
            Self::Unreachable => "unreachable",
            Self::NotHtml => "not_html",
        }
    }

    /// Whether there was a page to judge.
    pub fn has_page(self) -> bool {
        matches!(self, Self::Completed | Self::Partial)
    }
}

/// Bytes that are looked at to tell a text.
const SNIFFED_BYTES: usize = 1_445;
/// Bytes of a text for each one that is foreign to it, at least.
const MIN_TEXT_BYTES: usize = 20;

/// Everything that can be said of a visit, in the order of its texts.
#[cfg(test)]
const REASONS: [Outcome; 32] = [
    READ,
    FILE_READ,
    DOUBTFUL,
    CUT,
    BROKEN_OFF,
    UNDECODABLE,
    BROKEN_CHARSET,
    ROBOTS_UNREAD,
    SITEMAP_UNREAD,
    REFUSED,
    OWN_TOKEN,
    CHALLENGE,
    MISSING,
    SAYS_MISSING,
    SERVER_ERROR,
    NO_ADDRESS,
    NO_CONNECTION,
    TLS,
    TIMED_OUT,
    REDIRECT_LOOP,
    TOO_MANY_REDIRECTS,
    BAD_REDIRECT,
    REFUSED_REDIRECT,
    REFUSED_TARGET,
    NO_HTTP,
    NOT_SENT,
    NO_BODY,
    UNDECODABLE_BODY,
    OTHER_STATUS,
    OTHER_TYPE,
    NO_HTML,
    EMPTY,
];

const READ: Outcome = Outcome::pass("read");
const FILE_READ: Outcome = Outcome::pass("file-read");
const DOUBTFUL: Outcome = Outcome::pass("doubtful");
const CUT: Outcome = Outcome::warn("cut");
const BROKEN_OFF: Outcome = Outcome::warn("broken-off");
const UNDECODABLE: Outcome = Outcome::warn("undecodable");
const BROKEN_CHARSET: Outcome = Outcome::warn("broken-charset");
const ROBOTS_UNREAD: Outcome = Outcome::warn("robots-unread");
const SITEMAP_UNREAD: Outcome = Outcome::warn("sitemap-unread");
const REFUSED: Outcome = Outcome::fail("refused");
const OWN_TOKEN: Outcome = Outcome::fail("own-token");
const CHALLENGE: Outcome = Outcome::fail("challenge");
const MISSING: Outcome = Outcome::fail("missing");
const SAYS_MISSING: Outcome = Outcome::fail("says-missing");
const SERVER_ERROR: Outcome = Outcome::fail("server-error");
const NO_ADDRESS: Outcome = Outcome::fail("no-address");
const NO_CONNECTION: Outcome = Outcome::fail("no-connection");
const TLS: Outcome = Outcome::fail("tls");
const TIMED_OUT: Outcome = Outcome::fail("timed-out");
const REDIRECT_LOOP: Outcome = Outcome::fail("redirect-loop");
const TOO_MANY_REDIRECTS: Outcome = Outcome::fail("too-many-redirects");
const BAD_REDIRECT: Outcome = Outcome::fail("bad-redirect");
const REFUSED_REDIRECT: Outcome = Outcome::fail("refused-redirect");
const REFUSED_TARGET: Outcome = Outcome::fail("refused-target");
const NO_HTTP: Outcome = Outcome::fail("no-http");
const NOT_SENT: Outcome = Outcome::fail("not-sent");
const NO_BODY: Outcome = Outcome::fail("no-body");
const UNDECODABLE_BODY: Outcome = Outcome::fail("undecodable-body");
const OTHER_STATUS: Outcome = Outcome::fail("other-status");
const OTHER_TYPE: Outcome = Outcome::fail("other-type");
const NO_HTML: Outcome = Outcome::fail("no-html");
const EMPTY: Outcome = Outcome::fail("empty");

impl Status {
    /// How a visit came out before the page is read, and the sign that says so; its sentence is in
    /// `locales/` under `audit_status_reasons`.
    ///
    /// What only the page itself can say is in [`Status::from_page`].
    pub fn from_snapshot(snapshot: &PageSnapshot) -> (Self, Detection) {
        let response = match &snapshot.result {
            Ok(response) => response,
            Err(FetchError::Skipped { reason: SkipReason::RobotsOwnToken }) => {
                let token = own_token(&snapshot.user_agent);
                return (Self::Blocked, OWN_TOKEN.with("token", token));
            }
            Err(error) => return (Self::Unreachable, failure(error)),
        };
        let from_network = if snapshot.is_file() { None } else { of_answer(response) };
        from_network
            .or_else(|| of_type(snapshot, response))
            .unwrap_or_else(|| of_parts(snapshot, response))
    }

    /// How the visit of a page came out that could be read: [`Status::from_snapshot`], a page that says that it is
    /// none, or one whose characters are broken.
    pub fn from_page(page: &AuditedPage<'_>) -> (Self, Detection) {
        let visited = Self::from_snapshot(page.snapshot);
        if !visited.0.has_page() {
            return visited;
        }
        // A file has no status that could contradict what it says.
        let missing = if page.snapshot.is_file() { None } else { missing_page::words(page) };
        if let Some(words) = missing {
            return (Self::NotFound, SAYS_MISSING.with("text", words));
        }
        if visited.0 == Self::Completed && page.document.has_broken_charset() {
            return (Self::Partial, BROKEN_CHARSET.detected());
        }
        if visited.0 == Self::Completed && page.is_main_text_doubtful() {
            let (words, body) = (page.content.words, page.content.body_words);
            return (Self::Completed, DOUBTFUL.with("words", words).with("body", body));
        }
        visited
    }
}

/// What the answer alone says: a refusal, a page that is not there, a failure of the server.
fn of_answer(response: &Response) -> Option<(Status, Detection)> {
    if let Some(sign) = challenge::marker(response) {
        return Some((Status::Blocked, CHALLENGE.with_note("sign", challenge::note(sign))));
    }
    let (status, outcome) = match response.status {
        200..=299 => return None,
        404 | 410 => (Status::NotFound, MISSING),
        500..=599 => (Status::ServerError, SERVER_ERROR),
        400.. => (Status::Blocked, REFUSED),
        _ => (Status::Unreachable, OTHER_STATUS),
    };
    Some((status, outcome.with("status", response.status)))
}

/// What the type and the first bytes say, if that is not a page.
fn of_type(snapshot: &PageSnapshot, response: &Response) -> Option<(Status, Detection)> {
    let media_type = response.media_type();
    if response.body.trim_ascii().is_empty() {
        return Some(match response.body_end {
            BodyEnd::Complete | BodyEnd::Capped => (Status::NotHtml, EMPTY.detected()),
            BodyEnd::Undecodable => {
                let encoding = response.headers.first("content-encoding").unwrap_or_default();
                let encoding = encoding.trim().to_ascii_lowercase();
                (Status::Unreachable, UNDECODABLE_BODY.with("encoding", encoding))
            }
            _ => (Status::Unreachable, NO_BODY.detected()),
        });
    }
    let is_html = matches!(media_type.as_str(), "text/html" | "application/xhtml+xml")
        || response.looks_like_html()
        || (media_type.is_empty()
            && (response.starts_with_tag()
                || is_html_file(snapshot) && !is_binary(&response.body)));
    let problem = || match media_type.as_str() {
        "" => NO_HTML.detected(),
        media_type => OTHER_TYPE.with("type", media_type),
    };
    (!is_html).then(|| (Status::NotHtml, problem()))
}

/// Whether the beginning of a file is not text: more than a few of its bytes do not occur in text
/// ([MIME Sniffing](https://mimesniff.spec.whatwg.org/#binary-data-byte)).
fn is_binary(body: &[u8]) -> bool {
    let is_wide = body.starts_with(&[0xff, 0xfe]) || body.starts_with(&[0xfe, 0xff]);
    let start = body.get(..body.len().min(SNIFFED_BYTES)).unwrap_or_default();
    !is_wide
        && start
            .iter()
            .filter(|byte| matches!(byte, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f))
            .count()
            * MIN_TEXT_BYTES
            > start.len()
}

fn is_html_file(snapshot: &PageSnapshot) -> bool {
    let AuditTarget::File { name, .. } = &snapshot.target else { return false };
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    matches!(extension.as_deref(), Some("html" | "htm" | "xhtml"))
}

/// Whether all of the page, robots.txt and the sitemap could be read.
fn of_parts(snapshot: &PageSnapshot, response: &Response) -> (Status, Detection) {
    let problem = match response.body_end {
        BodyEnd::Complete => None,
        BodyEnd::Capped => Some(CUT.with("bytes", response.body.len())),
        BodyEnd::Undecodable => Some(UNDECODABLE.with("bytes", response.body.len())),
        BodyEnd::TimedOut | BodyEnd::Broken => Some(BROKEN_OFF.with("bytes", response.body.len())),
    };
    let problem =
        problem.or_else(|| robots_problem(snapshot)).or_else(|| sitemap_problem(snapshot));
    let read = if snapshot.is_file() { FILE_READ } else { READ };
    problem.map_or_else(|| (Status::Completed, read.detected()), |signal| (Status::Partial, signal))
}

fn robots_problem(snapshot: &PageSnapshot) -> Option<Detection> {
    let state = snapshot.robots.as_ref()?.state;
    let is_unread =
        matches!(state, RobotsState::Challenged | RobotsState::Unreachable | RobotsState::Failed);
    is_unread.then(|| ROBOTS_UNREAD.with_note("state", state.note()))
}

fn sitemap_problem(snapshot: &PageSnapshot) -> Option<Detection> {
    match &snapshot.sitemap {
        SitemapState::Failed { url, reason } => {
            Some(SITEMAP_UNREAD.with("url", url).with_note("reason", reason.clone()))
        }
        _ => None,
    }
}

/// Why nothing answered.
fn failure(error: &FetchError) -> Detection {
    let outcome = match error {
        FetchError::Dns { .. } => NO_ADDRESS,
        FetchError::Denied { after_redirect: true } => REFUSED_REDIRECT,
        FetchError::Denied { after_redirect: false } => REFUSED_TARGET,
        FetchError::Connect { .. } => NO_CONNECTION,
        FetchError::Tls { problem, .. } => return TLS.with_note("problem", problem.note()),
        FetchError::Timeout { .. } | FetchError::Deadline => TIMED_OUT,
        FetchError::RedirectLoop { .. } => REDIRECT_LOOP,
        FetchError::TooManyRedirects { .. } => {
            return TOO_MANY_REDIRECTS.with("limit", MAX_REDIRECTS);
        }
        FetchError::BadRedirect { .. } => BAD_REDIRECT,
        FetchError::Protocol { .. } => return NO_HTTP.with_note("reason", error.note()),
        FetchError::NotRecorded | FetchError::Skipped { .. } => NOT_SENT,
    };
    outcome.detected()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;
    use crate::fetch::TlsError;
    use crate::text::locale::{Catalog, Lang};
    use crate::text::note::Note;

    const PAGE: &str = "<!doctype html><title>Kettle</title><h1>Kettle</h1><p>Boils water.";

    fn status_of(snapshot: &PageSnapshot) -> (Status, &'static str) {
        let (mut status, mut reason) = Status::from_snapshot(snapshot);
        if status.has_page() {
            (status, reason) = Status::from_page(&snapshot.audited());
        }
        (status, reason.outcome.id)
    }

    #[test]
    fn a_reason_has_a_sentence_in_both_languages_and_no_sentence_is_left_over() {
        let mut ids: Vec<&str> = REASONS.iter().map(|reason| reason.id).collect();
        ids.sort_unstable();
        for lang in Lang::ALL {
            assert_eq!(Catalog::for_lang(lang).keys(&["audit_status_reasons"]), ids, "{lang}");
        }
    }

    #[test]
    fn a_status_of_http_decides() {
        for (code, status, reason) in [
            (200, Status::Completed, "read"),
            (203, Status::Completed, "read"),
            (304, Status::Unreachable, "other-status"),
            (400, Status::Blocked, "refused"),
            (401, Status::Blocked, "refused"),
            (402, Status::Blocked, "refused"),
            (403, Status::Blocked, "refused"),
            (404, Status::NotFound, "missing"),
            (406, Status::Blocked, "refused"),
            (407, Status::Blocked, "refused"),
            (410, Status::NotFound, "missing"),
            (429, Status::Blocked, "refused"),
            (451, Status::Blocked, "refused"),
            (500, Status::ServerError, "server-error"),
            (503, Status::ServerError, "server-error"),
            (999, Status::Blocked, "refused"),
        ] {
            assert_eq!(status_of(&fixture(PAGE).status(code)), (status, reason), "{code}");
        }
    }

    #[test]
    fn a_challenge_is_a_refusal_whatever_its_status() {
        for code in [200, 403, 503] {
            let page = fixture(PAGE).status(code).header("cf-mitigated", "challenge");
            assert_eq!(status_of(&page), (Status::Blocked, "challenge"), "{code}");
        }
        let article = format!("<title>Just a moment: cf-chl</title><p>{}", "word ".repeat(400));
        assert_eq!(status_of(&fixture(&article)), (Status::Completed, "read"));
    }

    #[test]
    fn no_response_is_reported_by_its_cause_and_never_by_another() {
        let host = || "example.com:443".to_owned();
        for (error, reason) in [
            (FetchError::Dns { host: host() }, "no-address"),
            (FetchError::Connect { host: host() }, "no-connection"),
            (FetchError::Tls { host: host(), problem: TlsError::Expired }, "tls"),
            (FetchError::Timeout { after_ms: 1 }, "timed-out"),
            (FetchError::Deadline, "timed-out"),
            (FetchError::RedirectLoop { hops: Vec::new() }, "redirect-loop"),
            (FetchError::TooManyRedirects { hops: Vec::new() }, "too-many-redirects"),
            (FetchError::BadRedirect { hops: Vec::new() }, "bad-redirect"),
            (FetchError::Denied { after_redirect: true }, "refused-redirect"),
            (FetchError::Protocol { reason: "no".to_owned() }, "no-http"),
        ] {
            let failed = fixture("").failed(error);
            assert_eq!(status_of(&failed), (Status::Unreachable, reason));
        }
        let skipped = |reason| status_of(&fixture("").failed(FetchError::Skipped { reason }));
        assert_eq!(skipped(SkipReason::RobotsOwnToken), (Status::Blocked, "own-token"));
        assert_eq!(skipped(SkipReason::RateLimited), (Status::Unreachable, "not-sent"));
    }

    #[test]
    fn a_page_is_html_by_its_type_or_by_its_first_bytes() {
        for (content_type, body, status, reason) in [
            ("text/html", "words alone", Status::Completed, "read"),
            ("application/xhtml+xml", "<?xml version='1.0'?><html/>", Status::Completed, "read"),
            ("text/plain", PAGE, Status::Completed, "read"),
            ("application/json", "{}", Status::NotHtml, "other-type"),
            ("application/pdf", "%PDF-1.7", Status::NotHtml, "other-type"),
            ("text/plain", "words <html>", Status::NotHtml, "other-type"),
            ("", "{}", Status::NotHtml, "no-html"),
            ("", "<div>fragment</div>", Status::Completed, "read"),
            ("text/html", " \n", Status::NotHtml, "empty"),
        ] {
            let page = fixture(body).header("content-type", content_type);
            assert_eq!(status_of(&page), (status, reason), "{content_type} {body}");
        }
        let file = |name: &str, body: &str| {
            let id = crate::audit::snapshot::AuditId::from_bits(1);
            let at = crate::audit::page::fixture::now();
            status_of(&PageSnapshot::from_file(id, name, None, body.as_bytes().to_vec(), at)).0
        };
        assert_eq!(file("page.html", "words alone"), Status::Completed);
        assert_eq!(file("page.html", "words\0 alone, and some more of them"), Status::Completed);
        let noise: String = (0..2_000_u32).filter_map(|at| char::from_u32(at * 7 % 128)).collect();
        assert_eq!(file("page.html", &noise), Status::NotHtml);
        assert_eq!(file("-", PAGE), Status::Completed);
        assert_eq!(file("notes.txt", "words alone"), Status::NotHtml);
    }

    #[test]
    fn what_is_read_in_part_is_partial() {
        let robots = |state| fixture(PAGE).robots_state(state);
        let failed =
            SitemapState::Failed { url: "https://a.com/s".to_owned(), reason: Note::verbatim("x") };
        for (page, status, reason) in [
            (fixture(PAGE).ending(BodyEnd::Capped), Status::Partial, "cut"),
            (fixture(PAGE).ending(BodyEnd::TimedOut), Status::Partial, "broken-off"),
            (fixture(PAGE).ending(BodyEnd::Broken), Status::Partial, "broken-off"),
            (fixture(PAGE).ending(BodyEnd::Undecodable), Status::Partial, "undecodable"),
            (fixture("").ending(BodyEnd::TimedOut), Status::Unreachable, "no-body"),
            (fixture("").ending(BodyEnd::Undecodable), Status::Unreachable, "undecodable-body"),
            (robots(RobotsState::Unreachable), Status::Partial, "robots-unread"),
            (robots(RobotsState::Failed), Status::Partial, "robots-unread"),
            (robots(RobotsState::Unavailable), Status::Completed, "read"),
            (robots(RobotsState::NotText), Status::Completed, "read"),
            (fixture(PAGE).sitemap(failed), Status::Partial, "sitemap-unread"),
        ] {
            assert_eq!(status_of(&page), (status, reason));
        }
    }

    #[test]
    fn a_short_page_that_says_that_it_is_missing_is_not_found() {
        let page = |title: &str, h1: &str, words: usize| {
            let text = "text ".repeat(words);
            fixture(&format!("<!doctype html><title>{title}</title><h1>{h1}</h1><p>{text}"))
        };
        for (page, reason) in [
            (page("Page not found | Shop", "Oops", 20), "says-missing"),
            (page("Shop", "404", 20), "says-missing"),
            (page("Örnek", "Aradığınız sayfa bulunamadı", 20), "says-missing"),
            (page("Page not found | Shop", "Oops", 200), "read"),
            (page("Kettle", "Kettle", 20), "read"),
            (page("404", "404", 20).file(), "file-read"),
        ] {
            assert_eq!(status_of(&page).1, reason);
        }
        let missing = crate::audit::audit(&page("404", "404", 20));
        assert_eq!((missing.status(), missing.score().is_none()), (Status::NotFound, true));
    }
}
