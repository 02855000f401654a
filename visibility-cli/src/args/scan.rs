//! The arguments of `visibility scan`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};
use ipnet::IpNet;
use visibility_core::fetch::http::ConnectTo;
use visibility_core::report::junit::FailOn;
use visibility_core::scan::score::Tier;
use visibility_core::scan::surface::Surface;

use super::{OutputArgs, check_ids};

pub(super) const AFTER_HELP: &str = "\
Several domains are scanned in parallel and shown in the given order; a domain that fails does not \
stop the others. `-` reads domains from standard input, one per line; blank lines and lines that \
start with `#` are skipped.

`--format json` prints an object for one domain and an array for several; `ndjson` prints one line per \
domain; `markdown` and `html` print one report with an overview. A domain without a result is printed \
as `{\"domain\", \"error\": {\"code\", \"message\", \"hint\", \"details\"}}`.

Exit codes:
  0    ok
  1    a gate failed (--min-score, --min-tier, --fail-on, --baseline)
  2    usage error: bad argument, unreadable file or invalid domain
  3    the site could not be reached
  4    all gates passed, but the confidence of the result is low
  5    some of several domains have no result
  70   internal error
  130  interrupted
With several domains, the first of 1, 5 and 4 that applies is used, or 3 if none could be reached.

Examples:
  visibility scan example.com
  visibility scan example.com --verbose
  visibility scan example.com --format html -o report.html
  visibility scan example.com example.org --format html -o report.html
  visibility scan example.com --lang tr --only robots-txt,sitemap
  visibility scan example.com --min-score 75 --min-tier ready --format junit -o scan.xml
  visibility scan example.com --format json -o today.json --baseline yesterday.json
  visibility scan - --format ndjson --concurrency 16 < domains.txt
  visibility scan example.com --record site && visibility scan --replay site
  visibility scan shop.example.com --connect-to shop.example.com:443:127.0.0.1:8443 --ca-cert ca.pem";

/// Kinds of sites.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum ProfileArg {
    /// Detect it from the site
    #[default]
    Auto,
    /// Text to read, such as an article
    Content,
    /// An API
    Api,
    /// An application with accounts
    App,
    /// A shop
    Commerce,
}

impl ProfileArg {
    /// The surface that was chosen, if one was.
    pub(crate) fn surface(self) -> Option<Surface> {
        match self {
            Self::Auto => None,
            Self::Content => Some(Surface::Content),
            Self::Api => Some(Surface::Api),
            Self::App => Some(Surface::App),
            Self::Commerce => Some(Surface::Commerce),
        }
    }
}

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ScanArgs {
    /// Domains such as `example.com`, or URLs, of which the host is scanned; `-` reads a list from standard input
    #[arg(value_name = "DOMAIN|URL", required_unless_present_any = ["replay", "file", "demo"])]
    pub(crate) domains: Vec<String>,
    /// Also scan the domains in this file, one per line or in a column of a CSV file
    #[arg(long, value_name = "FILE", action = ArgAction::Append)]
    pub(crate) file: Vec<PathBuf>,
    /// Scan a recorded example site, without a network
    #[arg(long, conflicts_with_all = ["domains", "file", "record", "replay"])]
    pub(crate) demo: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) rubric: RubricArgs,
    #[command(flatten)]
    pub(crate) gates: GateArgs,
    #[command(flatten)]
    pub(crate) recordings: RecordingArgs,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    /// Number of domains scanned at the same time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Network")]
    pub(crate) concurrency: u16,
    /// Send requests only as `VisibilityBot`, never in the names of agents or of a browser; `bot-wall` is then unknown
    #[arg(long, help_heading = "Network")]
    pub(crate) no_agent_probes: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Rubric")]
pub(crate) struct RubricArgs {
    /// Kind of site, which decides which checks apply
    #[arg(long, value_enum, default_value_t)]
    pub(crate) profile: ProfileArg,
    /// Run only these checks, without a score
    #[arg(long, value_name = "IDS", value_delimiter = ',', value_parser = check_ids(), hide_possible_values = true)]
    pub(crate) only: Vec<String>,
    /// Skip these checks; there is then no score
    #[arg(long, value_name = "IDS", value_delimiter = ',', value_parser = check_ids(), hide_possible_values = true)]
    pub(crate) skip: Vec<String>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Gates")]
pub(crate) struct GateArgs {
    /// Fail below this score
    #[arg(long, value_name = "0-100", value_parser = clap::value_parser!(u8).range(0..=100), conflicts_with_all = ["only", "skip"])]
    pub(crate) min_score: Option<u8>,
    /// Fail below this tier
    #[arg(long, value_enum, value_name = "TIER", conflicts_with_all = ["only", "skip"])]
    pub(crate) min_tier: Option<TierArg>,
    /// Fail if a check warns or fails
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub(crate) fail_on: Option<FailOnArg>,
    /// Fail if something is worse than in this earlier result (from `--format json` or `ndjson`)
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
}

/// Tiers as arguments.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum TierArg {
    Invisible,
    Discoverable,
    Readable,
    Ready,
    Native,
}

impl From<TierArg> for Tier {
    fn from(tier: TierArg) -> Self {
        match tier {
            TierArg::Invisible => Self::Invisible,
            TierArg::Discoverable => Self::Discoverable,
            TierArg::Readable => Self::Readable,
            TierArg::Ready => Self::Ready,
            TierArg::Native => Self::Native,
        }
    }
}

/// Verdicts that fail a gate.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum FailOnArg {
    /// Warnings and failures
    Warn,
    /// Failures
    Fail,
}

impl From<FailOnArg> for FailOn {
    fn from(fail_on: FailOnArg) -> Self {
        match fail_on {
            FailOnArg::Warn => Self::Warn,
            FailOnArg::Fail => Self::Fail,
        }
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Record and replay")]
pub(crate) struct RecordingArgs {
    /// Record requests and responses in this folder, in a subfolder for each domain
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    pub(crate) record: Option<PathBuf>,
    /// Scan recorded domains without a network: all of them, or those given
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["no_agent_probes", "timeout", "allow_network", "connect_to", "ca_cert", "proxy_from_env"]
    )]
    pub(crate) replay: Option<PathBuf>,
}

/// How requests are made. As curl users know them.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Network")]
pub(crate) struct NetworkArgs {
    /// Time limit for all requests to one domain
    #[arg(long, value_name = "SECONDS", default_value = "25", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Allow connections to addresses in this network, public or not, on any port
    #[arg(long, value_name = "CIDR", action = ArgAction::Append)]
    pub(crate) allow_network: Vec<IpNet>,
    /// Connect to the second host and port instead of the first; the target may be private
    #[arg(long, value_name = "HOST:PORT:HOST:PORT", action = ArgAction::Append)]
    pub(crate) connect_to: Vec<ConnectTo>,
    /// Also trust the certificates in this PEM file
    #[arg(long, value_name = "FILE", action = ArgAction::Append)]
    pub(crate) ca_cert: Vec<PathBuf>,
    /// Use the proxies in `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY`, but for hosts in `NO_PROXY`
    #[arg(long)]
    pub(crate) proxy_from_env: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|error| format!("{error}"))?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if (0.1..=600.0).contains(&seconds) => Ok(time),
        _ => Err("must be between 0.1 and 600 seconds".to_owned()),
    }
}
