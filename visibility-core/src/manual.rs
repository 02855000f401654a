//! Manual pages of a program that describes its arguments with clap.
//!
//! What a command says after its options becomes the sections that readers of manual pages look for:
//! `Exit codes:` is EXIT STATUS, `Examples:` is EXAMPLES, and all other paragraphs end DESCRIPTION.

use std::io;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

/// One manual page.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ManualPage {
    /// Name of its file, such as `visibility-scan.1`.
    pub file_name: String,
    /// Its source, for `man`.
    pub roff: String,
}

/// The page of a command.
///
/// # Errors
///
/// Only if clap cannot write to memory.
pub fn page(mut command: Command) -> io::Result<ManualPage> {
    command.build();
    let after = AfterHelp::from_command(&command);
    let has_arguments = command.get_arguments().any(|argument| !argument.is_hide_set());
    let has_subcommands = command.get_subcommands().any(|command| !command.is_hide_set());
    let has_version = command.get_version().is_some();
    let synopsis = synopsis(&command);
    let man = Man::new(command.override_usage(synopsis));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    after.paragraphs().to_writer(&mut page)?;
    if has_arguments {
        man.render_options_section(&mut page)?;
    }
    if has_subcommands {
        man.render_subcommands_section(&mut page)?;
    }
    after.exit_status().to_writer(&mut page)?;
    after.examples().to_writer(&mut page)?;
    if has_version {
        man.render_version_section(&mut page)?;
    }
    let roff = String::from_utf8_lossy(&page).into_owned();
    Ok(ManualPage { file_name: man.get_filename(), roff })
}

/// The pages of a command and of all its subcommands, the innermost first.
///
/// # Errors
///
/// Only if clap cannot write to memory.
pub fn pages(command: Command) -> io::Result<Vec<ManualPage>> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut found = Vec::new();
    collect(command, &mut found)?;
    Ok(found)
}

fn collect(command: Command, found: &mut Vec<ManualPage>) -> io::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()).cloned() {
        collect(inner, found)?;
    }
    found.push(page(command)?);
    Ok(())
}

/// The command with its options and their values: `visibility badge [--output <FILE>] <SOURCE>`.
fn synopsis(command: &Command) -> String {
    let mut parts = vec![command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned()];
    let shown = || command.get_arguments().filter(|argument| !argument.is_hide_set());
    parts.extend(shown().filter(|argument| !argument.is_positional()).map(|option| {
        if option.is_required_set() { option.to_string() } else { format!("[{option}]") }
    }));
    parts.extend(shown().filter(|argument| argument.is_positional()).map(ToString::to_string));
    if command.has_subcommands() {
        parts.push("<COMMAND>".to_owned());
    }
    parts.join(" ")
}

/// What a command says after its options.
#[derive(Debug, Default)]
struct AfterHelp {
    paragraphs: Vec<String>,
    exit_status: Vec<String>,
    examples: Vec<String>,
}

impl AfterHelp {
    fn from_command(command: &Command) -> Self {
        let text = command
            .get_after_long_help()
            .or_else(|| command.get_after_help())
            .map(ToString::to_string)
            .unwrap_or_default();
        let mut after = Self::default();
        for block in text.split("\n\n") {
            let mut lines = block.lines().peekable();
            let section = match lines.peek().copied() {
                Some("Exit codes:") => &mut after.exit_status,
                Some("Example:" | "Examples:") => &mut after.examples,
                _ => {
                    after.paragraphs.extend(lines.map(str::to_owned));
                    continue;
                }
            };
            section.extend(lines.skip(1).map(str::to_owned));
        }
        after
    }

    fn paragraphs(&self) -> Roff {
        let mut roff = Roff::new();
        for paragraph in &self.paragraphs {
            roff.control("PP", []);
            roff.text([roman(paragraph.trim())]);
        }
        roff
    }

    /// An indented line is a code and what it means; the others are paragraphs.
    fn exit_status(&self) -> Roff {
        let mut roff = section("EXIT STATUS", &self.exit_status);
        for line in &self.exit_status {
            let entry = line.trim_start().split_once(' ').filter(|_| line.starts_with(' '));
            if let Some((code, meaning)) = entry {
                roff.control("TP", []);
                roff.text([bold(code)]);
                roff.text([roman(meaning.trim_start())]);
            } else {
                roff.control("PP", []);
                roff.text([roman(line.trim_start())]);
            }
        }
        roff
    }

    /// Commands keep their lines.
    fn examples(&self) -> Roff {
        let mut roff = section("EXAMPLES", &self.examples);
        if !self.examples.is_empty() {
            roff.control("nf", []);
            for line in &self.examples {
                roff.text([roman(line.trim_start())]);
            }
            roff.control("fi", []);
        }
        roff
    }
}

/// The heading of a section that has lines.
fn section(title: &str, lines: &[String]) -> Roff {
    let mut roff = Roff::new();
    if !lines.is_empty() {
        roff.control("SH", [title]);
    }
    roff
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgAction};

    use super::*;

    fn program() -> Command {
        let draw = Command::new("draw")
            .about("Draws")
            .arg(Arg::new("output").short('o').long("output").value_name("FILE"))
            .arg(Arg::new("bold").long("bold").action(ArgAction::SetTrue))
            .arg(Arg::new("size").long("size").value_name("N").required(true))
            .arg(Arg::new("source").value_name("SOURCE").required(true))
            .after_help(
                "One paragraph.\n\nAnother one.\n\nExit codes:\n  0    ok\n  130  interrupted\n\
                 With several, the first.\n\nExamples:\n  program draw a\n  program draw b -o .c",
            );
        Command::new("program").version("1.2.3").about("Does things").subcommand(draw)
    }

    #[test]
    fn exit_status_and_examples_are_sections_of_their_own() {
        let pages = pages(program()).unwrap();
        let names: Vec<&str> = pages.iter().map(|page| page.file_name.as_str()).collect();
        assert_eq!(names, ["program-draw.1", "program.1"]);
        // Every section defines its apostrophe.
        let roff = pages[0].roff.replace(".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n", "");
        let headings: Vec<&str> =
            roff.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
        let expected =
            ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "\"EXIT STATUS\"", "EXAMPLES"];
        assert_eq!(headings, expected, "{roff}");
        for part in [
            ".PP\nOne paragraph.\n.PP\nAnother one.\n.SH OPTIONS",
            ".TP\n\\fB0\\fR\nok\n.TP\n\\fB130\\fR\ninterrupted\n.PP\nWith several, the first.\n",
            ".nf\nprogram draw a\nprogram draw b \\-o .c\n.fi\n",
        ] {
            assert!(roff.contains(part), "{part}\n{roff}");
        }
    }

    #[test]
    fn the_synopsis_shows_the_values_of_options() {
        let pages = pages(program()).unwrap();
        for part in ["[\\-\\-output <FILE>]", "[\\-\\-bold]", " \\-\\-size <N> ", " <SOURCE>\n"] {
            assert!(pages[0].roff.contains(part), "{part}\n{}", pages[0].roff);
        }
        assert!(pages[1].roff.contains("<COMMAND>\n"), "{}", pages[1].roff);
        assert!(pages[1].roff.contains(".SH VERSION\nv1.2.3\n"), "{}", pages[1].roff);
    }
}
