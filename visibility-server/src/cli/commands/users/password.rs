//! Where the password of a user comes from: standard input, the terminal, or random numbers.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Write as _};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use visibility_core::accounts::user::UserName;

use crate::cli::args::users::PasswordArgs;
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::runtime::random;
use crate::stores::password_hash::{Password, PasswordError};

/// Bytes of a line that are read: more than a password may have.
const MAX_LINE: u64 = 2048;

/// A password for a user.
#[derive(Debug)]
pub(super) struct ChosenPassword {
    pub(super) password: Password,
    /// Whether it was generated here and must be shown.
    pub(super) is_generated: bool,
}

/// Gets a password for a user.
pub(super) fn choose(
    user: &UserName,
    source: PasswordArgs,
    console: Console,
) -> Result<ChosenPassword, CommandError> {
    let (text, is_made) = if source.password_stdin {
        (line(io::stdin().lock(), "standard input")?, false)
    } else if io::stdout().is_terminal() {
        (prompt(user, console)?, false)
    } else {
        let made = random::password();
        (made.map_err(|error| CommandError::internal("the system has no randomness", error))?, true)
    };
    let password = Password::new(&text, user).map_err(password_error)?;
    Ok(ChosenPassword { password, is_generated: is_made })
}

fn password_error(error: PasswordError) -> CommandError {
    CommandError::usage(
        error.to_string(),
        "use three or four random words, or let the command make a password: run it \
            without `--password-stdin` and with standard output redirected",
    )
}

/// Asks on the terminal, twice.
fn prompt(user: &UserName, console: Console) -> Result<String, CommandError> {
    let refused = |error: io::Error| {
        CommandError::refused(
            "there is no terminal to type a password",
            "send it to standard input with `--password-stdin`",
            error,
        )
    };
    let terminal = File::options().read(true).write(true).open("/dev/tty").map_err(refused)?;
    let silence = EchoOff::begin(&terminal).map_err(refused)?;
    let mut answers = BufReader::new(&terminal);
    let mut prompt = |text: &str| -> Result<String, CommandError> {
        (&terminal).write_all(text.as_bytes()).map_err(refused)?;
        let answer = line(&mut answers, "the terminal");
        // The line end that was typed was not shown either.
        (&terminal).write_all(b"\n").map_err(refused)?;
        answer
    };
    let first = prompt(&format!("New password for {user}, of at least 12 characters: "))?;
    let second = prompt("Once more: ")?;
    drop(silence);
    if first != second {
        console.say("Nothing was changed.");
        return Err(CommandError::usage(
            "the two passwords are not the same",
            "run the command again and type the same password twice",
        ));
    }
    Ok(first)
}

/// A line, without its end.
fn line(input: impl BufRead, source: &str) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    input.take(MAX_LINE).read_until(b'\n', &mut bytes).map_err(|error| {
        CommandError::refused(format!("cannot read {source}"), "send one line", error)
    })?;
    let text = String::from_utf8(bytes).map_err(|_bytes| {
        CommandError::usage(format!("{source} is not UTF-8"), "send one line of text")
    })?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

/// A terminal that does not show what is typed, until this is dropped.
struct EchoOff<'a> {
    terminal: &'a File,
    before: rustix::termios::Termios,
}

impl<'a> EchoOff<'a> {
    fn begin(terminal: &'a File) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(terminal, OptionalActions::Flush, &silent)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for EchoOff<'_> {
    fn drop(&mut self) {
        // A terminal that is gone needs no echo.
        let _ = tcsetattr(self.terminal, OptionalActions::Now, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_the_first_line_without_its_end() {
        for (text, password) in [
            ("correct horse", "correct horse"),
            ("correct horse\n", "correct horse"),
            ("correct horse\r\nmore\n", "correct horse"),
            (" correct horse \n\n", " correct horse "),
            ("", ""),
        ] {
            assert_eq!(line(text.as_bytes(), "it").unwrap(), password, "{text:?}");
        }
        assert_eq!(line("x".repeat(5000).as_bytes(), "it").unwrap().len(), 2048);
        assert!(line(&b"\xff\n"[..], "it").is_err());
    }
}
