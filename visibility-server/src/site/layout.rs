//! The frame of every HTML page: head, header and footer.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::user::User;
use visibility_core::text::locale::{Catalog, Lang};

use super::base_url::BaseUrl;
use crate::http::urls::{ACCOUNT_PATH, API_PATH, LOGS_PATH, SETTINGS_PATH, SIGN_OUT_PATH};
use visibility_core::report::parts::logo;
use visibility_core::text::markup::shown;

/// What the frame of a page depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    /// What the page is called, without the name of the site.
    pub(crate) title: &'a str,
    pub(crate) lang: Lang,
    /// The same page in another language: the language and the path.
    pub(crate) translation: Option<(Lang, &'a str)>,
    pub(crate) kind: FrameKind<'a>,
}

/// What is around a page.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FrameKind<'a> {
    /// Navigation and footer, and what search engines and programs read.
    Site {
        /// Path of the page, such as `/docs`.
        path: &'a str,
        /// What it is about, in a sentence or two.
        description: &'a str,
        /// The path of its Markdown, if it has one.
        markdown: Option<&'a str>,
        /// What it says to machines, as JSON-LD.
        structured: Option<&'a Value>,
    },
    /// Navigation and footer, of a page that is for one person or for no one to find.
    Plain,
    /// The name of the person who is signed in, the way to sign out, and the footer.
    Account(&'a Person<'a>),
    /// Nothing that leads away from a decision that a program has asked for.
    Gate,
}

/// Who is signed in on a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Person<'a> {
    pub(crate) name: &'a str,
    pub(crate) tenant: &'a str,
    /// The sign of their forms.
    pub(crate) sign: &'a str,
    /// Where their settings are.
    pub(crate) settings: &'static str,
    /// Whether they may see which agents came.
    pub(crate) may_read_logs: bool,
    /// What they look at.
    pub(crate) part: SitePart,
}

/// A part of the site for people who are signed in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SitePart {
    Scan,
    Logs,
    Settings,
}

impl<'a> Person<'a> {
    pub(crate) fn new(user: &'a User, sign: &'a str, part: SitePart) -> Self {
        let may = |scope| user.scopes.contains(&scope);
        Self {
            name: user.name.as_str(),
            tenant: user.tenant.as_str(),
            sign,
            settings: if may(Scope::Manage) { SETTINGS_PATH } else { ACCOUNT_PATH },
            may_read_logs: may(Scope::LogsRead),
            part,
        }
    }
}

/// Pages of the navigation, each with its name in `locales/` below `site.frame`.
const NAVIGATION: [(&str, &str); 5] = [
    ("/docs", "docs"),
    ("/docs/api", "api"),
    ("/docs/checks", "checks"),
    ("/docs/ingestion", "ingestion"),
    ("/bot", "bot"),
];

/// The whole page around a body with one `h1`.
pub(crate) fn layout(base: &BaseUrl, frame: &Frame<'_>, body: &Markup) -> Markup {
    let Frame { lang, kind, .. } = frame;
    let is_gate = matches!(kind, FrameKind::Gate);
    html! {
        (DOCTYPE)
        html lang=(lang.as_str()) {
            (head(base, frame))
            body class=[is_gate.then_some("gate")] {
                @match kind {
                    FrameKind::Site { path, markdown, .. } => {
                        (framed(base, frame, &navigation(base, *lang, path), *markdown, body))
                    }
                    FrameKind::Plain => {
                        (framed(base, frame, &navigation(base, *lang, ""), None, body))
                    }
                    FrameKind::Account(person) => {
                        (framed(base, frame, &account_header(base, *lang, person), None, body))
                    }
                    FrameKind::Gate => {
                        header.top {
                            div.wrap {
                                span.name { (logo()) "visibility" }
                                @if let Some((lang, path)) = frame.translation {
                                    a href=(base.link(path)) lang=(lang) hreflang=(lang) { (word(lang, "own-name")) }
                                }
                            }
                        }
                        main.wrap { (body) }
                    }
                }
            }
        }
    }
}

/// A body between header and footer.
fn framed(
    base: &BaseUrl,
    frame: &Frame<'_>,
    header: &Markup,
    markdown: Option<&str>,
    body: &Markup,
) -> Markup {
    html! {
        a.skip href="#content" { (word(frame.lang, "skip")) }
        (header)
        main.wrap #content { (body) }
        (foot(base, frame, markdown))
    }
}

fn head(base: &BaseUrl, frame: &Frame<'_>) -> Markup {
    let title = match frame.title {
        "visibility" => "visibility".to_owned(),
        title => format!("{title} · visibility"),
    };
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (shown(&title)) }
            @if let FrameKind::Site { path, description, markdown, structured } = frame.kind {
                meta name="description" content=(description);
                link rel="canonical" href=(base.url(path));
                (style(base))
                @if let Some((lang, translated)) = frame.translation {
                    @for (lang, path) in [(frame.lang, path), (lang, translated)] {
                        link rel="alternate" hreflang=(lang) href=(base.url(path));
                    }
                }
                @if let Some(path) = markdown {
                    link rel="alternate" type="text/markdown" href=(base.link(path));
                }
                (open_graph(&title, description, &base.url(path)))
                @if let Some(value) = structured { (self::structured(value)) }
            } @else {
                (style(base))
            }
        }
    }
}

fn style(base: &BaseUrl) -> Markup {
    html! {
        link rel="stylesheet" href=(base.link("/style.css"));
        link rel="icon" type="image/svg+xml" href=(base.link("/favicon.svg"));
    }
}

fn open_graph(title: &str, description: &str, url: &str) -> Markup {
    html! {
        meta property="og:type" content="website";
        meta property="og:title" content=(title);
        meta property="og:description" content=(description);
        meta property="og:url" content=(url);
    }
}

/// JSON-LD: data that no browser runs. No `<` can end the element early.
fn structured(value: &Value) -> Markup {
    let text = value.to_string().replace('<', "\\u003c");
    html! { script type="application/ld+json" { (PreEscaped(text)) } }
}

/// A word of the frame.
fn word(lang: Lang, id: &str) -> String {
    Catalog::for_lang(lang).text(&["site", "frame", id])
}

/// The path of a page in a language; pages without a translation have one path.
fn translated(lang: Lang, path: &str) -> &str {
    match (lang, path) {
        (Lang::Tr, "/") => "/tr",
        (Lang::Tr, "/bot") => "/tr/bot",
        (_, path) => path,
    }
}

/// The header with the navigation, in which the current page is marked.
fn navigation(base: &BaseUrl, lang: Lang, current: &str) -> Markup {
    let target = |path| translated(lang, path);
    let mark = |path| (target(path) == current).then_some("page");
    html! {
        header.top {
            div.wrap {
                a.name href=(base.link(target("/"))) { (logo()) "visibility" }
                nav aria-label=(word(lang, "pages")) {
                    ul {
                        @if base.has_settings() {
                            li { a href=(base.link(target("/"))) aria-current=[mark("/")] { (word(lang, "scan")) } }
                        }
                        @for (path, id) in NAVIGATION {
                            li {
                                a href=(base.link(target(path))) aria-current=[mark(path)] { (word(lang, id)) }
                            }
                        }
                    }
                }
                @if base.has_settings() {
                    div.who { a href=(base.link(SETTINGS_PATH)) { (word(lang, "settings")) } }
                }
            }
        }
    }
}

/// The fields that every form has: its sign, and the language of its page.
pub(crate) fn signed_fields(lang: Lang, sign: &str) -> Markup {
    html! {
        input type="hidden" name="csrf" value=(sign);
        input type="hidden" name="lang" value=(lang);
    }
}

/// The header for a person who is signed in: navigation, name, and the button to sign out.
fn account_header(base: &BaseUrl, lang: Lang, person: &Person<'_>) -> Markup {
    html! {
        header.top {
            div.wrap {
                a.name href=(base.link(translated(lang, "/"))) { (logo()) "visibility" }
                nav aria-label=(word(lang, "pages")) {
                    ul {
                        @let mark = |part| (person.part == part).then_some("page");
                        @if base.has_settings() {
                            li {
                                a href=(base.link(translated(lang, "/"))) aria-current=[mark(SitePart::Scan)] {
                                    (word(lang, "scan"))
                                }
                            }
                        }
                        @if base.has_settings() && person.may_read_logs {
                            li { a href=(base.link(LOGS_PATH)) aria-current=[mark(SitePart::Logs)] { (word(lang, "logs")) } }
                        }
                        li {
                            a href=(base.link(person.settings)) aria-current=[mark(SitePart::Settings)] {
                                (word(lang, "settings"))
                            }
                        }
                        li { a href=(base.link("/docs/api")) { (word(lang, "api")) } }
                        @if !person.may_read_logs {
                            li { a href=(base.link("/docs/ingestion")) { (word(lang, "ingestion")) } }
                        }
                    }
                }
                form.person.who method="post" action=(base.link(SIGN_OUT_PATH)) {
                    (signed_fields(lang, person.sign))
                    span { (shown(person.name)) " · " (shown(person.tenant)) }
                    button.link type="submit" { (word(lang, "sign-out")) }
                }
            }
        }
    }
}

fn foot(base: &BaseUrl, frame: &Frame<'_>, markdown: Option<&str>) -> Markup {
    html! {
        footer.foot {
            div.wrap {
                p { "visibility " (env!("CARGO_PKG_VERSION")) }
                ul {
                    @if let Some(path) = markdown {
                        li { a href=(base.link(path)) { (word(frame.lang, "markdown")) } }
                    }
                    @if let Some((lang, path)) = frame.translation {
                        li { a href=(base.link(path)) { span lang=(lang) { (word(lang, "own-name")) } } }
                    }
                    li { a href=(base.link("/llms.txt")) { "llms.txt" } }
                    li { a href=(base.link(API_PATH)) { "OpenAPI" } }
                    li { a href=(env!("CARGO_PKG_REPOSITORY")) { (word(frame.lang, "source")) } }
                }
            }
        }
    }
}
