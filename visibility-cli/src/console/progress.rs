//! A line on standard error that says what is happening.

use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use visibility_core::fetch::{BoxFuture, Fetch, FetchResult, Probe};
use visibility_core::limits::USUAL_REQUESTS;
use visibility_core::report::labels::Labels;
use visibility_core::text::escape::printable;

use crate::console::signs::Signs;

/// Time between two pictures of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// The progress line; nothing is drawn when standard error is not a terminal.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    signs: Signs,
}

impl Progress {
    /// A line that appears when the work takes longer than a moment, or none.
    pub(crate) fn after_a_moment(is_shown: bool, signs: Signs) -> Self {
        let progress = Self { bar: ProgressBar::hidden(), signs };
        if is_shown {
            let later = progress.clone();
            // A thread of its own: the work itself may wait for one answer all the time.
            thread::spawn(move || {
                thread::sleep(MOMENT);
                if !later.bar.is_finished() {
                    later.show();
                }
            });
        }
        progress
    }

    fn show(&self) {
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            self.bar.set_style(style.tick_chars(self.signs.spinner()));
        }
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.enable_steady_tick(TICK);
    }

    /// Says something else.
    pub(crate) fn say(&self, text: &str) {
        self.bar.set_message(self.signs.write(&printable(text)).into_owned());
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Prints with the line out of the way.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

/// How many things of a list are done, also those that wait for an earlier one to be shown.
#[derive(Clone, Debug)]
pub(crate) struct ListProgress {
    progress: Progress,
    words: Labels,
    /// The sentence, and how many things there are if that is known.
    sentence: &'static str,
    planned: Option<usize>,
}

impl ListProgress {
    /// The progress of a list, of which nothing is done.
    pub(crate) fn new(
        progress: &Progress,
        labels: Labels,
        sentence: &'static str,
        planned: Option<usize>,
    ) -> Self {
        let list = Self { progress: progress.clone(), words: labels, sentence, planned };
        list.say(0);
        list
    }

    /// Says how many are done.
    pub(crate) fn say(&self, outcome: usize) {
        let planned = self.planned.map(|planned| planned.to_string()).unwrap_or_default();
        let values: [(&'static str, &dyn ToString); 2] =
            [("done", &outcome), ("planned", &planned)];
        self.progress.say(&self.words.sentence(self.sentence, &values));
    }
}

/// Work that takes less time shows no bar.
const MOMENT: Duration = Duration::from_secs(1);

/// A bar that counts bytes; it appears when the work takes longer than a moment.
#[derive(Debug)]
pub(crate) struct ByteBar {
    bar: ProgressBar,
    /// When it shall appear; never without.
    due: Option<Instant>,
}

impl ByteBar {
    /// A bar up to a number of bytes, or a count if the total is unknown.
    pub(crate) fn new(is_shown: bool, bytes: Option<u64>, label: String, signs: Signs) -> Self {
        let bar = ProgressBar::with_draw_target(bytes, ProgressDrawTarget::hidden());
        let template = match bytes {
            Some(_) => "{bar:20} {percent:>3}%  {bytes} / {total_bytes}  {wide_msg}",
            None => "{spinner} {bytes}  {wide_msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.tick_chars(signs.spinner()).progress_chars(signs.bar()));
        }
        bar.set_message(label);
        Self { bar, due: is_shown.then(|| Instant::now() + MOMENT) }
    }

    /// So many bytes are done.
    pub(crate) fn set(&mut self, bytes: u64) {
        if self.due.is_some_and(|due| Instant::now() >= due) {
            self.due = None;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(bytes);
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A fetcher that counts answers on the progress line.
#[derive(Debug)]
pub(crate) struct CountingFetcher<'a> {
    fetch: &'a dyn Fetch,
    progress: &'a Progress,
    domain: String,
    words: Labels,
}

impl<'a> CountingFetcher<'a> {
    /// Wraps a fetcher.
    pub(crate) fn new(
        fetch: &'a dyn Fetch,
        progress: &'a Progress,
        domain: String,
        labels: Labels,
    ) -> Self {
        let counted = Self { fetch, progress, domain, words: labels };
        counted.say(0);
        counted
    }

    fn say(&self, outcome: u64) {
        let planned = u64::from(USUAL_REQUESTS).max(outcome);
        self.progress.say(&self.words.sentence(
            "progress-requests",
            &[("domain", &self.domain), ("done", &outcome), ("planned", &planned)],
        ));
    }
}

impl Fetch for CountingFetcher<'_> {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, FetchResult> {
        Box::pin(async move {
            let answer = self.fetch.fetch(probe).await;
            self.progress.bar.inc(1);
            self.say(self.progress.bar.position());
            answer
        })
    }
}
