//! Pieces that the reports in HTML are made of. What they take is text, unless it is said to be HTML.

use crate::report::labels::{Labels, sign};
use crate::report::paste::PasteBlock;
use crate::report::product;
use crate::report::scale::Scale;
use crate::rubric::finding::Verdict;
use crate::text::escape::{html, html_lines, html_sentence};
use crate::text::locale::Lang;

const STYLE: &str = include_str!("style.css");

/// A file: no scripts, no foreign requests.
pub(in crate::report) struct HtmlDocument<'a> {
    pub(in crate::report) lang: Lang,
    pub(in crate::report) title: &'a str,
    /// HTML before `main`.
    pub(in crate::report) banner: &'a str,
    /// HTML behind `main`.
    pub(in crate::report) foot: &'a str,
}

impl HtmlDocument<'_> {
    /// The file with these sections of HTML.
    pub(in crate::report) fn render(&self, sections: &[String]) -> String {
        let Self { lang, banner, foot, .. } = self;
        format!(
            "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             {banner}<main>\n{}</main>\n{foot}</body>\n</html>\n",
            html(self.title),
            sections.concat(),
        )
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
        format!("{}{}", self.prefix, html(id))
    }

    /// A heading; `content` is HTML.
    pub(in crate::report) fn heading(&self, level: u8, content: &str) -> String {
        let level = (level + self.depth).min(6);
        format!("<h{level}>{content}</h{level}>\n")
    }

    /// The heading of a whole report, which is a target of links.
    pub(in crate::report) fn title(&self, text: &str) -> String {
        let level = 1 + self.depth;
        format!("<h{level} class=\"title\">{}</h{level}>\n", html(text))
    }

    /// A section with its heading; `body` is HTML. Nothing for an empty body. Sections are not landmarks: there
    /// are many, and the headings lead through them.
    pub(in crate::report) fn section(&self, id: &str, heading: &str, body: &str) -> String {
        if body.is_empty() {
            return String::new();
        }
        let (id, level) = (self.id(id), 2 + self.depth);
        let heading = html(heading);
        format!("<section>\n<h{level} id=\"{id}\">{heading}</h{level}>\n{body}</section>\n")
    }

    /// What caps the score, and why.
    pub(in crate::report) fn caps<'a>(
        &self,
        id: &str,
        heading: &str,
        reasons: impl Iterator<Item = &'a str>,
    ) -> String {
        let lines: String =
            reasons.map(|text| format!("<p class=\"cap\">{}</p>\n", html_sentence(text))).collect();
        self.section(id, heading, &lines)
    }

    /// Parts of the rubric with their points, as cards; `cards` is HTML.
    pub(in crate::report) fn cards(
        &self,
        id: &str,
        heading: &str,
        cards: &str,
        scale: Scale,
    ) -> String {
        if cards.is_empty() {
            return String::new();
        }
        let note = scale.division(self.labels).map_or_else(String::new, |division| {
            let note = self.labels.sentence("division-note", &[("division", &division)]);
            format!("<p class=\"note\">{}</p>\n", html(&note))
        });
        self.section(id, heading, &format!("<dl class=\"cards\">\n{cards}</dl>\n{note}"))
    }

    /// Evidence under its heading; `items` is HTML.
    pub(in crate::report) fn evidence(&self, items: &str) -> String {
        if items.is_empty() {
            return String::new();
        }
        // No heading: a check may be folded where no heading of the level above is before it.
        let label = html(&self.labels.label("evidence"));
        format!("<p><strong>{label}</strong></p>\n<ul class=\"evidence\">\n{items}</ul>\n")
    }

    /// What passed and what does not count, closed, after what asks for work.
    pub(in crate::report) fn folded(&self, sentence: &str, members: &[String]) -> String {
        if members.is_empty() {
            return String::new();
        }
        let title = self.labels.sentence(sentence, &[("count", &members.len())]);
        format!(
            "<details class=\"more\">\n<summary>{}</summary>\n<div>\n{}</div>\n</details>\n",
            html(&title),
            members.concat()
        )
    }

    /// Opens a table that scrolls by itself on narrow screens.
    pub(in crate::report) fn table_start(
        &self,
        labelled_by: &str,
        columns: &[(String, bool)],
    ) -> String {
        let cells: String = columns
            .iter()
            .map(|(title, is_number)| {
                let class = if *is_number { " class=\"number\"" } else { "" };
                format!("<th scope=\"col\"{class}>{}</th>", html(title))
            })
            .collect();
        format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-labelledby=\"{}\"><table><thead><tr>{cells}</tr></thead>\n<tbody>\n",
            self.id(labelled_by)
        )
    }
}

/// What there is to paste, block by block, with what a person has to know and to fill in.
pub(in crate::report) fn paste(
    blocks: &[PasteBlock<'_>],
    needs_input: (&str, &[String]),
    note: Option<&str>,
) -> String {
    let mut text = String::new();
    text.extend(note.map(|note| format!("<p class=\"note\">{}</p>\n", html_sentence(note))));
    for block in blocks {
        let heading = block.heading.as_deref().map_or_else(String::new, |heading| {
            format!("<figcaption>{}</figcaption>\n", html_sentence(heading))
        });
        text.push_str(&format!(
            "<figure class=\"paste\">\n{heading}<pre tabindex=\"0\">{}</pre>\n</figure>\n",
            html_lines(block.content)
        ));
    }
    let (label, names) = needs_input;
    if !names.is_empty() {
        let names: Vec<String> =
            names.iter().map(|name| format!("<code>{}</code>", html(name))).collect();
        text.push_str(&format!("<p>{} {}</p>\n", html(label), names.join(", ")));
    }
    text
}

/// The score as a ring, colored by a class of the style sheet.
pub(in crate::report) fn ring(score: u8, class: &str, label: &str) -> String {
    let (class, label) = (html(class), html(label));
    format!(
        "<svg class=\"ring {class}\" viewBox=\"0 0 120 120\" role=\"img\" aria-label=\"{label}: {score} / 100\">\n\
         <circle class=\"track\" cx=\"60\" cy=\"60\" r=\"52\"/>\n\
         <circle class=\"value\" cx=\"60\" cy=\"60\" r=\"52\" pathLength=\"100\" stroke-dasharray=\"{score} 100\"/>\n\
         <text x=\"60\" y=\"66\" class=\"number\">{score}</text><text x=\"60\" y=\"84\" class=\"of\">/ 100</text>\n</svg>\n"
    )
}

/// A part of the rubric as a card, one of several in a `dl`.
pub(in crate::report) fn card(title: &str, earned: f64, max: f64, scale: Scale) -> String {
    let share = if max > 0.0 { (100.0 * earned / max).clamp(0.0, 100.0) } else { 0.0 };
    format!(
        "<div><dt>{}</dt><dd><b>{}</b><span class=\"bar\" aria-hidden=\"true\"><span style=\"width:{share:.0}%\"></span></span></dd></div>\n",
        html(title),
        scale.earned(earned, max)
    )
}

/// A check or a signal, to open.
pub(in crate::report) struct FoldedItem<'a> {
    pub(in crate::report) id: &'a str,
    pub(in crate::report) verdict: Verdict,
    pub(in crate::report) title: &'a str,
    pub(in crate::report) earned: &'a str,
}

impl FoldedItem<'_> {
    /// The fold with this HTML in it; what asks for work is open.
    pub(in crate::report) fn render(&self, body: &str, frame: &Frame) -> String {
        let is_open = matches!(self.verdict, Verdict::Fail | Verdict::Warn);
        format!(
            "<details class=\"check\" id=\"{}\"{}>\n<summary>{} <span class=\"name\">{} <code>{}</code></span> <span class=\"earned\">{}</span></summary>\n<div>\n{body}</div>\n</details>\n",
            frame.id(&format!("check-{}", self.id)),
            if is_open { " open" } else { "" },
            verdict(self.verdict, frame.labels),
            html(self.title),
            html(self.id),
            html(self.earned),
        )
    }
}

/// A verdict in its color, with its sign.
pub(in crate::report) fn verdict(verdict: Verdict, labels: Labels) -> String {
    format!(
        "<span class=\"verdict {}\">{} {}</span>",
        verdict.as_str(),
        sign(verdict),
        html(&labels.verdict(verdict))
    )
}

/// Verdicts with a sentence each, as a list; nothing without any.
pub(in crate::report) fn verdicts<'a>(
    seen: impl Iterator<Item = (Verdict, &'a str)>,
    labels: Labels,
) -> String {
    let items: String = seen
        .map(|(status, text)| {
            format!("<li>{} {}</li>\n", verdict(status, labels), html_sentence(text))
        })
        .collect();
    if items.is_empty() {
        return items;
    }
    format!("<ul class=\"signals\">\n{items}</ul>\n")
}

/// What to do.
pub(in crate::report) fn hint(text: &str, labels: Labels) -> String {
    let label = html(&labels.label("fix"));
    format!("<p class=\"fix\"><b>{label}</b> {}</p>\n", html_sentence(text))
}

/// Why something matters.
pub(in crate::report) fn why(text: &str, labels: Labels) -> String {
    if text.is_empty() {
        return String::new();
    }
    let label = html(&labels.label("why"));
    format!("<p><b>{label}</b> {}</p>\n", html_sentence(text))
}

/// The name of the program, as a link to it.
pub(in crate::report) fn product() -> String {
    format!("<a href=\"{}\" rel=\"noopener noreferrer\">{}</a>", product::HOME, product::NAME)
}

/// A link to the page that explains a check or a signal.
pub(in crate::report) fn explanation(page: &str, labels: Labels) -> String {
    source(&labels.label("how-decided"), page)
}

/// A sentence of ours with its addresses as links.
pub(in crate::report) fn with_links(sentence: &str) -> String {
    let words = sentence.split(' ').map(|word| {
        let url = word.trim_end_matches(',');
        if !url.starts_with("https://") {
            return html(word);
        }
        let (url, rest) = word.split_at(url.len());
        let url = html(url);
        format!("<a href=\"{url}\" rel=\"noopener noreferrer\">{url}</a>{rest}")
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A document behind a check or a signal. Links go only where a browser asks over TLS: a result may
/// come from a stranger's file.
pub(in crate::report) fn source(name: &str, url: &str) -> String {
    if url.starts_with("https://") {
        format!(" · <a href=\"{}\" rel=\"noopener noreferrer\">{}</a>", html(url), html(name))
    } else {
        format!(" · {}", html(name))
    }
}
