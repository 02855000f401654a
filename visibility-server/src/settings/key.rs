//! The keys of the settings and the values that each accepts.

use std::fmt;
use std::ops::RangeInclusive;

use axum::http::Uri;
use serde_json::Value;
use visibility_core::fetch::domain::Domain;
use visibility_core::fetch::http::ConnectTo;

use crate::settings::log_filter;
use crate::settings::origins::{AllowedHost, WebOrigin};
use crate::settings::redirect_scheme;
use crate::settings::{bucket_of, folder_of};

/// A key of the settings, such as `limits.burst`.
#[derive(Clone, Debug)]
pub struct SettingKey {
    /// Its name, sections before dots.
    pub name: &'static str,
    /// What it takes.
    pub kind: ValueKind,
}

/// What a key takes.
#[derive(Clone, Debug)]
pub enum ValueKind {
    /// An address with a port.
    Address,
    /// An address with a port, or nothing.
    OptionalAddress,
    /// The beginning of an HTTP address, or nothing.
    OptionalUrl,
    /// A name without spaces and quotes.
    Name,
    /// A folder.
    Folder,
    /// A file, or nothing.
    OptionalFile,
    /// The address of a database, or nothing.
    OptionalDatabase,
    /// The address of a folder, or nothing.
    OptionalObjects,
    OptionalRegion,
    /// Where people read a folder or a bucket, or nothing.
    OptionalLocation,
    /// The slug of a tenant, or nothing.
    OptionalTenant,
    /// Whom to write to, or nothing.
    OptionalContact,
    /// Rules about where to connect instead.
    ConnectTo,
    /// Addresses with ports.
    Addresses,
    /// Domains.
    Domains,
    /// Networks.
    Networks,
    /// Origins of pages.
    Origins,
    /// Hosts, with or without a port.
    Hosts,
    /// Schemes of redirect URIs.
    Schemes,
    /// Yes or no.
    Switch,
    /// Form of the log.
    LogFormat,
    /// Filter of the log.
    LogLevel,
    /// A whole number.
    Number(RangeInclusive<u64>),
    /// A whole number, or 0, which switches something off.
    NumberOrOff(RangeInclusive<u64>),
}

const fn key(name: &'static str, form: ValueKind) -> SettingKey {
    SettingKey { name, kind: form }
}

const fn number(name: &'static str, range: RangeInclusive<u64>) -> SettingKey {
    key(name, ValueKind::Number(range))
}

const DAY: u64 = 86_400;
/// A hundred years: no sum of times overflows.
const CENTURY: u64 = 36_525;

/// All keys, in the order of their documentation.
pub static KEYS: [SettingKey; 88] = [
    key("listen", ValueKind::Address),
    key("ingest_listen", ValueKind::OptionalAddress),
    key("metrics_listen", ValueKind::OptionalAddress),
    key("base_url", ValueKind::OptionalUrl),
    key("ingest_url", ValueKind::OptionalUrl),
    key("data_dir", ValueKind::Folder),
    key("database.url", ValueKind::OptionalDatabase),
    key("database.password_file", ValueKind::OptionalFile),
    number("database.connections", 2..=1000),
    key("objects.url", ValueKind::OptionalObjects),
    key("objects.endpoint", ValueKind::OptionalUrl),
    key("objects.region", ValueKind::OptionalRegion),
    key("objects.credentials_file", ValueKind::OptionalFile),
    key("objects.ca_cert", ValueKind::OptionalFile),
    key("node.alone", ValueKind::Switch),
    key("trusted_proxies", ValueKind::Networks),
    key("contact", ValueKind::OptionalContact),
    key("log.format", ValueKind::LogFormat),
    key("log.level", ValueKind::LogLevel),
    key("fetch.connect_to", ValueKind::ConnectTo),
    key("fetch.ca_cert", ValueKind::OptionalFile),
    key("fetch.nameservers", ValueKind::Addresses),
    key("fetch.deny", ValueKind::Domains),
    key("fetch.about_url", ValueKind::OptionalUrl),
    key("oauth.issuer", ValueKind::OptionalUrl),
    key("oauth.jwks_url", ValueKind::OptionalUrl),
    key("oauth.tenant", ValueKind::OptionalTenant),
    key("oauth.client_documents", ValueKind::Switch),
    key("oauth.redirect_schemes", ValueKind::Schemes),
    number("cache.memory", 1..=1_000_000),
    number("cache.domains", 1..=10_000_000),
    number("audits.memory", 1..=1_000_000),
    number("audits.keep_days", 1..=CENTURY),
    number("audits.keep_results", 1..=10_000_000),
    key("mcp.allowed_origins", ValueKind::Origins),
    key("mcp.allowed_hosts", ValueKind::Hosts),
    key("web.enabled", ValueKind::Switch),
    key("web.public_scans", ValueKind::Switch),
    key("web.public_results", ValueKind::Switch),
    key("web.delta_location", ValueKind::OptionalLocation),
    number("limits.batches_per_hour", 0..=1_000_000),
    number("limits.burst", 0..=1_000_000),
    number("limits.future_skew", 0..=DAY),
    number("limits.permits", 0..=1024),
    number("limits.queue", 0..=1_000_000),
    number("limits.tenant_queue", 0..=1_000_000),
    number("limits.scans_per_minute", 0..=1_000_000),
    number("limits.scans_per_day", 0..=1_000_000),
    number("limits.visitor_scans_per_minute", 0..=1_000_000),
    number("limits.visitor_scans_per_day", 0..=1_000_000),
    number("limits.visitor_scans_total_per_day", 0..=1_000_000),
    number("limits.visitor_scans_per_site", 0..=1_000_000),
    number("limits.scans", 1..=1024),
    number("limits.scan_queue", 0..=1_000_000),
    number("limits.audits_per_minute", 0..=1_000_000),
    number("limits.audits_per_day", 0..=1_000_000),
    number("limits.audits_per_host", 0..=1_000_000),
    number("limits.audits_at_once", 0..=1_000_000),
    number("limits.audits", 1..=1024),
    number("limits.audit_queue", 0..=1_000_000),
    number("limits.mcp_per_minute", 0..=1_000_000),
    number("limits.registrations_per_hour", 0..=1_000_000),
    number("limits.client_documents_per_hour", 0..=1_000_000),
    number("limits.connections", 1..=1_000_000),
    number("limits.connections_per_address", 1..=1_000_000),
    number("timeouts.head", 1..=DAY),
    number("timeouts.keep_alive", 1..=DAY),
    number("timeouts.body_idle", 1..=DAY),
    number("timeouts.body", 1..=DAY),
    number("timeouts.api_body", 1..=DAY),
    number("timeouts.scan", 1..=25),
    number("timeouts.scan_queue", 1..=DAY),
    number("timeouts.audit", 1..=30),
    number("timeouts.audit_queue", 1..=DAY),
    number("timeouts.same_batch", 1..=DAY),
    number("timeouts.shutdown", 0..=DAY),
    number("retention.raw_days", 1..=CENTURY),
    number("retention.rollup_months", 1..=1200),
    number("maintenance.interval", 1..=DAY),
    number("maintenance.compact_after", 0..=DAY),
    number("maintenance.grace", 0..=DAY),
    number("maintenance.scrub_mib_per_second", 1..=1024),
    key("delta.interval", ValueKind::NumberOrOff(60..=DAY)),
    key("clickhouse.url", ValueKind::OptionalUrl),
    key("clickhouse.database", ValueKind::Name),
    key("clickhouse.user", ValueKind::Name),
    key("clickhouse.password_file", ValueKind::OptionalFile),
    key("clickhouse.ca_cert", ValueKind::OptionalFile),
];

impl SettingKey {
    /// The key with a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// The environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("VISIBILITY_{}", self.name.replace('.', "__").to_uppercase())
    }
}

impl ValueKind {
    /// A text of the environment or the command line as a value; one that does not fit stays a text,
    /// which [`accepts`](Self::accepts) refuses.
    pub(super) fn value_of(&self, text: &str) -> Value {
        match self {
            Self::Number(_) | Self::NumberOrOff(_) => {
                text.trim().parse().map_or_else(|_| text.into(), u64::into)
            }
            Self::Switch => text.trim().parse().map_or_else(|_| text.into(), Value::Bool),
            Self::Networks
            | Self::ConnectTo
            | Self::Addresses
            | Self::Domains
            | Self::Schemes
            | Self::Origins
            | Self::Hosts => {
                text.split(',').map(str::trim).filter(|network| !network.is_empty()).collect()
            }
            _ => text.into(),
        }
    }

    /// Whether the setting can be unset, which an empty text means.
    pub(super) fn is_optional(&self) -> bool {
        matches!(
            self,
            Self::OptionalAddress
                | Self::OptionalUrl
                | Self::OptionalFile
                | Self::OptionalDatabase
                | Self::OptionalObjects
                | Self::OptionalRegion
                | Self::OptionalLocation
                | Self::OptionalTenant
                | Self::OptionalContact
        )
    }

    /// Whether a value is one that the type of the setting alone would not refuse.
    pub(super) fn accepts(&self, value: &Value) -> bool {
        match self {
            Self::Number(range) => value.as_u64().is_some_and(|number| range.contains(&number)),
            Self::NumberOrOff(range) => {
                value.as_u64().is_some_and(|number| number == 0 || range.contains(&number))
            }
            Self::LogLevel => value.as_str().is_some_and(|text| log_filter::filter(text).is_some()),
            Self::OptionalUrl => value.is_null() || value.as_str().is_some_and(is_base),
            Self::Name => value.as_str().is_some_and(is_name),
            Self::Folder => value.as_str().is_some_and(|text| !text.is_empty()),
            Self::OptionalContact => value.is_null() || value.as_str().is_some_and(is_contact),
            Self::ConnectTo => all(value, |text| text.parse::<ConnectTo>().is_ok()),
            Self::Domains => all(value, |text| text.parse::<Domain>().is_ok()),
            Self::Origins => all(value, |text| text.parse::<WebOrigin>().is_ok()),
            Self::Hosts => all(value, |text| text.parse::<AllowedHost>().is_ok()),
            Self::Schemes => all(value, redirect_scheme::is_allowed_scheme),
            Self::OptionalObjects => {
                let is_place = |url| folder_of(url).is_some() || bucket_of(url).is_some();
                value.is_null() || value.as_str().is_some_and(is_place)
            }
            Self::OptionalRegion => value.is_null() || value.as_str().is_some_and(is_region),
            Self::OptionalLocation => value.is_null() || value.as_str().is_some_and(is_location),
            // Its errors say more, and never show a password.
            Self::OptionalDatabase
            | Self::OptionalFile
            | Self::Switch
            | Self::OptionalTenant
            | Self::Addresses
            | Self::Address
            | Self::OptionalAddress
            | Self::Networks
            | Self::LogFormat => true,
        }
    }
}

/// Whether a value is a list of texts of which each fits.
fn all(value: &Value, fits: impl Fn(&str) -> bool) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(|item| item.as_str().is_some_and(&fits)))
}

/// Whether `security.txt` can name it: RFC 9116 section 2.5.3 wants a URI.
/// It becomes a part of statements that people copy.
fn is_location(text: &str) -> bool {
    let is_plain = |ch: char| ch.is_ascii_graphic() && !"'\"\\<>".contains(ch);
    !text.is_empty() && text.chars().all(is_plain)
}

fn is_contact(text: &str) -> bool {
    ["mailto:", "https://", "tel:"]
        .into_iter()
        .any(|scheme| text.strip_prefix(scheme).is_some_and(|rest: &str| !rest.is_empty()))
        && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.@".contains(&byte))
}

/// Whether paths can be put behind a text.
fn is_region(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_base(text: &str) -> bool {
    let Ok(uri) = text.parse::<Uri>() else { return false };
    matches!(uri.scheme_str(), Some("http" | "https"))
        && uri.host().is_some_and(|host| !host.is_empty())
        && uri.authority().is_some_and(|authority| !authority.as_str().contains('@'))
        && uri.query().is_none()
}

impl fmt::Display for ValueKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Address => "an address with a port, such as `127.0.0.1:8080`",
            Self::OptionalAddress => "an address with a port, such as `127.0.0.1:9090`, or nothing",
            Self::OptionalUrl => "an address such as `https://visibility.example.com`, or nothing",
            Self::Name => "a name of letters, digits and `_-.@`, such as `default`",
            Self::Folder => "a folder",
            Self::OptionalTenant => "the name of a tenant, such as `acme`, or nothing",
            Self::OptionalFile => "a file, or nothing",
            Self::OptionalDatabase => {
                "an address such as `postgresql://USER@HOST/DATABASE`, or nothing"
            }
            Self::OptionalObjects => {
                "a folder such as `file:///mnt/objects`, a bucket such as `s3://bucket/prefix`, or nothing"
            }
            Self::OptionalLocation => "a path or an address without spaces and quotes, or nothing",
            Self::OptionalRegion => "a region such as `eu-central-1`, or nothing",
            Self::OptionalContact => "an address such as `mailto:security@example.com`, or nothing",
            Self::ConnectTo => "rules such as `example.com:443:127.0.0.1:8443`",
            Self::Addresses => "addresses with ports, such as `127.0.0.1:53`",
            Self::Domains => "domains such as `example.com`",
            Self::Networks => "networks such as `10.0.0.0/8`",
            Self::Origins => "origins such as `https://app.example.com`",
            Self::Hosts => "hosts such as `mcp.example.com` or `10.0.0.5:8080`",
            Self::Schemes => {
                "schemes such as `cursor`, in lower case; schemes of browsers and \
                    files are not allowed"
            }
            Self::Switch => "`true` or `false`",
            Self::LogFormat => "`text` or `json`",
            Self::LogLevel => {
                "`off`, `error`, `warn`, `info`, `debug` or `trace`, optionally by \
                    module as in `warn,visibility_server=debug`"
            }
            Self::Number(range) => {
                return write!(
                    formatter,
                    "a whole number from {} to {}",
                    range.start(),
                    range.end()
                );
            }
            Self::NumberOrOff(range) => {
                let (start, end) = (range.start(), range.end());
                return write!(formatter, "0 for off, or a whole number from {start} to {end}");
            }
        };
        formatter.write_str(text)
    }
}
