//! The pieces that every report for a terminal is made of.

use visibility_core::finding::Verdict;
use visibility_core::report::escape::printable_lines;
use visibility_core::report::words::{Words, points, sign};

use crate::console::style::{BAD, DIM, FAIR, HEADING, HINT, of_verdict, paint};
use crate::console::text::{columns, cut, pad, wrap};

/// Lines of a snippet that are shown; the machine forms have all of it.
const MAX_SNIPPET_LINES: usize = 14;

/// What a report is written on: words in one language, and so many columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    pub(super) words: Words,
    pub(super) width: usize,
}

impl Page {
    /// A text behind a first indent; later lines stand below its beginning.
    pub(super) fn hanging(self, first: &str, text: &str) -> String {
        let indent = columns(first);
        let lines = wrap(text, self.width.saturating_sub(indent).max(20));
        let mut written = String::new();
        for (index, line) in lines.iter().enumerate() {
            let lead = if index == 0 { first.to_owned() } else { " ".repeat(indent) };
            written.push_str(&format!("{lead}{line}\n"));
        }
        written
    }

    /// The title of a part of the rubric, with its points at the end of the line.
    pub(super) fn group(self, title: &str, earned: &str) -> String {
        let title = cut(title, 40);
        let gap = self.width.saturating_sub(columns(&title) + columns(earned));
        format!("{}{}{earned}\n", paint(HEADING, &title), " ".repeat(gap))
    }

    /// The title of a member of such a part, with its sign, and its points at the end of the line.
    pub(super) fn member(self, verdict: Verdict, title: &str, earned: &str) -> String {
        let style = of_verdict(verdict);
        let title = cut(title, self.width.saturating_sub(columns(earned) + 8));
        let gap = self.width.saturating_sub(columns(&title) + columns(earned) + 4);
        format!(
            "  {} {title}{}{}\n",
            paint(style.bold(), sign(verdict)),
            " ".repeat(gap),
            paint(style, earned)
        )
    }

    /// What caps the score.
    pub(super) fn cap(self, text: &str) -> String {
        self.hanging("  ▼ ", text).replacen('▼', &paint(BAD, "▼"), 1)
    }

    /// What cost points.
    pub(super) fn loss(self, lost: f64, verdict: Verdict, text: &str) -> String {
        let lost = format!("−{}", points(lost));
        let lines = self.hanging(&format!("  {} ", pad(&lost, 5)), text);
        lines.replacen(&lost, &paint(of_verdict(verdict), &lost), 1)
    }

    /// How many more there are, if there are any.
    pub(super) fn more(self, count: usize) -> String {
        if count == 0 {
            return String::new();
        }
        let more = self.words.sentence("more", &[("count", &count)]);
        format!("  {}\n", paint(DIM, &more))
    }

    /// What to do.
    pub(super) fn hint(self, hint: &str) -> String {
        let label = self.words.label("fix");
        let lines = self.hanging("    ", &format!("{label} {hint}"));
        lines.replacen(&label, &paint(HINT, &label), 1)
    }

    /// Something to paste, or its beginning.
    pub(super) fn snippet(self, snippet: &str) -> String {
        let snippet = printable_lines(snippet);
        let count = snippet.lines().count();
        let mut text = String::new();
        for line in snippet.lines().take(MAX_SNIPPET_LINES) {
            text.push_str(&format!("      {} {line}\n", paint(DIM, "│")));
        }
        if count > MAX_SNIPPET_LINES {
            let rest = count - MAX_SNIPPET_LINES;
            let more = self.words.sentence("more-lines", &[("count", &rest)]);
            text.push_str(&format!("      {} {}\n", paint(DIM, "│"), paint(DIM, &more)));
        }
        text
    }
}

/// The heading of a section.
pub(super) fn heading(text: &str) -> String {
    format!("{}\n", paint(HEADING, text))
}

/// Lines that matter less.
pub(super) fn dim_lines(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", paint(DIM, line))).collect()
}

/// A bar of so many columns, filled to this share.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the share lies between 0 and 1"
)]
pub(super) fn bar(share: f64, width: u32, style: anstyle::Style) -> String {
    let filled = (share.clamp(0.0, 1.0) * f64::from(width)).round() as usize;
    let rest = "░".repeat((width as usize).saturating_sub(filled));
    format!("{}{}", paint(style, &"█".repeat(filled)), paint(FAIR.dimmed(), &rest))
}
