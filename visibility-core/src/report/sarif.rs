//! Results as SARIF 2.1.0, for code scanning and editors.
//!
//! See <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>. A check or a signal is a
//! rule; where it failed, warned or saw nothing there is a result, at the first place that decided. What
//! could not be scanned or judged is a notification. Files have addresses relative to the root of the
//! sources, as GitHub wants them; GitHub takes no results for pages on the web.

mod log;
mod text;

use crate::audit::result::AuditSignalResult;
use crate::report::annotation::{
    self, Annotation, Level, LocationSource, SourceLocation, sentences,
};
use crate::report::audit::{self as audits, Audited};
use crate::report::junit::FailedTarget;
use crate::report::labels::Labels;
use crate::report::sarif::log::{
    ArtifactLocation, Fingerprints, Help, Invocation, Location, Log, Message, Notification,
    PhysicalLocation, Region, ResultProperties, RuleProperties, SarifResult, SarifRule,
};
use crate::report::sarif::text::{file_uri, fingerprint, message, name, rich};
use crate::scan::result::{CheckResult, ScanResult};

/// GitHub refuses a run with more results, <https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support>.
const MAX_RESULTS: usize = 25_000;
/// Places of one result.
const MAX_PLACES: usize = 10;

/// Renders audits as one run. Paths of files have slashes and are relative to the root of the sources.
///
/// # Errors
///
/// When the JSON cannot be written, which no result is known to cause.
pub fn audits(results: &[Result<Audited<'_>, &FailedTarget>]) -> Result<String, serde_json::Error> {
    let lang = results.iter().flatten().next().map(|audited| audited.result.lang.as_str());
    let mut run = Run::new("visibility/audit/", Labels::for_lang(lang.unwrap_or_default()));
    for result in results {
        match result {
            Ok(audited) => run.add_audit(audited),
            Err(missing) => run.add_missing(missing),
        }
    }
    run.render()
}

/// Renders scans as one run.
///
/// # Errors
///
/// When the JSON cannot be written, which no result is known to cause.
pub fn scans(results: &[Result<&ScanResult, &FailedTarget>]) -> Result<String, serde_json::Error> {
    let lang = results.iter().flatten().next().map(|result| result.lang.as_str());
    let mut run = Run::new("visibility/scan/", Labels::for_lang(lang.unwrap_or_default()));
    for result in results {
        match result {
            Ok(result) => run.add_scan(result),
            Err(missing) => run.add_missing(missing),
        }
    }
    run.render()
}

/// A run that is being put together.
struct Run {
    category: &'static str,
    words: Labels,
    rules: Vec<SarifRule>,
    results: Vec<SarifResult>,
    notifications: Vec<Notification>,
}

impl Run {
    fn new(category: &'static str, labels: Labels) -> Self {
        let (rules, results, notifications) = (Vec::new(), Vec::new(), Vec::new());
        Self { category, words: labels, rules, results, notifications }
    }

    fn add_audit(&mut self, audited: &Audited<'_>) {
        let result = audited.result;
        let labels = Labels::for_lang(&result.lang);
        if !result.status.has_page() {
            let status = audits::status(result, labels);
            let meaning = labels.status_meaning(result.status);
            let text = sentences([status.as_str(), &result.summary, &meaning]);
            let place = annotation::page(audited);
            self.notifications.push(Notification::error(message(&text), vec![location(&place)]));
        }
        for signal in &result.signals {
            self.add_rule(&signal.id, || signal_rule(signal, labels));
        }
        for mut one in annotation::audit_annotations(audited) {
            if let Some(cap) = result.gates.iter().find(|cap| cap.signal == one.rule) {
                one.message = sentences([cap.text.as_str(), &one.message]);
            }
            self.add_result(&one, &result.url);
        }
    }

    fn add_scan(&mut self, result: &ScanResult) {
        let labels = Labels::for_result(result);
        for check in &result.checks {
            self.add_rule(&check.id, || check_rule(check, labels));
        }
        let home = format!("https://{}/", result.domain);
        for one in annotation::scan_annotations(result, &home) {
            self.add_result(&one, &home);
        }
    }

    fn add_missing(&mut self, missing: &FailedTarget) {
        let text = format!("{}: {}", missing.name, missing.message);
        self.notifications.push(Notification::error(message(&text), Vec::new()));
    }

    fn add_rule(&mut self, id: &str, rule: impl FnOnce() -> SarifRule) {
        if self.rule_index(id).is_none() {
            self.rules.push(rule());
        }
    }

    fn rule_index(&self, id: &str) -> Option<usize> {
        self.rules.iter().position(|rule| rule.id == id)
    }

    fn add_result(&mut self, one: &Annotation<'_>, about: &str) {
        let Some(rule_index) = self.rule_index(one.rule) else { return };
        let mut places = one.locations.iter().take(MAX_PLACES);
        let Some(first) = places.next() else { return };
        let related: Vec<Location> = places
            .filter(|place| place.line.is_some())
            .zip(1..)
            .map(|(place, id)| Location { id: Some(id), ..location(place) })
            .collect();
        let print = fingerprint(one.rule, about, &artifact(first.source).uri);
        self.results.push(SarifResult {
            rule_id: one.rule.to_owned(),
            rule_index,
            level: level(one.level),
            message: Message { text: message(&one.message) },
            locations: vec![location(first)],
            related_locations: related,
            partial_fingerprints: Fingerprints { line: format!("{print}:1"), finding: print },
            properties: ResultProperties {
                about: about.to_owned(),
                css: first.css.map(str::to_owned),
                points: one.points,
            },
        });
    }

    fn render(mut self) -> Result<String, serde_json::Error> {
        let execution_successful = self.notifications.is_empty();
        let left_out = keep_worst(&mut self.results, MAX_RESULTS);
        if left_out > 0 {
            let text = self.words.sentence("more", &[("count", &left_out)]);
            self.notifications.push(Notification::warning(message(&text)));
        }
        let Self { category, words: labels, rules, results, notifications } = self;
        let invocation =
            Invocation { execution_successful, tool_execution_notifications: notifications };
        let log = Log::new(labels.lang(), category, rules, results, invocation);
        Ok(serde_json::to_string_pretty(&log)? + "\n")
    }
}

/// Leaves out what is beyond a number, the mildest first; says how many that are.
fn keep_worst(results: &mut Vec<SarifResult>, max: usize) -> usize {
    let left_out = results.len().saturating_sub(max);
    if left_out > 0 {
        results.sort_by_key(|result| result.level);
        results.truncate(max);
    }
    left_out
}

fn level(level: Level) -> log::SarifLevel {
    match level {
        Level::Error => log::SarifLevel::Error,
        Level::Warning => log::SarifLevel::Warning,
        Level::Note => log::SarifLevel::Note,
    }
}

fn signal_rule(signal: &AuditSignalResult, labels: Labels) -> SarifRule {
    let grade = format!(
        "{} {}: {}",
        labels.audit("grade"),
        signal.grade.as_str(),
        labels.grade(signal.grade)
    );
    let sources = signal.sources.iter().map(|source| (source.name.as_str(), source.url.as_str()));
    let tags = [
        signal.code.clone(),
        signal.pillar.as_str().to_owned(),
        format!("grade-{}", signal.grade.as_str()),
    ];
    rule((&signal.id, &signal.title, &signal.why), &grade, sources.collect(), tags.to_vec())
}

fn check_rule(check: &CheckResult, labels: Labels) -> SarifRule {
    let maturity = labels.maturity(check.maturity);
    let sources = check.specs.iter().map(|spec| (spec.name.as_str(), spec.url.as_str()));
    let tags = vec![check.category.as_str().to_owned()];
    rule((&check.id, &check.title, &check.why), &maturity, sources.collect(), tags)
}

fn rule(
    (id, title, why): (&str, &str, &str),
    standing: &str,
    sources: Vec<(&str, &str)>,
    tags: Vec<String>,
) -> SarifRule {
    let sources: Vec<(&str, &str)> =
        sources.into_iter().filter(|(_, url)| url.starts_with("https://")).collect();
    SarifRule {
        id: id.to_owned(),
        name: name(id),
        short_description: Message { text: message(title) },
        full_description: Message { text: message(if why.is_empty() { title } else { why }) },
        help_uri: sources.first().map(|(_, url)| (*url).to_owned()),
        help: Help {
            text: message(&sentences([why, standing])),
            markdown: rich(why, standing, &sources),
        },
        properties: RuleProperties { tags },
    }
}

fn location(place: &SourceLocation<'_>) -> Location {
    let region = place.line.map(|line| Region {
        start_line: line.max(1),
        snippet: place.quote.map(|quote| Message { text: text::line(quote) }),
    });
    let artifact_location = artifact(place.source);
    let physical_location = PhysicalLocation { artifact_location, region };
    Location { id: None, physical_location }
}

fn artifact(source: LocationSource<'_>) -> ArtifactLocation {
    match source {
        LocationSource::File(path) => file_uri(path),
        LocationSource::Url(url) => ArtifactLocation { uri: text::uri(url), uri_base_id: None },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::report::{audit, sample};

    fn missing() -> FailedTarget {
        FailedTarget {
            name: "gone.html".to_owned(),
            code: "NO_FILE".to_owned(),
            message: "there is no such file".to_owned(),
        }
    }

    fn parsed(text: Result<String, serde_json::Error>) -> Value {
        serde_json::from_str(&text.unwrap()).unwrap()
    }

    #[test]
    fn runs_are_stable() {
        let (page, refused) = (audit::sample::hostile(), audit::sample::refused());
        let file = Audited { result: &page, file: Some("dist/a b.html") };
        let blocked = Audited { result: &refused, file: None };
        let gone = missing();
        insta::assert_snapshot!("of_audits", audits(&[Ok(file), Ok(blocked), Err(&gone)]).unwrap());
        insta::assert_snapshot!("of_scans", scans(&[Ok(&sample::hostile())]).unwrap());
    }

    #[test]
    fn what_could_not_be_judged_makes_the_run_unsuccessful() {
        let (page, gone) = (audit::sample::hostile(), missing());
        let good = Audited { result: &page, file: None };
        for (results, expected) in
            [(vec![Ok(good)], true), (vec![Ok(good), Err(&gone)], false), (Vec::new(), true)]
        {
            let log = parsed(audits(&results));
            assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], expected);
        }
    }

    #[test]
    fn every_result_names_its_rule_and_every_rule_is_there_once() {
        let page = audit::sample::hostile();
        let pages =
            ["a.html", "b.html"].map(|file| Ok(Audited { result: &page, file: Some(file) }));
        let log = parsed(audits(&pages));
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(rules.len(), page.signals.len());
        for result in run["results"].as_array().unwrap() {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[index]["id"], result["ruleId"]);
        }
    }

    #[test]
    fn a_fingerprint_stays_when_lines_move_and_differs_between_rules_files_and_pages() {
        let before = audit::sample::hostile();
        let mut after = before.clone();
        for evidence in after.signals.iter_mut().flat_map(|signal| &mut signal.evidence) {
            evidence.line = evidence.line.map(|line| line + 40);
            evidence.quote = Some("changed".to_owned());
        }
        let prints = |result, file| -> Vec<String> {
            let log = parsed(audits(&[Ok(Audited { result, file })]));
            let results = log["runs"][0]["results"].as_array().unwrap();
            results.iter().map(|one| one["partialFingerprints"].to_string()).collect()
        };
        let first = prints(&before, Some("a.html"));
        assert_eq!(first, prints(&after, Some("a.html")));
        // What is found in robots.txt or a sitemap is found there for every page of a site.
        let mut other = before.clone();
        other.url.push_str("?page=2");
        let more = [prints(&before, Some("b.html")), prints(&other, Some("a.html"))];
        let urls = [prints(&before, None), prints(&other, None)];
        let more = more.into_iter().chain(urls).flatten();
        let mut all: Vec<String> = first.into_iter().chain(more).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn what_is_left_out_of_a_run_is_what_is_mildest() {
        let page = audit::sample::hostile();
        let mut run = Run::new("visibility/audit/", Labels::for_lang("en"));
        for file in ["a.html", "b.html", "c.html"] {
            run.add_audit(&Audited { result: &page, file: Some(file) });
        }
        let of = |run: &Run, level| run.results.iter().filter(|one| one.level == level).count();
        assert_eq!(
            [log::SarifLevel::Error, log::SarifLevel::Warning, log::SarifLevel::Note]
                .map(|level| of(&run, level)),
            [6, 6, 3]
        );
        assert_eq!(keep_worst(&mut run.results, 15), 0);
        assert_eq!(keep_worst(&mut run.results, 8), 7);
        assert_eq!(
            [log::SarifLevel::Error, log::SarifLevel::Warning].map(|level| of(&run, level)),
            [6, 2]
        );
    }
}
