//! Terminal output: streams, colors and widths.

pub(crate) mod audit;
pub(crate) mod brief;
pub(crate) mod check_entry;
pub(crate) mod document;
pub(crate) mod json;
pub(crate) mod matrix;
pub(crate) mod output;
pub(crate) mod page;
pub(crate) mod progress;
pub(crate) mod repeat;
pub(crate) mod report;
pub(crate) mod signal_entry;
pub(crate) mod signs;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod text;

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::AutoStream;
use visibility_core::report::labels::Labels;
use visibility_core::text::escape;
use visibility_core::text::locale::Lang;

use crate::args::GlobalArgs;
use crate::console::output::{Output, Paint};
use crate::console::repeat::Repeat;
use crate::console::signs::Signs;
use crate::console::style::{ERROR, HINT, paint};
use crate::error::CommandError;

/// Width where there is no terminal to ask.
const DEFAULT_WIDTH: usize = 80;
/// Wider lines are hard to read.
const MAX_WIDTH: usize = 100;

/// How to talk to the one who started the command.
#[derive(Clone, Debug)]
pub(crate) struct Console {
    lang: Lang,
    color: anstream::ColorChoice,
    quiet: bool,
    signs: Signs,
    /// Whether anything is on standard output.
    has_printed: Arc<AtomicBool>,
    /// What the commands of reports repeat of this call.
    repeat: Arc<Repeat>,
}

impl Console {
    /// A console for arguments that could not be read.
    pub(crate) fn plain() -> Self {
        Self {
            lang: Lang::En,
            color: anstream::ColorChoice::Auto,
            quiet: false,
            signs: Signs::from_environment(),
            has_printed: Arc::default(),
            repeat: Arc::default(),
        }
    }

    /// Whether anything was printed to standard output.
    pub(crate) fn has_printed(&self) -> bool {
        self.has_printed.load(Ordering::Relaxed)
    }

    /// A console as the arguments want it.
    pub(crate) fn new(arguments: &GlobalArgs) -> Self {
        let color = match arguments.color {
            clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
            clap::ColorChoice::Always => anstream::ColorChoice::Always,
            clap::ColorChoice::Never => anstream::ColorChoice::Never,
        };
        Self {
            lang: arguments.lang,
            color,
            quiet: arguments.quiet,
            signs: Signs::from_environment(),
            has_printed: Arc::default(),
            repeat: Arc::default(),
        }
    }

    /// The same, for reports of this call.
    pub(crate) fn repeating(self, repeat: Repeat) -> Self {
        Self { repeat: Arc::new(repeat), ..self }
    }

    /// What the commands of reports repeat of this call.
    pub(crate) fn repeat(&self) -> &Repeat {
        &self.repeat
    }

    /// The language of reports.
    pub(crate) fn lang(&self) -> Lang {
        self.lang
    }

    /// The words of that language.
    pub(crate) fn labels(&self) -> Labels {
        Labels::new(self.lang)
    }

    /// The signs of human output.
    pub(crate) fn signs(&self) -> Signs {
        self.signs
    }

    /// Whether only errors are wanted on standard error.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Prints to standard output; colors are left out where they are not wanted.
    pub(crate) fn print(&self, text: &str) -> Result<(), CommandError> {
        self.output(None)?.write(text, Paint::Styled)
    }

    /// Where a result goes: a file, or standard output.
    pub(crate) fn output(&self, path: Option<&Path>) -> Result<Output, CommandError> {
        Output::open(path, self.color, self.signs, &self.has_printed)
    }

    /// Says something that is not the result, unless it shall be quiet.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.say(text);
        }
    }

    /// Says something that must be said, on standard error.
    pub(crate) fn say(&self, text: &str) {
        let mut stream = AutoStream::new(io::stderr(), self.color);
        // There is no way to report that standard error is gone.
        let _ = writeln!(stream, "{}", self.signs.write(text));
    }

    /// Says why there is no result, and what to do.
    pub(crate) fn show_error(&self, command_error: &CommandError) {
        match command_error {
            CommandError::Closed => return,
            CommandError::Interrupted => return self.say(&command_error.to_string()),
            _ => {}
        }
        let labels = Labels::new(command_error.lang(self.lang));
        let mut text = format!(
            "{} {}",
            paint(ERROR, &labels.label("error-mark")),
            one_line(&command_error.message(labels))
        );
        let mut cause = command_error.source();
        while let Some(error) = cause {
            text.push_str(&format!(
                "\n  {} {}",
                labels.label("cause-mark"),
                one_line(&error.to_string())
            ));
            cause = error.source();
        }
        if let Some(hint) = command_error.hint() {
            text.push_str(&format!(
                "\n  {} {}",
                paint(HINT, &labels.label("hint-mark")),
                one_line(&hint)
            ));
        }
        self.say(&text);
    }

    /// Whether progress can be shown on standard error.
    pub(crate) fn can_show_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }
}

/// Columns to fill.
pub(crate) fn width() -> usize {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0)).clamp(40, MAX_WIDTH)
}

fn one_line(text: &str) -> String {
    escape::printable(text).into_owned()
}
