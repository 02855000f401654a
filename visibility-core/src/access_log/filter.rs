//! From the lines of a log to the records of AI agents.

use chrono::{DateTime, TimeDelta, Utc};
use ipnet::IpNet;

use super::client::{Client, client};
use super::counts::{LineCounts, LineSkipReason};
use super::entry::{LogEntry, NoEntry};
use super::explained::{AcceptedRecord, ExplainedRecord};
use super::format::{LineParser, is_blank, is_comment};
use super::identity::identity;
use super::ip_hash::{HashKey, HashPeriod, IpHasher};
use super::lines::{LineSplitter, SplitLine};
use super::wrapper::{Unwrapped, Unwrapper};
use crate::agents::lookup::{AgentLookup, ListedAgent};
use crate::agents::ranges::{Identity, IdentityCheck};
use crate::agents::{Agent, Registry};
use crate::ingest::denylist::Denylist;
use crate::ingest::record::{push_number, push_text, push_timestamp};
use crate::ingest::{BatchError, BatchReader, LogRecord, Reason, RecordSink, Rejection, Rules};
use crate::store::StoreError;

/// For how long the time that lines are judged by is used.
const CLOCK_SPAN: TimeDelta = TimeDelta::seconds(60);

/// Takes what a log has.
///
/// Every [`RecordSink`] is one, and is given the records alone.
pub trait LogSink {
    /// Takes a request by anyone, before it is made a record, and the listed agent that it names.
    fn request(&mut self, _entry: &LogEntry<'_>, _agent: Option<&'static Agent>) {}

    /// Takes the record of an agent's request.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    fn record(&mut self, record: &LogRecord<'_>, identity: Identity) -> Result<(), StoreError>;

    /// Whether it is given the records of lines that are too old, which count as too old nevertheless.
    fn takes_earlier_records(&self) -> bool {
        false
    }

    /// Takes such a record.
    fn earlier_record(&mut self, _record: &LogRecord<'_>, _identity: Identity) {}
}

impl<S: RecordSink> LogSink for S {
    fn record(&mut self, record: &LogRecord<'_>, _: Identity) -> Result<(), StoreError> {
        self.accept(record)
    }
}

/// What a filter does, beside choosing.
#[derive(Clone, Debug)]
pub struct FilterSettings {
    /// What addresses are hashed with.
    pub key: HashKey,
    /// For how long an address has the same hash.
    pub period: HashPeriod,
    /// Whether the addresses of an IPv6 network of 64 bits have the same hash.
    pub joins_ipv6_networks: bool,
    /// The site, for lines that do not say it.
    pub default_host: Option<String>,
    /// Proxies whose forwarded lists are believed.
    pub proxies: Vec<IpNet>,
    /// What the addresses of agents are compared with.
    pub identities: Option<IdentityCheck>,
    /// Whether requests of impostors are left out.
    pub drops_impostors: bool,
    /// Lines before this are too old.
    pub not_before: DateTime<Utc>,
    /// What records are judged by. There is no limit of bytes and records.
    pub rules: Rules,
}

/// Takes the bytes of access logs, wherever they are cut, and hands the records of listed agents to a sink. Whatever it
/// hands over, the server accepts: it is judged by the same code.
#[derive(Debug)]
pub struct Filter<S> {
    parser: LineParser,
    splitter: LineSplitter,
    steps: Steps<S>,
}

impl<S: LogSink> Filter<S> {
    /// A filter for the lines of a parser.
    pub fn new(parser: LineParser, mut settings: FilterSettings, sink: S) -> Self {
        settings.rules.max_raw_bytes = u64::MAX;
        settings.rules.max_records = u64::MAX;
        let rules = &settings.rules;
        let registry = Registry::embedded();
        let hasher =
            IpHasher::new(settings.key.clone(), settings.period, settings.joins_ipv6_networks);
        let steps = Steps {
            unwrapper: Unwrapper::default(),
            agents: AgentLookup::new(registry),
            denylist: Denylist::new(rules.extended_denylist),
            hasher,
            judged_at: rules.now,
            reader: BatchReader::new(rules, registry, Judged::new(sink)),
            not_before_millis: settings.not_before.timestamp_millis(),
            line: Vec::new(),
            wanted: 0,
            explained: Vec::new(),
            counts: LineCounts::default(),
            settings,
        };
        Self { parser, splitter: LineSplitter::default(), steps }
    }

    /// Takes the next bytes of a file.
    ///
    /// # Errors
    ///
    /// When the sink fails.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), BatchError> {
        let Self { parser, splitter, steps } = self;
        splitter.feed(chunk, |line| steps.line(parser, line))
    }

    /// Ends a file.
    ///
    /// # Errors
    ///
    /// When the sink fails.
    pub fn end_file(&mut self) -> Result<(), BatchError> {
        let Self { parser, splitter, steps } = self;
        splitter.end(|line| steps.line(parser, line))?;
        if steps.unwrapper.end() {
            steps.counts.cut_off_part();
        }
        Ok(())
    }

    /// Reads what follows, which is another file, with another parser.
    pub fn set_parser(&mut self, parser: LineParser) {
        self.parser = parser;
    }

    /// Judges what follows as of another time.
    pub fn set_now(&mut self, now: DateTime<Utc>) {
        if now - self.steps.judged_at >= CLOCK_SPAN {
            self.steps.judged_at = now;
            self.steps.reader.set_now(now);
        }
    }

    /// What takes the records.
    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.steps.reader.sink_mut().sink
    }

    /// Puts so many of the next lines beside their records.
    pub fn explain(&mut self, records: usize) {
        self.steps.wanted = records;
    }

    /// Lines beside their records, as far as they were wanted.
    pub fn explained(&self) -> &[ExplainedRecord] {
        &self.steps.explained
    }

    /// What became of the lines so far.
    pub fn counts(&self) -> &LineCounts {
        &self.steps.counts
    }
}

/// What happens to a line.
#[derive(Debug)]
struct Steps<S> {
    unwrapper: Unwrapper,
    agents: AgentLookup<'static>,
    denylist: Denylist,
    hasher: IpHasher,
    judged_at: DateTime<Utc>,
    reader: BatchReader<'static, Judged<S>>,
    not_before_millis: i64,
    /// The record of a line.
    line: Vec<u8>,
    /// How many lines are still to be put beside their records.
    wanted: usize,
    explained: Vec<ExplainedRecord>,
    counts: LineCounts,
    settings: FilterSettings,
}

impl<S: LogSink> Steps<S> {
    fn line(&mut self, parser: &mut LineParser, line: SplitLine<'_>) -> Result<(), BatchError> {
        let (line, is_whole) = match line {
            SplitLine::Whole(line) => (line, true),
            SplitLine::Unended(line) => (line, false),
            SplitLine::TooLong => {
                self.counts.skip(LineSkipReason::TooLong);
                return Ok(());
            }
        };
        let outcome = match self.unwrapper.unwrap(line) {
            Unwrapped::Line(line) => self.request(parser, &line)?,
            Unwrapped::Part => Err(LineSkipReason::Part),
            Unwrapped::TooLong => Err(LineSkipReason::TooLong),
        };
        match outcome {
            Ok(removed) => self.counts.record(removed),
            Err(LineSkipReason::Unreadable) if !is_whole => {
                self.counts.skip(LineSkipReason::CutOff);
            }
            Err(reason) => self.counts.skip(reason),
        }
        Ok(())
    }

    /// Makes a record of a line, and says how many parameters were taken out for it.
    fn request(
        &mut self,
        parser: &mut LineParser,
        line: &[u8],
    ) -> Result<Result<u32, LineSkipReason>, BatchError> {
        if is_blank(line) {
            return Ok(Err(LineSkipReason::Blank));
        }
        if is_comment(line) {
            parser.read_comment(line);
            return Ok(Err(LineSkipReason::Comment));
        }
        let entry = match parser.parse(line) {
            Ok(entry) => entry,
            Err(NoEntry::NotAccess) => return Ok(Err(LineSkipReason::NotAccess)),
            Err(NoEntry::Duplicate) => return Ok(Err(LineSkipReason::Duplicate)),
            Err(NoEntry::Unreadable) => return Ok(Err(LineSkipReason::Unreadable)),
        };
        let (removed, identity) = match self.write(&entry) {
            Ok(written) => written,
            Err(reason) => return Ok(Err(reason)),
        };
        let is_earlier = self.is_earlier(&entry);
        let wanted = self.wanted;
        let judged = self.reader.sink_mut();
        judged.identity = identity;
        judged.is_earlier = is_earlier;
        judged.is_copied = wanted > 0 && !is_earlier;
        self.reader.feed(&self.line)?;
        let judged = self.reader.sink_mut();
        if is_earlier {
            judged.rejected = None;
            return Ok(Err(LineSkipReason::TooOld));
        }
        if let Some(reason) = judged.rejected.take() {
            return Ok(Err(LineSkipReason::Rejected(reason)));
        }
        self.counts.identity(identity);
        if let Some(record) = judged.copy.take() {
            self.wanted -= 1;
            let client = self.client(&entry);
            let number = self.counts.lines() + 1;
            self.explained.push(record.explain(number, &entry, &client, &mut self.denylist));
        }
        Ok(Ok(removed))
    }

    fn is_earlier(&self, entry: &LogEntry<'_>) -> bool {
        entry.time_millis < self.not_before_millis
    }

    fn client<'e>(&self, entry: &'e LogEntry<'_>) -> Client<'e> {
        client(entry.peer.as_deref(), entry.forwarded_for.as_deref(), &self.settings.proxies)
    }

    /// Finds out whose request an entry is.
    fn agent(&mut self, entry: &LogEntry<'_>) -> Result<ListedAgent<'static>, LineSkipReason> {
        if entry.method.is_none() || entry.target.is_none() {
            return Err(LineSkipReason::NoRequest);
        }
        let user_agent = entry.user_agent.as_deref().filter(|text| !text.is_empty());
        let agent = user_agent.and_then(|user_agent| self.agents.find(user_agent));
        self.reader.sink_mut().sink.request(entry, agent.map(|(_, agent)| agent));
        match (user_agent, agent) {
            (None, _) => Err(LineSkipReason::NoUserAgent),
            (_, None) => Err(LineSkipReason::NotAnAgent),
            (_, Some(agent)) => Ok(agent),
        }
    }

    fn identity(&self, agent_index: u16, entry: &LogEntry<'_>) -> Identity {
        match &self.settings.identities {
            Some(check) => identity(check, agent_index, entry, &self.settings.proxies),
            None => Identity::Unchecked,
        }
    }

    /// Writes the record of an entry, and says how many parameters were taken out for it and whose it is.
    fn write(&mut self, entry: &LogEntry<'_>) -> Result<(u32, Identity), LineSkipReason> {
        let (agent_index, _) = self.agent(entry)?;
        let status = entry.status.ok_or(LineSkipReason::NoStatus)?;
        if self.is_earlier(entry) && !self.reader.sink_mut().sink.takes_earlier_records() {
            return Err(LineSkipReason::TooOld);
        }
        let identity = self.identity(agent_index, entry);
        if identity == Identity::Impostor && self.settings.drops_impostors {
            return Err(LineSkipReason::Impostor);
        }
        let stripped = self.denylist.strip(entry.target.as_deref().unwrap_or_default());
        let stripped = stripped.ok_or(LineSkipReason::Rejected(Reason::QueryParameterDenied))?;
        let client = self.client(entry);
        let hash = self.hasher.hash(&client, entry.time_millis);
        let host = match &entry.host {
            Some(host) => without_port(host),
            None => self.settings.default_host.as_deref().unwrap_or_default(),
        };
        let line = &mut self.line;
        line.clear();
        line.extend_from_slice(b"{\"timestamp\":\"");
        push_timestamp(entry.time_millis.saturating_mul(1_000), line);
        line.extend_from_slice(b"\"");
        for (name, text) in [
            (",\"user_agent\":", entry.user_agent.as_deref().unwrap_or_default()),
            (",\"request_method\":", entry.method.as_deref().unwrap_or_default()),
            (",\"request_path\":", &stripped.target),
            (",\"referrer\":", entry.referrer.as_deref().unwrap_or_default()),
            (",\"host\":", host),
            (",\"client_ip_hash\":", &hash),
        ] {
            line.extend_from_slice(name.as_bytes());
            push_text(text, line);
        }
        line.extend_from_slice(b",\"status_code\":");
        push_number(i64::from(status), line);
        line.extend_from_slice(b",\"response_bytes\":");
        push_number(entry.response_bytes.unwrap_or_default(), line);
        line.extend_from_slice(b"}\n");
        Ok((stripped.removed, identity))
    }
}

/// A host without its port: which one the server listens on says nothing about the site.
pub(super) fn without_port(host: &str) -> &str {
    let Some((name, port)) = host.rsplit_once(':') else { return host };
    let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = !name.contains(':') || name.ends_with(']');
    if is_port && is_whole { name } else { host }
}

/// Hands on what is accepted, and remembers why something is not.
#[derive(Debug)]
struct Judged<S> {
    sink: S,
    /// Whose request the next record is.
    identity: Identity,
    rejected: Option<Reason>,
    /// Whether the line of the next record is too old.
    is_earlier: bool,
    /// Whether the next record is copied.
    is_copied: bool,
    copy: Option<AcceptedRecord>,
}

impl<S> Judged<S> {
    fn new(sink: S) -> Self {
        Self {
            sink,
            identity: Identity::Unchecked,
            is_earlier: false,
            rejected: None,
            is_copied: false,
            copy: None,
        }
    }
}

impl<S: LogSink> RecordSink for Judged<S> {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        if self.is_earlier {
            self.sink.earlier_record(record, self.identity);
            return Ok(());
        }
        self.copy = self.is_copied.then(|| AcceptedRecord::new(record));
        self.sink.record(record, self.identity)
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError> {
        self.rejected = Some(rejection.reason);
        Ok(())
    }
}
