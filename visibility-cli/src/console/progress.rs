//! A line on standard error that says what is happening.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use visibility_core::fetch::{Answer, BoxFuture, Fetch, Probe};

/// Time between two pictures of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// The line; nothing is drawn where nobody sees it.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A line, or none.
    pub(crate) fn new(is_shown: bool) -> Self {
        if !is_shown {
            return Self { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(TICK);
        Self { bar }
    }

    /// Says something else.
    pub(crate) fn say(&self, text: String) {
        self.bar.set_message(text);
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

/// A fetcher that counts answers on the progress line.
#[derive(Debug)]
pub(crate) struct Counted<'a> {
    fetch: &'a dyn Fetch,
    progress: &'a Progress,
    label: String,
}

impl<'a> Counted<'a> {
    /// Wraps a fetcher.
    pub(crate) fn new(fetch: &'a dyn Fetch, progress: &'a Progress, label: String) -> Self {
        Self { fetch, progress, label }
    }
}

impl Fetch for Counted<'_> {
    fn fetch<'a>(&'a self, probe: &'a Probe) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let answer = self.fetch.fetch(probe).await;
            self.progress.bar.inc(1);
            let count = self.progress.bar.position();
            self.progress.say(format!("{}  {count}", self.label));
            answer
        })
    }
}
