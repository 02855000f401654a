//! Symbols of the output for people, in Unicode or in ASCII.
//!
//! Reports are written with the signs of Unicode; [`Signs::write`] is the one place that replaces them.
//! Each replacement is as wide as its sign, except for arrows within a line and single dots, so that
//! bars and tables keep their columns.

use std::borrow::Cow;

/// What the reader's terminal can show.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Signs {
    /// Every sign.
    #[default]
    Unicode,
    /// Letters, digits and signs of ASCII.
    Ascii,
}

/// Variables that name the character set, the first of which wins (POSIX.1-2017, 8.2).
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

/// The mark before lines that are there to be pasted.
const PASTED: char = '│';
/// What begins a style, which ends with `m`.
const ESCAPE: char = '\u{1b}';

impl Signs {
    /// The signs that the locale of this process can show.
    pub(crate) fn from_environment() -> Self {
        Self::from_locale(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into()))
    }

    /// The signs for a locale. `C`, `POSIX` and every locale without `UTF-8` in its name have ASCII.
    /// If no variable is set, the signs are those of Unicode, as with systemd: a container or a
    /// service says nothing about a terminal, and Windows and macOS write UTF-8 without a locale.
    fn from_locale(variable: impl Fn(&str) -> Option<String>) -> Self {
        let locale = VARIABLES.iter().find_map(|name| variable(name).filter(|it| !it.is_empty()));
        let Some(locale) = locale else { return Self::Unicode };
        let set = locale.split_once('.').map_or("", |(_, set)| set);
        let set = set.split_once('@').map_or(set, |(set, _)| set);
        let is_utf8 = ["UTF-8", "UTF8"].iter().any(|name| set.eq_ignore_ascii_case(name));
        if is_utf8 { Self::Unicode } else { Self::Ascii }
    }

    /// A text with the signs that can be shown. Lines that are there to be pasted stay as they are, and
    /// so do letters: a title is not a sign.
    pub(crate) fn write(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Unicode => Cow::Borrowed(text),
            Self::Ascii if text.is_ascii() => Cow::Borrowed(text),
            Self::Ascii => text.split_inclusive('\n').map(ascii_line).collect::<String>().into(),
        }
    }

    /// The pictures of a spinner; the last one is for its end.
    pub(crate) fn spinner(self) -> &'static str {
        match self {
            Self::Unicode => "⠁⠂⠄⡀⢀⠠⠐⠈ ",
            Self::Ascii => "-\\|/ ",
        }
    }

    /// What a progress bar is filled with: done, the edge, and to do.
    pub(crate) fn bar(self) -> &'static str {
        match self {
            Self::Unicode => "█░",
            Self::Ascii => "#-",
        }
    }
}

fn ascii_line(line: &str) -> String {
    let mut written = String::with_capacity(line.len());
    let mut rest = line.chars().peekable();
    let (mut before, mut is_start) = (' ', true);
    while let Some(sign) = rest.next() {
        if sign == ESCAPE {
            written.push(sign);
            written.extend(rest.by_ref().take_while(|ch| *ch != 'm'));
            written.push('m');
            continue;
        }
        let ends = rest.peek().is_none_or(|after| after.is_whitespace() || *after == ESCAPE);
        match sign {
            '█' => written.push('#'),
            '░' | '–' | '−' | '·' => written.push('-'),
            '✓' => written.push('+'),
            '✗' => written.push('x'),
            '▼' => written.push('v'),
            '•' => written.push('*'),
            '“' | '”' => written.push('"'),
            '→' if is_start => written.push('>'),
            '→' => written.push_str("->"),
            '…' if before == ' ' && ends => written.push_str("..."),
            '…' => written.push('~'),
            PASTED => {
                written.push('|');
                written.extend(rest);
                break;
            }
            other => written.push(other),
        }
        before = sign;
        is_start &= sign == ' ';
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs_of(variables: &[(&str, &str)]) -> Signs {
        Signs::from_locale(|name| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_first_variable_that_is_set_decides() {
        for (variables, expected) in [
            (&[][..], Signs::Unicode),
            (&[("LANG", "")], Signs::Unicode),
            (&[("LANG", "C")], Signs::Ascii),
            (&[("LANG", "POSIX")], Signs::Ascii),
            (&[("LANG", "C.UTF-8")], Signs::Unicode),
            (&[("LANG", "tr_TR.utf8")], Signs::Unicode),
            (&[("LANG", "de_DE.UTF-8@euro")], Signs::Unicode),
            (&[("LANG", "tr_TR.ISO-8859-9")], Signs::Ascii),
            (&[("LANG", "en_US")], Signs::Ascii),
            (&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")], Signs::Ascii),
            (&[("LC_ALL", ""), ("LC_CTYPE", "C"), ("LANG", "en_US.UTF-8")], Signs::Ascii),
            (&[("LC_CTYPE", "C.UTF-8"), ("LANG", "C")], Signs::Unicode),
            (&[("LC_ALL", "C.UTF-8"), ("LC_CTYPE", "C")], Signs::Unicode),
        ] {
            assert_eq!(signs_of(variables), expected, "{variables:?}");
        }
    }

    #[test]
    fn every_sign_has_one_of_ascii() {
        for (text, expected) in [
            ("██░░\n", "##--\n"),
            ("✓ ok · ✗ no – ! ▼\n", "+ ok - x no - ! v\n"),
            ("    → GET /\n  74 → 60\n", "    > GET /\n  74 -> 60\n"),
            ("\u{1b}[2m    → GET\u{1b}[0m\n", "\u{1b}[2m    > GET\u{1b}[0m\n"),
            ("−4 “x”", "-4 \"x\""),
            ("a text tha…  next\n", "a text tha~  next\n"),
            ("cut …\n", "cut ...\n"),
            ("    │ A → B …\n  ✓\n", "    | A → B …\n  +\n"),
            ("çağrı\n", "çağrı\n"),
        ] {
            assert_eq!(Signs::Ascii.write(text), expected);
            assert_eq!(Signs::Unicode.write(text), text);
        }
    }
}
