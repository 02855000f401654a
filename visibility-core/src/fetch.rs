//! The interface to the network: probes, responses, errors, and the [`Fetch`] trait that an application can implement.
//!
//! The core plans [`Probe`]s and judges [`FetchResult`]s; a [`Fetch`] turns one into the other.

pub(crate) mod challenge;
pub(crate) mod content_coding;
pub mod domain;
mod error;
#[cfg(feature = "http")]
pub mod http;
// Part of what a page says of itself, which is hidden too.
#[doc(hidden)]
pub mod link_header;
pub mod page_url;
pub mod site_target;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use url::Url;

use self::content_coding::ContentCodings;
pub use self::error::{FetchError, SkipReason, TlsError};

/// A boxed future, so that [`Fetch`] is object safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a probe brought: a response with any status, or the reason why there is none.
pub type FetchResult = Result<Response, FetchError>;

/// One probe and what it brought.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Exchange {
    /// What was asked.
    pub probe: Probe,
    /// What came back.
    pub result: FetchResult,
}

/// Requests resources on behalf of a scan or an audit.
///
/// A response with an error status is an `Ok`: only a request that brought no response is a
/// [`FetchError`]. An implementation follows redirects itself when the probe says so, checks every
/// hop, and keeps to the caps of the probe. It may send a probe once more after a
/// [rate limit](Response::is_rate_limit), and after nothing else: it waits for the `Retry-After` of the
/// answer, or a second if there is none, and gives up if that is more than two seconds. From then on it
/// sends no more than five requests a second to that host. [`Response::retries`] says that it did. If
/// the second request brings no response, the 429 is the answer.
pub trait Fetch: fmt::Debug + Send + Sync {
    /// Requests one resource.
    ///
    /// # Errors
    ///
    /// The stage that failed, when no response came.
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult>;
}

/// One request to make: always `GET`, without cookies.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Probe {
    /// What is asked for, in the plan's own words; unique within a scan.
    pub resource: Resource,
    /// The URL to request.
    pub url: Url,
    /// Value of `User-Agent`.
    pub user_agent: String,
    /// Value of `Accept`.
    pub accept: String,
    /// Whether redirects are followed.
    pub redirects: Redirects,
    /// At most this many bytes of the decoded body are read; the rest is left unread.
    pub max_body_bytes: usize,
}

impl Probe {
    /// A request of its own, outside a scan: for anything, and behind redirects too.
    pub fn new(url: Url, user_agent: impl Into<String>, max_body_bytes: usize) -> Self {
        Self {
            resource: Resource::Page,
            url,
            user_agent: user_agent.into(),
            accept: "*/*".to_owned(),
            redirects: Redirects::Follow,
            max_body_bytes,
        }
    }
}

/// Whether a fetcher follows redirects.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Redirects {
    /// Up to [`crate::limits::MAX_REDIRECTS`] hops, each one checked like a first request.
    Follow,
    /// The answer to the first request is the answer.
    Stop,
}

/// What a scan or an audit can ask a site for. The order is the order of evidence in reports.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// The page of an audit.
    Page,
    /// The home page, as ourselves.
    Home,
    /// The first answer of `http://` on port 80, redirects not followed.
    HttpHome,
    /// `/robots.txt` of the domain.
    RobotsTxt,
    /// `/robots.txt` of the host that the home page led to, when that is another one.
    FinalRobotsTxt,
    /// A random path without extension that cannot exist.
    MissingPath,
    /// A random `.json` below `/.well-known/` that cannot exist.
    MissingWellKnown,
    /// The home page with `Accept: text/markdown`.
    HomeMarkdown,
    /// The home page as a desktop browser: the control of the bot-wall check.
    HomeAsBrowser,
    /// The home page with the user agent of the agent with this id.
    HomeAsAgent(String),
    /// `/llms.txt`.
    LlmsTxt,
    /// A page of the site that llms.txt links to, counted from 1.
    LlmsTxtLink(u8),
    /// The sitemap that robots.txt names first, else `/sitemap.xml`.
    Sitemap,
    /// The first child of a sitemap index.
    SitemapChild,
    /// `/.well-known/ai-catalog.json`, or where the site says that it is.
    AiCatalog,
    /// `/.well-known/api-catalog`.
    ApiCatalog,
    /// `/openapi.json`, or the target of a `service-desc` link.
    OpenApi,
    /// A second place where an API description may be.
    OpenApiAlternative,
    /// `/.well-known/openapi.json`, a third place.
    OpenApiWellKnown,
    /// `/.well-known/mcp/server-card.json`, the legacy path.
    McpLegacyCard,
    /// The card that the AI catalog names, or `<endpoint>/server-card`.
    McpCard,
    /// The MCP endpoint itself.
    McpEndpoint,
    /// `/.well-known/agent-card.json` (A2A).
    AgentCard,
    /// `/.well-known/agent-skills/index.json`.
    AgentSkills,
    /// The endpoint that the A2A card names first.
    A2aEndpoint,
    /// One artifact of the skills index.
    SkillArtifact,
    /// `/.well-known/agent.json`, the path of A2A before its version 0.3.
    LegacyAgentCard,
    /// `/.well-known/mcp.json`, an older place for an MCP card.
    LegacyMcpManifest,
    /// `/.well-known/skills/index.json`, the place of version 0.1 of the skills index.
    LegacySkills,
    /// `/.well-known/oauth-protected-resource`.
    ProtectedResource,
    /// `/.well-known/oauth-authorization-server`.
    AuthorizationServer,
    /// The protected-resource metadata of the MCP endpoint: the address that its 401 names, else
    /// the well-known path with the path of the endpoint (RFC 9728 section 3.1).
    EndpointProtectedResource,
    /// `/.well-known/openid-configuration`.
    OpenIdConfiguration,
    /// The metadata of the authorization server that the protected-resource metadata name, when
    /// that is another one than the site itself (RFC 8414 section 3.1).
    NamedAuthorizationServer,
    /// `/auth.md`.
    AuthMd,
    /// `/.well-known/ucp`.
    Ucp,
    /// `/.well-known/acp.json`.
    Acp,
    /// `/.well-known/x402`.
    X402,
    /// The endpoint of a service that the UCP profile names.
    UcpEndpoint,
    /// The base address of the API that the ACP document names.
    AcpEndpoint,
    /// A resource for sale that the x402 manifest names.
    X402Endpoint,
    /// The licence document that robots.txt or the page names.
    License,
    /// The apex if the domain is `www.`, else `www.` of it.
    OtherHost,
    /// A Markdown version that the page links to.
    MarkdownAlternate,
    /// The file that a server could send as the home page in Markdown: `/index.md`.
    MarkdownFile,
    /// A page other than the home page, counted from 1.
    InnerPage(u8),
}

/// A response, whatever its status.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Response {
    /// The address that answered, after redirects.
    pub url: Url,
    /// Status code.
    pub status: u16,
    /// `HTTP/1.1`, `HTTP/2.0` ...
    pub version: String,
    /// Header fields.
    pub headers: Headers,
    /// Decoded body, capped. Copies of a response share it.
    #[serde(skip)]
    pub body: Bytes,
    /// How the body ended.
    pub body_end: BodyEnd,
    /// Bytes of the body on the wire, before content decoding, as far as read.
    pub wire_bytes: u64,
    /// Redirects on the way here, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hops: Vec<Hop>,
    /// Milliseconds from sending the last request to its first byte of response.
    pub ttfb_ms: u32,
    /// Milliseconds from the first request to the end of the body, redirects included.
    pub total_ms: u32,
    /// How often the probe was sent again after a 429.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u8,
    /// The TLS session of the final host; absent over plain HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsSession>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u8) -> bool {
    *number == 0
}

impl Response {
    /// A whole response without header fields, redirects and times.
    pub fn new(url: Url, status: u16, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        Self {
            url,
            status,
            version: "HTTP/1.1".to_owned(),
            headers: Headers::default(),
            wire_bytes: body.len() as u64,
            body,
            body_end: BodyEnd::Complete,
            hops: Vec::new(),
            ttfb_ms: 0,
            total_ms: 0,
            retries: 0,
            tls: None,
        }
    }

    /// With one more header field.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.append(name, value);
        self
    }

    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the site limits the rate of requests: 429 (RFC 6585, section 4), and not a challenge
    /// page, which comes with the same status however slow the requests are.
    pub fn is_rate_limit(&self) -> bool {
        self.status == 429 && challenge::marker(self).is_none()
    }

    /// Whether the body is white space or nothing.
    pub fn is_blank(&self) -> bool {
        self.body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.body).trim_ascii().is_empty()
    }

    /// The media type in lower case, without parameters; empty if there is none.
    pub fn media_type(&self) -> String {
        let value = self.headers.first("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// What `Content-Encoding` says.
    pub(crate) fn content_codings(&self) -> ContentCodings {
        ContentCodings::from_headers(&self.headers)
    }

    /// The body as text: UTF-8 with replacement characters, a byte-order mark skipped.
    ///
    /// Pages have their own decoding, see [`crate::page`].
    pub fn text(&self) -> Cow<'_, str> {
        lossy(self.body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.body))
    }

    /// Whether the body looks like HTML, whatever the header says.
    pub fn looks_like_html(&self) -> bool {
        looks_like_html(&self.body)
    }

    /// Whether the body begins with a tag, a comment or a declaration: nothing that is JSON, YAML or
    /// plain text does.
    pub fn starts_with_tag(&self) -> bool {
        let body = self.body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.body);
        body.trim_ascii_start().starts_with(b"<")
    }
}

/// The text of UTF-8 with replacement characters, as [`String::from_utf8_lossy`] reads it. Most bodies are
/// valid, which is found out some ten times faster than what is to be replaced.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// How HTML begins, in lower case. Elements that Markdown may begin with are not among them.
const HTML_STARTS: [&str; 10] = [
    "<!doctype html",
    "<html",
    "<head",
    "<body",
    "<title",
    "<meta",
    "<link",
    "<base",
    "<script",
    "<style",
];

/// The text after a byte-order mark, white space, XML declarations and comments.
fn after_prolog(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
        let end = if rest.starts_with("<?xml") {
            "?>"
        } else if rest.starts_with("<!--") {
            "-->"
        } else {
            return rest;
        };
        match rest.split_once(end) {
            Some((_, after)) => rest = after,
            None => return rest,
        }
    }
}

/// Whether a text begins as HTML does.
pub(crate) fn looks_like_html(text: &[u8]) -> bool {
    let start = text.get(..text.len().min(1024)).unwrap_or_default();
    let start = lossy(start).to_ascii_lowercase();
    let start = after_prolog(&start);
    HTML_STARTS.iter().any(|tag| start.starts_with(tag))
        || (start.starts_with("<!--") && start.contains("<html"))
}

/// How the body of a response ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyEnd {
    /// Read to its end.
    Complete,
    /// The cap of the probe was reached; what was read is kept.
    Capped,
    /// Time ran out; what was read is kept.
    TimedOut,
    /// The connection broke; what was read is kept.
    Broken,
    /// The content coding is unknown or its stream is corrupt; what was decoded is kept.
    Undecodable,
}

impl BodyEnd {
    /// Whether the end is missing through no cap of ours, so that what is absent may only be late.
    pub fn is_broken_off(self) -> bool {
        matches!(self, Self::TimedOut | Self::Broken | Self::Undecodable)
    }
}

/// One redirect that was followed.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Hop {
    /// The address that redirected.
    pub url: Url,
    /// Its status code.
    pub status: u16,
    /// The `Location` as sent, capped at 2,048 characters.
    pub location: String,
    /// The `Vary` field as sent, several joined; capped at 200 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub vary: String,
}

/// What is kept of a TLS session.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct TlsSession {
    /// End of the leaf certificate's validity, seconds since 1970.
    pub not_after: i64,
    /// Common name or organization of the issuer, if it could be read.
    pub issuer: Option<String>,
}

/// Header fields: names in lower case, each with its values in order.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Headers(BTreeMap<String, Vec<String>>);

impl Headers {
    /// Adds a field after those with the same name.
    pub fn append(&mut self, name: &str, value: impl Into<String>) {
        self.0.entry(name.to_ascii_lowercase()).or_default().push(value.into());
    }

    /// The first value of a field; `name` in lower case.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(String::as_str)
    }

    /// All values of a field; `name` in lower case.
    pub fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a comma-separated field contains this token, ASCII case-insensitively.
    pub fn has_token(&self, name: &str, token: &str) -> bool {
        let mut tokens = self.all(name).iter().flat_map(|value| value.split(','));
        tokens.any(|part| part.trim().eq_ignore_ascii_case(token))
    }

    /// All fields, names in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .flat_map(|(name, values)| values.iter().map(move |v| (name.as_str(), v.as_str())))
    }
}

impl<N: AsRef<str>, V: Into<String>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(fields: I) -> Self {
        let mut headers = Self::default();
        for (name, value) in fields {
            headers.append(name.as_ref(), value);
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(body: &str) -> Response {
        Response {
            url: Url::parse("https://example.com/").unwrap(),
            status: 200,
            version: "HTTP/1.1".to_owned(),
            headers: Headers::default(),
            body: body.to_owned().into(),
            body_end: BodyEnd::Complete,
            wire_bytes: 0,
            hops: Vec::new(),
            ttfb_ms: 1,
            total_ms: 1,
            retries: 0,
            tls: None,
        }
    }

    #[test]
    fn html_is_known_by_its_first_element() {
        let cases = [
            ("\u{feff} \n<!DOCTYPE html><p>", true),
            ("<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0\">", true),
            ("<!-- a --><!-- b -->\n<HTML>", true),
            ("<!-- unending <html>", true),
            ("<meta charset=utf-8>", true),
            ("<script>location = '/'</script>", true),
            ("<?xml version=\"1.0\"?><?xml-stylesheet href=\"a\"?><!-- a --><urlset>", false),
            ("<rsl>", false),
            ("<?xml", false),
            ("<div align=\"center\">\n\n# Markdown", false),
            ("# <html>", false),
            ("{}", false),
            ("", false),
        ];
        for (body, expected) in cases {
            assert_eq!(response(body).looks_like_html(), expected, "{body}");
        }
    }

    #[test]
    fn a_tag_is_seen_behind_a_byte_order_mark_and_white_space() {
        let cases =
            [("\u{feff}\n <div>", true), ("<!-- a -->", true), ("# <b>", false), ("", false)];
        for (body, expected) in cases {
            assert_eq!(response(body).starts_with_tag(), expected, "{body}");
        }
    }
}
