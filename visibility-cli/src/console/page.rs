//! Building blocks of reports for a terminal.

use visibility_core::report::labels::{Labels, sign};
use visibility_core::report::paste::PasteBlock;
use visibility_core::report::reach::Reach;
use visibility_core::rubric::finding::Verdict;
use visibility_core::text::escape::printable_lines;

use crate::console::style::{BAD, DIM, FAIR, GOOD, HEADING, HINT, for_verdict, paint};
use crate::console::text::{columns, cut, pad, wrap};

/// Lines of what there is to paste, where not all of it is shown.
const MAX_PASTE_LINES: usize = 6;
/// Columns for the dots behind a sentence that is cut, in Unicode or in ASCII.
const MORE: usize = 4;
/// Columns of an ordinary terminal.
const USUAL_WIDTH: usize = 80;
/// Lines of a sentence, where not all of it is shown, on an ordinary terminal.
const MAX_LINES: usize = 3;
/// Columns of a bar, at most.
const MAX_BAR: u32 = 40;
/// Before what belongs to a step.
const STEP_INDENT: &str = "           ";

/// How much of a result is shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Detail {
    /// What decides, and what to do.
    Brief,
    /// Everything.
    Whole,
}

/// What a report is written on: words in one language, so many columns, and so much of the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct TerminalPage {
    pub(super) labels: Labels,
    pub(super) width: usize,
    pub(super) detail: Detail,
}

/// One step of a plan.
#[derive(Debug)]
pub(super) struct StepView<'a> {
    /// Points that it brings.
    pub(super) gain: String,
    /// Title, id and effort.
    pub(super) title: String,
    /// What was found; empty if that is not known.
    pub(super) found: &'a str,
    pub(super) hint: &'a str,
    /// What else it leads to.
    pub(super) consequences: Vec<String>,
    pub(super) paste: Vec<PasteBlock<'a>>,
    /// A label, and the placeholders that a person has to fill.
    pub(super) needs_input: (String, &'a [String]),
    pub(super) note: Option<&'a str>,
}

impl TerminalPage {
    pub(super) fn is_brief(self) -> bool {
        self.detail == Detail::Brief
    }

    /// A text behind a first indent; later lines are below its beginning.
    pub(super) fn hanging(self, first: &str, text: &str) -> String {
        self.hanging_lines(first, text, usize::MAX)
    }

    /// The same; a brief report shows a few lines of it.
    pub(super) fn limited(self, first: &str, text: &str) -> String {
        // A narrow terminal shows as much of a sentence on more lines.
        let most = (MAX_LINES * USUAL_WIDTH).div_ceil(self.width.clamp(1, USUAL_WIDTH));
        self.hanging_lines(first, text, if self.is_brief() { most } else { usize::MAX })
    }

    fn hanging_lines(self, first: &str, text: &str, most: usize) -> String {
        let indent = columns(first);
        let room = self.width.saturating_sub(indent).max(20);
        let mut lines = wrap(text, room);
        if lines.len() > most {
            lines.truncate(most);
            let last = lines.pop().unwrap_or_default();
            let last = wrap(&last, room.saturating_sub(MORE)).into_iter().next();
            lines.extend(last.map(|last| format!("{last} …")));
        }
        let mut written = String::new();
        for (index, line) in lines.iter().enumerate() {
            let lead = if index == 0 { first.to_owned() } else { " ".repeat(indent) };
            written.push_str(&format!("{lead}{line}\n"));
        }
        written
    }

    /// The title of a part of the rubric, with its points at the end of the line.
    pub(super) fn group(self, title: &str, earned: &str) -> String {
        let title = cut(title, self.width.saturating_sub(columns(earned) + 1).min(40));
        let gap = self.width.saturating_sub(columns(&title) + columns(earned));
        format!("{}{}{earned}\n", paint(HEADING, &title), " ".repeat(gap))
    }

    /// The title of a member of such a part, with its sign, and its points at the end of the line.
    pub(super) fn member(self, verdict: Verdict, title: &str, earned: &str) -> String {
        let style = for_verdict(verdict);
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

    /// What to do, in order. A brief report shows the beginning of what the first step has to paste.
    /// `first` is the number of the first one.
    pub(super) fn steps(self, steps: &[StepView<'_>], first: usize, most: usize) -> String {
        let mut text = String::new();
        let most = if self.is_brief() { most } else { usize::MAX };
        for (index, step) in steps.iter().take(most).enumerate() {
            text.push_str(&self.step(first + index, step));
        }
        let left_out = steps.len().saturating_sub(most);
        if left_out > 0 {
            let more = self.labels.sentence("more-verbose", &[("count", &left_out)]);
            text.push_str(&dim_lines(&self.hanging("  ", &more)));
        }
        text
    }

    fn step(self, number: usize, step: &StepView<'_>) -> String {
        let lead = format!("{:>3}. {} ", number, pad(&step.gain, 5));
        let title = self.hanging(&lead, &step.title);
        let mut text = title.replacen(&step.gain, &paint(GOOD, &step.gain), 1);
        text.push_str(&dim_lines(&self.limited(STEP_INDENT, step.found)));
        text.push_str(&self.hint(STEP_INDENT, step.hint));
        for sentence in &step.consequences {
            text.push_str(&self.limited(STEP_INDENT, sentence));
        }
        if !self.is_brief() || number == 1 {
            let (label, names) = &step.needs_input;
            text.push_str(&self.paste(STEP_INDENT, &step.paste, (label, names), step.note));
        }
        text
    }

    /// What to do.
    pub(super) fn hint(self, indent: &str, hint: &str) -> String {
        if hint.is_empty() {
            return String::new();
        }
        let label = self.labels.label("fix");
        let lines = self.limited(indent, &format!("{label} {hint}"));
        lines.replacen(&label, &paint(HINT, &label), 1)
    }

    /// What there is to paste: every block of it, or the beginning of the first one.
    pub(super) fn paste(
        self,
        indent: &str,
        blocks: &[PasteBlock<'_>],
        (label, names): (&str, &[String]),
        note: Option<&str>,
    ) -> String {
        let mut text: String = note.map(|note| self.limited(indent, note)).unwrap_or_default();
        let all: usize = blocks.iter().map(|block| block.content.lines().count()).sum();
        let mut room = if self.is_brief() { MAX_PASTE_LINES } else { usize::MAX };
        for block in blocks {
            if room == 0 {
                break;
            }
            let heading = block.heading.as_deref();
            text.extend(heading.map(|heading| dim_lines(&self.hanging(indent, heading))));
            for line in printable_lines(block.content).lines().take(room) {
                text.push_str(&format!("{indent}{} {line}\n", paint(DIM, "│")));
            }
            room = room.saturating_sub(block.content.lines().count());
        }
        if self.is_brief() && all > MAX_PASTE_LINES {
            let rest = all - MAX_PASTE_LINES;
            let more = self.labels.sentence("more-lines-verbose", &[("count", &rest)]);
            text.push_str(&format!("{indent}{} {}\n", paint(DIM, "│"), paint(DIM, &more)));
        }
        if !names.is_empty() {
            text.push_str(&self.limited(indent, &format!("{label} {}", names.join(", "))));
        }
        text
    }

    /// How many agents reach the site, and what keeps the others out.
    pub(super) fn reach(self, reach: &Reach<'_>) -> String {
        let mut text = self.hanging("  ", &reach.sentence(self.labels));
        for one in &reach.exceptions {
            let sign = sign(one.verdict);
            let lines = self.limited(
                &format!("  {sign} "),
                &format!("{} ({}): {}", one.reason, one.agents.len(), one.names()),
            );
            text.push_str(&lines.replacen(sign, &paint(for_verdict(one.verdict), sign), 1));
        }
        text
    }

    /// The score again, and commands that go on from here.
    pub(super) fn end(self, score_line: &str, commands: &[(String, String)]) -> String {
        let mut text = format!("{score_line}\n");
        let widest = |side: fn(&(String, String)) -> &str| {
            commands.iter().map(|pair| columns(side(pair))).max().unwrap_or_default()
        };
        let (widest, meaning) = (widest(|pair| &pair.0), widest(|pair| &pair.1));
        let fits = widest + meaning + 4 <= self.width;
        for (command, what) in commands {
            let shown = paint(HINT, command);
            if fits {
                let gap = " ".repeat(widest - columns(command) + 2);
                text.push_str(&format!("  {shown}{gap}{}\n", paint(DIM, what)));
            } else {
                text.push_str(&format!("  {shown}\n{}", dim_lines(&self.hanging("      ", what))));
            }
        }
        text
    }
}

/// The heading of a section.
pub(crate) fn heading(text: &str) -> String {
    format!("{}\n", paint(HEADING, text))
}

/// Lines that matter less.
pub(super) fn dim_lines(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", paint(DIM, line))).collect()
}

/// A bar of so many columns or fewer, filled to this share.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the share lies between 0 and 1"
)]
pub(super) fn bar(share: f64, width: usize, style: anstyle::Style) -> String {
    let width = u32::try_from(width).unwrap_or(MAX_BAR).min(MAX_BAR);
    let filled = (share.clamp(0.0, 1.0) * f64::from(width)).round() as usize;
    let rest = "░".repeat((width as usize).saturating_sub(filled));
    format!("{}{}", paint(style, &"█".repeat(filled)), paint(FAIR.dimmed(), &rest))
}
