//! The home page: what the service answers, whose visits it knows, and how to start.

use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, LINK};
use axum::response::Response;
use maud::{Markup, PreEscaped, html};
use visibility_core::accounts::scope::Scope;
use visibility_core::agents::Registry;
use visibility_core::report::parts::matrix::purpose_class;
use visibility_core::scan::checks::CHECKS;
use visibility_core::text::locale::{Catalog, Lang, Values};
use visibility_core::text::markup::shown;

use serde_json::Value;

use super::asker::Asker;
use super::audit::AUDIT_PATH;
use super::base_url::BaseUrl;
use super::layout::{FrameKind, Person, SitePart};
use super::links;
use super::page::{PageContent, PageContext, PageKind, respond};
use super::scan::form::ScanForm;
use crate::access::accounts::session::Session;
use crate::http::urls::LOGS_PATH;

/// The home page in both languages, for a form in it.
#[derive(Debug)]
pub(crate) struct HomePages {
    en: HomePage,
    tr: HomePage,
}

/// The home page in a language, without what depends on who sees it.
#[derive(Clone, Debug)]
pub(crate) struct HomePage {
    pub(super) title: String,
    pub(super) description: String,
    /// What is behind its first paragraph, as HTML.
    pub(super) sections: String,
    /// Its path, and that of its Markdown.
    pub(super) paths: (&'static str, &'static str),
    /// What it says to machines, as JSON-LD.
    pub(super) structured: Value,
}

impl HomePages {
    pub(super) fn new(en: HomePage, tr: HomePage) -> Self {
        Self { en, tr }
    }

    fn get(&self, lang: Lang) -> &HomePage {
        match lang {
            Lang::En => &self.en,
            Lang::Tr => &self.tr,
        }
    }

    /// The page with a form.
    pub(crate) fn respond(&self, context: &PageContext, form: &ScanForm<'_>) -> Response {
        let page = self.get(context.lang);
        let title = shown(page.title.clone());
        let logs = match form.asker {
            Asker::Person(session) => logs_link(context, session),
            Asker::Visitor { .. } => None,
        };
        let body = page.body(context.lang, &form.render(context), logs.as_deref());
        let kind = form.error.map_or(PageKind::Wanted, |problem| PageKind::Problem(problem.code()));
        let in_frame = |frame| {
            respond(context, PageContent::new(kind, title.clone(), frame, body.clone()).of_parts())
        };
        let mut response = match form.asker {
            Asker::Person(session) => {
                let user = &session.user.user;
                let person = Person::new(user, &form.sign, SitePart::Scan);
                in_frame(FrameKind::Account(&person))
            }
            Asker::Visitor { .. } => {
                let (path, markdown) = page.paths;
                let mut response = in_frame(FrameKind::Site {
                    path,
                    description: &page.description,
                    markdown: Some(markdown),
                    structured: Some(&page.structured),
                });
                let links = HeaderValue::try_from(links(&context.base, Some(markdown)));
                response.headers_mut().extend(links.ok().map(|links| (LINK, links)));
                response
            }
        };
        let headers = response.headers_mut();
        // The home page is for everyone to find, and its form for one browser.
        headers.remove("x-robots-tag");
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        response
    }

    /// The page for a person who may not scan: with the way to what they may see.
    pub(crate) fn respond_without_form(
        &self,
        context: &PageContext,
        session: &Session,
        sign: &str,
    ) -> Response {
        let page = self.get(context.lang);
        let words = Words::new(context.lang);
        let logs = logs_link(context, session);
        let start = html! {
            p.buttons {
                @if let Some(logs) = &logs { a.button href=(logs) { (words.text("to-logs")) } }
                a.button.plain href=(context.base.link(AUDIT_PATH)) { (words.text("audit")) }
                a.button.plain href=(context.base.link("/docs/api")) { (words.text("guide")) }
            }
        };
        let body = page.body(context.lang, &start, logs.as_deref());
        let person = Person::new(&session.user.user, sign, SitePart::Scan);
        let frame = FrameKind::Account(&person);
        let content = PageContent::new(PageKind::Wanted, shown(page.title.clone()), frame, body);
        respond(context, content.of_parts())
    }
}

/// Where a person sees which agents came, if they may.
fn logs_link(context: &PageContext, session: &Session) -> Option<String> {
    let may_read = session.user.user.scopes.contains(&Scope::LogsRead);
    may_read.then(|| context.base.link(LOGS_PATH))
}

impl HomePage {
    /// The page with the way to a first scan, and to the logs if there is one, which the rest of the page says more of.
    pub(super) fn body(&self, lang: Lang, start: &Markup, logs: Option<&str>) -> Markup {
        let words = Words::new(lang);
        html! {
            div.pitch {
                h1 { (self.title) }
                p.lead { (self.description) }
                (start)
            }
            (features(&words, logs))
            (agents(&words))
            div.prose.column { (PreEscaped(&self.sections)) }
        }
    }

    /// The page for all who see no form.
    pub(super) fn without_form(&self, base: &BaseUrl, lang: Lang) -> Markup {
        let words = Words::new(lang);
        let start = html! {
            p.buttons {
                @if base.has_settings() {
                    a.button href=(base.link("/sign-in?next=%2F")) { (words.text("sign-in")) }
                    a.button.plain href=(base.link(AUDIT_PATH)) { (words.text("audit")) }
                    a.button.plain href=(base.link("/docs/api")) { (words.text("guide")) }
                } @else {
                    a.button href=(base.link("/docs/api")) { (words.text("guide")) }
                    a.button.plain href=(base.link("/docs")) { (words.text("reference")) }
                }
            }
        };
        self.body(lang, &start, None)
    }
}

/// The words of the page, with the numbers in them.
struct Words {
    catalog: &'static Catalog,
    values: Values,
}

impl Words {
    fn new(lang: Lang) -> Self {
        let values = Values::from([
            ("checks", CHECKS.len().to_string()),
            ("agents", Registry::embedded().matrix().len().to_string()),
        ]);
        Self { catalog: Catalog::for_lang(lang), values }
    }

    fn text(&self, id: &str) -> String {
        self.catalog.fill(&["site", "home", id], &self.values)
    }
}

/// What is behind the first heading and its paragraph.
pub(super) fn sections(html: &str) -> &str {
    html.find("<h2").and_then(|start| html.get(start..)).unwrap_or_default()
}

/// The three questions that the service answers, each with a picture.
fn features(words: &Words, logs_link: Option<&str>) -> Markup {
    let reading = html! { path d="M4 6h16M4 12h10M4 18h7" {} circle cx="18" cy="16" r="3.5" {} path d="m20.6 18.6 2 2" {} };
    let plan = html! { path d="M5 5h3v3H5zM5 16h3v3H5zM12 6h8M12 17h8M12 12h5" {} };
    let logs = html! { path d="M3 20h18M6 20v-6M11 20V8M16 20v-9M21 20V4" {} };
    html! {
        section.three {
            @for (id, picture) in [("read", reading), ("plan", plan), ("logs", logs)] {
                div.card.feature {
                    svg viewBox="0 0 24 24" aria-hidden="true" { (picture) }
                    h2 {
                        @let title = words.text(&format!("{id}-title"));
                        @match logs_link.filter(|_| id == "logs") {
                            Some(link) => { a href=(link) { (title) } }
                            None => (title),
                        }
                    }
                    p { (words.text(&format!("{id}-text"))) }
                }
            }
        }
    }
}

/// The agents of the matrix, each in the color of its purpose.
fn agents(words: &Words) -> Markup {
    html! {
        section.center {
            h2 { (words.text("agents-title")) }
            p.soft { (words.text("agents-text")) }
            ul.chips {
                @for agent in Registry::embedded().matrix() {
                    li.chip {
                        span class={ "dot " (purpose_class(agent.purpose)) } {}
                        (shown(agent.name.as_str()))
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sections_begin_at_the_second_heading() {
        assert_eq!(sections("<h1>a</h1><p>b</p><h2>c</h2><p>d</p>"), "<h2>c</h2><p>d</p>");
        assert_eq!(sections("<h1>a</h1>"), "");
    }
}
