//! The call that a command of a report repeats: the same target, reached in the same way.

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};

use crate::console::text::cut;

/// Options that decide what is judged and how it is reached. Those about the form of the output, and those that
/// decide about the exit code, are no part of what a report suggests.
const KEPT: [&str; 18] = [
    "demo",
    "replay",
    "url",
    "base-url",
    "robots",
    "profile",
    "only",
    "skip",
    "now",
    "timeout",
    "allow-network",
    "connect-to",
    "ca-cert",
    "proxy-from-env",
    "user-agent",
    "concurrency",
    "no-agent-probes",
    "lang",
];

/// Characters of an option that are shown.
const MAX_CHARS: usize = 400;

/// The options of a call, for the commands that a report of it suggests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeat {
    subcommand: String,
    options: Vec<String>,
    has_subject: bool,
}

impl Repeat {
    /// Reads the arguments of a subcommand.
    pub(crate) fn from_matches(definition: &Command, matches: &ArgMatches) -> Self {
        let Some((name, own)) = matches.subcommand() else { return Self::default() };
        let Some(subcommand) = definition.find_subcommand(name) else { return Self::default() };
        let arguments = subcommand.get_arguments().map(|argument| (argument, own));
        let global = definition.get_arguments().map(|argument| (argument, matches));
        let mut options = Vec::new();
        for (argument, matches) in arguments.chain(global) {
            let id = argument.get_id().as_str();
            let Some(long) = argument.get_long().filter(|long| KEPT.contains(long)) else {
                continue;
            };
            // `try_contains_id` is an error where an argument is not of this subcommand.
            let is_given = matches.try_contains_id(id).is_ok()
                && matches.value_source(id) == Some(ValueSource::CommandLine);
            let is_repeated = options.iter().any(|option: &String| {
                option.trim_start_matches('-').split(' ').next() == Some(long)
            });
            if !is_given || is_repeated {
                continue;
            }
            if matches!(argument.get_action(), ArgAction::SetTrue) {
                options.push(format!("--{long}"));
                continue;
            }
            let values: Vec<String> = matches
                .get_raw(id)
                .into_iter()
                .flatten()
                .map(|value| shell_word(&value.to_string_lossy()))
                .collect();
            if argument.get_value_delimiter().is_some() {
                options.push(format!("--{long} {}", values.join(",")));
            } else {
                options.extend(values.iter().map(|value| format!("--{long} {value}")));
            }
        }
        let has_subject = !options.iter().any(|option| option == "--demo");
        Self { subcommand: name.to_owned(), options, has_subject }
    }

    /// The command for this subject, without its output options.
    pub(crate) fn command(&self, subject: &str) -> String {
        self.command_with(subject, &[])
    }

    /// The command that judges the site as it is now, whatever recording the result is of.
    pub(crate) fn live_command(&self, subject: &str) -> String {
        let is_live = |option: &&String| !option.starts_with("--replay ");
        let options = self.options.iter().filter(is_live).cloned().collect();
        Self { options, ..self.clone() }.command(subject)
    }

    /// The same with these options, those that the call had not repeated.
    pub(crate) fn command_with(&self, subject: &str, more: &[String]) -> String {
        let subject = self.has_subject.then(|| shell_word(subject));
        let more = more.iter().filter(|option| !self.options.contains(option));
        let parts = ["visibility".to_owned(), self.subcommand.clone()].into_iter().chain(subject);
        let parts = parts.chain(self.options.iter().cloned()).chain(more.cloned());
        parts.collect::<Vec<_>>().join(" ")
    }
}

/// A word for a shell, in one line.
fn shell_word(text: &str) -> String {
    let text = cut(text, MAX_CHARS);
    let is_plain = |ch: char| ch.is_ascii_alphanumeric() || "-_./:%+,@=".contains(ch);
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    fn repeat(call: &[&str]) -> Repeat {
        let definition = Cli::command();
        let matches = definition.clone().try_get_matches_from(call).expect("good arguments");
        Repeat::from_matches(&definition, &matches)
    }

    #[test]
    fn what_leads_to_the_target_is_kept_and_the_form_of_the_output_is_not() {
        for (call, subject, expected) in [
            (
                &["visibility", "scan", "example.com", "--format", "json", "-o", "a.json", "-v"][..],
                "example.com",
                "visibility scan example.com",
            ),
            (
                &[
                    "visibility",
                    "--lang",
                    "tr",
                    "scan",
                    "localhost:8",
                    "--allow-network",
                    "127.0.0.0/8",
                    "--allow-network",
                    "::1/128",
                    "--only",
                    "sitemap,robots-txt",
                    "--no-agent-probes",
                ],
                "localhost:8",
                "visibility scan localhost:8 --only sitemap,robots-txt --allow-network 127.0.0.0/8 \
                 --allow-network ::1/128 --no-agent-probes --lang tr",
            ),
            (
                &["visibility", "scan", "--demo", "--min-score", "5"],
                "a.com",
                "visibility scan --demo",
            ),
            (
                &["visibility", "audit", "a b.html", "--url", "https://a.example/it's?a=b&c"],
                "a b.html",
                "visibility audit 'a b.html' --url 'https://a.example/it'\\''s?a=b&c'",
            ),
        ] {
            assert_eq!(repeat(call).command(subject), expected);
        }
    }

    #[test]
    fn a_recording_shows_nothing_of_the_site_as_it_is_now() {
        let repeat = repeat(&["visibility", "scan", "--replay", "site", "--lang", "tr"]);
        assert_eq!(repeat.command("a.com"), "visibility scan a.com --replay site --lang tr");
        assert_eq!(repeat.live_command("a.com"), "visibility scan a.com --lang tr");
    }

    #[test]
    fn an_option_is_not_given_twice() {
        let repeat = repeat(&["visibility", "scan", "a.com", "--allow-network", "127.0.0.0/8"]);
        let more = ["--allow-network 127.0.0.0/8".to_owned(), "--allow-network ::1/128".to_owned()];
        assert_eq!(
            repeat.command_with("a.com", &more),
            "visibility scan a.com --allow-network 127.0.0.0/8 --allow-network ::1/128"
        );
    }
}
