//! `visibility scan`.

mod domains;
mod gates;

use std::cell::Cell;
use std::sync::Arc;

use futures_util::StreamExt;
use tokio::sync::Semaphore;
use visibility_core::fetch::domain::Domain;
use visibility_core::fetch::site_target::{PastedUrl, SiteTarget};
use visibility_core::report::junit::FailOn;
use visibility_core::report::labels::Labels;
use visibility_core::scan::observation::DEADLINE;
use visibility_core::scan::report::Selection;
use visibility_core::scan::request::AgentProbes;
use visibility_core::scan::result::ScanResult;
use visibility_core::text::escape::printable;

use self::domains::{DomainInput, DomainInputs, SeenSites};
use self::gates::ScanGates;
use crate::args::ScanArgs;
use crate::console::Console;
use crate::console::progress::{ListProgress, Progress};
use crate::error::CommandError;
use crate::error::target_error::TargetOutcome;
use crate::exit_code::Exit;
use crate::run::fix_folder::{self, FixFolder};
use crate::run::network::{self, Threads};
use crate::run::recordings::Recordings;
use crate::run::result_buffer::ResultBuffer;
use crate::run::scanner::{ResponseSource, Scanner};
use crate::run::tally::Tally;
use crate::run::writer::ResultWriter;

/// Domains that may be done before an earlier one is, for each one that is scanned at a time.
const AHEAD: usize = 8;

/// Runs the command.
pub(crate) fn run(arguments: &ScanArgs, console: &Console) -> Result<Exit, CommandError> {
    let gates = ScanGates::new(&arguments.gates)?;
    let source = source(arguments, console)?;
    let inputs = DomainInputs::new(arguments, &source)?;
    note_hosts(&inputs, &gates, console)?;
    let selection = selection(arguments);
    if selection.is_empty() {
        return Err(CommandError::usage_with(
            "`--only` and `--skip` together leave no check to run",
            "name each check in only one of them",
        ));
    }
    if let Some(folder) = &arguments.recordings.record {
        crate::run::recordings::prepare(folder)?;
    }
    let scanner = Scanner {
        source,
        selection,
        profile: arguments.rubric.profile.surface(),
        agent_probes: if arguments.no_agent_probes { AgentProbes::Off } else { AgentProbes::On },
        lang: console.lang(),
        record: arguments.recordings.record.clone(),
        repeat: console.repeat().clone(),
    };
    let is_shown = console.can_show_progress() && !arguments.output.no_progress;
    let progress = Progress::after_a_moment(is_shown, console.signs());
    let fail_on = arguments.gates.fail_on.map(FailOn::from).unwrap_or_default();
    let inputs_are_list = inputs.is_list();
    let threads = if inputs_are_list { Threads::Many } else { Threads::One };
    let mut run = Run {
        writer: ResultWriter::new(console, &arguments.output, fail_on, inputs.is_list())?,
        gates,
        tally: Tally::default(),
        console,
        progress: progress.clone(),
        finished: ResultBuffer::default(),
        fixes: FixFolder::from_args(&arguments.output, console.labels())?,
    };
    let outcome = network::block_on(threads, async {
        if let Some(domain) = inputs.only() {
            return run.take(scanner.scan(domain, Some(&progress)).await);
        }
        run.take_all(inputs, Arc::new(scanner), usize::from(arguments.concurrency)).await
    });
    progress.finish();
    if matches!(outcome, Err(CommandError::Interrupted)) && inputs_are_list {
        // What is done is worth keeping; the exit code says that it is not all.
        run.finished.drain().into_iter().try_for_each(|scanned| run.take(scanned))?;
        run.finish()?;
        return Err(CommandError::Interrupted);
    }
    outcome?;
    run.finish()
}

/// Where the answers of the run come from.
fn source(arguments: &ScanArgs, console: &Console) -> Result<ResponseSource, CommandError> {
    if arguments.demo {
        console.note(&console.labels().label("demo"));
        return Ok(ResponseSource::Recordings(Recordings::demo()));
    }
    Ok(match &arguments.recordings.replay {
        Some(folder) => ResponseSource::Recordings(Recordings::open(folder)?),
        None => ResponseSource::Network(Box::new(network::client(&arguments.network)?)),
    })
}

/// Checks that the baseline has the named sites, and says of pasted URLs which host is scanned.
fn note_hosts(
    inputs: &DomainInputs,
    gates: &ScanGates,
    console: &Console,
) -> Result<(), CommandError> {
    for target in inputs.names().filter_map(|name| SiteTarget::parse(name).ok()) {
        gates.check_known(&target.domain, console.repeat())?;
        if let Some(pasted) = &target.pasted_url {
            console.note(&printable(&scans_host(&target.domain, pasted, console.labels())));
        }
    }
    Ok(())
}

/// Which host is scanned of a pasted URL, and how to audit the page.
fn scans_host(domain: &Domain, pasted: &PastedUrl, labels: Labels) -> String {
    let id = if pasted.is_page { "scans-host-of-page" } else { "scans-host" };
    labels.sentence(id, &[("domain", domain), ("url", &pasted.url)])
}

fn selection(arguments: &ScanArgs) -> Selection {
    let only = &arguments.rubric.only;
    Selection {
        only: (!only.is_empty()).then(|| only.iter().cloned().collect()),
        skip: arguments.rubric.skip.iter().cloned().collect(),
    }
}

/// What a run has done so far.
struct Run<'a> {
    writer: ResultWriter<ScanResult>,
    gates: ScanGates,
    tally: Tally,
    console: &'a Console,
    progress: Progress,
    /// What waits for an earlier result.
    finished: ResultBuffer<ScanResult>,
    fixes: Option<FixFolder>,
}

impl Run<'_> {
    fn words(&self) -> Labels {
        self.console.labels()
    }

    /// Scans beside each other and takes the results in the order of the inputs.
    async fn take_all(
        &mut self,
        inputs: DomainInputs,
        scanner: Arc<Scanner>,
        at_once: usize,
    ) -> Result<(), CommandError> {
        let permits = Arc::new(Semaphore::new(at_once));
        let (planned, finished) = (inputs.count(), self.finished.clone());
        let sentence = if planned.is_some() { "progress-of" } else { "progress" };
        let list = ListProgress::new(&self.progress, self.words(), sentence, planned);
        let mut seen = SeenSites::default();
        let duplicates = Cell::new(0_usize);
        let new = inputs.stream().filter(|input| {
            let is_new = input.as_ref().map_or(true, |DomainInput(text)| seen.is_new(text));
            duplicates.update(|count| count + usize::from(!is_new));
            std::future::ready(is_new)
        });
        let scans = new.enumerate().map(|(place, input)| {
            let (scanner, permits) = (Arc::clone(&scanner), Arc::clone(&permits));
            let (finished, list) = (finished.clone(), list.clone());
            async move {
                let DomainInput(domain) = input?;
                let task = tokio::spawn({
                    let (domain, finished) = (domain.clone(), finished.clone());
                    async move {
                        let _permit = permits.acquire().await;
                        list.say(finished.put(place, scanner.scan(&domain, None).await));
                    }
                });
                if let Err(error) = task.await {
                    finished.put(place, TargetOutcome::broken(domain, &error));
                }
                Ok::<_, CommandError>(place)
            }
        });
        let mut scans = std::pin::pin!(scans.buffered(at_once * AHEAD));
        while let Some(place) = scans.next().await {
            if let Some(scanned) = finished.take(place?) {
                self.take(scanned)?;
            }
        }
        if duplicates.get() > 0 {
            let sentence = self.words().sentence("duplicates", &[("count", &duplicates.get())]);
            self.progress.aside(|| self.console.note(&sentence));
        }
        if self.tally.count() == 0 {
            return Err(CommandError::usage_with(
                "the list has no domains",
                "write one domain per line",
            ));
        }
        Ok(())
    }

    /// Shows a result and asks the gates about it.
    fn take(&mut self, scanned: TargetOutcome<ScanResult>) -> Result<(), CommandError> {
        if let (Some(fixes), Ok(result)) = (&mut self.fixes, &scanned.outcome) {
            fixes.add_scan(result)?;
        }
        let mut messages = Vec::new();
        let mut note = None;
        match &scanned.outcome {
            Ok(result) => {
                let cut_short = result.observations.iter().find(|seen| seen.id == DEADLINE);
                note = cut_short.map(|seen| format!("{}: {}", result.domain, seen.text));
                self.tally.good += 1;
                messages = self.gates.failures(result, self.console.labels());
                if !messages.is_empty() {
                    self.tally.failed_gates += 1;
                } else if self.gates.any() && result.confidence == "low" {
                    self.tally.low_confidence += 1;
                    let domain: &str = &result.domain;
                    messages.push(self.words().sentence("low-confidence", &[("domain", &domain)]));
                }
            }
            Err(error) => self.tally.fail(error.kind),
        }
        let Self { writer, console, progress, .. } = self;
        progress.aside(|| {
            writer.write(scanned)?;
            if let Some(note) = note {
                console.note(&printable(&note));
            }
            for message in &messages {
                console.say(message);
            }
            Ok(())
        })
    }

    fn finish(self) -> Result<Exit, CommandError> {
        let labels = self.words();
        let is_list = self.writer.is_list();
        self.writer.finish(None)?;
        if let Some(fixes) = self.fixes {
            fix_folder::report(fixes, self.console)?;
        }
        let tally = &self.tally;
        if is_list {
            let count = tally.count();
            let failed = count - tally.good;
            let summary = labels.sentence(
                "summary",
                &[("count", &count), ("good", &tally.good), ("failed", &failed)],
            );
            self.console.note(&summary);
        }
        Ok(tally.exit())
    }
}
