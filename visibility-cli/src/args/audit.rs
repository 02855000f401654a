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
A page is a file if it exists as one, begins with `/`, `./` or `../`, or ends in .html, .htm or \
.xhtml; `-` is HTML on standard input; anything else is a URL, and `example.com/page` means \
https://example.com/page. Files are judged without a network.

Several pages are audited in parallel and shown in the given order; a page that fails does not stop \
the others. `--format json` prints an object for one page and an array for several; `ndjson` prints \
one line per page. A page that cannot be audited is printed as \
`{\"url\", \"error\": {\"code\", \"message\", \"hint\", \"details\"}}`.

Exit codes:
  0    ok
  1    a gate failed (--min-score, --fail-on, --fail-on-gate, --baseline)
  2    usage error: bad argument, unreadable file or invalid URL
  3    there was no page to read: the status is neither `completed` nor `partial`
  4    all gates passed, but only part of the page was read
  5    some of several pages have no result or were not read
  70   internal error
  130  interrupted
For gates, a page that is blocked, not found or not HTML has the score 0. A server that fails or cannot \
be reached says nothing about a page, so the exit code is 3 even with gates. With several pages, the \
first of 1, 5 and 4 that applies is used, or 3 if none could be read.

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
    argument.default_value("30").help("Time limit for all requests of one page")
}))]
pub(crate) struct AuditArgs {
    /// URLs or HTML files, or `-` for HTML on standard input
    #[arg(value_name = "PAGE", required_unless_present_any = ["dir", "sitemap", "demo"])]
    pub(crate) pages: Vec<String>,
    /// Audit the home page of a recorded example site, without a network
    #[arg(long, conflicts_with_all = ["pages", "dir", "sitemap", "show_text", "url", "robots"])]
    pub(crate) demo: bool,
    /// Audit all .html, .htm and .xhtml files in a folder and its subfolders; symbolic links that lead out of it are not followed
    #[arg(long, value_name = "DIR", conflicts_with_all = ["pages", "sitemap"])]
    pub(crate) dir: Option<PathBuf>,
    /// Audit the pages in a sitemap or sitemap index that are on the same registrable domain
    #[arg(long, value_name = "URL", conflicts_with = "pages")]
    pub(crate) sitemap: Option<String>,
    /// Visit at most this many pages of a sitemap
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
    /// Instead of a report, print the text that an answer engine reads, as Markdown; what is left out goes to standard error
    #[arg(
        long,
        help_heading = "Output",
        conflicts_with_all = ["format", "also", "dir", "sitemap", "min_score", "fail_on", "fail_on_gate", "baseline"]
    )]
    pub(crate) show_text: bool,
    #[command(flatten)]
    pub(crate) gates: AuditGateArgs,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    /// Number of pages visited at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64), help_heading = "Network")]
    pub(crate) concurrency: u16,
}

/// What is known about files.
#[derive(Args, Debug)]
#[command(next_help_heading = "Files")]
pub(crate) struct FileArgs {
    /// URL at which the file will be published; canonical URL, HTTPS and links are judged against it
    #[arg(long, value_name = "URL", conflicts_with_all = ["dir", "sitemap"])]
    pub(crate) url: Option<String>,
    /// URL at which the folder will be published; index.html is at the URL of its folder
    #[arg(long, value_name = "URL", requires = "dir", conflicts_with_all = ["pages", "sitemap"])]
    pub(crate) base_url: Option<String>,
    /// robots.txt that will be published with the files; without one it is not judged
    #[arg(long, value_name = "FILE", conflicts_with = "sitemap")]
    pub(crate) robots: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Rubric")]
pub(crate) struct AuditRubricArgs {
    /// Kind of page, which decides what counts
    #[arg(long, value_enum, default_value_t)]
    pub(crate) profile: PageProfileArg,
    /// Judge as of this time, such as `2026-01-31T00:00:00Z`, instead of now
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) now: Option<DateTime<Utc>>,
}

/// Kinds of pages.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum PageProfileArg {
    /// Detect it from the page
    #[default]
    Auto,
    /// A product page
    Product,
    /// A list of products
    Collection,
    /// Text to read, such as an article
    Article,
    /// A landing page, and anything else
    Landing,
    /// Documentation
    Documentation,
    /// A discussion
    Forum,
    /// A list of links to other pages
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
    /// Fail below this score
    #[arg(long, value_name = "0-100", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) min_score: Option<u8>,
    /// Fail if a signal warns or fails
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub(crate) fail_on: Option<FailOnArg>,
    /// Fail if a cap limits the score: any cap, or one of these; before a page, write `--fail-on-gate=any`
    #[arg(
        long,
        value_name = "GATES",
        value_delimiter = ',',
        num_args = 0..=1,
        default_missing_value = ANY,
        value_parser = gates()
    )]
    pub(crate) fail_on_gate: Option<Vec<CapArg>>,
    /// Fail if something is worse than in this earlier result (from `--format json` or `ndjson`)
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
