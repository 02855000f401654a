//! Pieces that several parts have.

use maud::{Markup, html};

use crate::report::chart::Tone;
use crate::report::labels::{Labels, sign};
use crate::report::parts::Place;
use crate::report::paste::PasteBlock;
use crate::rubric::finding::Verdict;
use crate::text::markup::{lines, sentence, shown};

/// The sign of the program, an eye, before its name.
pub fn logo() -> Markup {
    html! {
        svg class="logo" viewBox="0 0 24 24" aria-hidden="true" {
            path d="M3 12C5 7 8 5 12 5s7 2 9 7c-2 5-5 7-9 7s-7-2-9-7Z" {}
            circle cx="12" cy="12" r="3" {}
        }
    }
}

/// What a verdict means for a reader: the color that it has.
pub(super) fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Pass => Tone::Good,
        Verdict::Warn => Tone::Warn,
        Verdict::Fail => Tone::Bad,
        Verdict::Unknown => Tone::Unsure,
        Verdict::NotApplicable => Tone::None,
    }
}

/// A word on its color.
pub(super) fn tag(tone: Tone, content: &Markup) -> Markup {
    html! { span class={ "tag " (tone.class()) } { (content) } }
}

/// A verdict on its color, with its sign.
pub(in crate::report) fn verdict_tag(verdict: Verdict, labels: Labels) -> Markup {
    tag(tone(verdict), &html! { (sign(verdict)) " " (labels.verdict(verdict)) })
}

/// Verdicts with a sentence each, as a list; nothing without any.
pub(super) fn verdicts<'a>(
    seen: impl Iterator<Item = (Verdict, &'a str)>,
    labels: Labels,
) -> Markup {
    let mut seen = seen.peekable();
    html! {
        @if seen.peek().is_some() {
            ul.verdicts {
                @for (status, text) in seen {
                    li { (verdict_tag(status, labels)) " " span { (sentence(text)) } }
                }
            }
        }
    }
}

/// What to do.
pub(super) fn hint(text: &str, labels: Labels) -> Markup {
    html! { p { b { (labels.label("fix")) } " " (sentence(text)) } }
}

/// Why something matters; nothing if that is not said.
pub(super) fn why(text: &str, labels: Labels) -> Markup {
    html! {
        @if !text.is_empty() { p { b { (labels.label("why")) } " " (sentence(text)) } }
    }
}

/// Evidence as a list; nothing without any.
pub(super) fn evidence(items: &[Markup], labels: Labels) -> Markup {
    html! {
        @if !items.is_empty() {
            p { b { (labels.label("evidence")) } }
            ul.evidence { @for item in items { (item) } }
        }
    }
}

/// Reasons why a score is limited; nothing without any.
pub(super) fn caps<'a>(id: &str, reasons: impl Iterator<Item = &'a str>, place: &Place) -> Markup {
    let mut reasons = reasons.peekable();
    if reasons.peek().is_none() {
        return html! {};
    }
    let body = html! { @for text in reasons { p.cap { (sentence(text)) } } };
    place.section(id, &place.labels().label("held-down"), &html! {}, &body)
}

/// What there is to paste, block by block, with what a person has to know and to fill in.
pub(super) struct Paste<'a> {
    pub(super) blocks: &'a [PasteBlock<'a>],
    /// What is before the names of texts to fill in.
    pub(super) needs_input: &'a str,
    /// Names of the texts to fill in.
    pub(super) inputs: &'a [String],
    pub(super) note: Option<&'a str>,
}

impl Paste<'_> {
    pub(super) fn render(&self) -> Markup {
        html! {
            @if let Some(note) = self.note { p.soft { (sentence(note)) } }
            @for block in self.blocks {
                figure.paste {
                    @if let Some(heading) = &block.heading { figcaption { (sentence(heading)) } }
                    pre tabindex="0" { (lines(block.content)) }
                }
            }
            @if !self.inputs.is_empty() {
                p {
                    (self.needs_input) " "
                    @for (index, name) in self.inputs.iter().enumerate() {
                        @if index > 0 { ", " }
                        code { (shown(name)) }
                    }
                }
            }
        }
    }
}

/// A link out of the report.
fn link(url: &str, text: &str) -> Markup {
    html! { a href=(shown(url)) rel="noreferrer" { (shown(text)) } }
}

/// A document with its name. Links go only where a browser asks over TLS: a result may come from a stranger's file.
pub(in crate::report) fn source_link(name: &str, url: &str) -> Markup {
    html! {
        @if url.starts_with("https://") { (link(url, name)) } @else { (shown(name)) }
    }
}

/// What is behind a check or a signal, each after a point: documents, and the page that explains it.
pub(super) fn sources<'a>(
    documents: impl Iterator<Item = (&'a str, &'a str)>,
    page: &str,
    labels: Labels,
) -> Markup {
    html! {
        @for (name, url) in documents { " · " (source_link(name, url)) }
        " · " (link(page, &labels.label("how-decided")))
    }
}

/// A sentence of ours with its addresses as links.
pub(super) fn with_links(sentence: &str) -> Markup {
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

/// A column of a table.
pub(in crate::report) enum Column {
    Text(String),
    Number(String),
}

/// A table that scrolls by itself on narrow screens, on a card. `labelled_by` is the id of its heading.
pub(in crate::report) fn table(labelled_by: &str, columns: &[Column], rows: &Markup) -> Markup {
    html! {
        div.card.scroll tabindex="0" role="group" aria-labelledby=(labelled_by) {
            table {
                thead {
                    tr {
                        @for column in columns {
                            @match column {
                                Column::Text(title) => { th scope="col" { (shown(title)) } }
                                Column::Number(title) => { th.number scope="col" { (shown(title)) } }
                            }
                        }
                    }
                }
                tbody { (rows) }
            }
        }
    }
}
