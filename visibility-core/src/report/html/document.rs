//! A report as a file: no scripts, no foreign requests, no file beside it.

use maud::{Markup, PreEscaped, html};

use crate::report::parts::{logo, source_link};
use crate::report::product;
use crate::text::locale::Lang;
use crate::text::markup::shown;

/// A file around the parts of its reports.
pub(in crate::report) struct HtmlDocument<'a> {
    pub(in crate::report) lang: Lang,
    pub(in crate::report) title: &'a str,
    /// What kind of report it is.
    pub(in crate::report) kind: &'a str,
    /// The style sheet inside.
    pub(in crate::report) style: &'static str,
    /// What is behind the reports; nothing if each has its own.
    pub(in crate::report) foot: Option<Markup>,
}

impl HtmlDocument<'_> {
    /// The file with this between its head and its foot.
    pub(in crate::report) fn render(&self, body: &Markup) -> Markup {
        html! {
            (PreEscaped("<!doctype html>\n"))
            html lang=(self.lang) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                    title { (shown(self.title)) }
                    style { (PreEscaped(self.style)) }
                }
                body {
                    header.top {
                        div.wrap {
                            a.name href=(product::HOME) rel="noreferrer" { (logo()) (product::NAME) }
                            span.soft { (self.kind) }
                        }
                    }
                    main.wrap { (body) }
                    @if let Some(foot) = &self.foot { footer.foot { div.wrap { (foot) } } }
                }
            }
            (PreEscaped("\n"))
        }
    }
}

/// The program, and how the result came about.
pub(in crate::report) fn made(parts: &[&str]) -> Markup {
    html! {
        p {
            (source_link(product::NAME, product::HOME))
            @for part in parts { " · " (shown(*part)) }
        }
    }
}
