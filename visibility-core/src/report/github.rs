//! Results as workflow commands, which GitHub shows as annotations.
//!
//! See <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>. GitHub
//! shows ten errors, ten warnings and ten notices of a step, so what brings most comes first. A command
//! is one line, and whatever a stranger wrote is in it escaped, so that it cannot begin another.

use crate::report::annotation::{
    self, Annotation, Level, LocationSource, SourceLocation, sentences,
};
use crate::report::audit::{self as audits, Audited};
use crate::report::junit::FailedTarget;
use crate::report::labels::Labels;
use crate::scan::result::ScanResult;
use crate::text::escape::printable;
use crate::text::excerpt::is_unprintable;

/// Characters of a message.
const MAX_MESSAGE_CHARS: usize = 1_000;
const MAX_TITLE_CHARS: usize = 200;

/// An audit: the score, what holds it down, then what failed and what warned.
pub fn audit(audited: &Audited<'_>) -> String {
    let result = audited.result;
    let labels = Labels::for_lang(&result.lang);
    let page = annotation::page(audited);
    let label = labels.audit("badge");
    if !result.status.has_page() {
        let status = audits::status(result, labels);
        let meaning = labels.status_meaning(result.status);
        let message = sentences([status.as_str(), &result.summary, &meaning]);
        return Command { name: "error", place: page, title: &label }.line(&message, labels);
    }
    let band = audits::band(result, labels);
    let mut score =
        labels.sentence("notice", &[("score", &result.gpt_visibility_score), ("label", &band)]);
    if let Some(raw) = audits::before_gates(result, labels) {
        score.push_str(", ");
        score.push_str(&raw);
    }
    let mut text = Command { name: "notice", place: page, title: &label }.line(&score, labels);
    let found = annotation::audit_annotations(audited);
    for cap in &result.gates {
        let closed_by = found.iter().find(|one| one.rule == cap.signal);
        let place = closed_by.and_then(|one| one.locations.first().copied()).unwrap_or(page);
        let title = format!("{}: {}", labels.audit("gate"), cap.id.as_str());
        text.push_str(&Command { name: "error", place, title: &title }.line(&cap.text, labels));
    }
    text.extend(found.iter().map(|one| line(one, labels)));
    text
}

/// A scan: the score, what caps it, then what failed and what warned.
pub fn scan(result: &ScanResult) -> String {
    let labels = Labels::for_result(result);
    let home = format!("https://{}/", result.domain);
    let place = SourceLocation::url(&home);
    let label = labels.label("badge");
    let score = match (result.score, &result.tier_label) {
        (Some(score), Some(tier)) => {
            labels.sentence("notice", &[("score", &score), ("label", tier)])
        }
        _ => labels.label("no-score"),
    };
    let mut text = Command { name: "notice", place, title: &label }.line(&score, labels);
    for cap in &result.caps {
        let title = format!("{}: {}", labels.label("held-down"), cap.id);
        text.push_str(&Command { name: "error", place, title: &title }.line(&cap.text, labels));
    }
    text.extend(annotation::scan_annotations(result, &home).iter().map(|one| line(one, labels)));
    text
}

/// What has no result, and why.
pub fn failed_target(missing: &FailedTarget) -> String {
    let message = format!("{}: {}", printable(&missing.name), printable(&missing.message));
    format!("::error title={}::{}\n", property(&missing.code), data(&message))
}

/// What could not be seen is not an annotation.
fn line(one: &Annotation<'_>, labels: Labels) -> String {
    let name = match one.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => return String::new(),
    };
    let (Some(place), title) = (one.locations.first().copied(), one.title) else {
        return String::new();
    };
    Command { name, place, title }.line(&one.message, labels)
}

/// A command without its message.
struct Command<'a> {
    name: &'static str,
    place: SourceLocation<'a>,
    title: &'a str,
}

impl Command<'_> {
    /// The command as a line. Only files can be annotated; addresses are in the message.
    fn line(&self, message: &str, labels: Labels) -> String {
        let Self { name, place, title } = self;
        let title = property(title);
        match place.source {
            LocationSource::File(file) => {
                let line = place.line.unwrap_or(1);
                let file = path(file);
                format!("::{name} file={file},line={line},title={title}::{}\n", data(message))
            }
            LocationSource::Url(url) => {
                let line = place
                    .line
                    .map(|line| format!(", {}", labels.sentence("line", &[("line", &line)])));
                let message = format!("{url}{}: {message}", line.unwrap_or_default());
                format!("::{name} title={title}::{}\n", data(&message))
            }
        }
    }
}

/// Text as the message of a command.
fn data(text: &str) -> String {
    encoded(&short(text, MAX_MESSAGE_CHARS))
}

/// Text as a property of a command.
fn property(text: &str) -> String {
    separated(&encoded(&short(text, MAX_TITLE_CHARS)))
}

/// A path as a property of a command: whole, since it has to be found.
fn path(path: &str) -> String {
    let shown: String = path
        .chars()
        .map(|ch| if is_unprintable(ch) && !is_line_end(ch) { ' ' } else { ch })
        .collect();
    separated(&encoded(&shown))
}

fn short(text: &str, max_chars: usize) -> String {
    printable(text).trim().chars().take(max_chars).collect()
}

fn encoded(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn separated(text: &str) -> String {
    text.replace(':', "%3A").replace(',', "%2C")
}

fn is_line_end(ch: char) -> bool {
    matches!(ch, '\r' | '\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{audit as audits, sample};

    #[test]
    fn commands_are_stable() {
        let (page, refused) = (audits::sample::hostile(), audits::sample::refused());
        let file = Audited { result: &page, file: Some("dist/a, 100%: b.html") };
        insta::assert_snapshot!("of_a_file", audit(&file));
        insta::assert_snapshot!("of_an_address", audit(&Audited { result: &page, file: None }));
        insta::assert_snapshot!("of_no_page", audit(&Audited { result: &refused, file: None }));
        insta::assert_snapshot!("of_a_site", scan(&sample::hostile()));
    }

    #[test]
    fn strangers_text_begins_no_command_and_ends_no_property() {
        let mut page = audits::sample::hostile();
        let attack = "a\r\n::error file=x::pwned\n%0A::stop-commands::x\u{2028}::b";
        page.summary = attack.to_owned();
        page.gates[0].text = attack.to_owned();
        page.signals[2].summary = attack.to_owned();
        page.signals[2].title = attack.to_owned();
        page.fixes[0].hint = attack.to_owned();
        let text = audit(&Audited { result: &page, file: Some("a\n::error::b,title=c.html") });
        for line in text.lines() {
            let (command, rest) = line.split_once(' ').unwrap();
            assert!(["::notice", "::error", "::warning"].contains(&command), "{line}");
            let (properties, message) = rest.split_once("::").unwrap();
            let keys: Vec<&str> = properties.split(',').map(until_equals).collect();
            assert_eq!(keys, ["file", "line", "title"], "{line}");
            assert!(!message.contains("%0A::") && !message.contains('\u{2028}'), "{line}");
        }
        assert!(text.contains("file=a%0A%3A%3Aerror%3A%3Ab%2Ctitle=c.html,line=1,"), "{text}");
        assert!(text.contains("%250A"), "{text}");
    }

    fn until_equals(text: &str) -> &str {
        text.split('=').next().unwrap_or_default()
    }

    #[test]
    fn the_score_comes_first_then_gates_then_what_brings_most() {
        let page = audits::sample::hostile();
        let text = audit(&Audited { result: &page, file: Some("a.html") });
        let names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
        let expected =
            ["::notice", "::error", "::error", "::error", "::warning", "::error", "::warning"];
        assert_eq!(names, expected);
    }

    #[test]
    fn what_has_no_result_is_an_error() {
        let gone = FailedTarget {
            name: "gone.html".to_owned(),
            code: "NO_FILE".to_owned(),
            message: "there is\nno such file".to_owned(),
        };
        assert_eq!(
            failed_target(&gone),
            "::error title=NO_FILE::gone.html: there is no such file\n"
        );
    }
}
