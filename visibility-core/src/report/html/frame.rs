//! Pieces that the reports in HTML are made of. What they take is text, unless it is said to be HTML.

use crate::finding::Verdict;
use crate::locale::Lang;
use crate::report::escape::{html, html_lines, html_sentence};
use crate::report::words::{Words, points, sign};

const STYLE: &str = include_str!("style.css");

/// A file: no scripts, no foreign requests.
pub(in crate::report) struct Document<'a> {
    pub(in crate::report) lang: Lang,
    pub(in crate::report) title: &'a str,
    /// HTML before `main`.
    pub(in crate::report) banner: &'a str,
    /// HTML behind `main`.
    pub(in crate::report) foot: &'a str,
}

impl Document<'_> {
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

/// A section with its heading; `body` is HTML. Nothing for an empty body.
pub(in crate::report) fn section(id: &str, heading: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new();
    }
    let heading = html(heading);
    format!(
        "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{heading}</h2>\n{body}</section>\n"
    )
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

/// Points of a part of the rubric as a bar, one of several in a `dl`.
pub(in crate::report) fn bar(title: &str, earned: f64, max: f64) -> String {
    let share = if max > 0.0 { (100.0 * earned / max).clamp(0.0, 100.0) } else { 0.0 };
    format!(
        "<div><dt>{}</dt><dd><span class=\"bar\" aria-hidden=\"true\"><span style=\"width:{share:.0}%\"></span></span> <b>{} / {}</b></dd></div>\n",
        html(title),
        points(earned),
        points(max)
    )
}

/// Bars under a heading; `rows` is HTML.
pub(in crate::report) fn bars(id: &str, heading: &str, rows: &str) -> String {
    if rows.is_empty() {
        return String::new();
    }
    section(id, heading, &format!("<dl class=\"bars\">\n{rows}</dl>\n"))
}

/// What caps the score, and why.
pub(in crate::report) fn caps<'a>(
    id: &str,
    heading: &str,
    reasons: impl Iterator<Item = &'a str>,
) -> String {
    let lines: String =
        reasons.map(|text| format!("<p class=\"cap\">{}</p>\n", html_sentence(text))).collect();
    section(id, heading, &lines)
}

/// A check or a signal, to open.
pub(in crate::report) struct Fold<'a> {
    pub(in crate::report) id: &'a str,
    pub(in crate::report) verdict: Verdict,
    pub(in crate::report) title: &'a str,
    pub(in crate::report) earned: &'a str,
}

impl Fold<'_> {
    /// The fold with this HTML in it; what asks for work is open.
    pub(in crate::report) fn render(&self, body: &str, words: Words) -> String {
        let is_open = matches!(self.verdict, Verdict::Fail | Verdict::Warn);
        format!(
            "<details class=\"check\" id=\"check-{}\"{}>\n<summary>{} <span class=\"name\">{}</span> <span class=\"earned\">{}</span></summary>\n<div>\n{body}</div>\n</details>\n",
            html(self.id),
            if is_open { " open" } else { "" },
            verdict(self.verdict, words),
            html(self.title),
            html(self.earned),
        )
    }
}

/// A verdict in its color, with its sign.
pub(in crate::report) fn verdict(verdict: Verdict, words: Words) -> String {
    format!(
        "<span class=\"verdict {}\">{} {}</span>",
        verdict.as_str(),
        sign(verdict),
        html(&words.verdict(verdict))
    )
}

/// Verdicts with a sentence each, as a list; nothing without any.
pub(in crate::report) fn verdicts<'a>(
    seen: impl Iterator<Item = (Verdict, &'a str)>,
    words: Words,
) -> String {
    let items: String = seen
        .map(|(status, text)| {
            format!("<li>{} {}</li>\n", verdict(status, words), html_sentence(text))
        })
        .collect();
    if items.is_empty() {
        return items;
    }
    format!("<ul class=\"signals\">\n{items}</ul>\n")
}

/// Evidence under its heading; `items` is HTML.
pub(in crate::report) fn evidence(items: &str, words: Words) -> String {
    if items.is_empty() {
        return String::new();
    }
    let heading = html(&words.label("evidence"));
    format!("<h4>{heading}</h4>\n<ul class=\"evidence\">\n{items}</ul>\n")
}

/// What to do.
pub(in crate::report) fn hint(text: &str, words: Words) -> String {
    let label = html(&words.label("fix"));
    format!("<p class=\"fix\"><b>{label}</b> {}</p>\n", html_sentence(text))
}

/// Something to paste.
pub(in crate::report) fn snippet(code: &str) -> String {
    format!("<pre tabindex=\"0\">{}</pre>\n", html_lines(code))
}

/// Why something matters.
pub(in crate::report) fn why(text: &str, words: Words) -> String {
    if text.is_empty() {
        return String::new();
    }
    let label = html(&words.label("why"));
    format!("<p><b>{label}</b> {}</p>\n", html_sentence(text))
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

/// Opens a table that scrolls by itself on narrow screens.
pub(in crate::report) fn table_start(labelled_by: &str, columns: &[(String, bool)]) -> String {
    let cells: String = columns
        .iter()
        .map(|(title, is_number)| {
            let class = if *is_number { " class=\"number\"" } else { "" };
            format!("<th scope=\"col\"{class}>{}</th>", html(title))
        })
        .collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"{labelled_by}\"><table><thead><tr>{cells}</tr></thead>\n<tbody>\n"
    )
}
