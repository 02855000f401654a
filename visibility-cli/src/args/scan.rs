//! The arguments of `visibility scan`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};
use ipnet::IpNet;
use visibility_core::fetch::http::ConnectTo;
use visibility_core::report::junit::FailOn;
use visibility_core::scan::profile::Surface;
use visibility_core::scan::score::Tier;

use super::check_ids;

pub(super) const AFTER_HELP: &str = "\
Several domains are scanned beside each other and shown in the order given; one bad domain never \
stops the others. `-` reads domains from standard input, one a line; blank lines and lines with `#` \
are skipped.

`--format json` prints an object for one domain and an array for several; `ndjson` prints a line for \
each; `markdown` and `html` are one report behind an overview. A domain without a result is `{\"domain\", \"error\": {\"code\", \"message\", \"hint\", \"details\"}}` there.

Exit codes:
  0    ok
  1    a gate failed (--min-score, --min-tier, --fail-on, --baseline)
  2    usage: arguments, files, or a domain that is none
  3    the site could not be reached
  4    a gate was asked for and passed, but the confidence of the result is low
  5    some of several domains have no result
  70   internal fault
  130  interrupted
With several domains the first that applies of 1, 5 and 4 is used, and 3 if none could be reached.

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

/// Forms of results.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people, in a terminal
    #[default]
    Human,
    /// An object, or an array for several domains or pages
    Json,
    /// An object a line, as soon as the order allows
    Ndjson,
    /// For job summaries and issues
    Markdown,
    /// One file without scripts that prints well
    Html,
    /// For the test panels of CI systems
    Junit,
    /// A task for a coding agent
    Prompt,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// Kinds of sites.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum ProfileArg {
    /// What the site shows
    #[default]
    Auto,
    /// Something to read
    Content,
    /// Something to call
    Api,
    /// Something to log in to
    App,
    /// Something to buy
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
    /// Domains such as `example.com`, or URLs, whose hosts are scanned; `-` reads a list from standard input
    #[arg(value_name = "DOMAIN|URL", required_unless_present_any = ["replay", "file", "demo"])]
    pub(crate) domains: Vec<String>,
    /// Also scans the domains of this list, one a line or in a column of a CSV file
    #[arg(long, value_name = "FILE", action = ArgAction::Append)]
    pub(crate) file: Vec<PathBuf>,
    /// Scans a recorded example site, without a network
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
    /// Domains scanned at a time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Network")]
    pub(crate) concurrency: u16,
    /// Asks only as ourselves, never in the names of agents or of a browser; `bot-wall` is unknown then
    #[arg(long, help_heading = "Network")]
    pub(crate) no_agent_probes: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
    /// Shows everything in a terminal: each check or signal with its evidence, each agent, whole fixes
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Writes to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Shows no progress on standard error
    #[arg(long)]
    pub(crate) no_progress: bool,
    /// Also writes the files of all fixes below this folder, with a README.txt that lists them
    #[arg(long, value_name = "DIR")]
    pub(crate) write_fixes: Option<PathBuf>,
    /// Writes fixes into a folder that is not empty
    #[arg(long, requires = "write_fixes")]
    pub(crate) force: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Rubric")]
pub(crate) struct RubricArgs {
    /// Kind of site, which decides what does not concern it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) profile: ProfileArg,
    /// Runs only these checks; there is no score then
    #[arg(long, value_name = "IDS", value_delimiter = ',', value_parser = check_ids(), hide_possible_values = true)]
    pub(crate) only: Vec<String>,
    /// Leaves these checks out; there is no score then
    #[arg(long, value_name = "IDS", value_delimiter = ',', value_parser = check_ids(), hide_possible_values = true)]
    pub(crate) skip: Vec<String>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Gates")]
pub(crate) struct GateArgs {
    /// Fails below this score
    #[arg(long, value_name = "0-100", value_parser = clap::value_parser!(u8).range(0..=100), conflicts_with_all = ["only", "skip"])]
    pub(crate) min_score: Option<u8>,
    /// Fails below this tier
    #[arg(long, value_enum, value_name = "TIER", conflicts_with_all = ["only", "skip"])]
    pub(crate) min_tier: Option<TierArg>,
    /// Fails if a check warns or fails
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub(crate) fail_on: Option<FailOnArg>,
    /// Fails if something is worse than in this earlier result (of `--format json` or `ndjson`)
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
    /// Keeps requests and answers in a folder of this one for each domain
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    pub(crate) record: Option<PathBuf>,
    /// Scans what was recorded, without a network: all of it, or the domains given
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
    /// Time for one domain, all its requests together
    #[arg(long, value_name = "SECONDS", default_value = "25", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Also connects to addresses of this network, which need not be public, on any port
    #[arg(long, value_name = "CIDR", action = ArgAction::Append)]
    pub(crate) allow_network: Vec<IpNet>,
    /// Connects to the second host and port instead of the first; that target is not checked
    #[arg(long, value_name = "HOST:PORT:HOST:PORT", action = ArgAction::Append)]
    pub(crate) connect_to: Vec<ConnectTo>,
    /// Trusts the certificates of this PEM file, too
    #[arg(long, value_name = "FILE", action = ArgAction::Append)]
    pub(crate) ca_cert: Vec<PathBuf>,
    /// Uses the proxy of `HTTPS_PROXY` and `HTTP_PROXY`
    #[arg(long)]
    pub(crate) proxy_from_env: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|error| format!("{error}"))?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if (0.1..=600.0).contains(&seconds) => Ok(time),
        _ => Err("between 0.1 and 600 seconds, please".to_owned()),
    }
}
