//! Pieces that the reports in HTML are made of.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::report::labels::{Labels, sign};
use crate::report::paste::PasteBlock;
use crate::report::product;
use crate::report::scale::Scale;
use crate::rubric::finding::Verdict;
use crate::text::locale::Lang;
use crate::text::markup::{lines, sentence, shown};

const STYLE: &str = include_str!("style.css");

/// A file: no scripts, no foreign requests.
pub(in crate::report) struct HtmlDocument<'a> {
    pub(in crate::report) lang: Lang,
    pub(in crate::report) title: &'a str,
    /// What is before `main`.
    pub(in crate::report) banner: &'a Markup,
    /// What is behind `main`.
    pub(in crate::report) foot: &'a Markup,
}

impl HtmlDocument<'_> {
    /// The file with these sections.
    pub(in crate::report) fn render(&self, sections: &[Markup]) -> Markup {
        html! {
            (DOCTYPE)
            html lang=(self.lang) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                    title { (shown(self.title)) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    (self.banner)
                    main { @for section in sections { (section) } }
                    (self.foot)
                }
            }
        }
    }
}

/// The place of a report in a document: the whole of it, or one of several.
#[derive(Clone, Debug)]
pub(in crate::report) struct Frame {
    pub(in crate::report) labels: Labels,
    /// Before every id, so that each is there once.
    prefix: String,
    /// Levels that headings lie below those of a report that is the whole document.
    depth: u8,
}

impl Frame {
    /// A report that is the whole document.
    pub(in crate::report) fn alone(labels: Labels) -> Self {
        Self { labels, prefix: String::new(), depth: 0 }
    }

    /// One of several reports in a document, counted from 1.
    pub(in crate::report) fn one_of_several(labels: Labels, number: usize) -> Self {
        Self { labels, prefix: format!("site-{number}-"), depth: 1 }
    }

    /// An id that the document has once.
    pub(in crate::report) fn id(&self, id: &str) -> String {
        format!("{}{id}", self.prefix)
    }

    /// The id of a check or a signal.
    pub(in crate::report) fn check_id(&self, check: &str) -> String {
        self.id(&format!("check-{check}"))
    }

    /// A heading.
    pub(in crate::report) fn heading(&self, level: u8, content: &Markup) -> Markup {
        heading(level + self.depth, (None, None), content)
    }

    /// The heading of a whole report, which is a target of links.
    pub(in crate::report) fn title(&self, text: &str) -> Markup {
        heading(1 + self.depth, (None, Some("title")), &html! { (shown(text)) })
    }

    /// A section with its heading. Sections are not landmarks: there are many, and the headings lead through them.
    pub(in crate::report) fn section(&self, id: &str, title: &str, body: &Markup) -> Markup {
        let id = self.id(id);
        html! {
            section {
                (heading(2 + self.depth, (Some(&id), None), &html! { (shown(title)) }))
                (body)
            }
        }
    }

    /// What caps the score, and why.
    pub(in crate::report) fn caps<'a>(
        &self,
        id: &str,
        heading: &str,
        reasons: impl Iterator<Item = &'a str>,
    ) -> Markup {
        let mut reasons = reasons.peekable();
        if reasons.peek().is_none() {
            return html! {};
        }
        let lines = html! { @for text in reasons { p.cap { (sentence(text)) } } };
        self.section(id, heading, &lines)
    }

    /// Parts of the rubric with their points, as cards.
    pub(in crate::report) fn cards(
        &self,
        id: &str,
        heading: &str,
        cards: &[Markup],
        scale: Scale,
    ) -> Markup {
        if cards.is_empty() {
            return html! {};
        }
        let note = scale
            .division(self.labels)
            .map(|division| self.labels.sentence("division-note", &[("division", &division)]));
        let body = html! {
            dl.cards { @for card in cards { (card) } }
            @if let Some(note) = note { p.note { (note) } }
        };
        self.section(id, heading, &body)
    }

    /// Evidence under its heading, which is none of the outline: a check may be folded where no heading of the level
    /// above is before it.
    pub(in crate::report) fn evidence(&self, items: &[Markup]) -> Markup {
        html! {
            @if !items.is_empty() {
                p { strong { (self.labels.label("evidence")) } }
                ul.evidence { @for item in items { (item) } }
            }
        }
    }

    /// What passed and what does not count, closed, after what asks for work.
    pub(in crate::report) fn folded(&self, sentence: &str, members: &[Markup]) -> Markup {
        html! {
            @if !members.is_empty() {
                details.more {
                    summary { (self.labels.sentence(sentence, &[("count", &members.len())])) }
                    div { @for member in members { (member) } }
                }
            }
        }
    }

    /// A table that scrolls by itself on narrow screens; each column has a title, and may be one of numbers.
    pub(in crate::report) fn table(
        &self,
        labelled_by: &str,
        columns: &[(String, bool)],
        bodies: &[Markup],
    ) -> Markup {
        html! {
            div.scroll tabindex="0" role="group" aria-labelledby=(self.id(labelled_by)) {
                table {
                    thead {
                        tr {
                            @for (title, is_number) in columns {
                                th scope="col" class=[is_number.then_some("number")] { (title) }
                            }
                        }
                    }
                    @for body in bodies { tbody { (body) } }
                }
            }
        }
    }
}

/// A heading of a level, with an id and a class if it has them. No level is below the sixth.
fn heading(level: u8, (id, class): (Option<&str>, Option<&str>), content: &Markup) -> Markup {
    html! {
        @match level {
            1 => { h1 id=[id] class=[class] { (content) } }
            2 => { h2 id=[id] class=[class] { (content) } }
            3 => { h3 id=[id] class=[class] { (content) } }
            4 => { h4 id=[id] class=[class] { (content) } }
            5 => { h5 id=[id] class=[class] { (content) } }
            _ => { h6 id=[id] class=[class] { (content) } }
        }
    }
}

/// What there is to paste, block by block, with what a person has to know and to fill in.
#[derive(Clone, Copy)]
pub(in crate::report) struct Paste<'a> {
    pub(in crate::report) blocks: &'a [PasteBlock<'a>],
    /// Names of the texts to fill in, behind their label.
    pub(in crate::report) needs_input: (&'a str, &'a [String]),
    pub(in crate::report) note: Option<&'a str>,
}

impl Paste<'_> {
    pub(in crate::report) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.needs_input.1.is_empty() && self.note.is_none()
    }

    pub(in crate::report) fn render(&self) -> Markup {
        let (label, names) = self.needs_input;
        html! {
            @if let Some(note) = self.note { p.note { (sentence(note)) } }
            @for block in self.blocks {
                figure.paste {
                    @if let Some(heading) = &block.heading { figcaption { (sentence(heading)) } }
                    pre tabindex="0" { (lines(block.content)) }
                }
            }
            @if !names.is_empty() {
                p {
                    (label) " "
                    @for (index, name) in names.iter().enumerate() {
                        @if index > 0 { ", " }
                        code { (shown(name)) }
                    }
                }
            }
        }
    }

    /// The same closed; nothing if there is nothing.
    pub(in crate::report) fn folded(&self, labels: Labels) -> Markup {
        html! {
            @if !self.is_empty() {
                details.plain {
                    summary { (labels.label("paste")) }
                    (self.render())
                }
            }
        }
    }
}

/// The score as a ring, colored by a class of the style sheet.
pub(in crate::report) fn ring(score: u8, class: &str, label: &str) -> Markup {
    let class = format!("ring {class}");
    html! {
        svg class=(shown(class)) viewBox="0 0 120 120" role="img" aria-label={ (label) ": " (score) " / 100" } {
            circle class="track" cx="60" cy="60" r="52" {}
            circle class="value" cx="60" cy="60" r="52" pathLength="100" stroke-dasharray={ (score) " 100" } {}
            text x="60" y="66" class="number" { (score) }
            text x="60" y="84" class="of" { "/ 100" }
        }
    }
}

/// A part of the rubric as a card, one of several in a `dl`.
pub(in crate::report) fn card(title: &str, earned: f64, max: f64, scale: Scale) -> Markup {
    let share = if max > 0.0 { (100.0 * earned / max).clamp(0.0, 100.0) } else { 0.0 };
    html! {
        div {
            dt { (shown(title)) }
            dd {
                b { (scale.earned(earned, max)) }
                (bar(&format!("{share:.0}")))
            }
        }
    }
}

/// A bar that is full at 100 percent.
pub(in crate::report) fn bar(percent: &str) -> Markup {
    html! { span.bar aria-hidden="true" { span style={ "width:" (percent) "%" } {} } }
}

/// A check or a signal, to open.
pub(in crate::report) struct FoldedItem<'a> {
    pub(in crate::report) id: &'a str,
    pub(in crate::report) verdict: Verdict,
    pub(in crate::report) title: &'a str,
    pub(in crate::report) earned: &'a str,
}

impl FoldedItem<'_> {
    /// The fold with this in it; what asks for work is open.
    pub(in crate::report) fn render(&self, body: &Markup, frame: &Frame) -> Markup {
        let is_open = matches!(self.verdict, Verdict::Fail | Verdict::Warn);
        html! {
            details.check id=(shown(frame.check_id(self.id))) open[is_open] {
                summary {
                    (verdict(self.verdict, frame.labels)) " "
                    span.name { (shown(self.title)) " " code { (shown(self.id)) } } " "
                    span.earned { (self.earned) }
                }
                div { (body) }
            }
        }
    }
}

/// A verdict in its color, with its sign.
pub(in crate::report) fn verdict(verdict: Verdict, labels: Labels) -> Markup {
    html! {
        span class={ "verdict " (verdict.as_str()) } { (sign(verdict)) " " (labels.verdict(verdict)) }
    }
}

/// Verdicts with a sentence each, as a list; nothing without any.
pub(in crate::report) fn verdicts<'a>(
    seen: impl Iterator<Item = (Verdict, &'a str)>,
    labels: Labels,
) -> Markup {
    let mut seen = seen.peekable();
    html! {
        @if seen.peek().is_some() {
            ul.signals {
                @for (status, text) in seen { li { (verdict(status, labels)) " " (sentence(text)) } }
            }
        }
    }
}

/// What to do.
pub(in crate::report) fn hint(text: &str, labels: Labels) -> Markup {
    html! { p.fix { b { (labels.label("fix")) } " " (sentence(text)) } }
}

/// Why something matters.
pub(in crate::report) fn why(text: &str, labels: Labels) -> Markup {
    html! {
        @if !text.is_empty() { p { b { (labels.label("why")) } " " (sentence(text)) } }
    }
}

/// The name of the program, as a link to it.
pub(in crate::report) fn product() -> Markup {
    html! { (link(product::HOME, product::NAME)) }
}

/// A link out of the report.
fn link(url: &str, text: &str) -> Markup {
    html! { a href=(shown(url)) rel="noopener noreferrer" { (shown(text)) } }
}

/// A link to the page that explains a check or a signal.
pub(in crate::report) fn explanation(page: &str, labels: Labels) -> Markup {
    source(&labels.label("how-decided"), page)
}

/// A sentence of ours with its addresses as links.
pub(in crate::report) fn with_links(sentence: &str) -> Markup {
    html! {
        @for (index, word) in sentence.split(' ').enumerate() {
            @if index > 0 { " " }
            @let url = word.trim_end_matches(',');
            @if url.starts_with("https://") {
                (link(url, url)) (word.trim_start_matches(url))
            } @else {
                (word)
            }
        }
    }
}

/// A document behind a check or a signal. Links go only where a browser asks over TLS: a result may
/// come from a stranger's file.
pub(in crate::report) fn source(name: &str, url: &str) -> Markup {
    html! {
        " · "
        @if url.starts_with("https://") { (link(url, name)) } @else { (shown(name)) }
    }
}
