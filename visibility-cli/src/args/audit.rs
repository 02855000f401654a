//! The arguments of `visibility audit`.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use visibility_core::audit::cap::AuditCap;
use visibility_core::audit::profile::Profile;

use super::logs::time;
use super::{FailOnArg, NetworkArgs, OutputArgs};

pub(super) const AFTER_HELP: &str = "\
A page that exists as a file, begins with a slash, `./` or `../`, or ends in .html, .htm or .xhtml \
is a file; `-` is HTML on standard input; anything else is a URL, and `example.com/page` is \
https://example.com/page. Files are judged without a network.

Several pages are audited beside each other and shown in the order given; one bad page never stops \
the others. `--format json` prints an object for one page and an array for several; `ndjson` prints \
a line for each. A page that cannot be audited is \
`{\"url\", \"error\": {\"code\", \"message\", \"hint\", \"details\"}}` there.

Exit codes:
  0    ok
  1    a gate failed (--min-score, --fail-on, --fail-on-gate, --baseline)
  2    usage: arguments, files, or a URL that cannot be used
  3    there was no page to read: the status is neither `completed` nor `partial`
  4    a gate was asked for and passed, but the page was read in part only
  5    some of several pages have no result, or were not read
  70   internal fault
  130  interrupted
Gates judge a page that is blocked, not found or no HTML as one with score 0; a server that fails or \
cannot be reached is no verdict on a page, and is 3 with gates, too. With several pages the first that \
applies of 1, 5 and 4 is used, and 3 if none could be read.

Examples:
  visibility audit https://example.com/product
  visibility audit page.html --url https://example.com/product
  visibility audit --dir public --base-url https://example.com/ --format sarif -o audit.sarif
  visibility audit --sitemap https://example.com/sitemap.xml --max-pages 200 --format ndjson
  curl -s https://example.com/ | visibility audit - --show-text
  visibility audit https://example.com/product --min-score 75 --fail-on-gate=noindex,script-shell
  visibility audit shop.example.com/p --connect-to shop.example.com:443:127.0.0.1:8443 --ca-cert ca.pem";

/// The name that means every gate.
const ANY: &str = "any";

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP, mut_arg("timeout", |argument| {
    argument.default_value("30").help("Time for one page, all its requests together")
}))]
pub(crate) struct AuditArgs {
    /// Pages: URLs, files, or `-` for HTML on standard input
    #[arg(value_name = "PAGE", required_unless_present_any = ["dir", "sitemap", "demo"])]
    pub(crate) pages: Vec<String>,
    /// Audits the home page of a recorded example site, without a network
    #[arg(long, conflicts_with_all = ["pages", "dir", "sitemap", "show_text", "url", "robots"])]
    pub(crate) demo: bool,
    /// All .html, .htm and .xhtml files below a folder, by path; links that lead out of it are not followed
    #[arg(long, value_name = "DIR", conflicts_with_all = ["pages", "sitemap"])]
    pub(crate) dir: Option<PathBuf>,
    /// The pages of a sitemap, or of the sitemaps of an index, on its own registrable domain
    #[arg(long, value_name = "URL", conflicts_with = "pages")]
    pub(crate) sitemap: Option<String>,
    /// Pages of a sitemap that are visited
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..=50_000),
        requires = "sitemap",
        conflicts_with_all = ["pages", "dir"]
    )]
    pub(crate) max_pages: u32,
    #[command(flatten)]
    pub(crate) files: FileArgs,
    #[command(flatten)]
    pub(crate) rubric: AuditRubricArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Prints what an answer engine reads of the page, as Markdown, and no report; on standard error, what is left out
    #[arg(
        long,
        help_heading = "Output",
        conflicts_with_all = ["format", "dir", "sitemap", "min_score", "fail_on", "fail_on_gate", "baseline"]
    )]
    pub(crate) show_text: bool,
    #[command(flatten)]
    pub(crate) gates: AuditGateArgs,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    /// Pages visited at a time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64), help_heading = "Network")]
    pub(crate) concurrency: u16,
}

/// What is known about files.
#[derive(Args, Debug)]
#[command(next_help_heading = "Files")]
pub(crate) struct FileArgs {
    /// The address that the one file will stand at: canonical, https and links are judged against it
    #[arg(long, value_name = "URL", conflicts_with_all = ["dir", "sitemap"])]
    pub(crate) url: Option<String>,
    /// The address that the folder will stand at; index.html stands at the address of its folder
    #[arg(long, value_name = "URL", requires = "dir", conflicts_with_all = ["pages", "sitemap"])]
    pub(crate) base_url: Option<String>,
    /// The robots.txt that will stand beside the files; without one, nothing is said about it
    #[arg(long, value_name = "FILE", conflicts_with = "sitemap")]
    pub(crate) robots: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Rubric")]
pub(crate) struct AuditRubricArgs {
    /// Kind of page, which decides what counts
    #[arg(long, value_enum, default_value_t)]
    pub(crate) profile: PageProfileArg,
    /// Judges as of this time, such as `2026-01-31T00:00:00Z`, and not as of now
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) now: Option<DateTime<Utc>>,
}

/// Kinds of pages.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum PageProfileArg {
    /// What the page shows
    #[default]
    Auto,
    /// One thing to buy
    Product,
    /// Many things to buy, to choose from
    Collection,
    /// Something to read
    Article,
    /// What is offered, and everything else
    Landing,
    /// What explains how something works
    Documentation,
    /// What people say to each other
    Forum,
    /// Links to other pages
    Listing,
}

impl PageProfileArg {
    /// The profile that was chosen, if one was.
    pub(crate) fn profile(self) -> Option<Profile> {
        match self {
            Self::Auto => None,
            Self::Product => Some(Profile::Product),
            Self::Collection => Some(Profile::Collection),
            Self::Article => Some(Profile::Article),
            Self::Landing => Some(Profile::Landing),
            Self::Documentation => Some(Profile::Documentation),
            Self::Forum => Some(Profile::Forum),
            Self::Listing => Some(Profile::Listing),
        }
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Gates")]
pub(crate) struct AuditGateArgs {
    /// Fails below this score
    #[arg(long, value_name = "0-100", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) min_score: Option<u8>,
    /// Fails if a signal warns or fails
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub(crate) fail_on: Option<FailOnArg>,
    /// Fails if a gate of the audit is closed: any, or one of these; with a page behind it, write `--fail-on-gate=any`
    #[arg(
        long,
        value_name = "GATES",
        value_delimiter = ',',
        num_args = 0..=1,
        default_missing_value = ANY,
        value_parser = gates()
    )]
    pub(crate) fail_on_gate: Option<Vec<CapArg>>,
    /// Fails if something is worse than in this earlier result (of `--format json` or `ndjson`)
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
}

/// A gate of the audit, or any.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct CapArg(pub(crate) Option<AuditCap>);

fn gates() -> impl TypedValueParser<Value = CapArg> {
    let names = std::iter::once(ANY).chain(AuditCap::ALL.map(AuditCap::as_str));
    PossibleValuesParser::new(names).map(|name| CapArg(AuditCap::from_wire(&name)))
}
