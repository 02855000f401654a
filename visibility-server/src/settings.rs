//! Settings of the service, with defaults that work without any setup.

#[cfg(feature = "postgres")]
pub mod database_address;
// For `tests/integration/server/documents.rs`, which compares the settings with their documentation.
#[doc(hidden)]
pub mod key;
pub(crate) mod load;
pub(crate) mod log_filter;
pub(crate) mod origins;
pub(crate) mod redirect_scheme;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, Utc};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use url::Url;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::limits;

/// All settings. Times are in seconds, sizes in bytes.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Address of the public listener.
    pub listen: SocketAddr,
    /// Address of a listener for ingestion alone; without it, `listen` serves both.
    pub ingest_listen: Option<SocketAddr>,
    /// Address of the listener for metrics; none without it.
    pub metrics_listen: Option<SocketAddr>,
    /// Where the public listener is reached from outside, such as `https://visibility.example.com`.
    pub base_url: Option<String>,
    /// Where ingestion is reached from outside; `base_url` without it.
    pub ingest_url: Option<String>,
    /// Folder of the database, the objects and the spool.
    pub data_dir: PathBuf,
    /// Where the database is.
    pub database: DatabaseSettings,
    /// Where the objects are.
    pub objects: ObjectSettings,
    /// What this server is to others with the same database.
    pub node: NodeSettings,
    /// Networks of reverse proxies, whose connections are not those of one client.
    pub trusted_proxies: Vec<IpNet>,
    /// The contact in `security.txt`: `mailto:` or `https:`. Without it the file is not served.
    pub contact: Option<String>,
    /// What is written to standard error.
    pub log: LogSettings,
    /// How sites are fetched.
    pub fetch: FetchSettings,
    /// Who lets programs in on behalf of people.
    pub oauth: OAuthSettings,
    /// What is remembered of scans.
    pub cache: CacheSettings,
    /// What is remembered of audits.
    pub audits: AuditSettings,
    /// Who may reach the MCP server.
    pub mcp: McpSettings,
    /// The pages on which people sign in and change their settings.
    pub web: WebSettings,
    /// Bounds.
    pub limits: Limits,
    /// Timeouts.
    pub timeouts: Timeouts,
    /// What is kept for how long.
    pub retention: Retention,
    /// The work between requests.
    pub maintenance: MaintenanceSettings,
    /// The Delta logs beside the objects.
    pub delta: DeltaSettings,
    /// Where ClickHouse gets a copy of the records.
    pub clickhouse: ClickHouseSettings,
    /// That this is a demonstration: `serve --demo` alone says so, and no file.
    #[serde(skip)]
    pub demo: Option<DemoSettings>,
}

/// A demonstration: sites are recordings, and a link signs in.
#[derive(Clone, Debug, PartialEq)]
pub struct DemoSettings {
    /// The SHA-256 of the secret in the link.
    pub secret_digest: [u8; 32],
    /// When the link stops to work.
    pub ends_at: DateTime<Utc>,
}

/// Where the database is.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct DatabaseSettings {
    /// A PostgreSQL database, such as `postgresql://visibility@db.example.com/visibility`; a file in the data
    /// directory without it.
    pub url: Option<String>,
    /// File with the password, which others must not be able to read.
    pub password_file: Option<PathBuf>,
    /// Connections to the database at most.
    pub connections: usize,
}

impl Default for DatabaseSettings {
    fn default() -> Self {
        Self { url: None, password_file: None, connections: 16 }
    }
}

/// Where the objects are.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ObjectSettings {
    /// A folder such as `file:///mnt/objects`, or a bucket such as `s3://bucket/prefix`; `objects` in the data directory
    /// without it.
    pub url: Option<String>,
    /// Where the bucket is, such as `https://s3.example.com`; Amazon S3 without it.
    pub endpoint: Option<String>,
    /// The region of the bucket.
    pub region: Option<String>,
    /// A file with credentials, in the form that the programs of Amazon use.
    pub credentials_file: Option<PathBuf>,
    /// Certificates to trust for the endpoint beside the public ones, as PEM.
    pub ca_cert: Option<PathBuf>,
}

impl ObjectSettings {
    /// The folder, if there is one of its own.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        folder_of(self.url.as_ref()?)
    }

    /// The bucket and the prefix, if there is one.
    pub(crate) fn bucket(&self) -> Option<(String, String)> {
        bucket_of(self.url.as_ref()?)
    }
}

/// The bucket and the prefix of an address such as `s3://bucket/prefix`. The prefix may be empty.
pub(crate) fn bucket_of(url: &str) -> Option<(String, String)> {
    let (bucket, prefix) =
        url.strip_prefix("s3://").map(|rest| rest.split_once('/').unwrap_or((rest, "")))?;
    let is_of_bucket = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
    let is_plain = |part: &str| {
        !["", ".", ".."].contains(&part)
            && part.bytes().all(|byte| is_of_bucket(byte) || byte == b'=')
    };
    let is_valid = !bucket.is_empty()
        && bucket.bytes().all(is_of_bucket)
        && (prefix.is_empty() || prefix.split('/').all(is_plain));
    is_valid.then(|| (bucket.to_owned(), prefix.to_owned()))
}

/// The folder of an address such as `file:///mnt/objects`.
pub(crate) fn folder_of(url: &str) -> Option<PathBuf> {
    let url = Url::parse(url).ok().filter(|url| url.scheme() == "file")?;
    let is_plain = url.query().is_none() && url.fragment().is_none();
    url.to_file_path().ok().filter(|path| is_plain && path.parent().is_some())
}

/// What this server is to others with the same database.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct NodeSettings {
    /// Whether it is the only one.
    pub alone: bool,
}

/// Form and detail of the log.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogSettings {
    /// `text` or `json`.
    pub format: LogFormat,
    /// `error`, `warn`, `info`, `debug` or `trace`, also by module as `tracing` filters do.
    pub level: String,
}

/// Form of the log.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// How sites are fetched.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct FetchSettings {
    /// Where to connect instead, as `HOST:PORT:HOST:PORT`: for sites of one's own machine.
    pub connect_to: Vec<String>,
    /// File with certificates to trust beside Mozilla's, as PEM.
    pub ca_cert: Option<PathBuf>,
    /// Name servers to ask; those of the operating system if there are none.
    pub nameservers: Vec<SocketAddr>,
    /// Domains that are not scanned, nor those below them.
    pub deny: Vec<String>,
    /// The address in our user agent; `/bot` of `base_url` without it.
    pub about_url: Option<String>,
}

/// Who lets programs in on behalf of people.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct OAuthSettings {
    /// The issuer of another authorization server, whose tokens are then taken instead of our own.
    pub issuer: Option<String>,
    /// Where that server publishes its keys; what its metadata say without it.
    pub jwks_url: Option<String>,
    /// The tenant that the holders of its tokens belong to.
    pub tenant: Option<TenantSlug>,
    /// Whether a client may be known by the address of a document about it, which is fetched then.
    pub client_documents: bool,
    /// Schemes of redirect URIs beside `https`, and `http` of the machine of the browser.
    pub redirect_schemes: Vec<String>,
}

/// What is remembered of scans.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct CacheSettings {
    /// MiB of results that are kept in memory.
    pub memory: u64,
    /// Results that are kept in the database.
    pub domains: u64,
}

/// What is remembered of audits.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditSettings {
    /// MiB of results that are kept in memory.
    pub memory: u64,
    /// Days for which a result is found by its id.
    pub keep_days: u32,
    /// Results that are kept in the database.
    pub keep_results: u64,
}

/// Who may reach the MCP server beside clients that name the host of `base_url` or `listen`, or of this
/// machine.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpSettings {
    /// Origins of pages that may use it, such as `https://app.example.com`.
    pub allowed_origins: Vec<String>,
    /// Hosts by which it is reached, with a port or for any.
    pub allowed_hosts: Vec<String>,
}

/// The pages on which people sign in and change their settings.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebSettings {
    /// Whether there are any. People still sign in to let programs in.
    pub enabled: bool,
    /// Whether visitors who are not signed in may start scans.
    pub public_scans: bool,
    /// Whether visitors who are not signed in may see results that are kept.
    pub public_results: bool,
    /// Where people reach the folder or bucket of the objects for its Delta logs, such as `s3://bucket/prefix`.
    pub delta_location: Option<String>,
}

impl Default for WebSettings {
    fn default() -> Self {
        Self { enabled: true, public_scans: false, public_results: false, delta_location: None }
    }
}

/// Bounds. Those that say so are lifted by 0.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Batches of one tenant in an hour; 0 lifts it.
    pub batches_per_hour: u32,
    /// Requests of one tenant in any 10 seconds; 0 lifts it.
    pub burst: u32,
    /// How far a record may be ahead of the clock, in seconds.
    pub future_skew: u32,
    /// Batches, and questions about counts, of one tenant that are worked on at the same time; 0 takes the number of cores.
    /// There is one more of each for the other tenants.
    pub permits: usize,
    /// Spooled batches, and questions, that wait for their turn; more are refused with 503.
    pub queue: usize,
    /// The same of one tenant; more are refused with 429.
    pub tenant_queue: usize,
    /// Scans of one API key in a minute; 0 lifts it.
    pub scans_per_minute: u32,
    /// Scans of one API key in a day; 0 lifts it.
    pub scans_per_day: u32,
    /// Scans of visitors of one address (IPv6: one /64) in a minute; 0 lifts it.
    pub visitor_scans_per_minute: u32,
    /// Scans of visitors of one address in a day; 0 lifts it.
    pub visitor_scans_per_day: u32,
    /// Scans of all visitors together in a day; 0 lifts it.
    pub visitor_scans_total_per_day: u32,
    /// Scans of all visitors together of hosts of one registrable domain in an hour; 0 lifts it.
    pub visitor_scans_per_site: u32,
    /// Scans that run at the same time.
    pub scans: usize,
    /// Scans that wait for their turn; more are refused with 503.
    pub scan_queue: usize,
    /// Audits for one address (IPv6: one /64) in a minute, and all else that it asks for and no result
    /// that is kept answers; 0 lifts it.
    pub audits_per_minute: u32,
    /// Audits for one address in a day; 0 lifts it.
    pub audits_per_day: u32,
    /// Audits of pages of one registrable domain or address in an hour; 0 lifts it.
    pub audits_per_host: u32,
    /// Audits that run and wait for one address at the same time; 0 lifts it.
    pub audits_at_once: u32,
    /// Audits that run at the same time.
    pub audits: usize,
    /// Audits that wait for their turn; more are refused with 503.
    pub audit_queue: usize,
    /// Requests of one API key or user to the MCP server in a minute; 0 lifts it.
    pub mcp_per_minute: u32,
    /// Clients that register themselves from one address (IPv6: one /64) in an hour; 0 lifts it.
    pub registrations_per_hour: u32,
    /// Documents about clients that are fetched for one address (IPv6: one /64) in an hour; 0 lifts it.
    pub client_documents_per_hour: u32,
    /// Connections.
    pub connections: usize,
    /// Connections of one address (IPv6: of one /64) that is not a trusted proxy.
    pub connections_per_address: usize,
}

/// Timeouts in seconds.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// For the head of a request.
    pub head: u64,
    /// Between two requests of a connection.
    pub keep_alive: u64,
    /// Between two pieces of a body.
    pub body_idle: u64,
    /// For a whole body.
    pub body: u64,
    /// For the whole body of a request to the API.
    pub api_body: u64,
    /// For a scan, from its turn to its result.
    pub scan: u64,
    /// For the turn of a scan.
    pub scan_queue: u64,
    /// For an audit, from its turn to its result.
    pub audit: u64,
    /// For the turn of an audit.
    pub audit_queue: u64,
    /// For another sender of the same batch to finish.
    pub same_batch: u64,
    /// For requests that run when the service stops.
    pub shutdown: u64,
}

/// What is kept for how long.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Days for which records are kept, by the day of the record.
    pub raw_days: u32,
    /// Months for which rollups are kept.
    pub rollup_months: u32,
}

/// The work between requests; times in seconds.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct MaintenanceSettings {
    /// Time between two rounds.
    pub interval: u64,
    /// Age from which a fresh file is compacted.
    pub compact_after: u64,
    /// Time for which a retired file stays for readers that still have its name.
    pub grace: u64,
    /// Mebibytes of objects that are read in a second, at most, to compare them with their digests.
    pub scrub_mib_per_second: u64,
}

/// The Delta logs beside the objects, for engines that read data lakes.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeltaSettings {
    /// Least time between two versions of a log, in seconds; 0 for no logs.
    pub interval: u64,
}

/// Where ClickHouse gets a copy of the records.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClickHouseSettings {
    /// Its HTTP interface, such as `https://clickhouse.example.com:8443`; no copy without it.
    pub url: Option<String>,
    /// The database with the table `logs`.
    pub database: String,
    /// The user.
    pub user: String,
    /// A file with the password of the user.
    pub password_file: Option<PathBuf>,
    /// Certificates to trust beside the public ones, as PEM.
    pub ca_cert: Option<PathBuf>,
}

impl Default for ClickHouseSettings {
    fn default() -> Self {
        Self {
            url: None,
            database: "default".to_owned(),
            user: "default".to_owned(),
            password_file: None,
            ca_cert: None,
        }
    }
}

impl MaintenanceSettings {
    /// The time between two rounds.
    pub(crate) fn pause(&self) -> TimeDelta {
        let seconds = i64::try_from(self.interval).unwrap_or(i64::MAX);
        TimeDelta::try_seconds(seconds).unwrap_or(TimeDelta::MAX)
    }
}

impl Settings {
    /// Where the public listener is reached, without a slash at its end: `base_url`, or else `listen`.
    pub fn public_url(&self) -> String {
        self.base_url
            .clone()
            .unwrap_or_else(|| format!("http://{}", self.listen))
            .trim_end_matches('/')
            .to_owned()
    }

    /// Where ingestion is reached, without a slash at its end.
    pub fn ingestion_url(&self) -> String {
        let local = self.ingest_listen.map(|address| format!("http://{address}"));
        let url = self.ingest_url.clone().or_else(|| self.base_url.clone()).or(local);
        url.map_or_else(|| self.public_url(), |url| url.trim_end_matches('/').to_owned())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080),
            ingest_listen: None,
            metrics_listen: None,
            base_url: None,
            ingest_url: None,
            data_dir: PathBuf::from("visibility-data"),
            database: DatabaseSettings::default(),
            objects: ObjectSettings::default(),
            node: NodeSettings::default(),
            trusted_proxies: Vec::new(),
            contact: None,
            fetch: FetchSettings::default(),
            oauth: OAuthSettings::default(),
            cache: CacheSettings::default(),
            audits: AuditSettings::default(),
            mcp: McpSettings::default(),
            web: WebSettings::default(),
            log: LogSettings::default(),
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            retention: Retention::default(),
            maintenance: MaintenanceSettings::default(),
            delta: DeltaSettings::default(),
            clickhouse: ClickHouseSettings::default(),
            demo: None,
        }
    }
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { format: LogFormat::Text, level: "info".to_owned() }
    }
}

impl Default for OAuthSettings {
    fn default() -> Self {
        Self {
            issuer: None,
            jwks_url: None,
            tenant: None,
            client_documents: true,
            redirect_schemes: Vec::new(),
        }
    }
}

impl Default for CacheSettings {
    fn default() -> Self {
        Self { memory: 256, domains: 100_000 }
    }
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self { memory: 64, keep_days: 30, keep_results: 100_000 }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            batches_per_hour: limits::BATCHES_PER_HOUR,
            burst: limits::BURST,
            future_skew: limits::FUTURE_SKEW_SECONDS.unsigned_abs().try_into().unwrap_or(u32::MAX),
            permits: 0,
            queue: 64,
            tenant_queue: 32,
            scans_per_minute: 30,
            scans_per_day: 500,
            visitor_scans_per_minute: 3,
            visitor_scans_per_day: 20,
            visitor_scans_total_per_day: 500,
            visitor_scans_per_site: 5,
            scans: 16,
            scan_queue: 64,
            audits_per_minute: 30,
            audits_per_day: 500,
            audits_per_host: 60,
            audits_at_once: 4,
            audits: 8,
            audit_queue: 50,
            mcp_per_minute: 120,
            registrations_per_hour: 20,
            client_documents_per_hour: 30,
            connections: 1024,
            connections_per_address: 64,
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            head: 10,
            keep_alive: 60,
            body_idle: 15,
            body: 600,
            api_body: 10,
            scan: 25,
            scan_queue: 30,
            audit: limits::AUDIT_TIMEOUT.as_secs(),
            audit_queue: 30,
            same_batch: 30,
            shutdown: 30,
        }
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self { raw_days: 90, rollup_months: 25 }
    }
}

impl Default for MaintenanceSettings {
    fn default() -> Self {
        Self { interval: 3600, compact_after: 600, grace: 3600, scrub_mib_per_second: 8 }
    }
}
