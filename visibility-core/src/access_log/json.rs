//! Lines that are JSON objects: those of nginx with the names that someone chose, those of Caddy, and those of services with
//! names of their own.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use memchr::memchr;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::entry::{LogEntry, NoEntry, is_method, present, request_line, status, target_of};
use super::time;

/// What a key of a line is read as.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum LogField {
    /// When the request came.
    Time,
    /// Who it said that it was.
    UserAgent,
    /// The whole first line of the request.
    Request,
    /// Its method.
    Method,
    /// Its path and query.
    Target,
    /// The status of the answer.
    Status,
    /// The bytes of the answer.
    Bytes,
    /// Where the request came from.
    Referrer,
    /// The site.
    Host,
    /// Who has connected.
    Address,
    /// `X-Forwarded-For`.
    ForwardedFor,
}

impl LogField {
    /// All, with the keys that they usually have, the best one first.
    const ALIASES: [(Self, &'static str, &'static [&'static str]); 11] = [
        (
            Self::Time,
            "time",
            &[
                "msec",
                "time_iso8601",
                "timestamp",
                "@timestamp",
                "time",
                "time_local",
                "ts",
                "date",
            ],
        ),
        (
            Self::UserAgent,
            "user_agent",
            &["http_user_agent", "user_agent", "userAgent", "useragent", "agent", "ua"],
        ),
        (Self::Request, "request", &["request", "request_line"]),
        (Self::Method, "method", &["request_method", "method", "verb"]),
        (Self::Target, "target", &["request_uri", "uri", "url", "request_path", "path", "target"]),
        (Self::Status, "status", &["status", "status_code", "response_code", "code"]),
        (
            Self::Bytes,
            "bytes",
            &["body_bytes_sent", "bytes_sent", "response_bytes", "bytes", "size"],
        ),
        (Self::Referrer, "referrer", &["http_referer", "http_referrer", "referer", "referrer"]),
        (Self::Host, "host", &["http_host", "host", "server_name", "vhost", "domain"]),
        (
            Self::Address,
            "address",
            &["remote_addr", "remote_ip", "client_ip", "clientip", "client", "ip", "address"],
        ),
        (
            Self::ForwardedFor,
            "forwarded_for",
            &["http_x_forwarded_for", "x_forwarded_for", "forwarded_for", "xff"],
        ),
    ];

    /// The field with a name such as `user_agent`; `ua` is one, too.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name == "ua" { "user_agent" } else { name };
        Self::ALIASES.iter().find(|(_, known, _)| *known == name).map(|(field, ..)| *field)
    }

    /// The names of all.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALIASES.iter().map(|(_, name, _)| *name)
    }
}

/// Which keys of a line are read as what.
#[derive(Clone, Debug)]
pub struct KeyMap {
    fields: HashMap<Box<str>, (LogField, usize), foldhash::fast::RandomState>,
    has_chosen: bool,
}

impl Default for KeyMap {
    fn default() -> Self {
        Self::new([])
    }
}

impl KeyMap {
    /// The usual keys, and others that are read instead: those of a field that is named here are not.
    pub fn new<'a>(chosen: impl IntoIterator<Item = (LogField, &'a str)>) -> Self {
        let chosen: Vec<(LogField, &str)> = chosen.into_iter().collect();
        let has_chosen = !chosen.is_empty();
        let mut fields = HashMap::default();
        for (field, _, aliases) in LogField::ALIASES {
            if chosen.iter().all(|(other, _)| *other != field) {
                fields.extend(
                    aliases.iter().enumerate().map(|(rank, key)| ((*key).into(), (field, rank))),
                );
            }
        }
        fields.extend(chosen.into_iter().map(|(field, key)| (key.into(), (field, 0))));
        Self { fields, has_chosen }
    }

    /// Whether someone has chosen a key.
    pub(super) fn has_chosen(&self) -> bool {
        self.has_chosen
    }

    /// These keys alone; the better one of a field comes first.
    fn only(keys: &[(LogField, &str)]) -> Self {
        let ranked = keys.iter().enumerate();
        let fields = ranked.map(|(rank, (field, key))| ((*key).into(), (*field, rank))).collect();
        Self { fields, has_chosen: false }
    }
}

/// The lines of a service whose keys are known.
pub(super) struct KnownKeys {
    keys: LazyLock<KeyMap>,
    /// A key, and what it says in lines about requests of visitors: other lines are about those between servers.
    of_visitors: Option<(&'static str, &'static str)>,
}

/// Cloudflare's data set `http_requests`.
pub(super) static CLOUDFLARE: KnownKeys = KnownKeys {
    keys: LazyLock::new(|| {
        KeyMap::only(&[
            (LogField::Time, "EdgeStartTimestamp"),
            (LogField::UserAgent, "ClientRequestUserAgent"),
            (LogField::Method, "ClientRequestMethod"),
            // The path alone has no query.
            (LogField::Target, "ClientRequestURI"),
            (LogField::Target, "ClientRequestPath"),
            (LogField::Status, "EdgeResponseStatus"),
            (LogField::Bytes, "EdgeResponseBytes"),
            (LogField::Referrer, "ClientRequestReferer"),
            (LogField::Host, "ClientRequestHost"),
            (LogField::Address, "ClientIP"),
        ])
    }),
    of_visitors: Some(("ClientRequestSource", "\"eyeball\"")),
};

/// The lines that Fastly's documentation proposes.
pub(super) static FASTLY: KnownKeys = KnownKeys {
    keys: LazyLock::new(|| {
        KeyMap::only(&[
            (LogField::Time, "timestamp"),
            (LogField::UserAgent, "request_user_agent"),
            (LogField::Method, "request_method"),
            (LogField::Target, "url"),
            (LogField::Status, "response_status"),
            (LogField::Bytes, "response_body_size"),
            (LogField::Referrer, "request_referer"),
            (LogField::Host, "host"),
            (LogField::Address, "client_ip"),
        ])
    }),
    of_visitors: Some(("fastly_is_edge", "true")),
};

/// Traefik, where the headers are there only if its settings say so.
pub(super) static TRAEFIK: KnownKeys = KnownKeys {
    keys: LazyLock::new(|| {
        KeyMap::only(&[
            (LogField::Time, "StartUTC"),
            (LogField::UserAgent, "request_User-Agent"),
            (LogField::Method, "RequestMethod"),
            (LogField::Target, "RequestPath"),
            (LogField::Status, "DownstreamStatus"),
            (LogField::Bytes, "DownstreamContentSize"),
            (LogField::Referrer, "request_Referer"),
            (LogField::Host, "RequestHost"),
            (LogField::Address, "ClientHost"),
            (LogField::ForwardedFor, "request_X-Forwarded-For"),
        ])
    }),
    of_visitors: None,
};

/// Bytes that are not UTF-8, as characters of an area for private use, until it is known what they are a part of. nginx
/// writes what it was sent, and `escape=json` changes nothing about it.
const FOREIGN: u32 = 0x10_FF00;

/// A line as text, with foreign bytes as characters.
fn text_of(line: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(line) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(line.len() + 64);
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(
            chunk.invalid().iter().filter_map(|byte| char::from_u32(FOREIGN + u32::from(*byte))),
        );
    }
    Cow::Owned(text)
}

fn foreign_byte(ch: char) -> Option<u8> {
    u8::try_from(u32::from(ch).checked_sub(FOREIGN)?).ok()
}

fn has_foreign_bytes(text: &str) -> bool {
    // The first byte of those characters in UTF-8, which few texts have.
    memchr(0xF4, text.as_bytes()).is_some() && text.chars().any(|ch| foreign_byte(ch).is_some())
}

/// The members of an object, in their order.
struct Members<F>(F);

impl<'de, F: FnMut(Cow<'de, str>, &'de RawValue)> Visitor<'de> for Members<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<Key<'de>>()? {
            (self.0)(key.0, members.next_value()?);
        }
        Ok(())
    }
}

/// A key, borrowed unless it is escaped.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Hands over the members of an object; `None` if a text is none.
fn members<'a>(text: &'a str, each: impl FnMut(Cow<'a, str>, &'a RawValue)) -> Option<()> {
    if !text.trim_ascii_start().starts_with('{') {
        return None;
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.deserialize_map(Members(each)).ok()?;
    reader.end().ok()
}

/// The text of a string or a number, borrowed unless it is escaped; `None` for all else.
fn scalar(value: &RawValue) -> Option<Cow<'_, str>> {
    let raw = value.get();
    match raw.bytes().next()? {
        b'"' if memchr(b'\\', raw.as_bytes()).is_none() => {
            raw.strip_prefix('"')?.strip_suffix('"').map(Cow::Borrowed)
        }
        b'"' => serde_json::from_str(raw).ok().map(Cow::Owned),
        b'-' | b'0'..=b'9' => Some(Cow::Borrowed(raw)),
        _ => None,
    }
}

/// A text for people and their programs: foreign bytes are U+FFFD.
fn shown(value: &RawValue) -> Option<Cow<'_, str>> {
    let text = scalar(value)?;
    if !has_foreign_bytes(&text) {
        return Some(text);
    }
    let replaced = |ch| if foreign_byte(ch).is_some() { char::REPLACEMENT_CHARACTER } else { ch };
    Some(Cow::Owned(text.chars().map(replaced).collect()))
}

/// A text of a request: foreign bytes are percent-encoded.
fn requested(value: &RawValue) -> Option<Cow<'_, str>> {
    use std::fmt::Write as _;

    let text = scalar(value)?;
    if !has_foreign_bytes(&text) {
        return Some(text);
    }
    let mut encoded = String::with_capacity(text.len() + 16);
    for ch in text.chars() {
        match foreign_byte(ch) {
            // A string takes everything.
            Some(byte) => drop(write!(encoded, "%{byte:02X}")),
            None => encoded.push(ch),
        }
    }
    Some(Cow::Owned(encoded))
}

/// Path and query of a target that may be owned.
fn path_of(target: Cow<'_, str>) -> Option<Cow<'_, str>> {
    match target {
        Cow::Borrowed(target) => target_of(target),
        Cow::Owned(target) => target_of(&target).map(|target| Cow::Owned(target.into_owned())),
    }
}

fn bytes_of(value: &RawValue) -> Option<i64> {
    scalar(value)?.parse().ok().filter(|bytes| *bytes >= 0)
}

/// The text of a field that is there; `-` is an empty one.
fn field(value: Option<&RawValue>) -> Option<Cow<'_, str>> {
    value.and_then(shown).map(|text| present(text).unwrap_or_default())
}

/// Reads a line as text: what is read borrows from the line if that is UTF-8.
fn read_text(
    line: &[u8],
    read: impl Fn(&str) -> Result<LogEntry<'_>, NoEntry>,
) -> Result<LogEntry<'_>, NoEntry> {
    match text_of(line) {
        Cow::Borrowed(text) => read(text),
        Cow::Owned(text) => read(&text).map(LogEntry::into_owned),
    }
}

/// Reads a line with the keys of a map.
pub(super) fn parse_mapped<'a>(line: &'a [u8], keys: &KeyMap) -> Result<LogEntry<'a>, NoEntry> {
    read_text(line, |text| read_mapped(text, keys, |_, _| {}).ok_or(NoEntry::Unreadable))
}

/// Reads a line with the keys of a service.
pub(super) fn parse_known<'a>(line: &'a [u8], known: &KnownKeys) -> Result<LogEntry<'a>, NoEntry> {
    read_text(line, |text| {
        let mut is_duplicate = false;
        let entry = read_mapped(text, &known.keys, |key, value| {
            let is_other =
                known.of_visitors.is_some_and(|(name, said)| key == name && value != said);
            is_duplicate |= is_other;
        });
        let entry = entry.ok_or(NoEntry::Unreadable)?;
        if is_duplicate { Err(NoEntry::Duplicate) } else { Ok(entry) }
    })
}

/// Reads a line with the keys of a map, and hands over all keys with their values as they are written.
fn read_mapped<'a>(
    text: &'a str,
    keys: &KeyMap,
    mut each: impl FnMut(&str, &str),
) -> Option<LogEntry<'a>> {
    let mut found: [Option<(usize, &RawValue)>; LogField::ALIASES.len()] =
        [None; LogField::ALIASES.len()];
    members(text, |key, value| {
        each(&key, value.get());
        let Some((field, rank)) = keys.fields.get(key.as_ref()) else { return };
        let Some(slot) = found.get_mut(*field as usize) else { return };
        if slot.is_none_or(|(other, _)| *rank <= other) {
            *slot = Some((*rank, value));
        }
    })?;
    let value =
        |field: LogField| found.get(field as usize).copied().flatten().map(|(_, value)| value);
    let (mut method, mut target) = (None, None);
    match (value(LogField::Target), value(LogField::Request)) {
        (Some(uri), _) => {
            method = value(LogField::Method).and_then(requested).filter(|method| is_method(method));
            target = requested(uri).and_then(path_of);
        }
        (None, Some(line)) => {
            if let Some(line) = requested(line) {
                (method, target) = request_line(line);
            }
        }
        (None, None) => return None,
    }
    let status_text = scalar(value(LogField::Status)?)?;
    Some(LogEntry {
        time_millis: time::any(&scalar(value(LogField::Time)?)?)?,
        user_agent: field(value(LogField::UserAgent)),
        method,
        target,
        status: status(&status_text),
        response_bytes: value(LogField::Bytes).and_then(bytes_of),
        referrer: field(value(LogField::Referrer)),
        host: field(value(LogField::Host)).filter(|host| !host.is_empty()),
        peer: field(value(LogField::Address)).filter(|peer| !peer.is_empty()),
        forwarded_for: field(value(LogField::ForwardedFor)).filter(|list| !list.is_empty()),
    })
}

/// What Caddy says that it has done when it logs a request.
const HANDLED: &str = "handled request";

#[derive(Default)]
struct CaddyLine<'a> {
    message: Option<Cow<'a, str>>,
    logger: bool,
    time: Option<&'a RawValue>,
    status: Option<&'a RawValue>,
    size: Option<&'a RawValue>,
    request: Option<&'a RawValue>,
}

#[derive(Default)]
struct CaddyRequest<'a> {
    client: Option<&'a RawValue>,
    remote: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    host: Option<&'a RawValue>,
    uri: Option<&'a RawValue>,
    headers: Option<&'a RawValue>,
}

/// Reads a line of Caddy.
pub(super) fn parse_caddy(line: &[u8]) -> Result<LogEntry<'_>, NoEntry> {
    read_text(line, read_caddy)
}

fn read_caddy(text: &str) -> Result<LogEntry<'_>, NoEntry> {
    let mut line = CaddyLine::default();
    let read = members(text, |key, value| match key.as_ref() {
        "msg" => line.message = scalar(value),
        "logger" => line.logger = true,
        "ts" => line.time = Some(value),
        "status" => line.status = Some(value),
        "size" => line.size = Some(value),
        "request" => line.request = Some(value),
        _ => {}
    });
    read.ok_or(NoEntry::Unreadable)?;
    match line.message.as_deref() {
        Some(HANDLED) => read_caddy_request(&line).ok_or(NoEntry::Unreadable),
        // Other programs have messages, too; their loggers have no times of Caddy's.
        Some(_) if line.time.is_some() => Err(NoEntry::NotAccess),
        _ => Err(NoEntry::Unreadable),
    }
}

fn read_caddy_request<'a>(line: &CaddyLine<'a>) -> Option<LogEntry<'a>> {
    let mut request = CaddyRequest::default();
    members(line.request?.get(), |key, value| match key.as_ref() {
        "client_ip" => request.client = Some(value),
        "remote_ip" | "remote_addr" => request.remote = Some(value),
        "method" => request.method = Some(value),
        "host" => request.host = Some(value),
        "uri" => request.uri = Some(value),
        "headers" => request.headers = Some(value),
        _ => {}
    })?;
    let (mut user_agent, mut referrer, mut forwarded_for) = (None, None, None);
    if let Some(headers) = request.headers {
        members(headers.get(), |key, value| match key.as_ref() {
            "User-Agent" => user_agent = first_of(value),
            "Referer" => referrer = first_of(value),
            "X-Forwarded-For" => forwarded_for = all_of(value),
            _ => {}
        })?;
    }
    Some(LogEntry {
        time_millis: time::any(&scalar(line.time?)?)?,
        user_agent: Some(user_agent.unwrap_or_default()),
        method: request.method.and_then(requested).filter(|method| is_method(method)),
        target: path_of(requested(request.uri?)?),
        status: status(&scalar(line.status?)?),
        response_bytes: line.size.and_then(bytes_of),
        referrer: Some(referrer.unwrap_or_default()),
        host: request.host.and_then(shown).filter(|host| !host.is_empty()),
        // Since 2.7 the address behind trusted proxies is there as well.
        peer: request.client.or(request.remote).and_then(shown),
        forwarded_for,
    })
}

/// The values of a header.
fn values(value: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str(value.get()).unwrap_or_default()
}

fn first_of(value: &RawValue) -> Option<Cow<'_, str>> {
    values(value).into_iter().next().and_then(shown)
}

fn all_of(value: &RawValue) -> Option<Cow<'_, str>> {
    let lists: Vec<_> = values(value).into_iter().filter_map(shown).collect();
    (!lists.is_empty()).then(|| Cow::Owned(lists.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_under_their_usual_names_or_chosen_ones() {
        let usual = r#"{"msec":"1795216836.592","time":"x","status":"200","request":"GET /p?q HTTP/1.1","ua":"a","body_bytes_sent":"7","ip":"203.0.113.9"}"#;
        let entry = parse_mapped(usual.as_bytes(), &KeyMap::default()).unwrap();
        assert_eq!(entry.time_millis, 1_795_216_836_592);
        assert_eq!((entry.method.as_deref(), entry.target.as_deref()), (Some("GET"), Some("/p?q")));
        assert_eq!((entry.user_agent.as_deref(), entry.response_bytes), (Some("a"), Some(7)));
        assert_eq!(
            (entry.peer.as_deref(), entry.referrer, entry.host),
            (Some("203.0.113.9"), None, None)
        );
        let keys = KeyMap::new([(LogField::UserAgent, "wer"), (LogField::Time, "wann")]);
        let own = r#"{"wann":1795216836,"time":"x","ua":"b","wer":"a","status":404,"uri":"/p","method":"GET"}"#;
        let entry = parse_mapped(own.as_bytes(), &keys).unwrap();
        assert_eq!(
            (entry.time_millis, entry.user_agent.as_deref()),
            (1_795_216_836_000, Some("a"))
        );
        assert_eq!(entry.status, Some(404));
        assert!(parse_mapped(own.as_bytes(), &KeyMap::default()).is_err());
        assert_eq!(LogField::from_name("ua"), Some(LogField::UserAgent));
        assert_eq!(LogField::from_name("x"), None);
    }

    #[test]
    fn keys_of_services_are_known() {
        let cloudflare = r#"{"ClientIP":"203.0.113.8","ClientRequestHost":"www.example.com","ClientRequestMethod":"GET","ClientRequestPath":"/p","ClientRequestSource":"eyeball","ClientRequestURI":"/p?a=1","ClientRequestUserAgent":"a","EdgeResponseBytes":5211,"EdgeResponseStatus":200,"EdgeStartTimestamp":1795216836592000000}"#;
        let entry = parse_known(cloudflare.as_bytes(), &CLOUDFLARE).unwrap();
        assert_eq!((entry.target.as_deref(), entry.status), (Some("/p?a=1"), Some(200)));
        assert_eq!(entry.time_millis, 1_795_216_836_592);
        let worker = cloudflare.replace("eyeball", "edgeWorkerFetch");
        assert_eq!(parse_known(worker.as_bytes(), &CLOUDFLARE), Err(NoEntry::Duplicate));
        let path_alone = cloudflare.replace(r#""ClientRequestURI":"/p?a=1","#, "");
        let entry = parse_known(path_alone.as_bytes(), &CLOUDFLARE).unwrap();
        assert_eq!(entry.target.as_deref(), Some("/p"));

        let fastly = r#"{"timestamp":"2026-11-20T23:20:36+0000","client_ip":"203.0.113.8","host":"www.example.com","url":"/p","request_method":"GET","request_referer":"(null)","request_user_agent":"a","response_status":200,"response_body_size":7,"fastly_is_edge":true}"#;
        let entry = parse_known(fastly.as_bytes(), &FASTLY).unwrap();
        assert_eq!((entry.referrer.as_deref(), entry.response_bytes), (Some(""), Some(7)));
        let shield = fastly.replace(":true", ":false");
        assert_eq!(parse_known(shield.as_bytes(), &FASTLY), Err(NoEntry::Duplicate));

        let traefik = r#"{"ClientHost":"203.0.113.50","DownstreamContentSize":397,"DownstreamStatus":200,"RequestHost":"www.example.com","RequestMethod":"GET","RequestPath":"/docs","StartUTC":"2026-11-20T23:20:36.189830187Z","time":"x"}"#;
        let entry = parse_known(traefik.as_bytes(), &TRAEFIK).unwrap();
        assert_eq!((entry.user_agent, entry.host.as_deref()), (None, Some("www.example.com")));
        for other in ["{}", "[]", "x", CADDY_LINE, r#"{"time":1,"status":200,"uri":"/p"}"#] {
            for known in [&CLOUDFLARE, &FASTLY, &TRAEFIK] {
                assert_eq!(
                    parse_known(other.as_bytes(), known),
                    Err(NoEntry::Unreadable),
                    "{other}"
                );
            }
        }
    }

    const CADDY_LINE: &str = r#"{"ts":1795216836.6,"msg":"handled request","status":200}"#;

    #[test]
    fn bytes_that_are_no_text_are_replaced_or_encoded() {
        let line = b"{\"time\":1795216836,\"status\":200,\"uri\":\"/\xff\xc3\xbc\",\"method\":\"GET\",\"ua\":\"a\xff\"}";
        let entry = parse_mapped(line, &KeyMap::default()).unwrap();
        assert_eq!(entry.target.as_deref(), Some("/%FF\u{fc}"));
        assert_eq!(entry.user_agent.as_deref(), Some("a\u{fffd}"));
    }

    #[test]
    fn caddy_tells_requests_by_its_message() {
        for (line, expected) in [
            (
                r#"{"ts":1795216836.6,"logger":"tls.obtain","msg":"certificate obtained"}"#,
                NoEntry::NotAccess,
            ),
            (r#"{"msg":"hello"}"#, NoEntry::Unreadable),
            (r#"{"ts":1795216836.6,"msg":"handled request"}"#, NoEntry::Unreadable),
            ("{", NoEntry::Unreadable),
            ("[]", NoEntry::Unreadable),
            ("x", NoEntry::Unreadable),
        ] {
            assert_eq!(parse_caddy(line.as_bytes()).unwrap_err(), expected, "{line}");
        }
        let line = r#"{"ts":"2026-11-20T23:20:36.6+00:00","msg":"handled request","request":{"remote_ip":"10.0.0.7","client_ip":"203.0.113.9","method":"GET","host":"a.example:8080","uri":"/p","headers":{"User-Agent":["a","b"],"Cookie":[],"X-Forwarded-For":["1.2.3.4","10.0.0.3"]}},"size":5,"status":0}"#;
        let entry = parse_caddy(line.as_bytes()).unwrap();
        assert_eq!(
            (entry.peer.as_deref(), entry.user_agent.as_deref()),
            (Some("203.0.113.9"), Some("a"))
        );
        assert_eq!(entry.forwarded_for.as_deref(), Some("1.2.3.4, 10.0.0.3"));
        assert_eq!((entry.status, entry.time_millis), (None, 1_795_216_836_600));
    }
}
