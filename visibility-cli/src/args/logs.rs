//! The arguments of `visibility logs`.

use std::net::IpAddr;
use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, Utc};
use clap::{Args, Subcommand, ValueEnum};
use ipnet::IpNet;
use visibility_core::access_log::{AccessLogFormat, KeyMap, LogField};

use super::{ListFormat, LogQueryArgs};

const AFTER_HELP: &str = "\
A record is one JSON object on one line. Gzip is detected from the first bytes. The server uses the \
same code, so its verdicts are the same. Values of records are never shown, only line numbers, reasons \
and field names.

Exit codes:
  0    all records would be accepted
  2    usage error, unreadable file, or a batch that the server would refuse as a whole
  5    some records would be rejected
  70   internal error
  130  interrupted

Examples:
  visibility logs validate access.ndjson.gz
  zcat access.ndjson.gz | visibility logs validate -
  visibility logs validate access.ndjson --format junit -o logs.xml
  visibility logs validate last-week.ndjson --now 2026-01-31T00:00:00Z --format json";

const DETECT_AFTER_HELP: &str = "\
Looked at are the first 200 lines, and nothing of a line is shown that a record would not have.

Exit codes:
  0    the format is known
  2    usage error, unreadable file, or the format is not known or not certain

Examples:
  visibility logs detect /var/log/nginx/access.log
  kubectl logs deploy/web | visibility logs detect -";

const FILTER_AFTER_HELP: &str = "\
The format is detected: `visibility logs detect` says which. Addresses become keyed hashes, and parameters that may carry \
secrets are taken out of paths. Every line is counted: as a record, or by the reason why it is none.

Exit codes:
  0    all lines are records, or are none for a good reason
  2    usage error, or an unreadable file
  5    some lines could not be read, or the server would reject their records
  70   internal error
  130  interrupted

Examples:
  head -c 32 /dev/urandom > key && chmod 600 key
  visibility logs filter access.log --host www.example.com --hash-key-file key > records.ndjson
  visibility logs filter access.log* --host www.example.com --hash-key-file key --batches out
  visibility logs filter access.log --host www.example.com --hash-once --explain 3 -o /dev/null";

const REPORT_AFTER_HELP: &str = "\
Nothing is sent: the report is made on this machine, and has no addresses and no queries. All times are UTC. User agents are \
claims: --ranges compares their addresses with those that operators publish. Requests are compared with robots.txt as it is \
now: give --since if it was changed meanwhile.

Exit codes:
  0    all lines were read
  2    usage error, or an unreadable file
  5    some lines could not be read
  70   internal error
  130  interrupted

Examples:
  visibility logs report /var/log/nginx/access.log*
  visibility agents ranges fetch -o ranges.json
  visibility logs report access.log --host www.example.com --ranges ranges.json --since 30d
  visibility logs report access.log --robots robots.txt --sitemap sitemap.xml
  visibility logs report access.log --format markdown -o report.md
  visibility logs report access.log --since 30d --format html -o report.html
  visibility logs report --demo --format html -o report.html";

#[derive(Debug, Subcommand)]
pub(crate) enum LogsCommand {
    /// Say which format an access log has, and what is in it
    Detect(DetectArgs),
    /// Make records of AI agents from access logs, ready to be sent
    Filter(FilterArgs),
    /// Ask a server about the AI agents that came, from the logs that were sent to it
    Query(Box<LogQueryArgs>),
    /// Report which AI agents read a site, from its access logs alone
    Report(LogReportArgs),
    /// Check a batch of log records as the server would, without sending it
    Validate(ValidateArgs),
}

/// Forms of a verdict on a batch.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum BatchFormat {
    /// For people: counts, reasons, and what to do
    #[default]
    Human,
    /// The response of the server, with every rejection
    Json,
    /// JUnit XML, for CI systems
    Junit,
}

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ValidateArgs {
    /// File of log records, plain or gzip; standard input if missing or `-`
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: BatchFormat,
    /// Write to this file instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    pub(crate) no_progress: bool,
    /// Judge as of this time, such as `2026-01-31T00:00:00Z`, instead of now
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Rules")]
    pub(crate) now: Option<DateTime<Utc>>,
    /// How far the timestamp of a record may be ahead of that time
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = visibility_core::limits::FUTURE_SKEW_SECONDS,
        value_parser = clap::value_parser!(i64).range(0..=86_400),
        help_heading = "Rules"
    )]
    pub(crate) future_skew: i64,
    /// Also reject query parameters that are often, but not always, personal
    #[arg(long, help_heading = "Rules")]
    pub(crate) extended_denylist: bool,
}

/// How lines are read.
#[derive(Args, Debug)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadingArgs {
    /// Format of the log, instead of detecting it: `caddy`, `cloudflare`, `fastly`, `traefik_json`, `nginx_json`,
    /// `cloudfront`, `iis`, `alb`, `vhost_combined`, `combined` or `common`
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) source: Option<AccessLogFormat>,
    /// Key of a field in lines of JSON, such as `user_agent=http_user_agent`; may be repeated
    #[arg(long, value_name = "FIELD=KEY", value_parser = mapped)]
    pub(crate) map: Vec<(LogField, String)>,
}

impl ReadingArgs {
    /// The keys of lines of JSON.
    pub(crate) fn keys(&self) -> KeyMap {
        KeyMap::new(self.map.iter().map(|(field, key)| (*field, key.as_str())))
    }
}

#[derive(Args, Debug)]
#[command(after_help = DETECT_AFTER_HELP)]
pub(crate) struct DetectArgs {
    /// Access log, plain or gzip; standard input if missing or `-`
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: ListFormat,
}

/// Forms of a report of logs.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum LogReportFormat {
    /// For people
    #[default]
    Human,
    /// JSON
    Json,
    /// For trackers, mails and chats
    Markdown,
    /// One HTML file without scripts that also prints well
    Html,
}

/// For how long an address has the same hash.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum HashPeriodArg {
    /// As long as records are kept
    #[default]
    #[value(name = "90d")]
    NinetyDays,
    /// A day
    Day,
}

#[derive(Args, Debug)]
#[command(after_help = FILTER_AFTER_HELP)]
pub(crate) struct FilterArgs {
    /// Access logs, plain or gzip, in any order; standard input if missing or `-`
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// The site, for logs that do not say which one was requested
    #[arg(long, value_name = "HOST", help_heading = "Reading")]
    pub(crate) host: Option<String>,
    /// Address or network of a proxy of yours, whose `X-Forwarded-For` is believed; may be repeated
    #[arg(long, value_name = "NET", value_parser = network, help_heading = "Reading")]
    pub(crate) trusted_proxy: Vec<IpNet>,
    /// File of `visibility agents ranges fetch`, to find requests in the name of an agent that are not its operator's
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub(crate) ranges: Option<PathBuf>,
    /// Leave out requests that are not the operator's
    #[arg(long, requires = "ranges", help_heading = "Reading")]
    pub(crate) drop_impostors: bool,
    /// Leave out lines before this: `30d`, `12h`, or a time such as `2026-01-31T00:00:00Z` [default: 90 days less an hour]
    #[arg(long, value_name = "SINCE", value_parser = since, help_heading = "Reading")]
    pub(crate) since: Option<Since>,
    /// File with the key that addresses are hashed with, at least 16 bytes
    #[arg(long, value_name = "FILE", help_heading = "Privacy")]
    pub(crate) hash_key_file: Option<PathBuf>,
    /// Hash addresses with a random key that is forgotten: a second run gives other hashes
    #[arg(long, conflicts_with = "hash_key_file", help_heading = "Privacy")]
    pub(crate) hash_once: bool,
    /// For how long an address has the same hash
    #[arg(long, value_enum, default_value_t, value_name = "PERIOD", help_heading = "Privacy")]
    pub(crate) hash_period: HashPeriodArg,
    /// Hash only the first 64 bits of IPv6 addresses
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u8).range(64..=64), help_heading = "Privacy")]
    pub(crate) ipv6_prefix: Option<u8>,
    /// Also take out query parameters that are often, but not always, personal
    #[arg(long, help_heading = "Privacy")]
    pub(crate) extended_denylist: bool,
    /// Judge as of this time, such as `2026-01-31T00:00:00Z`, instead of now
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Rules")]
    pub(crate) now: Option<DateTime<Utc>>,
    /// Write to this file instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Write files into this folder that can be sent as they are: `000001.ndjson.gz` ...
    #[arg(long, value_name = "DIR", conflicts_with = "output", help_heading = "Output")]
    pub(crate) batches: Option<PathBuf>,
    /// Write the counts of lines to this file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) counts: Option<PathBuf>,
    /// Show so many lines beside their records on standard error, without addresses and secrets
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1000), help_heading = "Output")]
    pub(crate) explain: u16,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    pub(crate) no_progress: bool,
}

#[derive(Args, Debug)]
#[command(after_help = REPORT_AFTER_HELP)]
pub(crate) struct LogReportArgs {
    /// Access logs, plain or gzip, in any order; standard input if missing or `-`
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Report on the log of a made-up site, which is inside the program
    #[arg(long, conflicts_with_all = ["files", "host", "ranges", "robots", "sitemap", "now", "source", "map", "trusted_proxy"])]
    pub(crate) demo: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// The site: its name, for a log of one; which one to report, for a log of several. May be repeated
    #[arg(long, value_name = "HOST", help_heading = "Reading")]
    pub(crate) host: Vec<String>,
    /// Address or network of a proxy of yours, whose `X-Forwarded-For` is believed; may be repeated
    #[arg(long, value_name = "NET", value_parser = network, help_heading = "Reading")]
    pub(crate) trusted_proxy: Vec<IpNet>,
    /// File of `visibility agents ranges fetch`, to find requests in the name of an agent that are not its operator's
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub(crate) ranges: Option<PathBuf>,
    /// robots.txt of the site, to find requests that it disallows
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub(crate) robots: Option<PathBuf>,
    /// Sitemap of the site, plain or gzip, to find pages that no agent has read; `-` is standard input. May be repeated; sitemaps of an index are looked for beside it
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub(crate) sitemap: Vec<PathBuf>,
    /// Leave out lines before this: `30d`, `12h`, or a time such as `2026-01-31T00:00:00Z`
    #[arg(long, value_name = "SINCE", value_parser = since, help_heading = "Reading")]
    pub(crate) since: Option<Since>,
    /// Count days and the age of lists from this time, such as `2026-01-31T00:00:00Z`, instead of now
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Reading")]
    pub(crate) now: Option<DateTime<Utc>>,
    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: LogReportFormat,
    /// Rows of each list [default: 10, or 1,000 in JSON]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..=200_000), help_heading = "Output")]
    pub(crate) top: Option<u32>,
    /// Write to this file instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    pub(crate) no_progress: bool,
}

/// Since when lines are wanted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Since {
    /// So long before now.
    Ago(TimeDelta),
    /// A time.
    At(DateTime<Utc>),
}

impl Since {
    /// The time, counted from another one.
    pub(crate) fn before(self, now: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::At(time) => time,
            Self::Ago(span) => now.checked_sub_signed(span).unwrap_or(DateTime::UNIX_EPOCH),
        }
    }
}

fn format(text: &str) -> Result<AccessLogFormat, String> {
    AccessLogFormat::from_id(text).ok_or_else(|| {
        let known: Vec<_> = AccessLogFormat::ALL.map(AccessLogFormat::id).to_vec();
        format!("the formats are {}", known.join(", "))
    })
}

fn mapped(text: &str) -> Result<(LogField, String), String> {
    let known = || LogField::names().collect::<Vec<_>>().join(", ");
    let (field, key) = text
        .split_once('=')
        .filter(|(_, key)| !key.is_empty())
        .ok_or_else(|| "write FIELD=KEY, such as user_agent=http_user_agent".to_owned())?;
    let field = LogField::from_name(field).ok_or_else(|| format!("the fields are {}", known()))?;
    Ok((field, key.to_owned()))
}

fn network(text: &str) -> Result<IpNet, String> {
    let single = text.parse::<IpAddr>().map(IpNet::from);
    text.parse()
        .or(single)
        .map_err(|error| format!("{error}; write an address or a network, such as 10.0.0.0/8"))
}

fn since(text: &str) -> Result<Since, String> {
    let number = |digits: &str| digits.parse::<u32>().ok().map(i64::from);
    let days = text.strip_suffix('d').and_then(number).and_then(TimeDelta::try_days);
    let hours = || text.strip_suffix('h').and_then(number).and_then(TimeDelta::try_hours);
    match days.or_else(hours) {
        Some(span) => Ok(Since::Ago(span)),
        None => time(text)
            .map(Since::At)
            .map_err(|error| format!("{error}, and a span like 30d or 12h")),
    }
}

/// A time of RFC 3339, in any zone.
pub(super) fn time(text: &str) -> Result<DateTime<Utc>, String> {
    DateTime::parse_from_rfc3339(text)
        .map(|time| time.to_utc())
        .map_err(|error| format!("{error}; a time looks like 2026-01-31T00:00:00Z"))
}
