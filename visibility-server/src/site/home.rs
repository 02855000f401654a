//! The home page: what the service answers, whose visits it knows, and how to start.

use maud::{Markup, PreEscaped, html};
use visibility_core::agents::Registry;
use visibility_core::report::parts::matrix::purpose_class;
use visibility_core::scan::checks::CHECKS;
use visibility_core::text::locale::{Catalog, Lang, Values};
use visibility_core::text::markup::shown;

use super::base_url::BaseUrl;
use super::markdown::RenderedMarkdown;

/// The page around its Markdown, of which the first paragraph is said by the rest of the page.
pub(super) fn body(
    base: &BaseUrl,
    lang: Lang,
    description: &str,
    rendered: &RenderedMarkdown,
) -> Markup {
    let words = Words::new(lang);
    html! {
        div.pitch {
            h1 { (rendered.title) }
            p.lead { (description) }
            p.buttons {
                a.button href=(base.link("/docs/api")) { (words.text("guide")) }
                a.button.plain href=(base.link("/docs")) { (words.text("reference")) }
            }
        }
        (features(&words))
        (agents(&words))
        div.prose.column { (PreEscaped(sections(&rendered.html))) }
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
fn sections(html: &str) -> &str {
    html.find("<h2").and_then(|start| html.get(start..)).unwrap_or_default()
}

/// The three questions that the service answers, each with a picture.
fn features(words: &Words) -> Markup {
    let reading = html! { path d="M4 6h16M4 12h10M4 18h7" {} circle cx="18" cy="16" r="3.5" {} path d="m20.6 18.6 2 2" {} };
    let plan = html! { path d="M5 5h3v3H5zM5 16h3v3H5zM12 6h8M12 17h8M12 12h5" {} };
    let logs = html! { path d="M3 20h18M6 20v-6M11 20V8M16 20v-9M21 20V4" {} };
    html! {
        section.three {
            @for (id, picture) in [("read", reading), ("plan", plan), ("logs", logs)] {
                div.card.feature {
                    svg viewBox="0 0 24 24" aria-hidden="true" { (picture) }
                    h2 { (words.text(&format!("{id}-title"))) }
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
