//! Validates a record: the first rule that it violates, in a fixed order, is the reason of the rejection.

use chrono::TimeDelta;

use crate::agents::Registry;
use crate::agents::lookup::AgentLookup;
use crate::ingest::byte_class::{all, between};
use crate::ingest::denylist::{Denylist, Parameters};
use crate::ingest::field_format::HostNormalizer;
use crate::ingest::line::Line;
use crate::ingest::record::{Field, LogRecord};
use crate::ingest::redaction::Redaction;
use crate::ingest::text::EscapedText;
use crate::ingest::timestamp::TimestampParser;
use crate::ingest::{Reason, Rules, field_format};
use crate::limits::{
    MAX_RECORD_AGE_DAYS, MAX_REFERRER_BYTES, MAX_REJECTED_FIELD_BYTES, MAX_REQUEST_PATH_BYTES,
};

/// Why a record is not kept.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct RuleViolation<'a> {
    pub(super) reason: Reason,
    pub(super) field: Option<&'a str>,
}

impl<'a> RuleViolation<'a> {
    fn new(reason: Reason, field: Field) -> Self {
        Self { reason, field: Some(field.name()) }
    }

    fn unknown_field(name: &'a str) -> Self {
        let end = name.floor_char_boundary(MAX_REJECTED_FIELD_BYTES);
        Self { reason: Reason::FieldNotAllowed, field: Some(name.get(..end).unwrap_or_default()) }
    }
}

/// Judges the records of one batch.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    visitors: AgentLookup<'a>,
    denylist: Denylist,
    redaction: Redaction,
    oldest_micros: i64,
    latest_micros: i64,
    scratch: Scratch,
    stored_path: String,
    stored_referrer: String,
}

/// Where strings are put that are not stored as they are written, and what is known from the record
/// before.
#[derive(Debug, Default)]
struct Scratch {
    timestamp: String,
    user_agent: String,
    request_method: String,
    request_path: String,
    referrer: String,
    host: String,
    client_ip_hash: String,
    clock: TimestampParser,
    hosts: HostNormalizer,
}

/// A record whose fields all have their form.
#[derive(Clone, Copy, Debug)]
struct Fields<'a> {
    timestamp_micros: i64,
    user_agent: &'a str,
    request_method: &'a str,
    request_path: &'a str,
    is_plain_path: bool,
    parameters: Parameters,
    status_code: u16,
    response_bytes: i64,
    referrer: &'a str,
    host: &'a str,
    client_ip_hash: &'a str,
}

impl<'a> Judge<'a> {
    pub(super) fn new(rules: &Rules, registry: &'a Registry) -> Self {
        let (oldest_micros, latest_micros) = allowed_times(rules);
        Self {
            visitors: AgentLookup::new(registry),
            denylist: Denylist::new(rules.extended_denylist),
            redaction: Redaction::default(),
            oldest_micros,
            latest_micros,
            scratch: Scratch::default(),
            stored_path: String::new(),
            stored_referrer: String::new(),
        }
    }

    /// Judges what follows as of another time.
    pub(super) fn set_time(&mut self, rules: &Rules) {
        (self.oldest_micros, self.latest_micros) = allowed_times(rules);
    }

    /// Judges a record.
    pub(super) fn judge<'l>(
        &'l mut self,
        line: &Line<'l>,
    ) -> Result<LogRecord<'l>, RuleViolation<'l>> {
        if let Some(name) = line.unknown() {
            return Err(RuleViolation::unknown_field(name.read(&mut self.scratch.request_path)));
        }
        if let Some(field) = Field::ALL.get(line.seen.trailing_ones() as usize) {
            return Err(RuleViolation::new(Reason::MissingRequiredField, *field));
        }
        let fields = Fields::read(line, &mut self.scratch, &mut self.denylist)
            .map_err(|field| RuleViolation::new(Reason::InvalidField, field))?;
        let Some((agent_index, agent)) = self.visitors.find(fields.user_agent) else {
            return Err(RuleViolation { reason: Reason::UserAgentNotInAllowlist, field: None });
        };
        if fields.timestamp_micros < self.oldest_micros {
            return Err(RuleViolation::new(Reason::TimestampTooOld, Field::Timestamp));
        }
        if fields.timestamp_micros > self.latest_micros {
            return Err(RuleViolation::new(Reason::TimestampInFuture, Field::Timestamp));
        }
        if fields.request_path.len() > MAX_REQUEST_PATH_BYTES {
            return Err(RuleViolation::new(Reason::RequestPathTooLong, Field::RequestPath));
        }
        if fields.parameters == Parameters::Denied {
            return Err(RuleViolation::new(Reason::QueryParameterDenied, Field::RequestPath));
        }
        Ok(LogRecord {
            timestamp_micros: fields.timestamp_micros,
            agent,
            agent_index,
            user_agent: fields.user_agent,
            request_method: fields.request_method,
            request_path: if fields.is_plain_path {
                fields.request_path
            } else {
                self.redaction.redact(fields.request_path, &mut self.stored_path)
            },
            status_code: fields.status_code,
            response_bytes: fields.response_bytes,
            referrer: self.redaction.referrer(
                fields.referrer,
                &mut self.denylist,
                &mut self.stored_referrer,
            ),
            host: fields.host,
            client_ip_hash: fields.client_ip_hash,
        })
    }
}

/// The first and the last time that a record may have, in microseconds since 1970.
fn allowed_times(rules: &Rules) -> (i64, i64) {
    let oldest = rules.now - TimeDelta::days(MAX_RECORD_AGE_DAYS);
    (oldest.timestamp_micros(), (rules.now + rules.future_skew).timestamp_micros())
}

impl<'a> Fields<'a> {
    /// The fields of a record that has all nine, or the first that has not its form.
    fn read(
        line: &Line<'a>,
        scratch: &'a mut Scratch,
        denylist: &mut Denylist,
    ) -> Result<Self, Field> {
        let timestamp = text(line, Field::Timestamp)?.read(&mut scratch.timestamp);
        let timestamp_micros = scratch.clock.micros(timestamp).ok_or(Field::Timestamp)?;
        let user_agent = text(line, Field::UserAgent)?.read(&mut scratch.user_agent);
        let request_method = text(line, Field::RequestMethod)?.read(&mut scratch.request_method);
        require(field_format::is_method(request_method), Field::RequestMethod)?;
        let request_path = text(line, Field::RequestPath)?.read(&mut scratch.request_path);
        require(request_path.starts_with('/'), Field::RequestPath)?;
        let is_plain_path = is_plain(request_path);
        // The parameters of a path that is too long are not looked at: the length is reported.
        let parameters = if is_plain_path || request_path.len() > MAX_REQUEST_PATH_BYTES {
            Parameters::Fine
        } else {
            denylist.check(request_path)
        };
        require(parameters != Parameters::TooMany, Field::RequestPath)?;
        let status_code = number(line, Field::StatusCode, field_format::status)?;
        let response_bytes = number(line, Field::ResponseBytes, field_format::response_bytes)?;
        let referrer = text(line, Field::Referrer)?.read(&mut scratch.referrer);
        require(referrer.len() <= MAX_REFERRER_BYTES, Field::Referrer)?;
        let host = text(line, Field::Host)?.read(&mut scratch.host);
        let host = scratch.hosts.read(host).ok_or(Field::Host)?;
        let client_ip_hash = text(line, Field::ClientIpHash)?.read(&mut scratch.client_ip_hash);
        require(field_format::is_hash(client_ip_hash), Field::ClientIpHash)?;
        Ok(Self {
            timestamp_micros,
            user_agent,
            request_method,
            request_path,
            is_plain_path,
            parameters,
            status_code,
            response_bytes,
            referrer,
            host,
            client_ip_hash,
        })
    }
}

/// Whether a path has no parameters and nothing to redact, as most have: letters, digits, `-`, `/`.
fn is_plain(path: &str) -> bool {
    all(path.as_bytes(), |byte| {
        between(byte | 0x20, b'a', b'z') | between(byte, b'/', b'9') | between(byte, b'-', b'-')
    })
}

fn require(holds: bool, field: Field) -> Result<(), Field> {
    if holds { Ok(()) } else { Err(field) }
}

fn text<'a>(line: &Line<'a>, field: Field) -> Result<EscapedText<'a>, Field> {
    line.text(field).ok_or(field)
}

fn number<N>(line: &Line<'_>, field: Field, read: impl Fn(&str) -> Option<N>) -> Result<N, Field> {
    line.number(field).and_then(read).ok_or(field)
}
