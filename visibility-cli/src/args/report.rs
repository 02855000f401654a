//! The arguments about reports, which `scan` and `audit` share.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgAction, Args, ValueEnum};

/// Forms of results.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people, in a terminal
    #[default]
    Human,
    /// One JSON object, or an array for several domains or pages
    Json,
    /// One JSON object per line, printed as soon as possible in the given order
    Ndjson,
    /// Markdown, for job summaries and issues
    Markdown,
    /// One HTML file without scripts that also prints well
    Html,
    /// JUnit XML, for CI systems
    Junit,
    /// A task for a coding agent
    Prompt,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations for GitHub Actions
    Github,
}

/// Where reports go, and in which format.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
    /// Show everything: each check or signal with its evidence, each agent, and complete fixes
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Also write this report, such as `markdown=report.md`; can be repeated
    #[arg(long, value_name = "FORMAT=FILE", action = ArgAction::Append)]
    pub(crate) also: Vec<ReportFile>,
    /// Show no progress on standard error
    #[arg(long)]
    pub(crate) no_progress: bool,
    /// Also write the files of all fixes to this folder, with a README.txt that lists them
    #[arg(long, value_name = "DIR")]
    pub(crate) write_fixes: Option<PathBuf>,
    /// Write to DIR even if it is not empty
    #[arg(long, requires = "write_fixes")]
    pub(crate) force: bool,
}

/// A report that is written beside the main one, as `FORMAT=FILE`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ReportFile {
    pub(crate) format: ReportFormat,
    pub(crate) path: PathBuf,
}

impl FromStr for ReportFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((format, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
            return Err("write a format and a file, such as `markdown=report.md`".to_owned());
        };
        let Ok(format) = ReportFormat::from_str(format, false) else {
            let formats: Vec<_> = ReportFormat::value_variants()
                .iter()
                .filter_map(ReportFormat::to_possible_value)
                .map(|value| value.get_name().to_owned())
                .collect();
            return Err(format!("`{format}` is no format: use one of {}", formats.join(", ")));
        };
        Ok(Self { format, path: path.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_a_format_and_a_file() {
        let expected = ReportFile { format: ReportFormat::Sarif, path: "a=b.sarif".into() };
        assert_eq!("sarif=a=b.sarif".parse(), Ok(expected));
        for (text, words) in [
            ("sarif", "such as `markdown=report.md`"),
            ("sarif=", "such as `markdown=report.md`"),
            ("=a", "`` is no format"),
            ("pdf=a.pdf", "use one of human, json, ndjson"),
        ] {
            let error = text.parse::<ReportFile>().expect_err(text);
            assert!(error.contains(words), "{error}");
        }
    }
}
