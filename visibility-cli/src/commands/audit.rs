//! `visibility audit`.

mod folder;
mod gates;
mod pages;
mod shared;
mod sitemap;
mod text;

use visibility_core::audit::result::AuditResult;
use visibility_core::audit::status::Status;
use visibility_core::fetch::http::HttpClient;
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::report::audit::lost::LostPoints;
use visibility_core::report::junit::FailOn;
use visibility_core::report::labels::Labels;
use visibility_core::scan::recording::{Recording, Replay};
use visibility_core::text::escape::printable;

use self::gates::AuditGates;
use self::pages::PageAuditor;
use crate::args::{AuditArgs, ReportFormat};
use crate::console::Console;
use crate::console::audit::lost;
use crate::console::progress::{ListProgress, Progress};
use crate::error::CommandError;
use crate::error::target_error::{TargetError, TargetErrorKind, TargetOutcome};
use crate::exit_code::Exit;
use crate::run::auditor::Auditor;
use crate::run::demo;
use crate::run::fix_folder::{self, FixFolder};
use crate::run::network::{self, Threads};
use crate::run::page_input::{PageInput, PageSource};
use crate::run::result_buffer::ResultBuffer;
use crate::run::robots_file;
use crate::run::tally::Tally;
use crate::run::writer::ResultWriter;

/// Runs the command.
pub(crate) fn run(arguments: &AuditArgs, console: &Console) -> Result<Exit, CommandError> {
    let labels = console.labels();
    let gates = AuditGates::new(&arguments.gates)?;
    let pages = Pages::from_arguments(arguments, labels)?;
    let demo = arguments.demo.then(demo).transpose()?;
    let auditor = Auditor {
        profile: arguments.rubric.profile.profile(),
        lang: console.lang(),
        now: arguments.rubric.now.or(demo.as_ref().map(|demo| demo.request.taken_at)),
        robots: arguments.files.robots.as_deref().map(robots_file::read).transpose()?,
        uses_proxy: arguments.network.proxy_from_env,
    };
    if arguments.show_text {
        return text::show(pages.only_one()?, &auditor, arguments, console);
    }
    if arguments.dir.is_none() {
        pages.named().try_for_each(|page| gates.check_known(page, console.repeat()))?;
    }
    let is_remote = pages.are_remote() && demo.is_none();
    if arguments.files.robots.is_some() && pages.named().all(PageInput::is_remote) {
        return Err(CommandError::usage_with(
            "`--robots` is only for files: a page on the network has a robots.txt of its own",
            "leave it out",
        ));
    }
    let client = is_remote.then(|| network::client(&arguments.network)).transpose()?;
    let fail_on = arguments.gates.fail_on.map(FailOn::from).unwrap_or_default();
    let is_shown = console.can_show_progress() && !arguments.output.no_progress;
    let progress = Progress::after_a_moment(is_shown, console.signs());
    let mut run = Run {
        writer: ResultWriter::new(console, &arguments.output, fail_on, pages.is_list())?,
        gates,
        tally: Tally::default(),
        lost: LostPoints::default(),
        is_for_people: arguments.output.format == ReportFormat::Human,
        console,
        progress: progress.clone(),
        finished: ResultBuffer::default(),
        fixes: FixFolder::from_args(&arguments.output, labels)?,
    };
    let outcome = match (demo, pages) {
        (Some(demo), Pages::One(page)) => run.take_demo(page, &auditor, &demo),
        (_, pages) => {
            let at_once = usize::from(arguments.concurrency);
            run.take_all(pages, auditor, client, at_once)
        }
    };
    progress.finish();
    if matches!(outcome, Err(CommandError::Interrupted)) && run.writer.is_list() {
        // What is done is worth keeping; the exit code says that it is not all.
        run.finished.drain().into_iter().try_for_each(|finished| run.take(finished))?;
        run.finish()?;
        return Err(CommandError::Interrupted);
    }
    outcome?;
    run.finish()
}

/// The recorded example.
fn demo() -> Result<Recording, CommandError> {
    demo::recording()
        .map_err(|error| CommandError::internal("the embedded example cannot be read", error))
}

/// What shall be audited.
enum Pages {
    /// One page.
    One(PageInput),
    /// These pages.
    Many(Vec<PageInput>),
    /// At most so many pages of a sitemap.
    Sitemap(PageUrl, usize),
}

impl Pages {
    fn from_arguments(arguments: &AuditArgs, labels: Labels) -> Result<Self, CommandError> {
        if arguments.demo {
            return Ok(Self::One(PageInput::from_argument(demo::URL, None, labels)));
        }
        if let Some(text) = &arguments.sitemap {
            let most = usize::try_from(arguments.max_pages).unwrap_or(usize::MAX);
            return Ok(Self::Sitemap(address(text, labels)?, most));
        }
        if let Some(folder) = &arguments.dir {
            let base = arguments.files.base_url.as_deref();
            let base = base.map(|base| address(base, labels)).transpose()?;
            return Ok(Self::Many(folder::pages(folder, base.as_ref(), labels)?));
        }
        let url = arguments.files.url.as_deref();
        let url = url.map(|url| address(url, labels)).transpose()?;
        let mut pages: Vec<PageInput> = arguments
            .pages
            .iter()
            .map(|text| PageInput::from_argument(text, url.as_ref(), labels))
            .collect();
        let is_one_file = matches!(
            pages.as_slice(),
            [PageInput { source: PageSource::Local(_) | PageSource::Unusable(_), .. }]
        );
        if url.is_some() && !is_one_file {
            return Err(CommandError::usage_with(
                "`--url` needs exactly one file",
                "audit one file at a time, or a folder with `--dir DIR --base-url URL`",
            ));
        }
        if pages.iter().filter(|page| page.is_stdin()).count() > 1 {
            return Err(CommandError::usage("standard input can be read only once"));
        }
        match (pages.pop(), pages.is_empty()) {
            (Some(page), true) => Ok(Self::One(page)),
            (last, _) => Ok(Self::Many(pages.into_iter().chain(last).collect())),
        }
    }

    fn is_list(&self) -> bool {
        !matches!(self, Self::One(_))
    }

    fn are_remote(&self) -> bool {
        matches!(self, Self::Sitemap(..)) || self.named().any(PageInput::is_remote)
    }

    /// Those that are known before anything is fetched.
    fn named(&self) -> impl Iterator<Item = &PageInput> {
        match self {
            Self::One(page) => std::slice::from_ref(page),
            Self::Many(pages) => pages.as_slice(),
            Self::Sitemap(..) => &[],
        }
        .iter()
    }

    fn only_one(self) -> Result<PageInput, CommandError> {
        match self {
            Self::One(page) => Ok(page),
            _ => Err(CommandError::usage_with(
                "`--show-text` needs exactly one page",
                "name one page",
            )),
        }
    }
}

/// An address that an option gives.
fn address(text: &str, labels: Labels) -> Result<PageUrl, CommandError> {
    PageUrl::from_typed(text)
        .map_err(|error| TargetError::from_url_error(&error, text, labels).into_command_error())
}

/// What a run has done so far.
struct Run<'a> {
    writer: ResultWriter<AuditResult>,
    gates: AuditGates,
    tally: Tally,
    lost: LostPoints,
    /// Whether the report itself says what was not read.
    is_for_people: bool,
    console: &'a Console,
    progress: Progress,
    /// What waits for an earlier result.
    finished: ResultBuffer<AuditResult>,
    fixes: Option<FixFolder>,
}

impl Run<'_> {
    /// Audits everything and takes the results in order.
    fn take_all(
        &mut self,
        pages: Pages,
        auditor: Auditor,
        client: Option<HttpClient>,
        at_once: usize,
    ) -> Result<(), CommandError> {
        let finished = self.finished.clone();
        match pages {
            Pages::One(page) => self.take_one(page, auditor, client),
            Pages::Many(pages) => {
                let visitor = PageAuditor::new(auditor, client, at_once);
                let progress = self.list_progress(pages.len());
                network::block_on(Threads::Many, async {
                    visitor.audit_all(pages, &finished, &progress, |done| self.take(done)).await
                })
            }
            Pages::Sitemap(url, most) => {
                let labels = self.console.labels();
                self.progress.say(&labels.sentence("audit-progress-sitemap", &[("url", &url)]));
                network::block_on(Threads::Many, async {
                    let Some(client) = client else { return Ok(()) };
                    let found = sitemap::pages(&client, &url, most, labels).await?;
                    for note in &found.notes {
                        self.progress.aside(|| self.console.note(note));
                    }
                    let visitor = PageAuditor::new(auditor, Some(client), at_once);
                    let progress = self.list_progress(found.pages.len());
                    visitor
                        .audit_all(found.pages, &finished, &progress, |done| self.take(done))
                        .await
                })
            }
        }
    }

    /// Audits the page of the recorded example.
    fn take_demo(
        &mut self,
        page: PageInput,
        auditor: &Auditor,
        demo: &Recording,
    ) -> Result<(), CommandError> {
        self.console.note(&self.console.labels().label("demo"));
        let outcome = match page.source {
            PageSource::Url(url) => network::block_on(Threads::One, async {
                Ok(auditor.visit(url, &Replay::new(demo)).await.map(|page| auditor.judge(&page)))
            })?,
            PageSource::Local(local) => auditor.audit_local(page.name.clone(), local).outcome,
            PageSource::Unusable(error) => Err(error),
        };
        self.take(TargetOutcome { subject: page.name, file: None, outcome })
    }

    fn take_one(
        &mut self,
        page: PageInput,
        auditor: Auditor,
        client: Option<HttpClient>,
    ) -> Result<(), CommandError> {
        let is_at_hand = page.is_regular_file();
        let PageInput { name, source } = page;
        match source {
            PageSource::Unusable(error) => {
                self.take(TargetOutcome { subject: name, file: None, outcome: Err(error) })
            }
            // What is at hand needs no runtime.
            PageSource::Local(local) if is_at_hand => self.take(auditor.audit_local(name, local)),
            source => {
                let labels = self.console.labels();
                self.progress.say(&labels.sentence("audit-progress-one", &[("url", &name)]));
                let visitor = PageAuditor::new(auditor, client, 1);
                let page = PageInput { name, source };
                network::block_on(Threads::One, async { self.take(visitor.audit(page).await) })
            }
        }
    }

    /// The progress of so many pages.
    fn list_progress(&self, pages: usize) -> ListProgress {
        ListProgress::new(&self.progress, self.console.labels(), "audit-progress", Some(pages))
    }

    /// Shows a result and asks the gates about it.
    fn take(&mut self, finished: TargetOutcome<AuditResult>) -> Result<(), CommandError> {
        if let (Some(fixes), Ok(result)) = (&mut self.fixes, &finished.outcome) {
            fixes.add_audit(&finished.subject, result)?;
        }
        let messages = match &finished.outcome {
            Ok(result) => self.judge(&finished.subject, result),
            Err(error) => {
                self.tally.fail(error.kind);
                Vec::new()
            }
        };
        let Self { writer, console, progress, .. } = self;
        progress.aside(|| {
            writer.write(finished)?;
            for message in &messages {
                console.say(message);
            }
            Ok(())
        })
    }

    /// Counts a result, and says why it does not pass.
    fn judge(&mut self, name: &str, result: &AuditResult) -> Vec<String> {
        let labels = self.console.labels();
        self.lost.add(result);
        self.gates.note_page(result);
        let has_page = result.status.has_page();
        if has_page {
            self.tally.good += 1;
        } else {
            self.tally.fail(TargetErrorKind::Unreachable);
        }
        let mut messages = Vec::new();
        if !has_page && !self.is_for_people && !self.console.is_quiet() {
            messages.push(printable(&format!("{name}: {}", result.summary)).into_owned());
        }
        // What cannot be reached is no worse a page than before.
        if matches!(result.status, Status::Unreachable | Status::ServerError) {
            return messages;
        }
        let reasons = self.gates.failures(name, result, labels);
        let passes = reasons.is_empty();
        messages.extend(reasons);
        if !passes {
            self.tally.failed_gates += 1;
        } else if has_page && self.gates.any() && gates::proves_little(result) {
            self.tally.low_confidence += 1;
            messages.push(labels.sentence("audit-low-confidence", &[("url", &name)]));
        }
        messages
    }

    fn finish(self) -> Result<Exit, CommandError> {
        let labels = self.console.labels();
        let is_list = self.writer.is_list();
        let table = is_list.then(|| lost::table(&self.lost, labels, crate::console::width()));
        self.writer.finish(table.as_deref().filter(|_| !self.console.is_quiet()))?;
        if let Some(fixes) = self.fixes {
            fix_folder::report(fixes, self.console)?;
        }
        let tally = &self.tally;
        if is_list {
            let count = tally.count();
            let failed = count - tally.good;
            let values: [(&'static str, &dyn ToString); 3] =
                [("count", &count), ("good", &tally.good), ("failed", &failed)];
            self.console.note(&labels.sentence("audit-summary", &values));
        }
        self.gates.check_baseline()?;
        let unknown = self.gates.unknown();
        if unknown > 0 {
            self.console.note(&labels.sentence("audit-new-pages", &[("count", &unknown)]));
        }
        Ok(tally.exit())
    }
}
